//! Upper bounds for the number of questions an event or action can lead to.
//!
//! A question to several players counts once. A bound exists if every loop around a `choose` has one, nothing
//! leads back to itself, and no rule that asks belongs to entities of which there may be any number.

use std::collections::BTreeMap;

use intermezzo_program::{EventId, native};

use super::Checker;
use super::stmts::{COUNTER, operation};
use crate::tree::{NodeValue, SourceNode};

/// An upper bound for a number of questions; `None` if no bound is known.
pub(crate) type PromptCount = Option<u64>;

const NO_PROMPTS: PromptCount = Some(0);

fn plus(a: PromptCount, b: PromptCount) -> PromptCount {
    a.zip(b).map(|(a, b)| a.saturating_add(b))
}

fn times(count: PromptCount, each: PromptCount) -> PromptCount {
    match each {
        NO_PROMPTS => NO_PROMPTS,
        each => count.zip(each).map(|(count, each)| count.saturating_mul(each)),
    }
}

fn larger(a: PromptCount, b: PromptCount) -> PromptCount {
    a.zip(b).map(|(a, b)| a.max(b))
}

/// Maximum nesting depth of statements. Beyond it no bound is computed.
const MAX_DEPTH: usize = 200;

/// Maximum number of rounds and of restarts. Bounds of events depend on each other; those that still grow in
/// the last round are treated as infinite.
const MAX_ROUNDS: usize = 64;
const MAX_TRIES: usize = 8;

/// Computes the bounds as a fixed point over the statements of a ruleset.
struct BoundSolver<'c, 's> {
    checker: &'c Checker<'s>,
    /// Event → reactions to it, and whether they belong to a def or trait, which may have any number of
    /// hosts.
    reactions: BTreeMap<u16, Vec<(&'c SourceNode, bool)>>,
    /// Event → its `then` statements.
    consequences: BTreeMap<u16, &'c SourceNode>,
    /// The current bound of each event.
    events: Vec<PromptCount>,
    /// Bounds of procs computed in this round.
    procs: BTreeMap<String, PromptCount>,
    depth: usize,
}

impl Checker<'_> {
    /// Returns the bound of each event and action. Those that ask nothing are left out.
    pub(crate) fn prompt_bounds(&self) -> Vec<crate::PromptBound> {
        let mut solver = BoundSolver::new(self);
        solver.solve();
        let mut found = Vec::new();
        for (name, event) in self.symbols.events.iter() {
            found.push((format!("events.{name}"), solver.event(event.id)));
        }
        for (id, action) in solver.actions() {
            let bound = solver.action(action);
            found.push((format!("actions.{id}"), bound));
        }
        found.retain(|(_, bound)| *bound != NO_PROMPTS);
        found.sort_by_key(|(rule, bound)| (std::cmp::Reverse(bound.unwrap_or(u64::MAX)), rule.clone()));
        found.into_iter().map(|(rule, most)| crate::PromptBound { rule, max: most }).collect()
    }
}

impl<'c, 's> BoundSolver<'c, 's> {
    fn new(checker: &'c Checker<'s>) -> BoundSolver<'c, 's> {
        let mut solver = BoundSolver {
            checker,
            reactions: BTreeMap::new(),
            consequences: BTreeMap::new(),
            events: vec![NO_PROMPTS; checker.program.events.len()],
            procs: BTreeMap::new(),
            depth: 0,
        };
        let merged = checker.merged;
        for (section, _) in merged.section("reactions") {
            solver.note_reactions(Some(section), false);
        }
        for (section, _) in merged.section("events") {
            for entry in section.as_map().unwrap_or_default() {
                let event = checker.symbols.events.get(&entry.key.value);
                if let (Some(event), Some(then)) = (event, entry.value.get("then")) {
                    solver.consequences.insert(event.id.0, then);
                }
            }
        }
        for (section, _) in merged.section("defs").chain(merged.section("traits")) {
            for entry in section.as_map().unwrap_or_default() {
                solver.note_reactions(entry.value.get("reactions"), true);
            }
        }
        solver
    }

