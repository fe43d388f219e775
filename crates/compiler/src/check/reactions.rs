//! Reactions: rules that events trigger.

use crate::grammar::rules;
use intermezzo_program::{
    CoverageKind, DefId, EventId, FaultCode, Instr, KindId, PropId, Reaction, ReactionId, ReactionLimit,
    ReactionTiming, Reg, RoutineId, RuleHost, Visibility, ZoneId, native,
};

use super::Checker;
use super::field_values::RequiredValues;
use super::order_warnings::SharedEffects;
use super::reaction_limits::limit_entries;
use super::routine_builder::CodeMode;
use super::secret_reactions::is_secret;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::source::Span;
use crate::tree::{NodeValue, SourceNode, SourceText};

/// The owner of a rule.
pub(crate) struct HostInfo {
    /// The type of the host; `None` for rules of the game itself.
    pub(crate) ty: Option<Ty>,
    /// The kind of the trait's instances, if the rule belongs to a trait.
    pub(crate) instance: Option<KindId>,
    /// The def by which the engine finds the hosts of the rule.
    pub(crate) rule: Option<RuleHost>,
}

/// A reaction as the checks of the whole ruleset see it.
pub(crate) struct ReactionSummary {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) event: EventId,
    pub(crate) effects: RoutineId,
    pub(crate) before: bool,
    /// Always happens with its event: no limit, no cost, no decision.
    pub(crate) mandatory: bool,
    /// The values that its tests require.
    pub(crate) required: RequiredValues,
    /// Its effects on state that other reactions may also affect.
    pub(crate) shared_effects: SharedEffects,
}

