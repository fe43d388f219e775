//! The benchmarks that need packages from npm: of the engine against its targets, and of match servers.
//!
//! The packages go to `benches/server/node_modules`, which is not kept in the
//! repository. Nothing else installs them: no test needs them.

use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use crate::{cargo, root, succeeds, target};

/// Measures the engine beside what it is compared with and prints all its targets, or the parts of these names.
pub(crate) fn targets(parts: &[&str]) -> bool {
    let mut build = cargo();
    build.args(["build", "--release", "--quiet", "--package", "intermezzo-benches"]);
    build.args(["--bin", "targets", "--bin", "intermezzo-benches"]);
    has_peers()
        && succeeds(&mut build)
        && succeeds(Command::new(target().join("release/targets")).current_dir(root()).args(parts))
}

/// Compares the servers of these names, or all, under the same load.
pub(crate) fn servers(names: &[&str]) -> bool {
    has_peers() && succeeds(&mut build_server()) && succeeds(run_servers().args(names))
}

/// Our own server, which the benchmark looks for beside itself.
fn build_server() -> Command {
    let mut command = cargo();
    command.args(["build", "--release", "--quiet", "--package", "intermezzo-cli"]);
    command
}

fn run_servers() -> Command {
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "intermezzo-benches", "--bin", "server", "--"]);
    command
}

/// Installs boardgame.io and Colyseus, unless they are there already.
fn has_peers() -> bool {
    let folder = root().join("benches/server");
    // npm writes the inner one when it is done.
    let (wanted, installed) =
        (folder.join("package-lock.json"), folder.join("node_modules/.package-lock.json"));
    if changed(&installed) > changed(&wanted) {
        return true;
    }
    println!("── installing boardgame.io and Colyseus with npm");
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]);
    succeeds(npm.current_dir(folder))
}

/// When a file was last written. Nothing if there is none, which is before everything.
fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
