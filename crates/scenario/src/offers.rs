//! Checks of available and unavailable actions: `actions: {p0: {available: [cast_bolt], unavailable: …}}`.

use intermezzo_compiler::Span;
use intermezzo_compiler::grammar::scenarios::{OFFERS, UNAVAILABLE};
use intermezzo_compiler::tree::{MapEntry, NodeValue, SourceNode, SourceText};
use intermezzo_engine::Datum;
use intermezzo_program::{ActionHost, ActionTiming, KindId, Program, Seat};

use crate::bless::{self, TextEdit};
use crate::checks::{ScenarioProblem, show_seat};
use crate::play::ScenarioRunner;
use crate::reader::ScenarioReader;
use crate::running_match::RunningMatch;
use crate::scenario::StepCheck;
use crate::values::{fits, show, show_node};

/// Written list of everything a seat is offered.
pub(crate) struct OfferList<'n> {
    /// Key of the list.
    pub(crate) key: &'n SourceText,
    pub(crate) node: &'n SourceNode,
    /// Written inside brackets.
    pub(crate) is_inline: bool,
}

impl ScenarioReader<'_> {
    /// Reads the `actions` of a step.
    pub(crate) fn actions<'n>(
        &mut self,
        node: &'n SourceNode,
        is_inline: bool,
        checks: &mut Vec<StepCheck<'n>>,
    ) {
        let is_inline = is_inline || self.is_inline(node);
        for entry in self.map(node, "`actions`") {
            let Some(seat) = self.seat(entry.key.as_str(), entry.key.span) else { continue };
            let is_inline = is_inline || self.is_inline(&entry.value);
            self.check_keys(&entry.value, &OFFERS);
            for entry in entry.value.as_map().unwrap_or_default() {
                self.actions_entry(seat, entry, is_inline, checks);
            }
        }
    }

    fn actions_entry<'n>(
        &mut self,
        seat: Seat,
        entry: &'n MapEntry,
        is_inline: bool,
        checks: &mut Vec<StepCheck<'n>>,
    ) {
        let node = &entry.value;
        match entry.key.as_str() {
            "asked" => match node.as_bool() {
                Some(is_asked) => checks.push(StepCheck::AskedToAct(seat, is_asked, node.span)),
                None => self.error("E-TYPE", node.span, "`asked` must be true or false"),
            },
            "available" => {
                for node in self.list(node, "`available`") {
                    self.offer(node);
                    checks.push(StepCheck::Offered(seat, node));
                }
            }
            "only" => {
                if !matches!(node.value, NodeValue::Null) {
                    self.list(node, "`only`").iter().for_each(|node| self.offer(node));
                }
                checks.push(StepCheck::OfferedOnly(seat, OfferList { key: &entry.key, node, is_inline }));
            }
            "unavailable" => {
                for node in self.list(node, "`unavailable`") {
                    self.check_unavailable(node);
                    checks.push(StepCheck::NotOffered(seat, node));
                }
            }
            _ => {}
        }
    }

    /// Reports unknown actions. A plain text may also be a host, whose name is only known during play.
    fn offer(&mut self, node: &SourceNode) {
        match &node.value {
            NodeValue::Text(_) => {}
            NodeValue::Map(entries) => match (node.get("action"), &entries[..]) {
                (Some(action), _) => self.action(action),
                (None, [entry]) => self.action_name(&entry.key),
                (None, _) => {
                    self.error("E-KEY", node.span, "write `{action: target}` or `{action: id, target: …}`");
                }
            },
            _ => self.error(
                "E-TYPE",
                node.span,
                format!(
                    "an offer must be an action, written as in an answer, but this is {}",
                    node.kind_name()
                ),
            ),
        }
    }

    fn check_unavailable(&mut self, node: &SourceNode) {
        if node.as_text().is_some() {
            return;
        }
        self.check_keys(node, &UNAVAILABLE);
        if let Some(action) = node.get("action") {
            self.action(action);
        }
    }

    fn action(&mut self, node: &SourceNode) {
        if let Some(text) = self.text(node, "`action`") {
            self.action_name(text);
        }
    }

    fn action_name(&mut self, text: &SourceText) {
        let program = self.program;
        let open = program.actions.iter().filter(|action| action.timing != ActionTiming::Called);
        let known: Vec<&str> = open.map(|action| program.symbol(action.name)).collect();
        self.check_name(text, "action", &known);
    }
}

