//! Parsing of steps: inputs, and checks after them.

use intermezzo_compiler::Diagnostic;
use intermezzo_compiler::diagnostic::suggest;
use intermezzo_compiler::grammar::scenarios::{
    ASKED, AUTO, CLOCK, ENDED, INPUTS, MODERATION, POTS, SIGHT, STAKES, STEP,
};
use intermezzo_compiler::tree::{MapEntry, NodeValue, SourceNode};
use intermezzo_engine::{LeaveCause, PassUntil, Viewer};
use intermezzo_program::{Seat, Symbol, native};

use crate::reader::{ScenarioReader, seat_number};
use crate::scenario::{LocatedInput, ScenarioStep, StepCheck, StepInput};

/// Outcomes of the engine, which a ruleset need not declare.
const NATIVE_OUTCOMES: [Symbol; 7] = [
    native::DISCONNECT,
    native::CONCEDE,
    native::KICKED,
    native::MODERATOR,
    native::FINISHED,
    native::LOOP,
    native::OUT_OF_TIME,
];

impl ScenarioReader<'_> {
    pub(crate) fn steps<'n>(&mut self, play: &'n SourceNode, is_inline: bool) -> Vec<ScenarioStep<'n>> {
        let is_inline = is_inline || self.is_inline(play);
        self.list(play, "`play`").iter().map(|node| self.step(node, is_inline)).collect()
    }

    fn step<'n>(&mut self, node: &'n SourceNode, is_inline: bool) -> ScenarioStep<'n> {
        let is_inline = is_inline || self.is_inline(node);
        let mut step = ScenarioStep {
            span: node.span,
            inputs: Vec::new(),
            is_late: false,
            to: None,
            refused: None,
            unseen_by: Vec::new(),
            events: None,
            checks: Vec::new(),
        };
        for entry in self.map(node, "a step") {
            self.step_entry(&mut step, entry, is_inline);
        }
        self.check_step(&step);
        step
    }

    fn step_entry<'n>(&mut self, step: &mut ScenarioStep<'n>, entry: &'n MapEntry, is_inline: bool) {
        let node = &entry.value;
        match entry.key.as_str() {
            "late" => match node.as_bool() {
                Some(is_late) => step.is_late = is_late,
                None => self.error("E-TYPE", node.span, "`late` must be true or omitted"),
            },
            "to" => step.to = self.text(node, "`to`").and_then(|text| self.seat(text.as_str(), text.span)),
            "refused" => step.refused = self.text(node, "`refused`"),
            "unseen_by" => step.unseen_by = self.viewers(node),
            "events" => step.events = Some(self.listing(entry, is_inline)),
            "expect" => self.expect(node, &mut step.checks),
            "pending" => self.pending(node, &mut step.checks),
            "actions" => self.actions(node, is_inline, &mut step.checks),
            "sees" => self.sees(node, is_inline, &mut step.checks),
            "ended" => self.ended(entry, &mut step.checks),
            "stakes" => {
                self.check_keys(node, &STAKES);
                step.checks.push(StepCheck::Stakes(node));
            }
            "clock" => {
                self.check_keys(node, &CLOCK);
                step.checks.push(StepCheck::Clock(node));
            }
            _ => {
                let input = self.step_input(entry);
                step.inputs.extend(input.map(|what| LocatedInput { span: entry.key.span, what }));
            }
        }
    }

    fn step_input<'n>(&mut self, entry: &'n MapEntry) -> Option<StepInput<'n>> {
        let (key, node) = (&entry.key, &entry.value);
        match key.as_str() {
            "timeout" if node.as_text().is_some_and(|text| text.as_str() == "all") => {
                Some(StepInput::Timeout(None))
            }
            "timeout" => Some(StepInput::Timeout(Some(self.seat_list(node, "`timeout`")))),
            "leave" => self.leave(node, LeaveCause::Disconnect),
            "concede" => self.leave(node, LeaveCause::Concede),
            "kick" => self.leave(node, LeaveCause::Kicked),
            "out_of_time" => self.leave(node, LeaveCause::OutOfTime),
            "moderate" => self.moderation(node),
            word => {
                let (what, seat) = word.split_once(' ').unwrap_or(("", word));
                if seat_number(seat).is_none() || !INPUTS.contains(&what) {
                    self.unknown_step_key(entry);
                    return None;
                }
                let seat = self.seat(seat, key.span)?;
                match what {
                    "draft" => Some(StepInput::Draft(seat, node)),
                    "drag" => self.drag(seat, node),
                    "auto" => self.auto(seat, node),
                    _ => Some(StepInput::Answer(seat, node)),
                }
            }
        }
    }

    /// Reads an auto-pass: `turn`, or `{until: turn, stack: stop}`.
    fn auto<'n>(&mut self, seat: Seat, node: &'n SourceNode) -> Option<StepInput<'n>> {
        let is_short = node.as_text().is_some();
        if !is_short {
            self.check_keys(node, &AUTO);
        }
        let until = if is_short { Some(node) } else { node.get("until") };
        let Some(until) = until else {
            self.error("E-KEY", node.span, "`auto` needs `until`");
            return None;
        };
        let text = self.text(until, "`until`")?;
        let names = PassUntil::NAMES.map(|(_, name)| name);
        self.check_name(text, "duration", &names);
        let stops = match node.get("stack").map(|stack| self.text(stack, "`stack`")) {
            None => false,
            Some(stack) => {
                self.check_name(stack?, "`stack` setting", &["stop"]);
                true
            }
        };
        PassUntil::from_name(text.as_str()).map(|until| StepInput::Auto(seat, until, stops))
    }

    fn unknown_step_key(&mut self, entry: &MapEntry) {
        let keys = |seat| INPUTS.iter().map(move |what| format!("{what} p{seat}").trim_start().to_owned());
        let seats: Vec<String> = (0..self.seats).flat_map(keys).collect();
        let own: Vec<&str> = STEP.names().collect();
        let known = || own.iter().copied().chain(seats.iter().map(String::as_str));
        let problem =
            Diagnostic::error("E-KEY", entry.key.span, format!("unknown key `{}`", entry.key.value));
        self.out.push(match suggest(entry.key.as_str(), known()) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem.hint(format!("keys of a step: {}", known().collect::<Vec<_>>().join(", "))),
        });
    }

    fn leave<'n>(&mut self, node: &SourceNode, cause: LeaveCause) -> Option<StepInput<'n>> {
        let text = self.text(node, "the leaving seat")?;
        self.seat(text.as_str(), text.span).map(|seat| StepInput::Leave(seat, cause))
    }

    fn moderation<'n>(&mut self, node: &'n SourceNode) -> Option<StepInput<'n>> {
        self.check_keys(node, &MODERATION);
        let winners =
            node.get("winners").map_or_else(Vec::new, |winners| self.seat_list(winners, "`winners`"));
        let pot = match node.get("pot") {
            Some(pot) => self.text(pot, "`pot`")?,
            None => return Some(StepInput::Moderate(winners, native::SYMBOLS[native::POT_REFUND.index()])),
        };
        self.check_name(pot, "pot", POTS);
        Some(StepInput::Moderate(winners, pot.as_str()))
    }

    /// Reports keys that exclude or need each other.
    fn check_step(&mut self, step: &ScenarioStep<'_>) {
        if step.refused.is_some() && step.inputs.len() != 1 {
            self.error("E-KEY", step.span, "`refused` needs exactly one input in the same step");
        }
        if step.refused.is_some() && step.events.is_some() {
            self.error("E-KEY", step.span, "a refused input has no `events`");
        }
        let drags = step.inputs.iter().any(|sent| matches!(sent.what, StepInput::Drag(..)));
        if drags && (step.is_late || step.to.is_some()) {
            self.error(
                "E-KEY",
                step.span,
                "a drag is about the open question; `late` and `to` are for answers",
            );
        }
        let needs_input = [
            (step.events.is_some(), "events"),
            (step.is_late, "late"),
            (step.to.is_some(), "to"),
            (!step.unseen_by.is_empty(), "unseen_by"),
        ];
        for (_, key) in needs_input.into_iter().filter(|(is_there, _)| *is_there && step.inputs.is_empty()) {
            self.error("E-KEY", step.span, format!("`{key}` needs an input in the same step"));
        }
    }

    fn expect<'n>(&mut self, node: &'n SourceNode, checks: &mut Vec<StepCheck<'n>>) {
        match &node.value {
            NodeValue::Text(text) => checks.push(StepCheck::Holds(text)),
            NodeValue::List(nodes) => {
                for node in nodes {
                    checks.extend(self.text(node, "an expectation").map(StepCheck::Holds));
                }
            }
            NodeValue::Map(entries) => {
                checks.extend(entries.iter().map(|entry| StepCheck::Equals(&entry.key, &entry.value)));
            }
            _ => self.error(
                "E-TYPE",
                node.span,
                "`expect` must be an object of expressions and values, or a list",
            ),
        }
    }

    fn pending<'n>(&mut self, node: &'n SourceNode, checks: &mut Vec<StepCheck<'n>>) {
        if node.as_map().is_none() {
            let seats = self.seat_list(node, "`pending`");
            checks.push(StepCheck::AskedAre(seats, node.span));
            return;
        }
        for entry in self.map(node, "`pending`") {
            let Some(seat) = self.seat(entry.key.as_str(), entry.key.span) else { continue };
            if entry.value.as_bool() != Some(false) {
                self.check_keys(&entry.value, &ASKED);
            }
            checks.push(StepCheck::Asked(seat, &entry.value));
        }
    }

    fn ended<'n>(&mut self, entry: &'n MapEntry, checks: &mut Vec<StepCheck<'n>>) {
        let (key, node) = (entry.key.span, &entry.value);
        if node.as_bool() == Some(false) {
            checks.push(StepCheck::Ended(None, key));
            return;
        }
        self.check_keys(node, &ENDED);
        if let Some(outcome) = node.get("outcome").and_then(|outcome| self.text(outcome, "`outcome`")) {
            let program = self.program;
            let own = program.outcomes.iter().map(|outcome| program.symbol(*outcome));
            let outcomes = own.chain(NATIVE_OUTCOMES.map(|outcome| native::SYMBOLS[outcome.index()]));
            self.check_name(outcome, "outcome", &outcomes.collect::<Vec<_>>());
        }
        if let Some(pot) = node.get("pot").and_then(|pot| self.text(pot, "`pot`")) {
            self.check_name(pot, "pot", POTS);
        }
        for key in ["winners", "losers"] {
            if let Some(seats) = node.get(key) {
                self.list(seats, &format!("`{key}`"));
                self.seat_list(seats, &format!("`{key}`"));
            }
        }
        if let Some(score) = node.get("score") {
            for entry in self.map(score, "`score`") {
                self.seat(entry.key.as_str(), entry.key.span);
            }
        }
        checks.push(StepCheck::Ended(Some(node), key));
    }

    fn sees<'n>(&mut self, node: &'n SourceNode, is_inline: bool, checks: &mut Vec<StepCheck<'n>>) {
        for entry in self.map(node, "`sees`") {
            let Some(viewer) = self.viewer(entry.key.as_str(), entry.key.span) else { continue };
            let sight = &entry.value;
            self.check_keys(sight, &SIGHT);
            let is_inline = is_inline || self.is_inline(node) || self.is_inline(sight);
            if let Some(view) = sight.get("view") {
                let entries = self.map(view, "`view`").iter();
                checks.extend(entries.map(|entry| StepCheck::Sees(viewer, &entry.key, &entry.value)));
            }
            for (key, check) in
                [("hidden", StepCheck::Hidden as fn(_, &'n _) -> _), ("never", StepCheck::Never)]
            {
                let Some(list) = sight.get(key) else { continue };
                for node in self.list(list, &format!("`{key}`")) {
                    checks.extend(self.text(node, "a path or text").map(|text| check(viewer, text)));
                }
            }
            if let Some(entry) = sight.entry("events") {
                checks.push(StepCheck::Received(viewer, self.listing(entry, is_inline)));
            }
        }
    }

    fn viewers(&mut self, node: &SourceNode) -> Vec<Viewer> {
        let one = std::slice::from_ref(node);
        let mut viewers = Vec::new();
        for node in node.as_list().unwrap_or(one) {
            let text = self.text(node, "a viewer");
            viewers.extend(text.and_then(|text| self.viewer(text.as_str(), text.span)));
        }
        viewers
    }

    fn viewer(&mut self, text: &str, span: intermezzo_compiler::Span) -> Option<Viewer> {
        match text {
            "spectator" => Some(Viewer::Spectator),
            _ => self.seat(text, span).map(Viewer::Seat),
        }
    }
}
