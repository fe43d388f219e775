//! Checking what a seat can do and what it cannot: `actions: {p0: {available: [cast_bolt], unavailable: …}}`.

use intermezzo_compiler::Span;
use intermezzo_compiler::tree::{Entry, Node, Text, Value};
use intermezzo_engine::Datum;
use intermezzo_ruleset::{ActionHost, ActionTiming, KindId, Program, Seat};

use crate::bless::{self, Edit};
use crate::checks::{Problem, show_seat};
use crate::play::Playing;
use crate::reader::Reader;
use crate::scenario::Check;
use crate::table::Table;
use crate::values::{fits, show, show_node};

const KEYS: &[&str] = &["asked", "available", "only", "unavailable"];
const CLOSED_KEYS: &[&str] = &["action", "host", "title", "reason"];

/// All of what a seat is offered, as it is written.
pub(crate) struct OfferList<'n> {
    /// The key it stands under.
    pub(crate) key: &'n Text,
    pub(crate) node: &'n Node,
    /// Stands inside brackets.
    pub(crate) is_inline: bool,
}

impl Reader<'_> {
    /// What seats can do and cannot.
    pub(crate) fn actions<'n>(&mut self, node: &'n Node, is_inline: bool, checks: &mut Vec<Check<'n>>) {
        let is_inline = is_inline || self.is_inline(node);
        for entry in self.map(node, "`actions`") {
            let Some(seat) = self.seat(entry.key.as_str(), entry.key.span) else { continue };
            let is_inline = is_inline || self.is_inline(&entry.value);
            for entry in self.map(&entry.value, "what a seat can do") {
                self.check_name(&entry.key, "key", KEYS);
                self.actions_entry(seat, entry, is_inline, checks);
            }
        }
    }

    fn actions_entry<'n>(
        &mut self,
        seat: Seat,
        entry: &'n Entry,
        is_inline: bool,
        checks: &mut Vec<Check<'n>>,
    ) {
        let node = &entry.value;
        match entry.key.as_str() {
            "asked" => match node.as_bool() {
                Some(is_asked) => checks.push(Check::AskedToAct(seat, is_asked, node.span)),
                None => self.wrong("E-TYPE", node.span, "`asked` is true or false"),
            },
            "available" => {
                for node in self.list(node, "`available`") {
                    self.offer(node);
                    checks.push(Check::Offered(seat, node));
                }
            }
            "only" => {
                if !matches!(node.value, Value::Null) {
                    self.list(node, "`only`").iter().for_each(|node| self.offer(node));
                }
                checks.push(Check::OfferedOnly(seat, OfferList { key: &entry.key, node, is_inline }));
            }
            "unavailable" => {
                for node in self.list(node, "`unavailable`") {
                    self.closed(node);
                    checks.push(Check::NotOffered(seat, node));
                }
            }
            _ => {}
        }
    }

    /// Reports actions that do not exist. A plain text may also be a host, whose names are not known yet.
    fn offer(&mut self, node: &Node) {
        match &node.value {
            Value::Text(_) => {}
            Value::Map(entries) => match (node.get("action"), &entries[..]) {
                (Some(action), _) => self.action(action),
                (None, [entry]) => self.action_name(&entry.key),
                (None, _) => {
                    self.wrong("E-KEY", node.span, "write `{action: target}` or `{action: id, target: …}`");
                }
            },
            _ => self.wrong(
                "E-TYPE",
                node.span,
                format!("an offer is an action, as in an answer, but this is {}", node.kind_name()),
            ),
        }
    }

    fn closed(&mut self, node: &Node) {
        if node.as_text().is_some() {
            return;
        }
        self.check_keys(node, "what cannot be done", CLOSED_KEYS);
        if let Some(action) = node.get("action") {
            self.action(action);
        }
    }

    fn action(&mut self, node: &Node) {
        if let Some(text) = self.text(node, "`action`") {
            self.action_name(text);
        }
    }

    fn action_name(&mut self, text: &Text) {
        let program = self.program;
        let open = program.actions.iter().filter(|action| action.timing != ActionTiming::Called);
        let known: Vec<&str> = open.map(|action| program.symbol(action.name)).collect();
        self.check_name(text, "action", &known);
    }
}

/// Whether a seat is asked what to do.
pub(crate) fn check_asked(table: &mut Table, seat: Seat, expected: bool, span: Span) -> Option<Problem> {
    let got = part(table, seat, "asked");
    let line = match expected {
        true => format!("{} should be asked what to do but is not", show_seat(seat)),
        false => format!("{} should not be asked what to do but is", show_seat(seat)),
    };
    (got != Ok(Datum::Bool(expected))).then(|| Problem::new(span, line))
}

/// Whether something is offered.
pub(crate) fn check_offered(table: &mut Table, seat: Seat, node: &Node) -> Option<Problem> {
    let offers = match list(table, seat, "available") {
        Ok(offers) => offers,
        Err(fault) => return Some(Problem::new(node.span, fault)),
    };
    if offers.iter().any(|offer| fits(node, offer)) {
        return None;
    }
    let mut lines = vec![format!("{} should be offered {} but is not", show_seat(seat), show_node(node))];
    lines.extend(why_not(table, seat, node));
    lines.push(format!("  offered: {}", show_offers(table, &offers)));
    Some(Problem::of_lines(node.span, lines))
}

