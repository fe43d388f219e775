//! Every example runs to its end and prints its result.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::path::Path;
use std::process::Command;

fn run(program: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(program).current_dir(root).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

#[test]
fn the_engine_can_be_embedded() {
    let printed = run(env!("CARGO_BIN_EXE_embed-the-engine"));
    assert!(printed.contains("the match is over after"), "{printed}");
}

#[test]
fn a_bot_that_looks_ahead_beats_a_random_one() {
    let printed = run(env!("CARGO_BIN_EXE_write-a-bot"));
    let wins: u64 = printed.split_whitespace().nth(3).and_then(|word| word.parse().ok()).unwrap();
    assert!(wins > 10, "{printed}");
}

#[test]
fn a_client_plays_a_match_over_the_websocket() {
    let printed = run(env!("CARGO_BIN_EXE_write-a-client"));
    assert!(printed.contains("the match is over"), "{printed}");
}

#[test]
fn services_run_on_a_custom_store() {
    let printed = run(env!("CARGO_BIN_EXE_custom-store"));
    assert!(printed.starts_with("three guests took 3 commits"), "{printed}");
}