    fn note_reactions(&mut self, section: Option<&'c SourceNode>, is_hosted: bool) {
        for reaction in section.and_then(SourceNode::as_list).unwrap_or_default() {
            let when = reaction.get("when");
            let name = ["before", "after", "eventType"].iter().find_map(|key| when?.get(key)?.as_text());
            let Some(name) = name else { continue };
            let symbols = &self.checker.symbols;
            let event = symbols.events.get(&name.value).map(|event| event.id);
            let event = event.or_else(|| symbols.aliases.get(&name.value).map(|alias| alias.of));
            if let Some(event) = event {
                self.reactions.entry(event.0).or_default().push((reaction, is_hosted));
            }
        }
    }

    /// Returns all actions with their ids.
    fn actions(&self) -> Vec<(String, &'c SourceNode)> {
        let merged = self.checker.merged;
        let mut lists: Vec<&'c SourceNode> = merged.section("actions").map(|(section, _)| section).collect();
        for (section, _) in merged.section("defs").chain(merged.section("traits")) {
            let entries = section.as_map().unwrap_or_default();
            lists.extend(entries.iter().filter_map(|entry| entry.value.get("actions")));
        }
        let items = lists.into_iter().flat_map(|list| list.as_list().unwrap_or_default());
        items.filter_map(|node| Some((node.get("id")?.as_text()?.value.clone(), node))).collect()
    }

    fn action(&mut self, node: &'c SourceNode) -> PromptCount {
        let own =
            plus(self.targets_and_costs(node), plus(self.part(node, "effects"), self.part(node, "finally")));
        plus(own, plus(self.event(native::ANNOUNCED), self.event(native::ACTION)))
    }

    /// Computes the bounds of all events. If they do not converge, every event that asks anything gets no
    /// bound.
    fn solve(&mut self) {
        if !(0..MAX_TRIES).any(|_| self.reaches_fixpoint()) {
            self.events.iter_mut().filter(|bound| **bound != NO_PROMPTS).for_each(|bound| *bound = None);
        }
    }

