//! Chores: `cargo xtask check` is what CI runs; the others are below.
//!
//! | command | does |
//! |---|---|
//! | `serve [flags]` | builds the page and the server, and runs it; the flags are those of `intermezzo serve` |
//! | `check [steps]` | format, lints, layering, PostgreSQL and NATS for the tests, tests, dependencies by cargo-deny if it is installed, requests made up by schemathesis, the Python package, instructions of hot paths, documentation, the page, the page in a browser |
//! | `page` | only builds the page |
//! | `pictures` | takes the README's pictures of the page anew |
//! | `types` | writes the types of the wire for the page from the server's documents |
//! | `bless` | writes what happens into the scenario files |
//! | `schemathesis` | tries a server with requests made up from its document |
//! | `siege [--kills N] [--matches N] [--servers N] [--seed N]` | kills a server again and again while it is played on; with several, also their database and NATS |
//! | `fuzz [seconds]` | fuzzes everything that takes bytes from outside, each so long (60); what makes one fail belongs into `fuzz/corpus` |
//! | `bench [parts]` | measures the engine beside twins and peers, and prints which targets it meets |
//! | `instructions [--bless]` | counts the instructions of hot paths and compares them with those that are kept |
//! | `bench-server [names]` | installs other match servers with npm and compares them under the same load |

#![allow(clippy::print_stdout, reason = "a command talks to whoever called it")]

mod bench;
mod check;
mod fuzz;
mod instructions;
mod page;
mod python;
mod schemathesis;
mod services;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_fine = match words[..] {
        ["serve", ref flags @ ..] => page::serve(flags),
        ["check", ref steps @ ..] => check::run(steps),
        ["page"] => page::build(),
        ["types"] => page::types(),
        ["pictures"] => page::pictures(),
        ["bless"] => bless(),
        ["schemathesis"] => schemathesis::build_and_run(),
        ["fuzz"] => fuzz::fuzz(60),
        ["fuzz", seconds] if seconds.parse::<u32>().is_ok() => fuzz::fuzz(seconds.parse().unwrap_or(60)),
        ["bench", ref parts @ ..] => bench::targets(parts),
        ["bench-server", ref names @ ..] => bench::servers(names),
        ["instructions", ref flags @ ..] => instructions::run(flags),
        ["siege", ref flags @ ..] => siege(flags),
        _ => {
            println!(
                "usage: cargo xtask serve [flags] | check [steps] | page | pictures | types | bless | schemathesis | fuzz [seconds] | bench [parts] | bench-server [names] | instructions [--bless] | siege [--kills N] [--matches N] [--servers N] [--seed N]"
            );
            false
        }
    };
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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

/// Builds the program as it is used, and lays siege to it.
fn siege(flags: &[&str]) -> bool {
    let build =
        ["build", "--quiet", "--release", "--package", "intermezzo-cli", "--package", "intermezzo-siege"];
    if !succeeds(cargo().args(build)) {
        return false;
    }
    let release = target().join("release");
    let mut siege = Command::new(release.join("siege"));
    succeeds(siege.arg(release.join("intermezzo")).arg(target().join("siege")).args(flags))
}

/// Where build results go.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.to_owned(), Path::to_owned)
}

/// The cargo that runs this, in the workspace's folder.
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
