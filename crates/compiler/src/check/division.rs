//! Dividing a number among options: the `divide` of a `choose` or of a target.
//!
//! The player picks an option for each unit: a [path](super::paths) whose steps may repeat. The rules get a list of records, one
//! for each option that was picked.

use intermezzo_program::Instr;

use super::Checker;
use super::stmts::StatementParts;
use super::types::{RecordTy, Ty};
use crate::diagnostic::Diagnostic;
use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};
use std::rc::Rc;

/// A key that authors cannot write: the steps of the path may repeat, although `next` differs from `from`.
pub(super) const REPEATS: &str = "steps repeat";
/// The local with the picks. Authors do not write such names.
const PICKS: &str = "picks__";
/// Keys that would change what is divided.
const EXCLUDED: [&str; 9] = ["next", "choices", "count", "min", "order", "slots", "empty", "default", "pass"];

impl Checker<'_> {
    /// Returns the type of a number divided among options of this type.
    pub(crate) fn division_type(&mut self, item: Ty) -> Ty {
        let fields = vec![(self.intern_symbol("to"), item), (self.intern_symbol("amount"), Ty::Int)];
        Ty::list(Ty::Record(Rc::new(RecordTy { name: None, fields })))
    }

    /// Compiles a question that divides a number among options.
    pub(super) fn choose_division(&mut self, parts: &StatementParts<'_>, name: &SourceText) {
        let (Some(total), Some(from)) = (parts.get("divide"), parts.get("from")) else {
            self.report_error("E-ARGS", parts.span, "`divide` needs `from`: the options to divide it among");
            return;
        };
        for key in EXCLUDED {
            if let Some(other) = parts.get(key) {
                let message =
                    format!("`divide` gives every unit to an option, so it cannot be combined with `{key}`");
                let hint = "`max` limits the number of different options";
                self.report(Diagnostic::error("E-CHOOSE", other.span, message).hint(hint));
                return;
            }
        }
        let one = parts.get("how").and_then(SourceNode::as_text).is_none_or(|how| how.value == "one");
        if let Some(how) = parts.get("how").filter(|_| !one) {
            self.report_error("E-CHOOSE", how.span, "only one player can divide a number");
            return;
        }
        let Some(next) = self.next_of_division(parts, name, from) else { return };
        let (span, bindings) = (parts.span, self.body.bindings.len());
        let entry = |key: &str, value: SourceNode| MapEntry {
            key: SourceText::verbatim(key, span.file, span.start),
            value,
        };
        let yes = SourceNode { span, value: NodeValue::Bool(true) };
        let kept =
            parts.entries.iter().filter(|entry| !["divide", "max"].contains(&entry.key.value.as_str()));
        let mut entries: Vec<MapEntry> = kept.cloned().collect();
        entries.extend([
            entry("next", next),
            entry("min", total.clone()),
            entry("max", total.clone()),
            entry(REPEATS, yes),
        ]);
        let path = StatementParts { entries: &entries, ..*parts };
        self.choose_into(&path, name, PICKS);
        let shares =
            format!("{PICKS}.distinct.map(x__ => {{to: x__, amount: {PICKS}.count(y__ => y__ == x__)}})");
        let shares = match parts.get("else").is_some() {
            true => format!("if {PICKS} == null then [] else {shares}"),
            false => shares,
        };
        let shares = SourceText::verbatim(&shares, from.span.file, from.span.start);
        let shares = self.node_value(&SourceNode { span: from.span, value: NodeValue::Text(shares) });
        self.body.bindings.truncate(bindings);
        let dst = self.result_local(&name.value, shares.ty);
        self.emit(Instr::Copy { dst, src: shares.reg });
    }

    /// Returns the options that may follow: all of them, or those already picked once `max` different ones are.
    fn next_of_division(
        &mut self,
        parts: &StatementParts<'_>,
        name: &SourceText,
        from: &SourceNode,
    ) -> Option<SourceNode> {
        let Some(max) = parts.get("max") else { return Some(from.clone()) };
        let most = match (max.as_int(), max.as_text()) {
            (Some(number), _) => number.to_string(),
            (None, Some(text)) => text.value.clone(),
            (None, None) => return Some(from.clone()),
        };
        let Some(list) = from.as_text() else {
            self.report_error("E-TYPE", from.span, "with `max`, write the options as an expression");
            return None;
        };
        let picks = &name.value;
        let text =
            format!("if {picks}.distinct.count < ({most}) then ({}) else {picks}.distinct", list.value);
        let text = SourceText::verbatim(&text, list.span.file, list.span.start);
        Some(SourceNode { span: from.span, value: NodeValue::Text(text) })
    }
}