/// Checks whether a seat is asked to act.
pub(crate) fn check_asked(
    running: &mut RunningMatch,
    seat: Seat,
    expected: bool,
    span: Span,
) -> Option<ScenarioProblem> {
    let got = part(running, seat, "asked");
    let line = match expected {
        true => format!("{} should be asked to act but is not", show_seat(seat)),
        false => format!("{} should not be asked to act but is", show_seat(seat)),
    };
    (got != Ok(Datum::Bool(expected))).then(|| ScenarioProblem::new(span, line))
}

/// Checks that an action is available.
pub(crate) fn check_offered(
    running: &mut RunningMatch,
    seat: Seat,
    node: &SourceNode,
) -> Option<ScenarioProblem> {
    let offers = match list(running, seat, "available") {
        Ok(offers) => offers,
        Err(fault) => return Some(ScenarioProblem::new(node.span, fault)),
    };
    if offers.iter().any(|offer| fits(node, offer)) {
        return None;
    }
    let mut lines = vec![format!("{} should be offered {} but is not", show_seat(seat), show_node(node))];
    lines.extend(why_not(running, seat, node));
    lines.push(format!("  offered: {}", show_offers(running, &offers)));
    Some(ScenarioProblem::of_lines(node.span, lines))
}

/// Checks that an action is unavailable, for the written reason.
pub(crate) fn check_closed(
    running: &mut RunningMatch,
    seat: Seat,
    node: &SourceNode,
) -> Option<ScenarioProblem> {
    let closed = match list(running, seat, "unavailable") {
        Ok(closed) => closed,
        Err(fault) => return Some(ScenarioProblem::new(node.span, fault)),
    };
    if closed.iter().any(|closed| is_closed(node, closed)) {
        return None;
    }
    let what = node.get("action").unwrap_or(node);
    let about = |closed: &&Datum| is_closed(what, closed);
    let mut lines = vec![format!("{} should not have {} available", show_seat(seat), show_node(node))];
    lines.extend(closed.iter().filter(about).map(|closed| format!("  + {}", show(closed))));
    if lines.len() == 1 {
        let offers = list(running, seat, "available").unwrap_or_default();
        let is_offered = offers.iter().any(|offer| fits(what, offer));
        let all = closed.iter().filter_map(|closed| closed.get("action")).map(show);
        lines.push(match is_offered {
            true => "  it is available".to_owned(),
            false => format!("  unavailable: {}", all.collect::<Vec<_>>().join(", ")),
        });
    }
    Some(ScenarioProblem::of_lines(node.span, lines))
}

/// Matches an action by its id, the name of its host, or the keys of an object.
fn is_closed(node: &SourceNode, closed: &Datum) -> bool {
    let is = |key: &str| closed.get(key).is_some_and(|got| fits(node, got));
    if node.as_text().is_some() { is("action") || is("host") } else { fits(node, closed) }
}

/// Returns the known reasons why an action is not offered.
fn why_not(running: &mut RunningMatch, seat: Seat, node: &SourceNode) -> Vec<String> {
    let single = || node.as_map().and_then(|entries| entries.first()).map(|entry| &entry.key.value);
    let written = node.get("action").and_then(SourceNode::as_text).or(node.as_text()).map(|text| &text.value);
    let Some(action) = written.or_else(single) else { return Vec::new() };
    let is_it = |closed: &&Datum| closed.get("action") == Some(&Datum::text(action));
    let closed = list(running, seat, "unavailable").unwrap_or_default();
    let reasons = closed.iter().filter(is_it).map(|closed| {
        let [host, reason] = ["host", "reason"].map(|key| match closed.get(key) {
            Some(Datum::Text(text)) => text.to_string(),
            other => other.map_or_else(String::new, show),
        });
        format!("  {action} of {host} is unavailable: {reason}")
    });
    reasons.collect()
}

