//! Locals, branches, loops and phases, and the statements that leave them.

use std::rc::Rc;

use crate::grammar::statements;
use intermezzo_program::{CoverageKind, Instr, NULL, PhaseId, Reg, native};

use super::routine_builder::ExitLabel;
use super::stmts::{EndPoint, StatementParts};
use super::types::Ty;
use super::{Checker, Val};
use crate::diagnostic::{Diagnostic, suggest};
use crate::expr::ExprKind;
use crate::source::Span;
use crate::tree::SourceNode;

impl Checker<'_> {
    pub(crate) fn let_statement(&mut self, value: &SourceNode) {
        for entry in self.named(value, "`let`") {
            let Some(expr) = self.node_expr(&entry.value) else {
                self.bind_local(&entry.key.value, Ty::Error);
                continue;
            };
            let value = self.value(&expr);
            let value = match value.ty {
                Ty::Family(_) => self.as_list(value),
                _ => value,
            };
            // A name bound to a zone means the contents at this moment, not those the zone has later.
            let value = if matches!(value.ty, Ty::Zone(_)) { self.as_list(value) } else { value };
            self.assign(&entry.key.value, &value, expr.span);
        }
    }

    /// Assigns a value to a name: a new local, or an existing one.
    fn assign(&mut self, name: &str, value: &Val, span: Span) {
        let Some(binding) = self.body.binding(name).filter(|binding| binding.local).cloned() else {
            let ty = match value.ty {
                Ty::Name(_) => Ty::Symbol,
                ref other => other.clone(),
            };
            let ty = self.widen_names(&ty);
            let reg = self.bind_local(name, ty);
            self.body.put(reg, value.reg);
            return;
        };
        let fit = self.fits(&binding.ty, &value.ty);
        if fit != super::coerce::Fit::Yes {
            let joined =
                self.join(&binding.ty, &value.ty).filter(|ty| !matches!(ty, Ty::Symbol | Ty::Entity));
            match joined {
                Some(ty) => self.widen(name, binding.reg, ty),
                None => {
                    let message = format!(
                        "`{name}` is {}, so it cannot become {}",
                        self.symbols.type_name(&binding.ty),
                        self.symbols.type_name(&value.ty)
                    );
                    self.report_error("E-TYPE", span, message);
                }
            }
        }
        self.body.forget_facts(name);
        self.body.put(binding.reg, value.reg);
    }

    /// Widens the type of a literal name, so that other names can be assigned later.
    fn widen_names(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Name(symbol) => {
                let mut sets = self.symbols.enums.iter().filter(|(_, (_, members))| members.contains(symbol));
                match (sets.next(), sets.next()) {
                    (Some((_, (id, _))), None) => Ty::Enum(*id),
                    _ => Ty::Symbol,
                }
            }
            Ty::List(item) => Ty::list(self.widen_names(item)),
            other => other.clone(),
        }
    }

    fn widen(&mut self, name: &str, reg: Reg, ty: Ty) {
        self.body.locals[reg.0 as usize] = ty.clone();
        if let Some(binding) = self.body.bindings.iter_mut().rev().find(|binding| binding.name == name) {
            binding.ty = ty;
        }
    }

    pub(crate) fn bind_local(&mut self, name: &str, ty: Ty) -> Reg {
        let reg = self.body.new_local(ty.clone());
        self.body.bindings.push(super::routine_builder::Binding {
            name: name.to_owned(),
            reg,
            ty,
            implicit: false,
            local: true,
        });
        reg
    }

    pub(crate) fn if_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) -> EndPoint {
        let cond = self.node_expr(value);
        let mut no = Vec::new();
        if let Some(cond) = &cond {
            self.jump_if(cond, false, &mut no);
        }
        if parts.get("then").is_none() {
            self.report_error("E-ARGS", parts.span, "`if` needs `then`");
        }
        let facts = self.body.facts.len();
        let then_facts = cond.as_ref().map(|cond| self.facts(cond, true)).unwrap_or_default();
        let else_facts = cond.as_ref().map(|cond| self.facts(cond, false)).unwrap_or_default();
        self.body.facts.extend(then_facts.iter().cloned());
        self.emit_coverage(CoverageKind::Then, value.span);
        let then_end = parts.get("then").map_or(EndPoint::Reachable, |then| self.block(then));
        self.body.facts.truncate(facts);
        let else_end = match parts.get("else") {
            Some(otherwise) => {
                let done = (then_end == EndPoint::Reachable).then(|| self.emit(Instr::Jump { to: 0 }));
                self.body.patch_jumps(&no);
                self.emit_coverage(CoverageKind::Else, value.span);
                self.body.facts.extend(else_facts.iter().cloned());
                let end = self.block(otherwise);
                self.body.facts.truncate(facts);
                self.body.patch_jumps(&done.into_iter().collect::<Vec<_>>());
                end
            }
            None if self.counts_coverage => {
                let done = (then_end == EndPoint::Reachable).then(|| self.emit(Instr::Jump { to: 0 }));
                self.body.patch_jumps(&no);
                self.emit_coverage(CoverageKind::Else, value.span);
                self.body.patch_jumps(&done.into_iter().collect::<Vec<_>>());
                EndPoint::Reachable
            }
            None => {
                self.body.patch_jumps(&no);
                EndPoint::Reachable
            }
        };
        // If only one branch continues, its facts hold for the rest of the block.
        match (then_end, else_end) {
            (EndPoint::Unreachable, EndPoint::Reachable) => self.body.facts.extend(else_facts),
            (EndPoint::Reachable, EndPoint::Unreachable) => self.body.facts.extend(then_facts),
            _ => {}
        }
        if then_end == EndPoint::Unreachable && else_end == EndPoint::Unreachable {
            EndPoint::Unreachable
        } else {
            EndPoint::Reachable
        }
    }

    pub(crate) fn switch_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) -> EndPoint {
        let subject = self.node_value(value);
        let held = self.body.new_local(subject.ty.clone());
        self.body.put(held, subject.reg);
        let mut done = Vec::new();
        let Some(cases) = parts.get("cases") else {
            self.report_error("E-ARGS", parts.span, "`switch` needs `cases`");
            return EndPoint::Reachable;
        };
        if cases.as_map().is_none() {
            self.report_error("E-TYPE", cases.span, "`cases` is an object: value and statements");
        }
        for case in cases.as_map().unwrap_or_default() {
            let literal = match case.key.value.parse::<i64>() {
                Ok(number) if subject.ty.present() == Ty::Int => self.constant(number),
                _ if subject.ty.present() == Ty::Bool
                    && matches!(case.key.value.as_str(), "true" | "false") =>
                {
                    self.constant(i64::from(case.key.value == "true"))
                }
                _ => {
                    let name = crate::expr::Expr {
                        span: case.key.span,
                        kind: ExprKind::Name(case.key.value.clone()),
                    };
                    self.value_as(&name, &subject.ty.present())
                }
            };
            let same = self.body.new_temp();
            self.emit(Instr::Eq { dst: same, a: held, b: literal });
            let no = self.emit(Instr::JumpUnless { cond: same, to: 0 });
            self.emit_coverage(CoverageKind::Case, case.key.span);
            if self.block(&case.value) == EndPoint::Reachable {
                done.push(self.emit(Instr::Jump { to: 0 }));
            }
            self.body.patch_jumps(&[no]);
        }
        if let Some(otherwise) = parts.get("else") {
            self.emit_coverage(CoverageKind::Case, otherwise.span);
            self.block(otherwise);
        }
        self.body.patch_jumps(&done);
        EndPoint::Reachable
    }

    pub(crate) fn each_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) {
        let list = self.node_value(value);
        if list.ty.is_maybe() {
            self.warn_null(value.span);
        }
        let list = Val { ty: list.ty.present(), ..list };
        if !Self::is_listlike(&list.ty) && !list.ty.is_error() {
            let message = format!("`each` needs a list, but this is {}", self.symbols.type_name(&list.ty));
            self.report_error("E-TYPE", value.span, message);
        }
        let item = self.item_type(&list.ty);
        let list = self.as_list(list);
        let iter = self.body.new_local(Ty::list(item.clone()));
        self.body.new_local(Ty::Int);
        let item_reg = self.body.new_local(item.clone());
        self.body.put(iter, list.reg);
        self.emit(Instr::Int { dst: iter.offset(1), value: 0 });
        let top = self.body.jump_target();
        let end = self.emit(Instr::NextItem { iter, to: 0 });
        let bindings = self.body.bindings.len();
        let name = self.as_name(parts).unwrap_or("it");
        let facts = std::mem::take(&mut self.body.facts);
        self.body.facts = facts.clone();
        self.body.forget_facts(name);
        self.body.bindings.push(super::routine_builder::Binding {
            name: name.to_owned(),
            reg: item_reg,
            ty: item,
            implicit: parts.get("as").is_none(),
            local: false,
        });
        match parts.get("do") {
            Some(body) => {
                self.block(body);
            }
            None => {
                self.report_error("E-ARGS", parts.span, "`each` needs `do`");
            }
        }
        self.body.facts = facts;
        self.body.bindings.truncate(bindings);
        self.emit(Instr::Jump { to: top });
        self.body.patch_jumps(&[end]);
    }

    pub(crate) fn repeat_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) {
        let forever = value.as_text().is_some_and(|text| text.value == "forever");
        let iter = self.body.new_local(Ty::Int);
        self.body.new_local(Ty::Int);
        let number = self.body.new_local(Ty::Int);
        if forever {
            self.check_forever(parts);
            self.load(iter, i64::MAX);
        } else if value.as_text().is_some_and(|text| suggest(&text.value, ["forever"]).is_some()) {
            self.word(value, "`repeat`", &["forever"]);
            self.load(iter, 0);
        } else {
            let count = self.node_as(value, &Ty::Int);
            if value.as_int().is_none() && parts.get("max").is_none() {
                self.report(
                    Diagnostic::error(
                        "E-LOOP",
                        value.span,
                        "a count that is not known before play needs `max`",
                    )
                    .hint("add `max: n`, the maximum number of passes"),
                );
            }
            self.body.put(iter, count);
            if let Some(max) = parts.get("max") {
                let most = self.number(max, "`max`");
                let most = self.constant(most);
                self.emit(Instr::Min { dst: iter, a: iter, b: most });
            }
        }
        self.emit(Instr::Int { dst: iter.offset(1), value: 0 });
        let top = self.body.jump_target();
        let mut ends = vec![self.emit(Instr::NextCount { iter, to: 0 })];
        let bindings = self.body.bindings.len();
        if let Some(name) = self.as_name(parts) {
            self.body.bind(name, number, Ty::Int);
        }
        if let Some(test) = parts.get("while")
            && let Some(test) = self.node_expr(test)
        {
            self.jump_if(&test, false, &mut ends);
        }
        self.enter_label(parts.get("label"));
        match parts.get("do") {
            Some(body) => {
                self.block(body);
            }
            None => {
                self.report_error("E-ARGS", parts.span, "`repeat` needs `do`");
            }
        }
        self.body.bindings.truncate(bindings);
        self.emit(Instr::Jump { to: top });
        ends.extend(self.leave_label(parts.get("label")));
        self.body.patch_jumps(&ends);
    }

    /// Returns the name given by `as`.
    pub(crate) fn as_name<'n>(&mut self, parts: &StatementParts<'n>) -> Option<&'n str> {
        let name = self.text(parts.get("as")?, "`as`")?;
        self.check_identifier(name, "`as`");
        Some(&name.value)
    }

    fn enter_label(&mut self, label: Option<&SourceNode>) {
        if let Some(name) = label.and_then(|node| self.text(node, "`label`")) {
            let phases = self.body.phases;
            self.body.labels.push(ExitLabel { name: name.value.clone(), exits: Vec::new(), phases });
        }
    }

    fn leave_label(&mut self, label: Option<&SourceNode>) -> Vec<usize> {
        match label.and_then(SourceNode::as_text) {
            Some(_) => self.body.labels.pop().map(|label| label.exits).unwrap_or_default(),
            None => Vec::new(),
        }
    }

    pub(crate) fn exit_statement(&mut self, value: &SourceNode) -> EndPoint {
        let Some(name) = self.text(value, "`exit`") else { return EndPoint::Unreachable };
        let found = self.body.labels.iter().rposition(|label| label.name == name.value);
        let Some(at) = found else {
            if let Some((phase, _)) = self.symbols.phases.get(&name.value).copied() {
                // It may not be in progress, and then nothing happens.
                self.emit(Instr::ExitPhase { phase });
                return EndPoint::Reachable;
            }
            let mut known: Vec<String> = self.body.labels.iter().map(|label| label.name.clone()).collect();
            known.extend(self.symbols.phases.owned_names());
            self.report_unknown(
                "E-NAME",
                name.span,
                "label or phase",
                &name.value,
                known.iter().map(String::as_str),
            );
            return EndPoint::Unreachable;
        };
        let phases = self.body.labels[at].phases;
        self.leave_phases(phases);
        let site = self.emit(Instr::Jump { to: 0 });
        self.body.labels[at].exits.push(site);
        EndPoint::Unreachable
    }

    /// Emits the end of each phase that a jump to a level with `outer` open phases leaves.
    fn leave_phases(&mut self, outer: usize) {
        for _ in outer..self.body.phases {
            self.emit(Instr::LeavePhase {});
        }
    }

    pub(crate) fn return_statement(&mut self, value: &SourceNode) -> EndPoint {
        let value_span = value.span;
        let value = self.node_value(value);
        let value = if matches!(value.ty, Ty::Zone(_) | Ty::Family(_)) { self.as_list(value) } else { value };
        let value = match self.body.declared_return.clone() {
            Some(promised) => self.coerce(value, &promised, value_span),
            None => value,
        };
        if self.body.phases > 0 {
            let held = self.body.new_local(value.ty.clone());
            self.body.put(held, value.reg);
            self.leave_phases(0);
            self.emit(Instr::Return { value: held });
        } else {
            self.emit(Instr::Return { value: value.reg });
        }
        self.body.returns = match self.join(&self.body.returns, &value.ty) {
            Some(ty) => ty,
            None => {
                let returns = self.body.returns.clone();
                self.report_no_join(&returns, &value.ty, value_span)
            }
        };
        EndPoint::Unreachable
    }

    pub(crate) fn phase_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) -> EndPoint {
        let Some(name) = self.text(value, "`phase`") else { return EndPoint::Reachable };
        self.check_identifier(name, "`phase`");
        let Some((phase, _)) = self.symbols.phases.get(&name.value).copied() else {
            let known = self.symbols.phases.owned_names();
            self.report_unknown("E-NAME", name.span, "phase", &name.value, known.iter().map(String::as_str));
            return EndPoint::Reachable;
        };
        let player = match parts.get("player") {
            Some(node) => self.node_as(node, &Ty::PLAYER),
            None => self.constant(NULL),
        };
        let subject = match parts.get("subject") {
            Some(node) => self.node_as(node, &Ty::Entity),
            None => self.constant(NULL),
        };
        let prevented = self.emit_phase_start(phase, player, subject);
        let block = self.begin_phase_block(&name.value, phase);
        let outside = self.body.phases;
        self.body.labels.push(ExitLabel { name: name.value.clone(), exits: Vec::new(), phases: outside + 1 });
        self.body.phases += 1;
        let end = match parts.get("do") {
            Some(body) => self.block(body),
            None => {
                self.report_error("E-ARGS", parts.span, "`phase` needs `do`");
                EndPoint::Reachable
            }
        };
        self.body.phases = outside;
        let exits = self.body.labels.pop().map(|label| label.exits).unwrap_or_default();
        let left = !exits.is_empty();
        self.body.patch_jumps(&exits);
        self.end_phase_block(block);
        self.emit(Instr::LeavePhase {});
        self.body.patch_jumps(&prevented);
        let is_left = left || !prevented.is_empty() || block.is_some();
        if end == EndPoint::Unreachable && !is_left { EndPoint::Unreachable } else { EndPoint::Reachable }
    }

    /// Emits the start of a phase. Returns the jumps taken if the start is prevented, which skip the phase.
    pub(crate) fn emit_phase_start(&mut self, phase: PhaseId, player: Reg, subject: Reg) -> Vec<usize> {
        if !self.can_prevent_phases {
            self.emit(Instr::EnterPhase { phase, player, subject });
            return Vec::new();
        }
        let args = self.body.new_temps(2);
        self.emit(Instr::Copy { dst: args, src: player });
        self.emit(Instr::Copy { dst: args.offset(1), src: subject });
        let dst = self.body.new_temp();
        self.emit(Instr::TryPhase { dst, phase, args });
        vec![self.emit(Instr::JumpUnless { cond: dst, to: 0 })]
    }

    pub(crate) fn end_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) -> EndPoint {
        let args = self.body.new_temps(4 + u16::from(self.uses_scores));
        if let Some(expr) = self.node_expr(value) {
            let outcome = self.end_outcome(&expr);
            self.body.put(args, outcome);
        }
        let sides = ["winners", "losers"].map(|key| parts.get(key).and_then(|node| self.node_expr(node)));
        let [winners, losers] = sides;
        for (at, side) in self.joint_sides(winners, losers).into_iter().enumerate() {
            let dst = args.offset(1 + at as u16);
            match side {
                Some(expr) => self.value_into(dst, &expr, &Ty::list(Ty::PLAYER)),
                None => self.load(dst, 0),
            }
        }
        let pot = match parts.get("pot") {
            Some(node) => match self.word(node, "`pot`", statements::END.words("pot")) {
                Some("winners") => native::POT_WINNERS,
                Some("split") => native::POT_SPLIT,
                Some("burn") => native::POT_BURN,
                _ => native::POT_REFUND,
            },
            None if parts.get("winners").is_some() => native::POT_WINNERS,
            None => native::POT_REFUND,
        };
        self.load(args.offset(3), i64::from(pot.0));
        if self.uses_scores {
            self.end_score(parts.get("score"), args.offset(native::SCORE_FIELD as u16));
        }
        self.emit(Instr::End { args });
        self.usage.emitted.insert(native::MATCH_ENDED.0);
        EndPoint::Unreachable
    }

    /// Compiles the score of `end`: a map from players to numbers, or a number of each player `it`.
    fn end_score(&mut self, node: Option<&SourceNode>, dst: Reg) {
        let Some(expr) = node.and_then(|node| self.node_expr(node)) else {
            self.load(dst, NULL);
            return;
        };
        let score = self.score_map(&expr);
        let wanted = Ty::Map(Rc::new(Ty::PLAYER), Rc::new(Ty::Int));
        let score = self.coerce(score, &wanted, expr.span);
        self.emit(Instr::Copy { dst, src: score.reg });
    }

    /// Compiles the outcome of `end`. A bare name must be a declared outcome; computed symbols, such as the
    /// reason a player left, are accepted as well.
    fn end_outcome(&mut self, expr: &crate::expr::Expr) -> Reg {
        let bare = matches!(&expr.kind, ExprKind::Name(name) if self.body.binding(name).is_none());
        let wanted = if bare { Ty::Outcome } else { Ty::Symbol };
        self.value_as(expr, &wanted)
    }
}
