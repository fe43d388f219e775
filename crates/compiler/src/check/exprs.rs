//! Expressions: where they begin, names, literals.

use std::rc::Rc;

use intermezzo_ruleset::{FlowInfo, Instr, KindId, NULL, Reg, Word, word};

use super::types::{RecordTy, Ty};
use super::{Checker, Val};
use crate::expr::{Expr, ExprKind, Name, UnaryOp};
use crate::source::Span;
use crate::tree::{Node, Value};

/// Names every expression can start with.
pub(crate) const ROOTS: &[&str] = &["players", "match", "options", "flow", "stack"];

impl Checker<'_> {
    /// An expression as it stands in a file: text, number, yes/no, list, or one of the structured forms.
    pub(crate) fn node_expr(&mut self, node: &Node) -> Option<Expr> {
        let kind = match &node.value {
            Value::Null => ExprKind::Null,
            Value::Bool(true) => ExprKind::True,
            Value::Bool(false) => ExprKind::False,
            Value::Int(number) => ExprKind::Int(*number),
            Value::Text(text) => match crate::expr::parse(text) {
                Ok(expr) => return Some(expr),
                Err(diagnostic) => {
                    self.report(diagnostic);
                    return None;
                }
            },
            Value::List(items) => {
                ExprKind::List(items.iter().map(|item| self.node_expr(item)).collect::<Option<_>>()?)
            }
            Value::Map(_) => return self.structured_expr(node),
        };
        Some(Expr { span: node.span, kind })
    }

    /// The value of an expression node, of the wanted type.
    pub(crate) fn node_as(&mut self, node: &Node, wanted: &Ty) -> Reg {
        match self.node_expr(node) {
            Some(expr) => self.value_as(&expr, wanted),
            None => self.constant(NULL),
        }
    }

    /// The value of an expression node, whatever its type.
    pub(crate) fn node_value(&mut self, node: &Node) -> Val {
        match self.node_expr(node) {
            Some(expr) => self.value(&expr),
            None => self.error_value(),
        }
    }

    fn error_value(&mut self) -> Val {
        Val { reg: self.constant(NULL), ty: Ty::Error }
    }

    /// The value of an expression, made to fit the wanted type.
    pub(crate) fn value_as(&mut self, expr: &Expr, wanted: &Ty) -> Reg {
        let value = self.value_expecting(expr, wanted);
        self.coerce(value, wanted, expr.span).reg
    }

    /// Puts the value into a given register.
    pub(crate) fn value_into(&mut self, dst: Reg, expr: &Expr, wanted: &Ty) {
        let reg = self.value_as(expr, wanted);
        self.body.put(dst, reg);
    }

    /// Literals take their type from what is wanted.
    pub(crate) fn value_expecting(&mut self, expr: &Expr, wanted: &Ty) -> Val {
        match (&expr.kind, wanted.present()) {
            (ExprKind::List(items), Ty::List(item)) => self.list_literal(items, Some(&item)),
            (ExprKind::Record(fields), Ty::Record(record)) => self.record_literal(fields, &record, expr.span),
            (ExprKind::Name(name), ty) if ty.is_name() => self.name_expecting(name, &ty, expr.span),
            (ExprKind::If { cond, then, otherwise }, _) => {
                self.conditional(cond, then, otherwise, Some(wanted), expr.span)
            }
            _ => self.value(expr),
        }
    }

    /// A bare name where a set of names is wanted: a member of the set wins over a zone of the same name.
    fn name_expecting(&mut self, name: &str, wanted: &Ty, span: Span) -> Val {
        if self.body.binding(name).is_none() {
            if let Some(&symbol) = self.world.symbol_index.get(name)
                && self.world.belongs(symbol, wanted)
                && *wanted != Ty::Symbol
            {
                self.note_symbol_use(name);
                return Val { reg: self.constant(Word::from(symbol.0)), ty: wanted.clone() };
            }
            let known =
                self.world.is_symbol(name) || self.world.zones.contains(name) || ROOTS.contains(&name);
            if !known {
                let members = self.world.members(wanted);
                let what = self.world.show(wanted);
                let code = if matches!(wanted, Ty::Enum(_)) { "E-ENUM" } else { "E-NAME" };
                let mut candidates: Vec<String> = members;
                if candidates.len() > 12
                    || crate::diagnostic::suggest(name, candidates.iter().map(String::as_str)).is_none()
                {
                    let locals = self.body.bindings.iter().filter(|binding| binding.name != "it");
                    let near: Vec<String> = locals.map(|binding| binding.name.clone()).collect();
                    if crate::diagnostic::suggest(name, near.iter().map(String::as_str)).is_some() {
                        candidates = near;
                    }
                }
                let ty = self.unknown(code, span, &what, name, candidates.iter().map(String::as_str));
                return Val { reg: self.constant(NULL), ty };
            }
        }
        let value = self.name_value(name, span);
        Val { ty: self.body.known(name, &value.ty), ..value }
    }

    /// The value of an expression.
    pub(crate) fn value(&mut self, expr: &Expr) -> Val {
        match &expr.kind {
            ExprKind::Int(number) => self.word_value(*number, Ty::Int),
            ExprKind::True => self.word_value(1, Ty::Bool),
            ExprKind::False => self.word_value(0, Ty::Bool),
            ExprKind::Null => self.word_value(NULL, Ty::Null),
            ExprKind::Text(text) => {
                let id = self.intern_text(text);
                self.word_value(Word::from(id.0), Ty::Text)
            }
            ExprKind::Dice { count, sides } => self.dice_literal(*count, *sides, expr.span),
            ExprKind::Name(name) => {
                let value = self.name_value(name, expr.span);
                self.narrowed(expr, value)
            }
            ExprKind::Call { name, args } => self.call(name, args, expr.span),
            ExprKind::Method { target, name, args, has_parens, null_safe } => {
                let value = self.member(target, name, args, *has_parens, *null_safe, expr.span);
                self.narrowed(expr, value)
            }
            ExprKind::Index { target, index } => self.index(target, index, false),
            ExprKind::Assert(inner) => self.assert_present(inner),
            ExprKind::List(items) => self.list_literal(items, None),
            ExprKind::Record(fields) => self.free_record(fields),
            ExprKind::Unary { op: UnaryOp::Neg, operand } => {
                let a = self.value_as(operand, &Ty::Int);
                let dst = self.body.temp();
                self.emit(Instr::Neg { dst, a });
                Val { reg: dst, ty: Ty::Int }
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                let a = self.value_as(operand, &Ty::Bool);
                let dst = self.body.temp();
                self.emit(Instr::Not { dst, a });
                Val { reg: dst, ty: Ty::Bool }
            }
            ExprKind::Binary { op, left, right, .. } => self.binary(*op, left, right, expr),
            ExprKind::Is { target, name } => self.is_test(target, name),
            ExprKind::If { cond, then, otherwise } => {
                self.conditional(cond, then, otherwise, None, expr.span)
            }
        }
    }

    fn word_value(&mut self, word: Word, ty: Ty) -> Val {
        Val { reg: self.constant(word), ty }
    }

    fn dice_literal(&mut self, count: i64, sides: i64, span: Span) -> Val {
        let (Ok(count), Ok(sides)) = (u32::try_from(count), u32::try_from(sides)) else {
            let ty =
                self.wrong("E-TYPE", span, "dice need a count and a number of sides of at most nine digits");
            return Val { reg: self.constant(NULL), ty };
        };
        if count == 0 || sides == 0 || count > 1_000 || sides > 1_000_000 {
            self.wrong("E-TYPE", span, "dice are from 1 to 1000, with 1 to 1000000 sides");
        }
        self.word_value(word::dice(count, sides), Ty::Dice)
    }

    pub(crate) fn name_value(&mut self, name: &str, span: Span) -> Val {
        if let Some(binding) = self.body.binding(name) {
            let (reg, ty) = (binding.reg, binding.ty.clone());
            return Val { reg, ty };
        }
        match name {
            "players" => {
                let dst = self.body.temp();
                self.emit(Instr::Players { dst });
                return Val { reg: dst, ty: Ty::list(Ty::PLAYER) };
            }
            "match" => return self.word_value(word::MATCH, Ty::Kind(KindId::MATCH)),
            "options" | "flow" => {
                let ty = self.wrong(
                    "E-TYPE",
                    span,
                    format!("`{name}` is not a value; say which part of it, such as `{}`", example_of(name)),
                );
                return Val { reg: self.constant(NULL), ty };
            }
            _ => {}
        }
        if let Some(zone) = self.world.zones.get(name) {
            let id = zone.id;
            self.mark_used("zones", name);
            self.note_zone(None, id, span);
            return Val { reg: Reg(0), ty: Ty::Family(id) };
        }
        if self.world.is_symbol(name) {
            let symbol = self.symbol(name);
            self.note_symbol_use(name);
            return self.word_value(Word::from(symbol.0), Ty::Name(symbol));
        }
        self.unknown_name(name, span)
    }

    pub(crate) fn note_symbol_use(&mut self, name: &str) {
        for category in ["defs", "traits", "symbols", "phases"] {
            self.mark_used(category, name);
        }
    }

    fn unknown_name(&mut self, name: &str, span: Span) -> Val {
        let missing_root = ["self", "you", "actor", "event", "trait", "viewer", "it"].contains(&name);
        let ty = if self.unknowns > super::MAX_SUGGESTIONS {
            self.unknown("E-NAME", span, "name", name, [])
        } else if missing_root {
            self.wrong("E-NAME", span, format!("there is no `{name}` here"))
        } else {
            let mut candidates: Vec<String> =
                self.body.bindings.iter().map(|binding| binding.name.clone()).collect();
            candidates.extend(ROOTS.iter().map(|root| (*root).to_owned()));
            candidates.extend(self.world.zones.names().map(str::to_owned));
            candidates.extend(self.world.symbol_names().into_iter().map(str::to_owned));
            self.unknown("E-NAME", span, "name", name, candidates.iter().map(String::as_str))
        };
        Val { reg: self.constant(NULL), ty }
    }

    fn assert_present(&mut self, inner: &Expr) -> Val {
        let value = self.value(inner);
        self.emit(Instr::Assert { value: value.reg });
        Val { ty: value.ty.present(), ..value }
    }

    fn list_literal(&mut self, items: &[Expr], wanted: Option<&Ty>) -> Val {
        if items.is_empty() {
            return self.word_value(0, Ty::list(wanted.cloned().unwrap_or(Ty::Never)));
        }
        let mark = self.body.temp();
        self.emit(Instr::Begin { dst: mark });
        let mut item_ty = wanted.cloned().unwrap_or(Ty::Never);
        for item in items {
            let value = match wanted {
                Some(wanted) => {
                    let value = self.value_expecting(item, wanted);
                    self.coerce(value, wanted, item.span)
                }
                None => {
                    let value = self.value(item);
                    self.comparable(value)
                }
            };
            if wanted.is_none() {
                item_ty = match self.join(&item_ty, &value.ty) {
                    Some(ty) => ty,
                    None => self.no_join(&item_ty, &value.ty, item.span),
                };
            }
            self.emit(Instr::Push { value: value.reg });
        }
        let dst = self.body.temp();
        self.emit(Instr::Finish { dst, mark });
        Val { reg: dst, ty: Ty::list(item_ty) }
    }

    /// A record of a known type: fields may come in any order, and all must be there.
    fn record_literal(&mut self, fields: &[(Name, Expr)], record: &Rc<RecordTy>, span: Span) -> Val {
        let first = self.body.temps(record.fields.len() as u16);
        for (name, expr) in fields {
            let found = record.fields.iter().position(|(field, _)| self.world.spelling(*field) == name.text);
            let Some(at) = found else {
                let known = self.world.field_names(&record.fields);
                self.unknown("E-PROP", name.span, "field", &name.text, known.iter().map(String::as_str));
                continue;
            };
            let wanted = record.fields[at].1.clone();
            self.value_into(first.offset(at as u16), expr, &wanted);
        }
        let missing: Vec<String> = record
            .fields
            .iter()
            .map(|(field, _)| self.world.spelling(*field).to_owned())
            .filter(|field| !fields.iter().any(|(name, _)| name.text == *field))
            .collect();
        if !missing.is_empty() && fields.len() < record.fields.len() {
            let message = format!("missing {}", missing.join(", "));
            self.wrong("E-ARGS", span, message);
        }
        let dst = self.body.temp();
        self.emit(Instr::Record { dst, first, count: record.fields.len() as u16 });
        Val { reg: dst, ty: Ty::Record(Rc::clone(record)) }
    }

    /// A record whose type is made up by its fields.
    fn free_record(&mut self, fields: &[(Name, Expr)]) -> Val {
        let first = self.body.temps(fields.len() as u16);
        let mut types = Vec::new();
        for (at, (name, expr)) in fields.iter().enumerate() {
            let value = self.value(expr);
            let value = self.comparable(value);
            self.body.put(first.offset(at as u16), value.reg);
            types.push((self.symbol(&name.text), value.ty));
        }
        let dst = self.body.temp();
        self.emit(Instr::Record { dst, first, count: fields.len() as u16 });
        Val { reg: dst, ty: Ty::Record(Rc::new(RecordTy { name: None, fields: types })) }
    }

    /// `flow.…`
    pub(crate) fn flow_part(&mut self, name: &Name, args: &[crate::expr::Arg]) -> Val {
        let dst = self.body.temp();
        let (what, ty) = match name.text.as_str() {
            "active" => (FlowInfo::Active, Ty::PLAYER),
            "subject" => (FlowInfo::Subject, Ty::SomeEntity.maybe()),
            "phase" => (FlowInfo::Phase, Ty::Phase.maybe()),
            "changes" => (FlowInfo::Changes, Ty::Int),
            "in" if args.len() == 1 => {
                let phase = self.value_as(&args[0].body, &Ty::Phase);
                self.emit(Instr::InPhase { dst, phase });
                return Val { reg: dst, ty: Ty::Bool };
            }
            other => {
                let known = ["active", "subject", "phase", "changes", "in"];
                let ty = self.unknown("E-PROP", name.span, "part of `flow`", other, known);
                return Val { reg: dst, ty };
            }
        };
        if matches!(what, FlowInfo::Subject | FlowInfo::Changes) {
            self.note_secret(name.span, format!("`flow.{}` tells of what not everyone sees", name.text));
        }
        self.emit(Instr::Flow { dst, what });
        if what == FlowInfo::Active {
            self.emit(Instr::Assert { value: dst });
        }
        Val { reg: dst, ty }
    }
}

fn example_of(root: &str) -> &'static str {
    match root {
        "options" => "options.name",
        "flow" => "flow.active",
        _ => "stack.count",
    }
}
