//! The `intermezzo` command: check, test, play, simulate, replay and explain rulesets; serve matches.
//!
//! Start with [`commands`]: one file for each subcommand. [`out`] is the only
//! way to the terminal, [`failure`] the only way to an exit code other than 0.

mod bundled;
mod commands;
mod failure;
mod library;
mod out;
mod play;
mod saved;
mod setup;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};

use crate::commands::Command;
use crate::failure::EXIT_CODES;
use crate::out::Out;

const ABOUT: &str =
    "Games as data: check rulesets, test them, play them, simulate and replay matches, serve them";

const EXAMPLES: &str = "\
Examples:
  intermezzo check rulesets/orcain          what is wrong with a ruleset, if anything
  intermezzo test                           run the scenarios of all rulesets
  intermezzo play orcain --seed 7           play against chance, here in the terminal
  intermezzo simulate orcain -n 10000       how fair and how long are random matches?
  intermezzo verify match.json              does a saved match tell the truth?
  intermezzo new my-game                    begin a ruleset of your own
  intermezzo dev my-game                    work on it: an editor and a match to try things with
  intermezzo serve                          a match server: HTTP and WebSocket

A ruleset is named by its folder or file, or by a bare name such as `orcain`: a folder below
`rulesets`, or one of those that come with this program.";

#[derive(Parser)]
#[command(name = "intermezzo", version, about = ABOUT, after_help = EXAMPLES, propagate_version = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// What every subcommand takes.
#[derive(clap::Args)]
struct Global {
    /// Where rulesets given by a bare name are looked for
    #[arg(long, global = true, value_name = "DIR", env = "INTERMEZZO_RULESETS", default_value = "rulesets")]
    rulesets: PathBuf,
    /// When to use colours; NO_COLOR is respected, too
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    color: Color,
}

#[derive(Clone, Copy, ValueEnum)]
enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What commands work with.
pub(crate) struct Context {
    pub(crate) out: Out,
    /// Where rulesets given by a bare name are looked for.
    pub(crate) rulesets: PathBuf,
}

fn main() -> ExitCode {
    let command = Cli::command().after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"));
    let cli = match Cli::from_arg_matches(&command.get_matches()) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    match cli.global.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    let mut context = Context { out: Out::new(), rulesets: cli.global.rulesets };
    let outcome = commands::run(cli.command, &mut context);
    let outcome = outcome.and_then(|exit| context.out.finish().map(|()| exit));
    match outcome {
        Ok(exit) => exit.into(),
        Err(failure) => {
            context.out.failure(&failure);
            failure.exit.into()
        }
    }
}
