//! Operators: arithmetic, comparison, membership and `??`.

use intermezzo_program::{Instr, Reg, Symbol, Word};

use super::coerce::Fit;
use super::types::Ty;
use super::{Checker, Val};
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::source::Span;

impl Checker<'_> {
    pub(crate) fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, whole: &Expr) -> Val {
        match op {
            BinaryOp::And | BinaryOp::Or => self.logic(whole),
            BinaryOp::Coalesce => self.coalesce(left, right, whole.span),
            BinaryOp::Eq | BinaryOp::Ne => self.equality(op == BinaryOp::Ne, left, right, whole.span),
            BinaryOp::In | BinaryOp::NotIn => self.membership(op == BinaryOp::NotIn, left, right),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let a = self.value_as(left, &Ty::Int);
                let b = self.value_as(right, &Ty::Int);
                let dst = self.body.new_temp();
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
                    self.report_error("E-TYPE", right.span, "this divides by zero");
                }
                if op == BinaryOp::Sub
                    && let Some(value) = self.body.pop_small_constant(b)
                {
                    let dst = self.body.new_temp();
                    if let Some(value) = value.checked_neg() {
                        self.emit(Instr::AddInt { dst, a, value });
                    } else {
                        self.load(b, Word::from(value));
                        self.emit(Instr::Sub { dst, a, b });
                    }
                    return Val { reg: dst, ty: Ty::Int };
                }
                let dst = self.body.new_temp();
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
                None => self.report_no_join(&a.ty, &b.ty, right.span),
            };
            let dst = self.body.new_temp();
            self.emit(Instr::Concat { dst, a: a.reg, b: b.reg });
            return Val { reg: dst, ty };
        }
        let a = self.coerce(a, &Ty::Int, left.span).reg;
        let b = self.value_as(right, &Ty::Int);
        Val { reg: self.add(a, b), ty: Ty::Int }
    }

    /// Emits `a + b`. If `b` is the constant loaded last, it becomes an operand of the instruction.
    pub(crate) fn add(&mut self, a: Reg, b: Reg) -> Reg {
        let constant = self.body.pop_small_constant(b);
        let dst = self.body.new_temp();
        self.emit(match constant {
            Some(value) => Instr::AddInt { dst, a, value },
            None => Instr::Add { dst, a, b },
        });
        dst
    }

    pub(crate) fn report_no_join(&mut self, a: &Ty, b: &Ty, span: Span) -> Ty {
        let message =
            format!("{} and {} have no common type", self.symbols.type_name(a), self.symbols.type_name(b));
        let mut diagnostic = Diagnostic::error("E-TYPE", span, message);
        if let Some(field) = self.misspelt_field(a, b) {
            diagnostic = diagnostic.hint(format!("did you mean `{field}`?"));
        }
        self.report(diagnostic);
        Ty::Error
    }

    /// Compiles both sides of a comparison and checks that they can be equal.
    pub(crate) fn compared_values(&mut self, left: &Expr, right: &Expr, span: Span) -> (Val, Val) {
        // A bare name is looked up among the values that the other side can have.
        let left_is_name = matches!(&left.kind, ExprKind::Name(name) if self.body.binding(name).is_none());
        let (a, b) = if left_is_name {
            let b = self.value(right);
            let a = self.compared_value(left, &b.ty);
            (a, b)
        } else {
            let a = self.value(left);
            let b = self.compared_value(right, &a.ty);
            (a, b)
        };
        let (a, b) = (self.comparable(a), self.comparable(b));
        self.check_comparable(&a.ty, &b.ty, left, right, span);
        (a, b)
    }

    /// Compiles a value that is compared with one of type `other`. A trait that is attached is created like an entity,
    /// so its name is compared where the def of an event is.
    fn compared_value(&mut self, expr: &Expr, other: &Ty) -> Val {
        if other.present() == Ty::Def
            && let ExprKind::Name(name) = &expr.kind
            && self.body.binding(name).is_none()
            && !self.symbols.defs.contains(name)
            && self.symbols.traits.contains(name)
            && let Some(&symbol) = self.symbols.symbol_index.get(name)
        {
            self.note_symbol_use(name);
            self.note_symbol_name(Some(&Ty::Trait), name, expr.span);
            return Val { reg: self.constant(Word::from(symbol.0)), ty: Ty::Def };
        }
        self.value_expecting(expr, other)
    }

    fn equality(&mut self, negated: bool, left: &Expr, right: &Expr, span: Span) -> Val {
        let (a, b) = self.compared_values(left, right, span);
        self.equality_of(negated, &a, &b)
    }

    pub(crate) fn equality_of(&mut self, negated: bool, a: &Val, b: &Val) -> Val {
        let dst = self.body.new_temp();
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

    /// Converts a bare zone name, which has no value of its own, to a list.
    pub(crate) fn comparable(&mut self, value: Val) -> Val {
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
            self.report_not_a_member(symbol, &a.present(), right.span);
        } else if let (true, Ty::Name(symbol)) = (names, a.present()) {
            self.report_not_a_member(symbol, &b.present(), left.span);
        } else {
            let message = format!(
                "this is never true: {} is never {}",
                self.symbols.type_name(a),
                self.symbols.type_name(b)
            );
            let mut diagnostic = Diagnostic::error("E-TYPE", span, message);
            if matches!(a.present(), Ty::Zone(_)) || matches!(b.present(), Ty::Zone(_)) {
                let zone = match &right.kind {
                    ExprKind::Name(zone) => zone.as_str(),
                    _ => "name_of_zone",
                };
                diagnostic =
                    diagnostic.hint(format!("to test which zone something is in, write `….zone is {zone}`"));
            }
            self.report(diagnostic);
        }
    }

    fn report_not_a_member(&mut self, symbol: Symbol, set: &Ty, span: Span) {
        let value = Val { reg: Reg(0), ty: Ty::Name(symbol) };
        self.coerce(value, set, span);
    }

    fn may_be_same(&self, a: &Ty, b: &Ty) -> bool {
        match (a, b) {
            (Ty::Kind(a), Ty::Kind(b)) => self.symbols.extends(*a, *b) || self.symbols.extends(*b, *a),
            _ => true,
        }
    }

    fn membership(&mut self, negated: bool, left: &Expr, right: &Expr) -> Val {
        let list = self.value(right);
        let item = self.item_type(&list.ty.present());
        if !Self::is_listlike(&list.ty.present()) && !list.ty.is_error() {
            let message = format!("expected a list, but this is {}", self.symbols.type_name(&list.ty));
            let ty = self.report_error("E-TYPE", right.span, message);
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
        let dst = self.body.new_temp();
        self.emit(Instr::Contains { dst, list: list.reg, value: value.reg });
        if negated {
            self.emit(Instr::Not { dst, a: dst });
        }
        Val { reg: dst, ty: Ty::Bool }
    }

    fn coalesce(&mut self, left: &Expr, right: &Expr, span: Span) -> Val {
        let dst = self.body.new_temp();
        let a = match &left.kind {
            ExprKind::Index { target, index } => self.index(target, index, true),
            _ => {
                self.body.allows_null = matches!(left.kind, ExprKind::Method { .. });
                let value = self.value(left);
                self.body.allows_null = false;
                value
            }
        };
        let absent = self.emit(Instr::JumpNull { value: a.reg, to: 0 });
        let first = self.emit(Instr::Copy { dst, src: a.reg });
        let done = self.emit(Instr::Jump { to: 0 });
        self.body.patch_jumps(&[absent]);
        let b = self.value_expecting(right, &a.ty);
        let b = self.comparable(b);
        let second = self.emit(Instr::Copy { dst, src: b.reg });
        self.body.patch_jumps(&[done]);
        let ty = match self.join(&a.ty.present(), &b.ty) {
            Some(ty) => ty,
            None => self.report_no_join(&a.ty.present(), &b.ty, span),
        };
        self.unify_branches(&ty, [(first, &a.ty), (second, &b.ty)]);
        Val { reg: dst, ty }
    }
}
