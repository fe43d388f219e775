//! Instruction counts from `valgrind`, which runs this program again.

use std::path::Path;
use std::process::Command;

use crate::hot_paths;

/// Hot paths by name, with the instructions of one repetition.
pub(crate) type InstructionCounts = Vec<(String, u64)>;

/// `valgrind` counts `rep movsb` once per byte, far more than it costs. This setting makes glibc copy with instructions
/// that count once.
const WITHOUT_REP_MOVSB: &str = "glibc.cpu.x86_rep_movsb_threshold=1073741824";

/// Counts all hot paths, each in a separate process.
pub(crate) fn count() -> Result<InstructionCounts, String> {
    let file = std::env::temp_dir().join(format!("intermezzo-instructions-{}", std::process::id()));
    let counts = hot_paths::names().map(|name| Ok((name.to_owned(), count_one(name, &file)?))).collect();
    // A file left in the temporary folder does no harm.
    let _ = std::fs::remove_file(&file);
    counts
}

/// Counts the instructions of one repetition of a hot path.
fn count_one(name: &str, file: &Path) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .env("GLIBC_TUNABLES", WITHOUT_REP_MOVSB)
        .args(["--tool=callgrind", "--toggle-collect=*hot_paths*collect_instructions*"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(program)
        .args(["run", name])
        .output()
        .map_err(|error| format!("`valgrind` cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(format!("hot path `{name}` failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let unavailable = || format!("`valgrind` printed no count for `{name}`");
    let repetitions: u64 =
        String::from_utf8_lossy(&output.stdout).trim().parse().map_err(|_| unavailable())?;
    let text = std::fs::read_to_string(file).map_err(|_| unavailable())?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).ok_or_else(unavailable)?;
    let total: u64 = total.trim().parse().map_err(|_| unavailable())?;
    Ok(total / repetitions.max(1))
}
