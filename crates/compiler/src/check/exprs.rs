//! Expressions: names, operators, tests.

use std::rc::Rc;

use intermezzo_ruleset::{FlowInfo, Instr, KindId, NULL, Reg, Symbol, Word, word};

use super::body::Fact;
use super::coerce::Fit;
use super::types::{RecordTy, Ty};
use super::{Checker, Val};
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind, Name, UnaryOp};
use crate::source::Span;
use crate::tree::{Node, Value};

/// Names every expression can start with.
pub(crate) const ROOTS: &[&str] = &["players", "match", "options", "flow", "stack"];

impl Checker<'_> {
    // --- entry points -------------------------------------------------------

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

    pub(crate) fn error_value(&mut self) -> Val {
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
    fn value_expecting(&mut self, expr: &Expr, wanted: &Ty) -> Val {
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
            ExprKind::Index { target, index } => self.index(target, index, false, expr.span),
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

    // --- names -----------------------------------------------------------------

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
            "options" | "flow" | "stack" => {
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
        let ty = if missing_root {
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

    // --- facts: what tests have shown ---------------------------------------------

    /// The path a test can be about: a name, or fields of one.
    pub(crate) fn path(expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::Method { target, name, has_parens: false, .. } => {
                Some(format!("{}.{}", Self::path(target)?, name.text))
            }
            _ => None,
        }
    }

    fn narrowed(&self, expr: &Expr, value: Val) -> Val {
        match Self::path(expr) {
            Some(path) => Val { ty: self.body.known(&path, &value.ty), ..value },
            None => value,
        }
    }

    /// What holds if the test comes out as `truth`.
    pub(crate) fn facts(&mut self, expr: &Expr, truth: bool) -> Vec<Fact> {
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.facts(operand, !truth),
            ExprKind::Binary { op, left, right, .. } => {
                let null_test =
                    |a: &Expr, b: &Expr| matches!(b.kind, ExprKind::Null).then(|| Self::path(a)).flatten();
                match op {
                    BinaryOp::And if truth => self.both_facts(left, right, true),
                    BinaryOp::Or if !truth => self.both_facts(left, right, false),
                    BinaryOp::Ne | BinaryOp::Eq if (*op == BinaryOp::Ne) == truth => null_test(left, right)
                        .or_else(|| null_test(right, left))
                        .map(|path| Fact { path, ty: None })
                        .into_iter()
                        .collect(),
                    _ => Vec::new(),
                }
            }
            ExprKind::Is { target, name } if truth => {
                let Some(path) = Self::path(target) else { return Vec::new() };
                let ty = self.family_type(&name.text);
                vec![Fact { path, ty }]
            }
            _ => Vec::new(),
        }
    }

    fn both_facts(&mut self, left: &Expr, right: &Expr, truth: bool) -> Vec<Fact> {
        let mut facts = self.facts(left, truth);
        facts.extend(self.facts(right, truth));
        facts
    }

    /// The type something has that `is` the named family.
    fn family_type(&self, name: &str) -> Option<Ty> {
        if let Some(kind) = self.world.kinds.get(name) {
            return Some(Ty::Kind(kind.id));
        }
        if let Some(def) = self.world.defs.get(name) {
            return Some(Ty::Kind(def.kind));
        }
        if let Some(zone) = self.world.zones.get(name) {
            return Some(Ty::Zone(Some(zone.id)));
        }
        if let Some(event) = self.world.events.get(name) {
            return Some(Ty::Event(Some(event.id)));
        }
        self.world.aliases.get(name).map(|alias| Ty::Event(Some(alias.of)))
    }

    // --- operators --------------------------------------------------------------------

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, whole: &Expr) -> Val {
        match op {
            BinaryOp::And | BinaryOp::Or => self.logic(whole),
            BinaryOp::Coalesce => self.coalesce(left, right, whole.span),
            BinaryOp::Eq | BinaryOp::Ne => self.equality(op == BinaryOp::Ne, left, right, whole.span),
            BinaryOp::In | BinaryOp::NotIn => self.membership(op == BinaryOp::NotIn, left, right),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let a = self.value_as(left, &Ty::Int);
                let b = self.value_as(right, &Ty::Int);
                let dst = self.body.temp();
                self.emit(match op {
                    BinaryOp::Lt => Instr::Lt { dst, a, b },
                    BinaryOp::Le => Instr::Le { dst, a, b },
                    BinaryOp::Gt => Instr::Lt { dst, a: b, b: a },
                    _ => Instr::Le { dst, a: b, b: a },
                });
                Val { reg: dst, ty: Ty::Bool }
            }
            BinaryOp::Add => self.addition(left, right),
            BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                let a = self.value_as(left, &Ty::Int);
                let b = self.value_as(right, &Ty::Int);
                if matches!(op, BinaryOp::Div | BinaryOp::Rem) && matches!(right.kind, ExprKind::Int(0)) {
                    self.wrong("E-TYPE", right.span, "this divides by zero");
                }
                if op == BinaryOp::Sub
                    && let Some(value) = self.body.take_constant(b)
                {
                    let dst = self.body.temp();
                    if let Some(value) = value.checked_neg() {
                        self.emit(Instr::AddInt { dst, a, value });
                    } else {
                        self.load(b, Word::from(value));
                        self.emit(Instr::Sub { dst, a, b });
                    }
                    return Val { reg: dst, ty: Ty::Int };
                }
                let dst = self.body.temp();
                self.emit(match op {
                    BinaryOp::Sub => Instr::Sub { dst, a, b },
                    BinaryOp::Mul => Instr::Mul { dst, a, b },
                    BinaryOp::Div => Instr::Div { dst, a, b },
                    _ => Instr::Rem { dst, a, b },
                });
                Val { reg: dst, ty: Ty::Int }
            }
        }
    }

    fn addition(&mut self, left: &Expr, right: &Expr) -> Val {
        let a = self.value(left);
        if Self::is_listlike(&a.ty.present()) {
            if a.ty.is_maybe() {
                self.warn_null(left.span);
            }
            let a = self.as_list(Val { ty: a.ty.present(), ..a });
            let b = self.value(right);
            let b =
                if Self::is_listlike(&b.ty) { self.as_list(b) } else { self.coerce(b, &a.ty, right.span) };
            let ty = match self.join(&a.ty, &b.ty) {
                Some(ty) => ty,
                None => self.no_join(&a.ty, &b.ty, right.span),
            };
            let dst = self.body.temp();
            self.emit(Instr::Concat { dst, a: a.reg, b: b.reg });
            return Val { reg: dst, ty };
        }
        let a = self.coerce(a, &Ty::Int, left.span).reg;
        let b = self.value_as(right, &Ty::Int);
        Val { reg: self.add(a, b), ty: Ty::Int }
    }

    /// a + b, b having been computed last.
    pub(crate) fn add(&mut self, a: Reg, b: Reg) -> Reg {
        let constant = self.body.take_constant(b);
        let dst = self.body.temp();
        self.emit(match constant {
            Some(value) => Instr::AddInt { dst, a, value },
            None => Instr::Add { dst, a, b },
        });
        dst
    }

    pub(crate) fn no_join(&mut self, a: &Ty, b: &Ty, span: Span) -> Ty {
        let message = format!("{} and {} do not go together", self.world.show(a), self.world.show(b));
        self.wrong("E-TYPE", span, message)
    }

    /// Both sides of a comparison, after checking that they can be the same.
    fn compared(&mut self, left: &Expr, right: &Expr, span: Span) -> (Val, Val) {
        // A name on one side is looked up among what the other side can be.
        let left_is_name = matches!(&left.kind, ExprKind::Name(name) if self.body.binding(name).is_none());
        let (a, b) = if left_is_name {
            let b = self.value(right);
            let a = self.value_expecting(left, &b.ty);
            (a, b)
        } else {
            let a = self.value(left);
            let b = self.value_expecting(right, &a.ty);
            (a, b)
        };
        let (a, b) = (self.comparable(a), self.comparable(b));
        self.check_comparable(&a.ty, &b.ty, left, right, span);
        (a, b)
    }

    fn equality(&mut self, negated: bool, left: &Expr, right: &Expr, span: Span) -> Val {
        let (a, b) = self.compared(left, right, span);
        self.equality_of(negated, &a, &b)
    }

    fn equality_of(&mut self, negated: bool, a: &Val, b: &Val) -> Val {
        let dst = self.body.temp();
        if a.ty.is_compound() && b.ty.is_compound() {
            let joined = self.join(&a.ty, &b.ty).unwrap_or(Ty::Error);
            let ty = self.type_id(&joined);
            self.emit(Instr::Same { dst, a: a.reg, b: b.reg });
            self.emit(Instr::OfType { ty });
            if negated {
                self.emit(Instr::Not { dst, a: dst });
            }
        } else if negated {
            self.emit(Instr::Ne { dst, a: a.reg, b: b.reg });
        } else {
            self.emit(Instr::Eq { dst, a: a.reg, b: b.reg });
        }
        Val { reg: dst, ty: Ty::Bool }
    }

    /// Bare zone names have no word to compare.
    fn comparable(&mut self, value: Val) -> Val {
        match value.ty {
            Ty::Family(_) => self.as_list(value),
            _ => value,
        }
    }

    fn check_comparable(&mut self, a: &Ty, b: &Ty, left: &Expr, right: &Expr, span: Span) {
        let agree =
            self.fits(&a.clone().maybe(), b) != Fit::No || self.fits(&b.clone().maybe(), a) != Fit::No;
        let kinds = a.present().is_entity() && b.present().is_entity();
        let names = a.present().is_name() && b.present().is_name();
        if agree || (kinds && self.may_be_same(&a.present(), &b.present())) {
            return;
        }
        if let (true, Ty::Name(symbol)) = (names, b.present()) {
            self.not_a_member(symbol, &a.present(), right.span);
        } else if let (true, Ty::Name(symbol)) = (names, a.present()) {
            self.not_a_member(symbol, &b.present(), left.span);
        } else {
            let message =
                format!("this is never true: {} is never {}", self.world.show(a), self.world.show(b));
            let mut diagnostic = Diagnostic::error("E-TYPE", span, message);
            if matches!(a, Ty::Zone(_)) || matches!(b, Ty::Zone(_)) {
                diagnostic = diagnostic.hint("to test which zone something is in, write `… is name_of_zone`");
            }
            self.report(diagnostic);
        }
    }

    fn not_a_member(&mut self, symbol: Symbol, set: &Ty, span: Span) {
        let value = Val { reg: Reg(0), ty: Ty::Name(symbol) };
        self.coerce(value, set, span);
    }

    fn may_be_same(&self, a: &Ty, b: &Ty) -> bool {
        match (a, b) {
            (Ty::Kind(a), Ty::Kind(b)) => self.world.extends(*a, *b) || self.world.extends(*b, *a),
            _ => true,
        }
    }

    fn membership(&mut self, negated: bool, left: &Expr, right: &Expr) -> Val {
        let list = self.value(right);
        let item = self.item_type(&list.ty.present());
        if !Self::is_listlike(&list.ty.present()) && !list.ty.is_error() {
            let message = format!("expected a list, but this is {}", self.world.show(&list.ty));
            let ty = self.wrong("E-TYPE", right.span, message);
            return Val { reg: list.reg, ty };
        }
        if list.ty.is_maybe() {
            self.warn_null(right.span);
        }
        if item.is_compound() {
            self.report(
                Diagnostic::error("E-TYPE", right.span, "`in` does not compare lists and records")
                    .hint("compare what matters: `….any(it.field == …)`"),
            );
        }
        let list = self.as_list(Val { ty: list.ty.present(), ..list });
        let value = self.value_expecting(left, &item);
        let value = self.comparable(value);
        self.check_comparable(&value.ty, &item, left, right, left.span);
        let dst = self.body.temp();
        self.emit(Instr::Contains { dst, list: list.reg, value: value.reg });
        if negated {
            self.emit(Instr::Not { dst, a: dst });
        }
        Val { reg: dst, ty: Ty::Bool }
    }

    fn coalesce(&mut self, left: &Expr, right: &Expr, span: Span) -> Val {
        let dst = self.body.temp();
        let a = match &left.kind {
            ExprKind::Index { target, index } => self.index(target, index, true, left.span),
            _ => self.value(left),
        };
        self.emit(Instr::Copy { dst, src: a.reg });
        let absent = self.emit(Instr::JumpNull { value: dst, to: 0 });
        let done = self.emit(Instr::Jump { to: 0 });
        self.body.land(&[absent]);
        let b = self.value_expecting(right, &a.ty);
        self.emit(Instr::Copy { dst, src: b.reg });
        self.body.land(&[done]);
        let ty = match self.join(&a.ty.present(), &b.ty) {
            Some(ty) => ty,
            None => self.no_join(&a.ty.present(), &b.ty, span),
        };
        Val { reg: dst, ty }
    }

    // --- tests as jumps -------------------------------------------------------------------

    fn logic(&mut self, expr: &Expr) -> Val {
        let dst = self.body.temp();
        let mut no = Vec::new();
        self.jump_if(expr, false, &mut no);
        self.emit(Instr::Int { dst, value: 1 });
        let done = self.emit(Instr::Jump { to: 0 });
        self.body.land(&no);
        self.emit(Instr::Int { dst, value: 0 });
        self.body.land(&[done]);
        Val { reg: dst, ty: Ty::Bool }
    }

    /// Code that jumps if the test comes out as `truth`; the jumps are added to `sites`.
    pub(crate) fn jump_if(&mut self, expr: &Expr, truth: bool, sites: &mut Vec<usize>) {
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.jump_if(operand, !truth, sites),
            ExprKind::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right, .. } => {
                // `and` is decided by a false left side, `or` by a true one.
                let decisive = *op == BinaryOp::Or;
                let mut skip = Vec::new();
                if truth == decisive {
                    self.jump_if(left, truth, sites);
                } else {
                    self.jump_if(left, decisive, &mut skip);
                }
                let facts = self.facts(left, !decisive);
                let known = self.body.facts.len();
                self.body.facts.extend(facts);
                self.jump_if(right, truth, sites);
                self.body.facts.truncate(known);
                self.body.land(&skip);
            }
            ExprKind::Binary { op: op @ (BinaryOp::Eq | BinaryOp::Ne), left, right, .. } => {
                let (a, b) = self.compared(left, right, expr.span);
                self.skip_if_equal(&a, &b, (*op == BinaryOp::Eq) == truth, sites);
            }
            ExprKind::Binary {
                op: op @ (BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge),
                left,
                right,
                ..
            } => {
                let a = self.value_as(left, &Ty::Int);
                let b = self.value_as(right, &Ty::Int);
                self.skip_if_ordered(*op, a, b, truth, sites);
            }
            _ => {
                let cond = self.value_as(expr, &Ty::Bool);
                let instr =
                    if truth { Instr::JumpIf { cond, to: 0 } } else { Instr::JumpUnless { cond, to: 0 } };
                let site = self.emit(instr);
                sites.push(site);
            }
        }
    }

    /// Skips if the two are equal, or if they are not.
    fn skip_if_equal(&mut self, a: &Val, b: &Val, equal: bool, sites: &mut Vec<usize>) {
        let instr = if a.ty.is_compound() && b.ty.is_compound() {
            let same = self.equality_of(!equal, a, b);
            Instr::JumpIf { cond: same.reg, to: 0 }
        } else if b.ty == Ty::Null && equal {
            Instr::JumpNull { value: a.reg, to: 0 }
        } else {
            let (a, b) = (a.reg, b.reg);
            match (self.body.take_constant(b), equal) {
                (Some(value), true) => Instr::SkipEqInt { a, value, skip: 0 },
                (Some(value), false) => Instr::SkipNeInt { a, value, skip: 0 },
                (None, true) => Instr::SkipEq { a, b, skip: 0 },
                (None, false) => Instr::SkipNe { a, b, skip: 0 },
            }
        };
        let site = self.emit(instr);
        sites.push(site);
    }

    /// Skips if the comparison comes out as `truth`.
    fn skip_if_ordered(&mut self, op: BinaryOp, a: Reg, b: Reg, truth: bool, sites: &mut Vec<usize>) {
        let op = match (op, truth) {
            (op, true) => op,
            (BinaryOp::Lt, false) => BinaryOp::Ge,
            (BinaryOp::Le, false) => BinaryOp::Gt,
            (BinaryOp::Gt, false) => BinaryOp::Le,
            (_, false) => BinaryOp::Lt,
        };
        let skip = 0;
        let instr = match (self.body.take_constant(b), op) {
            (Some(value), BinaryOp::Lt) => Instr::SkipLtInt { a, value, skip },
            (Some(value), BinaryOp::Le) => Instr::SkipLeInt { a, value, skip },
            (Some(value), BinaryOp::Gt) => Instr::SkipGtInt { a, value, skip },
            (Some(value), _) => Instr::SkipGeInt { a, value, skip },
            (None, BinaryOp::Lt) => Instr::SkipLt { a, b, skip },
            (None, BinaryOp::Le) => Instr::SkipLe { a, b, skip },
            (None, BinaryOp::Gt) => Instr::SkipLt { a: b, b: a, skip },
            (None, _) => Instr::SkipLe { a: b, b: a, skip },
        };
        let site = self.emit(instr);
        sites.push(site);
    }

    fn conditional(
        &mut self,
        cond: &Expr,
        then: &Expr,
        otherwise: &Expr,
        wanted: Option<&Ty>,
        span: Span,
    ) -> Val {
        let dst = self.body.temp();
        let mut no = Vec::new();
        self.jump_if(cond, false, &mut no);
        let a = self.under(cond, true, then, wanted);
        self.emit(Instr::Copy { dst, src: a.reg });
        let done = self.emit(Instr::Jump { to: 0 });
        self.body.land(&no);
        let b = self.under(cond, false, otherwise, wanted.or(Some(&a.ty)));
        self.emit(Instr::Copy { dst, src: b.reg });
        self.body.land(&[done]);
        let ty = match self.join(&a.ty, &b.ty) {
            Some(ty) => ty,
            None => self.no_join(&a.ty, &b.ty, span),
        };
        Val { reg: dst, ty }
    }

    /// The value of an expression that is only reached if the test came out as `truth`.
    fn under(&mut self, cond: &Expr, truth: bool, expr: &Expr, wanted: Option<&Ty>) -> Val {
        let facts = self.facts(cond, truth);
        let known = self.body.facts.len();
        self.body.facts.extend(facts);
        let value = match wanted {
            Some(wanted) => self.value_expecting(expr, wanted),
            None => self.value(expr),
        };
        let value = self.comparable(value);
        self.body.facts.truncate(known);
        value
    }

    fn assert_present(&mut self, inner: &Expr) -> Val {
        let value = self.value(inner);
        self.emit(Instr::Assert { value: value.reg });
        Val { ty: value.ty.present(), ..value }
    }

    // --- literals ----------------------------------------------------------------------------

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
                let known: Vec<String> =
                    record.fields.iter().map(|(field, _)| self.world.spelling(*field).to_owned()).collect();
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

    // --- families ------------------------------------------------------------------------------

    fn is_test(&mut self, target: &Expr, name: &Name) -> Val {
        let value = self.value(target);
        let dst = self.body.temp();
        let ty = value.ty.present();
        self.note_symbol_use(&name.text);
        if ty.is_error() {
            return Val { reg: dst, ty: Ty::Bool };
        }
        let known = match &ty {
            _ if ty.is_entity() => self.entity_is(dst, value.reg, name),
            Ty::Zone(_) => self.zone_is(dst, value.reg, name),
            Ty::Event(_) => self.event_is(dst, value.reg, name, target),
            _ => {
                let message = format!(
                    "`is` tests entities, zones and events, but this is {}",
                    self.world.show(&value.ty)
                );
                self.wrong("E-TYPE", target.span, message);
                Some(())
            }
        };
        if known.is_none() {
            let candidates: Vec<String> = match ty {
                Ty::Zone(_) => self.world.zones.names().map(str::to_owned).collect(),
                Ty::Event(_) => self.event_names(),
                _ => self
                    .world
                    .kinds
                    .names()
                    .chain(self.world.defs.names())
                    .chain(self.world.traits.names())
                    .map(str::to_owned)
                    .collect(),
            };
            self.unknown("E-NAME", name.span, "family", &name.text, candidates.iter().map(String::as_str));
        }
        Val { reg: dst, ty: Ty::Bool }
    }

    fn zone_is(&mut self, dst: Reg, value: Reg, name: &Name) -> Option<()> {
        if self.body.binding(&name.text).is_some_and(|binding| binding.ty == Ty::ZoneName) {
            self.unsupported(name.span, "a zone given by a variable name");
            return Some(());
        }
        let zone = self.world.zones.get(&name.text)?.id;
        self.emit(Instr::IsZone { dst, value, zone });
        self.mark_used("zones", &name.text);
        Some(())
    }

    fn entity_is(&mut self, dst: Reg, entity: Reg, name: &Name) -> Option<()> {
        if let Some(kind) = self.world.kinds.get(&name.text).map(|kind| kind.id) {
            self.emit(Instr::IsKind { dst, entity, kind });
        } else if let Some(def) = self.world.defs.get(&name.text).map(|def| def.id) {
            self.emit(Instr::IsDef { dst, entity, def });
        } else if self.world.traits.contains(&name.text) {
            self.unsupported(name.span, "testing for a trait");
        } else if let Some(zone) = self.world.zones.get(&name.text) {
            let _ = zone;
            self.report(
                Diagnostic::error(
                    "E-TYPE",
                    name.span,
                    format!("an entity is never the zone `{}`", name.text),
                )
                .hint(format!("write `….zone is {}`", name.text)),
            );
        } else {
            return None;
        }
        Some(())
    }

    fn event_is(&mut self, dst: Reg, event: Reg, name: &Name, target: &Expr) -> Option<()> {
        if let Some(alias) = self.world.aliases.get(&name.text).cloned()
            && let Some(condition) = &alias.condition
        {
            // An alias is an event and a test of it.
            self.emit(Instr::IsEvent { dst, event, ty: alias.of });
            let no = self.emit(Instr::JumpUnless { cond: dst, to: 0 });
            if !matches!(&target.kind, ExprKind::Name(name) if name == "event") {
                self.wrong("E-TYPE", target.span, "an alias with a test can only be asked of `event`");
            }
            let bindings = self.body.bindings.len();
            self.body.bind("event", event, Ty::Event(Some(alias.of)));
            let value = self.value_as(condition, &Ty::Bool);
            self.emit(Instr::Copy { dst, src: value });
            self.body.bindings.truncate(bindings);
            self.body.land(&[no]);
            return Some(());
        }
        let ty = self
            .world
            .events
            .get(&name.text)
            .map(|event| event.id)
            .or_else(|| self.world.aliases.get(&name.text).map(|alias| alias.of))?;
        self.emit(Instr::IsEvent { dst, event, ty });
        Some(())
    }

    // --- flow ---------------------------------------------------------------------------------------

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
