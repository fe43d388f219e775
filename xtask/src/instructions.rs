//! Counting the instructions of hot paths, so that nothing gets slower without anybody noticing.

use std::process::{Command, Stdio};

use crate::check::Verdict;
use crate::{cargo, root, succeeds, target};

/// Compares all counts with those that are kept, or keeps them instead.
pub(crate) fn run(flags: &[&str]) -> bool {
    match count(flags) {
        Verdict::LeftOut(why) => {
            println!("nothing was counted: {why}");
            false
        }
        verdict => verdict == Verdict::Fine,
    }
}

/// The same as a step of a check.
pub(crate) fn check() -> Verdict {
    count(&[])
}

fn count(flags: &[&str]) -> Verdict {
    if !cfg!(target_arch = "x86_64") {
        return Verdict::LeftOut("what is kept was counted on x86-64");
    }
    if !has_valgrind() && !install_valgrind() {
        return Verdict::LeftOut("no valgrind was found, and none could be installed");
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
