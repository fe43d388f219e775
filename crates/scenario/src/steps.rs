//! Reading the steps of a scenario: what is sent, and what must hold afterwards.

use intermezzo_compiler::Diagnostic;
use intermezzo_compiler::diagnostic::suggest;
use intermezzo_compiler::tree::{Entry, Node, Value};
use intermezzo_engine::{LeaveCause, PassUntil, Viewer};
use intermezzo_ruleset::{Seat, Symbol, native};

use crate::reader::{Reader, seat_number};
use crate::scenario::{Check, Sending, Sent, Step};

const STEP_KEYS: &[&str] = &[
    "timeout",
    "leave",
    "concede",
    "kick",
    "out_of_time",
    "moderate",
    "late",
    "to",
    "refused",
    "unseen_by",
    "events",
    "expect",
    "pending",
    "actions",
    "sees",
    "ended",
    "stakes",
    "clock",
];
/// What stands before a seat; nothing for an answer.
const SEAT_KEYS: [&str; 4] = ["", "draft", "drag", "auto"];
const PENDING_KEYS: &[&str] = &[
    "name", "title", "kind", "options", "branches", "min", "max", "slots", "pass", "secret", "drafts",
    "draft", "deadline", "default",
];
const POTS: &[&str] = &["winners", "split", "burn", "refund"];
/// How a match may end without the ruleset having a word for it.
const NATIVE_OUTCOMES: [Symbol; 7] = [
    native::DISCONNECT,
    native::CONCEDE,
    native::KICKED,
    native::MODERATOR,
    native::FINISHED,
    native::LOOP,
    native::OUT_OF_TIME,
];

