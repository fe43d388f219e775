//! Counts the processor's instructions that hot paths take, and compares them with what `benches/instructions.toml` says.
//!
//! `cargo xtask instructions` builds and runs it, as does every check; `--bless` writes what was counted. Times depend on the
//! machine and on who else uses it, counts do not: `valgrind` pretends to be the same processor everywhere. Start with [`hot`] for
//! what is counted.

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

mod baselines;
mod callgrind;
mod hot;

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

/// What is run under `valgrind`: a hot path, and nothing printed but how often it did what it does.
fn run(name: &str) -> Result<bool, String> {
    let times = hot::run(name).ok_or_else(|| format!("there is no hot path `{name}`"))?;
    println!("{times}");
    Ok(true)
}
