//! A PostgreSQL for the tests, which start it themselves as soon as it is installed.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::check::Verdict;

/// Makes sure that it is installed, or says what is left out.
pub(crate) fn check() -> Verdict {
    if std::env::var_os("INTERMEZZO_TEST_POSTGRES").is_some() || is_installed() || install() {
        return Verdict::Fine;
    }
    Verdict::LeftOut(
        "no PostgreSQL was found, and none could be installed: the tests of the store in it pass without trying it",
    )
}

fn is_installed() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    versions.map(|version| version.path()).any(|version| has_programs(&version))
}

fn has_programs(version: &Path) -> bool {
    version.join("bin/initdb").is_file() && version.join("bin/postgres").is_file()
}

fn install() -> bool {
    println!("── installing PostgreSQL");
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--quiet", "--no-install-recommends", "postgresql"]);
    // Nothing is asked, and no server is started that nobody needs.
    install.env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1");
    let installed = install.stdout(Stdio::null()).stderr(Stdio::null()).status();
    installed.is_ok_and(|status| status.success()) && is_installed()
}
