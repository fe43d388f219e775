//! Checks of rulesets without publishing them.

use intermezzo_compiler::{Ruleset, to_json};
use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{PublishRuleset, RulesetCheck};

use super::Services;
use super::pictures::picture_files;
use super::publish::{check_files, rule_files};
use super::record_keys::hex;

impl Services {
    /// Returns all diagnostics of a ruleset, including names that were removed since its newest published
    /// version.
    ///
    /// # Errors
    ///
    /// If it has too many files or an invalid path.
    pub async fn check_ruleset(&self, request: &PublishRuleset) -> Result<RulesetCheck, Problem> {
        check_files(&request.files)?;
        let (files, pictures) = (rule_files(&request.files), picture_files(&request.files)?);
        let compiling = self.run_compilation(move || {
            let ruleset = Ruleset::from_files(&files).with_assets(&pictures);
            let compiled = ruleset.compile();
            (ruleset, compiled)
        });
        let (ruleset, compiled) = compiling.await?;
        let mut diagnostics = compiled.diagnostics;
        if let Some(program) = &compiled.program {
            diagnostics.extend(self.removed_names(&ruleset, program).await?);
        }
        let diagnostics = to_json(&diagnostics, ruleset.sources());
        Ok(RulesetCheck {
            playable: compiled.program.is_some(),
            hash: compiled.program.map(|program| hex(&program.hash)),
            diagnostics: diagnostics.as_array().cloned().unwrap_or_default(),
        })
    }
}
