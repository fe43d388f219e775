//! Reading scenario files: what stands where, and what to say if it does not.
//!
//! Start at [`Reader::scenarios`]. Steps are read in [`steps`](crate::steps),
//! listings of events in [`listings`](crate::listings).

use std::collections::BTreeMap;

use intermezzo_compiler::diagnostic::suggest;
use intermezzo_compiler::tree::{Entry, Node, Text, Value};
use intermezzo_compiler::{Diagnostic, SourceMap, Span};
use intermezzo_ruleset::{Program, Seat};

use crate::scenario::{Scenario, Throw};

const FILE_KEYS: &[&str] = &["scenarios", "ignore", "options", "seats", "seed", "given"];
const SCENARIO_KEYS: &[&str] =
    &["name", "text", "options", "seats", "seed", "dice", "ignore", "given", "start", "play"];

/// Reads scenarios, collecting everything that is wrong with them.
pub(crate) struct Reader<'a> {
    /// The ruleset's program, for the names in it.
    pub(crate) program: &'a Program,
    pub(crate) sources: &'a SourceMap,
    pub(crate) out: Vec<Diagnostic>,
    /// How many seats the scenario at hand has.
    pub(crate) seats: u8,
    names: BTreeMap<String, Span>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(program: &'a Program, sources: &'a SourceMap) -> Reader<'a> {
        Reader { program, sources, out: Vec::new(), seats: program.seats.usual, names: BTreeMap::new() }
    }

    /// The scenarios of a file, which may say for all of them what is common; none of those with mistakes.
    pub(crate) fn file<'n>(&mut self, node: &'n Node) -> Vec<Scenario<'n>> {
        self.check_keys(node, "a scenario file", FILE_KEYS);
        match node.get("scenarios") {
            Some(list) => self.scenarios(list, Some(node)),
            None if node.as_map().is_some() => {
                self.wrong("E-KEY", node.span, "there is no `scenarios` in this file");
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// The scenarios of a list; none of those with mistakes.
    pub(crate) fn scenarios<'n>(&mut self, list: &'n Node, common: Option<&'n Node>) -> Vec<Scenario<'n>> {
        let mut scenarios = Vec::new();
        let is_inline = self.is_inline(list);
        for node in self.list(list, "`scenarios`") {
            let mistakes = self.out.len();
            let scenario = self.scenario(node, common, is_inline);
            if self.out.len() == mistakes {
                scenarios.extend(scenario);
            }
        }
        scenarios
    }

    fn scenario<'n>(
        &mut self,
        node: &'n Node,
        common: Option<&'n Node>,
        is_inline: bool,
    ) -> Option<Scenario<'n>> {
        self.check_keys(node, "a scenario", SCENARIO_KEYS);
        let name = self.name(node)?;
        // What is common comes first, so that the scenario's own has the last word.
        let both = |key: &'static str| common.into_iter().chain([node]).filter_map(move |part| part.get(key));
        let seats = both("seats").next_back();
        self.seats = seats.map_or(self.program.seats.usual, |seats| self.seat_count(seats));
        let seed = both("seed").next_back().map_or(0, |seed| self.whole(seed, "`seed`"));
        let options = both("options").flat_map(|part| self.options(part)).collect();
        let dice = node.get("dice").map_or_else(Vec::new, |dice| self.dice(dice));
        let ignored = both("ignore").flat_map(|part| self.event_names(part)).collect();
        let given = both("given").collect();
        let is_inline = is_inline || self.is_inline(node);
        let start = node.entry("start").map(|entry| self.listing(entry, is_inline));
        let steps = node.get("play").map_or_else(Vec::new, |play| self.steps(play, is_inline));
        if node.get("play").is_none() && start.is_none() {
            self.wrong("E-KEY", name.span, "this scenario has no `play`");
        }
        Some(Scenario { name, seats: self.seats, seed, options, dice, given, ignored, start, steps })
    }

    fn name<'n>(&mut self, node: &'n Node) -> Option<&'n Text> {
        let Some(name) = node.get("name") else {
            if node.as_map().is_some() {
                self.wrong("E-KEY", node.span, "this scenario has no `name`");
            }
            return None;
        };
        let name = self.text(name, "`name`")?;
        if let Some(first) = self.names.insert(name.value.clone(), name.span) {
            let message = format!("two scenarios are called `{}`", name.value);
            self.out.push(Diagnostic::error("E-NAME", name.span, message).related(first, "the other one"));
        }
        Some(name)
    }

    fn seat_count(&mut self, node: &Node) -> u8 {
        let (min, max) = (self.program.seats.min, self.program.seats.max);
        let count = node.as_int().and_then(|count| u8::try_from(count).ok());
        match count.filter(|count| (min..=max).contains(count)) {
            Some(count) => count,
            None => {
                let wanted = if min == max { format!("{min}") } else { format!("{min} to {max}") };
                self.wrong("E-TYPE", node.span, format!("this ruleset is for {wanted} seats"));
                self.program.seats.usual
            }
        }
    }

    fn options<'n>(&mut self, node: &'n Node) -> Vec<&'n Entry> {
        let program = self.program;
        let known: Vec<&str> = program.options.iter().map(|option| program.symbol(option.name)).collect();
        let entries = self.map(node, "`options`");
        for entry in entries {
            self.check_name(&entry.key, "option", &known);
        }
        entries.iter().collect()
    }

    fn dice<'n>(&mut self, node: &'n Node) -> Vec<Throw<'n>> {
        self.list(node, "`dice`").iter().map(|node| self.throw(node)).collect()
    }

    fn throw<'n>(&mut self, node: &'n Node) -> Throw<'n> {
        if node.as_map().is_none() {
            return Throw { label: None, faces: self.faces(node) };
        }
        self.check_keys(node, "a roll", &["for", "faces"]);
        let label = node.get("for").and_then(|label| self.text(label, "`for`"));
        if let Some(label) = label {
            let program = self.program;
            let labels = program.rolls.iter().filter_map(|roll| Some(program.symbol(roll.label?)));
            self.check_name(label, "roll", &labels.collect::<Vec<_>>());
        }
        let Some(faces) = node.get("faces") else {
            self.wrong("E-KEY", node.span, "a roll needs `faces`");
            return Throw { label, faces: Vec::new() };
        };
        Throw { label, faces: self.faces(faces) }
    }

    fn faces(&mut self, node: &Node) -> Vec<i64> {
        let faces: Option<Vec<i64>> = match &node.value {
            Value::Int(face) => Some(vec![*face]),
            Value::List(nodes) => nodes.iter().map(Node::as_int).collect(),
            _ => None,
        };
        faces.unwrap_or_else(|| {
            self.wrong("E-TYPE", node.span, "dice are numbers, such as `17` or `[4, 2]`");
            Vec::new()
        })
    }

    fn whole(&mut self, node: &Node, what: &str) -> u64 {
        let number = node.as_int().and_then(|number| u64::try_from(number).ok());
        number.unwrap_or_else(|| {
            self.wrong(
                "E-TYPE",
                node.span,
                format!("{what} is a number from 0 on, but this is {}", node.kind_name()),
            );
            0
        })
    }

    /// A seat written as `p0`, if there is such a seat.
    pub(crate) fn seat(&mut self, text: &str, span: Span) -> Option<Seat> {
        match seat_number(text) {
            Some(seat) if seat < u32::from(self.seats) => Some(Seat(seat as u8)),
            Some(_) => {
                let last = self.seats - 1;
                let message = format!("there is no seat `{text}`");
                self.out.push(
                    Diagnostic::error("E-NAME", span, message).hint(format!("seats are p0 to p{last}")),
                );
                None
            }
            None => {
                self.wrong(
                    "E-TYPE",
                    span,
                    format!("`{text}` is no seat; seats are written `p0`, `p1` and so on"),
                );
                None
            }
        }
    }

    /// One seat or a list of seats.
    pub(crate) fn seat_list(&mut self, node: &Node, what: &str) -> Vec<Seat> {
        let one = std::slice::from_ref(node);
        let nodes = node.as_list().unwrap_or(one);
        let mut seats = Vec::new();
        for node in nodes {
            let text = self.text(node, what);
            seats.extend(text.and_then(|text| self.seat(text.as_str(), text.span)));
        }
        seats
    }

    pub(crate) fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n Text> {
        let text = node.as_text();
        if text.is_none() {
            self.wrong(
                "E-TYPE",
                node.span,
                format!("{what} should be text, but this is {}", node.kind_name()),
            );
        }
        text
    }

    pub(crate) fn list<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        node.as_list().unwrap_or_else(|| {
            self.wrong(
                "E-TYPE",
                node.span,
                format!("{what} should be a list, but this is {}", node.kind_name()),
            );
            &[]
        })
    }

    pub(crate) fn map<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Entry] {
        node.as_map().unwrap_or_else(|| {
            self.wrong(
                "E-TYPE",
                node.span,
                format!("{what} should be an object, but this is {}", node.kind_name()),
            );
            &[]
        })
    }

    /// Reports keys that mean nothing here.
    pub(crate) fn check_keys(&mut self, node: &Node, what: &str, known: &[&str]) {
        for entry in self.map(node, what) {
            self.check_name(&entry.key, "key", known);
        }
    }

    /// Reports a name that is not among those known.
    pub(crate) fn check_name(&mut self, name: &Text, what: &str, known: &[&str]) {
        if known.contains(&name.as_str()) {
            return;
        }
        let code = if what == "key" { "E-KEY" } else { "E-NAME" };
        let problem = Diagnostic::error(code, name.span, format!("unknown {what} `{}`", name.value));
        self.out.push(match suggest(name.as_str(), known.iter().copied()) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None if known.is_empty() => problem,
            None => problem.hint(format!("known here: {}", known.join(", "))),
        });
    }

    pub(crate) fn wrong(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.out.push(Diagnostic::error(code, span, message));
    }

    /// Whether a list or object is written in brackets.
    pub(crate) fn is_inline(&self, node: &Node) -> bool {
        let rest = self.sources.text(node.span.file).as_bytes();
        matches!(rest.get(node.span.start as usize), Some(b'{' | b'['))
    }
}

/// The number of a seat written as `p0`.
pub(crate) fn seat_number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('p')?;
    (digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}
