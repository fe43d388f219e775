//! Running this program once more under `valgrind`, which counts.

use std::path::Path;
use std::process::Command;

use crate::hot;

/// Hot paths by name, with the instructions that one time takes.
pub(crate) type Counts = Vec<(String, u64)>;

/// An instruction that copies many bytes counts once for each of them, which is far from what it costs: copies are to be
/// made by those that count once.
const WITHOUT_REPETITIONS: &str = "glibc.cpu.x86_rep_movsb_threshold=1073741824";

/// Counts all hot paths, each in a process of its own.
pub(crate) fn count() -> Result<Counts, String> {
    let file = std::env::temp_dir().join(format!("intermezzo-instructions-{}", std::process::id()));
    let counts = hot::names().map(|name| Ok((name.to_owned(), count_one(name, &file)?))).collect();
    // A leftover in the folder for temporary files does no harm.
    let _ = std::fs::remove_file(&file);
    counts
}

/// The instructions of a hot path, for one time that it does what it does.
fn count_one(name: &str, file: &Path) -> Result<u64, String> {
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let ran = Command::new("valgrind")
        .env("GLIBC_TUNABLES", WITHOUT_REPETITIONS)
        .args(["--tool=callgrind", "--toggle-collect=*hot*counted*"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(here)
        .args(["run", name])
        .output()
        .map_err(|error| format!("`valgrind` cannot be run: {error}"))?;
    if !ran.status.success() {
        return Err(format!("`{name}` does not run: {}", String::from_utf8_lossy(&ran.stderr)));
    }
    let untold = || format!("`valgrind` does not tell what `{name}` takes");
    let times: u64 = String::from_utf8_lossy(&ran.stdout).trim().parse().map_err(|_| untold())?;
    let text = std::fs::read_to_string(file).map_err(|_| untold())?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).ok_or_else(untold)?;
    let total: u64 = total.trim().parse().map_err(|_| untold())?;
    Ok(total / times.max(1))
}
