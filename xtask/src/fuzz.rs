//! Fuzzing with libFuzzer on the nightly toolchain, without further tools.
//!
//! `fuzz/` has the layout `cargo fuzz` expects, so that works there too; the
//! flags below are the ones it would pass. What the targets do is in
//! `crates/fuzzing`, whose test runs them for a moment on any toolchain.

use std::process::Command;

use crate::{root, succeeds};

const TARGETS: &[&str] = &["loader", "expressions", "inputs", "frames", "snapshots", "logs"];

/// Coverage counters for libFuzzer, and the address sanitizer.
const FLAGS: &[&str] = &[
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Zsanitizer=address",
    "-Cdebug-assertions",
    "-Coverflow-checks",
];

/// What the build is for: a named target keeps the flags away from build scripts.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// Fuzzes each target for so many seconds; what makes one fail is kept in `fuzz/artifacts`.
pub(crate) fn fuzz(seconds: u32) -> bool {
    // All of them, even if one has found something.
    let found = TARGETS.iter().filter(|target| !fuzz_one(target, seconds)).count();
    found == 0
}

fn fuzz_one(target: &str, seconds: u32) -> bool {
    let folder = root().join("fuzz");
    // What is found goes to a folder of its own: the committed cases stay few and small.
    let (found, artifacts) = (folder.join("found").join(target), folder.join("artifacts").join(target));
    for needed in [&found, &artifacts] {
        if let Err(error) = std::fs::create_dir_all(needed) {
            println!("{}: {error}", needed.display());
            return false;
        }
    }
    println!("── fuzzing {target} for {seconds} s");
    // Through rustup: the cargo that runs this belongs to another toolchain.
    let mut run = Command::new("rustup");
    run.args([
        "run",
        "nightly",
        "cargo",
        "run",
        "--quiet",
        "--release",
        "--target",
        TRIPLE,
        "--bin",
        target,
        "--",
    ]);
    run.arg(found).arg(folder.join("corpus").join(target));
    run.arg(format!("-max_total_time={seconds}"));
    run.arg(format!("-artifact_prefix={}/", artifacts.display()));
    run.args(["-timeout=10", "-rss_limit_mb=2048", "-max_len=65536", "-print_final_stats=1"]);
    run.current_dir(&folder).env("RUSTFLAGS", FLAGS.join(" "));
    for variable in ["CARGO", "RUSTUP_TOOLCHAIN", "CARGO_ENCODED_RUSTFLAGS"] {
        run.env_remove(variable);
    }
    succeeds(&mut run)
}
