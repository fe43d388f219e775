//! Prints one table of all performance targets with measurement and baseline.
//!
//! `cargo xtask bench` installs the dependencies and runs this program; arguments select parts (`twins`, `peers`,
//! `copies`, `long`, `threads`, `replay`, `memory`, `large`, `bots`). Noise only adds time, so everything is timed in short rounds,
//! compared measurements alternate, and the fastest round counts. *Other load* is the share of both cores that other
//! processes used during the measurement.

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

mod copies;
mod large_rulesets;
mod long_match;
mod memory;
mod peers;
mod playouts;
mod replay;
mod rounds;
mod table;
mod threads;
mod twin_ratios;

use std::process::ExitCode;

use intermezzo_benches::cpu_time::CpuTime;

use crate::table::Row;

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A part of the table by its name.
type Part = (&'static str, fn() -> Result<Vec<Row>, String>);

const PARTS: &[Part] = &[
    ("twins", twin_ratios::rows),
    ("peers", peers::rows),
    ("copies", copies::rows),
    ("long", long_match::rows),
    ("threads", threads::rows),
    ("replay", replay::rows),
    ("memory", memory::rows),
    ("large", large_rulesets::rows),
    ("bots", playouts::rows),
];

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = names.iter().find(|name| PARTS.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
        println!("unknown part `{unknown}`; the parts are {}", known.join(", "));
        return ExitCode::FAILURE;
    }
    println!("{}", table::heading());
    let mut is_complete = true;
    for (name, measure) in
        PARTS.iter().filter(|(name, _)| names.is_empty() || names.iter().any(|n| n == name))
    {
        let before = cpu_time();
        match measure() {
            Ok(rows) => {
                let other_load = cpu_time().zip(before).map(|(now, before)| now.by_others_since(&before));
                rows.iter().for_each(|row| println!("{}", row.line(other_load)));
            }
            Err(problem) => {
                println!("{name}: not measured: {problem}");
                is_complete = false;
            }
        }
    }
    if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the processor time used until now, or `None` if `/proc` cannot be read.
fn cpu_time() -> Option<CpuTime> {
    CpuTime::until_now(&[std::process::id()]).ok()
}
