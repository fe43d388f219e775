//! Writes what fuzzing begins with into `fuzz/corpus`, from the rulesets and matches of today.

use std::path::Path;
use std::process::ExitCode;

#[allow(clippy::print_stdout, reason = "a command talks to whoever called it")]
fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    match intermezzo_fuzzing::corpus::write(&folder) {
        Ok(cases) => {
            println!("{cases} cases are in fuzz/corpus");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
