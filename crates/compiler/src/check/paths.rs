//! Choices of a path: the `next` of a `choose`, which computes the options that may follow a prefix of the
//! path.
//!
//! Its code is embedded in the routine of the statement and skipped by a jump. The engine runs it while the
//! match waits, for one prefix at a time.

use intermezzo_program::{Choice, ChoiceId, Instr, NextOptions};

use super::Checker;
use super::stmts::StatementParts;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::tree::SourceNode;

/// Arguments that would give the answer a different shape.
const OTHER_FORMS: [&str; 5] = ["choices", "slots", "empty", "order", "count"];

impl Checker<'_> {
    /// Compiles `next`, if the choice has it. In this code the name of the answer is bound to the prefix.
    pub(super) fn lower_next(
        &mut self,
        parts: &StatementParts<'_>,
        name: &str,
        item: &Ty,
        choice: ChoiceId,
    ) -> Option<NextOptions> {
        let node = parts.get("next")?;
        self.check_form(parts, node);
        let item = match item {
            Ty::Name(_) => Ty::Symbol,
            other => other.clone(),
        };
        let list = Ty::list(item);
        let so_far = self.body.new_local(list.clone());
        let over = self.emit(Instr::Jump { to: 0 });
        let entry = self.body.jump_target();
        let bindings = self.body.bindings.len();
        let temps = self.body.mark_temps();
        let facts = self.body.facts.clone();
        self.body.forget_facts(name);
        self.body.bind(name, so_far, list.clone());
        let options = self.option_list(parts, node);
        let options = self.coerce(options, &list, node.span);
        self.emit(Instr::Return { value: options.reg });
        self.body.release_temps(temps);
        self.body.bindings.truncate(bindings);
        self.body.facts = facts;
        self.body.patch_jumps(&[over]);
        self.note_choice_code(choice);
        Some(NextOptions { routine: self.body.routine, entry, prefix: so_far })
    }

    fn check_form(&mut self, parts: &StatementParts<'_>, node: &SourceNode) {
        for key in OTHER_FORMS {
            if let Some(other) = parts.get(key) {
                let message = format!("`next` makes the answer a path, so it cannot have `{key}`");
                self.report(
                    Diagnostic::error("E-CHOOSE", other.span, message)
                        .hint("a path has `from`, `next`, `max` and optionally `min`"),
                );
            }
        }
        let Some(max) = parts.get("max") else {
            self.report(
                Diagnostic::error("E-CHOOSE", node.span, "a path needs `max`: how long it may be")
                    .hint(format!("at most {}", Choice::MAX_PATH)),
            );
            return;
        };
        if max.as_int().is_some_and(|max| max > i64::from(Choice::MAX_PATH)) {
            let message = format!("a path has at most {} elements", Choice::MAX_PATH);
            self.report_error("E-CHOOSE", max.span, message);
        }
        let least = parts.get("min").filter(|min| min.as_int().is_some_and(|min| min > 1));
        let may_pass = parts.get("pass").is_some_and(|node| node.as_bool() != Some(false));
        if let Some(least) = least.filter(|_| !may_pass && !repeats(parts)) {
            self.report(
                Diagnostic::error(
                    "E-CHOOSE",
                    least.span,
                    "a path this long may not exist, so the player might have no valid answer",
                )
                .hint("use `min: 1`, or let the player decline with `pass: true`"),
            );
        }
    }
}

/// Returns true if the same options are there at each step of a path, so that there is a path of every length.
pub(super) fn repeats(parts: &StatementParts<'_>) -> bool {
    let list = |key: &str| parts.get(key).map(SourceNode::to_json);
    parts.get(super::division::REPEATS).is_some()
        || list("from").is_some_and(|from| Some(from) == list("next"))
}
