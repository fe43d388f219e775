//! Locals, branches, loops, phases, and leaving them.

use intermezzo_ruleset::{Instr, NULL, ProbeKind, Reg, native};

use super::body::Label;
use super::stmts::{Goes, Parts};
use super::types::Ty;
use super::{Checker, Val};
use crate::diagnostic::Diagnostic;
use crate::expr::ExprKind;
use crate::source::Span;
use crate::tree::Node;

impl Checker<'_> {
    pub(crate) fn let_statement(&mut self, value: &Node) {
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
            // A zone bound to a name is its contents now, not what it will hold later.
            let value = if matches!(value.ty, Ty::Zone(_)) { self.as_list(value) } else { value };
            self.assign(&entry.key.value, &value, expr.span);
        }
    }

    /// Gives a name a value: a new local, or a new value for an old one.
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
                        self.world.show(&binding.ty),
                        self.world.show(&value.ty)
                    );
                    self.wrong("E-TYPE", span, message);
                }
            }
        }
        self.body.forget(name);
        self.body.put(binding.reg, value.reg);
    }

    /// A single name in a list literal stands for any name later on.
    fn widen_names(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Name(symbol) => {
                let mut sets = self.world.enums.iter().filter(|(_, (_, members))| members.contains(symbol));
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
        let reg = self.body.local(ty.clone());
        self.body.bindings.push(super::body::Binding {
            name: name.to_owned(),
            reg,
            ty,
            implicit: false,
            local: true,
        });
        reg
    }

    pub(crate) fn if_statement(&mut self, parts: &Parts<'_>, value: &Node) -> Goes {
        let cond = self.node_expr(value);
        let mut no = Vec::new();
        if let Some(cond) = &cond {
            self.jump_if(cond, false, &mut no);
        }
        if parts.get("then").is_none() {
            self.wrong("E-ARGS", parts.span, "`if` needs `then`");
        }
        let facts = self.body.facts.len();
        let then_facts = cond.as_ref().map(|cond| self.facts(cond, true)).unwrap_or_default();
        let else_facts = cond.as_ref().map(|cond| self.facts(cond, false)).unwrap_or_default();
        self.body.facts.extend(then_facts.iter().cloned());
        self.probe(ProbeKind::Then, value.span);
        let then_goes = parts.get("then").map_or(Goes::On, |then| self.block(then));
        self.body.facts.truncate(facts);
        let else_goes = match parts.get("else") {
            Some(otherwise) => {
                let done = (then_goes == Goes::On).then(|| self.emit(Instr::Jump { to: 0 }));
                self.body.land(&no);
                self.probe(ProbeKind::Else, value.span);
                self.body.facts.extend(else_facts.iter().cloned());
                let goes = self.block(otherwise);
                self.body.facts.truncate(facts);
                self.body.land(&done.into_iter().collect::<Vec<_>>());
                goes
            }
            None if self.is_probed => {
                let done = (then_goes == Goes::On).then(|| self.emit(Instr::Jump { to: 0 }));
                self.body.land(&no);
                self.probe(ProbeKind::Else, value.span);
                self.body.land(&done.into_iter().collect::<Vec<_>>());
                Goes::On
            }
            None => {
                self.body.land(&no);
                Goes::On
            }
        };
        // What the branch that goes on has shown holds from here on.
        match (then_goes, else_goes) {
            (Goes::Away, Goes::On) => self.body.facts.extend(else_facts),
            (Goes::On, Goes::Away) => self.body.facts.extend(then_facts),
            _ => {}
        }
        if then_goes == Goes::Away && else_goes == Goes::Away { Goes::Away } else { Goes::On }
    }

    pub(crate) fn switch_statement(&mut self, parts: &Parts<'_>, value: &Node) -> Goes {
        let subject = self.node_value(value);
        let held = self.body.local(subject.ty.clone());
        self.body.put(held, subject.reg);
        let mut done = Vec::new();
        let Some(cases) = parts.get("cases") else {
            self.wrong("E-ARGS", parts.span, "`switch` needs `cases`");
            return Goes::On;
        };
        if cases.as_map().is_none() {
            self.wrong("E-TYPE", cases.span, "`cases` is an object: value and statements");
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
            let same = self.body.temp();
            self.emit(Instr::Eq { dst: same, a: held, b: literal });
            let no = self.emit(Instr::JumpUnless { cond: same, to: 0 });
            self.probe(ProbeKind::Case, case.key.span);
            if self.block(&case.value) == Goes::On {
                done.push(self.emit(Instr::Jump { to: 0 }));
            }
            self.body.land(&[no]);
        }
        if let Some(otherwise) = parts.get("else") {
            self.probe(ProbeKind::Case, otherwise.span);
            self.block(otherwise);
        }
        self.body.land(&done);
        Goes::On
    }

    pub(crate) fn each_statement(&mut self, parts: &Parts<'_>, value: &Node) {
        let list = self.node_value(value);
        if list.ty.is_maybe() {
            self.warn_null(value.span);
        }
        let list = Val { ty: list.ty.present(), ..list };
        if !Self::is_listlike(&list.ty) && !list.ty.is_error() {
            let message = format!("`each` goes through a list, but this is {}", self.world.show(&list.ty));
            self.wrong("E-TYPE", value.span, message);
        }
        let item = self.item_type(&list.ty);
        let list = self.as_list(list);
        let iter = self.body.local(Ty::list(item.clone()));
        self.body.local(Ty::Int);
        let item_reg = self.body.local(item.clone());
        self.body.put(iter, list.reg);
        self.emit(Instr::Int { dst: iter.offset(1), value: 0 });
        let top = self.body.here();
        let end = self.emit(Instr::NextItem { iter, to: 0 });
        let bindings = self.body.bindings.len();
        let name = self.name_given(parts).unwrap_or("it");
        let facts = std::mem::take(&mut self.body.facts);
        self.body.facts = facts.clone();
        self.body.forget(name);
        self.body.bindings.push(super::body::Binding {
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
                self.wrong("E-ARGS", parts.span, "`each` needs `do`");
            }
        }
        self.body.facts = facts;
        self.body.bindings.truncate(bindings);
        self.emit(Instr::Jump { to: top });
        self.body.land(&[end]);
    }

    pub(crate) fn repeat_statement(&mut self, parts: &Parts<'_>, value: &Node) {
        let forever = value.as_text().is_some_and(|text| text.value == "forever");
        let iter = self.body.local(Ty::Int);
        self.body.local(Ty::Int);
        let number = self.body.local(Ty::Int);
        if forever {
            self.check_forever(parts);
            self.load(iter, i64::MAX);
        } else {
            let count = self.node_as(value, &Ty::Int);
            if value.as_int().is_none() && parts.get("max").is_none() {
                self.report(
                    Diagnostic::error(
                        "E-LOOP",
                        value.span,
                        "a count that is not known before play needs `max`",
                    )
                    .hint("add `max: n`, the most passes there can ever be"),
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
        let top = self.body.here();
        let mut ends = vec![self.emit(Instr::NextCount { iter, to: 0 })];
        let bindings = self.body.bindings.len();
        if let Some(name) = self.name_given(parts) {
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
                self.wrong("E-ARGS", parts.span, "`repeat` needs `do`");
            }
        }
        self.body.bindings.truncate(bindings);
        self.emit(Instr::Jump { to: top });
        ends.extend(self.leave_label(parts.get("label")));
        self.body.land(&ends);
    }

    /// The name an `as:` gives.
    pub(crate) fn name_given<'n>(&mut self, parts: &Parts<'n>) -> Option<&'n str> {
        let name = self.text(parts.get("as")?, "`as`")?;
        self.check_identifier(name, "`as`");
        Some(&name.value)
    }

    fn enter_label(&mut self, label: Option<&Node>) {
        if let Some(name) = label.and_then(|node| self.text(node, "`label`")) {
            let phases = self.body.phases;
            self.body.labels.push(Label { name: name.value.clone(), exits: Vec::new(), phases });
        }
    }

    fn leave_label(&mut self, label: Option<&Node>) -> Vec<usize> {
        match label.and_then(Node::as_text) {
            Some(_) => self.body.labels.pop().map(|label| label.exits).unwrap_or_default(),
            None => Vec::new(),
        }
    }

    pub(crate) fn exit_statement(&mut self, value: &Node) -> Goes {
        let Some(name) = self.text(value, "`exit`") else { return Goes::Away };
        let found = self.body.labels.iter().rposition(|label| label.name == name.value);
        let Some(at) = found else {
            let known: Vec<String> = self.body.labels.iter().map(|label| label.name.clone()).collect();
            self.unknown("E-NAME", name.span, "label", &name.value, known.iter().map(String::as_str));
            return Goes::Away;
        };
        let phases = self.body.labels[at].phases;
        self.leave_phases(phases);
        let site = self.emit(Instr::Jump { to: 0 });
        self.body.labels[at].exits.push(site);
        Goes::Away
    }

    /// Ends the phases that a jump to a level with `outer` of them leaves.
    fn leave_phases(&mut self, outer: usize) {
        for _ in outer..self.body.phases {
            self.emit(Instr::LeavePhase {});
        }
    }

    pub(crate) fn return_statement(&mut self, value: &Node) -> Goes {
        let value_span = value.span;
        let value = self.node_value(value);
        let value = if matches!(value.ty, Ty::Zone(_) | Ty::Family(_)) { self.as_list(value) } else { value };
        let value = match self.body.promised.clone() {
            Some(promised) => self.coerce(value, &promised, value_span),
            None => value,
        };
        if self.body.phases > 0 {
            let held = self.body.local(value.ty.clone());
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
                self.no_join(&returns, &value.ty, value_span)
            }
        };
        Goes::Away
    }

    pub(crate) fn phase_statement(&mut self, parts: &Parts<'_>, value: &Node) -> Goes {
        let Some(name) = self.text(value, "`phase`") else { return Goes::On };
        self.check_identifier(name, "`phase`");
        let Some((phase, _)) = self.world.phases.get(&name.value).copied() else {
            let known = self.world.phases.owned_names();
            self.unknown("E-NAME", name.span, "phase", &name.value, known.iter().map(String::as_str));
            return Goes::On;
        };
        let player = match parts.get("player") {
            Some(node) => self.node_as(node, &Ty::PLAYER),
            None => self.constant(NULL),
        };
        let subject = match parts.get("subject") {
            Some(node) => self.node_as(node, &Ty::Entity),
            None => self.constant(NULL),
        };
        self.emit(Instr::EnterPhase { phase, player, subject });
        let outside = self.body.phases;
        self.body.labels.push(Label { name: name.value.clone(), exits: Vec::new(), phases: outside + 1 });
        self.body.phases += 1;
        let goes = match parts.get("do") {
            Some(body) => self.block(body),
            None => {
                self.wrong("E-ARGS", parts.span, "`phase` needs `do`");
                Goes::On
            }
        };
        self.body.phases = outside;
        let exits = self.body.labels.pop().map(|label| label.exits).unwrap_or_default();
        let left = !exits.is_empty();
        self.body.land(&exits);
        self.emit(Instr::LeavePhase {});
        if goes == Goes::Away && !left { Goes::Away } else { Goes::On }
    }

    pub(crate) fn end_statement(&mut self, parts: &Parts<'_>, value: &Node) -> Goes {
        let args = self.body.temps(4);
        if let Some(expr) = self.node_expr(value) {
            let outcome = self.end_outcome(&expr);
            self.body.put(args, outcome);
        }
        for (at, key) in ["winners", "losers"].into_iter().enumerate() {
            let dst = args.offset(1 + at as u16);
            match parts.get(key).and_then(|node| self.node_expr(node)) {
                Some(expr) => self.value_into(dst, &expr, &Ty::list(Ty::PLAYER)),
                None => self.load(dst, 0),
            }
        }
        let pot = match parts.get("pot") {
            Some(node) => match self.word(node, "`pot`", &["winners", "split", "burn", "refund"]) {
                Some("winners") => native::POT_WINNERS,
                Some("split") => native::POT_SPLIT,
                Some("burn") => native::POT_BURN,
                _ => native::POT_REFUND,
            },
            None if parts.get("winners").is_some() => native::POT_WINNERS,
            None => native::POT_REFUND,
        };
        self.load(args.offset(3), i64::from(pot.0));
        self.emit(Instr::End { args });
        self.usage.emitted.insert(native::MATCH_ENDED.0);
        Goes::Away
    }

    /// An outcome is one of those declared; a symbol computed by rules (a reason to leave) is also accepted.
    fn end_outcome(&mut self, expr: &crate::expr::Expr) -> Reg {
        let bare = matches!(&expr.kind, ExprKind::Name(name) if self.body.binding(name).is_none());
        let wanted = if bare { Ty::Outcome } else { Ty::Symbol };
        self.value_as(expr, &wanted)
    }
}
