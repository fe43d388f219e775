//! Events: payload, state change, consequences; and the patterns that refer to events.

use crate::grammar::rules;
use intermezzo_program::{EventId, EventType, Instr, PayloadField, Reg, RoutineId, Visibility, native};

use super::Checker;
use super::routine_builder::CodeMode;
use super::symbol_table::EventInfo;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind, SpannedName};
use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};

impl Checker<'_> {
    pub(crate) fn lower_events(&mut self) {
        let infos: Vec<(String, EventInfo)> =
            self.symbols.events.iter().map(|(name, event)| (name.to_owned(), event.clone())).collect();
        for (name, EventInfo { fields, preventable, .. }) in infos {
            let fields = fields
                .iter()
                .map(|(field, ty)| PayloadField { name: *field, ty: self.type_id(ty) })
                .collect();
            let symbol = self.intern_symbol(&name);
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
        self.lower_roll_visibility();
        let merged = self.merged;
        for (section, _) in merged.section("events") {
            for entry in section.as_map().unwrap_or_default() {
                if self.symbols.events.get(&entry.key.value).is_some_and(|event| !event.native) {
                    self.lower_event(entry);
                }
            }
        }
    }

    /// Compiles who sees rolls, if some roll is not for everyone.
    fn lower_roll_visibility(&mut self) {
        let Some(header) = self.merged.last("ruleset").filter(|_| self.hides_rolls) else { return };
        let span = header.span;
        let test = "event.seen_by == null or viewer in event.seen_by!";
        let test = SourceText::verbatim(test, span.file, span.start);
        let test = SourceNode { span, value: NodeValue::Text(test) };
        let visible = self.payload_function("events.Rolled.visible", native::ROLLED, &test, true);
        self.program.events[native::ROLLED.index()].visible = visible;
    }

    fn lower_event(&mut self, entry: &MapEntry) {
        self.entries(&entry.value, &rules::EVENT);
        let Some(event) = self.symbols.events.get(&entry.key.value).cloned() else { return };
        let name = format!("events.{}", entry.key.value);
        if let Some(node) = entry.value.get("visible") {
            let visible = match node.as_text().map(|text| text.value.as_str()) {
                Some("all") => Visibility::All,
                Some("none") => Visibility::None,
                Some(word) if super::kinds::is_word(word) => {
                    self.report_unknown("E-NAME", node.span, "visibility", word, ["all", "none"]);
                    Visibility::None
                }
                _ => self.payload_function(&format!("{name}.visible"), event.id, node, true),
            };
            if matches!(visible, Visibility::All) {
                self.warn_wide_event(entry, &event);
            }
            self.program.events[event.id.index()].visible = visible;
        }
        if let Some(node) = entry.value.get("chooser") {
            let routine = self.reserve_routine(&format!("{name}.chooser"));
            let outer = self.begin_routine(routine, CodeMode::Pure);
            self.bind_payload(event.id);
            self.mark_location(node);
            let value = self.node_as(node, &Ty::PLAYER);
            self.emit(Instr::Return { value });
            self.finish_routine(outer);
            self.program.events[event.id.index()].chooser = Some(routine);
        }
        if let Some(text) = entry.value.get("text").and_then(|node| self.text(node, "`text`")) {
            self.check_placeholders(text, &event);
            let text = self.intern_text(&text.value.clone());
            self.program.events[event.id.index()].text = Some(text);
        }
        let parts = ["unless", "apply", "then"].map(|part| entry.value.get(part));
        if parts.iter().all(Option::is_none) {
            return;
        }
        let routine = self.reserve_routine(&name);
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.body.own_event = Some(event.id);
        self.bind_context(Ty::SomeEntity, Ty::Event(Some(event.id)));
        for (_, ty) in &event.fields {
            self.body.new_local(ty.clone());
            self.body.params += 1;
        }
        let mut entries = [None; 3];
        for (at, part) in parts.into_iter().enumerate() {
            let Some(node) = part else { continue };
            entries[at] = Some(self.body.jump_target());
            self.lower_event_part(at, node);
        }
        let offset = self.finish_routine(outer);
        let [unless, apply, then] = entries.map(|entry| entry.map(|entry| entry + offset));
        let event = &mut self.program.events[event.id.index()];
        event.routine = Some(routine);
        event.unless = unless;
        event.apply = apply;
        event.then = then;
    }

    /// Checks that every `{…}` in the text of an event names one of its fields.
    pub(crate) fn check_placeholders(&mut self, text: &SourceText, event: &EventInfo) {
        let mut rest = 0;
        while let Some(open) = text.value[rest..].find('{').map(|at| rest + at) {
            let Some(close) = text.value[open..].find('}').map(|at| open + at) else {
                let span = text.span_of(open..open + 1);
                let problem = Diagnostic::error("E-PROP", span, "this `{` is not closed");
                if !self.is_published {
                    self.report(problem.hint("a placeholder is the name of a field in braces: `{player}`"));
                }
                break;
            };
            let name = &text.value[open + 1..close];
            let known = self.symbols.field_names(&event.fields);
            if !known.iter().any(|field| field == name) {
                let span = text.span_of(open + 1..close);
                self.report_unknown("E-PROP", span, "field", name, known.iter().map(String::as_str));
            }
            rest = close + 1;
        }
    }

    fn lower_event_part(&mut self, part: usize, node: &SourceNode) {
        let bindings = self.body.bindings.len();
        self.mark_location(node);
        match part {
            0 => {
                self.body.mode = CodeMode::Pure;
                let value = self.node_as(node, &Ty::Bool);
                self.emit(Instr::Return { value });
            }
            1 => {
                self.body.mode = CodeMode::Apply;
                self.block(node);
                self.emit(Instr::Done {});
            }
            _ => {
                self.body.mode = CodeMode::Program;
                self.block(node);
                self.emit(Instr::Done {});
            }
        }
        self.body.mode = CodeMode::Program;
        self.body.bindings.truncate(bindings);
    }

    /// Compiles a test of the payload and, with `viewer`, of the player who looks.
    fn payload_function(
        &mut self,
        name: &str,
        event: EventId,
        node: &SourceNode,
        viewer: bool,
    ) -> Visibility {
        let routine = self.reserve_routine(name);
        let outer = self.begin_routine(routine, CodeMode::Pure);
        if viewer {
            self.add_param("viewer", Ty::PLAYER);
        }
        self.bind_payload(event);
        self.mark_location(node);
        let value = self.node_as(node, &Ty::Bool);
        self.emit(Instr::Return { value });
        self.finish_routine(outer);
        Visibility::Computed(routine)
    }

    /// Adds a parameter for each payload field and binds `event` to a record of them.
    ///
    /// The parameters follow those that were added before.
    pub(crate) fn bind_payload(&mut self, event: EventId) {
        let fields = self.symbols.event_by_id(event).1.fields.clone();
        let first = self.body.locals.len() as u16;
        for (_, ty) in &fields {
            self.body.new_local(ty.clone());
            self.body.params += 1;
        }
        let count = fields.len() as u16;
        let record = Ty::Record(std::rc::Rc::new(super::types::RecordTy { name: None, fields }));
        let reg = self.body.new_temp();
        self.emit(Instr::Record { dst: reg, first: Reg(first), count });
        let held = self.body.new_local(record.clone());
        self.emit(Instr::Copy { dst: held, src: reg });
        self.body.bind("event", held, record);
    }

    /// Warns if an event that everyone sees can carry a hidden entity.
    fn warn_wide_event(&mut self, entry: &MapEntry, event: &EventInfo) {
        let hidden_kinds: Vec<Ty> = self
            .symbols
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
                let name = self.symbols.spelling(*field).to_owned();
                let span = entry.value.entry("visible").map_or(entry.key.span, |visible| visible.key.span);
                self.report(
                    Diagnostic::warning(
                        "W-LEAK",
                        span,
                        format!("everyone sees this event, but `{name}` may be something hidden"),
                    )
                    .hint("leave `visible` out: then each viewer sees an entity only if they can see that entity"),
                );
                return;
            }
        }
    }

    // --- patterns ------------------------------------------------------------------------

    /// Returns the event that a name stands for, with the condition an alias adds.
    pub(crate) fn event_pattern(&mut self, node: &SourceNode) -> Option<(EventId, Option<Expr>)> {
        let text = self.text(node, "an event")?;
        self.resolve_event(text)
    }

    fn resolve_event(&mut self, text: &SourceText) -> Option<(EventId, Option<Expr>)> {
        if let Some(event) = self.symbols.events.get(&text.value) {
            return Some((event.id, None));
        }
        if let Some(alias) = self.symbols.aliases.get(&text.value) {
            return Some((alias.of, alias.condition.as_ref().map(|condition| (**condition).clone())));
        }
        let known = self.event_names();
        self.report_unknown("E-NAME", text.span, "event", &text.value, known.iter().map(String::as_str));
        None
    }

    /// Returns the event and the tests of `{after: Event, if: test}`.
    pub(crate) fn after_pattern(&mut self, node: &SourceNode) -> Option<(EventId, Vec<Expr>)> {
        self.entries(node, &rules::PATTERN);
        let Some(after) = node.get("after") else {
            self.report_error("E-KEY", node.span, "this pattern needs `after`: the name of an event");
            return None;
        };
        let (event, alias) = self.event_pattern(after)?;
        let mut tests: Vec<Expr> = alias.into_iter().collect();
        if let Some(test) = node.get("if") {
            tests.extend(self.node_expr(test));
        }
        Some((event, tests))
    }

    /// Converts `filters: {field: value}` into tests. The name of a zone, kind or def is a family.
    pub(crate) fn filter_tests(&mut self, event: EventId, node: &SourceNode) -> Vec<Expr> {
        let mut tests = Vec::new();
        for entry in node.as_map().unwrap_or_default() {
            let Some(value) = self.node_expr(&entry.value) else { continue };
            let target = Expr { span: entry.key.span, kind: ExprKind::Name("event".into()) };
            let field = Expr {
                span: entry.key.span,
                kind: ExprKind::Method {
                    target: Box::new(target),
                    name: SpannedName { text: entry.key.value.clone(), span: entry.key.span },
                    args: Vec::new(),
                    has_parens: false,
                    null_safe: false,
                },
            };
            if let Some(family) = self.filter_family(event, &entry.key.value, &value) {
                let kind = ExprKind::Is { target: Box::new(field), name: family };
                tests.push(Expr { span: entry.value.span, kind });
                continue;
            }
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
        if !matches!(node.value, NodeValue::Map(_)) {
            self.report_error("E-TYPE", node.span, "`filters` is an object: field and value");
        }
        tests
    }

    /// Returns the family that a filter names, if its field is a zone or an entity.
    fn filter_family(&self, event: EventId, field: &str, value: &Expr) -> Option<SpannedName> {
        let ExprKind::Name(name) = &value.kind else { return None };
        let fields = &self.symbols.event_by_id(event).1.fields;
        let (_, ty) = fields.iter().find(|(known, _)| self.symbols.spelling(*known) == field)?;
        let symbols = &self.symbols;
        let is_family = match ty.present() {
            Ty::Zone(_) => symbols.zones.contains(name),
            ty if ty.is_entity() => {
                symbols.kinds.contains(name) || symbols.defs.contains(name) || symbols.traits.contains(name)
            }
            _ => false,
        };
        is_family.then(|| SpannedName { text: name.to_string(), span: value.span })
    }

    /// Emits tests that must all hold. Returns the jumps taken on failure and the number of facts known
    /// before.
    pub(crate) fn emit_conjunction(&mut self, tests: &[Expr]) -> (Vec<usize>, usize) {
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
        let outer = self.begin_routine(routine, CodeMode::Pure);
        let (no, known) = inside(self);
        let value = self.constant(1);
        self.emit(Instr::Return { value });
        self.body.patch_jumps(&no);
        let value = self.constant(0);
        self.emit(Instr::Return { value });
        self.body.facts.truncate(known);
        self.finish_routine(outer);
        routine
    }
}
