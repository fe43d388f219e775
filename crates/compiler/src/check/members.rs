//! Member access and indexing: properties, zones, fields, items.

use std::rc::Rc;

use intermezzo_program::{EntityInfo, Instr, KindId, NULL, Reg, Word};

use super::types::{RecordTy, Ty};
use super::{Checker, Val};
use crate::diagnostic::Diagnostic;
use crate::expr::{Arg, Expr, ExprKind, SpannedName};
use crate::grammar::expressions::FACTS;
use crate::source::Span;
use crate::symbol_index::SymbolCategory;

impl Checker<'_> {
    /// Compiles `target.name`, `target?.name` or `target.name(args)`.
    pub(crate) fn member(
        &mut self,
        target: &Expr,
        name: &SpannedName,
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
        let lenient = std::mem::take(&mut self.body.allows_null);
        let value = match &target.kind {
            ExprKind::Index { target, index } if null_safe => self.index(target, index, true),
            _ => self.value(target),
        };
        self.body.allows_null = lenient;
        if !null_safe {
            if value.ty.is_maybe() {
                self.warn_null(target.span);
            }
            let ty = value.ty.present();
            return self.member_of(Val { ty, ..value }, target, name, args, has_parens, span);
        }
        // `a?.b` is null if `a` is null.
        let dst = self.body.new_temp();
        self.load(dst, NULL);
        let absent = self.emit(Instr::JumpNull { value: value.reg, to: 0 });
        let ty = value.ty.present();
        let inner = self.member_of(Val { ty, ..value }, target, name, args, has_parens, span);
        self.emit(Instr::Copy { dst, src: inner.reg });
        self.body.patch_jumps(&[absent]);
        Val { reg: dst, ty: inner.ty.maybe() }
    }

    /// Compiles a member of a root name that is not itself a value.
    fn root_member(&mut self, root: &str, name: &SpannedName, args: &[Arg]) -> Option<Val> {
        match root {
            "flow" => Some(self.flow_part(name, args)),
            "options" => Some(self.option_value(name)),
            "players" if name.text == "count" && args.is_empty() => {
                let dst = self.body.new_temp();
                self.emit(Instr::PlayerCount { dst });
                Some(Val { reg: dst, ty: Ty::Int })
            }
            "match" => Some(self.kind_member(Reg(0), KindId::MATCH, name)),
            _ => None,
        }
    }

    fn option_value(&mut self, name: &SpannedName) -> Val {
        let dst = self.body.new_temp();
        let Some((ty, column)) = self.symbols.options.get(&name.text).cloned() else {
            let known = self.symbols.options.owned_names();
            let ty = self.report_unknown(
                "E-NAME",
                name.span,
                "option",
                &name.text,
                known.iter().map(String::as_str),
            );
            return Val { reg: dst, ty };
        };
        self.mark_used("options", &name.text);
        self.note_name(SymbolCategory::Option, &name.text, "", name.span);
        self.emit(Instr::MatchProp { dst, column });
        Val { reg: dst, ty }
    }

    fn member_of(
        &mut self,
        value: Val,
        target: &Expr,
        name: &SpannedName,
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
                self.note_hidden_read(name.span, "`host` may lead to something hidden");
                let dst = self.body.new_temp();
                self.emit(Instr::ZoneHost { dst, value: value.reg });
                let ty = match value.ty {
                    Ty::Zone(Some(zone)) => match self.symbols.zone_by_id(zone).1.of {
                        Some(kind) => Ty::Kind(kind),
                        None => Ty::Entity.maybe(),
                    },
                    _ => Ty::Entity.maybe(),
                };
                Val { reg: dst, ty }
            }
            ty if Self::is_listlike(&ty) => {
                if name.text == "count" && args.is_empty() {
                    self.note_zone_count(target);
                }
                let never_empty = matches!(&target.kind, ExprKind::Name(root) if root == "players");
                self.list_method(value, name, args, span, never_empty)
            }
            Ty::Record(record) => self.record_member(&value, &record, name, args),
            Ty::Event(event) => self.event_member(&value, event, name),
            Ty::Ability if name.text == "has_tag" && args.len() == 1 => {
                let tag = self.value_as(&args[0].body, &Ty::Symbol);
                let dst = self.body.new_temp();
                self.emit(Instr::HasTag { dst, ability: value.reg, tag });
                Val { reg: dst, ty: Ty::Bool }
            }
            Ty::Action => self.offer_member(&value, name),
            other => {
                if args.is_empty()
                    && let Some(printed) = self.printed_member(&value, name)
                {
                    return printed;
                }
                let message = format!("{} has no `{}`", self.symbols.type_name(&other), name.text);
                let mut problem = Diagnostic::error("E-PROP", name.span, message);
                if matches!(other, Ty::Map(..)) {
                    problem = problem.hint("a map with another value for one key is a new one: `map(keys, if it == key then value else m[it])`");
                }
                self.report(problem);
                Val { reg: value.reg, ty: Ty::Error }
            }
        }
    }

    /// Compiles a member of an offered action: the action, or its host.
    fn offer_member(&mut self, value: &Val, name: &SpannedName) -> Val {
        let dst = self.body.new_temp();
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
                let ty =
                    self.report_unknown("E-PROP", name.span, "part of an action", other, ["action", "host"]);
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

    fn entity_member(&mut self, value: &Val, name: &SpannedName, args: &[Arg], has_parens: bool) -> Val {
        if has_parens && name.text == "has" && args.len() == 1 {
            return self.has_trait(value, &args[0].body);
        }
        if let Ty::Kind(kind) = value.ty {
            return self.kind_member(value.reg, kind, name);
        }
        if let Some(found) = self.fact(value.reg, &value.ty, name) {
            return found;
        }
        // The kind is unknown, so the property is looked up at run time.
        let mut ty: Option<Ty> = (name.text == "known").then(|| Ty::list(Ty::PLAYER));
        let types: Vec<Ty> = self.symbols.props_named(&name.text).map(|prop| prop.ty.clone()).collect();
        for other in types {
            ty = match ty {
                None => Some(other),
                Some(ty) => self.join(&ty, &other),
            };
        }
        if let Some(ty) = ty {
            self.note_prop_read(&name.text);
            self.note_name(SymbolCategory::Prop, &name.text, "", name.span);
            self.note_properties(&name.text, name.span);
            let symbol = self.intern_symbol(&name.text);
            let key = self.constant(Word::from(symbol.0));
            let dst = self.body.new_temp();
            self.emit(Instr::NamedProp {
                dst,
                entity: value.reg,
                name: key,
                base: self.body.reads_base_values,
            });
            return Val { reg: dst, ty };
        }
        if let Some(zone) = self.symbols.zones.get(&name.text).filter(|zone| zone.of.is_some()) {
            let zone = zone.id;
            self.mark_used("zones", &name.text);
            self.note_name(SymbolCategory::Zone, &name.text, "", name.span);
            self.note_zone(Some(value.reg), zone, name.span);
            let dst = self.body.new_temp();
            self.emit(Instr::ZoneOf { dst, entity: value.reg, zone });
            return Val { reg: dst, ty: Ty::Zone(Some(zone)) };
        }
        let known = self.all_member_names();
        let ty = self.report_unknown(
            "E-PROP",
            name.span,
            "property",
            &name.text,
            known.iter().map(String::as_str),
        );
        Val { reg: value.reg, ty }
    }

    /// Compiles `entity.has(trait)`.
    fn has_trait(&mut self, value: &Val, name: &Expr) -> Val {
        self.value_as(name, &Ty::Trait);
        let dst = self.body.new_temp();
        let info = match &name.kind {
            ExprKind::Name(name) => self.symbols.traits.get(name).map(|info| info.def),
            _ => self.report_wrong_trait(name.span),
        };
        if let Some(def) = info {
            self.emit(Instr::HasTrait { dst, entity: value.reg, def });
            self.note_trait_test(def);
        }
        Val { reg: dst, ty: Ty::Bool }
    }

    fn report_wrong_trait(&mut self, span: Span) -> Option<intermezzo_program::DefId> {
        self.report_error("E-TYPE", span, "`has` takes the name of a trait");
        None
    }

    fn all_member_names(&self) -> Vec<String> {
        let mut known: Vec<String> = FACTS.names().map(str::to_owned).collect();
        known.extend(self.symbols.props.iter().map(|prop| self.symbols.spelling(prop.name).to_owned()));
        known.extend(self.symbols.zones.names().map(str::to_owned));
        known
    }

    /// Marks a property as read. The implicit read of `add` does not count.
    pub(super) fn note_prop_read(&mut self, name: &str) {
        if !self.body.reads_base_values {
            self.mark_used("props", name);
        }
    }

    fn kind_member(&mut self, entity: Reg, kind: KindId, name: &SpannedName) -> Val {
        if self.is_controller(kind, &name.text)
            && let Some(found) = self.fact(entity, &Ty::Kind(kind), name)
        {
            self.note_prop_read(&name.text);
            return found;
        }
        if let Some(prop) = self.symbols.prop(kind, &name.text).cloned() {
            self.note_prop_read(&name.text);
            self.note_prop_name(prop.kind, name);
            self.note_property(entity, &prop, name.span);
            let dst = self.body.new_temp();
            if let Some(routine) = prop.derived {
                let args = self.body.new_temp();
                self.emit(Instr::Copy { dst: args, src: entity });
                self.note_call(routine, name.span);
                self.emit(Instr::Call { dst, routine, args });
            } else if let Some(layer) = self.body.modifier_layer.filter(|_| self.body.reads_prior_values)
                && prop.modifiable
            {
                let args = self.body.new_temps(2);
                self.emit(Instr::Copy { dst: args, src: entity });
                self.load(args.offset(1), i64::from(layer));
                let reads = self.usage.prior_reads.entry(self.body.routine).or_default();
                reads.insert((prop.id.0, layer));
                self.emit(Instr::ModifiedBelow { dst, args, prop: prop.id });
            } else if prop.modifiable && !self.body.reads_base_values {
                self.usage.reads.entry(self.body.routine).or_default().insert(prop.id.0);
                self.emit(Instr::Modified { dst, entity, prop: prop.id });
            } else if kind == KindId::MATCH {
                self.emit(Instr::MatchProp { dst, column: prop.column });
            } else {
                self.emit(Instr::Prop { dst, entity, column: prop.column });
            }
            return Val { reg: dst, ty: prop.ty };
        }
        if let Some(zone) = self.symbols.zones.get(&name.text)
            && zone.of.is_some_and(|of| self.symbols.extends(kind, of))
        {
            let zone = zone.id;
            self.mark_used("zones", &name.text);
            self.note_name(SymbolCategory::Zone, &name.text, "", name.span);
            self.note_zone(Some(entity), zone, name.span);
            let dst = self.body.new_temp();
            self.emit(Instr::ZoneOf { dst, entity, zone });
            return Val { reg: dst, ty: Ty::Zone(Some(zone)) };
        }
        if let Some(found) = self.fact(entity, &Ty::Kind(kind), name) {
            return found;
        }
        let known = self.member_names(kind);
        let what = format!("property of {}", self.symbols.kind_name(kind));
        let ty =
            self.report_unknown("E-PROP", name.span, &what, &name.text, known.iter().map(String::as_str));
        Val { reg: entity, ty }
    }

    /// Returns true for the property that says who controls an entity. What is read of it is the owner if it is null.
    pub(crate) fn is_controller(&self, kind: KindId, name: &str) -> bool {
        let is_thing = ![KindId::MATCH, KindId::PLAYER].contains(&kind);
        name == "controller" && is_thing && self.symbols.prop(kind, name).is_some()
    }

    pub(crate) fn prop_names(&self, kind: KindId) -> Vec<String> {
        let props = self.symbols.props.iter().filter(|prop| self.symbols.extends(kind, prop.kind));
        props.map(|prop| self.symbols.spelling(prop.name).to_owned()).collect()
    }

    /// Returns everything that can be read of a kind: properties, zones and facts.
    pub(crate) fn member_names(&self, kind: KindId) -> Vec<String> {
        let mut known = self.prop_names(kind);
        known.extend(
            self.symbols
                .zones
                .iter()
                .filter(|(_, zone)| zone.of.is_some_and(|of| self.symbols.extends(kind, of)))
                .map(|(name, _)| name.to_owned()),
        );
        known.extend(FACTS.names().map(str::to_owned));
        if kind == KindId::PLAYER {
            known.push("seat".to_owned());
        }
        if self.symbols.extends(kind, KindId::ITEM) {
            known.extend(["actor", "targets", "rule", "trigger", "about"].map(str::to_owned));
        }
        known
    }

    /// Returns true if values of the type are items on the stack.
    pub(crate) fn is_item(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Kind(kind) if self.symbols.extends(*kind, KindId::ITEM))
    }

    /// Compiles a fact that the engine knows about every entity.
    fn fact(&mut self, entity: Reg, ty: &Ty, name: &SpannedName) -> Option<Val> {
        let is_player = *ty == Ty::PLAYER;
        if ["zone", "host", "abilities", "traits", "targets"].contains(&name.text.as_str()) {
            self.note_hidden_read(name.span, format!("`{}` may lead to something hidden", name.text));
        }
        let (what, ty) = match name.text.as_str() {
            "def" => (EntityInfo::Def, Ty::Def.maybe()),
            "owner" => (EntityInfo::Owner, Ty::PLAYER),
            "controller" => (EntityInfo::Controller, Ty::PLAYER),
            "zone" => (EntityInfo::Zone, Ty::Zone(None).maybe()),
            "index" => (EntityInfo::Index, Ty::Int),
            "host" => (EntityInfo::Host, Ty::SomeEntity.maybe()),
            "seat" if is_player => (EntityInfo::Seat, Ty::Int),
            "abilities" => {
                let dst = self.body.new_temp();
                self.emit(Instr::Abilities { dst, entity });
                return Some(Val { reg: dst, ty: Ty::list(Ty::Ability) });
            }
            "traits" => {
                let dst = self.body.new_temp();
                self.emit(Instr::Traits { dst, entity });
                return Some(Val { reg: dst, ty: Ty::list(Ty::SomeEntity) });
            }
            "actor" if self.is_item(ty) => (EntityInfo::Owner, Ty::PLAYER),
            "rule" if self.is_item(ty) => (EntityInfo::Rule, Ty::Symbol),
            "trigger" if self.is_item(ty) => (EntityInfo::Trigger, Ty::Symbol.maybe()),
            "about" if self.is_item(ty) => {
                self.note_hidden_read(name.span, "`about` may be something hidden");
                (EntityInfo::About, Ty::SomeEntity.maybe())
            }
            "targets" if self.is_item(ty) => {
                let dst = self.body.new_temp();
                self.emit(Instr::Targets { dst, item: entity });
                return Some(Val { reg: dst, ty: Ty::list(Ty::SomeEntity) });
            }
            _ => return None,
        };
        let dst = self.body.new_temp();
        self.emit(Instr::Info { dst, entity, what });
        // Nearly every entity has an owner and a position. Rules handle the exceptions with `??`.
        if matches!(what, EntityInfo::Owner | EntityInfo::Controller | EntityInfo::Index) {
            if self.body.allows_null {
                return Some(Val { reg: dst, ty: ty.maybe() });
            }
            self.emit(Instr::Assert { value: dst });
        }
        Some(Val { reg: dst, ty })
    }

    fn record_member(&mut self, value: &Val, record: &Rc<RecordTy>, name: &SpannedName, args: &[Arg]) -> Val {
        if name.text == "with" && args.len() == 1 {
            return self.record_with(value, record, &args[0].body);
        }
        let found = record.fields.iter().position(|(field, _)| self.symbols.spelling(*field) == name.text);
        let Some(at) = found else {
            let known = self.symbols.field_names(&record.fields);
            let ty = self.report_unknown(
                "E-PROP",
                name.span,
                "field",
                &name.text,
                known.iter().map(String::as_str),
            );
            return Val { reg: value.reg, ty };
        };
        self.note_event_field(value.reg, &name.text, &record.fields[at].1, name.span);
        if let Some(owner) = &record.name {
            self.note_name(SymbolCategory::Field, &name.text, owner, name.span);
        }
        let dst = self.body.new_temp();
        self.emit(Instr::Field { dst, record: value.reg, index: at as u16 });
        Val { reg: dst, ty: record.fields[at].1.clone() }
    }

    fn record_with(&mut self, value: &Val, record: &Rc<RecordTy>, change: &Expr) -> Val {
        let ExprKind::Record(fields) = &change.kind else {
            let ty = self.report_error(
                "E-ARGS",
                change.span,
                "`with` takes the changed fields: `with({field: value})`",
            );
            return Val { reg: value.reg, ty };
        };
        let first = self.body.new_temps(fields.len() as u16);
        let mut writes = Vec::new();
        for (at, (name, expr)) in fields.iter().enumerate() {
            let found =
                record.fields.iter().position(|(field, _)| self.symbols.spelling(*field) == name.text);
            let Some(index) = found else {
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
            let wanted = record.fields[index].1.clone();
            let reg = first.offset(at as u16);
            self.value_into(reg, expr, &wanted);
            writes.push((index as u16, reg));
        }
        let dst = self.body.new_temp();
        self.emit(Instr::CopyRecord { dst, record: value.reg, count: record.fields.len() as u16 });
        for (index, reg) in writes {
            self.emit(Instr::PutField { record: dst, index, value: reg });
        }
        Val { reg: dst, ty: Ty::Record(Rc::clone(record)) }
    }

    fn event_member(
        &mut self,
        value: &Val,
        event: Option<intermezzo_program::EventId>,
        name: &SpannedName,
    ) -> Val {
        let Some(event) = event else {
            let message = format!("the type of this event is not known here, so it has no `{}`", name.text);
            let ty = self.report_error("E-PROP", name.span, message);
            return Val { reg: value.reg, ty };
        };
        let fields = self.symbols.event_by_id(event).1.fields.clone();
        let found = fields.iter().position(|(field, _)| self.symbols.spelling(*field) == name.text);
        let Some(at) = found else {
            if fields.is_empty() {
                let event = self.symbols.event_by_id(event).0;
                let message = format!("the event {event} has no fields, so it has no `{}`", name.text);
                let problem = Diagnostic::error("E-PROP", name.span, message);
                self.report(problem.hint(format!("declare them: `payload: {{{}: type}}`", name.text)));
                return Val { reg: value.reg, ty: Ty::Error };
            }
            let known = self.symbols.field_names(&fields);
            let what = format!("field of the event {}", self.symbols.event_by_id(event).0);
            let ty =
                self.report_unknown("E-PROP", name.span, &what, &name.text, known.iter().map(String::as_str));
            return Val { reg: value.reg, ty };
        };
        let ty = fields[at].1.clone();
        if self.index.is_some() {
            let owner = self.symbols.event_by_id(event).0.to_owned();
            self.note_name(SymbolCategory::Field, &name.text, &owner, name.span);
        }
        if self.body.own_event == Some(event) {
            return Val { reg: Reg(Reg::CONTEXT + at as u16), ty };
        }
        if !matches!(ty.present(), Ty::Zone(_)) {
            // Everyone sees between which zones something moves.
            self.note_event_field(value.reg, &name.text, &ty, name.span);
        }
        let dst = self.body.new_temp();
        self.emit(Instr::EventField { dst, event: value.reg, field: at as u16 });
        Val { reg: dst, ty }
    }

    /// Compiles `target[index]`. With `lenient`, an index out of range gives null instead of a fault.
    pub(crate) fn index(&mut self, target: &Expr, index: &Expr, lenient: bool) -> Val {
        // `players[0]` is a constant if every match has that seat.
        if let (ExprKind::Name(root), ExprKind::Int(seat)) = (&target.kind, &index.kind)
            && root == "players"
            && self.body.binding(root).is_none()
            && (0..i64::from(self.program.seats.min)).contains(seat)
        {
            let player = intermezzo_program::word::player(intermezzo_program::Seat(*seat as u8));
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
                let dst = self.body.new_temp();
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
                let dst = self.body.new_temp();
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
                let message = format!("{} has no items to pick with `[…]`", self.symbols.type_name(&other));
                let ty = self.report_error("E-TYPE", target.span, message);
                Val { reg: value.reg, ty }
            }
        }
    }

    /// Compiles the index of a map key.
    fn map_index(&mut self, key: &Ty, index: &Expr) -> Reg {
        let value = self.value_as(index, key);
        let dst = self.body.new_temp();
        match key {
            Ty::Enum(id) => {
                self.emit(Instr::EnumIndex { dst, symbol: value, of: *id });
            }
            _ => {
                self.emit(Instr::Info { dst, entity: value, what: EntityInfo::Seat });
            }
        }
        dst
    }

    /// Compiles `entity[name]`: a property selected at run time.
    fn named_property(&mut self, entity: Reg, index: &Expr) -> Val {
        let name = self.value_as(index, &Ty::Resource);
        self.note_hidden_read(index.span, "the property is known only at run time");
        self.mark_used("resources", "by name");
        let dst = self.body.new_temp();
        self.emit(Instr::NamedProp { dst, entity, name, base: self.body.reads_base_values });
        Val { reg: dst, ty: Ty::Int }
    }
}
