//! `set` and `add`: the statements that write properties.

use intermezzo_ruleset::{Instr, Reg, native};

use super::body::Mode;
use super::types::Ty;
use super::{Checker, Val};
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::tree::{Entry, Node, Text};

/// Where a `set` writes.
enum Place {
    Property { entity: Reg, prop: intermezzo_ruleset::PropId },
    Named { entity: Reg, name: Reg },
    Payload { event: Reg, field: u16 },
    Nowhere,
}

impl Checker<'_> {
    pub(crate) fn set_statement(&mut self, value: &Node, add: bool) {
        let Some(entries) = value.as_map() else {
            self.wrong("E-TYPE", value.span, "`set` and `add` take an object: what to write, and the value");
            return;
        };
        let several = entries.len() > 1;
        let mut writes = Vec::new();
        for entry in entries {
            writes.push(self.one_write(entry, add, several));
        }
        for (place, reg) in writes {
            self.write(&place, reg);
        }
        for path in std::mem::take(&mut self.written) {
            self.body.forget(&path);
        }
    }

    /// Prepares one write: all right sides come before the first of them happens.
    fn one_write(&mut self, entry: &Entry, add: bool, several: bool) -> (Place, Reg) {
        let Some(target) = self.lvalue_expr(&entry.key) else {
            self.node_value(&entry.value);
            return (Place::Nowhere, Reg(0));
        };
        let (place, ty) = self.place(&target);
        if let Some(path) = Self::path(&target) {
            // What was shown about the old value says nothing about the new one.
            self.written.push(path);
        }
        let Some(expr) = self.node_expr(&entry.value) else { return (Place::Nowhere, Reg(0)) };
        self.note_write(&place, &target, (!add).then_some(&expr), &ty);
        let reg = if add {
            // `add` works on the base value, or what modifies it would become part of it.
            self.body.base_reads = true;
            let old = self.value(&target);
            self.body.base_reads = false;
            let a = self.coerce(old, &Ty::Int, target.span).reg;
            let b = self.value_as(&expr, &Ty::Int);
            self.add(a, b)
        } else {
            // A field of an event is a value of its own, whatever it is called.
            if !matches!(place, Place::Payload { .. }) {
                self.warn_modified_base(&target, &expr);
            }
            self.value_as(&expr, &ty)
        };
        if !several {
            return (place, reg);
        }
        let held = self.body.local(ty);
        self.body.put(held, reg);
        (self.hold_place(place), held)
    }

    /// Notes what events this write makes, or what it makes of one; without an expression, anything.
    fn note_write(&mut self, place: &Place, target: &Expr, expr: Option<&Expr>, ty: &Ty) {
        match place {
            Place::Property { .. } | Place::Named { .. } if self.body.mode != Mode::Apply => {
                self.note_changed(target);
            }
            Place::Payload { field, .. } => {
                let Some(Ty::Event(Some(event))) = self.body.binding("event").map(|event| event.ty.clone())
                else {
                    return;
                };
                let value = expr.and_then(|expr| self.literal(expr, ty));
                self.note_carried(event, *field, value);
            }
            _ => {}
        }
    }

    /// Keeps a place's registers alive across the writes before it.
    fn hold_place(&mut self, place: Place) -> Place {
        match place {
            Place::Property { entity, prop } => {
                let held = self.body.local(Ty::Entity);
                self.emit(Instr::Copy { dst: held, src: entity });
                Place::Property { entity: held, prop }
            }
            Place::Named { entity, name } => {
                let held = self.body.local(Ty::Entity);
                let held_name = self.body.local(Ty::Symbol);
                self.emit(Instr::Copy { dst: held, src: entity });
                self.emit(Instr::Copy { dst: held_name, src: name });
                Place::Named { entity: held, name: held_name }
            }
            other => other,
        }
    }

    fn write(&mut self, place: &Place, value: Reg) {
        let applying = self.body.mode == Mode::Apply;
        match *place {
            Place::Property { entity, prop } if applying => {
                self.emit(Instr::Write { entity, prop, value });
            }
            Place::Property { entity, prop } => {
                self.usage.emitted.insert(native::CHANGED.0);
                self.emit(Instr::Change { entity, prop, value });
            }
            Place::Named { entity, name } if applying => {
                self.emit(Instr::WriteNamed { entity, name, value });
            }
            Place::Named { entity, name } => {
                self.usage.emitted.insert(native::CHANGED.0);
                self.emit(Instr::ChangeNamed { entity, name, value });
            }
            Place::Payload { event, field } => {
                self.emit(Instr::SetEventField { event, field, value });
            }
            Place::Nowhere => {}
        }
    }

    fn lvalue_expr(&mut self, key: &Text) -> Option<Expr> {
        match crate::expr::parse(key) {
            Ok(expr) => Some(expr),
            Err(diagnostic) => {
                self.report(diagnostic);
                None
            }
        }
    }

    /// What a left side stands for, and the type of what may be written there.
    fn place(&mut self, target: &Expr) -> (Place, Ty) {
        match &target.kind {
            ExprKind::Method { target: owner, name, has_parens: false, null_safe: false, .. } => {
                if let ExprKind::Name(root) = &owner.kind
                    && self.body.binding(root).is_none()
                    && (root == "options" || root == "flow")
                {
                    let message = format!("`{root}` cannot be written");
                    let ty = self.wrong("E-TYPE", owner.span, message);
                    return (Place::Nowhere, ty);
                }
                let value = self.value(owner);
                if value.ty.is_maybe() {
                    self.warn_null(owner.span);
                }
                self.property_place(&Val { ty: value.ty.present(), ..value }, owner, name)
            }
            ExprKind::Index { target: owner, index } => {
                let entity = self.value_as(owner, &Ty::Entity);
                let name = self.value_as(index, &Ty::Resource);
                (Place::Named { entity, name }, Ty::Int)
            }
            ExprKind::Name(name) => {
                let message = format!("`{name}` is not a property");
                self.report(
                    Diagnostic::error("E-TYPE", target.span, message)
                        .hint("`set` writes properties such as `player.score`; for a local use `let`"),
                );
                (Place::Nowhere, Ty::Error)
            }
            _ => {
                let ty = self.wrong("E-TYPE", target.span, "only a property can be written");
                (Place::Nowhere, ty)
            }
        }
    }

    fn property_place(&mut self, owner: &Val, owner_expr: &Expr, name: &crate::expr::Name) -> (Place, Ty) {
        match &owner.ty {
            Ty::Error => (Place::Nowhere, Ty::Error),
            Ty::Kind(kind) => {
                let Some(prop) = self.world.prop(*kind, &name.text).cloned() else {
                    let known = self.member_names(*kind);
                    let what = format!("property of {}", self.world.kind_name(*kind));
                    let ty = self.unknown(
                        "E-PROP",
                        name.span,
                        &what,
                        &name.text,
                        known.iter().map(String::as_str),
                    );
                    return (Place::Nowhere, ty);
                };
                if prop.derived.is_some() {
                    let message = format!("`{}` is computed, so it cannot be written", name.text);
                    let ty = self.wrong("E-TYPE", name.span, message);
                    return (Place::Nowhere, ty);
                }
                (Place::Property { entity: owner.reg, prop: prop.id }, prop.ty)
            }
            Ty::Entity | Ty::SomeEntity => {
                let known = (name.text == "known").then(|| Ty::list(Ty::PLAYER));
                let found =
                    known.or_else(|| self.world.props_named(&name.text).next().map(|prop| prop.ty.clone()));
                let Some(ty) = found else {
                    let known: Vec<String> = self
                        .world
                        .props
                        .iter()
                        .map(|prop| self.world.spelling(prop.name).to_owned())
                        .collect();
                    let ty = self.unknown(
                        "E-PROP",
                        name.span,
                        "property",
                        &name.text,
                        known.iter().map(String::as_str),
                    );
                    return (Place::Nowhere, ty);
                };
                let symbol = self.symbol(&name.text);
                let key = self.constant(i64::from(symbol.0));
                (Place::Named { entity: owner.reg, name: key }, ty)
            }
            Ty::Event(Some(event)) => {
                let fields = self.world.event_by_id(*event).1.fields.clone();
                let found = fields.iter().position(|(field, _)| self.world.spelling(*field) == name.text);
                let Some(at) = found else {
                    let known = self.world.field_names(&fields);
                    let what = format!("field of the event {}", self.world.event_by_id(*event).0);
                    let ty = self.unknown(
                        "E-PROP",
                        name.span,
                        &what,
                        &name.text,
                        known.iter().map(String::as_str),
                    );
                    return (Place::Nowhere, ty);
                };
                if self.body.own_event.is_some() || !self.reacting_before() {
                    let ty = self.wrong(
                        "E-APPLY",
                        owner_expr.span,
                        "what has happened cannot be changed; only a `before` reaction can",
                    );
                    return (Place::Nowhere, ty);
                }
                if fields[at].1 == Ty::Any {
                    let message = format!("`{}` can be of any type, so it cannot be rewritten", name.text);
                    let ty = self.wrong("E-TYPE", name.span, message);
                    return (Place::Nowhere, ty);
                }
                (Place::Payload { event: owner.reg, field: at as u16 }, fields[at].1.clone())
            }
            other => {
                let message = format!("{} has no properties to write", self.world.show(other));
                let ty = self.wrong("E-TYPE", owner_expr.span, message);
                (Place::Nowhere, ty)
            }
        }
    }

    /// Reading a modified value and writing it back would make the modification permanent.
    fn warn_modified_base(&mut self, target: &Expr, value: &Expr) {
        let (Some(path), ExprKind::Method { name, .. }) = (Self::path(target), &target.kind) else { return };
        let modifiable = self.world.props_named(&name.text).any(|prop| prop.modifiable);
        if modifiable && mentions(value, &path) {
            self.report(
                Diagnostic::warning(
                    "W-MODBASE",
                    value.span,
                    format!("`{path}` may be modified, and this writes the modified value back"),
                )
                .hint(format!("use `add: {{{path}: …}}`, which works on the base value")),
            );
        }
    }
}

/// Whether an expression reads the path.
fn mentions(expr: &Expr, path: &str) -> bool {
    if Checker::path(expr).as_deref() == Some(path) {
        return true;
    }
    match &expr.kind {
        ExprKind::Unary { operand, .. } | ExprKind::Assert(operand) => mentions(operand, path),
        ExprKind::Binary { left, right, .. } => mentions(left, path) || mentions(right, path),
        ExprKind::If { cond, then, otherwise } => {
            mentions(cond, path) || mentions(then, path) || mentions(otherwise, path)
        }
        ExprKind::Call { args, .. } => args.iter().any(|arg| mentions(&arg.body, path)),
        _ => false,
    }
}
