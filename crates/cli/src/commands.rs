//! The subcommands: one file each, with its arguments and what it does.

mod admin;
mod check;
mod dev;
mod explain;
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
use crate::failure::{EXIT_CODES, Exit, Failure};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Say everything that is wrong with rulesets
    Check(check::Check),
    /// Run the scenarios of rulesets
    Test(test::Test),
    /// Play a match in the terminal
    Play(play::Play),
    /// Play many random matches and count what comes of them
    Simulate(simulate::Simulate),
    /// Tell what happened in a saved match
    Replay(replay::Replay),
    /// Check that a saved match tells the truth
    Verify(verify::Verify),
    /// Say why an event of a saved match happened and what came of it
    Explain(explain::Explain),
    /// Print the JSON Schema of ruleset files, for editors, or a document of the server
    Schema(schema::Schema),
    /// Begin a new ruleset
    New(new::New),
    /// Run a match server
    Serve(Box<serve::Serve>),
    /// Work on a ruleset: a playground in the browser
    Dev(dev::Dev),
    /// Say what a changed ruleset would do to matches that are being played
    Migrate(migrate::Migrate),
    /// Look after what a server keeps
    Admin(admin::Admin),
    /// Take everything a server keeps from one place to another
    Store(store::Store),
    /// List the exit codes
    #[command(long_about = EXIT_CODES)]
    ExitCodes,
}

pub(crate) fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    match command {
        Command::Check(check) => check.run(context),
        Command::Test(test) => test.run(context),
        Command::Play(play) => play.run(context),
        Command::Simulate(simulate) => simulate.run(context),
        Command::Replay(replay) => replay.run(context),
        Command::Verify(verify) => verify.run(context),
        Command::Explain(explain) => explain.run(context),
        Command::Schema(schema) => schema.run(context),
        Command::New(new) => new.run(context),
        Command::Serve(serve) => serve.run(context),
        Command::Dev(dev) => dev.run(context),
        Command::Migrate(migrate) => migrate.run(context),
        Command::Admin(admin) => admin.run(context),
        Command::Store(store) => store.run(context),
        Command::ExitCodes => {
            context.out.line(EXIT_CODES);
            Ok(Exit::Fine)
        }
    }
}
