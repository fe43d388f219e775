//! Writes the seed corpora to `fuzz/corpus`, from the current rulesets.

use std::path::Path;
use std::process::ExitCode;

#[allow(clippy::print_stdout, reason = "a command prints to its caller")]
fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    match intermezzo_fuzz_targets::corpus::write(&folder) {
        Ok(cases) => {
            println!("wrote {cases} cases to fuzz/corpus");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
