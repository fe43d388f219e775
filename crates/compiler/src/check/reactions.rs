//! Reactions: rules that events set off.

use intermezzo_ruleset::{
    DefId, EventId, Instr, KindId, Limit, ProbeKind, Reaction, ReactionId, Reg, RoutineId, RuleHost,
    Visibility, When, ZoneId,
};

use super::Checker;
use super::body::Mode;
use super::literals::Wanted;
use super::ordering::Touches;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::source::Span;
use crate::tree::{Node, Text};

/// What a rule belongs to.
pub(crate) struct Host {
    /// The entity's type; none for rules of the game itself.
    pub(crate) ty: Option<Ty>,
    /// What instances of the trait are, if the rule is part of one.
    pub(crate) instance: Option<KindId>,
    /// What the engine finds its hosts by; none where it cannot yet.
    pub(crate) rule: Option<RuleHost>,
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
    /// What its tests ask for.
    pub(crate) wants: Wanted,
    /// What it does to things that other reactions may touch.
    pub(crate) touches: Touches,
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
    "prevention_conditions",
];

impl Checker<'_> {
    pub(crate) fn lower_reactions(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("reactions") {
            for node in self.items(section, "`reactions`") {
                let host = Host { ty: None, instance: None, rule: Some(RuleHost::Game) };
                self.lower_reaction(node, &host);
            }
        }
    }

    /// The rules written inside a def or trait.
    pub(crate) fn hosted_rules(&mut self, node: &Node, host: &Host) {
        for reaction in node.get("reactions").map(|node| self.items(node, "`reactions`")).unwrap_or_default()
        {
            self.lower_reaction(reaction, host);
        }
        for modifier in node.get("modifiers").map(|node| self.items(node, "`modifiers`")).unwrap_or_default()
        {
            self.lower_modifier(modifier, host);
        }
    }

    fn lower_reaction(&mut self, node: &Node, host: &Host) {
        self.entries(node, "a reaction", REACTION_KEYS);
        let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")) else {
            self.wrong("E-KEY", node.span, "a reaction needs `id`");
            return;
        };
        let Some(when) = node.get("when") else {
            self.wrong("E-KEY", node.span, "a reaction needs `when`: the event that sets it off");
            return;
        };
        self.check_new_reaction(id);
        let (before, event, tests) = match self.reaction_pattern(when, node) {
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
        self.check_reaction_details(node);
        let limits = self.reaction_limits(node);
        self.offer(node, host, id);
        if limits.iter().any(|limit| limit.on_use) {
            self.emit(Instr::Use {});
        }
        self.probe_rule(ProbeKind::Reaction, &id.value, id.span);
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
            let key = host.ty.as_ref().and_then(|_| self.self_key(event, &tests));
            let wants = self.wanted(&tests);
            self.add_reaction(node, id, (event, before, key), host, limits, (condition, routine));
            self.note_touches(node, wants);
        }
    }

    fn check_new_reaction(&mut self, id: &Text) {
        self.check_identifier(id, "`id`");
        if let Some((_, first)) = self.reactions_seen.iter().find(|(seen, _)| *seen == id.value) {
            let first = *first;
            self.report(
                Diagnostic::error("E-NAME", id.span, format!("there is already a reaction `{}`", id.value))
                    .related(first, "the other one"),
            );
        }
        self.reactions_seen.push((id.value.clone(), id.span));
    }

    /// The payload field that the tests say is `self`: then no other entity need be asked.
    fn self_key(&self, event: EventId, tests: &[Expr]) -> Option<u16> {
        let fields = &self.world.event_by_id(event).1.fields;
        let field = |expr: &Expr| {
            let path = Self::path(expr)?;
            let name = path.strip_prefix("event.")?;
            fields.iter().position(|(field, _)| self.world.spelling(*field) == name)
        };
        fn conjuncts<'e>(expr: &'e Expr, out: &mut Vec<&'e Expr>) {
            match &expr.kind {
                ExprKind::Binary { op: BinaryOp::And, left, right, .. } => {
                    conjuncts(left, out);
                    conjuncts(right, out);
                }
                _ => out.push(expr),
            }
        }
        let mut all = Vec::new();
        tests.iter().for_each(|test| conjuncts(test, &mut all));
        let is_self = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if name == "self");
        all.into_iter()
            .find_map(|test| match &test.kind {
                ExprKind::Binary { op: BinaryOp::Eq, left, right, .. } if is_self(right) => field(left),
                ExprKind::Binary { op: BinaryOp::Eq, left, right, .. } if is_self(left) => field(right),
                _ => None,
            })
            .map(|at| at as u16)
    }

    fn add_reaction(
        &mut self,
        node: &Node,
        id: &Text,
        (event, before, key): (EventId, bool, Option<u16>),
        host: &Host,
        limits: Vec<Limit>,
        (condition, effects): (Option<RoutineId>, RoutineId),
    ) {
        let priority = node.get("priority").map_or(0, |node| self.number(node, "`priority`"));
        let priority = i32::try_from(priority).unwrap_or_else(|_| {
            self.wrong("E-LIMIT", node.span, "`priority` is a small number");
            0
        });
        let name = self.symbol(&id.value);
        let number = ReactionId(self.program.reactions.len() as u16);
        let when = if before { When::Before } else { When::After };
        let zones = node.get("zones").map(|zones| self.zone_names(zones)).unwrap_or_default();
        let (per, looks_back) = (self.per(node, event), self.looks_back(node, before));
        let host = host.rule.unwrap_or(RuleHost::Game);
        let item = self.waits_on_stack(node, before).then(|| self.reaction_item(node, id, event));
        self.program.reactions.push(Reaction {
            name,
            event,
            when,
            priority,
            rank: 0,
            host,
            zones,
            key,
            limits,
            per,
            looks_back,
            condition,
            effects,
            item,
            place: Some(self.place_of(id.span)),
        });
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
            wants: Wanted::new(),
            touches: Touches::default(),
        });
    }

    /// Keeps what the checks of the whole ruleset ask of the reaction added last.
    fn note_touches(&mut self, node: &Node, wants: Wanted) {
        let asks = node.get("effects").is_some_and(|effects| self.always_waits(effects, 0));
        let is_offered = asks || ["may", "costs", "targets"].iter().any(|key| node.get(key).is_some());
        let (Some(seen), Some(reaction)) = (self.reactions.last_mut(), self.program.reactions.last()) else {
            return;
        };
        seen.wants = wants;
        let touches = &mut seen.touches;
        *touches = Touches::of(node.get("effects"));
        touches.is_offered = is_offered;
        (touches.priority, touches.host, touches.key) =
            (reaction.priority, Some(reaction.host), reaction.key);
    }

    /// Reactions of one priority and player go by their ids.
    pub(crate) fn rank_reactions(&mut self) {
        let mut order: Vec<usize> = (0..self.program.reactions.len()).collect();
        order.sort_by_key(|at| self.world.spelling(self.program.reactions[*at].name).to_owned());
        for (rank, at) in order.into_iter().enumerate() {
            self.program.reactions[at].rank = rank as u16;
        }
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
        let costs = node.get("costs").map(|costs| self.items(costs, "`costs`")).unwrap_or_default();
        let targets = node.get("targets").map(|targets| self.items(targets, "`targets`")).unwrap_or_default();
        let more = !costs.is_empty() || !targets.is_empty() || node.get("relevant").is_some();
        if tests.is_empty() && !more {
            return None;
        }
        let label = format!("{name} condition");
        Some(self.test_routine(&label, |checker| {
            checker.place_at(node);
            checker.bind_reaction(host, event);
            let (mut no, known) = checker.all_hold(tests);
            costs.iter().for_each(|cost| checker.cost_test(cost, &mut no));
            if let Some(relevant) = node.get("relevant").and_then(|relevant| checker.node_expr(relevant)) {
                checker.jump_if(&relevant, false, &mut no);
            }
            // Something to aim at; targets that depend on others are looked at when they are chosen.
            if let Some(first) = targets.first() {
                checker.target_test(first, &mut no);
            }
            (no, known)
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

    pub(crate) fn bind_trait(&mut self, host: &Host) {
        if let Some(kind) = host.instance {
            self.body.bind("trait", Reg::TRAIT, Ty::Kind(kind));
        }
    }

    fn check_reaction_details(&mut self, node: &Node) {
        if let Some(timing) = node.get("timing") {
            self.word(timing, "`timing`", &["now", "stack", "before", "after"]);
        }
        for key in ["may", "can_prevent"] {
            if let Some(flag) = node.get(key) {
                self.flag(flag, &format!("`{key}`"));
            }
        }
        self.body.may_prevent = node.get("can_prevent").and_then(Node::as_bool) != Some(false);
    }

    /// Whether a reaction goes on the stack instead of happening at once.
    fn waits_on_stack(&mut self, node: &Node, before: bool) -> bool {
        let timing = node.get("timing").and_then(Node::as_text).map(|text| text.value.as_str());
        let usual = self.merged.last("reactionTiming").and_then(Node::as_text);
        let usual = usual.is_some_and(|text| text.value == "stack");
        match timing {
            Some("stack") if before => {
                self.report(
                    Diagnostic::error(
                        "E-KEY",
                        node.span,
                        "what comes before an event cannot wait on the stack",
                    )
                    .hint("leave `timing` out: before reactions happen at once"),
                );
                false
            }
            Some("stack") => true,
            Some("now") => false,
            _ => usual && !before,
        }
    }

    /// What a reaction is while it waits: an entity that remembers the event that set it off.
    fn reaction_item(&mut self, node: &Node, id: &Text, event: EventId) -> DefId {
        let name = format!("reaction {}", id.value);
        let kind = self.add_kind(&name, id.span);
        self.set_parent(kind, KindId::REACTION);
        let parent = &self.program.kinds[KindId::REACTION.index()];
        let (mut props, mut columns) = (parent.props.clone(), parent.columns);
        for (field, ty) in self.world.event_by_id(event).1.fields.clone() {
            let symbol = self.symbol(&format!("event {}", self.world.spelling(field)));
            let prop = self.add_prop(kind, symbol, ty, columns, false, id.span);
            // What players may know of an event they were told when it happened.
            self.program.props[prop.index()].visible = Visibility::None;
            props.push(prop);
            columns += 1;
        }
        let own = &mut self.program.kinds[kind.index()];
        (own.props, own.columns) = (props, columns);
        let title = match node.get("name").and_then(Node::as_text) {
            Some(text) => text.value.clone(),
            None => super::actions::sentence(&id.value),
        };
        self.item_def(&name, kind, &title, node)
    }

    /// The zones a list names.
    pub(crate) fn zone_names(&mut self, node: &Node) -> Vec<ZoneId> {
        self.check_zone_names(node);
        let names = node.as_list().unwrap_or_default().iter().filter_map(Node::as_text);
        names.filter_map(|name| self.world.zones.get(&name.value).map(|zone| zone.id)).collect()
    }

    pub(crate) fn check_zone_names(&mut self, node: &Node) {
        for item in self.items(node, "`zones`") {
            if let Some(text) = self.text(item, "a zone")
                && !self.world.zones.contains(&text.value)
            {
                let known = self.world.zones.owned_names();
                self.unknown("E-NAME", text.span, "zone", &text.value, known.iter().map(String::as_str));
            }
        }
    }
}
