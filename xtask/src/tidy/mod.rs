//! `cargo xtask tidy`: checks of the repository as a whole that need no build.
//!
//! Each check returns its problems, one sentence each with its location. Counts that may only
//! fall are saved in `xtask/tidy.toml`; `cargo xtask tidy --bless` lowers them.

mod baseline;
mod excerpts;
mod layering;
mod licences;
mod links;
mod names;
mod sources;
mod threats;
mod words;

use crate::root;

type Check = (&'static str, fn() -> Vec<String>);

const CHECKS: &[Check] = &[
    ("crates use only what the architecture page allows", layering::check_dependencies),
    ("the pure crates are pure and the engine knows no game", layering::check_purity),
    ("dependencies follow deny.toml", licences::check),
    ("type names are unique", names::check),
    ("doc comments and documents use plain words", words::check),
    ("links in documents resolve", links::check),
    ("quoted lines are in the quoted files", excerpts::check),
    ("every threat names an existing test", threats::check),
];

/// Runs all checks and prints their problems. Returns true if none has any.
pub(crate) fn run(flags: &[&str]) -> bool {
    match flags {
        [] => {}
        ["--bless"] => return baseline::bless(&[names::COUNT, words::OPENINGS, words::WORDS]),
        _ => {
            println!("usage: cargo xtask tidy [--bless]");
            return false;
        }
    }
    let mut is_tidy = true;
    for (title, check) in CHECKS {
        let problems = check();
        if problems.is_empty() {
            println!("ok      {title}");
            continue;
        }
        is_tidy = false;
        println!("FAILED  {title}");
        for problem in problems {
            println!("        {problem}");
        }
    }
    is_tidy
}

/// Reads a file of the repository. A missing file reads as empty: the check that needs it then fails.
fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_default()
}
