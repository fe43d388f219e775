//! The Python package: installed from the checkout into an environment of its own, and tried there.
//!
//! It is a workspace of its own, so its format and lints are looked at here, too.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::check::Verdict;
use crate::{cargo, root, succeeds, target};

/// What builds the package. It is here before the package is, so that nothing has to be fetched to build it.
const BUILDER: &str = "maturin==1.16.0";

/// Checks the package as CI does.
pub(crate) fn check() -> Verdict {
    let Some(python) = environment() else {
        return Verdict::LeftOut("it cannot be installed: Python 3 with venv and a way to PyPI are needed");
    };
    (is_tidy() && install(&python) && succeeds(&mut pytest(&python))).into()
}

/// A Python with what builds the package.
fn environment() -> Option<PathBuf> {
    let folder = target().join("python-venv");
    let python = folder.join("bin/python");
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv"]).arg(&folder);
    if !python.exists() && !succeeds(&mut venv) {
        return None;
    }
    succeeds(&mut pip(&python, &[BUILDER])).then_some(python)
}

fn pip(python: &Path, arguments: &[&str]) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(arguments);
    // What Cargo makes of it stays between runs.
    pip.current_dir(root()).env("CARGO_TARGET_DIR", target().join("python"));
    pip
}

fn install(python: &Path) -> bool {
    let mut path = std::ffi::OsString::from(python.parent().unwrap_or(python));
    if let Some(others) = std::env::var_os("PATH") {
        path.push(":");
        path.push(others);
    }
    succeeds(pip(python, &["--no-build-isolation", "./python[test]"]).env("PATH", path))
}

/// Format and lints of the part that is written in Rust.
fn is_tidy() -> bool {
    let manifest = ["--manifest-path", "python/Cargo.toml"];
    let mut clippy = cargo();
    clippy.args(["clippy", "--quiet", "--locked"]).args(manifest).args(["--", "--deny", "warnings"]);
    clippy.env("CARGO_TARGET_DIR", target().join("python"));
    succeeds(cargo().arg("fmt").args(manifest).arg("--check")) && succeeds(&mut clippy)
}

fn pytest(python: &Path) -> Command {
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "-p", "no:cacheprovider"]).current_dir(root().join("python"));
    pytest.env("PYTHONDONTWRITEBYTECODE", "1");
    pytest
}
