//! The walk over a ruleset's sections: names first, then what they mean, then the rules.

use intermezzo_ruleset::{EnumId, Instr, Limits, Phase, PhaseId, Reg, RoutineId, SeatCount, Stakes, native};

use super::body::Mode;
use super::stmts::Goes;
use super::types::{RecordTy, Ty};
use super::world::{AliasInfo, Callable, ChainInfo, EventInfo, Param, TraitInfo};
use super::{Checker, ExtraExpression, Extras};
use crate::diagnostic::Diagnostic;
use crate::tree::{Entry, Node, Text, Value};
use std::rc::Rc;

impl Checker<'_> {
    /// The whole ruleset; gives the expressions compiled beside it.
    pub(crate) fn walk(&mut self, extras: &Extras<'_>) -> Vec<ExtraExpression> {
        self.header();
        self.declare_types();
        self.declare_kinds();
        self.declare_phases();
        self.declare_symbols();
        self.declare_zones();
        self.declare_events();
        self.resolve_records();
        self.declare_defs();
        self.declare_traits();
        self.declare_chains();
        self.declare_options();
        self.declare_props();
        self.declare_aliases();
        self.declare_callables();
        self.lower_options();
        self.lower_props();
        self.lower_zones();
        self.lower_functions();
        self.lower_procs();
        self.lower_events();
        self.lower_defs();
        self.lower_resets();
        self.lower_reactions();
        self.check_traits();
        self.check_actions();
        self.check_modifiers();
        self.lower_stakes();
        self.lower_programs(extras);
        let expressions = self.lower_expressions(extras);
        self.whole_ruleset_checks();
        self.finish_program();
        expressions
    }

    fn finish_program(&mut self) {
        self.program.hash = self.merged.hash();
        self.program.symbols = self.world.symbols.clone();
        self.program.files = self.sources.files().map(|file| self.sources.name(file).to_owned()).collect();
        self.program.places.sort_by_key(|(at, _)| *at);
        self.program.metadata = self.metadata();
    }

    /// What clients are told about the ruleset beside its rules.
    fn metadata(&self) -> String {
        let mut metadata = serde_json::Map::new();
        for section in ["ui", "tutorial", "messages"] {
            if let Some(node) = self.merged.last(section) {
                metadata.insert(section.to_owned(), node.to_json());
            }
        }
        serde_json::Value::Object(metadata).to_string()
    }

    // --- header -----------------------------------------------------------------

    fn header(&mut self) {
        let Some(node) = self.merged.last("ruleset") else { return };
        self.entries(node, "`ruleset`", &["id", "version", "name", "uses", "description", "authors"]);
        let text = |node: Option<&Node>| node.and_then(Node::as_text).map(|text| text.value.clone());
        if let Some(id) = node.get("id").and_then(Node::as_text) {
            let good = !id.value.is_empty()
                && id.value.len() <= 64
                && id
                    .value
                    .chars()
                    .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-');
            if !good {
                self.report(
                    Diagnostic::error(
                        "E-NAME",
                        id.span,
                        format!("`{}` cannot be the id of a ruleset", id.value),
                    )
                    .hint("use small letters, digits and `-`, at most 64 of them"),
                );
            }
        } else {
            self.report(
                Diagnostic::error("E-KEY", node.span, "`ruleset` needs `id`").hint("such as `id: my-game`"),
            );
        }
        match node.get("version").and_then(Node::as_text) {
            Some(version)
                if version.value.split('.').count() == 3
                    && version.value.split('.').all(|part| part.parse::<u32>().is_ok()) => {}
            Some(version) => {
                self.report(
                    Diagnostic::error(
                        "E-VERSION",
                        version.span,
                        format!("`{}` is not a version", version.value),
                    )
                    .hint("a version is three numbers, such as `1.0.0`"),
                );
            }
            None => {
                self.report(
                    Diagnostic::error("E-KEY", node.span, "`ruleset` needs `version`")
                        .hint("such as `version: 0.1.0`"),
                );
            }
        }
        self.program.id = text(node.get("id")).unwrap_or_default();
        self.program.version = text(node.get("version")).unwrap_or_default();
        self.program.name = text(node.get("name")).unwrap_or_else(|| self.program.id.clone());
        self.limits();
        self.seats();
        for (section, known) in [
            ("reactionTiming", &["now", "stack"][..]),
            ("reactionOrder", &["fixed", "active_first", "apnap", "chosen"][..]),
        ] {
            if let Some(node) = self.merged.last(section)
                && let Some(word) = self.word(node, &format!("`{section}`"), known)
                && !["now", "fixed", "active_first"].contains(&word)
            {
                self.not_yet(node.span, &format!("`{section}: {word}`"));
            }
        }
    }

    fn limits(&mut self) {
        let defaults = Limits::default();
        self.program.limits = defaults;
        let Some(node) = self.merged.last("limits") else { return };
        let known =
            ["steps_per_input", "stack_depth", "reactions_per_event", "events_per_input", "entities", "loop"];
        for entry in self.entries(node, "`limits`", &known) {
            let key = entry.key.value.as_str();
            if key == "loop" {
                self.word(&entry.value, "`loop`", &["draw", "fault"]);
                self.not_yet(entry.key.span, "`loop`");
                continue;
            }
            if key == "reactions_per_event" {
                self.not_yet(entry.key.span, "`reactions_per_event`");
            }
            let ceiling = match key {
                "steps_per_input" => defaults.steps,
                "stack_depth" => defaults.depth,
                "events_per_input" => defaults.events,
                "entities" => defaults.entities,
                _ => 10_000,
            };
            let value = self.number(&entry.value, &format!("`{key}`"));
            if value < 1 || value > i64::from(ceiling) {
                let message = format!("`{key}` is from 1 to {ceiling}");
                self.wrong("E-LIMIT", entry.value.span, message);
                continue;
            }
            let value = value as u32;
            match key {
                "steps_per_input" => self.program.limits.steps = value,
                "stack_depth" => self.program.limits.depth = value,
                "events_per_input" => self.program.limits.events = value,
                "entities" => self.program.limits.entities = value,
                _ => {}
            }
        }
    }

    fn seats(&mut self) {
        let merged = self.merged;
        let Some(node) = merged.last("players") else { return };
        for (part, _) in merged.section("players") {
            self.entries(part, "`players`", &["seats", "min", "max", "teams", "props"]);
            if let Some(teams) = part.entry("teams") {
                self.not_yet(teams.key.span, "teams");
            }
        }
        let mut number = |key: &str| {
            let found = merged.section("players").filter_map(|(part, _)| part.get(key)).last();
            found.map(|value| (self.number(value, &format!("`{key}`")), value.span))
        };
        let usual = number("seats");
        let min = number("min").or(usual).unwrap_or((2, node.span));
        let max = number("max").or(usual).unwrap_or((2, node.span));
        let usual = usual.unwrap_or(min);
        for (value, span) in [usual, min, max] {
            if !(1..=16).contains(&value) {
                self.wrong("E-LIMIT", span, "a match has from 1 to 16 seats");
                return;
            }
        }
        if !(min.0 <= usual.0 && usual.0 <= max.0) {
            self.wrong("E-LIMIT", usual.1, "`seats` lies between `min` and `max`");
            return;
        }
        self.program.seats = SeatCount { min: min.0 as u8, max: max.0 as u8, usual: usual.0 as u8 };
    }

    // --- names that are only names ---------------------------------------------------

    fn declare_types(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("types") {
            for entry in self.named(section, "`types`") {
                self.entries(&entry.value, "a type", &["enum", "record"]);
                if self.types_seen.iter().any(|seen| *seen == entry.key.value) {
                    let message = format!("there is already a type `{}`", entry.key.value);
                    self.wrong("E-NAME", entry.key.span, message);
                    continue;
                }
                self.types_seen.push(entry.key.value.clone());
                let Some(members) = entry.value.get("enum") else { continue };
                let mut symbols = Vec::new();
                for item in self.items(members, "`enum`") {
                    if let Some(name) = self.text(item, "a member of an enum") {
                        self.check_identifier(name, "`enum`");
                        let symbol = self.symbol(&name.value);
                        if symbols.contains(&symbol) {
                            let message = format!("`{}` is listed twice", name.value);
                            self.wrong("E-NAME", name.span, message);
                        } else {
                            symbols.push(symbol);
                        }
                    }
                }
                let id = EnumId(self.program.enums.len() as u16);
                self.program.enums.push(intermezzo_ruleset::Enum {
                    name: entry.key.value.clone(),
                    members: symbols.clone(),
                });
                self.world.enums.insert(&entry.key.value, (id, symbols));
            }
        }
    }

    /// Records may name kinds and each other's enums, so they come after both.
    fn resolve_records(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("types") {
            for entry in section.as_map().unwrap_or_default() {
                let Some(fields) = entry.value.get("record") else {
                    if entry.value.get("enum").is_none() {
                        self.wrong("E-KEY", entry.value.span, "a type needs `enum` or `record`");
                    }
                    continue;
                };
                let fields = self.fields(fields, "`record`");
                let ty = Ty::Record(Rc::new(RecordTy { name: Some(entry.key.value.clone()), fields }));
                self.world.records.insert(&entry.key.value, ty);
            }
        }
    }

    /// Named, typed fields.
    pub(crate) fn fields(&mut self, node: &Node, what: &str) -> Vec<(intermezzo_ruleset::Symbol, Ty)> {
        self.named(node, what)
            .iter()
            .map(|entry| (self.symbol(&entry.key.value), self.type_of(&entry.value)))
            .collect()
    }

    fn declare_symbols(&mut self) {
        let merged = self.merged;
        for (section, prelude) in merged.section("symbols") {
            for item in self.items(section, "`symbols`") {
                if let Some(name) = self.text(item, "a symbol") {
                    self.symbol(&name.value);
                    self.world.free_symbols.insert(&name.value, ());
                    if !prelude {
                        self.declared_symbols.push((name.value.clone(), name.span));
                    }
                }
            }
        }
        for (section, _) in merged.section("outcomes") {
            for item in self.items(section, "`outcomes`") {
                if let Some(name) = self.text(item, "an outcome") {
                    let symbol = self.symbol(&name.value);
                    self.world.outcomes.insert(&name.value, ());
                    if !self.program.outcomes.contains(&symbol) {
                        self.program.outcomes.push(symbol);
                    }
                }
            }
        }
        for name in ["concede", "disconnect", "kicked", "moderator", "finished"] {
            self.world.outcomes.insert(name, ());
        }
        for document in &merged.documents {
            self.collect_labels(&document.node);
        }
    }

    /// Labels of rolls and tags of abilities name themselves.
    fn collect_labels(&mut self, node: &Node) {
        match &node.value {
            Value::Map(entries) => {
                for entry in entries {
                    let key = entry.key.value.as_str();
                    if key == "for"
                        && let Some(text) = entry.value.as_text()
                        && node.get("roll").is_some()
                    {
                        self.symbol(&text.value);
                        self.world.free_symbols.insert(&text.value, ());
                    }
                    if key == "tags" {
                        for tag in entry.value.as_list().unwrap_or_default() {
                            if let Some(text) = tag.as_text() {
                                self.symbol(&text.value);
                                self.world.tags.insert(&text.value, ());
                            }
                        }
                    }
                    self.collect_labels(&entry.value);
                }
            }
            Value::List(items) => items.iter().for_each(|item| self.collect_labels(item)),
            _ => {}
        }
    }

    fn declare_phases(&mut self) {
        let merged = self.merged;
        for document in &merged.documents {
            for section in ["setup", "flow", "procs", "events", "reactions", "actions", "defs", "traits"] {
                if let Some(node) = document.node.get(section) {
                    self.collect_phases(node);
                }
            }
            if let Some(node) = document.node.get("turnStructure") {
                self.declare_turn_phases(node);
            }
        }
        for name in ["turn", "round"] {
            // The prelude's aliases speak of them in every ruleset.
            if !self.world.phases.contains(name) && merged.documents.iter().any(|document| document.prelude) {
                self.symbol(name);
                self.world.free_symbols.insert(name, ());
            }
        }
    }

    fn collect_phases(&mut self, node: &Node) {
        match &node.value {
            Value::Map(entries) => {
                if let (Some(phase), Some(_)) = (node.get("phase").and_then(Node::as_text), node.get("do")) {
                    self.add_phase(phase, &phase.value.replace('_', " "));
                }
                entries.iter().for_each(|entry| self.collect_phases(&entry.value));
            }
            Value::List(items) => items.iter().for_each(|item| self.collect_phases(item)),
            _ => {}
        }
    }

    pub(crate) fn add_phase(&mut self, name: &Text, title: &str) {
        if self.world.phases.contains(&name.value) {
            return;
        }
        let id = PhaseId(self.program.phases.len() as u16);
        let symbol = self.symbol(&name.value);
        let title = self.intern_text(title);
        self.program.phases.push(Phase { name: symbol, title });
        self.world.phases.insert(&name.value, (id, name.span));
    }

    // --- events, aliases, traits, chains: their shape --------------------------------------

    fn declare_events(&mut self) {
        for (number, (name, fields)) in native::EVENTS.iter().enumerate() {
            let fields =
                fields.iter().map(|(field, ty)| (self.symbol(field), self.native_type(ty))).collect();
            let preventable =
                !["MatchStarted", "MatchEnded", "EventPrevented", "Settled", "PlayerLeft"].contains(name);
            self.world.events.insert(
                name,
                EventInfo {
                    id: intermezzo_ruleset::EventId(number as u16),
                    fields,
                    preventable,
                    native: true,
                    span: None,
                    from_prelude: true,
                },
            );
        }
        let merged = self.merged;
        let mut next = native::EVENTS.len() as u16;
        for (section, prelude) in merged.section("events") {
            for entry in self.named(section, "`events`") {
                if self.world.events.contains(&entry.key.value) {
                    let message = format!("there is already an event `{}`", entry.key.value);
                    self.wrong("E-NAME", entry.key.span, message);
                    continue;
                }
                let id = intermezzo_ruleset::EventId(next);
                next += 1;
                self.world.events.insert(
                    &entry.key.value,
                    EventInfo {
                        id,
                        fields: Vec::new(),
                        preventable: true,
                        native: false,
                        span: Some(entry.key.span),
                        from_prelude: prelude,
                    },
                );
            }
        }
    }

    fn native_type(&mut self, ty: &str) -> Ty {
        let text = Text::straight(ty, crate::source::FileId(0), 0);
        match crate::expr::parse_type(&text) {
            Ok(parsed) => self.resolve_type(&parsed),
            Err(_) => Ty::Error,
        }
    }

    fn declare_traits(&mut self) {
        let merged = self.merged;
        for (section, prelude) in merged.section("traits") {
            for entry in self.named(section, "`traits`") {
                self.symbol(&entry.key.value);
                let params = self.params(entry.value.get("params"));
                self.world.traits.insert(
                    &entry.key.value,
                    TraitInfo { params, span: entry.key.span, from_prelude: prelude },
                );
            }
        }
    }

    fn declare_chains(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("chains") {
            for entry in self.named(section, "`chains`") {
                self.entries(&entry.value, "a chain", &["stages", "record"]);
                let mut stages = Vec::new();
                if let Some(node) = entry.value.get("stages") {
                    for item in self.items(node, "`stages`") {
                        if let Some(text) = self.text(item, "a stage") {
                            stages.push(text.value.clone());
                        }
                    }
                }
                let fields =
                    entry.value.get("record").map(|node| self.fields(node, "`record`")).unwrap_or_default();
                let record = Ty::Record(Rc::new(RecordTy { name: None, fields }));
                self.world.chains.insert(&entry.key.value, ChainInfo { stages, record });
            }
        }
    }

    fn declare_aliases(&mut self) {
        let merged = self.merged;
        // Payloads first: conditions of aliases read them.
        for (section, _) in merged.section("events") {
            for entry in section.as_map().unwrap_or_default() {
                let fields =
                    entry.value.get("payload").map(|node| self.fields(node, "`payload`")).unwrap_or_default();
                for field in entry.value.get("payload").and_then(Node::as_map).unwrap_or_default() {
                    if super::stmts::operation(&field.key.value).is_some() {
                        let message =
                            format!("`{}` is an operation, so it cannot be a field", field.key.value);
                        self.wrong("E-NAME", field.key.span, message);
                    }
                }
                let preventable = entry.value.get("preventable").and_then(Node::as_bool).unwrap_or(true);
                if let Some(event) = self.world.events.get_mut(&entry.key.value)
                    && !event.native
                {
                    event.fields = fields;
                    event.preventable = preventable;
                }
            }
        }
        for (section, _) in merged.section("aliases") {
            for entry in self.named(section, "`aliases`") {
                self.entries(&entry.value, "an alias", &["of", "if"]);
                let Some(of) = entry.value.get("of").and_then(|node| self.text(node, "`of`")) else {
                    continue;
                };
                let Some(event) = self.world.events.get(&of.value).map(|event| event.id) else {
                    let known = self.event_names();
                    self.unknown("E-NAME", of.span, "event", &of.value, known.iter().map(String::as_str));
                    continue;
                };
                if self.world.events.contains(&entry.key.value) {
                    let message = format!("there is already an event `{}`", entry.key.value);
                    self.wrong("E-NAME", entry.key.span, message);
                    continue;
                }
                let condition = entry.value.get("if").and_then(|node| self.node_expr(node)).map(Rc::new);
                self.world.aliases.insert(&entry.key.value, AliasInfo { of: event, condition });
            }
        }
        for (section, _) in merged.section("durations") {
            for entry in self.named(section, "`durations`") {
                self.world.durations.insert(&entry.key.value, entry.key.span);
            }
        }
    }

    // --- functions and procs ------------------------------------------------------------------

    pub(crate) fn params(&mut self, node: Option<&Node>) -> Vec<Param> {
        let Some(node) = node else { return Vec::new() };
        let mut params = Vec::new();
        for entry in self.named(node, "`params`") {
            let Some(text) = self.text(&entry.value, "the type of a parameter") else { continue };
            let (ty, default) = match crate::expr::parse_param(text) {
                Ok((ty, default)) => (self.resolve_type(&ty), default),
                Err(diagnostic) => {
                    self.report(diagnostic);
                    (Ty::Error, None)
                }
            };
            params.push(Param { name: entry.key.value.clone(), ty, default: default.map(Rc::new) });
        }
        params
    }

    fn declare_callables(&mut self) {
        let merged = self.merged;
        for (section, prelude) in merged.section("functions") {
            for entry in self.named(section, "`functions`") {
                self.entries(&entry.value, "a function", &["params", "returns", "is", "else", "override"]);
                let Some(body) = entry.value.get("is").cloned() else {
                    self.wrong(
                        "E-KEY",
                        entry.value.span,
                        "a function needs `is`: the expression it stands for",
                    );
                    continue;
                };
                let returns = match entry.value.get("returns") {
                    Some(node) => self.type_of(node),
                    None => self.wrong(
                        "E-KEY",
                        entry.value.span,
                        "a function needs `returns`: the type of its value",
                    ),
                };
                self.declare_callable(entry, prelude, true, returns, body);
            }
        }
        for (section, prelude) in merged.section("procs") {
            for entry in self.named(section, "`procs`") {
                self.entries(
                    &entry.value,
                    "a proc",
                    &["params", "requires", "do", "returns", "stack", "override"],
                );
                if super::stmts::operation(&entry.key.value).is_some() {
                    let message = format!("`{}` is an operation of the language", entry.key.value);
                    self.wrong("E-NAME", entry.key.span, message);
                    continue;
                }
                let Some(body) = entry.value.get("do").cloned() else {
                    self.wrong("E-KEY", entry.value.span, "a proc needs `do`");
                    continue;
                };
                let returns = entry.value.get("returns").map_or(Ty::Never, |node| self.type_of(node));
                self.declare_callable(entry, prelude, false, returns, body);
            }
        }
    }

    fn declare_callable(&mut self, entry: &Entry, prelude: bool, function: bool, returns: Ty, body: Node) {
        let name = entry.key.value.as_str();
        let category = if function { "functions" } else { "procs" };
        let table = if function { &self.world.functions } else { &self.world.procs };
        let overrides = entry.value.get("override").and_then(Node::as_bool) == Some(true);
        if let Some(old) = table.get(name)
            && !overrides
        {
            let old_span = old.span;
            self.report(
                Diagnostic::error(
                    "E-NAME",
                    entry.key.span,
                    format!("there is already a `{name}` in {category}"),
                )
                .related(old_span, "the other one")
                .hint("say `override: true` to replace it"),
            );
            return;
        }
        // A replacement takes the place of the old one, so that its callers find it.
        let replaced = table.get(name).map(|old| old.routine);
        let routine = replaced.unwrap_or_else(|| self.reserve_routine(&format!("{category}.{name}")));
        let params = self.params(entry.value.get("params"));
        let callable = Callable {
            routine,
            params,
            returns,
            span: entry.key.span,
            body: Rc::new(body),
            requires: entry.value.get("requires").cloned().map(Rc::new),
            from_prelude: prelude,
        };
        if function {
            self.world.functions.insert(name, callable);
        } else {
            self.world.procs.insert(name, callable);
        }
    }

    fn lower_functions(&mut self) {
        let functions: Vec<Callable> =
            self.world.functions.iter().map(|(_, callable)| callable.clone()).collect();
        for callable in functions {
            let outer = self.begin(callable.routine, Mode::Pure);
            self.bind_context(Ty::SomeEntity, Ty::Event(None));
            for param in &callable.params {
                self.add_param(&param.name, param.ty.clone());
            }
            self.place_at(&callable.body);
            let value = self.node_as(&callable.body, &callable.returns);
            self.emit(Instr::Return { value });
            self.finish(outer);
        }
    }

    /// Procs that return something must be lowered before those that use the result; the order of calls gives that.
    fn lower_procs(&mut self) {
        let mut names: Vec<String> = self.world.procs.names().map(str::to_owned).collect();
        let mut done: Vec<String> = Vec::new();
        let mut stack: Vec<String> = Vec::new();
        while let Some(name) = names.pop() {
            self.lower_proc(&name, &mut done, &mut stack);
        }
    }

    fn lower_proc(&mut self, name: &str, done: &mut Vec<String>, stack: &mut Vec<String>) {
        if done.iter().any(|other| other == name)
            || stack.iter().any(|other| other == name)
            || stack.len() > 64
        {
            return;
        }
        let Some(callable) = self.world.procs.get(name).cloned() else { return };
        stack.push(name.to_owned());
        for called in self.procs_called(&callable.body) {
            self.lower_proc(&called, done, stack);
        }
        stack.pop();
        done.push(name.to_owned());
        let outer = self.begin(callable.routine, Mode::Program);
        self.bind_context(Ty::SomeEntity, Ty::Event(None));
        for param in &callable.params {
            let reg = self.add_param(&param.name, param.ty.clone());
            if let Some(binding) = self.body.bindings.last_mut() {
                binding.local = binding.reg == reg;
            }
        }
        if let Some(requires) = &callable.requires {
            // The test is code of its own; here it is only checked.
            let mark = self.body.code.len();
            let requires = Rc::clone(requires);
            self.node_as(&requires, &Ty::Bool);
            self.body.code.truncate(mark);
        }
        self.body.promised = (callable.returns != Ty::Never).then(|| callable.returns.clone());
        let goes = self.block(&callable.body);
        self.emit(Instr::Done {});
        let mut returns = self.body.returns.clone();
        if goes == Goes::On && returns != Ty::Never {
            returns = returns.maybe();
        }
        if let Some(promised) = self.body.promised.clone()
            && goes == Goes::On
            && !promised.is_maybe()
        {
            let message =
                format!("`{name}` promises {}, but may end without a `return`", self.world.show(&promised));
            self.wrong("E-TYPE", callable.span, message);
        }
        self.finish(outer);
        if let Some(callable) = self.world.procs.get_mut(name)
            && callable.returns == Ty::Never
        {
            callable.returns = returns;
        }
    }

    /// The procs a body calls, in order.
    pub(crate) fn procs_called(&self, node: &Node) -> Vec<String> {
        let mut found = Vec::new();
        self.collect_calls(node, &mut found);
        found
    }

    fn collect_calls(&self, node: &Node, found: &mut Vec<String>) {
        match &node.value {
            Value::Map(entries) => {
                for entry in entries {
                    if self.world.procs.contains(&entry.key.value) {
                        found.push(entry.key.value.clone());
                    }
                    if entry.key.value == "op"
                        && let Some(text) = entry.value.as_text()
                    {
                        found.push(text.value.clone());
                    }
                    self.collect_calls(&entry.value, found);
                }
            }
            Value::List(items) => {
                for item in items {
                    if let Some(text) = item.as_text()
                        && self.world.procs.contains(&text.value)
                    {
                        found.push(text.value.clone());
                    }
                    self.collect_calls(item, found);
                }
            }
            _ => {}
        }
    }

    /// Names of the context registers.
    pub(crate) fn bind_context(&mut self, host: Ty, event: Ty) {
        self.body.bind("self", Reg::SELF, host);
        self.body.bind("you", Reg::YOU, Ty::PLAYER);
        self.body.bind("actor", Reg::ACTOR, Ty::PLAYER);
        self.body.bind("event", Reg::EVENT, event);
    }

    pub(crate) fn place_at(&mut self, node: &Node) {
        let at = self.body.code.len() as u32;
        self.body.places.push((at, node.span));
    }

    // --- the match ------------------------------------------------------------------------------

    fn lower_stakes(&mut self) {
        let Some(node) = self.merged.last("stakes") else { return };
        self.entries(node, "`stakes`", &["currency", "entry", "pot"]);
        let currency = node
            .get("currency")
            .and_then(Node::as_text)
            .map_or("token", |text| text.value.as_str())
            .to_owned();
        let (Some(entry), Some(pot)) = (node.get("entry"), node.get("pot")) else {
            self.wrong("E-KEY", node.span, "`stakes` needs `entry` and `pot`");
            return;
        };
        let entry = self.function("stakes.entry", &[], entry, &Ty::Int);
        let pot = self.function("stakes.pot", &[], pot, &Ty::Int);
        self.program.stakes = Some(Stakes { currency, entry, pot });
    }

    fn lower_programs(&mut self, extras: &Extras<'_>) {
        let merged = self.merged;
        let mut setup: Vec<&Node> = merged.section("setup").map(|(node, _)| node).collect();
        setup.extend(extras.given.iter().copied());
        if !setup.is_empty() {
            self.program.setup = Some(self.lower_program("setup", &setup));
        }
        let flows: Vec<&Node> = merged.section("flow").map(|(node, _)| node).collect();
        if let [first, .., last] = flows[..] {
            self.report(
                Diagnostic::error("E-NAME", last.span, "there is already a `flow`")
                    .related(first.span, "the other one"),
            );
        }
        let flow = flows.last().copied();
        let turns = merged.last("turnStructure");
        if let (Some(_), Some(turns)) = (flow, turns) {
            self.wrong("E-KEY", turns.span, "a ruleset has `flow` or `turnStructure`, not both");
        }
        self.program.flow = match (flow, turns) {
            (Some(flow), _) => Some(self.lower_program("flow", &[flow])),
            (None, Some(turns)) => Some(self.lower_turns(turns)),
            (None, None) => {
                if let Some(node) = merged.last("ruleset") {
                    self.report(
                        Diagnostic::error(
                            "E-KEY",
                            node.span,
                            "there is no `flow`: nothing would happen in a match",
                        )
                        .hint("add `flow:` with the statements of a match, or `turnStructure:`"),
                    );
                }
                None
            }
        };
    }

    fn lower_program(&mut self, name: &str, parts: &[&Node]) -> RoutineId {
        let routine = self.reserve_routine(name);
        let outer = self.begin(routine, Mode::Program);
        for part in parts {
            self.sequence(part);
        }
        self.emit(Instr::Done {});
        self.finish(outer);
        routine
    }

    fn lower_expressions(&mut self, extras: &Extras<'_>) -> Vec<ExtraExpression> {
        let mut expressions = Vec::new();
        for text in &extras.expressions {
            let node = Node { span: text.span, value: Value::Text((*text).clone()) };
            let routine = self.reserve_routine("expectation");
            let outer = self.begin(routine, Mode::Pure);
            let value = self.node_value(&node);
            let value = if Self::is_listlike(&value.ty) { self.as_list(value) } else { value };
            self.emit(Instr::Return { value: value.reg });
            let ty = self.type_id(&value.ty);
            self.finish(outer);
            expressions.push(ExtraExpression { routine, ty });
        }
        expressions
    }
}
