//! Checking what must hold after a step.

use intermezzo_compiler::tree::Node;
use intermezzo_compiler::{ExtraExpression, Span};
use intermezzo_engine::{Datum, Pending, Viewer};
use intermezzo_ruleset::{Inner, Seat};

use crate::offers::{self, short};
use crate::scenario::Check;
use crate::table::Table;
use crate::values::{at_path, fits, mentions, show, show_node};

/// What does not hold, in lines, and where it was asked for.
pub(crate) struct Problem {
    pub(crate) span: Span,
    pub(crate) lines: Vec<String>,
    /// The lines already say what happened.
    pub(crate) shows_events: bool,
}

impl Problem {
    pub(crate) fn new(span: Span, line: impl Into<String>) -> Problem {
        Problem::of_lines(span, vec![line.into()])
    }

    pub(crate) fn of_lines(span: Span, lines: Vec<String>) -> Problem {
        Problem { span, lines, shows_events: false }
    }
}

/// What is wrong with what a check asks for. Listings, which can be blessed, are compared elsewhere.
pub(crate) fn check(
    table: &mut Table,
    check: &Check<'_>,
    expressions: &mut impl Iterator<Item = ExtraExpression>,
) -> Option<Problem> {
    let problem = |span, line: String| Some(Problem::new(span, line));
    match check {
        Check::Holds(text) => match value(table, expressions) {
            Ok(Datum::Bool(true)) => None,
            Ok(got) => problem(text.span, format!("`{}` should hold but is {}", text.value, show(&got))),
            Err(reason) => problem(text.span, format!("`{}` has no value: {reason}", text.value)),
        },
        Check::Equals(text, expected) => match value(table, expressions) {
            Ok(got) => differs(&text.value, expected, &got).map(|line| Problem::new(text.span, line)),
            Err(reason) => problem(text.span, format!("`{}` has no value: {reason}", text.value)),
        },
        Check::Asked(seat, expected) => check_asked(table, *seat, expected),
        Check::AskedAre(seats, span) => {
            let asked: Vec<Seat> = table.played.pending().map(|pending| pending.seat()).collect();
            (asked != *seats).then(|| {
                Problem::new(
                    *span,
                    format!("{} should be asked but {} is", show_seats(seats), show_seats(&asked)),
                )
            })
        }
        Check::AskedToAct(seat, expected, span) => offers::check_asked(table, *seat, *expected, *span),
        Check::Offered(seat, node) => offers::check_offered(table, *seat, node),
        Check::NotOffered(seat, node) => offers::check_closed(table, *seat, node),
        Check::Ended(expected, span) => check_ended(table, *expected, *span),
        Check::Stakes(expected) => {
            differs("stakes", expected, &stakes(table)).map(|line| Problem::new(expected.span, line))
        }
        Check::Clock(expected) => {
            differs("clock", expected, &clock(table)).map(|line| Problem::new(expected.span, line))
        }
        Check::Sees(viewer, path, expected) => {
            let sight = table.sight(*viewer);
            let what = format!("{} of {}'s view", path.value, show_viewer(*viewer));
            match at_path(&sight.view, path.as_str()) {
                Some(got) => differs(&what, expected, got).map(|line| Problem::new(path.span, line)),
                None => {
                    problem(path.span, format!("{} sees nothing at `{}`", show_viewer(*viewer), path.value))
                }
            }
        }
        Check::Hidden(viewer, path) => {
            let sight = table.sight(*viewer);
            let got = at_path(&sight.view, path.as_str()).filter(|got| **got != Datum::Null)?;
            let line =
                format!("{} should not see `{}` but sees {}", show_viewer(*viewer), path.value, show(got));
            problem(path.span, line)
        }
        Check::Never(viewer, text) => check_never(table, *viewer, text),
        Check::Told(..) | Check::OfferedOnly(..) => None,
    }
}

fn value(table: &Table, expressions: &mut impl Iterator<Item = ExtraExpression>) -> Result<Datum, String> {
    let expression = expressions.next().expect("every expression was compiled");
    let value = table.played.evaluate_datum(expression.routine, expression.ty);
    value.map(|value| table.named(value)).map_err(|fault| fault.to_string())
}

fn differs(what: &str, expected: &Node, got: &Datum) -> Option<String> {
    (!fits(expected, got)).then(|| unlike(what, expected, got))
}

fn unlike(what: &str, expected: &Node, got: &Datum) -> String {
    format!("`{what}` should be {} but is {}", show_node(expected), show(got))
}

fn check_asked(table: &Table, seat: Seat, expected: &Node) -> Option<Problem> {
    let got = match table.pending(seat).map(|pending| asked(table, &pending)) {
        None if expected.as_bool() == Some(false) => return None,
        None => {
            return Some(Problem::new(
                expected.span,
                format!("{} should be asked but is not", show_seat(seat)),
            ));
        }
        Some(got) => got,
    };
    if expected.as_bool() == Some(false) {
        let title = got.get("title").map_or_else(String::new, show);
        return Some(Problem::new(
            expected.span,
            format!("{} should not be asked but is: {title}", show_seat(seat)),
        ));
    }
    let differing = expected.as_map().unwrap_or_default().iter().filter_map(|entry| {
        let got = got.get(&entry.key.value).unwrap_or(&Datum::Null);
        let what = format!("{}'s {}", show_seat(seat), entry.key.value);
        let shown = match got {
            Datum::List(items) => Datum::List(items.iter().map(|item| short(&table.program, item)).collect()),
            other => other.clone(),
        };
        (!fits(&entry.value, got)).then(|| unlike(&what, &entry.value, &shown))
    });
    let lines: Vec<String> = differing.collect();
    (!lines.is_empty()).then(|| Problem::of_lines(expected.span, lines))
}

