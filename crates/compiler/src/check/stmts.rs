//! Statements: what programs are made of.

use intermezzo_ruleset::{Instr, NULL, Reg, native};

use super::body::{Label, Mode};
use super::types::Ty;
use super::{Checker, Val};
use crate::diagnostic::{Diagnostic, suggest};
use crate::expr::ExprKind;
use crate::source::Span;
use crate::tree::{Entry, Node, Value};

/// Whether the statement after this one is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goes {
    On,
    Away,
}

/// Each operation with the arguments it takes beside its head.
pub(crate) const OPERATIONS: &[(&str, &[&str])] = &[
    ("let", &[]),
    ("set", &[]),
    ("add", &[]),
    ("if", &["then", "else"]),
    ("switch", &["cases", "else"]),
    ("each", &["as", "do"]),
    ("repeat", &["while", "as", "max", "label", "do"]),
    ("exit", &[]),
    ("return", &[]),
    ("call", &["host", "with", "part", "as"]),
    ("emit", &["as"]),
    ("prevent", &["instead"]),
    ("group", &["as", "onPrevented"]),
    (
        "choose",
        &[
            "by", "how", "from", "choices", "min", "max", "count", "slots", "empty", "order", "pass",
            "secret", "draft", "deadline", "default", "ask", "title", "kind",
        ],
    ),
    ("take", &[]),
    ("resolve", &[]),
    ("roll", &["keep", "for", "by", "as", "from"]),
    ("shuffle", &[]),
    ("move", &["to", "at"]),
    ("create", &["owner", "in", "with", "host", "until", "as", "at"]),
    ("remove", &[]),
    ("phase", &["player", "subject", "do"]),
    ("end", &["winners", "losers", "pot"]),
];

pub(crate) fn operation(name: &str) -> Option<&'static [&'static str]> {
    OPERATIONS.iter().find(|(op, _)| *op == name).map(|(_, arguments)| *arguments)
}

/// A statement taken apart: its head, the head's value, and the other arguments.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'n> {
    pub(crate) head: &'n str,
    pub(crate) head_span: Span,
    pub(crate) value: Option<&'n Node>,
    pub(crate) entries: &'n [Entry],
    pub(crate) span: Span,
}

impl<'n> Parts<'n> {
    pub(crate) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|entry| entry.key.value == key).map(|entry| &entry.value)
    }

    /// The arguments beside the head.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &'n Entry> {
        let head = self.head;
        self.entries.iter().filter(move |entry| entry.key.value != head && entry.key.value != "op")
    }
}

