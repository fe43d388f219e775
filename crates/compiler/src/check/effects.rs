//! Statements with effects: `emit`, `move`, `create` and `roll`.

use crate::grammar::statements;
use std::rc::Rc;

use intermezzo_program::{Create, CreateId, EntityInfo, Instr, NULL, Reg, Roll, RollId, Symbol, native};

use super::stmts::StatementParts;
use super::types::{RecordTy, Ty};
use super::{Checker, Val};
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};

/// Tells whether an expression is a literal pool of dice, or the call of a function.
fn names_dice(value: &SourceNode) -> bool {
    let expr = value.as_text().and_then(|text| crate::expr::parse(text).ok());
    expr.is_some_and(|expr| matches!(expr.kind, ExprKind::Dice { .. } | ExprKind::Call { .. }))
}

impl Checker<'_> {
    /// Returns the field that `area` stands for: the only list, in an event without a field of that name.
    fn area_field(&self, fields: &[(Symbol, Ty)]) -> Option<usize> {
        let mut lists = (0..fields.len()).filter(|at| matches!(fields[*at].1.present(), Ty::List(_)));
        let only = lists.next().filter(|_| lists.next().is_none())?;
        fields.iter().all(|(field, _)| self.symbols.spelling(*field) != "area").then_some(only)
    }

    pub(crate) fn emit_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) {
        let Some(name) = self.text(value, "`emit`") else { return };
        let Some(event) = self.symbols.events.get(&name.value).cloned() else {
            let known = self.event_names();
            self.report_unknown("E-NAME", name.span, "event", &name.value, known.iter().map(String::as_str));
            return;
        };
        if event.native {
            let message = format!("the engine emits {} itself; rules cannot", name.value);
            self.report_error("E-NAME", name.span, message);
            return;
        }
        self.usage.emitted.insert(event.id.0);
        self.usage.emits.entry(self.body.routine).or_default().insert(event.id.0);
        let args = self.body.new_temps(event.fields.len() as u16);
        let mut wrong_key = false;
        let area = self.area_field(&event.fields);
        for entry in parts.arguments() {
            let key = entry.key.value.as_str();
            if key == "as" || key == "keep" {
                continue;
            }
            let found = event.fields.iter().position(|(field, _)| self.symbols.spelling(*field) == key);
            let Some(at) = found.or(area.filter(|_| key == "area")) else {
                let known = self.symbols.field_names(&event.fields);
                let what = format!("field of the event {}", name.value);
                if key == "payload" {
                    let message = format!("unknown {what} `payload`");
                    let problem = Diagnostic::error("E-ARGS", entry.key.span, message);
                    self.report(
                        problem.hint("the fields stand beside `emit`: `{emit: Event, field: value}`"),
                    );
                } else {
                    self.report_unknown(
                        "E-ARGS",
                        entry.key.span,
                        &what,
                        key,
                        known.iter().map(String::as_str),
                    );
                }
                wrong_key = true;
                continue;
            };
            let ty = event.fields[at].1.clone();
            if let Some(expr) = self.node_expr(&entry.value) {
                self.note_field_expr(event.id, at as u16, &expr, &ty);
                self.value_into(args.offset(at as u16), &expr, &ty);
            }
        }
        for (at, (field, ty)) in event.fields.iter().enumerate() {
            let spelling = self.symbols.spelling(*field).to_owned();
            if parts.get(&spelling).is_some() || area == Some(at) && parts.get("area").is_some() {
                continue;
            }
            if ty.is_maybe() {
                self.note_field_value(event.id, at as u16, Some(super::field_values::Literal::Null));
                self.load(args.offset(at as u16), NULL);
            } else if !wrong_key {
                let message = format!("the event {} needs `{spelling}`", name.value);
                self.report_error("E-ARGS", parts.span, message);
            }
        }
        let result = self.as_name(parts).map(str::to_owned);
        let dst = match &result {
            Some(name) => {
                let mut fields = event.fields.clone();
                fields.push((self.intern_symbol("applied"), Ty::Bool));
                let ty = Ty::Record(Rc::new(RecordTy { name: None, fields }));
                self.result_local(name, ty)
            }
            None => Reg::NONE,
        };
        self.emit(Instr::Emit { dst, event: event.id, args });
    }

    /// Returns the local named by `as`: the existing one if its type matches, otherwise a new one.
    pub(crate) fn result_local(&mut self, name: &str, ty: Ty) -> Reg {
        self.body.forget_facts(name);
        if let Some(binding) = self.body.binding(name).filter(|binding| binding.local && binding.ty == ty) {
            return binding.reg;
        }
        self.bind_local(name, ty)
    }

    /// Warns about a thing without an owner whose actions or reactions ask their owner.
    fn check_owner(&mut self, parts: &StatementParts<'_>, def: &str, span: crate::Span) {
        let merged = self.merged;
        if has_owner(parts) || self.symbols.props_named("controller").next().is_some() {
            return;
        }
        let declared = merged.documents.iter().filter_map(|document| document.node.get("defs")?.get(def));
        if let Some((name, is_action)) = declared.filter_map(asking_rule).next() {
            let name = &name.value;
            let message = match is_action {
                true => format!("without an owner nobody is offered `{name}` of `{def}`"),
                false => format!("without an owner nobody is asked, so `{name}` of `{def}` never runs"),
            };
            self.report(Diagnostic::warning("W-UNREACH", span, message).hint("add `owner: player`"));
        }
    }

    /// Warns about actions of things in a ruleset in which nothing has an owner.
    pub(crate) fn check_owners(&mut self) {
        if self.usage.gives_owners || self.symbols.props_named("controller").next().is_some() {
            return;
        }
        let merged = self.merged;
        let own = merged.documents.iter().filter(|document| !document.prelude);
        let defs = own.filter_map(|document| document.node.get("defs")?.as_map()).flatten();
        let created = defs.filter(|def| self.is_used("defs", &def.key.value));
        let first = created.filter_map(|def| asking_rule(&def.value)).find(|(_, is_action)| *is_action);
        if let Some((name, _)) = first {
            let message =
                format!("nothing in this ruleset has an owner, so nobody is offered `{}`", name.value);
            let hint = "give an `owner` to what `create` makes, or declare a property `controller: maybe<player>` and set it";
            self.report(Diagnostic::warning("W-UNREACH", name.span, message).hint(hint));
        }
    }

    pub(crate) fn event_names(&self) -> Vec<String> {
        self.symbols.events.names().chain(self.symbols.aliases.names()).map(str::to_owned).collect()
    }

    /// Compiles a reference to a zone. The bare name of a zone that players have means the owner's zone.
    pub(crate) fn zone_value(&mut self, node: &SourceNode, owner: Option<Reg>) -> Reg {
        self.typed_zone_value(node, owner).0
    }

    /// Reports things that can never be in the zone they are moved to.
    fn check_holds(&mut self, what: &Ty, item: Option<&Ty>, span: crate::Span) {
        let (Ty::Kind(kind), Some(Ty::Kind(held))) = (what, item) else { return };
        let is_possible = self.symbols.extends(*kind, *held) || self.symbols.extends(*held, *kind);
        if !is_possible && *what != Ty::PLAYER && !self.is_published {
            let message = format!(
                "this is a {}, but the zone holds things of the kind {}",
                self.symbols.kind_name(*kind),
                self.symbols.kind_name(*held)
            );
            self.report_error("E-TYPE", span, message);
        }
    }

    /// Compiles a reference to a zone. Returns also the type of its contents, if the zone is known.
    fn typed_zone_value(&mut self, node: &SourceNode, owner: Option<Reg>) -> (Reg, Option<Ty>) {
        let Some(expr) = self.node_expr(node) else { return (Reg(0), None) };
        let value = self.value(&expr);
        if value.ty.is_maybe() {
            self.warn_null(expr.span);
        }
        let item = match value.ty.present() {
            Ty::Zone(Some(zone)) | Ty::Family(zone) => Some(self.symbols.zone_by_id(zone).1.item.clone()),
            _ => None,
        };
        (self.zone_register(&value, &expr, owner), item)
    }

    fn zone_register(&mut self, value: &Val, expr: &Expr, owner: Option<Reg>) -> Reg {
        match value.ty.present() {
            Ty::Error | Ty::Zone(_) => value.reg,
            Ty::Family(zone) => {
                let dst = self.body.new_temp();
                match (self.symbols.zone_by_id(zone).1.of, owner) {
                    (None, _) => {
                        self.emit(Instr::TheZone { dst, zone });
                    }
                    (Some(intermezzo_program::KindId::PLAYER), Some(owner)) => {
                        self.emit(Instr::ZoneOf { dst, entity: owner, zone });
                    }
                    (Some(_), _) => {
                        let name = self.symbols.zone_by_id(zone).0.to_owned();
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
                let dst = self.body.new_temp();
                let entity = owner.unwrap_or(Reg::ACTOR);
                self.emit(Instr::ZoneNamed { dst, entity, name: value.reg });
                dst
            }
            other => {
                let message = format!("expected a zone, but this is {}", self.symbols.type_name(&other));
                self.report_error("E-TYPE", expr.span, message);
                value.reg
            }
        }
    }

    fn at_top(&mut self, parts: &StatementParts<'_>) -> bool {
        match parts.get("at") {
            Some(node) => self.word(node, "`at`", statements::CREATE.words("at")) == Some("top"),
            None => false,
        }
    }

    pub(crate) fn move_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) {
        let what_span = value.span;
        let what = self.node_value(value);
        if what.ty.is_maybe() {
            self.warn_null(what_span);
        }
        let what = Val { ty: what.ty.present(), ..what };
        let top = self.at_top(parts);
        let Some(to) = parts.get("to") else {
            self.report_error("E-ARGS", parts.span, "`move` needs `to`");
            return;
        };
        self.usage.emitted.insert(native::MOVED.0);
        if Self::is_listlike(&what.ty) {
            let list = self.as_list(what);
            let held = self.body.new_local(list.ty.clone());
            self.body.put(held, list.reg);
            let (zone, item) = self.typed_zone_value(to, None);
            self.check_holds(&self.item_type(&list.ty), item.as_ref(), what_span);
            self.emit(Instr::MoveAll { list: held, zone, top });
            if let Some(owner) = parts.get("owner") {
                let message =
                    "`owner` is possible for one entity, but this is a list; move them in an `each`";
                self.report_error("E-ARGS", owner.span, message);
            }
            if let Some(name) = parts.get("as") {
                self.report_error(
                    "E-ARGS",
                    name.span,
                    "`as` names what one entity becomes, but this is a list",
                );
            }
            return;
        }
        let what = self.coerce(what, &Ty::Entity, what_span);
        if what.ty == Ty::PLAYER {
            self.report_error("E-TYPE", what_span, "players are in no zone, so they cannot be moved");
        }
        if let Some(owner) = parts.get("owner") {
            self.change_owner(what.reg, owner);
        }
        let owner = self.body.new_temp();
        self.emit(Instr::Info { dst: owner, entity: what.reg, what: EntityInfo::Owner });
        let (zone, item) = self.typed_zone_value(to, Some(owner));
        self.check_holds(&what.ty, item.as_ref(), what_span);
        let dst = match self.as_name(parts).map(str::to_owned) {
            Some(name) => self.result_local(&name, what.ty.clone()),
            None => Reg::NONE,
        };
        self.emit(Instr::Move { dst, entity: what.reg, zone, top });
    }

    /// Emits the change of an entity's owner.
    fn change_owner(&mut self, entity: Reg, owner: &SourceNode) {
        let value = self.node_as(owner, &Ty::PLAYER);
        let name = self.intern_symbol(native::hidden_props::OWNED_BY);
        let name = self.constant(i64::from(name.0));
        self.usage.emitted.insert(native::CHANGED.0);
        self.emit(Instr::ChangeNamed { entity, name, value });
    }

    pub(crate) fn create_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) {
        let Some(expr) = self.node_expr(value) else { return };
        let trait_name = match &expr.kind {
            ExprKind::Name(name)
                if self.body.binding(name).is_none() && self.symbols.traits.contains(name) =>
            {
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
            ExprKind::Name(name) if self.body.binding(name).is_none() => self.symbols.defs.get(name).cloned(),
            _ => None,
        };
        let named = def.as_ref().and_then(|_| Self::path(&expr));
        self.note_created_def(named.as_deref());
        let with = parts.get("with").map(|node| self.named(node, "`with`")).unwrap_or_default();
        let args = self.body.new_temps(5 + with.len() as u16);
        let model = self.value_expecting(&expr, &Ty::Def);
        let model_ty = model.ty.present();
        // Creating from an existing entity makes a copy of it.
        let is_copy = model_ty.is_entity();
        let def = match model_ty {
            Ty::Kind(kind) => Some(super::symbol_table::DefInfo { id: intermezzo_program::DefId(0), kind }),
            _ => def,
        };
        let model = match is_copy {
            true => {
                if model.ty.is_maybe() {
                    self.warn_null(expr.span);
                }
                model.reg
            }
            false => self.coerce(model, &Ty::Def, expr.span).reg,
        };
        self.body.put(args, model);
        match parts.get("owner").and_then(|node| self.node_expr(node)) {
            Some(owner) => self.value_into(args.offset(1), &owner, &Ty::PLAYER.maybe()),
            None => self.load(args.offset(1), NULL),
        }
        match parts.get("in") {
            Some(node) => {
                let owner = parts.get("owner").is_some().then_some(args.offset(1));
                let (zone, item) = self.typed_zone_value(node, owner);
                if let Some(def) = &def {
                    self.check_holds(&Ty::Kind(def.kind), item.as_ref(), expr.span);
                }
                self.body.put(args.offset(2), zone);
            }
            None => self.load(args.offset(2), NULL),
        }
        self.load(args.offset(3), NULL);
        self.load(args.offset(4), NULL);
        let mut names = Vec::new();
        for (at, entry) in with.iter().enumerate() {
            let ty = self.with_type(def.as_ref().map(|def| def.kind), &entry.key);
            names.push(self.intern_symbol(&entry.key.value));
            if let Some(expr) = self.node_expr(&entry.value) {
                self.value_into(args.offset(5 + at as u16), &expr, &ty);
            }
        }
        if let Some(name) = &named {
            self.check_owner(parts, name, expr.span);
        }
        let top = self.at_top(parts);
        let create = CreateId(self.program.creates.len() as u16);
        self.program.creates.push(Create { with: names, top });
        self.usage.emitted.insert(native::CREATED.0);
        let result = self.as_name(parts).map(str::to_owned);
        let ty = def.map_or(Ty::SomeEntity, |def| Ty::Kind(def.kind));
        let dst = match result {
            Some(name) => self.result_local(&name, ty),
            None => Reg::NONE,
        };
        self.emit(match is_copy {
            true => Instr::Duplicate { dst, create, args },
            false => Instr::Create { dst, create, args },
        });
    }

    pub(crate) fn with_type(&mut self, kind: Option<intermezzo_program::KindId>, key: &SourceText) -> Ty {
        let found = match kind {
            Some(kind) => self.symbols.prop(kind, &key.value),
            None => self.symbols.props_named(&key.value).next(),
        };
        if let Some(prop) = found {
            return prop.ty.clone();
        }
        let known: Vec<String> = match kind {
            Some(kind) => self.member_names(kind),
            None => {
                self.symbols.props.iter().map(|prop| self.symbols.spelling(prop.name).to_owned()).collect()
            }
        };
        self.report_unknown("E-PROP", key.span, "property", &key.value, known.iter().map(String::as_str))
    }

    /// Compiles attaching a trait: creates its instance, with a host and possibly a duration.
    fn attach_statement(&mut self, parts: &StatementParts<'_>, name: &str) {
        self.note_symbol_use(name);
        self.note_created_def(Some(name));
        let Some(info) = self.symbols.traits.get(name).cloned() else { return };
        for key in ["owner", "in", "at"] {
            if let Some(entry) = parts.entries.iter().find(|entry| entry.key.value == key) {
                let message = format!("a trait has a `host`, not `{key}`");
                self.report_error("E-ARGS", entry.key.span, message);
            }
        }
        let with = parts.get("with").map(|node| self.named(node, "`with`")).unwrap_or_default();
        let args = self.body.new_temps(5 + info.params.len() as u16);
        self.load(args, i64::from(self.program.defs[info.def.index()].name.0));
        self.load(args.offset(1), NULL);
        self.load(args.offset(2), NULL);
        match parts.get("host").and_then(|node| self.node_expr(node)) {
            Some(host) => self.value_into(args.offset(3), &host, &Ty::Entity),
            None => {
                self.report_error("E-ARGS", parts.span, "attaching a trait needs `host`");
            }
        }
        self.until(parts, args.offset(4));
        for entry in
            with.iter().filter(|entry| !info.params.iter().any(|param| param.name == entry.key.value))
        {
            let what = format!("parameter of the trait `{name}`");
            self.report_unknown_argument(&what, &entry.key, &info.params);
        }
        let mut names = Vec::new();
        for (at, param) in info.params.iter().enumerate() {
            let dst = args.offset(5 + at as u16);
            names.push(self.intern_symbol(&param.name));
            let given = with.iter().find(|entry| entry.key.value == param.name);
            match (given.and_then(|entry| self.node_expr(&entry.value)), &param.default) {
                (Some(expr), _) => self.value_into(dst, &expr, &param.ty),
                (None, Some(default)) => self.value_into(dst, &Rc::clone(default), &param.ty),
                (None, None) if param.ty.is_maybe() => self.load(dst, NULL),
                (None, None) => {
                    let message = format!("the trait `{name}` needs `{}`", param.name);
                    self.report_error("E-ARGS", parts.span, message);
                }
            }
        }
        let create = CreateId(self.program.creates.len() as u16);
        self.program.creates.push(Create { with: names, top: false });
        self.usage.emitted.insert(native::CREATED.0);
        let dst = match self.as_name(parts).map(str::to_owned) {
            Some(name) => self.result_local(&name, Ty::Kind(info.kind)),
            None => Reg::NONE,
        };
        self.emit(Instr::Create { dst, create, args });
    }

    /// Loads the duration of a trait, as a symbol.
    pub(crate) fn until(&mut self, parts: &StatementParts<'_>, dst: Reg) {
        let Some(until) = parts.get("until").and_then(|node| self.text(node, "`until`")) else {
            self.load(dst, NULL);
            return;
        };
        if !self.symbols.durations.contains(&until.value) {
            let known = self.symbols.durations.owned_names();
            self.report_unknown(
                "E-NAME",
                until.span,
                "duration",
                &until.value,
                known.iter().map(String::as_str),
            );
        }
        let symbol = self.intern_symbol(&until.value);
        self.load(dst, i64::from(symbol.0));
    }

    /// Compiles who sees a roll: null for everyone.
    fn roll_audience(&mut self, parts: &StatementParts<'_>, args: Reg) {
        let seen_by = args.offset(3);
        let visible = parts.get("visible");
        let word = visible.and_then(|node| self.word(node, "`visible`", statements::ROLL.words("visible")));
        match (word, visible) {
            (Some(word @ ("owner" | "team")), Some(node)) => {
                if word == "team" && !self.has_teams() {
                    let message = "`visible: team` needs `teams` in the section `players`";
                    self.report_error("E-NAME", node.span, message);
                    return;
                }
                if parts.get("by").is_none() {
                    self.report(
                        Diagnostic::error("E-ARGS", node.span, "nobody owns this roll")
                            .hint("say who rolls: `by: p`, a player or a thing with an owner"),
                    );
                }
                let owner = self.body.new_temp();
                self.emit(Instr::Info { dst: owner, entity: args.offset(2), what: EntityInfo::Owner });
                self.emit(Instr::Assert { value: owner });
                if word == "team" {
                    let members = self.members_of_team(owner, node);
                    self.emit(Instr::Copy { dst: seen_by, src: members });
                    return;
                }
                let mark = self.body.new_temp();
                self.emit(Instr::Begin { dst: mark });
                self.emit(Instr::Push { value: owner });
                self.emit(Instr::Finish { dst: seen_by, mark });
            }
            (Some("none"), _) => self.load(seen_by, 0),
            _ => self.load(seen_by, NULL),
        }
    }

    pub(crate) fn roll_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) {
        let label = parts.get("for").and_then(|node| self.text(node, "`for`")).map(|text| {
            self.mark_used("symbols", &text.value);
            self.intern_symbol(&text.value)
        });
        let roll = RollId(self.program.rolls.len() as u16);
        self.program.rolls.push(Roll { label });
        self.usage.emitted.insert(native::ROLLED.0);
        let result = self.as_name(parts).map(str::to_owned);
        let args = self.body.new_temps(3 + u16::from(self.hides_rolls));
        match parts.get("by").and_then(|node| self.node_expr(node)) {
            Some(by) => self.value_into(args.offset(2), &by, &Ty::Entity.maybe()),
            None => self.load(args.offset(2), NULL),
        }
        if self.hides_rolls {
            self.roll_audience(parts, args);
        }
        if let Some(from) = parts.get("from") {
            let list = self.node_value(from);
            let list = Val { ty: list.ty.present(), ..list };
            if !Self::is_listlike(&list.ty) && !list.ty.is_error() {
                let message = format!("`from` is a list, but this is {}", self.symbols.type_name(&list.ty));
                self.report_error("E-TYPE", from.span, message);
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
        let dice = match names_dice(value) {
            true => self.node_as(value, &Ty::Dice),
            false => {
                let found = self.node_value(value);
                if matches!(found.ty.present(), Ty::List(item) if *item == Ty::Dice) {
                    self.roll_list(parts, found);
                    return;
                }
                self.coerce(found, &Ty::Dice, value.span).reg
            }
        };
        self.body.put(args, dice);
        match parts.get("keep").and_then(|node| self.node_expr(node)) {
            Some(keep) => {
                self.check_keep(&keep);
                self.value_into(args.offset(1), &keep, &Ty::Symbol);
            }
            None => self.load(args.offset(1), NULL),
        }
        let fields =
            vec![(self.intern_symbol("faces"), Ty::list(Ty::Int)), (self.intern_symbol("total"), Ty::Int)];
        let dst = match result {
            Some(name) => self.result_local(&name, Ty::Record(Rc::new(RecordTy { name: None, fields }))),
            None => Reg::NONE,
        };
        self.emit(Instr::Roll { dst, roll, args });
    }

    /// Rolls all dice of a list, one after the other, and adds the results up.
    fn roll_list(&mut self, parts: &StatementParts<'_>, pools: Val) {
        let span = parts.span;
        let text = |text: &str| SourceText::verbatim(text, span.file, span.start);
        let node = |value: &str| SourceNode { span, value: NodeValue::Text(text(value)) };
        let entry = |key: &str, value: SourceNode| MapEntry { key: text(key), value };
        let map = |entries: Vec<MapEntry>| SourceNode { span, value: NodeValue::Map(entries) };
        let list = |items: Vec<SourceNode>| SourceNode { span, value: NodeValue::List(items) };
        let sum = |faces: &str, total: &str| {
            map(vec![entry(
                "let",
                map(vec![entry("rolled__", node(&format!("{{faces: {faces}, total: {total}}}")))]),
            )])
        };
        let kept = parts.entries.iter().filter(|entry| !["roll", "as"].contains(&entry.key.value.as_str()));
        let mut one = vec![entry("roll", node("dice__"))];
        one.extend(kept.cloned());
        one.push(entry("as", node("one__")));
        let body = list(vec![map(one), sum("rolled__.faces + one__.faces", "rolled__.total + one__.total")]);
        let each = map(vec![entry("each", node("pools__")), entry("as", node("dice__")), entry("do", body)]);
        let bindings = self.body.bindings.len();
        let result = self.as_name(parts).map(str::to_owned);
        let list_of_pools = self.body.new_local(pools.ty.clone());
        self.emit(Instr::Copy { dst: list_of_pools, src: pools.reg });
        self.body.bind("pools__", list_of_pools, pools.ty);
        self.sequence(&list(vec![sum("range(1, 0)", "0"), each]));
        let rolled = self.name_value("rolled__", span);
        self.body.bindings.truncate(bindings);
        if let Some(name) = result {
            let dst = self.result_local(&name, rolled.ty);
            self.emit(Instr::Copy { dst, src: rolled.reg });
        }
    }

    /// Checks the `keep` of a roll.
    fn check_keep(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) if self.body.binding(name).is_none() => {
                let known = ["highest", "lowest", "all"];
                if !known.contains(&name.as_str()) {
                    self.report_unknown("E-ENUM", expr.span, "dice to keep", name, known);
                }
            }
            ExprKind::If { then, otherwise, .. } => {
                self.check_keep(then);
                self.check_keep(otherwise);
            }
            _ => {}
        }
    }
}

/// Returns true if a statement names an owner.
pub(crate) fn has_owner(parts: &StatementParts<'_>) -> bool {
    parts.get("owner").is_some_and(|owner| !matches!(owner.value, NodeValue::Null))
}

/// Returns the id of the first rule of a def that asks its controller, and whether it is an action.
fn asking_rule(def: &SourceNode) -> Option<(&SourceText, bool)> {
    let rules = |key: &str| def.get(key).and_then(SourceNode::as_list).unwrap_or_default().iter();
    let is_offered =
        |action: &&SourceNode| action.get("abstract").and_then(SourceNode::as_bool) != Some(true);
    let asks = |reaction: &&SourceNode| reaction.get("may").or(reaction.get("targets")).is_some();
    let action = rules("actions").find(is_offered).and_then(|action| action.get("id")?.as_text());
    let reaction = rules("reactions").find(asks).and_then(|reaction| reaction.get("id")?.as_text());
    action.map(|id| (id, true)).or(reaction.map(|id| (id, false)))
}
