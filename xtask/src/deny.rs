//! Licences, sources, banned crates and security advisories of all dependencies, checked with cargo-deny.
//!
//! cargo-deny is installed if it is missing. Without optimisation that takes a minute of processor time once, and
//! checking takes a second. No package registry offers a current binary: the one on PyPI is from 2023 and cannot read
//! `deny.toml`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::check::StepResult;
use crate::{cargo, root, succeeds, target};

const VERSION: &str = "0.20.2";

pub(crate) fn check() -> StepResult {
    let Some(program) = find().or_else(install) else {
        return StepResult::Skipped(
            "cargo-deny could not be installed; tidy has checked licences, sources and bans",
        );
    };
    if !succeeds(cargo_deny(&program).args(["--locked", "check", "bans", "licenses", "sources"])) {
        return StepResult::Failed;
    }
    if !succeeds(cargo_deny(&program).args(["fetch", "db"])) {
        return StepResult::Skipped(
            "licences, sources and bans passed; advisories were not checked because their database on GitHub cannot be \
             fetched",
        );
    }
    // Offline, because the database has just been fetched.
    succeeds(cargo_deny(&program).args(["--locked", "--offline", "check", "advisories"])).into()
}

fn cargo_deny(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Returns the installed program: the user's, or the one from an earlier run.
fn find() -> Option<PathBuf> {
    ["cargo-deny".into(), folder().join("bin/cargo-deny")].into_iter().find(|program: &PathBuf| {
        let mut version = Command::new(program);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    })
}

fn install() -> Option<PathBuf> {
    println!("── installing cargo-deny {VERSION}");
    let build = folder().join("build");
    let mut install = cargo();
    install.args(["install", "cargo-deny", "--version", VERSION, "--locked", "--debug", "--quiet"]);
    install.arg("--root").arg(folder()).arg("--target-dir").arg(&build).env("CARGO_PROFILE_DEV_DEBUG", "0");
    let is_installed = succeeds(&mut install);
    // The intermediate files are much larger than the program.
    let _ = std::fs::remove_dir_all(build);
    is_installed.then(|| folder().join("bin/cargo-deny"))
}

fn folder() -> PathBuf {
    target().join(format!("cargo-deny-{VERSION}"))
}
