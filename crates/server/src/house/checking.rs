//! Looking at a ruleset without publishing it.

use intermezzo_compiler::{Ruleset, to_json};
use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{Checked, PublishRuleset};

use super::House;
use super::keys::hex;
use super::publishing::{check_files, rules_of};

impl House {
    /// Everything there is to say about a ruleset, and about names that are missing since its newest version. Nothing is
    /// published.
    ///
    /// # Errors
    ///
    /// If there are too many files, or paths that lead elsewhere.
    pub async fn check_ruleset(&self, wish: &PublishRuleset) -> Result<Checked, Problem> {
        check_files(&wish.files)?;
        let files = rules_of(&wish.files);
        let compiling = self.compiling_thread(move || {
            let ruleset = Ruleset::from_files(&files);
            let compiled = ruleset.compile();
            (ruleset, compiled)
        });
        let (ruleset, compiled) = compiling.await?;
        let mut said = compiled.diagnostics;
        if let Some(program) = &compiled.program {
            said.extend(self.names_gone(&ruleset, program).await?);
        }
        let diagnostics = to_json(&said, ruleset.sources());
        Ok(Checked {
            playable: compiled.program.is_some(),
            hash: compiled.program.map(|program| hex(&program.hash)),
            diagnostics: diagnostics.as_array().cloned().unwrap_or_default(),
        })
    }
}
