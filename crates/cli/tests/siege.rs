//! The real server, killed while it is played on. The whole siege is `cargo xtask siege`.

use std::path::{Path, PathBuf};

use intermezzo_siege::{Plan, lay};

#[test]
fn a_server_that_is_killed_again_and_again_loses_nothing() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("siege");
    let program = PathBuf::from(env!("CARGO_BIN_EXE_intermezzo"));
    let plan = Plan { kills: 6, matches: 6, ..Plan::new(program, folder) };
    let report = lay(&plan).expect("the program was built");
    assert!(report.is_fine(), "\n{report}");
    assert_eq!(report.kills, 6);
    assert!(report.found.acknowledged > 50 && report.found.reopened > 0 && report.streams > 0, "\n{report}");
}

#[test]
#[allow(clippy::print_stderr, reason = "tests are left out aloud")]
fn servers_on_one_database_lose_nothing_whatever_dies() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("siege-of-several");
    let program = PathBuf::from(env!("CARGO_BIN_EXE_intermezzo"));
    let plan = Plan { kills: 5, matches: 5, servers: 3, ..Plan::new(program, folder) };
    let report = match lay(&plan) {
        Ok(report) => report,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return eprintln!("left out: {error}");
        }
        Err(error) => panic!("{error}"),
    };
    assert!(report.is_fine(), "\n{report}");
    assert_eq!(report.strikes.values().sum::<usize>(), 5);
    assert!(report.strikes.contains_key("standby promoted"), "\n{report}");
    assert!(report.found.acknowledged > 30 && report.streams > 0, "\n{report}");
}
