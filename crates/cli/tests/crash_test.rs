//! Crash test of the real server, short version. The long one is `cargo xtask crash-test`.

use std::path::{Path, PathBuf};

use intermezzo_crash_test::{CrashTestPlan, run};

#[test]
fn a_server_that_is_killed_repeatedly_loses_nothing() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("crash-test");
    let program = PathBuf::from(env!("CARGO_BIN_EXE_intermezzo"));
    let plan = CrashTestPlan { kills: 6, matches: 6, ..CrashTestPlan::new(program, folder) };
    let report = run(&plan).expect("the program was built");
    assert!(report.passed(), "\n{report}");
    assert_eq!(report.kills, 6);
    assert!(report.found.acknowledged > 50 && report.found.reopened > 0 && report.streams > 0, "\n{report}");
}

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn servers_on_one_database_lose_nothing_whatever_dies() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("crash-test-cluster");
    let program = PathBuf::from(env!("CARGO_BIN_EXE_intermezzo"));
    let plan = CrashTestPlan { kills: 5, matches: 5, servers: 3, ..CrashTestPlan::new(program, folder) };
    let report = match run(&plan) {
        Ok(report) => report,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return eprintln!("skipped: {error}");
        }
        Err(error) => panic!("{error}"),
    };
    assert!(report.passed(), "\n{report}");
    assert_eq!(report.injected.values().sum::<usize>(), 5);
    assert!(report.injected.contains_key("standby promoted"), "\n{report}");
    assert!(report.found.acknowledged > 30 && report.streams > 0, "\n{report}");
}
