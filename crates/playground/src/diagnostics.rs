//! Diagnostics of a ruleset that is being edited.

use std::sync::Arc;

use intermezzo_compiler::{Ruleset, to_json};
use intermezzo_program::Program;
use serde_json::{Value, json};

use crate::files::{FileTexts, rules_of};

/// Result of checking a ruleset.
#[derive(Clone, Debug)]
pub struct CheckOutcome {
    /// Program, if the ruleset has no errors.
    pub program: Option<Arc<Program>>,
    /// Diagnostics, each with `file`, `start` and `end`.
    pub diagnostics: Vec<Value>,
}

/// Compiles the rules among these texts.
#[must_use]
pub fn check(texts: &FileTexts) -> CheckOutcome {
    let ruleset = Ruleset::from_files(&rules_of(texts));
    let compiled = ruleset.compile();
    let diagnostics = to_json(&compiled.diagnostics, ruleset.sources());
    CheckOutcome { program: compiled.program.map(Arc::new), diagnostics: with_positions(&diagnostics) }
}

/// Converts diagnostics to the positions editors use.
pub(crate) fn with_positions(diagnostics: &Value) -> Vec<Value> {
    let place = |from: &Value| {
        json!({
            "file": from["file"],
            "start": {"line": from["line"], "column": from["column"]},
            "end": {"line": from["endLine"], "column": from["endColumn"]},
        })
    };
    let one = |diagnostic: &Value| {
        let mut shown = place(diagnostic);
        for name in ["severity", "code", "message", "label"] {
            shown[name] = diagnostic[name].clone();
        }
        shown["help"] = diagnostic["hints"].clone();
        let related = diagnostic["related"].as_array().into_iter().flatten();
        shown["related"] = related
            .map(|related| {
                let mut shown = place(related);
                shown["message"] = related["message"].clone();
                shown
            })
            .collect();
        shown
    };
    diagnostics.as_array().into_iter().flatten().map(one).collect()
}
