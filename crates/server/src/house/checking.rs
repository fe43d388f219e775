//! Looking at a ruleset without publishing it.

use intermezzo_compiler::{Ruleset, to_json};
use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::Checked;

use super::House;
use super::keys::hex;
use super::publishing::{Files, check_files, rules_of};

impl House {
    /// Everything there is to say about a ruleset. Nothing is published.
    ///
    /// # Errors
    ///
    /// If there are too many files, or paths that lead elsewhere.
    pub async fn diagnose(&self, files: Files) -> Result<Checked, Problem> {
        check_files(&files)?;
        self.compiling_thread(move || look_through(&files)).await
    }
}

fn look_through(files: &Files) -> Checked {
    let ruleset = Ruleset::from_files(&rules_of(files));
    let compiled = ruleset.compile();
    let diagnostics = to_json(&compiled.diagnostics, ruleset.sources());
    Checked {
        playable: compiled.program.is_some(),
        hash: compiled.program.map(|program| hex(&program.hash)),
        diagnostics: diagnostics.as_array().cloned().unwrap_or_default(),
    }
}
