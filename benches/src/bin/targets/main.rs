//! Prints every target of the engine's speed with what was measured and what it was measured against, in one table.
//!
//! `cargo xtask bench` installs what it needs and runs it; with names of parts behind it (`twins`, `peers`, `copies`,
//! `long`, `threads`, `replay`, `memory`, `bots`) it runs only those. Noise only adds, so everything is timed in short rounds,
//! those that are compared in turns, and the fastest round counts. `others` is the part of both cores that somebody else took
//! meanwhile.

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

mod copies;
mod long;
mod memory;
mod peers;
mod playings;
mod replay;
mod rounds;
mod table;
mod threads;
mod versus;

use std::process::ExitCode;

use intermezzo_benches::machine::Spent;

use crate::table::Row;

/// As the server has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A part of the table by its name.
type Part = (&'static str, fn() -> Result<Vec<Row>, String>);

const PARTS: &[Part] = &[
    ("twins", versus::rows),
    ("peers", peers::rows),
    ("copies", copies::rows),
    ("long", long::rows),
    ("threads", threads::rows),
    ("replay", replay::rows),
    ("memory", memory::rows),
    ("bots", playings::rows),
];

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = names.iter().find(|name| PARTS.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
        println!("there is no part `{unknown}`; there are {}", known.join(", "));
        return ExitCode::FAILURE;
    }
    println!("{}", table::heading());
    let mut is_complete = true;
    for (name, measure) in
        PARTS.iter().filter(|(name, _)| names.is_empty() || names.iter().any(|n| n == name))
    {
        let before = spent();
        match measure() {
            Ok(rows) => {
                let others = spent().zip(before).map(|(now, before)| now.by_others_since(&before));
                rows.iter().for_each(|row| println!("{}", row.line(others)));
            }
            Err(problem) => {
                println!("{name}: not measured: {problem}");
                is_complete = false;
            }
        }
    }
    if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The processor time so far, where the system tells.
fn spent() -> Option<Spent> {
    Spent::until_now(&[std::process::id()]).ok()
}
