//! The header of a ruleset: id, version, seats and limits.

use crate::grammar::{sections, state};
use intermezzo_program::{GuardLimits, SeatCount};

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::tree::{NodeValue, SourceNode};

/// Maximum number of declarations in a section, over all files.
const MAX_DECLARATIONS: usize = 4_000;
/// Maximum number of defs, functions, procs or symbols.
const MAX_LARGE: usize = 20_000;
/// Maximum number of entries in each table of a program. Ids have 16 bits.
const MAX_ENTRIES: usize = 60_000;

/// Keys of the section `ruleset`.
impl Checker<'_> {
    /// Returns true if a section has too many declarations. Reports each such section once.
    pub(crate) fn is_too_large(&mut self) -> bool {
        let mut too_large = false;
        for section in sections::RULESET.names() {
            let merged = self.merged;
            let most = match section {
                "setup" | "flow" | "ui" | "tutorial" | "messages" | "scenarios" => continue,
                "defs" | "functions" | "procs" | "symbols" => MAX_LARGE,
                _ => MAX_DECLARATIONS,
            };
            let size = |node: &SourceNode| {
                node.as_map().map_or(0, <[_]>::len) + node.as_list().map_or(0, <[_]>::len)
            };
            let parts: Vec<&SourceNode> = merged.section(section).map(|(node, _)| node).collect();
            let count: usize = parts.iter().map(|node| size(node)).sum();
            if let (true, Some(last)) = (count > most, parts.last()) {
                let start = last.span.start;
                let span = crate::source::Span { end: start + 1, ..last.span };
                let message = format!("`{section}` has {count} entries; at most {most} are allowed");
                self.report_error("E-LIMIT", span, message);
                too_large = true;
            }
        }
        too_large
    }

    /// Reports a program whose tables have outgrown their 16-bit ids.
    pub(crate) fn check_tables(&mut self) {
        let program = &self.program;
        let largest = [
            program.routines.len(),
            program.types.len(),
            program.props.len(),
            program.choices.len(),
            program.creates.len(),
            program.rolls.len(),
            program.reactions.len(),
            program.defs.len(),
        ];
        if largest.into_iter().any(|entries| entries > MAX_ENTRIES)
            && let Some(node) = self.merged.last("ruleset")
        {
            let span = node.span;
            self.report_error("E-LIMIT", span, "this ruleset has too many rules for one program");
        }
    }

    pub(crate) fn header(&mut self) {
        let Some(node) = self.merged.last("ruleset") else { return };
        self.entries(node, &sections::HEADER);
        let text =
            |node: Option<&SourceNode>| node.and_then(SourceNode::as_text).map(|text| text.value.clone());
        if let Some(id) = node.get("id").and_then(SourceNode::as_text) {
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
                    .hint("use lower-case letters, digits and `-`, at most 64 of them"),
                );
            }
        } else {
            self.report(
                Diagnostic::error("E-KEY", node.span, "`ruleset` needs `id`").hint("such as `id: my-game`"),
            );
        }
        match node.get("version").and_then(SourceNode::as_text) {
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
        if let Some(word) = node.get("afterwards") {
            self.program.stays_hidden =
                self.word(word, "`afterwards`", sections::HEADER.words("afterwards")) == Some("closed");
        }
        self.limits();
        self.seats();
        if let Some(node) = self.merged.last("reactionTiming") {
            self.word(node, "`reactionTiming`", sections::RULESET.words("reactionTiming"));
        }
        if let Some(node) = self.merged.last("reactionTargeting") {
            self.word(node, "`reactionTargeting`", sections::RULESET.words("reactionTargeting"));
        }
        self.reaction_order();
    }

    /// Reads `reactionOrder`: the order of the players, and whether each chooses the order of their own reactions.
    fn reaction_order(&mut self) {
        let Some(node) = self.merged.last("reactionOrder") else { return };
        let words = match &node.value {
            NodeValue::List(words) => words.iter().collect(),
            _ => vec![node],
        };
        let mut seats = None;
        for word in words {
            match self.word(word, "`reactionOrder`", sections::ORDERS) {
                Some("chosen") => self.is_order_chosen = true,
                Some(order) => {
                    if let Some(other) = seats.replace(order) {
                        let message = format!("`{other}` and `{order}` exclude each other");
                        self.report_error("E-KEY", word.span, message);
                    }
                    self.program.active_last = order == "apnap";
                }
                None => {}
            }
        }
    }

    fn limits(&mut self) {
        let defaults = GuardLimits::default();
        self.program.limits = defaults;
        let Some(node) = self.merged.last("limits") else { return };
        for entry in self.entries(node, &sections::LIMITS) {
            let key = entry.key.value.as_str();
            if key == "loop" {
                self.program.loops_draw =
                    self.word(&entry.value, "`loop`", sections::LIMITS.words("loop")) == Some("draw");
                continue;
            }
            let ceiling = match key {
                "steps_per_input" => defaults.steps,
                "stack_depth" => defaults.depth,
                "events_per_input" => defaults.events,
                "entities" => defaults.entities,
                _ => defaults.reactions,
            };
            let value = self.number(&entry.value, &format!("`{key}`"));
            if value < 1 || value > i64::from(ceiling) {
                let message = format!("`{key}` must be between 1 and {ceiling}");
                self.report_error("E-LIMIT", entry.value.span, message);
                continue;
            }
            let value = value as u32;
            match key {
                "steps_per_input" => self.program.limits.steps = value,
                "stack_depth" => self.program.limits.depth = value,
                "events_per_input" => self.program.limits.events = value,
                "entities" => self.program.limits.entities = value,
                _ => self.program.limits.reactions = value,
            }
        }
    }

    pub(crate) fn seats(&mut self) {
        let merged = self.merged;
        let Some(node) = merged.last("players") else { return };
        for (part, _) in merged.section("players") {
            self.entries(part, &state::PLAYERS);
            if let Some(leavers) = part.get("leavers") {
                let word = self.word(leavers, "`leavers`", state::PLAYERS.words("leavers"));
                self.skips_leavers = word == Some("skipped");
            }
        }
        let find = |key: &str| merged.section("players").filter_map(|(part, _)| part.get(key)).last();
        let mut is_wrong = false;
        let mut number = |key: &str| {
            let value = find(key)?;
            is_wrong |= value.as_int().is_none();
            Some((self.number(value, &format!("`{key}`")), value.span))
        };
        let usual = number("seats");
        let min = number("min").or(usual).unwrap_or((2, node.span));
        let max = number("max").or(usual).unwrap_or((2, node.span));
        let usual = usual.unwrap_or(min);
        if is_wrong {
            return;
        }
        for (value, span) in [usual, min, max] {
            if !(1..=16).contains(&value) {
                self.report_error("E-LIMIT", span, "a match has 1 to 16 seats");
                return;
            }
        }
        if !(min.0 <= usual.0 && usual.0 <= max.0) {
            self.report_error("E-LIMIT", usual.1, "`seats` must be between `min` and `max`");
            return;
        }
        self.program.seats = SeatCount { min: min.0 as u8, max: max.0 as u8, default: usual.0 as u8 };
    }
}