impl ScenarioRunner<'_> {
    /// Compares everything a seat is offered with the written list, or blesses it.
    pub(crate) fn compare_offers(
        &mut self,
        seat: Seat,
        written: &OfferList<'_>,
    ) -> Result<(), ScenarioProblem> {
        let offers = list(&mut self.running, seat, "available");
        let offers = offers.map_err(|fault| ScenarioProblem::new(written.key.span, fault))?;
        let is_unwritten = matches!(written.node.value, NodeValue::Null);
        let nodes = written.node.as_list().unwrap_or_default();
        let mut left: Vec<&Datum> = offers.iter().collect();
        let mut missing = Vec::new();
        for node in nodes {
            match left.iter().position(|offer| fits(node, offer)) {
                Some(place) => drop(left.remove(place)),
                None => missing.push(format!("  - {}", show_node(node))),
            }
        }
        if missing.is_empty() && left.is_empty() && !is_unwritten {
            return Ok(());
        }
        if self.bless {
            let short: Vec<Datum> = offers.iter().map(|offer| short(&self.running.program, offer)).collect();
            let edits = bless_offers(self.ruleset.sources(), written, &short);
            self.blessings.push(edits);
            return Ok(());
        }
        let title = match is_unwritten {
            true => format!("the list is empty; `--bless` fills in what {} is offered:", show_seat(seat)),
            false => format!("{} is offered something else (- expected, + offered):", show_seat(seat)),
        };
        let mut lines = vec![title];
        lines.extend(missing);
        let program = &self.running.program;
        lines.extend(left.iter().map(|offer| format!("  + {}", show(&short(program, offer)))));
        Err(ScenarioProblem::of_lines(written.key.span, lines))
    }
}

fn bless_offers(
    sources: &intermezzo_compiler::SourceMap,
    written: &OfferList<'_>,
    offers: &[Datum],
) -> Vec<TextEdit> {
    let end = match written.node.as_list().and_then(|nodes| nodes.last()) {
        Some(last) if !bless::is_bracketed(sources, written.node) => Some(last.span.end),
        _ => bless::written_end(sources, written.node),
    };
    bless::value(sources, written.key.span, end, written.is_inline, offers)
}

/// Shortens an offer to what one would write in an answer: the id alone, or with its targets. The host is
/// included if any entity of a kind may have the action.
pub(crate) fn short(program: &Program, offer: &Datum) -> Datum {
    let (Some(Datum::Text(id)), Some(Datum::Map(targets))) = (offer.get("action"), offer.get("targets"))
    else {
        return offer.clone();
    };
    let action = program.actions.iter().find(|action| program.symbol(action.name) == id);
    let is_of_kind = |host| matches!(host, ActionHost::Kind(kind) if kind != KindId::PLAYER);
    let host = offer.get("host").filter(|_| action.is_some_and(|action| is_of_kind(action.host)));
    let mut named: Vec<(intermezzo_engine::ShortText, Datum)> =
        host.map(|host| ("host".into(), host.clone())).into_iter().collect();
    named.extend(targets.iter().cloned());
    match (&named[..], host) {
        ([], _) => Datum::Text(id.clone()),
        ([(_, target)], None) => Datum::Map(vec![(id.clone(), target.clone())]),
        _ => Datum::Map(vec![(id.clone(), Datum::Map(named))]),
    }
}

fn show_offers(running: &RunningMatch, offers: &[Datum]) -> String {
    match offers {
        [] => "nothing".to_owned(),
        offers => {
            let shown = offers.iter().map(|offer| show(&short(&running.program, offer)));
            shown.collect::<Vec<_>>().join(", ")
        }
    }
}

fn part(running: &mut RunningMatch, seat: Seat, key: &str) -> Result<Datum, String> {
    let actions = running.actions(seat)?;
    Ok(actions.get(key).cloned().unwrap_or(Datum::Null))
}

fn list(running: &mut RunningMatch, seat: Seat, key: &str) -> Result<Vec<Datum>, String> {
    match part(running, seat, key)? {
        Datum::List(items) => Ok(items),
        _ => Ok(Vec::new()),
    }
}