/// A question as an object.
fn asked(table: &Table, pending: &Pending<'_>) -> Datum {
    let choice = pending.choice();
    let program = &table.program;
    let int = |number: Option<i64>| number.map_or(Datum::Null, Datum::Int);
    let value = |value: Option<_>| value.map_or(Datum::Null, |value| table.describe(value, choice.value));
    let options = |options: &[_]| {
        Datum::List(options.iter().map(|option| table.describe(*option, choice.item)).collect())
    };
    let (min, max) = pending.bounds();
    let entries = [
        ("name", Datum::text(&choice.name)),
        ("title", program.texts.get(choice.title.index()).map_or(Datum::Null, Datum::text)),
        ("kind", Datum::text(choice.kind.name())),
        ("options", options(pending.options())),
        ("branches", branches(table, pending, None)),
        ("min", Datum::Int(i64::from(min))),
        ("max", Datum::Int(i64::from(max))),
        ("slots", int(pending.slots().map(i64::from))),
        ("pass", Datum::Bool(choice.pass)),
        ("secret", Datum::Bool(choice.secret)),
        ("drafts", Datum::Bool(choice.draft.is_some())),
        ("draft", value(pending.draft())),
        ("deadline", int(pending.deadline_ms())),
        ("default", value(pending.default_value())),
    ];
    Datum::Map(entries.map(|(key, value)| (key.into(), value)).into())
}

/// The branches of that parent that can be taken: the options of each, or its own branches.
fn branches(table: &Table, pending: &Pending<'_>, parent: Option<u16>) -> Datum {
    let choice = pending.choice();
    let shown = choice.branches_of(parent).filter_map(|index| {
        let offer = pending.branch(index).filter(|offer| offer.available)?;
        let options = || offer.options.iter().map(|option| table.describe(*option, choice.item)).collect();
        let inner = match offer.inner {
            Inner::Branches => branches(table, pending, Some(index as u16)),
            Inner::Nothing | Inner::Options => Datum::List(options()),
        };
        Some((table.program.symbol(choice.branches[index].id).into(), inner))
    });
    Datum::Map(shown.collect())
}

fn check_ended(table: &Table, expected: Option<&Node>, span: Span) -> Option<Problem> {
    let got = table.played.ending().map(|ending| {
        let symbol = |symbol: intermezzo_ruleset::Symbol| Datum::text(table.program.symbol(symbol));
        let seats =
            |seats: &[Seat]| Datum::List(seats.iter().map(|seat| Datum::text(show_seat(*seat))).collect());
        let entries = [
            ("outcome", symbol(ending.outcome)),
            ("winners", seats(&ending.winners)),
            ("losers", seats(&ending.losers)),
            ("pot", symbol(ending.pot)),
        ];
        Datum::Map(entries.map(|(key, value)| (key.into(), value)).into())
    });
    match (expected, got) {
        (None, None) => None,
        (Some(expected), Some(got)) if fits(expected, &got) => None,
        (None, Some(got)) => {
            Some(Problem::new(span, format!("the match should go on but ended with {}", show(&got))))
        }
        (Some(expected), None) => Some(Problem::new(
            span,
            format!("the match should have ended with {} but goes on", show_node(expected)),
        )),
        (Some(expected), Some(got)) => {
            let line =
                format!("the match should end with {} but ended with {}", show_node(expected), show(&got));
            Some(Problem::new(span, line))
        }
    }
}

/// What is played for, as an object.
fn stakes(table: &Table) -> Datum {
    let Some(stake) = &table.terms.stake else { return Datum::Null };
    let entries = [
        ("entry", number(Some(stake.entry))),
        ("pot", number(Some(stake.pot))),
        ("currency", Datum::text(&stake.currency)),
    ];
    Datum::Map(entries.map(|(key, value)| (key.into(), value)).into())
}

/// How much time there is, as an object.
fn clock(table: &Table) -> Datum {
    let time = table.terms.time;
    let entries = [
        ("bank", number(time.bank_ms)),
        ("increment", number(Some(time.increment_ms))),
        ("grace", number(time.grace_ms)),
    ];
    Datum::Map(entries.map(|(key, value)| (key.into(), value)).into())
}

fn number(value: Option<u64>) -> Datum {
    value.and_then(|value| i64::try_from(value).ok()).map_or(Datum::Null, Datum::Int)
}

fn check_never(table: &mut Table, viewer: Viewer, text: &intermezzo_compiler::tree::Text) -> Option<Problem> {
    let sight = table.sight(viewer);
    let told = sight.told.iter().find(|told| mentions(told, text.as_str()));
    let place = match mentions(&sight.view, text.as_str()) {
        true => "in the view".to_owned(),
        false => format!("in an event: {}", show(told?)),
    };
    let line = format!("{} should never see `{}`, which occurs {place}", show_viewer(viewer), text.value);
    Some(Problem::new(text.span, line))
}

pub(crate) fn show_seat(seat: Seat) -> String {
    format!("p{}", seat.0)
}

pub(crate) fn show_seats(seats: &[Seat]) -> String {
    match seats {
        [] => "nobody".to_owned(),
        seats => seats.iter().map(|seat| show_seat(*seat)).collect::<Vec<_>>().join(", "),
    }
}

pub(crate) fn show_viewer(viewer: Viewer) -> String {
    match viewer {
        Viewer::Seat(seat) => show_seat(seat),
        Viewer::Spectator => "a spectator".to_owned(),
    }
}
