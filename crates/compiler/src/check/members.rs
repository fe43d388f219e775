//! What stands after a dot or in brackets: properties, zones, fields, items.

use std::rc::Rc;

use intermezzo_ruleset::{Info, Instr, KindId, NULL, Reg, Word};

use super::types::{RecordTy, Ty};
use super::{Checker, Val};
use crate::expr::{Arg, Expr, ExprKind, Name};
use crate::source::Span;

/// Facts every entity answers.
pub(crate) const FACTS: &[&str] = &["def", "owner", "controller", "zone", "index", "host", "abilities"];

impl Checker<'_> {
    /// `target.name`, `target?.name`, `target.name(args)`
    pub(crate) fn member(
        &mut self,
        target: &Expr,
        name: &Name,
        args: &[Arg],
        has_parens: bool,
        null_safe: bool,
        span: Span,
    ) -> Val {
        if let ExprKind::Name(root) = &target.kind
            && self.body.binding(root).is_none()
            && let Some(value) = self.root_member(root, name, args)
        {
            return value;
        }
        let lenient = std::mem::take(&mut self.body.lenient);
        let value = match &target.kind {
            ExprKind::Index { target, index } if null_safe => self.index(target, index, true),
            _ => self.value(target),
        };
        self.body.lenient = lenient;
        if !null_safe {
            if value.ty.is_maybe() {
                self.warn_null(target.span);
            }
            let ty = value.ty.present();
            return self.member_of(Val { ty, ..value }, target, name, args, has_parens, span);
        }
        // `a?.b`: null if a is.
        let dst = self.body.temp();
        self.load(dst, NULL);
        let absent = self.emit(Instr::JumpNull { value: value.reg, to: 0 });
        let ty = value.ty.present();
        let inner = self.member_of(Val { ty, ..value }, target, name, args, has_parens, span);
        self.emit(Instr::Copy { dst, src: inner.reg });
        self.body.land(&[absent]);
        Val { reg: dst, ty: inner.ty.maybe() }
    }

    /// Members of the names that are not values themselves.
    fn root_member(&mut self, root: &str, name: &Name, args: &[Arg]) -> Option<Val> {
        match root {
            "flow" => Some(self.flow_part(name, args)),
            "options" => Some(self.option_value(name)),
            "players" if name.text == "count" && args.is_empty() => {
                let dst = self.body.temp();
                self.emit(Instr::PlayerCount { dst });
                Some(Val { reg: dst, ty: Ty::Int })
            }
            "match" => Some(self.kind_member(Reg(0), KindId::MATCH, name)),
            _ => None,
        }
    }

    fn option_value(&mut self, name: &Name) -> Val {
        let dst = self.body.temp();
        let Some((ty, column)) = self.world.options.get(&name.text).cloned() else {
            let known = self.world.options.owned_names();
            let ty =
                self.unknown("E-NAME", name.span, "option", &name.text, known.iter().map(String::as_str));
            return Val { reg: dst, ty };
        };
        self.mark_used("options", &name.text);
        self.emit(Instr::MatchProp { dst, column });
        Val { reg: dst, ty }
    }

    fn member_of(
        &mut self,
        value: Val,
        target: &Expr,
        name: &Name,
        args: &[Arg],
        has_parens: bool,
        span: Span,
    ) -> Val {
        match value.ty.clone() {
            Ty::Error => {
                self.discard_args(args);
                Val { reg: value.reg, ty: Ty::Error }
            }
            ty if ty.is_entity() => self.entity_member(&value, name, args, has_parens),
            Ty::Zone(_) if name.text == "host" => {
                self.note_secret(name.span, "what `host` leads to may be out of sight");
                let dst = self.body.temp();
                self.emit(Instr::ZoneHost { dst, value: value.reg });
                let ty = match value.ty {
                    Ty::Zone(Some(zone)) => match self.world.zone_by_id(zone).1.of {
                        Some(kind) => Ty::Kind(kind),
                        None => Ty::Entity.maybe(),
                    },
                    _ => Ty::Entity.maybe(),
                };
                Val { reg: dst, ty }
            }
            ty if Self::is_listlike(&ty) => {
                if name.text == "count" && args.is_empty() {
                    self.note_count(target);
                }
                let never_empty = matches!(&target.kind, ExprKind::Name(root) if root == "players");
                self.list_method(value, name, args, span, never_empty)
            }
            Ty::Record(record) => self.record_member(&value, &record, name, args),
            Ty::Event(event) => self.event_member(&value, event, name),
            Ty::Ability if name.text == "has_tag" && args.len() == 1 => {
                let tag = self.value_as(&args[0].body, &Ty::Symbol);
                let dst = self.body.temp();
                self.emit(Instr::HasTag { dst, ability: value.reg, tag });
                Val { reg: dst, ty: Ty::Bool }
            }
            Ty::Action => self.offer_member(&value, name),
            other => {
                let message = format!("{} has no `{}`", self.world.show(&other), name.text);
                let ty = self.wrong("E-PROP", name.span, message);
                Val { reg: value.reg, ty }
            }
        }
    }

    /// What an offer tells: which action, and who has it.
    fn offer_member(&mut self, value: &Val, name: &Name) -> Val {
        let dst = self.body.temp();
        match name.text.as_str() {
            "action" => {
                self.emit(Instr::OfferAction { dst, offer: value.reg });
                Val { reg: dst, ty: Ty::Symbol }
            }
            "host" => {
                self.emit(Instr::OfferHost { dst, offer: value.reg });
                Val { reg: dst, ty: Ty::SomeEntity.maybe() }
            }
            other => {
                let ty = self.unknown("E-PROP", name.span, "part of an action", other, ["action", "host"]);
                Val { reg: dst, ty }
            }
        }
    }

    pub(crate) fn discard_args(&mut self, args: &[Arg]) {
        for arg in args {
            let depth = self.body.bindings.len();
            let bound = arg.param.as_ref().map_or("it", |param| param.text.as_str()).to_owned();
            self.body.bind(&bound, Reg(0), Ty::Error);
            self.value(&arg.body);
            self.body.bindings.truncate(depth);
        }
    }

    fn entity_member(&mut self, value: &Val, name: &Name, args: &[Arg], has_parens: bool) -> Val {
        if has_parens && name.text == "has" && args.len() == 1 {
            return self.has_trait(value, &args[0].body);
        }
        if let Ty::Kind(kind) = value.ty {
            return self.kind_member(value.reg, kind, name);
        }
        if let Some(found) = self.fact(value.reg, &value.ty, name) {
            return found;
        }
        // The kind is not known: the property is looked up when the rule runs.
        let mut ty: Option<Ty> = (name.text == "known").then(|| Ty::list(Ty::PLAYER));
        let types: Vec<Ty> = self.world.props_named(&name.text).map(|prop| prop.ty.clone()).collect();
        for other in types {
            ty = match ty {
                None => Some(other),
                Some(ty) => self.join(&ty, &other),
            };
        }
        if let Some(ty) = ty {
            self.note_prop_read(&name.text);
            self.note_properties(&name.text, name.span);
            let symbol = self.symbol(&name.text);
            let key = self.constant(Word::from(symbol.0));
            let dst = self.body.temp();
            self.emit(Instr::NamedProp { dst, entity: value.reg, name: key, base: self.body.base_reads });
            return Val { reg: dst, ty };
        }
        if let Some(zone) = self.world.zones.get(&name.text).filter(|zone| zone.of.is_some()) {
            let zone = zone.id;
            self.mark_used("zones", &name.text);
            self.note_zone(Some(value.reg), zone, name.span);
            let dst = self.body.temp();
            self.emit(Instr::ZoneOf { dst, entity: value.reg, zone });
            return Val { reg: dst, ty: Ty::Zone(Some(zone)) };
        }
        let known = self.all_member_names();
        let ty = self.unknown("E-PROP", name.span, "property", &name.text, known.iter().map(String::as_str));
        Val { reg: value.reg, ty }
    }

    /// `entity.has(trait)`
    fn has_trait(&mut self, value: &Val, name: &Expr) -> Val {
        self.value_as(name, &Ty::Trait);
        let dst = self.body.temp();
        let info = match &name.kind {
            ExprKind::Name(name) => self.world.traits.get(name).map(|info| info.def),
            _ => self.wrong_trait(name.span),
        };
        if let Some(def) = info {
            self.emit(Instr::HasTrait { dst, entity: value.reg, def });
        }
        Val { reg: dst, ty: Ty::Bool }
    }

    fn wrong_trait(&mut self, span: Span) -> Option<intermezzo_ruleset::DefId> {
        self.wrong("E-TYPE", span, "`has` takes the name of a trait");
        None
    }

    fn all_member_names(&self) -> Vec<String> {
        let mut known: Vec<String> = FACTS.iter().map(|fact| (*fact).to_owned()).collect();
        known.extend(self.world.props.iter().map(|prop| self.world.spelling(prop.name).to_owned()));
        known.extend(self.world.zones.names().map(str::to_owned));
        known
    }

    /// `add` has to read what it writes; that alone is no use of it.
    fn note_prop_read(&mut self, name: &str) {
        if !self.body.base_reads {
            self.mark_used("props", name);
        }
    }

    fn kind_member(&mut self, entity: Reg, kind: KindId, name: &Name) -> Val {
        if let Some(prop) = self.world.prop(kind, &name.text).cloned() {
            self.note_prop_read(&name.text);
            self.note_property(entity, &prop, name.span);
            let dst = self.body.temp();
            if let Some(routine) = prop.derived {
                let args = self.body.temp();
                self.emit(Instr::Copy { dst: args, src: entity });
                self.note_call(routine, name.span);
                self.emit(Instr::Call { dst, routine, args });
            } else if prop.modifiable && !self.body.base_reads {
                self.usage.reads.entry(self.body.routine).or_default().insert(prop.id.0);
                self.emit(Instr::Modified { dst, entity, prop: prop.id });
            } else if kind == KindId::MATCH {
                self.emit(Instr::MatchProp { dst, column: prop.column });
            } else {
                self.emit(Instr::Prop { dst, entity, column: prop.column });
            }
            return Val { reg: dst, ty: prop.ty };
        }
        if let Some(zone) = self.world.zones.get(&name.text)
            && zone.of.is_some_and(|of| self.world.extends(kind, of))
        {
            let zone = zone.id;
            self.mark_used("zones", &name.text);
            self.note_zone(Some(entity), zone, name.span);
            let dst = self.body.temp();
            self.emit(Instr::ZoneOf { dst, entity, zone });
            return Val { reg: dst, ty: Ty::Zone(Some(zone)) };
        }
        if let Some(found) = self.fact(entity, &Ty::Kind(kind), name) {
            return found;
        }
        let known = self.member_names(kind);
        let what = format!("property of {}", self.world.kind_name(kind));
        let ty = self.unknown("E-PROP", name.span, &what, &name.text, known.iter().map(String::as_str));
        Val { reg: entity, ty }
    }

    pub(crate) fn member_names(&self, kind: KindId) -> Vec<String> {
        let mut known: Vec<String> = self
            .world
            .props
            .iter()
            .filter(|prop| self.world.extends(kind, prop.kind))
            .map(|prop| self.world.spelling(prop.name).to_owned())
            .collect();
        known.extend(
            self.world
                .zones
                .iter()
                .filter(|(_, zone)| zone.of.is_some_and(|of| self.world.extends(kind, of)))
                .map(|(name, _)| name.to_owned()),
        );
        known.extend(FACTS.iter().map(|fact| (*fact).to_owned()));
        if kind == KindId::PLAYER {
            known.push("seat".to_owned());
        }
        known
    }

    /// Whether something of the type is on the stack.
    pub(crate) fn is_item(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Kind(kind) if self.world.extends(*kind, KindId::ITEM))
    }

    /// Facts the engine keeps about every entity.
    fn fact(&mut self, entity: Reg, ty: &Ty, name: &Name) -> Option<Val> {
        let is_player = *ty == Ty::PLAYER;
        if ["zone", "host", "abilities", "targets"].contains(&name.text.as_str()) {
            self.note_secret(name.span, format!("what `{}` leads to may be out of sight", name.text));
        }
        let (what, ty) = match name.text.as_str() {
            "def" => (Info::Def, Ty::Def.maybe()),
            "owner" => (Info::Owner, Ty::PLAYER),
            "controller" => (Info::Controller, Ty::PLAYER),
            "zone" => (Info::Zone, Ty::Zone(None).maybe()),
            "index" => (Info::Index, Ty::Int),
            "host" => (Info::Host, Ty::SomeEntity.maybe()),
            "seat" if is_player => (Info::Seat, Ty::Int),
            "abilities" => {
                let dst = self.body.temp();
                self.emit(Instr::Abilities { dst, entity });
                return Some(Val { reg: dst, ty: Ty::list(Ty::Ability) });
            }
            "actor" if self.is_item(ty) => (Info::Owner, Ty::PLAYER),
            "targets" if self.is_item(ty) => {
                let dst = self.body.temp();
                self.emit(Instr::Targets { dst, item: entity });
                return Some(Val { reg: dst, ty: Ty::list(Ty::SomeEntity) });
            }
            _ => return None,
        };
        let dst = self.body.temp();
        self.emit(Instr::Info { dst, entity, what });
        // Nearly everything has an owner and a place; where it may not, `??` says what then.
        if matches!(what, Info::Owner | Info::Controller | Info::Index) {
            if self.body.lenient {
                return Some(Val { reg: dst, ty: ty.maybe() });
            }
            self.emit(Instr::Assert { value: dst });
        }
        Some(Val { reg: dst, ty })
    }

    fn record_member(&mut self, value: &Val, record: &Rc<RecordTy>, name: &Name, args: &[Arg]) -> Val {
        if name.text == "with" && args.len() == 1 {
            return self.record_with(value, record, &args[0].body);
        }
        let found = record.fields.iter().position(|(field, _)| self.world.spelling(*field) == name.text);
        let Some(at) = found else {
            let known = self.world.field_names(&record.fields);
            let ty = self.unknown("E-PROP", name.span, "field", &name.text, known.iter().map(String::as_str));
            return Val { reg: value.reg, ty };
        };
        self.note_event_field(value.reg, &name.text, &record.fields[at].1, name.span);
        let dst = self.body.temp();
        self.emit(Instr::Field { dst, record: value.reg, index: at as u16 });
        Val { reg: dst, ty: record.fields[at].1.clone() }
    }

    fn record_with(&mut self, value: &Val, record: &Rc<RecordTy>, change: &Expr) -> Val {
        let ExprKind::Record(fields) = &change.kind else {
            let ty =
                self.wrong("E-ARGS", change.span, "`with` takes the changed fields: `with({field: value})`");
            return Val { reg: value.reg, ty };
        };
        let first = self.body.temps(fields.len() as u16);
        let mut places = Vec::new();
        for (at, (name, expr)) in fields.iter().enumerate() {
            let found = record.fields.iter().position(|(field, _)| self.world.spelling(*field) == name.text);
            let Some(index) = found else {
                let known = self.world.field_names(&record.fields);
                self.unknown("E-PROP", name.span, "field", &name.text, known.iter().map(String::as_str));
                continue;
            };
            let wanted = record.fields[index].1.clone();
            let reg = first.offset(at as u16);
            self.value_into(reg, expr, &wanted);
            places.push((index as u16, reg));
        }
        let dst = self.body.temp();
        self.emit(Instr::CopyRecord { dst, record: value.reg, count: record.fields.len() as u16 });
        for (index, reg) in places {
            self.emit(Instr::PutField { record: dst, index, value: reg });
        }
        Val { reg: dst, ty: Ty::Record(Rc::clone(record)) }
    }

    fn event_member(&mut self, value: &Val, event: Option<intermezzo_ruleset::EventId>, name: &Name) -> Val {
        let Some(event) = event else {
            let message = format!("which event this is is not known here, so it has no `{}`", name.text);
            let ty = self.wrong("E-PROP", name.span, message);
            return Val { reg: value.reg, ty };
        };
        let fields = self.world.event_by_id(event).1.fields.clone();
        let found = fields.iter().position(|(field, _)| self.world.spelling(*field) == name.text);
        let Some(at) = found else {
            let known = self.world.field_names(&fields);
            let what = format!("field of the event {}", self.world.event_by_id(event).0);
            let ty = self.unknown("E-PROP", name.span, &what, &name.text, known.iter().map(String::as_str));
            return Val { reg: value.reg, ty };
        };
        let ty = fields[at].1.clone();
        if self.body.own_event == Some(event) {
            return Val { reg: Reg(Reg::CONTEXT + at as u16), ty };
        }
        let dst = self.body.temp();
        self.emit(Instr::EventField { dst, event: value.reg, field: at as u16 });
        Val { reg: dst, ty }
    }

    /// `target[index]`; with `lenient`, null instead of a fault outside.
    pub(crate) fn index(&mut self, target: &Expr, index: &Expr, lenient: bool) -> Val {
        // `players[0]` is known before play.
        if let (ExprKind::Name(root), ExprKind::Int(seat)) = (&target.kind, &index.kind)
            && root == "players"
            && self.body.binding(root).is_none()
            && (0..i64::from(self.program.seats.min)).contains(seat)
        {
            let player = intermezzo_ruleset::word::player(intermezzo_ruleset::Seat(*seat as u8));
            return Val { reg: self.constant(player), ty: Ty::PLAYER };
        }
        let value = self.value(target);
        if value.ty.is_maybe() {
            self.warn_null(target.span);
        }
        let ty = value.ty.present();
        match ty {
            Ty::Error => Val { reg: value.reg, ty: Ty::Error },
            Ty::Map(key, item) => {
                let at = self.map_index(&key, index);
                let dst = self.body.temp();
                if lenient {
                    self.emit(Instr::TryKey { dst, map: value.reg, index: at });
                    return Val { reg: dst, ty: (*item).clone().maybe() };
                }
                self.emit(Instr::Key { dst, map: value.reg, index: at });
                Val { reg: dst, ty: (*item).clone() }
            }
            ref ty if ty.is_entity() => self.named_property(value.reg, index),
            ref ty if Self::is_listlike(ty) => {
                let item = self.item_type(ty);
                let list = if matches!(ty, Ty::Family(_)) {
                    self.as_list(Val { reg: value.reg, ty: ty.clone() })
                } else {
                    Val { reg: value.reg, ty: ty.clone() }
                };
                let at = self.value_as(index, &Ty::Int);
                let dst = self.body.temp();
                let zone = matches!(list.ty, Ty::Zone(_));
                self.emit(match (zone, lenient) {
                    (true, _) => Instr::ZoneGet { dst, zone: list.reg, index: at },
                    (false, true) => Instr::TryGet { dst, list: list.reg, index: at },
                    (false, false) => Instr::Get { dst, list: list.reg, index: at },
                });
                if zone && !lenient {
                    self.emit(Instr::Assert { value: dst });
                }
                Val { reg: dst, ty: if lenient { item.maybe() } else { item } }
            }
            other => {
                let message = format!("{} has no items to pick with `[…]`", self.world.show(&other));
                let ty = self.wrong("E-TYPE", target.span, message);
                Val { reg: value.reg, ty }
            }
        }
    }

    /// The number of a map's key.
    fn map_index(&mut self, key: &Ty, index: &Expr) -> Reg {
        let value = self.value_as(index, key);
        let dst = self.body.temp();
        match key {
            Ty::Enum(id) => {
                self.emit(Instr::EnumIndex { dst, symbol: value, of: *id });
            }
            _ => {
                self.emit(Instr::Info { dst, entity: value, what: Info::Seat });
            }
        }
        dst
    }

    /// `entity[name]`: a property picked by its name.
    fn named_property(&mut self, entity: Reg, index: &Expr) -> Val {
        let name = self.value_as(index, &Ty::Resource);
        self.note_secret(index.span, "which property this is shows only in play");
        self.mark_used("resources", "by name");
        let dst = self.body.temp();
        self.emit(Instr::NamedProp { dst, entity, name, base: self.body.base_reads });
        Val { reg: dst, ty: Ty::Int }
    }
}
