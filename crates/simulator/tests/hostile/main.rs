//! Rulesets that mean harm: a diagnostic or a typed fault, in bounded time and memory, and never a panic.

mod files;
mod floods;
mod loops;
mod places;
mod rules;

use std::sync::mpsc;
use std::time::Duration;

use intermezzo_compiler::{Compiled, Ruleset, render, to_json};

/// Far more than anything here takes, far less than a hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs something in a thread of its own and gives up on it when it hangs.
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

/// Compiles a file and shows its diagnostics in every way there is.
pub(crate) fn compile(name: &str, bytes: &[u8]) -> Compiled {
    let ruleset = Ruleset::from_files(&[(name.to_owned(), bytes.to_vec())]);
    let compiled = ruleset.compile();
    render(&compiled.diagnostics, ruleset.sources(), true);
    to_json(&compiled.diagnostics, ruleset.sources());
    compiled
}

/// The codes of the diagnostics for a file, each once.
pub(crate) fn codes(compiled: &Compiled) -> Vec<&'static str> {
    let mut codes: Vec<&str> = compiled.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// The beginning of every ruleset here.
pub(crate) const HEAD: &str =
    "ir: 1\nruleset: {id: hostile, version: 0.1.0, name: Hostile}\nplayers: {seats: 1}\n";
