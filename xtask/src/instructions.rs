//! Instruction counts of hot paths, so that no slowdown goes unnoticed.

use std::process::{Command, Stdio};

use crate::check::StepResult;
use crate::{cargo, root, succeeds, target};

/// Compares all counts with the saved ones, or saves them with `--bless`.
pub(crate) fn run(flags: &[&str]) -> bool {
    match count(flags) {
        StepResult::Skipped(reason) => {
            println!("nothing was counted: {reason}");
            false
        }
        result => result == StepResult::Passed,
    }
}

/// Compares all counts, as a step of `cargo xtask check`.
pub(crate) fn check() -> StepResult {
    count(&[])
}

fn count(flags: &[&str]) -> StepResult {
    if !cfg!(target_arch = "x86_64") {
        return StepResult::Skipped("the saved counts are for x86-64");
    }
    if !has_valgrind() && !install_valgrind() {
        return StepResult::Skipped("valgrind is not installed and could not be installed");
    }
    let mut build = cargo();
    build.args(["build", "--quiet", "--profile", "instructions", "--package", "intermezzo-benches"]);
    build.args(["--no-default-features", "--bin", "instructions"]);
    let mut program = Command::new(target().join("instructions/instructions"));
    (succeeds(&mut build) && succeeds(program.current_dir(root()).args(flags))).into()
}

fn has_valgrind() -> bool {
    let mut version = Command::new("valgrind");
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

fn install_valgrind() -> bool {
    println!("── installing valgrind");
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--quiet", "--no-install-recommends", "valgrind"]);
    let installed = install.stdout(Stdio::null()).stderr(Stdio::null()).status();
    installed.is_ok_and(|status| status.success()) && has_valgrind()
}
