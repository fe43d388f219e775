//! `intermezzo lsp`: the language server, on standard input and output.

use clap::Args;

use crate::failure::{CliError, ExitStatus};

#[derive(Args)]
#[command(after_help = "\
Editors start this program; see docs/how-to/editors.md. It speaks the Language Server Protocol on standard
input and output.")]
pub(crate) struct LspArgs {
    /// Accepted for clients that pass it
    #[arg(long, hide = true)]
    stdio: bool,
}

impl LspArgs {
    pub(crate) fn run(&self) -> Result<ExitStatus, CliError> {
        let _ = self.stdio;
        match intermezzo_language_server::run() {
            Ok(()) => Ok(ExitStatus::Success),
            Err(error) => {
                Err(CliError::new(ExitStatus::Problems, format!("the client broke the protocol: {error}")))
            }
        }
    }
}