impl Reader<'_> {
    pub(crate) fn steps<'n>(&mut self, play: &'n Node, is_inline: bool) -> Vec<Step<'n>> {
        let is_inline = is_inline || self.is_inline(play);
        self.list(play, "`play`").iter().map(|node| self.step(node, is_inline)).collect()
    }

    fn step<'n>(&mut self, node: &'n Node, is_inline: bool) -> Step<'n> {
        let is_inline = is_inline || self.is_inline(node);
        let mut step = Step {
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

    fn step_entry<'n>(&mut self, step: &mut Step<'n>, entry: &'n Entry, is_inline: bool) {
        let node = &entry.value;
        match entry.key.as_str() {
            "late" => match node.as_bool() {
                Some(is_late) => step.is_late = is_late,
                None => self.wrong("E-TYPE", node.span, "`late` is true or left out"),
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
                self.check_keys(node, "`stakes`", &["entry", "pot", "currency"]);
                step.checks.push(Check::Stakes(node));
            }
            "clock" => {
                self.check_keys(node, "`clock`", &["bank", "increment", "grace"]);
                step.checks.push(Check::Clock(node));
            }
            _ => {
                let sending = self.sending(entry);
                step.inputs.extend(sending.map(|what| Sent { span: entry.key.span, what }));
            }
        }
    }

    fn sending<'n>(&mut self, entry: &'n Entry) -> Option<Sending<'n>> {
        let (key, node) = (&entry.key, &entry.value);
        match key.as_str() {
            "timeout" if node.as_text().is_some_and(|text| text.as_str() == "all") => {
                Some(Sending::Timeout(None))
            }
            "timeout" => Some(Sending::Timeout(Some(self.seat_list(node, "`timeout`")))),
            "leave" => self.leaving(node, LeaveCause::Disconnect),
            "concede" => self.leaving(node, LeaveCause::Concede),
            "kick" => self.leaving(node, LeaveCause::Kicked),
            "out_of_time" => self.leaving(node, LeaveCause::OutOfTime),
            "moderate" => self.moderation(node),
            word => {
                let (what, seat) = word.split_once(' ').unwrap_or(("", word));
                if seat_number(seat).is_none() || !SEAT_KEYS.contains(&what) {
                    self.unknown_step_key(entry);
                    return None;
                }
                let seat = self.seat(seat, key.span)?;
                match what {
                    "draft" => Some(Sending::Draft(seat, node)),
                    "drag" => self.drag(seat, node),
                    "auto" => self.auto(seat, node),
                    _ => Some(Sending::Answer(seat, node)),
                }
            }
        }
    }

    /// For how long a seat passes by itself: `turn`, or `{until: turn, stack: stop}`.
    fn auto<'n>(&mut self, seat: Seat, node: &'n Node) -> Option<Sending<'n>> {
        let is_short = node.as_text().is_some();
        if !is_short {
            self.check_keys(node, "how a seat passes by itself", &["until", "stack"]);
        }
        let until = if is_short { Some(node) } else { node.get("until") };
        let Some(until) = until else {
            self.wrong("E-KEY", node.span, "say for how long with `until`");
            return None;
        };
        let text = self.text(until, "for how long")?;
        let names = PassUntil::NAMES.map(|(_, name)| name);
        self.check_name(text, "word for how long", &names);
        let stops = match node.get("stack").map(|stack| self.text(stack, "`stack`")) {
            None => false,
            Some(stack) => {
                self.check_name(stack?, "word about the stack", &["stop"]);
                true
            }
        };
        PassUntil::named(text.as_str()).map(|until| Sending::Auto(seat, until, stops))
    }

    fn unknown_step_key(&mut self, entry: &Entry) {
        let keys = |seat| SEAT_KEYS.iter().map(move |what| format!("{what} p{seat}").trim_start().to_owned());
        let seats: Vec<String> = (0..self.seats).flat_map(keys).collect();
        let known = || STEP_KEYS.iter().copied().chain(seats.iter().map(String::as_str));
        let problem =
            Diagnostic::error("E-KEY", entry.key.span, format!("unknown key `{}`", entry.key.value));
        self.out.push(match suggest(entry.key.as_str(), known()) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem.hint(format!("a step has {}", known().collect::<Vec<_>>().join(", "))),
        });
    }

    fn leaving<'n>(&mut self, node: &Node, cause: LeaveCause) -> Option<Sending<'n>> {
        let text = self.text(node, "who leaves")?;
        self.seat(text.as_str(), text.span).map(|seat| Sending::Leave(seat, cause))
    }

    fn moderation<'n>(&mut self, node: &'n Node) -> Option<Sending<'n>> {
        self.check_keys(node, "`moderate`", &["winners", "pot"]);
        let winners =
            node.get("winners").map_or_else(Vec::new, |winners| self.seat_list(winners, "`winners`"));
        let pot = match node.get("pot") {
            Some(pot) => self.text(pot, "`pot`")?,
            None => return Some(Sending::Moderate(winners, native::SYMBOLS[native::POT_REFUND.index()])),
        };
        self.check_name(pot, "pot", POTS);
        Some(Sending::Moderate(winners, pot.as_str()))
    }

    /// What makes no sense together.
    fn check_step(&mut self, step: &Step<'_>) {
        if step.refused.is_some() && step.inputs.len() != 1 {
            self.wrong("E-KEY", step.span, "`refused` needs exactly one input in the same step");
        }
        if step.refused.is_some() && step.events.is_some() {
            self.wrong("E-KEY", step.span, "what is `refused` has no `events`");
        }
        let drags = step.inputs.iter().any(|sent| matches!(sent.what, Sending::Drag(..)));
        if drags && (step.is_late || step.to.is_some()) {
            self.wrong(
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
            self.wrong("E-KEY", step.span, format!("`{key}` needs an input in the same step"));
        }
    }

    fn expect<'n>(&mut self, node: &'n Node, checks: &mut Vec<Check<'n>>) {
        match &node.value {
            Value::Text(text) => checks.push(Check::Holds(text)),
            Value::List(nodes) => {
                for node in nodes {
                    checks.extend(self.text(node, "an expectation").map(Check::Holds));
                }
            }
            Value::Map(entries) => {
                checks.extend(entries.iter().map(|entry| Check::Equals(&entry.key, &entry.value)));
            }
            _ => self.wrong(
                "E-TYPE",
                node.span,
                "`expect` is an object of expressions and their values, or a list",
            ),
        }
    }

    fn pending<'n>(&mut self, node: &'n Node, checks: &mut Vec<Check<'n>>) {
        if node.as_map().is_none() {
            let seats = self.seat_list(node, "`pending`");
            checks.push(Check::AskedAre(seats, node.span));
            return;
        }
        for entry in self.map(node, "`pending`") {
            let Some(seat) = self.seat(entry.key.as_str(), entry.key.span) else { continue };
            if entry.value.as_bool() != Some(false) {
                self.check_keys(&entry.value, "what a seat is asked", PENDING_KEYS);
            }
            checks.push(Check::Asked(seat, &entry.value));
        }
    }

    fn ended<'n>(&mut self, entry: &'n Entry, checks: &mut Vec<Check<'n>>) {
        let (key, node) = (entry.key.span, &entry.value);
        if node.as_bool() == Some(false) {
            checks.push(Check::Ended(None, key));
            return;
        }
        self.check_keys(node, "`ended`", &["outcome", "winners", "losers", "pot"]);
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
        checks.push(Check::Ended(Some(node), key));
    }

    fn sees<'n>(&mut self, node: &'n Node, is_inline: bool, checks: &mut Vec<Check<'n>>) {
        for entry in self.map(node, "`sees`") {
            let Some(viewer) = self.viewer(entry.key.as_str(), entry.key.span) else { continue };
            let sight = &entry.value;
            self.check_keys(sight, "what a seat sees", &["view", "hidden", "never", "events"]);
            let is_inline = is_inline || self.is_inline(node) || self.is_inline(sight);
            if let Some(view) = sight.get("view") {
                let entries = self.map(view, "`view`").iter();
                checks.extend(entries.map(|entry| Check::Sees(viewer, &entry.key, &entry.value)));
            }
            for (key, check) in [("hidden", Check::Hidden as fn(_, &'n _) -> _), ("never", Check::Never)] {
                let Some(list) = sight.get(key) else { continue };
                for node in self.list(list, &format!("`{key}`")) {
                    checks.extend(self.text(node, "a path or text").map(|text| check(viewer, text)));
                }
            }
            if let Some(entry) = sight.entry("events") {
                checks.push(Check::Told(viewer, self.listing(entry, is_inline)));
            }
        }
    }

    fn viewers(&mut self, node: &Node) -> Vec<Viewer> {
        let one = std::slice::from_ref(node);
        let mut viewers = Vec::new();
        for node in node.as_list().unwrap_or(one) {
            let text = self.text(node, "who sees something");
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
