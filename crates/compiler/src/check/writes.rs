//! The statements `set` and `add`, which write properties.

use intermezzo_program::{EventId, Instr, KindId, Reg, native};

use super::routine_builder::CodeMode;
use super::types::Ty;
use super::{Checker, Val};
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::grammar::expressions::FACTS;
use crate::tree::{MapEntry, SourceNode, SourceText};

/// Fields of native events that reactions before them can rewrite.
const REWRITABLE: &[(EventId, &[&str])] = &[
    (native::CREATED, &["def", "owner", "to", "host", "until"]),
    (native::MOVED, &["entity", "to"]),
    (native::REMOVED, &["entity"]),
    // The old value can be of any type, which is reported below.
    (native::CHANGED, &["entity", "from", "to"]),
    (native::ROLLED, &["faces", "total"]),
    (native::SHUFFLED, &["zone"]),
    (native::PHASE_STARTED, &["player", "subject"]),
];

/// The kind of a write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteForm {
    Set,
    Add,
}

/// The target of a write.
enum WriteTarget {
    Property { entity: Reg, prop: intermezzo_program::PropId },
    Named { entity: Reg, name: Reg },
    Payload { event: Reg, field: u16 },
    Invalid,
}

impl Checker<'_> {
    pub(crate) fn set_statement(&mut self, value: &SourceNode, add: bool) {
        let Some(entries) = value.as_map() else {
            let head = if add { "add" } else { "set" };
            let message = format!("`{head}` takes an object: what to write, and the value");
            let example = if add { "1" } else { "3" };
            let problem = Diagnostic::error("E-TYPE", value.span, message);
            self.report(problem.hint(format!("write `{head}: {{player.score: {example}}}`")));
            return;
        };
        let several = entries.len() > 1;
        let mut writes = Vec::new();
        for entry in entries {
            writes.push(self.prepare_write(entry, add, several));
        }
        let kind = if add { WriteForm::Add } else { WriteForm::Set };
        for (destination, reg) in writes {
            self.write(&destination, reg, kind);
        }
        for path in std::mem::take(&mut self.written_paths) {
            self.body.forget_facts(&path);
        }
    }

    /// Compiles one write. All right sides are evaluated before the first write happens.
    fn prepare_write(&mut self, entry: &MapEntry, add: bool, several: bool) -> (WriteTarget, Reg) {
        let Some(target) = self.lvalue_expr(&entry.key) else {
            self.node_value(&entry.value);
            return (WriteTarget::Invalid, Reg(0));
        };
        let (destination, ty) = self.write_target(&target);
        if let Some(path) = Self::path(&target) {
            // Facts about the old value do not hold for the new one.
            self.written_paths.push(path);
        }
        let Some(expr) = self.node_expr(&entry.value) else { return (WriteTarget::Invalid, Reg(0)) };
        self.note_write(&destination, &target, (!add).then_some(&expr), &ty);
        let reg = if add {
            // `add` works on the base value. Otherwise the modifiers would become part of it.
            self.body.reads_base_values = true;
            let old = self.value(&target);
            self.body.reads_base_values = false;
            let a = self.coerce(old, &Ty::Int, target.span).reg;
            let b = self.value_as(&expr, &Ty::Int);
            self.add(a, b)
        } else {
            if self.may_be_modified(&destination, &target) {
                self.warn_modified_base(&target, &expr);
            }
            self.value_as(&expr, &ty)
        };
        if !several {
            return (destination, reg);
        }
        let held = self.body.new_local(ty);
        self.body.put(held, reg);
        (self.hold_target(destination), held)
    }

    /// Notes the events that this write causes or rewrites. Without an expression, the value may be anything.
    fn note_write(&mut self, destination: &WriteTarget, target: &Expr, expr: Option<&Expr>, ty: &Ty) {
        match destination {
            WriteTarget::Property { .. } | WriteTarget::Named { .. } if self.body.mode != CodeMode::Apply => {
                self.note_changed_prop(target);
            }
            WriteTarget::Payload { field, .. } => {
                let Some(Ty::Event(Some(event))) = self.body.binding("event").map(|event| event.ty.clone())
                else {
                    return;
                };
                let value = expr.and_then(|expr| self.literal(expr, ty));
                self.note_field_value(event, *field, value);
            }
            _ => {}
        }
    }

    /// Copies the registers of a target into locals, so that they survive the writes before it.
    fn hold_target(&mut self, destination: WriteTarget) -> WriteTarget {
        match destination {
            WriteTarget::Property { entity, prop } => {
                let held = self.body.new_local(Ty::Entity);
                self.emit(Instr::Copy { dst: held, src: entity });
                WriteTarget::Property { entity: held, prop }
            }
            WriteTarget::Named { entity, name } => {
                let held = self.body.new_local(Ty::Entity);
                let held_name = self.body.new_local(Ty::Symbol);
                self.emit(Instr::Copy { dst: held, src: entity });
                self.emit(Instr::Copy { dst: held_name, src: name });
                WriteTarget::Named { entity: held, name: held_name }
            }
            other => other,
        }
    }

    fn write(&mut self, destination: &WriteTarget, value: Reg, kind: WriteForm) {
        let applying = self.body.mode == CodeMode::Apply;
        match *destination {
            WriteTarget::Property { entity, prop } if applying => {
                self.emit(Instr::Write { entity, prop, value });
            }
            WriteTarget::Property { entity, prop } => {
                self.usage.emitted.insert(native::CHANGED.0);
                self.emit(match kind {
                    WriteForm::Set => Instr::Change { entity, prop, value },
                    WriteForm::Add => Instr::Increase { entity, prop, value },
                });
            }
            WriteTarget::Named { entity, name } if applying => {
                self.emit(Instr::WriteNamed { entity, name, value });
            }
            WriteTarget::Named { entity, name } => {
                self.usage.emitted.insert(native::CHANGED.0);
                self.emit(match kind {
                    WriteForm::Set => Instr::ChangeNamed { entity, name, value },
                    WriteForm::Add => Instr::IncreaseNamed { entity, name, value },
                });
            }
            WriteTarget::Payload { event, field } => {
                self.emit(Instr::SetEventField { event, field, value });
            }
            WriteTarget::Invalid => {}
        }
    }

    fn lvalue_expr(&mut self, key: &SourceText) -> Option<Expr> {
        match crate::expr::parse(key) {
            Ok(expr) => Some(expr),
            Err(diagnostic) => {
                self.report(diagnostic);
                None
            }
        }
    }

    /// Returns the target that a left side denotes, and the type of its value.
    fn write_target(&mut self, target: &Expr) -> (WriteTarget, Ty) {
        match &target.kind {
            ExprKind::Method { target: owner, name, has_parens: false, null_safe: false, .. } => {
                if let ExprKind::Name(root) = &owner.kind
                    && self.body.binding(root).is_none()
                    && (root == "options" || root == "flow")
                {
                    let message = format!("`{root}` cannot be written");
                    let ty = self.report_error("E-TYPE", owner.span, message);
                    return (WriteTarget::Invalid, ty);
                }
                let value = self.value(owner);
                if value.ty.is_maybe() {
                    self.warn_null(owner.span);
                }
                self.property_target(&Val { ty: value.ty.present(), ..value }, owner, name)
            }
            ExprKind::Index { target: owner, index } => {
                let entity = self.value_as(owner, &Ty::Entity);
                let name = self.value_as(index, &Ty::Resource);
                (WriteTarget::Named { entity, name }, Ty::Int)
            }
            ExprKind::Name(name) => {
                let message = format!("`{name}` is not a property");
                let problem = Diagnostic::error("E-TYPE", target.span, message);
                let is_of = |kind: KindId| self.symbols.prop(kind, name).is_some();
                let owner = if is_of(KindId::MATCH) {
                    Some("match")
                } else {
                    ["you", "actor"]
                        .into_iter()
                        .find(|who| is_of(KindId::PLAYER) && self.body.binding(who).is_some())
                };
                self.report(match owner {
                    Some(owner) => problem.hint(format!("did you mean `{owner}.{name}`?")),
                    None => {
                        problem.hint("`set` writes properties such as `player.score`; for a local use `let`")
                    }
                });
                (WriteTarget::Invalid, Ty::Error)
            }
            _ => {
                let ty = self.report_error("E-TYPE", target.span, "only a property can be written");
                (WriteTarget::Invalid, ty)
            }
        }
    }

    fn property_target(
        &mut self,
        owner: &Val,
        owner_expr: &Expr,
        name: &crate::expr::SpannedName,
    ) -> (WriteTarget, Ty) {
        match &owner.ty {
            Ty::Error => (WriteTarget::Invalid, Ty::Error),
            Ty::Kind(kind) => {
                let Some(prop) = self.symbols.prop(*kind, &name.text).cloned() else {
                    if self.member_names(*kind).contains(&name.text) {
                        return (WriteTarget::Invalid, self.report_unwritable(name));
                    }
                    let known = self.prop_names(*kind);
                    let what = format!("property of {}", self.symbols.kind_name(*kind));
                    let ty = self.report_unknown(
                        "E-PROP",
                        name.span,
                        &what,
                        &name.text,
                        known.iter().map(String::as_str),
                    );
                    return (WriteTarget::Invalid, ty);
                };
                self.note_prop_name(prop.kind, name);
                if prop.derived.is_some() {
                    let message = format!("`{}` is computed, so it cannot be written", name.text);
                    let ty = self.report_error("E-TYPE", name.span, message);
                    return (WriteTarget::Invalid, ty);
                }
                if self.is_fixed_team(prop.id, name.span) {
                    let message = "the team of a player is fixed for the whole match";
                    return (WriteTarget::Invalid, self.report_error("E-TYPE", name.span, message));
                }
                (WriteTarget::Property { entity: owner.reg, prop: prop.id }, prop.ty)
            }
            Ty::Entity | Ty::SomeEntity => {
                let known = (name.text == "known").then(|| Ty::list(Ty::PLAYER));
                let found =
                    known.or_else(|| self.symbols.props_named(&name.text).next().map(|prop| prop.ty.clone()));
                let Some(ty) = found else {
                    if FACTS.contains(&name.text) {
                        return (WriteTarget::Invalid, self.report_unwritable(name));
                    }
                    let known: Vec<String> = self
                        .symbols
                        .props
                        .iter()
                        .map(|prop| self.symbols.spelling(prop.name).to_owned())
                        .collect();
                    let ty = self.report_unknown(
                        "E-PROP",
                        name.span,
                        "property",
                        &name.text,
                        known.iter().map(String::as_str),
                    );
                    return (WriteTarget::Invalid, ty);
                };
                let symbol = self.intern_symbol(&name.text);
                let key = self.constant(i64::from(symbol.0));
                (WriteTarget::Named { entity: owner.reg, name: key }, ty)
            }
            Ty::Event(Some(event)) => {
                let fields = self.symbols.event_by_id(*event).1.fields.clone();
                let found = fields.iter().position(|(field, _)| self.symbols.spelling(*field) == name.text);
                let Some(at) = found else {
                    let known = self.symbols.field_names(&fields);
                    let what = format!("field of the event {}", self.symbols.event_by_id(*event).0);
                    let ty = self.report_unknown(
                        "E-PROP",
                        name.span,
                        &what,
                        &name.text,
                        known.iter().map(String::as_str),
                    );
                    return (WriteTarget::Invalid, ty);
                };
                if self.body.own_event.is_some() || !self.reacting_before() {
                    let ty = self.report_error(
                        "E-APPLY",
                        owner_expr.span,
                        "an event that has happened cannot be changed; only a `before` reaction can change it",
                    );
                    return (WriteTarget::Invalid, ty);
                }
                if event.index() < native::EVENTS.len()
                    && !self.is_published
                    && !REWRITABLE
                        .iter()
                        .any(|(known, names)| known == event && names.contains(&name.text.as_str()))
                {
                    let message = format!("`{}` of this event cannot be rewritten", name.text);
                    self.report(Diagnostic::error("E-APPLY", name.span, message).hint(
                        "the engine fills it in; `prevent` the event with `instead` for something else",
                    ));
                    return (WriteTarget::Invalid, Ty::Error);
                }
                let is_any = fields[at].1 == Ty::Any;
                let ty = match Self::path(owner_expr) {
                    Some(path) if is_any && name.text == "to" => {
                        self.body.narrowed_type(&format!("{path}.to"), &fields[at].1)
                    }
                    _ => fields[at].1.clone(),
                };
                if ty == Ty::Any {
                    let message = format!("`{}` can be of any type, so it cannot be rewritten", name.text);
                    let hint = match name.text.as_str() {
                        "to" => "test which property changes first, such as `if: event.prop == power`",
                        _ => "it is filled in when the event happens; `to` can be rewritten",
                    };
                    self.report(Diagnostic::error("E-TYPE", name.span, message).hint(hint));
                    return (WriteTarget::Invalid, Ty::Error);
                }
                (WriteTarget::Payload { event: owner.reg, field: at as u16 }, ty)
            }
            other => {
                let message = format!("{} has no properties to write", self.symbols.type_name(other));
                let ty = self.report_error("E-TYPE", owner_expr.span, message);
                (WriteTarget::Invalid, ty)
            }
        }
    }

    /// Reports a write to something that can only be read: a fact of the engine such as `owner`, or a zone.
    fn report_unwritable(&mut self, name: &crate::expr::SpannedName) -> Ty {
        let message = format!("`{}` can only be read", name.text);
        let hint = match name.text.as_str() {
            "owner" => {
                "an entity keeps its owner; declare `controller`, which can change, or create it with another `owner`"
            }
            "controller" => "declare the property `controller: maybe<player>` in its kind",
            "zone" | "index" => "use `move` to put an entity somewhere else",
            "host" => "a trait stays where it was attached; `remove` it and `create` it with another `host`",
            _ if self.symbols.zones.get(&name.text).is_some() => "use `move` to change what is in a zone",
            _ => "the engine sets it; declare a property for a value of your own",
        };
        self.report(Diagnostic::error("E-PROP", name.span, message).hint(hint));
        Ty::Error
    }

    /// Returns true if modifiers can apply to what is written. A field of an event is a plain value, even if
    /// a modifiable property has the same name, and so is a property of another kind.
    fn may_be_modified(&self, destination: &WriteTarget, target: &Expr) -> bool {
        match (destination, &target.kind) {
            (WriteTarget::Property { prop, .. }, _) => {
                self.symbols.props.iter().any(|info| info.id == *prop && info.modifiable)
            }
            (WriteTarget::Named { .. }, ExprKind::Method { name, .. }) => {
                self.symbols.props_named(&name.text).any(|prop| prop.modifiable)
            }
            _ => false,
        }
    }

    /// Warns if a modified value is read and written back, which would make the modification permanent.
    fn warn_modified_base(&mut self, target: &Expr, value: &Expr) {
        let Some(path) = Self::path(target) else { return };
        if reads_path(value, &path) {
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

/// Returns true if an expression reads the path.
fn reads_path(expr: &Expr, path: &str) -> bool {
    if Checker::path(expr).as_deref() == Some(path) {
        return true;
    }
    match &expr.kind {
        ExprKind::Unary { operand, .. } | ExprKind::Assert(operand) => reads_path(operand, path),
        ExprKind::Binary { left, right, .. } => reads_path(left, path) || reads_path(right, path),
        ExprKind::If { cond, then, otherwise } => {
            reads_path(cond, path) || reads_path(then, path) || reads_path(otherwise, path)
        }
        ExprKind::Call { args, .. } => args.iter().any(|arg| reads_path(&arg.body, path)),
        _ => false,
    }
}
