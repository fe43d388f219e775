//! PostgreSQL and NATS for the tests, which start them themselves as soon as they are installed.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::check::Verdict;

/// Makes sure that they are installed, or says what is left out.
pub(crate) fn check() -> Verdict {
    let is_given = std::env::var_os("INTERMEZZO_TEST_POSTGRES").is_some();
    let has_postgres = is_given || is_installed() || install("postgresql") && is_installed();
    if !has_postgres {
        return Verdict::LeftOut(
            "no PostgreSQL was found, and none could be installed: the tests of the store in it pass without trying it, and no \
             siege is laid to several servers",
        );
    }
    let can_wake = has_nats() || install("nats-server") && has_nats();
    if !can_wake {
        return Verdict::LeftOut(
            "no NATS was found, and none could be installed: servers find out about each other by looking",
        );
    }
    Verdict::Fine
}

fn is_installed() -> bool {
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
    // Nothing is asked, and no server is started that nobody needs.
    install.env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1");
    let installed = install.stdout(Stdio::null()).stderr(Stdio::null()).status();
    installed.is_ok_and(|status| status.success())
}
