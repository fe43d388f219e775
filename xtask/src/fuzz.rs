//! Fuzzing with libFuzzer on the nightly toolchain, without other tools.
//!
//! `fuzz/` has the layout of `cargo fuzz`, which works there too; the flags below
//! are the same. The targets are in `testing/fuzz-targets`, whose test runs them
//! briefly on any toolchain.

use std::process::Command;

use crate::{root, succeeds};

const TARGETS: &[&str] = &["loader", "expressions", "inputs", "frames", "snapshots", "logs", "websocket"];

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

/// The build target. With an explicit one, cargo does not apply the flags to build scripts.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// Fuzzes each target for this many seconds. Inputs that make a target fail are saved in `fuzz/artifacts`.
pub(crate) fn fuzz(seconds: u32) -> bool {
    // All targets run, even after a failure.
    let failed = TARGETS.iter().filter(|target| !fuzz_one(target, seconds)).count();
    failed == 0
}

fn fuzz_one(target: &str, seconds: u32) -> bool {
    let folder = root().join("fuzz");
    // New inputs go to a separate folder, so that the committed corpus stays small.
    let (found, artifacts) = (folder.join("found").join(target), folder.join("artifacts").join(target));
    for path in [&found, &artifacts] {
        if let Err(error) = std::fs::create_dir_all(path) {
            println!("{}: {error}", path.display());
            return false;
        }
    }
    println!("── fuzzing {target} for {seconds} s");
    // Through rustup, because the cargo that runs this program belongs to another toolchain.
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
