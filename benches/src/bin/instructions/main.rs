//! Counts the processor instructions of hot paths and compares them with `benches/instructions.toml`.
//!
//! `cargo xtask instructions` builds and runs this program, as does every check; `--bless` saves the counts. Times depend
//! on the machine and its other load, counts do not: `valgrind` simulates the same processor everywhere. Start with
//! [`hot_paths`].

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

mod baselines;
mod callgrind;
mod hot_paths;
mod served_match;

use std::process::ExitCode;

use crate::baselines::Baselines;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        [] => callgrind::count().and_then(|counts| Baselines::load()?.compare(&counts)),
        ["--bless"] => callgrind::count().and_then(|counts| Baselines::new(counts).save()),
        ["run", name] => run(name),
        _ => Err("usage: instructions [--bless]".to_owned()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            println!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a hot path, under `valgrind`, and prints only its number of repetitions.
fn run(name: &str) -> Result<bool, String> {
    let repetitions = hot_paths::run(name).ok_or_else(|| format!("unknown hot path `{name}`"))?;
    println!("{repetitions}");
    Ok(true)
}
