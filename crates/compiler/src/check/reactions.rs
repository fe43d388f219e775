//! Reactions, traits, actions, abilities and modifiers: rules that belong to something.

use intermezzo_ruleset::{EventId, Instr, Reaction, ReactionId, Reg, RoutineId, When};

use super::Checker;
use super::body::Mode;
use super::types::Ty;
use super::world::Param;
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::source::Span;
use crate::tree::{Node, Text, Value};

/// What a rule belongs to.
pub(crate) struct Host {
    /// The entity's type; none for rules of the game itself.
    pub(crate) ty: Option<Ty>,
    /// Parameters of the trait the rule is part of.
    pub(crate) params: Vec<Param>,
}

/// A reaction, as far as the checks over the whole ruleset need it.
pub(crate) struct Seen {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) event: EventId,
    pub(crate) effects: RoutineId,
    pub(crate) before: bool,
    /// Always happens when its event does: no limit, no cost, nobody is asked.
    pub(crate) mandatory: bool,
}

const REACTION_KEYS: &[&str] = &[
    "id",
    "when",
    "conditions",
    "may",
    "relevant",
    "auto",
    "costs",
    "targets",
    "limit",
    "priority",
    "timing",
    "zones",
    "effects",
    "can_prevent",
    "per",
    "look",
    "offer",
    "prevention_conditions",
];

const ACTION_KEYS: &[&str] = &[
    "id",
    "timing",
    "preconditions",
    "costs",
    "targets",
    "effects",
    "host",
    "zones",
    "finally",
    "abstract",
    "extends",
    "hint",
    "recheck",
    "params",
    "tags",
    "sig",
    "refund",
    "manipulation",
    "modes",
    "description",
];