impl Checker<'_> {
    /// Statements in order, in a scope of their own.
    pub(crate) fn block(&mut self, node: &Node) -> Goes {
        let (bindings, facts) = (self.body.bindings.len(), self.body.facts.len());
        let goes = self.sequence(node);
        self.body.bindings.truncate(bindings);
        self.body.facts.truncate(facts);
        goes
    }

    pub(crate) fn sequence(&mut self, node: &Node) -> Goes {
        let Value::List(items) = &node.value else {
            return match &node.value {
                Value::Null => Goes::On,
                _ => self.statement(node),
            };
        };
        let mut goes = Goes::On;
        for item in items {
            if goes == Goes::Away {
                self.report(
                    Diagnostic::warning("W-UNUSED", item.span, "this is never reached")
                        .hint("the statement before it always leaves"),
                );
                self.statement(item);
                return Goes::Away;
            }
            goes = self.statement(item);
        }
        goes
    }

    pub(crate) fn statement(&mut self, node: &Node) -> Goes {
        let at = self.body.code.len() as u32;
        self.body.places.push((at, node.span));
        let mark = self.body.mark_temps();
        let goes = match &node.value {
            Value::List(_) => self.block(node),
            Value::Text(text) => {
                let parts = Parts {
                    head: &text.value,
                    head_span: text.span,
                    value: None,
                    entries: &[],
                    span: node.span,
                };
                if operation(&text.value).is_some() {
                    let message = format!("`{}` needs a value", text.value);
                    self.wrong("E-ARGS", text.span, message);
                    Goes::On
                } else {
                    self.proc_call(&parts)
                }
            }
            Value::Map(_) => match self.take_apart(node) {
                Some(parts) => self.perform(&parts),
                None => Goes::On,
            },
            _ => {
                let message =
                    format!("a statement is an object with one operation, but this is {}", node.kind_name());
                self.wrong("E-OP", node.span, message);
                Goes::On
            }
        };
        self.body.release_temps(mark);
        goes
    }

    /// Finds the head of a statement.
    pub(crate) fn take_apart<'n>(&mut self, node: &'n Node) -> Option<Parts<'n>> {
        let entries = node.as_map()?;
        if let Some(op) = node.get("op").and_then(Node::as_text) {
            return Some(Parts {
                head: &op.value,
                head_span: op.span,
                value: None,
                entries,
                span: node.span,
            });
        }
        let is_head =
            |checker: &Self, name: &str| operation(name).is_some() || checker.world.procs.contains(name);
        let head = entries.iter().find(|entry| is_head(self, &entry.key.value));
        let Some(head) = head else {
            self.unknown_operation(node, entries);
            return None;
        };
        let allowed = operation(&head.key.value).unwrap_or_default();
        let second = entries.iter().find(|entry| {
            entry.key.span != head.key.span
                && operation(&entry.key.value).is_some()
                && !allowed.contains(&entry.key.value.as_str())
        });
        if let Some(second) = second {
            self.report(
                Diagnostic::error(
                    "E-OP",
                    second.key.span,
                    format!(
                        "two operations in one statement: `{}` and `{}`",
                        head.key.value, second.key.value
                    ),
                )
                .hint("write them as two statements"),
            );
            return None;
        }
        Some(Parts {
            head: &head.key.value,
            head_span: head.key.span,
            value: Some(&head.value),
            entries,
            span: node.span,
        })
    }

    fn unknown_operation(&mut self, node: &Node, entries: &[Entry]) {
        let Some(first) = entries.first() else {
            self.wrong("E-OP", node.span, "an empty object is no statement");
            return;
        };
        let known: Vec<String> = OPERATIONS
            .iter()
            .map(|(op, _)| (*op).to_owned())
            .chain(self.world.procs.names().map(str::to_owned))
            .collect();
        // The misspelt head is the key that is nearest to an operation.
        let near = entries.iter().find_map(|entry| {
            suggest(&entry.key.value, known.iter().map(String::as_str)).map(|near| (entry, near))
        });
        let (entry, hint) = match near {
            Some((entry, near)) => (entry, Some(format!("did you mean `{near}`?"))),
            None => (first, None),
        };
        let mut diagnostic =
            Diagnostic::error("E-OP", entry.key.span, format!("unknown operation `{}`", entry.key.value));
        diagnostic.hints.extend(hint);
        self.report(diagnostic);
    }

    fn perform(&mut self, parts: &Parts<'_>) -> Goes {
        let Some(known) = operation(parts.head) else {
            return self.proc_call(parts);
        };
        if parts.head != "emit" {
            for entry in parts.arguments() {
                let is_head_value = entry.key.value == "first" && parts.value.is_none();
                if !known.contains(&entry.key.value.as_str()) && !is_head_value {
                    let what = format!("`{}`", parts.head);
                    self.unknown_key(&entry.key, &what, known);
                }
            }
        }
        let Some(value) = parts.value.or_else(|| parts.get("first")) else {
            let message = format!("`{}` needs a value", parts.head);
            self.wrong("E-ARGS", parts.head_span, message);
            return Goes::On;
        };
        self.check_allowed(parts);
        match parts.head {
            "let" => self.let_statement(value),
            "set" => self.set_statement(value, false),
            "add" => self.set_statement(value, true),
            "if" => return self.if_statement(parts, value),
            "switch" => return self.switch_statement(parts, value),
            "each" => self.each_statement(parts, value),
            "repeat" => self.repeat_statement(parts, value),
            "exit" => return self.exit_statement(value),
            "return" => return self.return_statement(value),
            "emit" => self.emit_statement(parts, value),
            "choose" => self.choose_statement(parts, value),
            "roll" => self.roll_statement(parts, value),
            "shuffle" => {
                let zone = self.zone_value(value, None);
                self.emit(Instr::Shuffle { zone });
            }
            "move" => self.move_statement(parts, value),
            "create" => self.create_statement(parts, value),
            "remove" => self.remove_statement(value),
            "phase" => return self.phase_statement(parts, value),
            "end" => return self.end_statement(parts, value),
            "call" => self.call_statement(parts, value),
            "prevent" => self.prevent_statement(parts, value),
            "group" => return self.group_statement(parts, value),
            "take" => {
                self.node_as(value, &Ty::Action);
                self.unsupported(parts.span, "`take`");
            }
            _ => {
                self.word(value, "what to resolve", &["top", "all"]);
                self.unsupported(parts.span, "`resolve`");
            }
        }
        Goes::On
    }

    fn remove_statement(&mut self, value: &Node) {
        let what = self.node_value(value);
        let what = self.coerce(what, &Ty::Entity, value.span);
        if what.ty == Ty::PLAYER || what.ty == Ty::Kind(intermezzo_ruleset::KindId::MATCH) {
            self.wrong("E-TYPE", value.span, "players and the match cannot be removed");
        }
        self.usage.emitted.insert(native::REMOVED.0);
        self.emit(Instr::Remove { entity: what.reg });
    }

    /// Some operations have no place in `apply` or in a group.
    fn check_allowed(&mut self, parts: &Parts<'_>) {
        if self.body.mode == Mode::Apply
            && !["let", "set", "add", "if", "each", "switch"].contains(&parts.head)
        {
            self.report(
                Diagnostic::error("E-APPLY", parts.head_span, format!("`{}` cannot stand in `apply`", parts.head))
                    .hint("`apply` only writes properties, with `set` and `add` under `if` and `each`; consequences go into `then`"),
            );
        }
        if self.body.group && ["choose", "roll", "shuffle", "phase", "end"].contains(&parts.head) {
            self.report(
                Diagnostic::error(
                    "E-GROUP",
                    parts.head_span,
                    format!("`{}` cannot stand in a group", parts.head),
                )
                .hint("a group happens all at once: ask and roll before it"),
            );
        }
    }

    // --- locals and branches ----------------------------------------------------------

    fn let_statement(&mut self, value: &Node) {
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
    pub(crate) fn assign(&mut self, name: &str, value: &Val, span: Span) {
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

    fn if_statement(&mut self, parts: &Parts<'_>, value: &Node) -> Goes {
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
        let then_goes = parts.get("then").map_or(Goes::On, |then| self.block(then));
        self.body.facts.truncate(facts);
        let else_goes = match parts.get("else") {
            Some(otherwise) => {
                let done = (then_goes == Goes::On).then(|| self.emit(Instr::Jump { to: 0 }));
                self.body.land(&no);
                self.body.facts.extend(else_facts.iter().cloned());
                let goes = self.block(otherwise);
                self.body.facts.truncate(facts);
                self.body.land(&done.into_iter().collect::<Vec<_>>());
                goes
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

    fn switch_statement(&mut self, parts: &Parts<'_>, value: &Node) -> Goes {
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
            if self.block(&case.value) == Goes::On {
                done.push(self.emit(Instr::Jump { to: 0 }));
            }
            self.body.land(&[no]);
        }
        if let Some(otherwise) = parts.get("else") {
            self.block(otherwise);
        }
        self.body.land(&done);
        Goes::On
    }

    // --- loops -------------------------------------------------------------------------

    fn each_statement(&mut self, parts: &Parts<'_>, value: &Node) {
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

    fn repeat_statement(&mut self, parts: &Parts<'_>, value: &Node) {
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

    fn exit_statement(&mut self, value: &Node) -> Goes {
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

    fn return_statement(&mut self, value: &Node) -> Goes {
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

    fn phase_statement(&mut self, parts: &Parts<'_>, value: &Node) -> Goes {
        let Some(name) = self.text(value, "`phase`") else { return Goes::On };
        self.check_identifier(name, "`phase`");
        let Some((phase, _)) = self.world.phases.get(&name.value).copied() else {
            let known: Vec<String> = self.world.phases.names().map(str::to_owned).collect();
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

    fn end_statement(&mut self, parts: &Parts<'_>, value: &Node) -> Goes {
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
