//! How many questions an event or an action can lead to, as far as that can be told before play.
//!
//! Counted are the questions, not the players asked by one of them. A bound is
//! there if every loop around a `choose` has one, nothing leads back to where
//! it came from, and no rule that asks belongs to things of which there may be
//! any number.

use std::collections::BTreeMap;

use intermezzo_ruleset::{EventId, native};

use super::Checker;
use super::stmts::operation;
use crate::tree::{Node, Value};

/// At most so many, or nobody knows.
pub(crate) type Bound = Option<u64>;

const NONE: Bound = Some(0);

fn plus(a: Bound, b: Bound) -> Bound {
    a.zip(b).map(|(a, b)| a.saturating_add(b))
}

fn times(count: Bound, each: Bound) -> Bound {
    match each {
        NONE => NONE,
        each => count.zip(each).map(|(count, each)| count.saturating_mul(each)),
    }
}

fn most(a: Bound, b: Bound) -> Bound {
    a.zip(b).map(|(a, b)| a.max(b))
}

/// Nested deeper than this, a bound is given up.
const MAX_DEPTH: usize = 200;

/// Bounds of events depend on each other. Those that still grow after so many rounds have none.
const MAX_ROUNDS: usize = 64;
const MAX_TRIES: usize = 8;

/// A walk over the statements of a ruleset.
struct Walk<'c, 's> {
    checker: &'c Checker<'s>,
    /// Event → the reactions to it; those of defs and traits may have any number of hosts.
    reactions: BTreeMap<u16, Vec<(&'c Node, bool)>>,
    /// Event → its consequences.
    consequences: BTreeMap<u16, &'c Node>,
    /// The bound of each event, as far as it is known.
    events: Vec<Bound>,
    /// Procs looked at in this round.
    procs: BTreeMap<String, Bound>,
    depth: usize,
}

impl Checker<'_> {
    /// The most questions that each event and action can lead to; those that ask nothing are left out.
    pub(crate) fn prompts(&self) -> Vec<crate::Prompts> {
        let mut walk = Walk::new(self);
        walk.settle();
        let mut found = Vec::new();
        for (name, event) in self.world.events.iter() {
            found.push((format!("events.{name}"), walk.event(event.id)));
        }
        for (id, action) in walk.actions() {
            let bound = walk.action(action);
            found.push((format!("actions.{id}"), bound));
        }
        found.retain(|(_, bound)| *bound != NONE);
        found.sort_by_key(|(rule, bound)| (std::cmp::Reverse(bound.unwrap_or(u64::MAX)), rule.clone()));
        found.into_iter().map(|(rule, most)| crate::Prompts { rule, most }).collect()
    }
}

impl<'c, 's> Walk<'c, 's> {
    fn new(checker: &'c Checker<'s>) -> Walk<'c, 's> {
        let mut walk = Walk {
            checker,
            reactions: BTreeMap::new(),
            consequences: BTreeMap::new(),
            events: vec![NONE; checker.program.events.len()],
            procs: BTreeMap::new(),
            depth: 0,
        };
        let merged = checker.merged;
        for (section, _) in merged.section("reactions") {
            walk.note_reactions(Some(section), false);
        }
        for (section, _) in merged.section("events") {
            for entry in section.as_map().unwrap_or_default() {
                let event = checker.world.events.get(&entry.key.value);
                if let (Some(event), Some(then)) = (event, entry.value.get("then")) {
                    walk.consequences.insert(event.id.0, then);
                }
            }
        }
        for (section, _) in merged.section("defs").chain(merged.section("traits")) {
            for entry in section.as_map().unwrap_or_default() {
                walk.note_reactions(entry.value.get("reactions"), true);
            }
        }
        walk
    }

    fn note_reactions(&mut self, section: Option<&'c Node>, is_hosted: bool) {
        for reaction in section.and_then(Node::as_list).unwrap_or_default() {
            let when = reaction.get("when");
            let name = ["before", "after", "eventType"].iter().find_map(|key| when?.get(key)?.as_text());
            let Some(name) = name else { continue };
            let world = &self.checker.world;
            let event = world.events.get(&name.value).map(|event| event.id);
            let event = event.or_else(|| world.aliases.get(&name.value).map(|alias| alias.of));
            if let Some(event) = event {
                self.reactions.entry(event.0).or_default().push((reaction, is_hosted));
            }
        }
    }

    /// All actions with their ids.
    fn actions(&self) -> Vec<(String, &'c Node)> {
        let merged = self.checker.merged;
        let mut lists: Vec<&'c Node> = merged.section("actions").map(|(section, _)| section).collect();
        for (section, _) in merged.section("defs").chain(merged.section("traits")) {
            let entries = section.as_map().unwrap_or_default();
            lists.extend(entries.iter().filter_map(|entry| entry.value.get("actions")));
        }
        let items = lists.into_iter().flat_map(|list| list.as_list().unwrap_or_default());
        items.filter_map(|node| Some((node.get("id")?.as_text()?.value.clone(), node))).collect()
    }

