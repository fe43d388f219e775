//! Installation of PostgreSQL and NATS, which the tests start if they are installed.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::check::StepResult;

/// Installs both if necessary. Skipped if that is impossible.
pub(crate) fn check() -> StepResult {
    let has_url = std::env::var_os("INTERMEZZO_TEST_POSTGRES").is_some();
    let has_postgres =
        has_url || has_postgres_installed() || install("postgresql") && has_postgres_installed();
    if !has_postgres {
        return StepResult::Skipped(
            "PostgreSQL is not installed and could not be installed: the tests of its store and the crash test of several \
             servers pass without running",
        );
    }
    let has_nats_installed = has_nats() || install("nats-server") && has_nats();
    if !has_nats_installed {
        return StepResult::Skipped(
            "NATS is not installed and could not be installed: in the tests, servers poll the store instead",
        );
    }
    StepResult::Passed
}

fn has_postgres_installed() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    versions.map(|version| version.path()).any(|version| has_programs(&version))
}

fn has_programs(version: &Path) -> bool {
    version.join("bin/initdb").is_file() && version.join("bin/postgres").is_file()
}

fn has_nats() -> bool {
    Path::new("/usr/sbin/nats-server").is_file()
        || Path::new("/usr/bin/nats-server").is_file()
        || on_path("nats-server")
}

fn on_path(program: &str) -> bool {
    let mut version = Command::new(program);
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

fn install(package: &str) -> bool {
    println!("── installing {package}");
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--quiet", "--no-install-recommends", package]);
    // No questions, and no server started after the installation.
    install.env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1");
    let installed = install.stdout(Stdio::null()).stderr(Stdio::null()).status();
    installed.is_ok_and(|status| status.success())
}
