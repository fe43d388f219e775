//! List methods, compiled to loops.

use intermezzo_program::{FaultCode, Instr, NULL, Reg};

use super::types::Ty;
use super::{Checker, Val};
use crate::diagnostic::Diagnostic;
use crate::expr::{Arg, Expr, ExprKind, SpannedName};
use crate::grammar::expressions::METHODS;
use crate::source::Span;

/// Maximum nesting depth of list methods.
const MAX_LAMBDA_DEPTH: usize = 3;

impl Checker<'_> {
    pub(crate) fn list_method(
        &mut self,
        list: Val,
        name: &SpannedName,
        args: &[Arg],
        span: Span,
        never_empty: bool,
    ) -> Val {
        let item = self.item_type(&list.ty);
        let wants = |count: usize| args.len() == count;
        match name.text.as_str() {
            "count" if wants(0) => self.count(list),
            "count" if wants(1) => self.count_where(list, &args[0]),
            "first" | "top" if wants(0) => self.end_item(list, true),
            "last" | "bottom" if wants(0) => self.end_item(list, false),
            "first" | "last" if wants(1) => {
                let kept = self.filter(list, &args[0]);
                self.end_item(kept, name.text == "first")
            }
            "top" | "bottom" if wants(1) => {
                let list = self.as_list(list);
                let count = self.value_as(&args[0].body, &Ty::Int);
                let dst = self.body.new_temp();
                self.emit(if name.text == "top" {
                    Instr::First { dst, list: list.reg, count }
                } else {
                    Instr::Last { dst, list: list.reg, count }
                });
                Val { reg: dst, ty: list.ty }
            }
            "only" if wants(0) => self.only(list),
            "present" if wants(0) => self.present(list),
            "where" if wants(1) => self.filter(list, &args[0]),
            "map" if wants(1) => self.map_items(list, &args[0], false),
            "flat" if wants(1) => self.map_items(list, &args[0], true),
            "any" | "all" if wants(1) => self.any_all(list, &args[0], name.text == "all"),
            "sum" if args.len() <= 1 => self.sum(list, args.first()),
            "min" | "max" if args.len() <= 1 => {
                let value = self.extreme(list, args.first(), name.text == "max");
                if never_empty { Val { ty: Ty::Int, ..value } } else { value }
            }
            "sort_by" if wants(1) => self.sort_by(list, &args[0]),
            "distinct" if wants(0) => {
                if item.is_compound() {
                    self.report_error("E-TYPE", span, "`distinct` does not compare lists and records");
                }
                let list = self.as_list(list);
                let dst = self.body.new_temp();
                self.emit(Instr::Distinct { dst, list: list.reg });
                Val { reg: dst, ty: list.ty }
            }
            "update" if wants(2) => {
                let list = self.as_list(list);
                let at = self.body.new_temps(2);
                self.value_into(at, &args[0].body, &Ty::Int);
                self.value_into(at.offset(1), &args[1].body, &item);
                let dst = self.body.new_temp();
                self.emit(Instr::Replace { dst, list: list.reg, args: at });
                Val { reg: dst, ty: list.ty }
            }
            known if METHODS.contains(known) => {
                let message = format!("`{known}` does not take {} arguments", args.len());
                let ty = self.report_error("E-ARGS", span, message);
                Val { reg: list.reg, ty }
            }
            _ => {
                self.discard_args(args);
                let ty = self.report_unknown("E-PROP", name.span, "list method", &name.text, METHODS.names());
                Val { reg: list.reg, ty }
            }
        }
    }

    /// Emits a loop over the items. `each` emits the code for one item and may add jumps to the end.
    pub(crate) fn for_items(&mut self, list: Val, mut each: impl FnMut(&mut Self, Val, &mut Vec<usize>)) {
        let item = self.item_type(&list.ty);
        let list = if matches!(list.ty, Ty::Family(_)) { self.as_list(list) } else { list };
        let iter = self.body.new_temps(3);
        self.emit(Instr::Copy { dst: iter, src: list.reg });
        self.emit(Instr::Int { dst: iter.offset(1), value: 0 });
        let top = self.body.jump_target();
        let next = if matches!(list.ty, Ty::Zone(_)) {
            self.emit(Instr::NextInZone { iter, to: 0 })
        } else {
            self.emit(Instr::NextItem { iter, to: 0 })
        };
        let mut exits = vec![next];
        each(self, Val { reg: iter.offset(2), ty: item }, &mut exits);
        self.emit(Instr::Jump { to: top });
        self.body.patch_jumps(&exits);
    }

    /// Runs `inside` with the lambda's parameter bound to an item.
    fn with_item<T>(&mut self, arg: &Arg, item: &Val, inside: impl FnOnce(&mut Self, &Expr) -> T) -> T {
        let name = arg.param.as_ref().map_or("it", |param| param.text.as_str()).to_owned();
        let implicit = arg.param.is_none();
        let shadowed =
            implicit && self.body.bindings.iter().any(|binding| binding.implicit) && uses_it(&arg.body);
        if shadowed {
            self.report(
                Diagnostic::warning("W-SHADOW", arg.body.span, "`it` inside another `it`")
                    .hint("name one of them: `x => …`"),
            );
        }
        let (bindings, facts) = (self.body.bindings.len(), std::mem::take(&mut self.body.facts));
        self.body.facts = facts.iter().filter(|fact| !fact.is_about(&name)).cloned().collect();
        self.body.bindings.push(super::routine_builder::Binding {
            name,
            reg: item.reg,
            ty: item.ty.clone(),
            implicit,
            local: false,
        });
        self.body.lambda_depth += 1;
        let deepest = &mut self.usage.depths.entry(self.body.routine).or_default().0;
        *deepest = (*deepest).max(self.body.lambda_depth);
        if self.body.lambda_depth == MAX_LAMBDA_DEPTH + 1 {
            self.report_error("E-LIMIT", arg.body.span, "list methods can be nested at most three deep");
        }
        let result = inside(self, &arg.body);
        self.body.lambda_depth -= 1;
        self.body.bindings.truncate(bindings);
        self.body.facts = facts;
        result
    }

    pub(crate) fn count(&mut self, list: Val) -> Val {
        let dst = self.body.new_temp();
        match list.ty {
            Ty::Zone(_) => self.emit(Instr::ZoneLen { dst, zone: list.reg }),
            Ty::Family(zone) if self.symbols.zone_by_id(zone).1.of.is_none() => {
                self.emit(Instr::TheZone { dst, zone });
                self.emit(Instr::ZoneLen { dst, zone: dst })
            }
            _ => {
                let list = self.as_list(list);
                self.emit(Instr::Len { dst, list: list.reg })
            }
        };
        Val { reg: dst, ty: Ty::Int }
    }

    fn count_where(&mut self, list: Val, arg: &Arg) -> Val {
        let total = self.body.new_temp();
        self.emit(Instr::Int { dst: total, value: 0 });
        let one = self.constant(1);
        self.for_items(list, |checker, item, _| {
            let mut no = Vec::new();
            checker.with_item(arg, &item, |checker, body| checker.jump_if(body, false, &mut no));
            checker.emit(Instr::Add { dst: total, a: total, b: one });
            checker.body.patch_jumps(&no);
        });
        Val { reg: total, ty: Ty::Int }
    }

    fn end_item(&mut self, list: Val, first: bool) -> Val {
        let item = self.item_type(&list.ty).maybe();
        let list = match list.ty {
            Ty::Family(zone) if self.symbols.zone_by_id(zone).1.of.is_none() => {
                let dst = self.body.new_temp();
                self.emit(Instr::TheZone { dst, zone });
                Val { reg: dst, ty: Ty::Zone(Some(zone)) }
            }
            Ty::Family(_) => self.as_list(list),
            _ => list,
        };
        let zone = matches!(list.ty, Ty::Zone(_));
        let index = self.body.new_temp();
        if first {
            self.emit(Instr::Int { dst: index, value: 0 });
        } else {
            self.emit(if zone {
                Instr::ZoneLen { dst: index, zone: list.reg }
            } else {
                Instr::Len { dst: index, list: list.reg }
            });
            let one = self.constant(1);
            self.emit(Instr::Sub { dst: index, a: index, b: one });
        }
        let dst = self.body.new_temp();
        self.emit(if zone {
            Instr::ZoneGet { dst, zone: list.reg, index }
        } else {
            Instr::TryGet { dst, list: list.reg, index }
        });
        Val { reg: dst, ty: item }
    }

    fn only(&mut self, list: Val) -> Val {
        let list = self.as_list(list);
        let item = self.item_type(&list.ty);
        let count = self.body.new_temp();
        self.emit(Instr::Len { dst: count, list: list.reg });
        let one = self.constant(1);
        let exact = self.body.new_temp();
        self.emit(Instr::Eq { dst: exact, a: count, b: one });
        let fine = self.emit(Instr::JumpIf { cond: exact, to: 0 });
        self.emit(Instr::Fail { code: FaultCode::NotExactlyOne });
        self.body.patch_jumps(&[fine]);
        let zero = self.constant(0);
        let dst = self.body.new_temp();
        self.emit(Instr::Get { dst, list: list.reg, index: zero });
        Val { reg: dst, ty: item }
    }

    fn build(&mut self, list: Val, mut each: impl FnMut(&mut Self, Val)) -> Reg {
        let mark = self.body.new_temp();
        self.emit(Instr::Begin { dst: mark });
        self.for_items(list, |checker, item, _| each(checker, item));
        let dst = self.body.new_temp();
        self.emit(Instr::Finish { dst, mark });
        dst
    }

    pub(crate) fn filter(&mut self, list: Val, arg: &Arg) -> Val {
        let item_ty = self.item_type(&list.ty);
        let reg = self.build(list, |checker, item| {
            let mut no = Vec::new();
            checker.with_item(arg, &item, |checker, body| checker.jump_if(body, false, &mut no));
            checker.emit(Instr::Push { value: item.reg });
            checker.body.patch_jumps(&no);
        });
        Val { reg, ty: Ty::list(item_ty) }
    }

    pub(crate) fn present(&mut self, list: Val) -> Val {
        let item_ty = self.item_type(&list.ty).present();
        let reg = self.build(list, |checker, item| {
            let absent = checker.emit(Instr::JumpNull { value: item.reg, to: 0 });
            checker.emit(Instr::Push { value: item.reg });
            checker.body.patch_jumps(&[absent]);
        });
        Val { reg, ty: Ty::list(item_ty) }
    }

    fn map_items(&mut self, list: Val, arg: &Arg, flatten: bool) -> Val {
        let mut ty = Ty::Never;
        let reg = self.build(list, |checker, item| {
            let value = checker.with_item(arg, &item, |checker, body| checker.value(body));
            let value = if Self::is_listlike(&value.ty) { checker.as_list(value) } else { value };
            if !flatten {
                ty = value.ty;
                checker.emit(Instr::Push { value: value.reg });
                return;
            }
            if !matches!(value.ty, Ty::List(_)) && !value.ty.is_error() {
                let message = format!(
                    "`flat` wants a list for each item, but this is {}",
                    checker.symbols.type_name(&value.ty)
                );
                checker.report_error("E-TYPE", arg.body.span, message);
            }
            ty = checker.item_type(&value.ty);
            checker.for_items(value, |checker, inner, _| {
                checker.emit(Instr::Push { value: inner.reg });
            });
        });
        Val { reg, ty: Ty::list(ty) }
    }

    fn any_all(&mut self, list: Val, arg: &Arg, all: bool) -> Val {
        let dst = self.body.new_temp();
        self.emit(Instr::Int { dst, value: i32::from(all) });
        self.for_items(list, |checker, item, exits| {
            let mut undecided = Vec::new();
            checker.with_item(arg, &item, |checker, body| checker.jump_if(body, all, &mut undecided));
            checker.emit(Instr::Int { dst, value: i32::from(!all) });
            exits.push(checker.emit(Instr::Jump { to: 0 }));
            checker.body.patch_jumps(&undecided);
        });
        Val { reg: dst, ty: Ty::Bool }
    }

    fn number_of(&mut self, item: &Val, arg: Option<&Arg>, span: Span) -> Reg {
        match arg {
            Some(arg) => self.with_item(arg, item, |checker, body| checker.value_as(body, &Ty::Int)),
            None => self.coerce(item.clone(), &Ty::Int, span).reg,
        }
    }

    fn sum(&mut self, list: Val, arg: Option<&Arg>) -> Val {
        let total = self.body.new_temp();
        let span = arg.map_or(self.fallback_span(), |arg| arg.body.span);
        self.emit(Instr::Int { dst: total, value: 0 });
        self.for_items(list, |checker, item, _| {
            let number = checker.number_of(&item, arg, span);
            checker.emit(Instr::Add { dst: total, a: total, b: number });
        });
        Val { reg: total, ty: Ty::Int }
    }

    fn extreme(&mut self, list: Val, arg: Option<&Arg>, greatest: bool) -> Val {
        let best = self.body.new_temp();
        let span = arg.map_or(self.fallback_span(), |arg| arg.body.span);
        self.load(best, NULL);
        self.for_items(list, |checker, item, _| {
            let number = checker.number_of(&item, arg, span);
            let first = checker.emit(Instr::JumpNull { value: best, to: 0 });
            checker.emit(if greatest {
                Instr::Max { dst: best, a: best, b: number }
            } else {
                Instr::Min { dst: best, a: best, b: number }
            });
            let done = checker.emit(Instr::Jump { to: 0 });
            checker.body.patch_jumps(&[first]);
            checker.emit(Instr::Copy { dst: best, src: number });
            checker.body.patch_jumps(&[done]);
        });
        Val { reg: best, ty: Ty::Int.maybe() }
    }

    pub(crate) fn sort_by(&mut self, list: Val, arg: &Arg) -> Val {
        let list = self.as_list(list);
        let keys = self.build(list.clone(), |checker, item| {
            let key = checker.number_of(&item, Some(arg), arg.body.span);
            checker.emit(Instr::Push { value: key });
        });
        let dst = self.body.new_temp();
        self.emit(Instr::SortBy { dst, items: list.reg, keys });
        Val { reg: dst, ty: list.ty }
    }

    fn fallback_span(&self) -> Span {
        self.body
            .spans
            .last()
            .map_or(Span { file: crate::source::FileId(0), start: 0, end: 0 }, |(_, span)| *span)
    }
}

/// Returns true if an expression uses the current `it`, rather than one that a list method inside it binds.
fn uses_it(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => name == "it",
        ExprKind::Call { args, .. } => args.iter().any(|arg| uses_it(&arg.body)),
        ExprKind::Method { target, args, .. } => {
            uses_it(target) || args.iter().any(|arg| arg.param.is_some() && uses_it(&arg.body))
        }
        ExprKind::Index { target, index } => uses_it(target) || uses_it(index),
        ExprKind::Assert(inner) => uses_it(inner),
        ExprKind::List(items) => items.iter().any(uses_it),
        ExprKind::Record(fields) => fields.iter().any(|(_, value)| uses_it(value)),
        ExprKind::Unary { operand, .. } => uses_it(operand),
        ExprKind::Binary { left, right, .. } => uses_it(left) || uses_it(right),
        ExprKind::Is { target, .. } => uses_it(target),
        ExprKind::If { cond, then, otherwise } => uses_it(cond) || uses_it(then) || uses_it(otherwise),
        _ => false,
    }
}