    fn action(&mut self, node: &'c Node) -> Bound {
        let own = plus(self.asks(node), plus(self.part(node, "effects"), self.part(node, "finally")));
        plus(own, plus(self.event(native::ANNOUNCED), self.event(native::ACTION)))
    }

    /// What still grows is without bound, and so is what depends on it.
    fn settle(&mut self) {
        if !(0..MAX_TRIES).any(|_| self.settles()) {
            self.events.iter_mut().filter(|bound| **bound != NONE).for_each(|bound| *bound = None);
        }
    }

    /// Computes the bounds of all events until they stay the same. If some do not, they get none, and it gives false.
    fn settles(&mut self) -> bool {
        let mut growing = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let old = self.events.clone();
            self.procs.clear();
            // What was given up stays so.
            for (number, _) in old.iter().enumerate().filter(|(_, bound)| bound.is_some()) {
                self.events[number] = self.life(EventId(number as u16));
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

    fn event(&self, event: EventId) -> Bound {
        self.events.get(event.index()).copied().unwrap_or(NONE)
    }

    /// What an event leads to: its consequences, and everything that reacts to it.
    fn life(&mut self, event: EventId) -> Bound {
        let then = self.consequences.get(&event.0).copied();
        let mut bound = then.map_or(NONE, |then| self.statement(then));
        for (reaction, is_hosted) in self.reactions.get(&event.0).cloned().unwrap_or_default() {
            let hosts = if is_hosted { None } else { Some(1) };
            let own = self.reaction(reaction);
            bound = plus(bound, times(hosts, own));
        }
        bound
    }

    fn reaction(&mut self, node: &'c Node) -> Bound {
        let may = u64::from(node.get("may").and_then(Node::as_bool) == Some(true));
        // With targets, whether and at what is one question.
        let may = if node.get("targets").is_some() { 0 } else { may };
        plus(Some(may), plus(self.asks(node), self.part(node, "effects")))
    }

    /// Targets and costs.
    fn asks(&mut self, node: &'c Node) -> Bound {
        let targets = node.get("targets").and_then(Node::as_list).map_or(0, <[Node]>::len);
        plus(Some(targets as u64), self.part(node, "costs"))
    }

    fn part(&mut self, node: &'c Node, key: &str) -> Bound {
        node.get(key).map_or(NONE, |part| self.statement(part))
    }

    fn statement(&mut self, node: &'c Node) -> Bound {
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let bound = match &node.value {
            Value::List(items) => items.iter().fold(NONE, |bound, item| plus(bound, self.statement(item))),
            Value::Text(text) => self.proc(&text.value),
            Value::Map(entries) => {
                let head = entries
                    .iter()
                    .map(|entry| entry.key.value.as_str())
                    .find(|key| operation(key).is_some() || self.checker.world.procs.contains(key));
                head.map_or(NONE, |head| self.operation(head, node))
            }
            _ => NONE,
        };
        self.depth -= 1;
        bound
    }

    fn proc(&mut self, name: &str) -> Bound {
        let checker = self.checker;
        let Some(proc) = checker.world.procs.get(name) else { return NONE };
        if let Some(known) = self.procs.get(name) {
            return *known;
        }
        let bound = self.statement(&proc.body);
        self.procs.insert(name.to_owned(), bound);
        bound
    }

    fn operation(&mut self, head: &str, node: &'c Node) -> Bound {
        match head {
            "choose" => Some(1),
            "if" => most(self.part(node, "then"), self.part(node, "else")),
            "switch" => {
                let cases = node.get("cases").and_then(Node::as_map).unwrap_or_default();
                let cases = cases.iter().fold(NONE, |bound, case| most(bound, self.statement(&case.value)));
                most(cases, self.part(node, "else"))
            }
            "each" => times(self.length(node), self.part(node, "do")),
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
                let name = node.get("emit").and_then(Node::as_text);
                let event = name.and_then(|name| self.checker.world.events.get(&name.value));
                event.map(|event| event.id).map_or(NONE, |event| self.event(event))
            }
            "set" | "add" => {
                let writes = node.get(head).and_then(Node::as_map).map_or(0, <[_]>::len);
                times(Some(writes as u64), self.event(native::CHANGED))
            }
            "move" => times(None, self.event(native::MOVED)),
            "create" => self.event(native::CREATED),
            "remove" => self.event(native::REMOVED),
            "roll" => self.event(native::ROLLED),
            "shuffle" => self.event(native::SHUFFLED),
            "end" => self.event(native::MATCH_ENDED),
            // What these do is not known before play.
            "take" | "resolve" | "call" => None,
            name if operation(name).is_none() => self.proc(name),
            _ => NONE,
        }
    }

    /// How many items a list has at most: there are only so many players.
    fn length(&self, node: &Node) -> Bound {
        let text = node.get("each").and_then(Node::as_text)?;
        (text.value.trim() == "players").then(|| u64::from(self.checker.program.seats.max))
    }
}
