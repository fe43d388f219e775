//! The benchmarks that need npm packages: the engine against its targets, and match servers.
//!
//! The packages are installed into `benches/server/node_modules`, which git ignores.
//! Only these benchmarks install them, because no test needs them.

use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use crate::{cargo, root, succeeds, target};

/// Measures the engine and prints all its targets, or those of the named parts.
pub(crate) fn targets(parts: &[&str]) -> bool {
    let mut build = cargo();
    build.args(["build", "--profile", "benchmark", "--quiet", "--package", "intermezzo-benches"]);
    build.args(["--bin", "targets", "--bin", "intermezzo-benches"]);
    install_peers()
        && succeeds(&mut build)
        && succeeds(Command::new(target().join("benchmark/targets")).current_dir(root()).args(parts))
}

/// Compares the named servers, or all, under the same load.
pub(crate) fn servers(names: &[&str]) -> bool {
    install_peers() && succeeds(&mut build_server()) && succeeds(run_servers().args(names))
}

/// Measures how long others wait while matches with slow rules play. It needs no other servers.
pub(crate) fn slow_rules() -> bool {
    succeeds(&mut build_server()) && succeeds(run_servers().arg("slow-rules"))
}

/// Returns the command that builds our own server, which the benchmark expects beside itself.
fn build_server() -> Command {
    let mut command = cargo();
    command.args(["build", "--profile", "benchmark", "--quiet", "--package", "intermezzo-cli"]);
    command
}

fn run_servers() -> Command {
    let mut command = cargo();
    command.args([
        "run",
        "--profile",
        "benchmark",
        "--quiet",
        "--package",
        "intermezzo-benches",
        "--bin",
        "server",
        "--",
    ]);
    command
}

/// Measures the memory of many idle matches and connections. It needs no other servers.
pub(crate) fn idle() -> bool {
    succeeds(&mut build_server()) && succeeds(run_servers().arg("idle"))
}

/// Installs boardgame.io and Colyseus unless they are up to date.
fn install_peers() -> bool {
    let folder = root().join("benches/server");
    // npm writes the inner lock file last.
    let (required, installed) =
        (folder.join("package-lock.json"), folder.join("node_modules/.package-lock.json"));
    if modified(&installed) > modified(&required) {
        return true;
    }
    println!("── installing boardgame.io and Colyseus with npm");
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]);
    succeeds(npm.current_dir(folder))
}

/// Returns when a file was last written. `None`, for a missing file, is less than any time.
fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
