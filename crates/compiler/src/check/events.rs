//! Events: payload, fold, consequences; and the patterns that name them.

use intermezzo_ruleset::{EventId, EventType, Field, Instr, Reg, RoutineId, Visibility};

use super::Checker;
use super::body::Mode;
use super::types::Ty;
use super::world::EventInfo;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::tree::{Entry, Node, Text, Value};

impl Checker<'_> {
    pub(crate) fn lower_events(&mut self) {
        let infos: Vec<(String, EventInfo)> =
            self.world.events.iter().map(|(name, event)| (name.to_owned(), event.clone())).collect();
        for (name, EventInfo { fields, preventable, .. }) in infos {
            let fields =
                fields.iter().map(|(field, ty)| Field { name: *field, ty: self.type_id(ty) }).collect();
            let symbol = self.symbol(&name);
            self.program.events.push(EventType {
                name,
                symbol,
                fields,
                routine: None,
                unless: None,
                apply: None,
                then: None,
                visible: Visibility::ByContents,
                preventable,
                chooser: None,
                before: Vec::new(),
                after: Vec::new(),
                resets: Vec::new(),
                durations: Vec::new(),
                text: None,
            });
        }
        let merged = self.merged;
        for (section, _) in merged.section("events") {
            for entry in section.as_map().unwrap_or_default() {
                if self.world.events.get(&entry.key.value).is_some_and(|event| !event.native) {
                    self.lower_event(entry);
                }
            }
        }
    }

    fn lower_event(&mut self, entry: &Entry) {
        let known = ["payload", "unless", "apply", "then", "visible", "preventable", "chooser"];
        self.entries(&entry.value, "an event", &known);
        let Some(event) = self.world.events.get(&entry.key.value).cloned() else { return };
        let name = format!("events.{}", entry.key.value);
        if let Some(node) = entry.value.get("visible") {
            let visible = match node.as_text().map(|text| text.value.as_str()) {
                Some("all") => Visibility::All,
                Some("none") => Visibility::None,
                _ => self.payload_function(&format!("{name}.visible"), event.id, node, true),
            };
            if matches!(visible, Visibility::All) {
                self.warn_wide_event(entry, &event);
            }
            self.program.events[event.id.index()].visible = visible;
        }
        if let Some(node) = entry.value.get("chooser") {
            let routine = self.reserve_routine(&format!("{name}.chooser"));
            let outer = self.begin(routine, Mode::Pure);
            self.bind_payload(event.id);
            self.place_at(node);
            let value = self.node_as(node, &Ty::PLAYER);
            self.emit(Instr::Return { value });
            self.finish(outer);
            self.program.events[event.id.index()].chooser = Some(routine);
        }
        if let Some(text) = entry.value.get("text").and_then(|node| self.text(node, "`text`")) {
            self.check_places(text, &event);
            let text = self.intern_text(&text.value.clone());
            self.program.events[event.id.index()].text = Some(text);
        }
        let parts = ["unless", "apply", "then"].map(|part| entry.value.get(part));
        if parts.iter().all(Option::is_none) {
            return;
        }
        let routine = self.reserve_routine(&name);
        let outer = self.begin(routine, Mode::Program);
        self.body.own_event = Some(event.id);
        self.bind_context(Ty::SomeEntity, Ty::Event(Some(event.id)));
        for (_, ty) in &event.fields {
            self.body.local(ty.clone());
            self.body.params += 1;
        }
        let mut entries = [None; 3];
        for (at, part) in parts.into_iter().enumerate() {
            let Some(node) = part else { continue };
            entries[at] = Some(self.body.here());
            self.lower_event_part(at, node);
        }
        let offset = self.finish(outer);
        let [unless, apply, then] = entries.map(|entry| entry.map(|entry| entry + offset));
        let event = &mut self.program.events[event.id.index()];
        event.routine = Some(routine);
        event.unless = unless;
        event.apply = apply;
        event.then = then;
    }

    /// What stands in `{…}` in an event's sentence is one of its fields.
    fn check_places(&mut self, text: &Text, event: &EventInfo) {
        let mut rest = 0;
        while let Some(open) = text.value[rest..].find('{').map(|at| rest + at) {
            let Some(close) = text.value[open..].find('}').map(|at| open + at) else { break };
            let name = &text.value[open + 1..close];
            let known = self.world.field_names(&event.fields);
            if !known.iter().any(|field| field == name) {
                let span = text.span_of(open + 1..close);
                self.unknown("E-PROP", span, "field", name, known.iter().map(String::as_str));
            }
            rest = close + 1;
        }
    }

    fn lower_event_part(&mut self, part: usize, node: &Node) {
        let bindings = self.body.bindings.len();
        self.place_at(node);
        match part {
            0 => {
                self.body.mode = Mode::Pure;
                let value = self.node_as(node, &Ty::Bool);
                self.emit(Instr::Return { value });
            }
            1 => {
                self.body.mode = Mode::Apply;
                self.block(node);
                self.emit(Instr::Done {});
            }
            _ => {
                self.body.mode = Mode::Program;
                self.block(node);
                self.emit(Instr::Done {});
            }
        }
        self.body.mode = Mode::Program;
        self.body.bindings.truncate(bindings);
    }

    /// A test of the viewer and the payload.
    fn payload_function(&mut self, name: &str, event: EventId, node: &Node, viewer: bool) -> Visibility {
        let routine = self.reserve_routine(name);
        let outer = self.begin(routine, Mode::Pure);
        if viewer {
            self.add_param("viewer", Ty::PLAYER);
        }
        self.bind_payload(event);
        self.place_at(node);
        let value = self.node_as(node, &Ty::Bool);
        self.emit(Instr::Return { value });
        self.finish(outer);
        Visibility::Computed(routine)
    }

    /// Makes `event.field` a parameter for each field of the payload.
    ///
    /// The parameters follow those there are; `event` itself is a record of them.
    pub(crate) fn bind_payload(&mut self, event: EventId) {
        let fields = self.world.event_by_id(event).1.fields.clone();
        let first = self.body.locals.len() as u16;
        for (_, ty) in &fields {
            self.body.local(ty.clone());
            self.body.params += 1;
        }
        let count = fields.len() as u16;
        let record = Ty::Record(std::rc::Rc::new(super::types::RecordTy { name: None, fields }));
        let reg = self.body.temp();
        self.emit(Instr::Record { dst: reg, first: Reg(first), count });
        let held = self.body.local(record.clone());
        self.emit(Instr::Copy { dst: held, src: reg });
        self.body.bind("event", held, record);
    }

    /// An event everyone sees should not carry what not everyone may see.
    fn warn_wide_event(&mut self, entry: &Entry, event: &EventInfo) {
        let hidden_kinds: Vec<Ty> = self
            .world
            .zones
            .iter()
            .filter(|(_, zone)| !zone.public)
            .map(|(_, zone)| zone.item.clone())
            .collect();
        for (field, ty) in &event.fields {
            let carried = match ty.present() {
                Ty::List(item) => item.present(),
                Ty::Map(_, value) => value.present(),
                other => other,
            };
            let entity = matches!(carried, Ty::Entity | Ty::Kind(_)) && carried != Ty::PLAYER;
            if entity && hidden_kinds.iter().any(|kind| self.fits(&carried, kind) != super::coerce::Fit::No) {
                let name = self.world.spelling(*field).to_owned();
                let place = entry.value.entry("visible").map_or(entry.key.span, |visible| visible.key.span);
                self.report(
                    Diagnostic::warning(
                        "W-LEAK",
                        place,
                        format!("everyone sees this event, but `{name}` may be something hidden"),
                    )
                    .hint("leave `visible` out: then each viewer sees an entity only if they can see that entity"),
                );
                return;
            }
        }
    }

    // --- patterns ------------------------------------------------------------------------

    /// The event a name stands for, with the condition an alias adds.
    pub(crate) fn event_pattern_named(&mut self, node: &Node) -> Option<(EventId, Option<Expr>)> {
        let text = self.text(node, "an event")?;
        self.resolve_event(text)
    }

    fn resolve_event(&mut self, text: &Text) -> Option<(EventId, Option<Expr>)> {
        if let Some(event) = self.world.events.get(&text.value) {
            return Some((event.id, None));
        }
        if let Some(alias) = self.world.aliases.get(&text.value) {
            return Some((alias.of, alias.condition.as_ref().map(|condition| (**condition).clone())));
        }
        let known = self.event_names();
        self.unknown("E-NAME", text.span, "event", &text.value, known.iter().map(String::as_str));
        None
    }

    /// `{after: Event, if: test}` with the tests it stands for.
    pub(crate) fn after_pattern(&mut self, node: &Node) -> Option<(EventId, Vec<Expr>)> {
        self.entries(node, "a pattern", &["after", "if"]);
        let Some(after) = node.get("after") else {
            self.wrong("E-KEY", node.span, "this pattern needs `after`: the name of an event");
            return None;
        };
        let (event, alias) = self.event_pattern_named(after)?;
        let mut tests: Vec<Expr> = alias.into_iter().collect();
        if let Some(test) = node.get("if") {
            tests.extend(self.node_expr(test));
        }
        Some((event, tests))
    }

    /// `filters: {field: value}` as tests.
    pub(crate) fn filter_tests(&mut self, node: &Node) -> Vec<Expr> {
        let mut tests = Vec::new();
        for entry in node.as_map().unwrap_or_default() {
            let Some(value) = self.node_expr(&entry.value) else { continue };
            let target = Expr { span: entry.key.span, kind: ExprKind::Name("event".into()) };
            let field = Expr {
                span: entry.key.span,
                kind: ExprKind::Method {
                    target: Box::new(target),
                    name: crate::expr::Name { text: entry.key.value.clone(), span: entry.key.span },
                    args: Vec::new(),
                    has_parens: false,
                    null_safe: false,
                },
            };
            tests.push(Expr {
                span: entry.value.span,
                kind: ExprKind::Binary {
                    op: crate::expr::BinaryOp::Eq,
                    left: Box::new(field),
                    right: Box::new(value),
                    op_span: entry.key.span,
                },
            });
        }
        if !matches!(node.value, Value::Map(_)) {
            self.wrong("E-TYPE", node.span, "`filters` is an object: field and value");
        }
        tests
    }

    /// A test over several expressions, all of which must hold.
    pub(crate) fn all_hold(&mut self, tests: &[Expr]) -> (Vec<usize>, usize) {
        let mut no = Vec::new();
        let known = self.body.facts.len();
        for test in tests {
            self.jump_if(test, false, &mut no);
            let facts = self.facts(test, true);
            self.body.facts.extend(facts);
        }
        (no, known)
    }

    pub(crate) fn test_routine(
        &mut self,
        name: &str,
        inside: impl FnOnce(&mut Self) -> (Vec<usize>, usize),
    ) -> RoutineId {
        let routine = self.reserve_routine(name);
        let outer = self.begin(routine, Mode::Pure);
        let (no, known) = inside(self);
        let value = self.constant(1);
        self.emit(Instr::Return { value });
        self.body.land(&no);
        let value = self.constant(0);
        self.emit(Instr::Return { value });
        self.body.facts.truncate(known);
        self.finish(outer);
        routine
    }
}
