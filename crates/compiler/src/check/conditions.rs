//! Conditions: compiled to jumps, and the facts they prove about the values they test.

use intermezzo_program::{CoverageKind, Instr, Reg, native};

use super::routine_builder::{Binding, TypeFact};
use super::types::Ty;
use super::{Checker, Val};
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind, SpannedName, UnaryOp};
use crate::source::Span;

impl Checker<'_> {
    /// Returns the path that an expression denotes: a name, or fields of one.
    pub(crate) fn path(expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::Method { target, name, has_parens: false, .. } => {
                Some(format!("{}.{}", Self::path(target)?, name.text))
            }
            _ => None,
        }
    }

    pub(crate) fn narrow(&self, expr: &Expr, value: Val) -> Val {
        match Self::path(expr) {
            Some(path) => Val { ty: self.body.narrowed_type(&path, &value.ty), ..value },
            None => value,
        }
    }

    /// Returns the facts that hold if the test evaluates to `truth`.
    pub(crate) fn facts(&mut self, expr: &Expr, truth: bool) -> Vec<TypeFact> {
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.facts(operand, !truth),
            ExprKind::Binary { op, left, right, .. } => {
                let null_test =
                    |a: &Expr, b: &Expr| matches!(b.kind, ExprKind::Null).then(|| Self::path(a)).flatten();
                match op {
                    BinaryOp::And if truth => self.both_facts(left, right, true),
                    BinaryOp::Or if !truth => self.both_facts(left, right, false),
                    BinaryOp::Eq if truth => {
                        let named = self.changed_value_facts(left, right);
                        if named.is_empty() { self.changed_value_facts(right, left) } else { named }
                    }
                    BinaryOp::Ne | BinaryOp::Eq if (*op == BinaryOp::Ne) == truth => null_test(left, right)
                        .or_else(|| null_test(right, left))
                        .map(|path| TypeFact { path, ty: None })
                        .into_iter()
                        .collect(),
                    _ => Vec::new(),
                }
            }
            ExprKind::Is { target, name } if truth => {
                let Some(path) = Self::path(target) else { return Vec::new() };
                let ty = self.family_type(&name.text);
                vec![TypeFact { path, ty }]
            }
            _ => Vec::new(),
        }
    }

    /// Returns what `event.prop == power` proves about a `Changed` event: its values have the type of that property,
    /// if all properties of that name have the same type.
    fn changed_value_facts(&self, tested: &Expr, name: &Expr) -> Vec<TypeFact> {
        let path = Self::path(tested);
        let event = path.as_deref().and_then(|path| path.strip_suffix(".prop"));
        let (Some(event), ExprKind::Name(prop)) = (event, &name.kind) else { return Vec::new() };
        let is_changed = |binding: &Binding| binding.ty == Ty::Event(Some(native::CHANGED));
        if !self.body.binding(event).is_some_and(is_changed) || self.body.binding(prop).is_some() {
            return Vec::new();
        }
        let mut types = self.symbols.props_named(prop).map(|prop| &prop.ty);
        let Some(ty) = types.next() else { return Vec::new() };
        if types.any(|other| other != ty) {
            return Vec::new();
        }
        let fact = |field: &str| TypeFact { path: format!("{event}.{field}"), ty: Some(ty.clone()) };
        vec![fact("from"), fact("to")]
    }

    fn both_facts(&mut self, left: &Expr, right: &Expr, truth: bool) -> Vec<TypeFact> {
        let mut facts = self.facts(left, truth);
        facts.extend(self.facts(right, truth));
        facts
    }

    /// Returns the type of a value that `is` the named family.
    fn family_type(&self, name: &str) -> Option<Ty> {
        if let Some(kind) = self.symbols.kinds.get(name) {
            return Some(Ty::Kind(kind.id));
        }
        if let Some(def) = self.symbols.defs.get(name) {
            return Some(Ty::Kind(def.kind));
        }
        if let Some(action) = self.symbols.actions.get(name) {
            return Some(Ty::Kind(action.kind));
        }
        if let Some(zone) = self.symbols.zones.get(name) {
            return Some(Ty::Zone(Some(zone.id)));
        }
        if let Some(event) = self.symbols.events.get(name) {
            return Some(Ty::Event(Some(event.id)));
        }
        self.symbols.aliases.get(name).map(|alias| Ty::Event(Some(alias.of)))
    }

    pub(crate) fn logic(&mut self, expr: &Expr) -> Val {
        let dst = self.body.new_temp();
        let mut no = Vec::new();
        self.jump_if(expr, false, &mut no);
        self.emit(Instr::Int { dst, value: 1 });
        let done = self.emit(Instr::Jump { to: 0 });
        self.body.patch_jumps(&no);
        self.emit(Instr::Int { dst, value: 0 });
        self.body.patch_jumps(&[done]);
        Val { reg: dst, ty: Ty::Bool }
    }

    /// Emits code that jumps if the test evaluates to `truth`. The jumps are added to `sites`.
    pub(crate) fn jump_if(&mut self, expr: &Expr, truth: bool, sites: &mut Vec<usize>) {
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.jump_if(operand, !truth, sites),
            ExprKind::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right, .. } => {
                // A false left side decides `and`, a true one decides `or`.
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
                self.body.patch_jumps(&skip);
            }
            ExprKind::Binary { op: op @ (BinaryOp::Eq | BinaryOp::Ne), left, right, .. } => {
                let (a, b) = self.compared_values(left, right, expr.span);
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

    /// Emits a skip taken if the two are equal, or with `equal: false` if they are not.
    fn skip_if_equal(&mut self, a: &Val, b: &Val, equal: bool, sites: &mut Vec<usize>) {
        let instr = if a.ty.is_compound() && b.ty.is_compound() {
            let same = self.equality_of(!equal, a, b);
            Instr::JumpIf { cond: same.reg, to: 0 }
        } else if b.ty == Ty::Null && equal {
            self.body.pop_constant(b.reg);
            Instr::JumpNull { value: a.reg, to: 0 }
        } else {
            let (a, b) = (a.reg, b.reg);
            match (self.body.pop_small_constant(b), equal) {
                (Some(value), true) => Instr::SkipEqInt { a, value, skip: 0 },
                (Some(value), false) => Instr::SkipNeInt { a, value, skip: 0 },
                (None, true) => Instr::SkipEq { a, b, skip: 0 },
                (None, false) => Instr::SkipNe { a, b, skip: 0 },
            }
        };
        let site = self.emit(instr);
        sites.push(site);
    }

    /// Emits a skip taken if the comparison evaluates to `truth`.
    fn skip_if_ordered(&mut self, op: BinaryOp, a: Reg, b: Reg, truth: bool, sites: &mut Vec<usize>) {
        let op = match (op, truth) {
            (op, true) => op,
            (BinaryOp::Lt, false) => BinaryOp::Ge,
            (BinaryOp::Le, false) => BinaryOp::Gt,
            (BinaryOp::Gt, false) => BinaryOp::Le,
            (_, false) => BinaryOp::Lt,
        };
        let skip = 0;
        let instr = match (self.body.pop_small_constant(b), op) {
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

    pub(crate) fn conditional(
        &mut self,
        cond: &Expr,
        then: &Expr,
        otherwise: &Expr,
        wanted: Option<&Ty>,
        span: Span,
    ) -> Val {
        let dst = self.body.new_temp();
        let mut no = Vec::new();
        self.jump_if(cond, false, &mut no);
        self.emit_coverage(CoverageKind::Then, cond.span);
        let a = self.value_under(cond, true, then, wanted);
        let yes = self.emit(Instr::Copy { dst, src: a.reg });
        let done = self.emit(Instr::Jump { to: 0 });
        self.body.patch_jumps(&no);
        self.emit_coverage(CoverageKind::Else, cond.span);
        let b = self.value_under(cond, false, otherwise, wanted.or(Some(&a.ty)));
        let no = self.emit(Instr::Copy { dst, src: b.reg });
        self.body.patch_jumps(&[done]);
        let ty = match self.join(&a.ty, &b.ty) {
            Some(ty) => ty,
            None => self.report_no_join(&a.ty, &b.ty, span),
        };
        self.unify_branches(&ty, [(yes, &a.ty), (no, &b.ty)]);
        Val { reg: dst, ty }
    }

    /// Converts a branch that is a zone to a list if the whole expression is a list.
    pub(crate) fn unify_branches(&mut self, whole: &Ty, branches: [(usize, &Ty); 2]) {
        for (copy, ty) in branches {
            if matches!((whole.present(), ty.present()), (Ty::List(_), Ty::Zone(_))) {
                self.body.copy_contents(copy);
            }
        }
    }

    /// Compiles an expression that is reached only if the test evaluates to `truth`.
    fn value_under(&mut self, cond: &Expr, truth: bool, expr: &Expr, wanted: Option<&Ty>) -> Val {
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

    pub(crate) fn is_test(&mut self, target: &Expr, name: &SpannedName) -> Val {
        let value = self.value(target);
        let dst = self.body.new_temp();
        let ty = value.ty.present();
        self.note_symbol_use(&name.text);
        self.note_symbol_name(None, &name.text, name.span);
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
                    self.symbols.type_name(&value.ty)
                );
                self.report_error("E-TYPE", target.span, message);
                Some(())
            }
        };
        if known.is_none() {
            let candidates: Vec<String> = match ty {
                Ty::Zone(_) => self.symbols.zones.names().map(str::to_owned).collect(),
                Ty::Event(_) => self.event_names(),
                _ => self
                    .symbols
                    .kinds
                    .names()
                    .chain(self.symbols.defs.names())
                    .chain(self.symbols.traits.names())
                    .map(str::to_owned)
                    .collect(),
            };
            self.report_unknown(
                "E-NAME",
                name.span,
                "family",
                &name.text,
                candidates.iter().map(String::as_str),
            );
        }
        Val { reg: dst, ty: Ty::Bool }
    }

    fn zone_is(&mut self, dst: Reg, value: Reg, name: &SpannedName) -> Option<()> {
        if self.body.binding(&name.text).is_some_and(|binding| binding.ty == Ty::ZoneName) {
            let name = self.name_value(&name.text, name.span).reg;
            self.emit(Instr::IsZoneNamed { dst, value, name });
            return Some(());
        }
        let zone = self.symbols.zones.get(&name.text)?.id;
        self.emit(Instr::IsZone { dst, value, zone });
        self.mark_used("zones", &name.text);
        Some(())
    }

    fn entity_is(&mut self, dst: Reg, entity: Reg, name: &SpannedName) -> Option<()> {
        if let Some(kind) = self.symbols.kinds.get(&name.text).map(|kind| kind.id) {
            self.emit(Instr::IsKind { dst, entity, kind });
        } else if let Some(def) = self.symbols.defs.get(&name.text).map(|def| def.id) {
            self.emit(Instr::IsDef { dst, entity, def });
        } else if self.symbols.traits.contains(&name.text) {
            let def = self.symbols.traits.get(&name.text).map(|info| info.def);
            if let Some(def) = def {
                self.emit(Instr::HasTrait { dst, entity, def });
                self.note_trait_test(def);
            }
        } else if let Some(def) = self.symbols.actions.get(&name.text).map(|action| action.def) {
            self.emit(Instr::IsDef { dst, entity, def });
        } else if self.symbols.zones.contains(&name.text) {
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

    fn event_is(&mut self, dst: Reg, event: Reg, name: &SpannedName, target: &Expr) -> Option<()> {
        if let Some(alias) = self.symbols.aliases.get(&name.text).cloned()
            && let Some(condition) = &alias.condition
        {
            // An alias stands for an event and a condition.
            self.emit(Instr::IsEvent { dst, event, ty: alias.of });
            let no = self.emit(Instr::JumpUnless { cond: dst, to: 0 });
            if !matches!(&target.kind, ExprKind::Name(name) if name == "event") {
                self.report_error(
                    "E-TYPE",
                    target.span,
                    "an alias with a condition can only be tested on `event`",
                );
            }
            let bindings = self.body.bindings.len();
            self.body.bind("event", event, Ty::Event(Some(alias.of)));
            let value = self.value_as(condition, &Ty::Bool);
            self.emit(Instr::Copy { dst, src: value });
            self.body.bindings.truncate(bindings);
            self.body.patch_jumps(&[no]);
            return Some(());
        }
        let ty = self
            .symbols
            .events
            .get(&name.text)
            .map(|event| event.id)
            .or_else(|| self.symbols.aliases.get(&name.text).map(|alias| alias.of))?;
        self.emit(Instr::IsEvent { dst, event, ty });
        Some(())
    }
}
