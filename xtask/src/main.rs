//! Tasks of the repository: `cargo xtask check` is what CI runs.
//!
//! | command | effect |
//! |---|---|
//! | `serve [flags]` | builds the page and the server and runs it; takes the flags of `intermezzo serve` |
//! | `check [steps]` | runs every check CI runs, or the named steps |
//! | `tidy [--bless]` | checks the repository as a whole: layering, purity, licences, names, words, links, excerpts |
//! | `dist` | builds the page and an optimised, stripped server for distribution |
//! | `image` | runs the build commands of the Dockerfile in a clean folder and starts the result |
//! | `page` | builds only the page |
//! | `pictures` | retakes the README's pictures of the page |
//! | `types` | regenerates the SDK's wire types from the server's documents |
//! | `bless` | writes the events that happen into the scenario files |
//! | `schemathesis` | sends generated requests to a server |
//! | `crash-test [--kills N] [--matches N] [--servers N] [--seed N]` | kills a server repeatedly while clients play; with several servers, also their database and NATS |
//! | `fuzz [seconds]` | fuzzes every entry point for bytes from outside, each for 60 seconds by default; add failing inputs to `fuzz/corpus` |
//! | `bench [parts]` | measures the engine against hand-written games and other engines, and prints which targets it meets |
//! | `instructions [--bless]` | counts the instructions of hot paths and compares them with the saved counts |
//! | `bench-server [names]` | installs other match servers with npm and compares them under the same load |
//! | `bench-server idle` | measures the memory of 100,000 idle matches and 10,000 idle connections |
//! | `bench-server slow-rules` | measures how long others wait while a guest plays matches with slow rules |

#![allow(clippy::print_stdout, reason = "a command prints to its caller")]

mod bench;
mod check;
mod deny;
mod fuzz;
mod image;
mod instructions;
mod page;
mod python;
mod schemathesis;
mod services;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  serve [flags]          build the page and the server and run it
  check [steps]          run every check CI runs, or the named steps
  tidy [--bless]         check the repository as a whole
  dist                   build an optimised, stripped server with the page
  image                  run the Dockerfile's build commands in a clean folder
  page                   build only the page
  pictures               retake the README's pictures
  types                  regenerate the SDK's wire types
  bless                  write the events that happen into the scenario files
  schemathesis           send generated requests to a server
  crash-test [flags]     kill servers while clients play: --kills N --matches N --servers N --seed N
  fuzz [seconds]         fuzz every entry point (60 seconds each)
  bench [parts]          measure the engine against its targets
  bench-server [names]   compare match servers under the same load
  bench-server idle      measure the memory of idle matches and connections
  bench-server slow-rules
                         measure how long others wait for matches with slow rules
  instructions [--bless] count the instructions of hot paths
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let has_succeeded = match words[..] {
        ["serve", ref flags @ ..] => page::serve(flags),
        ["check", ref steps @ ..] => check::run(steps),
        ["page"] => page::build(),
        ["dist"] => page::dist(),
        ["image"] => image::build_all(),
        ["types"] => page::types(),
        ["pictures"] => page::pictures(),
        ["tidy", ref flags @ ..] => tidy::run(flags),
        ["bless"] => bless(),
        ["schemathesis"] => schemathesis::build_and_run(),
        ["fuzz"] => fuzz::fuzz(60),
        ["fuzz", seconds] if seconds.parse::<u32>().is_ok() => fuzz::fuzz(seconds.parse().unwrap_or(60)),
        ["bench", ref parts @ ..] => bench::targets(parts),
        ["bench-server", "idle"] => bench::idle(),
        ["bench-server", "slow-rules"] => bench::slow_rules(),
        ["bench-server", ref names @ ..] => bench::servers(names),
        ["instructions", ref flags @ ..] => instructions::run(flags),
        ["crash-test", ref flags @ ..] => crash_test(flags),
        _ => {
            print!("{USAGE}");
            false
        }
    };
    if has_succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn bless() -> bool {
    succeeds(cargo().args([
        "run",
        "--quiet",
        "--package",
        "intermezzo-cli",
        "--",
        "test",
        "rulesets",
        "--bless",
    ]))
}

/// Builds a release server and runs the crash test on it.
fn crash_test(flags: &[&str]) -> bool {
    let build = [
        "build",
        "--quiet",
        "--release",
        "--package",
        "intermezzo-cli",
        "--package",
        "intermezzo-crash-test",
    ];
    if !succeeds(cargo().args(build)) {
        return false;
    }
    let release = target().join("release");
    let mut program = Command::new(release.join("crash-test"));
    succeeds(program.arg(release.join("intermezzo")).arg(target().join("crash-test")).args(flags))
}

/// Returns the folder of build results.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// Returns the root folder of the repository.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.to_owned(), Path::to_owned)
}

/// Returns the cargo that runs this program, with the repository as its working directory.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

fn succeeds(command: &mut Command) -> bool {
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            println!("{}: {error}", command.get_program().to_string_lossy());
            false
        }
    }
}
