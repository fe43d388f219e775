//! Installation of PostgreSQL, NATS and nginx, which the tests start if they are installed.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::check::StepResult;

/// Installs them if necessary. Skipped if that is impossible.
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
    let has_nats = has("nats-server") || install("nats-server") && has("nats-server");
    if !has_nats {
        return StepResult::Skipped(
            "NATS is not installed and could not be installed: in the tests, servers poll the store instead",
        );
    }
    let has_nginx = has("nginx") || install("nginx-light") && has("nginx");
    if !has_nginx {
        return StepResult::Skipped(
            "nginx is not installed and could not be installed: the browser tests behind it are skipped",
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

/// Servers are often installed in folders that are not on every user's path.
fn has(server: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/bin".into()]);
    folders.map(|folder| folder.join(server)).any(|program| program.is_file())
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
