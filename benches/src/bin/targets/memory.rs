//! What a match occupies that waits, counted by the program beside this one, whose allocator counts.

use std::process::Command;

use crate::table::{Row, Target};

/// What it was before the work on speed began.
const BEFORE: f64 = 9_964.0;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let told = Command::new(here.with_file_name("intermezzo-benches")).arg("idle").output();
    let told = told.map_err(|error| format!("`intermezzo-benches` is not beside this program: {error}"))?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let bytes: f64 = told.trim().parse().map_err(|_| format!("`{told}` is not a number of bytes"))?;
    Ok(vec![Row {
        figure: "minitcg: an idle match, compacted".to_owned(),
        measured: format!("{bytes:.0} bytes"),
        compared: format!("{:.2}× what it was", bytes / BEFORE),
        target: Target::at_most(BEFORE, bytes, " bytes"),
    }])
}
