//! Entry point of the `intermezzo` command.
//!
//! [`commands`] has one file per subcommand. All output goes through [`out`], and every exit code other
//! than 0
//! comes from [`failure`].

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

use crate::commands::CliCommand;
use crate::failure::EXIT_CODES;
use crate::out::Out;

/// mimalloc, because the server often frees memory on another thread than the one that allocated it. The
/// system allocator is slow at that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ABOUT: &str =
    "Games as data: check, test, play and simulate rulesets, replay matches, run a match server";

const EXAMPLES: &str = "\
Examples:
  intermezzo check rulesets/orcain          check a ruleset for errors
  intermezzo test                           run the scenarios of all rulesets
  intermezzo play orcain --seed 7           play against a random bot in the terminal
  intermezzo simulate orcain -n 10000       play many matches and report statistics
  intermezzo verify match.json              check a saved match against the rules
  intermezzo new my-game                    create a ruleset
  intermezzo dev my-game                    open the playground in the browser
  intermezzo serve                          run a match server (HTTP and WebSocket)

A ruleset is given as a folder, a file, or a bare name such as `orcain`: a folder in `rulesets`,
or one of the rulesets built into this program.";

#[derive(Parser)]
#[command(name = "intermezzo", version, about = ABOUT, after_help = EXAMPLES, propagate_version = true)]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: CliCommand,
}

/// Flags of every subcommand.
#[derive(clap::Args)]
struct GlobalArgs {
    /// Folder in which rulesets given by a bare name are looked up, and whose rulesets `serve` offers
    /// [default: rulesets]
    #[arg(long, global = true, value_name = "DIR", env = "INTERMEZZO_RULESETS")]
    rulesets: Option<PathBuf>,
    /// When to use colours; NO_COLOR is respected
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

/// State shared by all commands.
pub(crate) struct Context {
    pub(crate) out: Out,
    /// Folder in which rulesets given by a bare name are looked up.
    pub(crate) rulesets: PathBuf,
    /// True if the folder was chosen by a flag or the environment.
    pub(crate) has_chosen_rulesets: bool,
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
    let has_chosen_rulesets = cli.global.rulesets.is_some();
    let rulesets = cli.global.rulesets.unwrap_or_else(|| PathBuf::from("rulesets"));
    let mut context = Context { out: Out::new(), rulesets, has_chosen_rulesets };
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
