//! The benchmark of match servers, with the peers it needs from npm.
//!
//! They go to `benches/server/node_modules`, which is not kept in the
//! repository. Nothing else installs them: no test needs them.

use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use crate::{cargo, root, succeeds};

/// Installs the peers if that is needed, and compares the servers of these names, or all.
pub(crate) fn compare(names: &[&str]) -> bool {
    is_installed() && succeeds(&mut build()) && succeeds(run().args(names))
}

/// Our own server, which the benchmark looks for beside itself.
fn build() -> Command {
    let mut command = cargo();
    command.args(["build", "--release", "--quiet", "--package", "intermezzo-cli"]);
    command
}

fn run() -> Command {
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "intermezzo-benches", "--bin", "server", "--"]);
    command
}

fn is_installed() -> bool {
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
