//! The `group` statement: events that happen together.

use crate::grammar::statements;
use std::rc::Rc;

use intermezzo_program::{EventId, Instr, OnPrevented, Reg};

use super::Checker;
use super::routine_builder::CodeMode;
use super::stmts::{EndPoint, StatementParts};
use super::types::{RecordTy, Ty};
use crate::diagnostic::{Diagnostic, suggest};
use crate::tree::SourceNode;

/// Statements that accept `keep: true`.
const MEMBERS: &[&str] = &["emit", "set", "add", "move", "create", "remove", "become"];

impl Checker<'_> {
    /// Compiles a group, whose members happen all or none, or independently of each other.
    pub(crate) fn group_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) -> EndPoint {
        let simultaneous = value.as_text().is_some_and(|text| text.value == "simultaneous");
        if value.as_text().is_some_and(|text| suggest(&text.value, ["simultaneous"]).is_some()) {
            self.word(value, "`group`", &["simultaneous"]);
            return EndPoint::Reachable;
        }
        let body = if simultaneous { parts.get("do") } else { Some(value) };
        let Some(body) = body else {
            self.report_error("E-ARGS", parts.span, "`group: simultaneous` needs `do`");
            return EndPoint::Reachable;
        };
        if let (false, Some(body)) = (simultaneous, parts.get("do")) {
            self.report_error("E-ARGS", body.span, "`do` is only for `group: simultaneous`");
        }
        let on_prevented = self.on_prevented(parts);
        self.emit(Instr::BeginGroup { simultaneous, on_prevented });
        let outer = std::mem::replace(&mut self.body.in_group, true);
        // The match is not at rest between the members, even if the group is a statement of the flow.
        let settles = std::mem::replace(&mut self.body.settles_after_statements, false);
        // A sequence, not a block: names bound by members stay visible after the group.
        let end = self.sequence(body);
        self.body.settles_after_statements = settles;
        self.body.in_group = outer;
        if end == EndPoint::Unreachable {
            self.report_error("E-GROUP", parts.span, "a group cannot be left in the middle");
        }
        let collected = self.collected_event(parts);
        let dst = match self.as_name(parts).map(str::to_owned) {
            Some(name) => {
                let mut fields = vec![(self.intern_symbol("applied"), Ty::Bool)];
                if let Some(event) = collected {
                    let result = self.event_record(event);
                    fields.push((self.intern_symbol("events"), Ty::list(result)));
                }
                self.result_local(&name, Ty::Record(Rc::new(RecordTy { name: None, fields })))
            }
            None => Reg::NONE,
        };
        self.emit(Instr::EndGroup { dst });
        if let Some(event) = collected.filter(|_| dst != Reg::NONE) {
            self.emit(Instr::Collect { event });
        }
        EndPoint::Reachable
    }

    /// Returns the type of the records that list events: the payload, and `applied`.
    pub(crate) fn event_record(&mut self, event: EventId) -> Ty {
        let mut fields = self.symbols.event_by_id(event).1.fields.clone();
        fields.push((self.intern_symbol("applied"), Ty::Bool));
        Ty::Record(Rc::new(RecordTy { name: None, fields }))
    }

    /// Reads `collect`: the event type of which the group's result lists the events.
    fn collected_event(&mut self, parts: &StatementParts<'_>) -> Option<EventId> {
        let node = parts.get("collect")?;
        let name = self.text(node, "`collect`")?;
        let Some(event) = self.symbols.events.get(&name.value).cloned() else {
            let known: Vec<String> = self.symbols.events.names().map(str::to_owned).collect();
            self.report_unknown("E-NAME", name.span, "event", &name.value, known.iter().map(String::as_str));
            return None;
        };
        if parts.get("as").is_none() {
            let message = "`collect` has no effect without `as`, which names the result";
            self.report(Diagnostic::warning("W-UNUSED", node.span, message));
        }
        if event.fields.iter().any(|(_, ty)| *ty == Ty::Any) {
            let message = format!("{} cannot be collected: its values can be of any type", name.value);
            self.report(
                Diagnostic::error("E-TYPE", node.span, message)
                    .hint("emit an event of your own for the change and collect that"),
            );
            return None;
        }
        Some(event.id)
    }

    fn on_prevented(&mut self, parts: &StatementParts<'_>) -> OnPrevented {
        let Some(node) = parts.get("onPrevented") else { return OnPrevented::ByGroupKind };
        match self.word(node, "`onPrevented`", statements::GROUP.words("onPrevented")) {
            Some("drop") => OnPrevented::Drop,
            Some("propagate") => OnPrevented::Propagate,
            _ => OnPrevented::ByGroupKind,
        }
    }

    /// Returns true if preventing this statement must not affect the rest of its group.
    pub(crate) fn has_keep_flag(&mut self, parts: &StatementParts<'_>) -> bool {
        let Some(keep) = parts.get("keep").filter(|_| MEMBERS.contains(&parts.head)) else { return false };
        if self.body.mode == CodeMode::Apply {
            self.report_error(
                "E-APPLY",
                keep.span,
                "`keep` has no effect in `apply`, which is part of a single event",
            );
            return false;
        }
        self.flag(keep, "`keep`")
    }
}