/// Whether something is not offered, for the reason that is written.
pub(crate) fn check_closed(table: &mut Table, seat: Seat, node: &Node) -> Option<Problem> {
    let closed = match list(table, seat, "unavailable") {
        Ok(closed) => closed,
        Err(fault) => return Some(Problem::new(node.span, fault)),
    };
    if closed.iter().any(|closed| is_closed(node, closed)) {
        return None;
    }
    let what = node.get("action").unwrap_or(node);
    let about = |closed: &&Datum| is_closed(what, closed);
    let mut lines = vec![format!("{} should not be able to do {}", show_seat(seat), show_node(node))];
    lines.extend(closed.iter().filter(about).map(|closed| format!("  + {}", show(closed))));
    if lines.len() == 1 {
        let offers = list(table, seat, "available").unwrap_or_default();
        let is_offered = offers.iter().any(|offer| fits(what, offer));
        let all = closed.iter().filter_map(|closed| closed.get("action")).map(show);
        lines.push(match is_offered {
            true => "  it can be done".to_owned(),
            false => format!("  what cannot be done: {}", all.collect::<Vec<_>>().join(", ")),
        });
    }
    Some(Problem::of_lines(node.span, lines))
}

/// An action by its id, or the name of its host; an object by the keys that are written.
fn is_closed(node: &Node, closed: &Datum) -> bool {
    let is = |key: &str| closed.get(key).is_some_and(|got| fits(node, got));
    if node.as_text().is_some() { is("action") || is("host") } else { fits(node, closed) }
}

/// Why what was written is not offered, if it is known.
fn why_not(table: &mut Table, seat: Seat, node: &Node) -> Vec<String> {
    let single = || node.as_map().and_then(|entries| entries.first()).map(|entry| &entry.key.value);
    let written = node.get("action").and_then(Node::as_text).or(node.as_text()).map(|text| &text.value);
    let Some(action) = written.or_else(single) else { return Vec::new() };
    let is_it = |closed: &&Datum| closed.get("action") == Some(&Datum::text(action));
    let closed = list(table, seat, "unavailable").unwrap_or_default();
    let reasons = closed.iter().filter(is_it).map(|closed| {
        let [host, reason] = ["host", "reason"].map(|key| match closed.get(key) {
            Some(Datum::Text(text)) => text.to_string(),
            other => other.map_or_else(String::new, show),
        });
        format!("  {action} of {host} cannot be done: {reason}")
    });
    reasons.collect()
}

impl Playing<'_> {
    /// Compares all that a seat is offered with what is written, or blesses it.
    pub(crate) fn compare_offers(&mut self, seat: Seat, written: &OfferList<'_>) -> Result<(), Problem> {
        let offers = list(&mut self.table, seat, "available");
        let offers = offers.map_err(|fault| Problem::new(written.key.span, fault))?;
        let is_unwritten = matches!(written.node.value, Value::Null);
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
            let short: Vec<Datum> = offers.iter().map(|offer| short(&self.table.program, offer)).collect();
            let edits = bless_offers(self.ruleset.sources(), written, &short);
            self.blessings.push(edits);
            return Ok(());
        }
        let title = match is_unwritten {
            true => format!("a blessing fills in what {} is offered:", show_seat(seat)),
            false => format!("{} is offered something else (- should be, + is):", show_seat(seat)),
        };
        let mut lines = vec![title];
        lines.extend(missing);
        let program = &self.table.program;
        lines.extend(left.iter().map(|offer| format!("  + {}", show(&short(program, offer)))));
        Err(Problem::of_lines(written.key.span, lines))
    }
}

fn bless_offers(
    sources: &intermezzo_compiler::SourceMap,
    written: &OfferList<'_>,
    offers: &[Datum],
) -> Vec<Edit> {
    let end = match written.node.as_list().and_then(|nodes| nodes.last()) {
        Some(last) if !bless::is_bracketed(sources, written.node) => Some(last.span.end),
        _ if matches!(written.node.value, Value::Null) => None,
        _ => Some(written.node.span.end),
    };
    bless::value(sources, written.key.span, end, written.is_inline, offers)
}

/// An offer as one would write it in an answer: the id alone, or with what it is aimed at. Where any entity of a kind
/// may have the action, it says which.
pub(crate) fn short(program: &Program, offer: &Datum) -> Datum {
    let (Some(Datum::Text(id)), Some(Datum::Map(targets))) = (offer.get("action"), offer.get("targets"))
    else {
        return offer.clone();
    };
    let action = program.actions.iter().find(|action| program.symbol(action.name) == id);
    let is_of_kind = |host| matches!(host, ActionHost::Kind(kind) if kind != KindId::PLAYER);
    let host = offer.get("host").filter(|_| action.is_some_and(|action| is_of_kind(action.host)));
    let mut named: Vec<(intermezzo_engine::Text, Datum)> =
        host.map(|host| ("host".into(), host.clone())).into_iter().collect();
    named.extend(targets.iter().cloned());
    match (&named[..], host) {
        ([], _) => Datum::Text(id.clone()),
        ([(_, target)], None) => Datum::Map(vec![(id.clone(), target.clone())]),
        _ => Datum::Map(vec![(id.clone(), Datum::Map(named))]),
    }
}

fn show_offers(table: &Table, offers: &[Datum]) -> String {
    match offers {
        [] => "nothing".to_owned(),
        offers => {
            let shown = offers.iter().map(|offer| show(&short(&table.program, offer)));
            shown.collect::<Vec<_>>().join(", ")
        }
    }
}

fn part(table: &mut Table, seat: Seat, key: &str) -> Result<Datum, String> {
    let actions = table.actions(seat)?;
    Ok(actions.get(key).cloned().unwrap_or(Datum::Null))
}

fn list(table: &mut Table, seat: Seat, key: &str) -> Result<Vec<Datum>, String> {
    match part(table, seat, key)? {
        Datum::List(items) => Ok(items),
        _ => Ok(Vec::new()),
    }
}
