//! Subcommands: one file each, with its arguments and its implementation.

mod admin;
mod check;
mod dev;
mod explain;
mod fmt;
mod lsp;
mod migrate;
mod new;
mod play;
mod replay;
mod schema;
mod serve;
mod simulate;
mod store;
mod test;
mod verify;

use clap::Subcommand;

use crate::Context;
use crate::failure::{CliError, EXIT_CODES, ExitStatus};

#[derive(Subcommand)]
pub(crate) enum CliCommand {
    /// Check rulesets for errors
    Check(check::CheckArgs),
    /// Format ruleset files
    Fmt(fmt::FmtArgs),
    /// Run the language server for editors
    Lsp(lsp::LspArgs),
    /// Run the scenarios of rulesets
    Test(test::TestArgs),
    /// Play a match in the terminal
    Play(play::PlayArgs),
    /// Play many matches and report statistics
    Simulate(simulate::SimulateArgs),
    /// Print what happened in a saved match
    Replay(replay::ReplayArgs),
    /// Check a saved match against the rules
    Verify(verify::VerifyArgs),
    /// Explain an event or a value of a saved match
    Explain(explain::ExplainArgs),
    /// Print the JSON Schema of ruleset files, or the API description of the server
    Schema(schema::SchemaArgs),
    /// Create a new ruleset
    New(new::NewArgs),
    /// Run a match server
    Serve(Box<serve::ServeArgs>),
    /// Open the playground in the browser
    Dev(dev::DevArgs),
    /// Test a changed ruleset against running matches
    Migrate(migrate::MigrateArgs),
    /// Manage the accounts and matches of a server
    Admin(admin::AdminArgs),
    /// Copy the data of a server
    Store(store::StoreArgs),
    /// List the exit codes
    #[command(long_about = EXIT_CODES)]
    ExitCodes,
}

pub(crate) fn run(command: CliCommand, context: &mut Context) -> Result<ExitStatus, CliError> {
    match command {
        CliCommand::Check(check) => check.run(context),
        CliCommand::Fmt(fmt) => fmt.run(context),
        CliCommand::Lsp(lsp) => lsp.run(),
        CliCommand::Test(test) => test.run(context),
        CliCommand::Play(play) => play.run(context),
        CliCommand::Simulate(simulate) => simulate.run(context),
        CliCommand::Replay(replay) => replay.run(context),
        CliCommand::Verify(verify) => verify.run(context),
        CliCommand::Explain(explain) => explain.run(context),
        CliCommand::Schema(schema) => schema.run(context),
        CliCommand::New(new) => new.run(context),
        CliCommand::Serve(serve) => serve.run(context),
        CliCommand::Dev(dev) => dev.run(context),
        CliCommand::Migrate(migrate) => migrate.run(context),
        CliCommand::Admin(admin) => admin.run(context),
        CliCommand::Store(store) => store.run(context),
        CliCommand::ExitCodes => {
            context.out.line(EXIT_CODES);
            Ok(ExitStatus::Success)
        }
    }
}