impl Checker<'_> {
    pub(crate) fn lower_reactions(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("reactions") {
            for node in self.items(section, "`reactions`") {
                let host = Host { ty: None, params: Vec::new() };
                self.lower_reaction(node, &host, false);
            }
        }
    }

    /// The rules written inside a def or trait.
    pub(crate) fn hosted_rules(&mut self, node: &Node, host: &Host) {
        for reaction in node.get("reactions").map(|node| self.items(node, "`reactions`")).unwrap_or_default()
        {
            self.lower_reaction(reaction, host, true);
        }
        for modifier in node.get("modifiers").map(|node| self.items(node, "`modifiers`")).unwrap_or_default()
        {
            self.check_modifier(modifier, host);
        }
        for action in node.get("actions").map(|node| self.items(node, "`actions`")).unwrap_or_default() {
            self.check_action(action, host);
        }
    }

    fn lower_reaction(&mut self, node: &Node, host: &Host, hosted: bool) {
        self.entries(node, "a reaction", REACTION_KEYS);
        let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")) else {
            self.wrong("E-KEY", node.span, "a reaction needs `id`");
            return;
        };
        let Some(when) = node.get("when") else {
            self.wrong("E-KEY", node.span, "a reaction needs `when`: the event that sets it off");
            return;
        };
        self.check_identifier(id, "`id`");
        if let Some((_, first)) = self.reactions_seen.iter().find(|(seen, _)| *seen == id.value) {
            let first = *first;
            self.report(
                Diagnostic::error("E-NAME", id.span, format!("there is already a reaction `{}`", id.value))
                    .related(first, "the other one"),
            );
        }
        self.reactions_seen.push((id.value.clone(), id.span));
        let pattern = self.reaction_pattern(when, node);
        let (before, event, tests) = match pattern {
            Some((before, event, tests)) => (before, Some(event), tests),
            None => (when.get("before").is_some(), None, Vec::new()),
        };
        let suffix = if before { "(before)" } else { "(after)" };
        let name = format!("reactions.{} {suffix}", id.value);
        let condition = self.reaction_condition(&name, node, host, event, &tests);
        let routine = self.reserve_routine(&name);
        let outer = self.begin(routine, Mode::Program);
        self.bind_reaction(host, event);
        let facts: Vec<_> = tests.iter().flat_map(|test| self.facts(test, true)).collect();
        self.body.facts.extend(facts);
        if hosted {
            self.unsupported(id.span, "reactions of entities");
        }
        for key in [
            "may",
            "relevant",
            "auto",
            "costs",
            "targets",
            "limit",
            "offer",
            "per",
            "look",
            "zones",
            "can_prevent",
        ] {
            if let Some(found) = node.entry(key) {
                self.unsupported(found.key.span, format!("`{key}` of a reaction"));
            }
        }
        self.check_targets(node.get("targets"));
        self.check_reaction_details(node);
        match node.get("effects") {
            Some(effects) => {
                self.block(effects);
            }
            None => {
                self.wrong("E-KEY", node.span, "a reaction needs `effects`");
            }
        }
        self.emit(Instr::Done {});
        self.finish(outer);
        if let Some(event) = event {
            self.add_reaction(node, id, event, before, condition, routine);
        }
    }

    fn add_reaction(
        &mut self,
        node: &Node,
        id: &Text,
        event: EventId,
        before: bool,
        condition: Option<RoutineId>,
        effects: RoutineId,
    ) {
        let priority = node.get("priority").map_or(0, |node| self.number(node, "`priority`"));
        let priority = i32::try_from(priority).unwrap_or_else(|_| {
            self.wrong("E-LIMIT", node.span, "`priority` is a small number");
            0
        });
        let name = self.symbol(&id.value);
        let number = ReactionId(self.program.reactions.len() as u16);
        let when = if before { When::Before } else { When::After };
        self.program.reactions.push(Reaction { name, event, when, priority, condition, effects });
        let listeners = &mut self.program.events[event.index()];
        if before {
            listeners.before.push(number);
        } else {
            listeners.after.push(number);
        }
        let asks = node.get("effects").is_some_and(|effects| self.always_waits(effects, 0));
        let mandatory = !asks && ["may", "limit", "costs"].iter().all(|key| node.get(key).is_none());
        self.reactions.push(Seen {
            name: id.value.clone(),
            span: id.span,
            event,
            effects,
            before,
            mandatory,
        });
    }

    /// `{before|after: Event, if: test}` or `{eventType: Event, filters: {…}}`.
    fn reaction_pattern(&mut self, when: &Node, reaction: &Node) -> Option<(bool, EventId, Vec<Expr>)> {
        self.entries(when, "`when`", &["before", "after", "if", "eventType", "filters", "look"]);
        let seed_style = when.get("eventType");
        let before = when.get("before").is_some()
            || seed_style.is_some()
                && reaction.get("timing").and_then(Node::as_text).is_some_and(|text| text.value == "before");
        let Some(name) = when.get("before").or_else(|| when.get("after")).or(seed_style) else {
            self.wrong("E-KEY", when.span, "`when` needs `before` or `after`: the name of an event");
            return None;
        };
        if when.get("before").is_some() && when.get("after").is_some() {
            self.wrong("E-KEY", when.span, "`when` has `before` or `after`, not both");
        }
        let (event, alias) = self.event_pattern_named(name)?;
        let mut tests: Vec<Expr> = alias.into_iter().collect();
        if let Some(filters) = when.get("filters") {
            tests.extend(self.filter_tests(filters));
        }
        if let Some(test) = when.get("if") {
            tests.extend(self.node_expr(test));
        }
        for key in ["conditions", "prevention_conditions"] {
            let conditions =
                reaction.get(key).map(|node| self.items(node, &format!("`{key}`"))).unwrap_or_default();
            for node in conditions {
                tests.extend(self.node_expr(node));
            }
        }
        Some((before, event, tests))
    }

    fn reaction_condition(
        &mut self,
        name: &str,
        node: &Node,
        host: &Host,
        event: Option<EventId>,
        tests: &[Expr],
    ) -> Option<RoutineId> {
        if tests.is_empty() {
            return None;
        }
        let label = format!("{name} condition");
        Some(self.test_routine(&label, |checker| {
            checker.place_at(node);
            checker.bind_reaction(host, event);
            checker.all_hold(tests)
        }))
    }

    fn bind_reaction(&mut self, host: &Host, event: Option<EventId>) {
        let event = event.map_or(Ty::Error, |event| Ty::Event(Some(event)));
        match &host.ty {
            // A rule of the game itself has no host: nobody is `self` or `you`.
            None => self.body.bind("event", Reg::EVENT, event),
            Some(ty) => {
                self.bind_context(ty.clone(), event);
                self.bind_trait(host);
            }
        }
    }

    fn bind_trait(&mut self, host: &Host) {
        if host.params.is_empty() {
            self.body.bind("trait", Reg::TRAIT, Ty::SomeEntity);
            return;
        }
        let fields = host.params.iter().map(|param| (self.symbol(&param.name), param.ty.clone())).collect();
        let record = super::types::RecordTy { name: Some("trait".into()), fields };
        self.body.bind("trait", Reg::TRAIT, Ty::Record(std::rc::Rc::new(record)));
    }

    fn check_reaction_details(&mut self, node: &Node) {
        if let Some(timing) = node.get("timing") {
            let word = self.word(timing, "`timing`", &["now", "stack", "before", "after"]);
            if word == Some("stack") {
                self.unsupported(timing.span, "`timing: stack`");
            }
        }
        for key in ["may", "can_prevent"] {
            if let Some(flag) = node.get(key) {
                self.flag(flag, &format!("`{key}`"));
            }
        }
        for key in ["auto", "relevant"] {
            if let Some(test) = node.get(key) {
                self.node_as(test, &Ty::Bool);
            }
        }
        if let Some(costs) = node.get("costs") {
            self.block(costs);
        }
        if let Some(limit) = node.get("limit") {
            let known = ["oncePerTurn", "oncePerSource", "maxPerEvent", "n", "per", "on", "key"];
            self.entries(limit, "`limit`", &known);
        }
        if let Some(zones) = node.get("zones") {
            self.check_zone_names(zones);
        }
    }

    fn check_zone_names(&mut self, node: &Node) {
        for item in self.items(node, "`zones`") {
            if let Some(text) = self.text(item, "a zone")
                && !self.world.zones.contains(&text.value)
            {
                let known: Vec<String> = self.world.zones.names().map(str::to_owned).collect();
                self.unknown("E-NAME", text.span, "zone", &text.value, known.iter().map(String::as_str));
            }
        }
    }

    /// Targets become names the effects can use.
    fn check_targets(&mut self, node: Option<&Node>) {
        let Some(node) = node else { return };
        for target in self.items(node, "`targets`") {
            let known = ["id", "from", "selector", "count", "min", "max", "title", "optional"];
            self.entries(target, "a target", &known);
            let item = match (target.get("from"), target.get("selector")) {
                (Some(from), _) => {
                    let list = self.node_value(from);
                    let ty = list.ty.present();
                    if !Self::is_listlike(&ty) && !ty.is_error() {
                        let message = format!("`from` is a list, but this is {}", self.world.show(&ty));
                        self.wrong("E-TYPE", from.span, message);
                    }
                    self.item_type(&ty)
                }
                (None, Some(selector)) => self.selector_type(selector),
                (None, None) => self.wrong("E-KEY", target.span, "a target needs `from` or `selector`"),
            };
            if let Some(id) = target.get("id").and_then(|id| self.text(id, "`id`")) {
                self.bind_local(&id.value.clone(), item);
            } else {
                self.wrong("E-KEY", target.span, "a target needs `id`");
            }
        }
    }

    fn selector_type(&mut self, selector: &Node) -> Ty {
        self.entries(selector, "a selector", &["zone", "controller", "count", "min", "max", "kind"]);
        let Some(zone) = selector.get("zone").and_then(|zone| self.text(zone, "`zone`")) else {
            return Ty::Entity;
        };
        match self.world.zones.get(&zone.value) {
            Some(info) => info.item.clone(),
            None => {
                let known: Vec<String> = self.world.zones.names().map(str::to_owned).collect();
                self.unknown("E-NAME", zone.span, "zone", &zone.value, known.iter().map(String::as_str))
            }
        }
    }

    // --- traits ---------------------------------------------------------------------------

    pub(crate) fn check_traits(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("traits") {
            for entry in section.as_map().unwrap_or_default() {
                let known = ["params", "reactions", "modifiers", "actions"];
                self.entries(&entry.value, "a trait", &known);
                let params = self
                    .world
                    .traits
                    .get(&entry.key.value)
                    .map(|info| info.params.clone())
                    .unwrap_or_default();
                let host = Host { ty: Some(Ty::SomeEntity), params };
                self.hosted_rules(&entry.value, &host);
            }
        }
    }

    /// Arguments given to a trait.
    pub(crate) fn trait_arguments(&mut self, name: &str, params: &[Param], with: &Node) {
        for entry in with.as_map().unwrap_or_default() {
            let Some(param) = params.iter().find(|param| param.name == entry.key.value) else {
                let known: Vec<String> = params.iter().map(|param| param.name.clone()).collect();
                let what = format!("parameter of the trait `{name}`");
                self.unknown(
                    "E-ARGS",
                    entry.key.span,
                    &what,
                    &entry.key.value,
                    known.iter().map(String::as_str),
                );
                continue;
            };
            let ty = param.ty.clone();
            self.node_as(&entry.value, &ty);
        }
    }

    // --- actions and abilities ----------------------------------------------------------------

    pub(crate) fn check_actions(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("actions") {
            for node in self.items(section, "`actions`") {
                let ty = match node.get("host") {
                    Some(kind) => self.kind_named(kind).map_or(Ty::Error, Ty::Kind),
                    None => Ty::SomeEntity,
                };
                let host = Host { ty: Some(ty), params: Vec::new() };
                self.check_action(node, &host);
            }
        }
    }

    pub(crate) fn check_ability(&mut self, node: &Node, host: &Host) {
        self.check_action(node, host);
    }

    fn check_action(&mut self, node: &Node, host: &Host) {
        self.entries(node, "an action", ACTION_KEYS);
        let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")) else {
            self.wrong("E-KEY", node.span, "an action needs `id`");
            return;
        };
        if let Some(timing) = node.get("timing") {
            self.word(timing, "`timing`", &["stack", "instant"]);
        }
        let routine = self.reserve_routine(&format!("actions.{}", id.value));
        let outer = self.begin(routine, Mode::Program);
        self.bind_context(host.ty.clone().unwrap_or(Ty::SomeEntity), Ty::Event(None));
        self.bind_trait(host);
        for param in self.params(node.get("params")) {
            self.add_param(&param.name, param.ty);
        }
        self.check_targets(node.get("targets"));
        let preconditions =
            node.get("preconditions").map(|node| self.items(node, "`preconditions`")).unwrap_or_default();
        for test in preconditions {
            self.node_as(test, &Ty::Bool);
        }
        for part in ["costs", "effects", "finally"] {
            if let Some(block) = node.get(part) {
                self.block(block);
            }
        }
        if let Some(zones) = node.get("zones") {
            self.check_zone_names(zones);
        }
        self.unsupported(id.span, "actions");
        self.emit(Instr::Done {});
        self.finish(outer);
    }

    // --- modifiers ---------------------------------------------------------------------------------

    pub(crate) fn check_modifiers(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("modifiers") {
            for node in self.items(section, "`modifiers`") {
                let host = Host { ty: Some(Ty::SomeEntity), params: Vec::new() };
                self.check_modifier(node, &host);
            }
        }
    }

    fn check_modifier(&mut self, node: &Node, host: &Host) {
        self.entries(node, "a modifier", &["of", "stage", "if", "add", "set", "as", "layer", "id"]);
        let Some(of) = node.get("of").and_then(|of| self.text(of, "`of`")) else {
            self.wrong(
                "E-KEY",
                node.span,
                "a modifier needs `of`: a property such as `card.power`, or a chain",
            );
            return;
        };
        let (it, value) = match of.value.split_once('.') {
            Some((kind, prop)) => self.modified_property(of, kind, prop),
            None => self.modified_chain(of, node),
        };
        let routine = self.reserve_routine(&format!("modifiers.{}", of.value));
        let outer = self.begin(routine, Mode::Pure);
        self.bind_context(host.ty.clone().unwrap_or(Ty::SomeEntity), Ty::Event(None));
        self.bind_trait(host);
        let reg = self.add_param("it", it.clone());
        if let Some(name) = node.get("as").and_then(|name| self.text(name, "`as`")) {
            self.body.bind(&name.value.clone(), reg, it.clone());
        }
        if let Some(test) = node.get("if") {
            self.node_as(test, &Ty::Bool);
        }
        for key in ["add", "set"] {
            match (node.get(key), &it) {
                (Some(changes), Ty::Record(record)) if matches!(changes.value, Value::Map(_)) => {
                    self.check_record_changes(changes, &record.clone());
                }
                (Some(node), _) => {
                    self.node_as(node, &value);
                }
                (None, _) => {}
            }
        }
        self.unsupported(of.span, "modifiers");
        self.emit(Instr::Done {});
        self.finish(outer);
    }

    fn check_record_changes(&mut self, changes: &Node, record: &super::types::RecordTy) {
        for entry in changes.as_map().unwrap_or_default() {
            let found = record
                .fields
                .iter()
                .find(|(field, _)| self.world.spelling(*field) == entry.key.value)
                .map(|(_, ty)| ty.clone());
            match found {
                Some(ty) => {
                    self.node_as(&entry.value, &ty);
                }
                None => {
                    let known: Vec<String> = record
                        .fields
                        .iter()
                        .map(|(field, _)| self.world.spelling(*field).to_owned())
                        .collect();
                    self.unknown(
                        "E-PROP",
                        entry.key.span,
                        "field",
                        &entry.key.value,
                        known.iter().map(String::as_str),
                    );
                }
            }
        }
    }

    fn modified_property(&mut self, of: &Text, kind: &str, prop: &str) -> (Ty, Ty) {
        let Some(info) = self.world.kinds.get(kind) else {
            let known: Vec<String> = self.world.kinds.names().map(str::to_owned).collect();
            let ty = self.unknown("E-NAME", of.span, "kind", kind, known.iter().map(String::as_str));
            return (ty.clone(), ty);
        };
        let kind = info.id;
        let Some(found) = self.world.prop(kind, prop).cloned() else {
            let known = self.member_names(kind);
            let ty = self.unknown("E-PROP", of.span, "property", prop, known.iter().map(String::as_str));
            return (Ty::Kind(kind), ty);
        };
        if !found.modifiable {
            self.report(
                Diagnostic::error("E-MOD", of.span, format!("`{}` cannot be modified", of.value))
                    .hint("declare the property with `mod: true`"),
            );
        }
        (Ty::Kind(kind), found.ty)
    }

    fn modified_chain(&mut self, of: &Text, node: &Node) -> (Ty, Ty) {
        let Some(chain) = self.world.chains.get(&of.value).cloned() else {
            let known: Vec<String> = self.world.chains.names().map(str::to_owned).collect();
            let ty = self.unknown("E-NAME", of.span, "chain", &of.value, known.iter().map(String::as_str));
            return (ty.clone(), ty);
        };
        match node.get("stage").and_then(|stage| self.text(stage, "`stage`")) {
            Some(stage) if chain.stages.contains(&stage.value) => {}
            Some(stage) => {
                self.unknown(
                    "E-NAME",
                    stage.span,
                    "stage",
                    &stage.value,
                    chain.stages.iter().map(String::as_str),
                );
            }
            None => {
                self.wrong("E-KEY", node.span, "a modifier of a chain needs `stage`");
            }
        }
        (chain.record.clone(), chain.record)
    }
}
