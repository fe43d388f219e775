//! Tests of a whole selection: the `check` of a `choose` or of a target. Their code is embedded in the asking routine, like that
//! of a [path](super::paths).

use intermezzo_program::{ChoiceId, Instr, NULL, SelectionTests, TextId};

use super::Checker;
use super::stmts::StatementParts;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::grammar::rules;
use crate::tree::SourceNode;

/// The reason for a test without one of its own.
const NO_REASON: &str = "This selection is not allowed";

impl Checker<'_> {
    /// Compiles `check`, if the choice has it. In this code the name of the answer is bound to the selection, of the type
    /// `value`.
    pub(super) fn lower_selection_tests(
        &mut self,
        parts: &StatementParts<'_>,
        name: &str,
        value: &Ty,
        choice: ChoiceId,
    ) -> Option<SelectionTests> {
        let node = parts.get("check")?;
        for key in ["choices", "next", "slots", "divide"] {
            if let Some(other) = parts.get(key) {
                let message =
                    format!("`check` tests options that are picked, so it cannot be combined with `{key}`");
                self.report_error("E-CHOOSE", other.span, message);
                return None;
            }
        }
        let value = value.present();
        let selection = self.body.new_local(value.clone());
        let over = self.emit(Instr::Jump { to: 0 });
        let entry = self.body.jump_target();
        let bindings = self.body.bindings.len();
        let temps = self.body.mark_temps();
        let facts = self.body.facts.clone();
        self.body.forget_facts(name);
        self.body.bind(name, selection, value);
        let mut reasons = Vec::new();
        for test in self.items(node, "`check`").to_vec() {
            let Some((test, reason)) = self.selection_test(&test) else { continue };
            let Some(expr) = self.node_expr(&test) else { continue };
            let mut failed = Vec::new();
            self.jump_if(&expr, false, &mut failed);
            let passed = self.emit(Instr::Jump { to: 0 });
            self.body.patch_jumps(&failed);
            let number = self.constant(reasons.len() as i64);
            self.emit(Instr::Return { value: number });
            self.body.patch_jumps(&[passed]);
            reasons.push(reason);
        }
        let none = self.constant(NULL);
        self.emit(Instr::Return { value: none });
        self.body.release_temps(temps);
        self.body.bindings.truncate(bindings);
        self.body.facts = facts;
        self.body.patch_jumps(&[over]);
        self.note_choice_code(choice);
        Some(SelectionTests { routine: self.body.routine, entry, selection, reasons })
    }

    /// Returns a test and the text of its reason.
    fn selection_test(&mut self, node: &SourceNode) -> Option<(SourceNode, TextId)> {
        if node.as_map().is_none() {
            return Some((node.clone(), self.intern_text(NO_REASON)));
        }
        self.entries(node, &rules::PRECONDITION);
        let Some(test) = node.get("if") else {
            self.report(
                Diagnostic::error("E-KEY", node.span, "a test of a selection needs `if`")
                    .hint("write the test itself, or `{if: test, else: reason}`"),
            );
            return None;
        };
        let reason = node.get("else").and_then(|node| self.fixed_text(node, "`else`"));
        let reason = reason.map_or(NO_REASON.to_owned(), |text| text.value.clone());
        Some((test.clone(), self.intern_text(&reason)))
    }
}
