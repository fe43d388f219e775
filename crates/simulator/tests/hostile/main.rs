//! Hostile rulesets cause a diagnostic or a typed fault in bounded time and memory, and never a panic.

mod files;
mod floods;
mod loops;
mod places;
mod rules;

use std::sync::mpsc;
use std::time::Duration;

use intermezzo_compiler::{Compilation, Ruleset, render, to_json};

/// Time limit: far more than any test here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a function in its own thread, and fails if it exceeds the time limit.
pub(crate) fn in_time<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = mpsc::channel();
    let worker = std::thread::Builder::new().name(what.to_owned());
    let handle = worker.spawn(move || send.send(work())).expect("threads can be started");
    match receive.recv_timeout(PATIENCE) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("{what} does not end"),
        Err(mpsc::RecvTimeoutError::Disconnected) => match handle.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(_) => panic!("{what} gave no result"),
        },
    }
}

/// Compiles a file and renders its diagnostics as text and JSON.
pub(crate) fn compile(name: &str, bytes: &[u8]) -> Compilation {
    let ruleset = Ruleset::from_files(&[(name.to_owned(), bytes.to_vec())]);
    let compiled = ruleset.compile();
    render(&compiled.diagnostics, ruleset.sources(), true);
    to_json(&compiled.diagnostics, ruleset.sources());
    compiled
}

/// Returns the distinct diagnostic codes of a file.
pub(crate) fn codes(compiled: &Compilation) -> Vec<&'static str> {
    let mut codes: Vec<&str> = compiled.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Header of every ruleset here.
pub(crate) const HEAD: &str =
    "ir: 1\nruleset: {id: hostile, version: 0.1.0, name: Hostile}\nplayers: {seats: 1}\n";
