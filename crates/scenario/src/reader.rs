//! Parsing of scenario files, with diagnostics.
//!
//! Start at [`ScenarioReader::scenarios`]. [`steps`](crate::steps) reads steps,
//! [`event_listing`](crate::event_listing) listings of events.

use std::collections::BTreeMap;

use intermezzo_compiler::diagnostic::suggest;
use intermezzo_compiler::grammar::Object;
use intermezzo_compiler::grammar::scenarios::{DICE_THROW, SCENARIO, SCENARIO_FILE};
use intermezzo_compiler::tree::{MapEntry, NodeValue, SourceNode, SourceText};
use intermezzo_compiler::{Diagnostic, SourceMap, Span};
use intermezzo_program::{Program, Seat};

use crate::scenario::{DiceThrow, Scenario};

/// Parser for scenarios. Collects all diagnostics.
pub(crate) struct ScenarioReader<'a> {
    /// Program of the ruleset, for its names.
    pub(crate) program: &'a Program,
    pub(crate) sources: &'a SourceMap,
    pub(crate) out: Vec<Diagnostic>,
    /// Number of seats of the current scenario.
    pub(crate) seats: u8,
    names: BTreeMap<String, Span>,
}

impl<'a> ScenarioReader<'a> {
    pub(crate) fn new(program: &'a Program, sources: &'a SourceMap) -> ScenarioReader<'a> {
        ScenarioReader {
            program,
            sources,
            out: Vec::new(),
            seats: program.seats.default,
            names: BTreeMap::new(),
        }
    }

    /// Reads the valid scenarios of a file, with the settings the file has for all of them.
    pub(crate) fn file<'n>(&mut self, node: &'n SourceNode) -> Vec<Scenario<'n>> {
        self.check_keys(node, &SCENARIO_FILE);
        match node.get("scenarios") {
            Some(list) => self.scenarios(list, Some(node)),
            None if node.as_map().is_some() => {
                self.error("E-KEY", node.span, "this file has no `scenarios`");
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// Reads the valid scenarios of a list.
    pub(crate) fn scenarios<'n>(
        &mut self,
        list: &'n SourceNode,
        common: Option<&'n SourceNode>,
    ) -> Vec<Scenario<'n>> {
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
        node: &'n SourceNode,
        common: Option<&'n SourceNode>,
        is_inline: bool,
    ) -> Option<Scenario<'n>> {
        self.check_keys(node, &SCENARIO);
        let name = self.name(node)?;
        // Settings of the file come first, so that those of the scenario override them.
        let both = |key: &'static str| common.into_iter().chain([node]).filter_map(move |part| part.get(key));
        let seats = both("seats").next_back();
        self.seats = seats.map_or(self.program.seats.default, |seats| self.seat_count(seats));
        let seed = both("seed").next_back().map_or(0, |seed| self.unsigned(seed, "`seed`"));
        let options = both("options").flat_map(|part| self.options(part)).collect();
        let dice = node.get("dice").map_or_else(Vec::new, |dice| self.dice(dice));
        let ignored = both("ignore").flat_map(|part| self.event_names(part)).collect();
        let given = both("given").collect();
        let is_inline = is_inline || self.is_inline(node);
        let start = node.entry("start").map(|entry| self.listing(entry, is_inline));
        let steps = node.get("play").map_or_else(Vec::new, |play| self.steps(play, is_inline));
        if node.get("play").is_none() && start.is_none() {
            self.error("E-KEY", name.span, "this scenario has no `play`");
        }
        Some(Scenario { name, seats: self.seats, seed, options, dice, given, ignored, start, steps })
    }

    fn name<'n>(&mut self, node: &'n SourceNode) -> Option<&'n SourceText> {
        let Some(name) = node.get("name") else {
            if node.as_map().is_some() {
                self.error("E-KEY", node.span, "this scenario has no `name`");
            }
            return None;
        };
        let name = self.text(name, "`name`")?;
        if let Some(first) = self.names.insert(name.value.clone(), name.span) {
            let message = format!("duplicate scenario name `{}`", name.value);
            self.out.push(Diagnostic::error("E-NAME", name.span, message).related(first, "first used here"));
        }
        Some(name)
    }

    fn seat_count(&mut self, node: &SourceNode) -> u8 {
        let (min, max) = (self.program.seats.min, self.program.seats.max);
        let count = node.as_int().and_then(|count| u8::try_from(count).ok());
        match count.filter(|count| (min..=max).contains(count)) {
            Some(count) => count,
            None => {
                let wanted = if min == max { format!("{min}") } else { format!("{min} to {max}") };
                self.error("E-TYPE", node.span, format!("this ruleset needs {wanted} seats"));
                self.program.seats.default
            }
        }
    }

    fn options<'n>(&mut self, node: &'n SourceNode) -> Vec<&'n MapEntry> {
        let program = self.program;
        let known: Vec<&str> = program.options.iter().map(|option| program.symbol(option.name)).collect();
        let entries = self.map(node, "`options`");
        for entry in entries {
            self.check_name(&entry.key, "option", &known);
        }
        entries.iter().collect()
    }

    fn dice<'n>(&mut self, node: &'n SourceNode) -> Vec<DiceThrow<'n>> {
        self.list(node, "`dice`").iter().map(|node| self.dice_throw(node)).collect()
    }

    fn dice_throw<'n>(&mut self, node: &'n SourceNode) -> DiceThrow<'n> {
        if node.as_map().is_none() {
            return DiceThrow { label: None, faces: self.faces(node) };
        }
        self.check_keys(node, &DICE_THROW);
        let label = node.get("for").and_then(|label| self.text(label, "`for`"));
        if let Some(label) = label {
            let program = self.program;
            let labels = program.rolls.iter().filter_map(|roll| Some(program.symbol(roll.label?)));
            self.check_name(label, "roll", &labels.collect::<Vec<_>>());
        }
        let Some(faces) = node.get("faces") else {
            self.error("E-KEY", node.span, "a roll needs `faces`");
            return DiceThrow { label, faces: Vec::new() };
        };
        DiceThrow { label, faces: self.faces(faces) }
    }

    fn faces(&mut self, node: &SourceNode) -> Vec<i64> {
        let faces: Option<Vec<i64>> = match &node.value {
            NodeValue::Int(face) => Some(vec![*face]),
            NodeValue::List(nodes) => nodes.iter().map(SourceNode::as_int).collect(),
            _ => None,
        };
        faces.unwrap_or_else(|| {
            self.error("E-TYPE", node.span, "dice are numbers, such as `17` or `[4, 2]`");
            Vec::new()
        })
    }

    fn unsigned(&mut self, node: &SourceNode, what: &str) -> u64 {
        let number = node.as_int().and_then(|number| u64::try_from(number).ok());
        number.unwrap_or_else(|| {
            self.error(
                "E-TYPE",
                node.span,
                format!("{what} must be a number from 0, but this is {}", node.kind_name()),
            );
            0
        })
    }

    /// Parses a seat written as `p0`. Reports unknown seats.
    pub(crate) fn seat(&mut self, text: &str, span: Span) -> Option<Seat> {
        match seat_number(text) {
            Some(seat) if seat < u32::from(self.seats) => Some(Seat(seat as u8)),
            Some(_) => {
                let last = self.seats - 1;
                let message = format!("unknown seat `{text}`");
                self.out.push(
                    Diagnostic::error("E-NAME", span, message).hint(format!("seats are p0 to p{last}")),
                );
                None
            }
            None => {
                self.error("E-TYPE", span, format!("`{text}` is not a seat; seats are `p0`, `p1` and so on"));
                None
            }
        }
    }

    /// Reads one seat or a list of seats.
    pub(crate) fn seat_list(&mut self, node: &SourceNode, what: &str) -> Vec<Seat> {
        let one = std::slice::from_ref(node);
        let nodes = node.as_list().unwrap_or(one);
        let mut seats = Vec::new();
        for node in nodes {
            let text = self.text(node, what);
            seats.extend(text.and_then(|text| self.seat(text.as_str(), text.span)));
        }
        seats
    }

    pub(crate) fn text<'n>(&mut self, node: &'n SourceNode, what: &str) -> Option<&'n SourceText> {
        let text = node.as_text();
        if text.is_none() {
            self.error(
                "E-TYPE",
                node.span,
                format!("{what} should be text, but this is {}", node.kind_name()),
            );
        }
        text
    }

    pub(crate) fn list<'n>(&mut self, node: &'n SourceNode, what: &str) -> &'n [SourceNode] {
        node.as_list().unwrap_or_else(|| {
            self.error(
                "E-TYPE",
                node.span,
                format!("{what} should be a list, but this is {}", node.kind_name()),
            );
            &[]
        })
    }

    pub(crate) fn map<'n>(&mut self, node: &'n SourceNode, what: &str) -> &'n [MapEntry] {
        node.as_map().unwrap_or_else(|| {
            self.error(
                "E-TYPE",
                node.span,
                format!("{what} should be an object, but this is {}", node.kind_name()),
            );
            &[]
        })
    }

    /// Reports unknown keys.
    pub(crate) fn check_keys(&mut self, node: &SourceNode, object: &Object) {
        let known: Vec<&str> = object.names().collect();
        for entry in self.map(node, object.what) {
            self.check_name(&entry.key, "key", &known);
        }
    }

    /// Reports an unknown name.
    pub(crate) fn check_name(&mut self, name: &SourceText, what: &str, known: &[&str]) {
        if known.contains(&name.as_str()) {
            return;
        }
        let code = if what == "key" { "E-KEY" } else { "E-NAME" };
        let problem = Diagnostic::error(code, name.span, format!("unknown {what} `{}`", name.value));
        self.out.push(match suggest(name.as_str(), known.iter().copied()) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None if known.is_empty() => problem,
            None => problem.hint(format!("expected one of: {}", known.join(", "))),
        });
    }

    pub(crate) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.out.push(Diagnostic::error(code, span, message));
    }

    /// Returns whether a list or object is written in brackets.
    pub(crate) fn is_inline(&self, node: &SourceNode) -> bool {
        let rest = self.sources.text(node.span.file).as_bytes();
        matches!(rest.get(node.span.start as usize), Some(b'{' | b'['))
    }
}

/// Parses the number of a seat written as `p0`.
pub(crate) fn seat_number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('p')?;
    (digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}
