//! What is wrong with a ruleset, while it is being written.

use std::sync::Arc;

use intermezzo_compiler::{Ruleset, to_json};
use intermezzo_ruleset::Program;
use serde_json::{Value, json};

use crate::files::{Texts, rules_of};

/// Everything there is to say about a ruleset.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The program, if it can be played.
    pub program: Option<Arc<Program>>,
    /// What authors are told, each with `file`, `start` and `end`.
    pub diagnostics: Vec<Value>,
}

/// Checks the rules among these texts.
#[must_use]
pub fn check(texts: &Texts) -> Checked {
    let ruleset = Ruleset::from_files(&rules_of(texts));
    let compiled = ruleset.compile();
    let diagnostics = to_json(&compiled.diagnostics, ruleset.sources());
    Checked { program: compiled.program.map(Arc::new), diagnostics: placed(&diagnostics) }
}

/// Diagnostics with their places as editors take them.
pub(crate) fn placed(diagnostics: &Value) -> Vec<Value> {
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
