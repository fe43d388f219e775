//! Choices of a path: the `next` of a `choose`, which tells what may follow what was picked so far.
//!
//! Its code stands beside that of the statement, jumped over, and is run while
//! the match waits: for one beginning of a path at a time.

use intermezzo_ruleset::{Choice, ChoiceId, Instr, Next};

use super::Checker;
use super::stmts::Parts;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::tree::Node;

/// Arguments that say what else an answer could look like.
const OTHER_FORMS: [&str; 5] = ["choices", "slots", "empty", "order", "count"];

impl Checker<'_> {
    /// The code of `next`, if the choice has one. In it, the name of the answer is the list picked so far.
    pub(super) fn next_options(
        &mut self,
        parts: &Parts<'_>,
        name: &str,
        item: &Ty,
        choice: ChoiceId,
    ) -> Option<Next> {
        let node = parts.get("next")?;
        self.check_form(parts, node);
        let item = match item {
            Ty::Name(_) => Ty::Symbol,
            other => other.clone(),
        };
        let list = Ty::list(item);
        let so_far = self.body.local(list.clone());
        let over = self.emit(Instr::Jump { to: 0 });
        let entry = self.body.here();
        let bindings = self.body.bindings.len();
        let temps = self.body.mark_temps();
        let facts = self.body.facts.clone();
        self.body.forget(name);
        self.body.bind(name, so_far, list.clone());
        let options = self.option_list(parts, node);
        let options = self.coerce(options, &list, node.span);
        self.emit(Instr::Return { value: options.reg });
        self.body.release_temps(temps);
        self.body.bindings.truncate(bindings);
        self.body.facts = facts;
        self.body.land(&[over]);
        self.body.paths.push(choice);
        Some(Next { routine: self.body.routine, entry, so_far })
    }

    fn check_form(&mut self, parts: &Parts<'_>, node: &Node) {
        for key in OTHER_FORMS {
            if let Some(other) = parts.get(key) {
                let message = format!("`next` makes the answer a path, so `{key}` does not go with it");
                self.report(
                    Diagnostic::error("E-CHOOSE", other.span, message)
                        .hint("a path has `from`, `next`, perhaps `min`, and `max`"),
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
            self.wrong("E-CHOOSE", max.span, message);
        }
        let least = parts.get("min").filter(|min| min.as_int().is_some_and(|min| min > 1));
        let may_pass = parts.get("pass").and_then(Node::as_bool) == Some(true);
        if let Some(least) = least.filter(|_| !may_pass) {
            self.report(
                Diagnostic::error(
                    "E-CHOOSE",
                    least.span,
                    "whether a path this long exists is not known before it is gone, so the player might have no answer",
                )
                .hint("use `min: 1`, or let the player decline with `pass: true`"),
            );
        }
    }
}