    /// Iterates until the bounds no longer change. Otherwise marks those that still grow as infinite and
    /// returns false.
    fn reaches_fixpoint(&mut self) -> bool {
        let mut growing = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let old = self.events.clone();
            self.procs.clear();
            // An infinite bound stays infinite.
            for (number, _) in old.iter().enumerate().filter(|(_, bound)| bound.is_some()) {
                self.events[number] = self.event_total(EventId(number as u16));
            }
            growing = (0..old.len()).filter(|number| old[*number] != self.events[*number]).collect();
            if growing.is_empty() {
                return true;
            }
        }
        for number in growing {
            self.events[number] = None;
        }
        false
    }

    fn event(&self, event: EventId) -> PromptCount {
        self.events.get(event.index()).copied().unwrap_or(NO_PROMPTS)
    }

    /// Returns the bound of an event: its consequences and all reactions to it.
    fn event_total(&mut self, event: EventId) -> PromptCount {
        let then = self.consequences.get(&event.0).copied();
        let mut bound = then.map_or(NO_PROMPTS, |then| self.statement(then));
        for (reaction, is_hosted) in self.reactions.get(&event.0).cloned().unwrap_or_default() {
            let hosts = if is_hosted { None } else { Some(1) };
            let own = self.reaction(reaction);
            bound = plus(bound, times(hosts, own));
        }
        bound
    }

    fn reaction(&mut self, node: &'c SourceNode) -> PromptCount {
        let may = u64::from(node.get("may").and_then(SourceNode::as_bool) == Some(true));
        // With targets, consent is part of the question for the first target, unless they are chosen on the stack.
        let own = node.get("targeting").or_else(|| self.checker.merged.last("reactionTargeting"));
        let is_aimed = own.and_then(SourceNode::as_text).is_some_and(|word| word.value == "stack");
        let may = if node.get("targets").is_some() && !is_aimed { 0 } else { may };
        plus(Some(may), plus(self.targets_and_costs(node), self.part(node, "effects")))
    }

    /// Returns the questions for targets and costs.
    fn targets_and_costs(&mut self, node: &'c SourceNode) -> PromptCount {
        let asked = |key: &str| node.get(key).and_then(SourceNode::as_list).map_or(0, <[SourceNode]>::len);
        plus(Some((asked("targets") + asked("payment")) as u64), self.part(node, "costs"))
    }

    fn part(&mut self, node: &'c SourceNode, key: &str) -> PromptCount {
        node.get(key).map_or(NO_PROMPTS, |part| self.statement(part))
    }

    fn statement(&mut self, node: &'c SourceNode) -> PromptCount {
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let bound = match &node.value {
            NodeValue::List(items) => {
                items.iter().fold(NO_PROMPTS, |bound, item| plus(bound, self.statement(item)))
            }
            NodeValue::Text(text) => self.proc(&text.value),
            NodeValue::Map(entries) => {
                let head = entries
                    .iter()
                    .map(|entry| entry.key.value.as_str())
                    .find(|key| operation(key).is_some() || self.checker.symbols.procs.contains(key));
                head.map_or(NO_PROMPTS, |head| self.operation(head, node))
            }
            _ => NO_PROMPTS,
        };
        self.depth -= 1;
        bound
    }

    fn proc(&mut self, name: &str) -> PromptCount {
        let checker = self.checker;
        let Some(proc) = checker.symbols.procs.get(name) else { return NO_PROMPTS };
        if let Some(known) = self.procs.get(name) {
            return *known;
        }
        let bound = self.statement(&proc.body);
        self.procs.insert(name.to_owned(), bound);
        bound
    }

    fn operation(&mut self, head: &str, node: &'c SourceNode) -> PromptCount {
        match head {
            "choose" => plus(Some(1), self.part(node, "else")),
            "if" => larger(self.part(node, "then"), self.part(node, "else")),
            "switch" => {
                let cases = node.get("cases").and_then(SourceNode::as_map).unwrap_or_default();
                let cases =
                    cases.iter().fold(NO_PROMPTS, |bound, case| larger(bound, self.statement(&case.value)));
                larger(cases, self.part(node, "else"))
            }
            "each" => times(self.list_length(node), self.part(node, "do")),
            "repeat" => {
                let passes = ["max", "repeat"].iter().find_map(|key| node.get(key)?.as_int());
                times(passes.and_then(|passes| u64::try_from(passes).ok()), self.part(node, "do"))
            }
            "phase" => {
                let ends = plus(self.event(native::PHASE_STARTED), self.event(native::PHASE_ENDED));
                plus(ends, self.part(node, "do"))
            }
            "group" => plus(self.part(node, "group"), self.part(node, "do")),
            "prevent" => plus(self.event(native::EVENT_PREVENTED), self.part(node, "instead")),
            "emit" => {
                let name = node.get("emit").and_then(SourceNode::as_text);
                if name.is_some_and(|name| name.value == COUNTER) {
                    return self.event(native::EVENT_PREVENTED);
                }
                let event = name.and_then(|name| self.checker.symbols.events.get(&name.value));
                event.map(|event| event.id).map_or(NO_PROMPTS, |event| self.event(event))
            }
            "set" | "add" => {
                let writes = node.get(head).and_then(SourceNode::as_map).map_or(0, <[_]>::len);
                times(Some(writes as u64), self.event(native::CHANGED))
            }
            "move" => times(None, self.event(native::MOVED)),
            "create" | "become" => self.event(native::CREATED),
            "remove" => self.event(native::REMOVED),
            "roll" => self.event(native::ROLLED),
            "shuffle" => self.event(native::SHUFFLED),
            "end" => self.event(native::MATCH_ENDED),
            // The effects of these are known only at run time.
            "take" | "resolve" | "call" => None,
            name if operation(name).is_none() => self.proc(name),
            _ => NO_PROMPTS,
        }
    }

    /// Returns the maximum length of the list. It is known only for `players`.
    fn list_length(&self, node: &SourceNode) -> PromptCount {
        let text = node.get("each").and_then(SourceNode::as_text)?;
        (text.value.trim() == "players").then(|| u64::from(self.checker.program.seats.max))
    }
}
