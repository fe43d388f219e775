//! Expressions: entry points, names and literals.

use std::rc::Rc;

use intermezzo_program::{FlowInfo, Instr, KindId, NULL, Reg, Word, word};

use super::types::{RecordTy, Ty};
use super::{Checker, Val};
use crate::expr::{Expr, ExprKind, SpannedName, UnaryOp};
use crate::source::Span;
use crate::symbol_index::SymbolCategory;
use crate::tree::{NodeValue, SourceNode};

/// Names of the language that an expression can start with.
pub(crate) const ROOTS: &[&str] = &["players", "match", "options", "flow", "stack"];

impl Checker<'_> {
    /// Parses an expression node: text, number, boolean, list, or structured notation.
    pub(crate) fn node_expr(&mut self, node: &SourceNode) -> Option<Expr> {
        let kind = match &node.value {
            NodeValue::Null => ExprKind::Null,
            NodeValue::Bool(true) => ExprKind::True,
            NodeValue::Bool(false) => ExprKind::False,
            NodeValue::Int(number) => ExprKind::Int(*number),
            NodeValue::Text(text) => match crate::expr::parse(text) {
                Ok(expr) => return Some(expr),
                Err(diagnostic) => {
                    self.report(diagnostic);
                    return None;
                }
            },
            NodeValue::List(items) => {
                ExprKind::List(items.iter().map(|item| self.node_expr(item)).collect::<Option<_>>()?)
            }
            NodeValue::Map(_) => return self.structured_expr(node),
        };
        Some(Expr { span: node.span, kind })
    }

    /// Compiles an expression node and converts the value to the expected type.
    pub(crate) fn node_as(&mut self, node: &SourceNode, wanted: &Ty) -> Reg {
        match self.node_expr(node) {
            Some(expr) => self.value_as(&expr, wanted),
            None => self.constant(NULL),
        }
    }

    /// Compiles an expression node of any type.
    pub(crate) fn node_value(&mut self, node: &SourceNode) -> Val {
        match self.node_expr(node) {
            Some(expr) => self.value(&expr),
            None => self.error_value(),
        }
    }

    fn error_value(&mut self) -> Val {
        Val { reg: self.constant(NULL), ty: Ty::Error }
    }

    /// Compiles an expression and converts the value to the expected type.
    pub(crate) fn value_as(&mut self, expr: &Expr, wanted: &Ty) -> Reg {
        let value = self.value_expecting(expr, wanted);
        self.coerce(value, wanted, expr.span).reg
    }

    /// Compiles an expression into the given register.
    pub(crate) fn value_into(&mut self, dst: Reg, expr: &Expr, wanted: &Ty) {
        let reg = self.value_as(expr, wanted);
        self.body.put(dst, reg);
    }

    /// Compiles an expression whose literals take the expected type.
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

    /// Compiles a bare name where a member of a set is expected. A member takes precedence over a zone of the
    /// same name.
    fn name_expecting(&mut self, name: &str, wanted: &Ty, span: Span) -> Val {
        if self.is_stopped() {
            return self.error_value();
        }
        if self.body.binding(name).is_none() {
            if let Some(&symbol) = self.symbols.symbol_index.get(name)
                && self.symbols.is_member(symbol, wanted)
                && *wanted != Ty::Symbol
            {
                self.note_symbol_use(name);
                self.note_symbol_name(Some(wanted), name, span);
                return Val { reg: self.constant(Word::from(symbol.0)), ty: wanted.clone() };
            }
            let known =
                self.symbols.is_symbol(name) || self.symbols.zones.contains(name) || ROOTS.contains(&name);
            if !known {
                let members = if self.may_suggest() { self.symbols.members(wanted) } else { Vec::new() };
                let what = self.symbols.type_name(wanted);
                let code = if matches!(wanted, Ty::Enum(_)) { "E-ENUM" } else { "E-NAME" };
                let mut candidates: Vec<String> = members;
                if candidates.len() > 12
                    || self.suggest(name, candidates.iter().map(String::as_str)).is_none()
                {
                    let locals = self.body.bindings.iter().filter(|binding| binding.name != "it");
                    let mut near: Vec<String> = locals.map(|binding| binding.name.clone()).collect();
                    near.extend(["true", "false", "null"].map(str::to_owned));
                    // `create` takes traits as well.
                    if matches!(wanted.present(), Ty::Def) {
                        near.extend(self.symbols.traits.owned_names());
                    }
                    if self.suggest(name, near.iter().map(String::as_str)).is_some() {
                        candidates = near;
                    }
                }
                let ty = self.report_unknown(code, span, &what, name, candidates.iter().map(String::as_str));
                return Val { reg: self.constant(NULL), ty };
            }
        }
        let value = self.name_value(name, span);
        Val { ty: self.body.narrowed_type(name, &value.ty), ..value }
    }

    pub(crate) fn value(&mut self, expr: &Expr) -> Val {
        let value = self.compile_value(expr);
        self.note_type(expr, &value);
        value
    }

    fn compile_value(&mut self, expr: &Expr) -> Val {
        if self.is_stopped() {
            return self.error_value();
        }
        if self.body.spans.is_empty() {
            // A routine without statements of its own would seem to belong to the code before it.
            self.body.spans.push((0, expr.span));
        }
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
                self.narrow(expr, value)
            }
            ExprKind::Call { name, args } => self.call(name, args, expr.span),
            ExprKind::Method { target, name, args, has_parens, null_safe } => {
                let value = self.member(target, name, args, *has_parens, *null_safe, expr.span);
                self.narrow(expr, value)
            }
            ExprKind::Index { target, index } => self.index(target, index, false),
            ExprKind::Assert(inner) => self.assert_present(inner),
            ExprKind::List(items) => self.list_literal(items, None),
            ExprKind::Record(fields) => self.inferred_record(fields),
            ExprKind::Unary { op: UnaryOp::Neg, operand } => {
                let a = self.value_as(operand, &Ty::Int);
                let dst = self.body.new_temp();
                self.emit(Instr::Neg { dst, a });
                Val { reg: dst, ty: Ty::Int }
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                let a = self.value_as(operand, &Ty::Bool);
                let dst = self.body.new_temp();
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
            let ty = self.report_error(
                "E-TYPE",
                span,
                "dice need a count and a number of sides of at most nine digits",
            );
            return Val { reg: self.constant(NULL), ty };
        };
        if count == 0 || sides == 0 || count > 1_000 || sides > 1_000_000 {
            self.report_error("E-TYPE", span, "a roll has 1 to 1000 dice with 1 to 1000000 sides");
        }
        self.word_value(word::dice(count, sides), Ty::Dice)
    }

    pub(crate) fn name_value(&mut self, name: &str, span: Span) -> Val {
        if let Some(binding) = self.body.binding(name) {
            let (reg, ty) = (binding.reg, binding.ty.clone());
            self.note_name(SymbolCategory::Local, name, "", span);
            return Val { reg, ty };
        }
        match name {
            "players" => {
                let dst = self.body.new_temp();
                self.emit(Instr::Players { dst });
                return Val { reg: dst, ty: Ty::list(Ty::PLAYER) };
            }
            "match" => return self.word_value(word::MATCH, Ty::Kind(KindId::MATCH)),
            "options" | "flow" => {
                let ty = self.report_error(
                    "E-TYPE",
                    span,
                    format!("`{name}` is not a value; say which part of it, such as `{}`", example_of(name)),
                );
                return Val { reg: self.constant(NULL), ty };
            }
            _ => {}
        }
        if let Some(zone) = self.symbols.zones.get(name) {
            let id = zone.id;
            self.mark_used("zones", name);
            self.note_name(SymbolCategory::Zone, name, "", span);
            self.note_zone(None, id, span);
            return Val { reg: Reg(0), ty: Ty::Family(id) };
        }
        if self.symbols.is_symbol(name) {
            let symbol = self.intern_symbol(name);
            self.note_symbol_use(name);
            self.note_symbol_name(None, name, span);
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
        let ty = if !self.may_suggest() {
            self.report_unknown("E-NAME", span, "name", name, [])
        } else if missing_root {
            self.report_error("E-NAME", span, format!("there is no `{name}` here"))
        } else {
            let mut candidates: Vec<String> =
                self.body.bindings.iter().map(|binding| binding.name.clone()).collect();
            candidates.extend(ROOTS.iter().map(|root| (*root).to_owned()));
            candidates.extend(self.symbols.zones.names().map(str::to_owned));
            candidates.extend(self.symbols.symbol_names().into_iter().map(str::to_owned));
            candidates.extend(["true", "false", "null", "it"].map(str::to_owned));
            self.report_unknown("E-NAME", span, "name", name, candidates.iter().map(String::as_str))
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
        let mark = self.body.new_temp();
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
                    None => self.report_no_join(&item_ty, &value.ty, item.span),
                };
            }
            self.emit(Instr::Push { value: value.reg });
        }
        let dst = self.body.new_temp();
        self.emit(Instr::Finish { dst, mark });
        Val { reg: dst, ty: Ty::list(item_ty) }
    }

    /// Compiles a record literal of a known type. Fields may come in any order, and all are required.
    fn record_literal(&mut self, fields: &[(SpannedName, Expr)], record: &Rc<RecordTy>, span: Span) -> Val {
        let first = self.body.new_temps(record.fields.len() as u16);
        for (name, expr) in fields {
            let found =
                record.fields.iter().position(|(field, _)| self.symbols.spelling(*field) == name.text);
            let Some(at) = found else {
                let known = self.symbols.field_names(&record.fields);
                self.report_unknown(
                    "E-PROP",
                    name.span,
                    "field",
                    &name.text,
                    known.iter().map(String::as_str),
                );
                continue;
            };
            let wanted = record.fields[at].1.clone();
            self.value_into(first.offset(at as u16), expr, &wanted);
        }
        let missing: Vec<String> = record
            .fields
            .iter()
            .map(|(field, _)| self.symbols.spelling(*field).to_owned())
            .filter(|field| !fields.iter().any(|(name, _)| name.text == *field))
            .collect();
        if !missing.is_empty() && fields.len() < record.fields.len() {
            let message = format!("missing {}", missing.join(", "));
            self.report_error("E-ARGS", span, message);
        }
        let dst = self.body.new_temp();
        self.emit(Instr::Record { dst, first, count: record.fields.len() as u16 });
        Val { reg: dst, ty: Ty::Record(Rc::clone(record)) }
    }

    /// Compiles a record literal whose type follows from its fields.
    fn inferred_record(&mut self, fields: &[(SpannedName, Expr)]) -> Val {
        let first = self.body.new_temps(fields.len() as u16);
        let mut types = Vec::new();
        for (at, (name, expr)) in fields.iter().enumerate() {
            let value = self.value(expr);
            let value = self.comparable(value);
            self.body.put(first.offset(at as u16), value.reg);
            types.push((self.intern_symbol(&name.text), value.ty));
        }
        let dst = self.body.new_temp();
        self.emit(Instr::Record { dst, first, count: fields.len() as u16 });
        Val { reg: dst, ty: Ty::Record(Rc::new(RecordTy { name: None, fields: types })) }
    }

    /// Compiles `flow.name`.
    pub(crate) fn flow_part(&mut self, name: &SpannedName, args: &[crate::expr::Arg]) -> Val {
        let dst = self.body.new_temp();
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
                let ty = self.report_unknown("E-PROP", name.span, "part of `flow`", other, known);
                return Val { reg: dst, ty };
            }
        };
        if matches!(what, FlowInfo::Subject | FlowInfo::Changes) {
            self.note_hidden_read(
                name.span,
                format!("`flow.{}` depends on things that not everyone sees", name.text),
            );
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
