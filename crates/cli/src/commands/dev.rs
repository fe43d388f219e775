//! `intermezzo dev`: runs a local server with the playground for one ruleset.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use intermezzo_server::{Config, LogFormat, ServerError};

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::library::offered;
use crate::out::{GOOD, say};

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo dev                                use the ruleset in this folder
  intermezzo dev my-game --port 9000
  intermezzo dev my-game --no-open              print the address only
  intermezzo dev my-game --data ./matches       save accounts and matches

The page has an editor with checks and completion, a match in which you play every seat, and the
scenarios. The playground writes files, so it listens on 127.0.0.1 only. Its HTTP API for editors
and tools is described in docs/how-to/playground.md.")]
pub(crate) struct DevArgs {
    /// Folder of the ruleset
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Port on 127.0.0.1; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 8090)]
    port: u16,
    /// Do not open the page in a browser
    #[arg(long)]
    no_open: bool,
    /// Folder in which accounts and matches are saved [default: nothing is saved]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl DevArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let mut config = Config {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)),
            data: self.data.clone(),
            playground: Some(self.folder.clone()),
            ..Config::default()
        };
        // The editor sends a request on every keystroke; the default limits would reject some.
        config.limits.address_per_second = 2000;
        config.limits.accounts_per_minute = 1000;
        let out = &mut context.out;
        let ran = intermezzo_server::run(config, offered(None)?, LogFormat::Text, |address| {
            let page = format!("http://{address}/#/playground");
            say!(out, "{GOOD}ready{GOOD:#} on {page}");
            out.flush();
            if !self.no_open {
                open(&page);
            }
        });
        ran.map_err(|error| match &error {
            ServerError::Playground(_) => CliError::usage(error.to_string())
                .hint("give the folder of a ruleset, or create one with `intermezzo new DIR`"),
            ServerError::Listen { error: cause, .. } => {
                CliError::new(ExitStatus::Io, format!("cannot listen on port {}: {cause}", self.port))
                    .hint("choose another port with --port; 0 picks a free one")
            }
            _ => CliError::new(ExitStatus::Io, error),
        })?;
        Ok(ExitStatus::Success)
    }
}

/// Opens a page in the browser. Failures are ignored, because the address has been printed.
fn open(page: &str) {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet = || Stdio::null();
    let mut opening = Command::new(program);
    let opening = opening.args(first).arg(page);
    let _ = opening.stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
}
