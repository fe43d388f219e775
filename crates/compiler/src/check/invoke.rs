//! Statements that call procs and abilities, and the statement `prevent`.

use crate::grammar::statements;
use std::rc::Rc;

use intermezzo_program::{CoverageKind, Instr, NULL, Reg};

use super::Checker;
use super::routine_builder::CodeMode;
use super::stmts::{EndPoint, StatementParts};
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::SourceNode;

impl Checker<'_> {
    pub(crate) fn proc_call(&mut self, parts: &StatementParts<'_>) -> EndPoint {
        let Some(callable) = self.symbols.procs.get(parts.head).cloned() else {
            let known = self.operation_names();
            self.report_unknown(
                "E-OP",
                parts.head_span,
                "operation",
                parts.head,
                known.iter().map(String::as_str),
            );
            return EndPoint::Reachable;
        };
        if self.body.mode == CodeMode::Apply {
            self.report(
                Diagnostic::error("E-APPLY", parts.head_span, "`apply` cannot call procs")
                    .hint("consequences go into `then`"),
            );
        }
        self.mark_used("procs", parts.head);
        if self.body.in_group {
            self.usage.group_calls.push((parts.head.to_owned(), callable.routine, parts.head_span));
        }
        let args = self.body.new_temps(callable.params.len() as u16);
        let mut given = vec![false; callable.params.len()];
        let mut wrong_key = false;
        if let (Some(value), None) = (parts.value, callable.params.first())
            && !matches!(value.value, crate::tree::NodeValue::Null)
        {
            let message = format!("`{}` takes no arguments", parts.head);
            self.report_error("E-ARGS", value.span, message);
        }
        if let (Some(value), Some(first)) = (parts.value, callable.params.first()) {
            given[0] = true;
            if let Some(expr) = self.node_expr(value) {
                self.value_into(args, &expr, &first.ty.clone());
            }
        }
        for entry in parts.arguments() {
            if entry.key.value == "as" {
                continue;
            }
            let found = callable.params.iter().position(|param| param.name == entry.key.value);
            let Some(at) = found else {
                let what = format!("argument of `{}`", parts.head);
                self.report_unknown_argument(&what, &entry.key, &callable.params);
                wrong_key = true;
                continue;
            };
            if given[at] && !self.is_published {
                let message = format!("`{}` of `{}` is given twice", entry.key.value, parts.head);
                let problem = Diagnostic::error("E-ARGS", entry.key.span, message);
                self.report(problem.hint(format!("the value of `{}` is its first argument", parts.head)));
                continue;
            }
            given[at] = true;
            if let Some(expr) = self.node_expr(&entry.value) {
                self.value_into(args.offset(at as u16), &expr, &callable.params[at].ty.clone());
            }
        }
        for (at, param) in callable.params.iter().enumerate().filter(|(at, _)| !given[*at]) {
            let dst = args.offset(at as u16);
            match &param.default {
                Some(default) => self.value_into(dst, &Rc::clone(default), &param.ty),
                None if param.ty.is_maybe() => self.load(dst, NULL),
                None if wrong_key => {}
                None => {
                    let message = format!("`{}` needs `{}`", parts.head, param.name);
                    self.report_error("E-ARGS", parts.span, message);
                }
            }
        }
        self.note_call(callable.routine, parts.head_span);
        let dst = match parts.get("as").and_then(|node| self.text(node, "`as`")) {
            Some(name) => {
                let ty = match callable.returns {
                    Ty::Never => {
                        let message = format!("`{}` returns nothing", parts.head);
                        self.report_error("E-ARGS", name.span, message)
                    }
                    ref ty => ty.clone(),
                };
                self.result_local(&name.value.clone(), ty)
            }
            None => Reg::NONE,
        };
        self.emit(Instr::Call { dst, routine: callable.routine, args });
        EndPoint::Reachable
    }

    pub(crate) fn call_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) {
        let args = self.body.new_temps(3);
        let ability = self.node_as(value, &Ty::Ability);
        self.body.put(args, ability);
        match parts.get("host") {
            Some(host) => {
                let host = self.node_as(host, &Ty::Entity);
                self.body.put(args.offset(1), host);
            }
            None => {
                self.emit(Instr::Copy { dst: args.offset(1), src: Reg::SELF });
            }
        }
        match parts.get("by") {
            Some(by) => {
                let by = self.node_as(by, &Ty::PLAYER);
                self.body.put(args.offset(2), by);
            }
            None => {
                self.emit(Instr::Copy { dst: args.offset(2), src: Reg::ACTOR });
            }
        }
        let part =
            parts.get("part").and_then(|node| self.word(node, "`part`", statements::CALL.words("part")));
        let (pays, acts) = match part {
            Some("costs") => (true, false),
            Some("effects") => (false, true),
            _ => (true, true),
        };
        self.emit(Instr::Invoke { args, pays, acts });
    }

    pub(crate) fn prevent_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) {
        let event = self.node_value(value);
        let about_this = value.as_text().is_some_and(|text| text.value == "event");
        if self.is_item(&event.ty.present()) {
            if event.ty.is_maybe() {
                self.warn_null(value.span);
            }
            self.usage.emitted.insert(intermezzo_program::native::EVENT_PREVENTED.0);
            let action = intermezzo_program::native::ACTION;
            self.emit_coverage(CoverageKind::Prevents(Some(action)), value.span);
            self.emit(Instr::Counter { item: event.reg });
            if let Some(instead) = parts.get("instead") {
                self.block(instead);
            }
            return;
        }
        match event.ty.present() {
            Ty::Error => {}
            Ty::Event(ty) => {
                if about_this && !self.reacting_before() {
                    self.report(self.not_preventing(value.span));
                } else if let Some(ty) = ty
                    && !self.symbols.event_by_id(ty).1.preventable
                {
                    let message = format!("{} cannot be prevented", self.symbols.event_by_id(ty).0);
                    self.report_error("E-PREVENT", value.span, message);
                }
            }
            other => {
                let message = format!(
                    "`prevent` takes an event or something on the stack, but this is {}",
                    self.symbols.type_name(&other)
                );
                self.report_error("E-TYPE", value.span, message);
            }
        }
        if about_this && !self.body.may_prevent {
            self.report_error("E-PREVENT", value.span, "this reaction says `can_prevent: false`");
        }
        self.usage.emitted.insert(intermezzo_program::native::EVENT_PREVENTED.0);
        let prevented = if let Ty::Event(ty) = event.ty.present() { ty } else { None };
        self.emit_coverage(CoverageKind::Prevents(prevented), value.span);
        let tests = if about_this { self.body.prevention_tests.clone() } else { Vec::new() };
        self.body.has_prevention |= about_this;
        let (no, known) = self.emit_conjunction(&tests);
        self.emit(Instr::Prevent { event: event.reg, silent: parts.get("instead").is_some() });
        if let Some(instead) = parts.get("instead") {
            self.block(instead);
        }
        self.body.facts.truncate(known);
        self.body.patch_jumps(&no);
    }

    /// Reports `prevent: event` in code that does not run before its event.
    fn not_preventing(&self, span: Span) -> Diagnostic {
        if self.body.name.ends_with("(after)") {
            return Diagnostic::error("E-PREVENT", span, "an event that has happened cannot be prevented")
                .hint("use `before` instead of `after`");
        }
        Diagnostic::error("E-PREVENT", span, "`prevent: event` is not in the effects of a `before` reaction")
            .hint("here `event` could be any event: return a value, and let the reaction prevent its event")
    }

    /// Returns true if this code runs before its event, which it may therefore still change.
    pub(crate) fn reacting_before(&self) -> bool {
        self.body.name.ends_with("(before)")
    }
}