impl Checker<'_> {
    pub(crate) fn lower_reactions(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("reactions") {
            for node in self.items(section, "`reactions`") {
                let host = HostInfo { ty: None, instance: None, rule: Some(RuleHost::Game) };
                self.lower_reaction(node, &host);
            }
        }
    }

    /// Compiles the rules inside a def or trait.
    pub(crate) fn lower_hosted_rules(&mut self, node: &SourceNode, host: &HostInfo) {
        let text = |key: &str| node.get(key).and_then(SourceNode::as_text).map(|text| text.value.clone());
        self.rule_owner = Some((text("name"), text("text")));
        for reaction in node.get("reactions").map(|node| self.items(node, "`reactions`")).unwrap_or_default()
        {
            self.lower_reaction(reaction, host);
        }
        for modifier in node.get("modifiers").map(|node| self.items(node, "`modifiers`")).unwrap_or_default()
        {
            self.lower_modifier(modifier, host);
        }
        for grant in node.get("grants").map(|node| self.items(node, "`grants`")).unwrap_or_default() {
            self.lower_grant(grant, host);
        }
        self.rule_owner = None;
    }

    fn lower_reaction(&mut self, node: &SourceNode, host: &HostInfo) {
        self.entries(node, &rules::REACTION);
        let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")) else {
            self.report_error("E-KEY", node.span, "a reaction needs `id`");
            return;
        };
        let Some(when) = node.get("when") else {
            self.report_error("E-KEY", node.span, "a reaction needs `when`: the event that sets it off");
            return;
        };
        self.check_reaction_id(id);
        let (before, event, tests) = match self.reaction_pattern(when, node) {
            Some((before, event, tests)) => (before, Some(event), tests),
            None => (when.get("before").is_some(), None, Vec::new()),
        };
        let suffix = if before { "(before)" } else { "(after)" };
        let name = format!("reactions.{} {suffix}", id.value);
        let aimed = event.filter(|_| self.aims_on_stack(node, before));
        let aimed = aimed.and_then(|event| self.lower_aim(&name, node, host, id, event));
        let public_condition = self.secret_condition(&name, node, host, event);
        let condition = self.reaction_condition(&name, node, host, event, &tests);
        let routine = self.reserve_routine(&name);
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.bind_reaction(host, event);
        let batch = event.filter(|event| self.lists_batch(node, before, *event));
        let batch = batch.map(|event| self.event_record(event));
        if let Some(record) = &batch {
            self.add_param(BATCH, Ty::list(record.clone()));
        }
        self.bind_aimed_targets(aimed.as_ref());
        let facts: Vec<_> = tests.iter().flat_map(|test| self.facts(test, true)).collect();
        self.body.facts.extend(facts);
        self.check_reaction_details(node);
        self.body.prevention_tests = self.listed_tests(node, "prevention_conditions");
        let limits = self.reaction_limits(node);
        let first_question = self.program.choices.len();
        let announces_itself = self.lower_questions(node, host, id, (event, before), aimed.is_some());
        let questions = first_question..self.program.choices.len();
        if limits.iter().any(|limit| limit.on_use) {
            self.emit(Instr::Use {});
        }
        self.emit_rule_coverage(CoverageKind::Reaction, &id.value, id.span);
        match node.get("effects") {
            Some(effects) => {
                self.block(effects);
            }
            None => {
                self.report_error("E-KEY", node.span, "a reaction needs `effects`");
            }
        }
        self.warn_unused_prevention(node);
        self.emit(Instr::Done {});
        self.finish_routine(outer);
        if let Some(event) = event {
            self.note_reaction_ui(node, id, event);
            let key = host.ty.as_ref().and_then(|_| self.self_key(event, &tests));
            let required = self.required_values(&tests);
            let item = match &aimed {
                Some(aimed) => Some(aimed.item),
                None => self.waits_on_stack(node, before).then(|| self.reaction_item(node, id, event)),
            };
            self.add_reaction(node, id, (event, before, key), host, limits, (condition, routine, item));
            let rule = self.intern_symbol(&id.value);
            let asked = aimed.as_ref().map_or(0..0, |aimed| aimed.questions.clone());
            for questions in [questions, asked] {
                self.program.choices[questions].iter_mut().for_each(|choice| choice.rule = Some(rule));
            }
            let batch_prop = match (&batch, item) {
                (Some(record), Some(item)) => Some(self.add_batch_prop(item, record, id)),
                _ => None,
            };
            if let Some(reaction) = self.program.reactions.last_mut() {
                (reaction.lists_batch, reaction.batch_prop) = (batch.is_some(), batch_prop);
                reaction.announces_itself = announces_itself;
                if let Some(aimed) = aimed {
                    (reaction.targets, reaction.recheck) = (aimed.params, aimed.recheck);
                    reaction.aim = Some(aimed.routine);
                }
                (reaction.is_secret, reaction.public_condition) = (is_secret(node), public_condition);
            }
            self.warn_revealing_question(node, id);
            self.note_shared_effects(node, required);
        }
    }

    /// Returns true if the effects of a reaction that runs per batch name the events of the batch.
    fn lists_batch(&mut self, node: &SourceNode, before: bool, event: EventId) -> bool {
        let is_per_batch =
            node.get("per").is_some_and(|per| per.as_text().is_none_or(|per| per.value == "batch"));
        let names_it = node.as_map().unwrap_or_default().iter().any(|entry| {
            ["effects", "costs"].contains(&entry.key.value.as_str()) && mentions(&entry.value, BATCH)
        });
        let has_any = self.symbols.event_by_id(event).1.fields.iter().any(|(_, ty)| *ty == Ty::Any);
        is_per_batch && names_it && !before && !has_any
    }

    /// Adds the list of the events of the batch to the stack item of a reaction.
    fn add_batch_prop(&mut self, item: DefId, record: &Ty, id: &SourceText) -> PropId {
        let kind = self.program.defs[item.index()].kind;
        let (name, column) = (self.intern_symbol("event batch"), self.program.kinds[kind.index()].columns);
        let prop = self.add_prop(kind, name, Ty::list(record.clone()), column, false, id.span);
        self.program.props[prop.index()].visible = Visibility::None;
        let own = &mut self.program.kinds[kind.index()];
        own.props.push(prop);
        own.columns += 1;
        prop
    }

    /// Returns true if the ruleset has a reaction before the start of a phase, which may prevent it.
    pub(crate) fn finds_reaction_before_phases(&self) -> bool {
        self.finds_reaction(&["before", "eventType"], native::PHASE_STARTED)
    }

    /// Returns true if the ruleset has a reaction to other reactions, so that these are announced.
    pub(crate) fn finds_reaction_to_reactions(&self) -> bool {
        self.finds_reaction(&["before", "after", "eventType"], native::REACTION)
    }

    /// Returns true if `when` of some reaction names the event under one of the keys.
    fn finds_reaction(&self, keys: &[&str], event: EventId) -> bool {
        let sections = ["reactions", "defs", "traits"].into_iter();
        let mut nodes = sections.flat_map(|name| self.merged.section(name)).map(|(node, _)| node);
        nodes.any(|node| self.contains_reaction(node, keys, event))
    }

    fn contains_reaction(&self, node: &SourceNode, keys: &[&str], event: EventId) -> bool {
        let is_event = |name: &SourceText| {
            let named = self.symbols.events.get(&name.value).map(|event| event.id);
            let alias = || self.symbols.aliases.get(&name.value).map(|alias| alias.of);
            named.or_else(alias) == Some(event)
        };
        match &node.value {
            NodeValue::List(items) => items.iter().any(|item| self.contains_reaction(item, keys, event)),
            NodeValue::Map(entries) => {
                let when = node.get("when");
                let mut named = keys.iter().filter_map(|key| when?.get(key)?.as_text());
                named.any(is_event)
                    || entries.iter().any(|entry| self.contains_reaction(&entry.value, keys, event))
            }
            _ => false,
        }
    }

    /// Returns true if the ruleset has a statement with a certain argument.
    pub(crate) fn finds_statement(&self, head: &str, argument: &str) -> bool {
        fn finds(node: &SourceNode, head: &str, argument: &str) -> bool {
            match &node.value {
                NodeValue::List(items) => items.iter().any(|item| finds(item, head, argument)),
                NodeValue::Map(entries) => {
                    let is_here = node.get(head).is_some() && node.get(argument).is_some();
                    is_here || entries.iter().any(|entry| finds(&entry.value, head, argument))
                }
                _ => false,
            }
        }
        let sections = ["setup", "flow", "procs", "events", "reactions", "defs", "traits", "actions"];
        sections
            .into_iter()
            .flat_map(|name| self.merged.section(name))
            .any(|(node, _)| finds(node, head, argument))
    }

    fn check_reaction_id(&mut self, id: &SourceText) {
        self.check_identifier(id, "`id`");
        if let Some((_, first)) = self.reaction_ids.iter().find(|(known, _)| *known == id.value) {
            let first = *first;
            self.report(
                Diagnostic::error("E-NAME", id.span, format!("there is already a reaction `{}`", id.value))
                    .related(first, "the other one"),
            );
        }
        self.reaction_ids.push((id.value.clone(), id.span));
    }

    /// Returns the payload field that the tests equate with `self`. The engine then checks only that entity.
    fn self_key(&self, event: EventId, tests: &[Expr]) -> Option<u16> {
        let fields = &self.symbols.event_by_id(event).1.fields;
        let field = |expr: &Expr| {
            let path = Self::path(expr)?;
            let name = path.strip_prefix("event.")?;
            fields.iter().position(|(field, _)| self.symbols.spelling(*field) == name)
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
        node: &SourceNode,
        id: &SourceText,
        (event, before, key): (EventId, bool, Option<u16>),
        host: &HostInfo,
        limits: Vec<ReactionLimit>,
        (condition, effects, item): (Option<RoutineId>, RoutineId, Option<DefId>),
    ) {
        let priority = node.get("priority").map_or(0, |node| self.number(node, "`priority`"));
        let priority = i32::try_from(priority).unwrap_or_else(|_| {
            self.report_error("E-LIMIT", node.span, "`priority` must fit into 32 bits");
            0
        });
        let name = self.intern_symbol(&id.value);
        let number = ReactionId(self.program.reactions.len() as u16);
        let when = if before { ReactionTiming::Before } else { ReactionTiming::After };
        let zones = node.get("zones").map(|zones| self.zone_names(zones)).unwrap_or_default();
        let (per, looks_back) = (self.firing_key(node, event), self.looks_back(node, before));
        let host = host.rule.unwrap_or(RuleHost::Game);
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
            lists_batch: false,
            batch_prop: None,
            looks_back,
            condition,
            effects,
            item,
            targets: Vec::new(),
            aim: None,
            recheck: None,
            announces_itself: false,
            is_secret: false,
            public_condition: None,
            location: Some(self.source_location(id.span)),
        });
        let listeners = &mut self.program.events[event.index()];
        if before {
            listeners.before.push(number);
        } else {
            listeners.after.push(number);
        }
        let asks = node.get("effects").is_some_and(|effects| self.always_waits(effects, 0));
        let is_limited = limit_entries(node).next().is_some();
        let mandatory = !asks && !is_limited && ["may", "costs"].iter().all(|key| node.get(key).is_none());
        self.reactions.push(ReactionSummary {
            name: id.value.clone(),
            span: id.span,
            event,
            effects,
            before,
            mandatory,
            required: RequiredValues::new(),
            shared_effects: SharedEffects::default(),
        });
    }

    /// Stores the data for the checks of the whole ruleset with the reaction added last.
    fn note_shared_effects(&mut self, node: &SourceNode, required: RequiredValues) {
        let asks = node.get("effects").is_some_and(|effects| self.always_waits(effects, 0));
        let is_offered = asks || ["may", "costs", "targets"].iter().any(|key| node.get(key).is_some());
        let (Some(summary), Some(reaction)) = (self.reactions.last_mut(), self.program.reactions.last())
        else {
            return;
        };
        summary.required = required;
        let shared = &mut summary.shared_effects;
        *shared = SharedEffects::of(node.get("effects"));
        shared.is_offered = is_offered;
        (shared.priority, shared.host, shared.key) = (reaction.priority, Some(reaction.host), reaction.key);
    }

    /// Ranks reactions by id, the last criterion of their order.
    pub(crate) fn rank_reactions(&mut self) {
        let mut order: Vec<usize> = (0..self.program.reactions.len()).collect();
        order.sort_by_key(|at| self.symbols.spelling(self.program.reactions[*at].name).to_owned());
        for (rank, at) in order.into_iter().enumerate() {
            self.program.reactions[at].rank = rank as u16;
        }
    }

    /// Reads `{before|after: Event, if: test}` or `{eventType: Event, filters: {…}}`.
    fn reaction_pattern(
        &mut self,
        when: &SourceNode,
        reaction: &SourceNode,
    ) -> Option<(bool, EventId, Vec<Expr>)> {
        self.entries(when, &rules::WHEN);
        let mut names = ["before", "after", "eventType"].into_iter().filter_map(|key| when.entry(key));
        let Some(entry) = names.next() else {
            self.report_error("E-KEY", when.span, "`when` needs `before` or `after`: the name of an event");
            return None;
        };
        if let Some(second) = names.next() {
            let message = format!("`when` has one event: `{}` or `{}`", entry.key.value, second.key.value);
            self.report_error("E-KEY", second.key.span, message);
        }
        let timing = reaction.get("timing").filter(|timing| {
            timing.as_text().is_some_and(|text| matches!(text.value.as_str(), "before" | "after"))
        });
        let said = timing.and_then(SourceNode::as_text).map(|text| text.value.as_str());
        let before = match entry.key.value.as_str() {
            "eventType" => said == Some("before"),
            key => {
                if let Some(timing) = timing.filter(|_| said != Some(key)) {
                    let message = format!("the timing contradicts `{key}` in `when`");
                    self.report_error("E-KEY", timing.span, message);
                }
                key == "before"
            }
        };
        let name = &entry.value;
        let (event, alias) = self.event_pattern(name)?;
        let mut tests: Vec<Expr> = alias.into_iter().collect();
        if let Some(filters) = when.get("filters") {
            tests.extend(self.filter_tests(event, filters));
        }
        if let Some(test) = when.get("if") {
            tests.extend(self.node_expr(test));
        }
        tests.extend(self.listed_tests(reaction, "conditions"));
        Some((before, event, tests))
    }

    /// Reads the list of tests under a key of a reaction.
    fn listed_tests(&mut self, reaction: &SourceNode, key: &str) -> Vec<Expr> {
        let nodes = reaction.get(key).map(|node| self.items(node, &format!("`{key}`"))).unwrap_or_default();
        nodes.iter().filter_map(|node| self.node_expr(node)).collect()
    }

    /// Warns about `prevention_conditions` of a reaction that never prevents its event.
    fn warn_unused_prevention(&mut self, node: &SourceNode) {
        if let Some(conditions) = node.entry("prevention_conditions").filter(|_| !self.body.has_prevention) {
            let message = "`prevention_conditions` has no effect: no statement is `prevent: event`";
            self.report(
                Diagnostic::warning("W-UNUSED", conditions.key.span, message)
                    .hint("conditions of the whole reaction belong under `conditions`"),
            );
        }
    }

    fn reaction_condition(
        &mut self,
        name: &str,
        node: &SourceNode,
        host: &HostInfo,
        event: Option<EventId>,
        tests: &[Expr],
    ) -> Option<RoutineId> {
        let costs = node.get("costs").map(|costs| self.items(costs, "`costs`")).unwrap_or_default();
        let targets = node.get("targets").map(|targets| self.items(targets, "`targets`")).unwrap_or_default();
        // Targets chosen on the stack do not decide whether the reaction is triggered.
        let targets = if self.aims_on_stack(node, false) { &[] } else { targets };
        let more = !costs.is_empty() || !targets.is_empty() || node.get("relevant").is_some();
        if tests.is_empty() && !more {
            return None;
        }
        let pay = self.reaction_payment(name, node, host, event);
        let label = format!("{name} condition");
        Some(self.test_routine(&label, |checker| {
            checker.mark_location(node);
            checker.bind_reaction(host, event);
            let (mut no, known) = checker.emit_conjunction(tests);
            for (at, cost) in costs.iter().enumerate() {
                if !checker.names_later_choice(cost, node) {
                    checker.emit_cost_test(cost, &costs[..at], &mut no);
                }
            }
            if let Some(routine) = pay {
                let cond = checker.body.new_temp();
                checker.emit(Instr::Afford { dst: cond, routine, args: cond });
                no.push(checker.emit(Instr::JumpUnless { cond, to: 0 }));
            }
            if let Some(relevant) = node.get("relevant").and_then(|relevant| checker.node_expr(relevant)) {
                checker.jump_if(&relevant, false, &mut no);
            }
            // The first target needs a candidate. Further targets may depend on it and are checked when they
            // are chosen.
            if let Some(first) = targets.first() {
                checker.emit_target_test(first, &mut no);
            }
            (no, known)
        }))
    }

    /// Compiles the costs of a reaction for a trial, if there are several that may be too high together.
    fn reaction_payment(
        &mut self,
        name: &str,
        node: &SourceNode,
        host: &HostInfo,
        event: Option<EventId>,
    ) -> Option<RoutineId> {
        let costs = self.items(node.get("costs")?, "`costs`");
        // What pays is chosen later.
        if node.get("payment").is_some() {
            return None;
        }
        if self.testable_cost_count(costs) < 2 || !costs.iter().all(|cost| self.can_be_group(cost)) {
            return None;
        }
        let routine = self.reserve_routine(&format!("{name} costs"));
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.mark_location(node);
        self.bind_reaction(host, event);
        let mut no = Vec::new();
        self.test_and_pay(costs, &mut no);
        self.emit(Instr::Done {});
        self.body.patch_jumps(&no);
        self.emit(Instr::Fail { code: FaultCode::Unaffordable });
        self.finish_routine(outer);
        Some(routine)
    }

    pub(crate) fn bind_reaction(&mut self, host: &HostInfo, event: Option<EventId>) {
        let event = event.map_or(Ty::Error, |event| Ty::Event(Some(event)));
        match &host.ty {
            // A rule of the game itself has no host, so `self` and `you` are not bound.
            None => self.body.bind("event", Reg::EVENT, event),
            Some(ty) => {
                self.bind_context(ty.clone(), event);
                self.bind_trait(host);
            }
        }
    }

    pub(crate) fn bind_trait(&mut self, host: &HostInfo) {
        if let Some(kind) = host.instance {
            self.body.bind("trait", Reg::TRAIT, Ty::Kind(kind));
        }
    }

    fn check_reaction_details(&mut self, node: &SourceNode) {
        if let Some(timing) = node.get("timing") {
            self.word(timing, "`timing`", rules::REACTION.words("timing"));
        }
        for key in ["may", "can_prevent", "secret"] {
            if let Some(flag) = node.get(key) {
                self.flag(flag, &format!("`{key}`"));
            }
        }
        self.body.may_prevent = node.get("can_prevent").and_then(SourceNode::as_bool) != Some(false);
    }

    /// Returns true if a reaction goes on the stack instead of happening immediately.
    pub(crate) fn waits_on_stack(&mut self, node: &SourceNode, before: bool) -> bool {
        let timing = node.get("timing").and_then(SourceNode::as_text).map(|text| text.value.as_str());
        let usual = self.merged.last("reactionTiming").and_then(SourceNode::as_text);
        let usual = usual.is_some_and(|text| text.value == "stack");
        match timing {
            Some("stack") if before => {
                self.report(
                    Diagnostic::error("E-KEY", node.span, "a `before` reaction cannot go on the stack")
                        .hint("leave out `timing`: `before` reactions happen immediately"),
                );
                false
            }
            Some("stack") => true,
            Some("now") => false,
            _ => usual && !before,
        }
    }

    /// Creates the def of the stack item of a reaction. Its properties store the payload of the triggering
    /// event.
    pub(crate) fn reaction_item(&mut self, node: &SourceNode, id: &SourceText, event: EventId) -> DefId {
        let name = format!("reaction {}", id.value);
        let kind = self.add_kind(&name, id.span);
        self.set_parent(kind, KindId::REACTION);
        let parent = &self.program.kinds[KindId::REACTION.index()];
        let (mut props, mut columns) = (parent.props.clone(), parent.columns);
        for (field, ty) in self.symbols.event_by_id(event).1.fields.clone() {
            let symbol = self.intern_symbol(&format!("event {}", self.symbols.spelling(field)));
            let prop = self.add_prop(kind, symbol, ty, columns, false, id.span);
            // Players have already seen what they may know of the event.
            self.program.props[prop.index()].visible = Visibility::None;
            props.push(prop);
            columns += 1;
        }
        let own = &mut self.program.kinds[kind.index()];
        (own.props, own.columns) = (props, columns);
        let title = match node.get("name").and_then(SourceNode::as_text) {
            Some(text) => text.value.clone(),
            None => super::actions::title_from_id(&id.value),
        };
        self.item_def(&name, kind, &title, node)
    }

    /// Returns the zones that a list names.
    pub(crate) fn zone_names(&mut self, node: &SourceNode) -> Vec<ZoneId> {
        self.check_zone_names(node);
        let names = node.as_list().unwrap_or_default().iter().filter_map(SourceNode::as_text);
        names.filter_map(|name| self.symbols.zones.get(&name.value).map(|zone| zone.id)).collect()
    }

    pub(crate) fn check_zone_names(&mut self, node: &SourceNode) {
        for item in self.items(node, "`zones`") {
            if let Some(text) = self.text(item, "a zone")
                && !self.symbols.zones.contains(&text.value)
            {
                let known = self.symbols.zones.owned_names();
                self.report_unknown(
                    "E-NAME",
                    text.span,
                    "zone",
                    &text.value,
                    known.iter().map(String::as_str),
                );
            }
        }
    }
}

/// The name of the events of the batch in a reaction that runs per batch.
const BATCH: &str = "batch";

/// Returns true if a text in a tree contains a name.
fn mentions(node: &SourceNode, name: &str) -> bool {
    let is_word = |text: &str| {
        text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).any(|word| word == name)
    };
    match &node.value {
        NodeValue::Text(text) => is_word(&text.value),
        NodeValue::Map(entries) => {
            entries.iter().any(|entry| is_word(&entry.key.value) || mentions(&entry.value, name))
        }
        NodeValue::List(items) => items.iter().any(|item| mentions(item, name)),
        _ => false,
    }
}
