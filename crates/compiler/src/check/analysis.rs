//! Checks of the whole ruleset: recursion, endless loops, cycles of reactions, and unused declarations.

use std::collections::{BTreeMap, BTreeSet};

use intermezzo_program::{ReactionTiming, RoutineId, Visibility, native};

use super::Checker;
use super::stmts::{StatementParts, operation};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;
use crate::tree::{NodeValue, SourceNode};

/// Warnings that `allow` can suppress.
const WARNINGS: &[&str] = &[
    "W-NULL",
    "W-SHADOW",
    "W-UNUSED",
    "W-MODBASE",
    "W-LEAK",
    "W-CYCLE",
    "W-ORDER",
    "W-GROUP",
    "W-UNREACH",
    "W-TEXT",
];

impl Checker<'_> {
    pub(crate) fn check_whole_ruleset(&mut self) {
        self.check_patterns();
        self.check_recursion();
        self.check_modifier_cycles();
        self.check_grant_cycles();
        self.check_reachable_reactions();
        self.check_contradictions();
        self.check_announced_reactions();
        self.check_reaction_order();
        self.check_reaction_cycles();
        self.check_group_calls();
        self.check_unused();
        self.check_unused_locals();
        self.check_owners();
        self.drop_allowed();
    }

    /// Checks the conditions of durations and aliases, including those that nothing uses.
    fn check_patterns(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("durations") {
            for entry in section.as_map().unwrap_or_default() {
                if let Some((event, tests)) = self.after_pattern(&entry.value) {
                    let routine = self.check_tests(&format!("durations.{}", entry.key.value), event, &tests);
                    let name = self.intern_symbol(&entry.key.value);
                    let number = self.program.durations.len() as u16;
                    let condition = (!tests.is_empty()).then_some(routine);
                    self.program.durations.push(intermezzo_program::TraitDuration { name, event, condition });
                    self.program.events[event.index()].durations.push(number);
                }
            }
        }
        let aliases: Vec<(String, super::symbol_table::AliasInfo)> =
            self.symbols.aliases.iter().map(|(name, alias)| (name.to_owned(), alias.clone())).collect();
        for (name, alias) in aliases {
            if let Some(condition) = &alias.condition {
                self.check_tests(&format!("aliases.{name}"), alias.of, &[(**condition).clone()]);
            }
        }
    }

    fn check_tests(
        &mut self,
        name: &str,
        event: intermezzo_program::EventId,
        tests: &[crate::expr::Expr],
    ) -> RoutineId {
        self.test_routine(name, |checker| {
            checker.bind_context(super::types::Ty::SomeEntity, super::types::Ty::Event(Some(event)));
            checker.emit_conjunction(tests)
        })
    }

    // --- endless loops ---------------------------------------------------------

    /// Reports a `repeat: forever` that may loop without waiting for a player.
    pub(crate) fn check_forever(&mut self, parts: &StatementParts<'_>) {
        let waits = parts.get("do").is_some_and(|body| self.always_waits(body, 0));
        if !waits {
            self.report(
                Diagnostic::error("E-LOOP", parts.span, "this may loop forever without waiting for a player")
                    .hint("every pass of `repeat: forever` needs a `choose` (or an `end`, `exit` or `return`) that is always reached; a number of passes, such as `repeat: 100`, needs none"),
            );
        }
    }

    /// Returns true if every run of the block waits for a player or leaves the loop.
    pub(crate) fn always_waits(&self, node: &SourceNode, depth: usize) -> bool {
        if depth > 32 {
            return false;
        }
        match &node.value {
            NodeValue::List(items) => items.iter().any(|item| self.always_waits(item, depth + 1)),
            NodeValue::Text(text) => self.proc_waits(&text.value, depth),
            NodeValue::Map(entries) => {
                let head = entries
                    .iter()
                    .map(|entry| entry.key.value.as_str())
                    .find(|key| operation(key).is_some() || self.symbols.procs.contains(key));
                match head {
                    Some("choose" | "exit" | "return" | "end") => true,
                    Some("if") => {
                        let waits = |key: &str| {
                            node.get(key).is_some_and(|block| self.always_waits(block, depth + 1))
                        };
                        waits("then") && waits("else")
                    }
                    Some("phase" | "group") => {
                        node.get("do").is_some_and(|block| self.always_waits(block, depth + 1))
                    }
                    // A match always has a player, so this body always runs.
                    Some("each")
                        if node
                            .get("each")
                            .and_then(SourceNode::as_text)
                            .is_some_and(|text| text.value == "players") =>
                    {
                        node.get("do").is_some_and(|block| self.always_waits(block, depth + 1))
                    }
                    Some("repeat") => {
                        let at_least_once = node.get("while").is_none()
                            && (node
                                .get("repeat")
                                .and_then(SourceNode::as_int)
                                .is_some_and(|count| count > 0)
                                || node
                                    .get("repeat")
                                    .and_then(SourceNode::as_text)
                                    .is_some_and(|text| text.value == "forever"));
                        at_least_once
                            && node.get("do").is_some_and(|block| self.always_waits(block, depth + 1))
                    }
                    Some(name) if operation(name).is_none() => self.proc_waits(name, depth),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn proc_waits(&self, name: &str, depth: usize) -> bool {
        self.symbols.procs.get(name).is_some_and(|proc| self.always_waits(&proc.body, depth + 1))
    }

    // --- recursion ----------------------------------------------------------------------

    fn check_recursion(&mut self) {
        let mut state: BTreeMap<RoutineId, bool> = BTreeMap::new();
        let mut reported: BTreeSet<RoutineId> = BTreeSet::new();
        let starts: Vec<RoutineId> = self.usage.calls.keys().copied().collect();
        for start in starts {
            let mut path: Vec<(RoutineId, usize)> = vec![(start, 0)];
            if state.contains_key(&start) {
                continue;
            }
            state.insert(start, false);
            // An explicit stack instead of recursion: hostile rulesets may chain thousands of functions.
            while let Some((routine, next)) = path.last().copied() {
                let call = self.usage.calls.get(&routine).and_then(|calls| calls.get(next)).copied();
                let Some((callee, span)) = call else {
                    state.insert(routine, true);
                    path.pop();
                    continue;
                };
                if let Some(top) = path.last_mut() {
                    top.1 += 1;
                }
                match state.get(&callee) {
                    Some(true) => {}
                    Some(false) => {
                        let from = path.iter().position(|(other, _)| *other == callee).unwrap_or(0);
                        let cycle: Vec<RoutineId> =
                            path[from..].iter().map(|(routine, _)| *routine).collect();
                        if cycle.iter().all(|routine| !reported.contains(routine)) {
                            reported.extend(&cycle);
                            self.report_recursion(&cycle, span);
                        }
                    }
                    None => {
                        state.insert(callee, false);
                        path.push((callee, 0));
                    }
                }
            }
        }
    }

    fn report_recursion(&mut self, cycle: &[RoutineId], span: Span) {
        let name = |routine: &RoutineId| self.program.routines[routine.index()].name.clone();
        let mut chain: Vec<String> = cycle.iter().map(name).collect();
        chain.push(name(&cycle[0]));
        let mut diagnostic =
            Diagnostic::error("E-RECURSE", span, format!("this calls itself: {}", chain.join(" → ")))
                .hint("functions and procs may not be recursive; use `repeat` or `each`");
        let members: Vec<(String, Span)> = self
            .symbols
            .functions
            .iter()
            .chain(self.symbols.procs.iter())
            .filter(|(_, callable)| cycle.contains(&callable.routine))
            .map(|(name, callable)| (name.to_owned(), callable.span))
            .collect();
        for (name, span) in members {
            diagnostic = diagnostic.related(span, format!("`{name}` is part of it"));
        }
        self.report(diagnostic);
    }

    // --- costs of rules ------------------------------------------------------------------

    /// Estimates the cost of each routine: its innermost test runs as often as the number of entities to the
    /// power of `order`.
    pub(crate) fn costs(&self) -> Vec<crate::RuleCost> {
        let mut orders: BTreeMap<RoutineId, usize> = BTreeMap::new();
        for _ in 0..64 {
            // Without recursion, which has been reported already, the orders reach a fixed point.
            let mut changed = false;
            for (routine, (own, calls)) in &self.usage.depths {
                let through =
                    |(callee, depth): &(RoutineId, usize)| depth + orders.get(callee).copied().unwrap_or(0);
                let order = calls.iter().map(through).max().unwrap_or(0).max(*own);
                changed |= orders.insert(*routine, order) != Some(order);
            }
            if !changed {
                break;
            }
        }
        let mut costs: Vec<crate::RuleCost> = orders
            .into_iter()
            .filter(|(_, order)| *order > 0)
            .map(|(routine, order)| crate::RuleCost {
                rule: self.program.routines[routine.index()].name.clone(),
                order,
            })
            .collect();
        costs.sort_by(|a, b| b.order.cmp(&a.order).then_with(|| a.rule.cmp(&b.rule)));
        costs
    }

    // --- reactions -------------------------------------------------------------------------

    /// Reports reactions to events that nothing emits.
    fn check_reachable_reactions(&mut self) {
        let mut found = Vec::new();
        for reaction in &self.reactions {
            let (name, event) = self.symbols.event_by_id(reaction.event);
            if reaction.event == native::MATCH_ENDED && !reaction.before {
                found.push(
                    Diagnostic::warning(
                        "W-UNREACH",
                        reaction.span,
                        format!("nothing ever triggers `{}`", reaction.name),
                    )
                    .hint("nothing happens after the end of a match"),
                );
            }
            if !event.native && !self.usage.emitted.contains(&reaction.event.0) {
                found.push(
                    Diagnostic::warning(
                        "W-UNREACH",
                        reaction.span,
                        format!("nothing ever triggers `{}`", reaction.name),
                    )
                    .hint(format!("no rule emits the event {name}")),
                );
            }
        }
        found.into_iter().for_each(|diagnostic| self.report(diagnostic));
    }

    /// Warns about reactions to `Reaction` that wait for reactions of which no `Reaction` event tells: those after an
    /// event that run immediately, and those to `Reaction` itself.
    fn check_announced_reactions(&mut self) {
        let is_announced = |at: usize| {
            let reaction = &self.program.reactions[at];
            let is_before = reaction.when == ReactionTiming::Before && reaction.event != native::REACTION;
            is_before || reaction.item.is_some()
        };
        let announced: Vec<&str> = (0..self.program.reactions.len())
            .filter(|at| is_announced(*at))
            .map(|at| self.symbols.spelling(self.program.reactions[at].name))
            .collect();
        let mut found = Vec::new();
        for listener in self.reactions.iter().filter(|reaction| reaction.event == native::REACTION) {
            let is_possible = match listener.required.get("event.reaction") {
                Some(names) => names.iter().any(|name| announced.iter().any(|rule| name.is_word(rule))),
                None => !announced.is_empty(),
            };
            if !is_possible {
                let message = format!("nothing triggers `{}`: no such reaction is announced", listener.name);
                found.push(Diagnostic::warning("W-UNUSED", listener.span, message).hint(
                    "`Reaction` events tell of `before` reactions to other events and of reactions with \
                     `timing: stack`",
                ));
            }
        }
        found.into_iter().for_each(|diagnostic| self.report(diagnostic));
    }

    /// Returns the events that a routine can emit, directly or through the routines it calls.
    pub(crate) fn emitted_by(&self, routine: RoutineId) -> BTreeSet<u16> {
        let mut events = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![routine];
        while let Some(routine) = open.pop() {
            if !seen.insert(routine) {
                continue;
            }
            events.extend(self.usage.emits.get(&routine).into_iter().flatten());
            open.extend(self.usage.calls.get(&routine).into_iter().flatten().map(|(callee, _)| *callee));
        }
        events
    }

    /// Warns about mandatory reactions that trigger each other endlessly. With `loop: draw` that may be
    /// intended.
    fn check_reaction_cycles(&mut self) {
        if self.program.loops_draw {
            return;
        }
        // Event → events it leads to without any player's choice.
        let mut leads: BTreeMap<u16, BTreeSet<u16>> = BTreeMap::new();
        for (at, event) in self.program.events.iter().enumerate() {
            if let Some(routine) = event.routine {
                leads.entry(at as u16).or_default().extend(self.emitted_by(routine));
            }
        }
        for reaction in self.reactions.iter().filter(|reaction| reaction.mandatory) {
            leads.entry(reaction.event.0).or_default().extend(self.emitted_by(reaction.effects));
        }
        let mut found = Vec::new();
        for reaction in self.reactions.iter().filter(|reaction| reaction.mandatory) {
            let mut reached = BTreeSet::new();
            let mut open: Vec<u16> = self.emitted_by(reaction.effects).into_iter().collect();
            while let Some(event) = open.pop() {
                if reached.insert(event) {
                    open.extend(leads.get(&event).into_iter().flatten());
                }
            }
            if reached.contains(&reaction.event.0) {
                let (name, _) = self.symbols.event_by_id(reaction.event);
                found.push(
                    Diagnostic::warning(
                        "W-CYCLE",
                        reaction.span,
                        format!("`{}` leads to {name} again, which triggers it again", reaction.name),
                    )
                    .hint("give it a `limit`, a cost or a choice, or a condition that ends it"),
                );
            }
        }
        found.extend(self.consequence_cycles());
        found.into_iter().for_each(|diagnostic| self.report(diagnostic));
    }

    /// Returns warnings about events whose own consequences lead to them again, without any reaction.
    fn consequence_cycles(&self) -> Vec<Diagnostic> {
        let leads = |event: u16| {
            let routine = self.program.events[usize::from(event)].routine;
            routine.map(|routine| self.emitted_by(routine)).unwrap_or_default()
        };
        let leads: Vec<BTreeSet<u16>> = (0..self.program.events.len() as u16).map(leads).collect();
        let is_cycle = |event: u16| {
            let mut reached = BTreeSet::new();
            let mut open: Vec<u16> = leads[usize::from(event)].iter().copied().collect();
            while let Some(next) = open.pop() {
                if reached.insert(next) {
                    open.extend(&leads[usize::from(next)]);
                }
            }
            reached.contains(&event)
        };
        let events = self.symbols.events.iter().filter(|(_, event)| is_cycle(event.id.0));
        let warn = |(name, event): (&str, &super::symbol_table::EventInfo)| {
            let message = format!("the consequences of {name} lead to {name} again");
            let hint = "make sure that a condition in `then` ends it, and confirm that with `allow`";
            Some(Diagnostic::warning("W-CYCLE", event.span?, message).hint(hint))
        };
        events.filter_map(warn).collect()
    }

    /// Warns about procs called in a group that may do what no group can contain, which is a fault during play.
    fn check_group_calls(&mut self) {
        for (name, routine, span) in std::mem::take(&mut self.usage.group_calls) {
            let Some(statement) = self.group_breaker_in(routine) else { continue };
            self.report(
                Diagnostic::warning(
                    "W-GROUP",
                    span,
                    format!("`{name}` may execute `{statement}`, which is a fault in a group"),
                )
                .hint("a group happens all at once: ask and roll before it"),
            );
        }
    }

    /// Returns a statement that no group can contain, in a routine or in one it calls.
    fn group_breaker_in(&self, routine: RoutineId) -> Option<&'static str> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![routine]);
        while let Some(routine) = open.pop() {
            if let Some(statement) = self.usage.group_breakers.get(&routine) {
                return Some(statement);
            }
            if seen.insert(routine) {
                open.extend(self.usage.calls.get(&routine).into_iter().flatten().map(|(callee, _)| *callee));
            }
        }
        None
    }

    // --- unused declarations ---------------------------------------------------------------------

    fn check_unused(&mut self) {
        let mut found: Vec<(Span, String)> = Vec::new();
        for (name, event) in self.symbols.events.iter() {
            if let (Some(span), false) = (event.span, event.from_prelude)
                && !self.usage.emitted.contains(&event.id.0)
            {
                found.push((span, format!("the event `{name}` is never emitted")));
            }
        }
        // A misspelt use makes a declaration look unused. In that case only the misspelling is reported.
        let failed = self.out.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        for (category, table) in [("functions", &self.symbols.functions), ("procs", &self.symbols.procs)] {
            for (name, callable) in table.iter() {
                if !failed && !callable.from_prelude && !self.is_used(category, name) {
                    let what = category.trim_end_matches('s');
                    found.push((callable.span, format!("the {what} `{name}` is never used")));
                }
            }
        }
        for (name, zone) in self.symbols.zones.iter() {
            let mut parts = self.merged.section("zones");
            let is_own = parts.any(|(node, prelude)| !prelude && node.get(name).is_some());
            if !failed && is_own && !self.is_used("zones", name) {
                found.push((zone.span, format!("no rule uses the zone `{name}`")));
            }
        }
        for (name, info) in self.symbols.traits.iter() {
            if !failed && !info.from_prelude && !self.is_used("traits", name) {
                found.push((info.span, format!("the trait `{name}` is never attached")));
            }
        }
        for (name, span) in &self.declared_symbols {
            if !failed && !self.is_used("symbols", name) {
                found.push((*span, format!("the symbol `{name}` is never used")));
            }
        }
        if !failed {
            found.extend(self.unread_props());
        }
        for (span, message) in found {
            let mut warning = Diagnostic::warning("W-UNUSED", span, message);
            // Labels of rolls declare themselves, so a misspelt declaration does not make their use unknown.
            let symbol = self.declared_symbols.iter().find(|(_, declared)| *declared == span);
            if let Some((name, _)) = symbol.cloned() {
                let used: Vec<String> = self.symbols.free_symbols.owned_names();
                let used =
                    used.iter().filter(|other| self.is_used("symbols", other)).cloned().collect::<Vec<_>>();
                if let Some(near) = self.suggest(&name, used.iter().map(String::as_str)) {
                    warning = warning.hint(format!("did you mean `{near}`?"));
                }
            }
            self.report(warning);
        }
    }

    /// Returns the properties that are hidden from everyone and that no rule reads.
    fn unread_props(&self) -> Vec<(Span, String)> {
        let changes_are_watched = self.reactions.iter().any(|reaction| reaction.event == native::CHANGED);
        if changes_are_watched {
            // The event carries the value, so a rule may read any property through it.
            return Vec::new();
        }
        let by_name = self.is_used("resources", "by name");
        let preludes: Vec<_> = self.merged.documents.iter().filter(|document| document.prelude).collect();
        let is_unread = |prop: &&super::symbol_table::PropInfo| {
            let name = self.symbols.spelling(prop.name);
            let is_hidden = matches!(self.program.props[prop.id.index()].visible, Visibility::None);
            let is_own = !preludes.iter().any(|document| document.node.span.file == prop.span.file);
            let is_read = self.is_used("props", name) || self.is_used("symbols", name);
            // Items on the stack store the event that triggered them, for their own rule.
            let is_item = self.symbols.extends(prop.kind, intermezzo_program::KindId::ITEM);
            is_hidden
                && is_own
                && !is_item
                && !is_read
                && prop.name != native::KNOWN
                // Names with a space are the engine's own.
                && !name.contains(' ')
                && !(prop.resource && by_name)
        };
        let props = self.symbols.props.iter().filter(is_unread);
        props
            .map(|prop| {
                let name = self.symbols.spelling(prop.name);
                (prop.span, format!("nobody sees the property `{name}`, and no rule reads it"))
            })
            .collect()
    }

    // --- allowed warnings ------------------------------------------------------------------------------

    /// Drops warnings that an `allow: {CODE: reason}` of an enclosing declaration suppresses.
    fn drop_allowed(&mut self) {
        let mut allowed: Vec<(Span, String)> = Vec::new();
        let merged = self.merged;
        for document in &merged.documents {
            self.collect_allowed(&document.node, &mut allowed);
        }
        self.out.retain(|diagnostic| {
            diagnostic.severity == Severity::Error
                || !allowed.iter().any(|(span, code)| {
                    code == diagnostic.code
                        && span.file == diagnostic.span.file
                        && span.start <= diagnostic.span.start
                        && diagnostic.span.end <= span.end
                })
        });
    }

    fn collect_allowed(&mut self, node: &SourceNode, allowed: &mut Vec<(Span, String)>) {
        match &node.value {
            NodeValue::Map(entries) => {
                if let Some(allow) = node.get("allow") {
                    if allow.as_map().is_none() {
                        self.report_error(
                            "E-KEY",
                            allow.span,
                            "`allow` is an object: the code of a warning, and the reason",
                        );
                    }
                    for entry in allow.as_map().unwrap_or_default() {
                        if !WARNINGS.contains(&entry.key.value.as_str()) {
                            let code = entry.key.value.clone();
                            self.report_unknown(
                                "E-KEY",
                                entry.key.span,
                                "warning",
                                &code,
                                WARNINGS.iter().copied(),
                            );
                        }
                        if entry.value.as_text().is_none_or(|text| text.value.trim().is_empty()) {
                            self.report_error("E-KEY", entry.value.span, "an allowed warning needs a reason");
                        }
                        allowed.push((node.span, entry.key.value.clone()));
                    }
                }
                entries.iter().for_each(|entry| self.collect_allowed(&entry.value, allowed));
            }
            NodeValue::List(items) => items.iter().for_each(|item| self.collect_allowed(item, allowed)),
            _ => {}
        }
    }
}
