//! Memory of an idle match, measured by the program `intermezzo-benches`, whose allocator counts every byte.

use std::process::Command;

use crate::table::{Row, Target};

/// The size before the engine was optimised for speed.
const BASELINE: f64 = 9_964.0;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program.with_file_name("intermezzo-benches")).arg("idle").output();
    let output =
        output.map_err(|error| format!("`intermezzo-benches` is not beside this program: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let bytes: f64 = text.trim().parse().map_err(|_| format!("`{text}` is not a number of bytes"))?;
    Ok(vec![Row {
        figure: "minitcg: idle match, compacted".to_owned(),
        measured: format!("{bytes:.0} bytes"),
        relative: format!("{:.2}× the baseline", bytes / BASELINE),
        target: Target::at_most(BASELINE, bytes, " bytes"),
    }])
}
