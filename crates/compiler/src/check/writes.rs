//! Statements that make something happen: writing, emitting, moving, creating, rolling, calling.

use std::rc::Rc;

use intermezzo_ruleset::{Create, CreateId, Info, Instr, NULL, Reg, Roll, RollId, native};

use super::body::Mode;
use super::stmts::{Goes, Parts};
use super::types::{RecordTy, Ty};
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
    // --- set and add ----------------------------------------------------------------

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
        let reg = if add {
            let old = self.value(&target);
            let a = self.coerce(old, &Ty::Int, target.span).reg;
            let b = self.value_as(&expr, &Ty::Int);
            self.add(a, b)
        } else {
            self.warn_modified_base(&target, &expr);
            self.value_as(&expr, &ty)
        };
        if !several {
            return (place, reg);
        }
        let held = self.body.local(ty);
        self.body.put(held, reg);
        (self.hold_place(place), held)
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
                    let known: Vec<String> =
                        fields.iter().map(|(field, _)| self.world.spelling(*field).to_owned()).collect();
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

    // --- emit ---------------------------------------------------------------------------

    pub(crate) fn emit_statement(&mut self, parts: &Parts<'_>, value: &Node) {
        let Some(name) = self.text(value, "`emit`") else { return };
        let Some(event) = self.world.events.get(&name.value).cloned() else {
            let known = self.event_names();
            self.unknown("E-NAME", name.span, "event", &name.value, known.iter().map(String::as_str));
            return;
        };
        if event.native {
            let message = format!("{} happens by itself; it cannot be emitted", name.value);
            self.wrong("E-NAME", name.span, message);
            return;
        }
        self.usage.emitted.insert(event.id.0);
        self.usage.emits.entry(self.body.routine).or_default().insert(event.id.0);
        let args = self.body.temps(event.fields.len() as u16);
        let mut wrong_key = false;
        for entry in parts.arguments() {
            let key = entry.key.value.as_str();
            if key == "stack" || key == "keep" {
                self.unsupported(entry.key.span, format!("`{key}` of `emit`"));
                continue;
            }
            if key == "as" {
                continue;
            }
            let found = event.fields.iter().position(|(field, _)| self.world.spelling(*field) == key);
            let Some(at) = found else {
                let known: Vec<String> =
                    event.fields.iter().map(|(field, _)| self.world.spelling(*field).to_owned()).collect();
                let what = format!("field of the event {}", name.value);
                self.unknown("E-ARGS", entry.key.span, &what, key, known.iter().map(String::as_str));
                wrong_key = true;
                continue;
            };
            let ty = event.fields[at].1.clone();
            if let Some(expr) = self.node_expr(&entry.value) {
                self.value_into(args.offset(at as u16), &expr, &ty);
            }
        }
        for (at, (field, ty)) in event.fields.iter().enumerate() {
            let spelling = self.world.spelling(*field).to_owned();
            if parts.get(&spelling).is_some() {
                continue;
            }
            if ty.is_maybe() {
                self.load(args.offset(at as u16), NULL);
            } else if !wrong_key {
                let message = format!("the event {} needs `{spelling}`", name.value);
                self.wrong("E-ARGS", parts.span, message);
            }
        }
        let result = self.name_given(parts).map(str::to_owned);
        let dst = match &result {
            Some(name) => {
                let mut fields = event.fields.clone();
                fields.push((self.symbol("applied"), Ty::Bool));
                let ty = Ty::Record(Rc::new(RecordTy { name: None, fields }));
                self.result_local(name, ty)
            }
            None => Reg::NONE,
        };
        self.emit(Instr::Emit { dst, event: event.id, args });
    }

    /// The local an `as:` names: the old one if the types agree, else a new one.
    pub(crate) fn result_local(&mut self, name: &str, ty: Ty) -> Reg {
        self.body.forget(name);
        if let Some(binding) = self.body.binding(name).filter(|binding| binding.local && binding.ty == ty) {
            return binding.reg;
        }
        self.bind_local(name, ty)
    }

    pub(crate) fn event_names(&self) -> Vec<String> {
        self.world.events.names().chain(self.world.aliases.names()).map(str::to_owned).collect()
    }

    // --- zones --------------------------------------------------------------------------------

    /// A zone instance; a bare name of a zone that belongs to players means the owner's.
    pub(crate) fn zone_value(&mut self, node: &Node, owner: Option<Reg>) -> Reg {
        let Some(expr) = self.node_expr(node) else { return Reg(0) };
        let value = self.value(&expr);
        if value.ty.is_maybe() {
            self.warn_null(expr.span);
        }
        match value.ty.present() {
            Ty::Error | Ty::Zone(_) => value.reg,
            Ty::Family(zone) => {
                let dst = self.body.temp();
                match (self.world.zone_by_id(zone).1.of, owner) {
                    (None, _) => {
                        self.emit(Instr::TheZone { dst, zone });
                    }
                    (Some(intermezzo_ruleset::KindId::PLAYER), Some(owner)) => {
                        self.emit(Instr::ZoneOf { dst, entity: owner, zone });
                    }
                    (Some(_), _) => {
                        let name = self.world.zone_by_id(zone).0.to_owned();
                        self.report(
                            Diagnostic::error(
                                "E-TYPE",
                                expr.span,
                                format!("there are several zones `{name}`"),
                            )
                            .hint(format!("say whose, such as `p.{name}`")),
                        );
                    }
                }
                dst
            }
            Ty::ZoneName => {
                self.unsupported(expr.span, "a zone given by a variable name");
                value.reg
            }
            other => {
                let message = format!("expected a zone, but this is {}", self.world.show(&other));
                self.wrong("E-TYPE", expr.span, message);
                value.reg
            }
        }
    }

    fn at_top(&mut self, parts: &Parts<'_>) -> bool {
        match parts.get("at") {
            Some(node) => self.word(node, "`at`", &["top", "bottom"]) == Some("top"),
            None => false,
        }
    }

    pub(crate) fn move_statement(&mut self, parts: &Parts<'_>, value: &Node) {
        let what_span = value.span;
        let what = self.node_value(value);
        if what.ty.is_maybe() {
            self.warn_null(what_span);
        }
        let what = Val { ty: what.ty.present(), ..what };
        let top = self.at_top(parts);
        let Some(to) = parts.get("to") else {
            self.wrong("E-ARGS", parts.span, "`move` needs `to`");
            return;
        };
        self.usage.emitted.insert(native::MOVED.0);
        if Self::is_listlike(&what.ty) {
            let list = self.as_list(what);
            let held = self.body.local(list.ty.clone());
            self.body.put(held, list.reg);
            let zone = self.zone_value(to, None);
            self.emit(Instr::MoveAll { list: held, zone, top });
            return;
        }
        let what = self.coerce(what, &Ty::Entity, what_span);
        if what.ty == Ty::PLAYER {
            self.wrong("E-TYPE", what_span, "players are in no zone, so they cannot be moved");
        }
        let owner = self.body.temp();
        self.emit(Instr::Info { dst: owner, entity: what.reg, what: Info::Owner });
        let zone = self.zone_value(to, Some(owner));
        self.emit(Instr::Move { entity: what.reg, zone, top });
    }

    pub(crate) fn create_statement(&mut self, parts: &Parts<'_>, value: &Node) {
        let Some(expr) = self.node_expr(value) else { return };
        let trait_name = match &expr.kind {
            ExprKind::Name(name) if self.body.binding(name).is_none() && self.world.traits.contains(name) => {
                Some(name)
            }
            _ => None,
        };
        if let Some(name) = trait_name {
            let name = name.clone();
            self.attach_statement(parts, &name);
            return;
        }
        let def = match &expr.kind {
            ExprKind::Name(name) if self.body.binding(name).is_none() => self.world.defs.get(name).cloned(),
            _ => None,
        };
        let with = parts.get("with").map(|node| self.named(node, "`with`")).unwrap_or_default();
        let args = self.body.temps(3 + with.len() as u16);
        self.value_into(args, &expr, &Ty::Def);
        match parts.get("owner").and_then(|node| self.node_expr(node)) {
            Some(owner) => self.value_into(args.offset(1), &owner, &Ty::PLAYER.maybe()),
            None => self.load(args.offset(1), NULL),
        }
        match parts.get("in") {
            Some(node) => {
                let owner = parts.get("owner").is_some().then_some(args.offset(1));
                let zone = self.zone_value(node, owner);
                self.body.put(args.offset(2), zone);
            }
            None => self.load(args.offset(2), NULL),
        }
        let mut names = Vec::new();
        for (at, entry) in with.iter().enumerate() {
            let ty = self.with_type(def.as_ref().map(|def| def.kind), &entry.key);
            names.push(self.symbol(&entry.key.value));
            if let Some(expr) = self.node_expr(&entry.value) {
                self.value_into(args.offset(3 + at as u16), &expr, &ty);
            }
        }
        let top = self.at_top(parts);
        let create = CreateId(self.program.creates.len() as u16);
        self.program.creates.push(Create { with: names, top });
        self.usage.emitted.insert(native::CREATED.0);
        let result = self.name_given(parts).map(str::to_owned);
        let ty = def.map_or(Ty::SomeEntity, |def| Ty::Kind(def.kind));
        let dst = match result {
            Some(name) => self.result_local(&name, ty),
            None => Reg::NONE,
        };
        self.emit(Instr::Create { dst, create, args });
    }

    fn with_type(&mut self, kind: Option<intermezzo_ruleset::KindId>, key: &Text) -> Ty {
        let found = match kind {
            Some(kind) => self.world.prop(kind, &key.value),
            None => self.world.props_named(&key.value).next(),
        };
        if let Some(prop) = found {
            return prop.ty.clone();
        }
        let known: Vec<String> = match kind {
            Some(kind) => self.member_names(kind),
            None => self.world.props.iter().map(|prop| self.world.spelling(prop.name).to_owned()).collect(),
        };
        self.unknown("E-PROP", key.span, "property", &key.value, known.iter().map(String::as_str))
    }

    /// Attaching a trait.
    fn attach_statement(&mut self, parts: &Parts<'_>, name: &str) {
        self.note_symbol_use(name);
        let params = self.world.traits.get(name).map(|info| info.params.clone()).unwrap_or_default();
        match parts.get("host") {
            Some(node) => {
                self.node_as(node, &Ty::Entity);
            }
            None => {
                self.wrong("E-ARGS", parts.span, "attaching a trait needs `host`");
            }
        }
        if let Some(until) = parts.get("until").and_then(|node| self.text(node, "`until`"))
            && !self.world.durations.contains(&until.value)
        {
            let known: Vec<String> = self.world.durations.names().map(str::to_owned).collect();
            self.unknown("E-NAME", until.span, "duration", &until.value, known.iter().map(String::as_str));
        }
        if let Some(with) = parts.get("with") {
            self.trait_arguments(name, &params, with);
        }
        self.unsupported(parts.span, "traits");
    }

    // --- chance -------------------------------------------------------------------------------

    pub(crate) fn roll_statement(&mut self, parts: &Parts<'_>, value: &Node) {
        let label = parts.get("for").and_then(|node| self.text(node, "`for`")).map(|text| {
            self.mark_used("symbols", &text.value);
            self.symbol(&text.value)
        });
        let roll = RollId(self.program.rolls.len() as u16);
        self.program.rolls.push(Roll { label });
        self.usage.emitted.insert(native::ROLLED.0);
        let result = self.name_given(parts).map(str::to_owned);
        let args = self.body.temps(3);
        match parts.get("by").and_then(|node| self.node_expr(node)) {
            Some(by) => self.value_into(args.offset(2), &by, &Ty::Entity.maybe()),
            None => self.load(args.offset(2), NULL),
        }
        if let Some(from) = parts.get("from") {
            let list = self.node_value(from);
            let list = Val { ty: list.ty.present(), ..list };
            if !Self::is_listlike(&list.ty) && !list.ty.is_error() {
                let message = format!("`from` is a list, but this is {}", self.world.show(&list.ty));
                self.wrong("E-TYPE", from.span, message);
            }
            let list = self.as_list(list);
            self.body.put(args.offset(1), list.reg);
            let count = self.node_as(value, &Ty::Int);
            self.body.put(args, count);
            let dst = match result {
                Some(name) => self.result_local(&name, list.ty),
                None => Reg::NONE,
            };
            self.emit(Instr::Draw { dst, roll, args });
            return;
        }
        let dice = self.node_as(value, &Ty::Dice);
        self.body.put(args, dice);
        match parts.get("keep").and_then(|node| self.node_expr(node)) {
            Some(keep) => {
                self.check_keep(&keep);
                self.value_into(args.offset(1), &keep, &Ty::Symbol);
            }
            None => self.load(args.offset(1), NULL),
        }
        let fields = vec![(self.symbol("faces"), Ty::list(Ty::Int)), (self.symbol("total"), Ty::Int)];
        let dst = match result {
            Some(name) => self.result_local(&name, Ty::Record(Rc::new(RecordTy { name: None, fields }))),
            None => Reg::NONE,
        };
        self.emit(Instr::Roll { dst, roll, args });
    }

    /// Which dice to keep.
    fn check_keep(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) if self.body.binding(name).is_none() => {
                let known = ["highest", "lowest", "all"];
                if !known.contains(&name.as_str()) {
                    self.unknown("E-ENUM", expr.span, "dice to keep", name, known);
                }
            }
            ExprKind::If { then, otherwise, .. } => {
                self.check_keep(then);
                self.check_keep(otherwise);
            }
            _ => {}
        }
    }

    // --- calling ------------------------------------------------------------------------------

    pub(crate) fn proc_call(&mut self, parts: &Parts<'_>) -> Goes {
        let Some(callable) = self.world.procs.get(parts.head).cloned() else {
            let known: Vec<String> = super::stmts::OPERATIONS
                .iter()
                .map(|(op, _)| (*op).to_owned())
                .chain(self.world.procs.names().map(str::to_owned))
                .collect();
            self.unknown("E-OP", parts.head_span, "operation", parts.head, known.iter().map(String::as_str));
            return Goes::On;
        };
        if self.body.mode == Mode::Apply {
            self.report(
                Diagnostic::error("E-APPLY", parts.head_span, "`apply` cannot call procs")
                    .hint("consequences go into `then`"),
            );
        }
        self.mark_used("procs", parts.head);
        let args = self.body.temps(callable.params.len() as u16);
        let mut given = vec![false; callable.params.len()];
        let mut wrong_key = false;
        if let (Some(value), None) = (parts.value, callable.params.first())
            && !matches!(value.value, crate::tree::Value::Null)
        {
            let message = format!("`{}` takes no arguments", parts.head);
            self.wrong("E-ARGS", value.span, message);
        }
        if let (Some(value), Some(first)) = (parts.value, callable.params.first()) {
            given[0] = true;
            if let Some(expr) = self.node_expr(value) {
                self.value_into(args, &expr, &first.ty.clone());
            }
        }
        for entry in parts.arguments() {
            if entry.key.value == "as" {
                continue;
            }
            let found = callable.params.iter().position(|param| param.name == entry.key.value);
            let Some(at) = found else {
                let known: Vec<String> = callable.params.iter().map(|param| param.name.clone()).collect();
                let what = format!("argument of `{}`", parts.head);
                self.unknown(
                    "E-ARGS",
                    entry.key.span,
                    &what,
                    &entry.key.value,
                    known.iter().map(String::as_str),
                );
                wrong_key = true;
                continue;
            };
            given[at] = true;
            if let Some(expr) = self.node_expr(&entry.value) {
                self.value_into(args.offset(at as u16), &expr, &callable.params[at].ty.clone());
            }
        }
        for (at, param) in callable.params.iter().enumerate().filter(|(at, _)| !given[*at]) {
            let dst = args.offset(at as u16);
            match &param.default {
                Some(default) => self.value_into(dst, &Rc::clone(default), &param.ty),
                None if param.ty.is_maybe() => self.load(dst, NULL),
                None if wrong_key => {}
                None => {
                    let message = format!("`{}` needs `{}`", parts.head, param.name);
                    self.wrong("E-ARGS", parts.span, message);
                }
            }
        }
        self.note_call(callable.routine, parts.head_span);
        let dst = match parts.get("as").and_then(|node| self.text(node, "`as`")) {
            Some(name) => {
                let ty = match callable.returns {
                    Ty::Never => {
                        let message = format!("`{}` returns nothing", parts.head);
                        self.wrong("E-ARGS", name.span, message)
                    }
                    ref ty => ty.clone(),
                };
                self.result_local(&name.value.clone(), ty)
            }
            None => Reg::NONE,
        };
        self.emit(Instr::Call { dst, routine: callable.routine, args });
        Goes::On
    }

    // --- what the next version of the machine runs -----------------------------------------------

    pub(crate) fn call_statement(&mut self, parts: &Parts<'_>, value: &Node) {
        self.node_as(value, &Ty::Ability);
        if let Some(host) = parts.get("host") {
            self.node_as(host, &Ty::Entity);
        }
        if let Some(with) = parts.get("with") {
            for entry in with.as_map().unwrap_or_default() {
                self.node_value(&entry.value);
            }
        }
        self.unsupported(parts.span, "`call`");
    }

    pub(crate) fn prevent_statement(&mut self, parts: &Parts<'_>, value: &Node) {
        let event = self.node_value(value);
        let about_this = value.as_text().is_some_and(|text| text.value == "event");
        match event.ty.present() {
            Ty::Error => {}
            Ty::Event(ty) => {
                if about_this && !self.reacting_before() {
                    self.report(
                        Diagnostic::error("E-PREVENT", value.span, "what has happened cannot be prevented")
                            .hint("use `before` instead of `after`"),
                    );
                } else if let Some(ty) = ty
                    && !self.world.event_by_id(ty).1.preventable
                {
                    let message = format!("{} cannot be prevented", self.world.event_by_id(ty).0);
                    self.wrong("E-PREVENT", value.span, message);
                }
            }
            other => {
                let message = format!("`prevent` takes an event, but this is {}", self.world.show(&other));
                self.wrong("E-TYPE", value.span, message);
            }
        }
        if let Some(instead) = parts.get("instead") {
            self.block(instead);
        }
        self.unsupported(parts.span, "`prevent`");
    }

    pub(crate) fn group_statement(&mut self, parts: &Parts<'_>, value: &Node) -> Goes {
        let outer = std::mem::replace(&mut self.body.group, true);
        let simultaneous = value.as_text().is_some_and(|text| text.value == "simultaneous");
        if !simultaneous {
            // Members may name what they made for those that follow.
            self.sequence(value);
        }
        self.body.group = outer;
        self.unsupported(parts.span, "`group`");
        Goes::On
    }

    /// Whether this code runs before an event that it may still change.
    pub(crate) fn reacting_before(&self) -> bool {
        self.body.name.ends_with("(before)")
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
