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
