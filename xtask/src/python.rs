//! The Python package: installed from the checkout into a virtual environment and tested there.
//!
//! The package is a separate cargo workspace, so its format and lints are checked here too.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::check::StepResult;
use crate::{cargo, root, succeeds, target};

/// The build tool, installed before the package, so that building the package downloads nothing.
const BUILDER: &str = "maturin==1.16.0";

/// Checks the package as CI does.
pub(crate) fn check() -> StepResult {
    let Some(python) = create_environment() else {
        return StepResult::Skipped("not installable: needs Python 3 with venv, and access to PyPI");
    };
    (check_rust() && install(&python) && succeeds(&mut pytest(&python))).into()
}

/// Creates a virtual environment with the build tool. Returns its Python.
fn create_environment() -> Option<PathBuf> {
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
    // A fixed target folder lets cargo reuse its build between runs.
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

/// Checks format and lints of the Rust part.
fn check_rust() -> bool {
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
