//! Checks after a step.

use intermezzo_compiler::tree::SourceNode;
use intermezzo_compiler::{ExtraExpression, Span};
use intermezzo_engine::{Datum, PendingQuestion, Viewer};
use intermezzo_program::{BranchContent, Seat};

use crate::offers::{self, short};
use crate::running_match::RunningMatch;
use crate::scenario::StepCheck;
use crate::values::{at_path, fits, mentions, show, show_node};

/// Failed check: its location and a message in lines.
pub(crate) struct ScenarioProblem {
    pub(crate) span: Span,
    pub(crate) lines: Vec<String>,
    /// The lines already list the events.
    pub(crate) shows_events: bool,
}

impl ScenarioProblem {
    pub(crate) fn new(span: Span, line: impl Into<String>) -> ScenarioProblem {
        ScenarioProblem::of_lines(span, vec![line.into()])
    }

    pub(crate) fn of_lines(span: Span, lines: Vec<String>) -> ScenarioProblem {
        ScenarioProblem { span, lines, shows_events: false }
    }
}

/// Runs a check. Listings can be blessed and are compared elsewhere.
pub(crate) fn check(
    running: &mut RunningMatch,
    check: &StepCheck<'_>,
    expressions: &mut impl Iterator<Item = ExtraExpression>,
) -> Option<ScenarioProblem> {
    let problem = |span, line: String| Some(ScenarioProblem::new(span, line));
    match check {
        StepCheck::Holds(text) => match value(running, expressions) {
            Ok(Datum::Bool(true)) => None,
            Ok(got) => problem(text.span, format!("`{}` should be true but is {}", text.value, show(&got))),
            Err(reason) => problem(text.span, format!("`{}` has no value: {reason}", text.value)),
        },
        StepCheck::Equals(text, expected) => match value(running, expressions) {
            Ok(got) => differs(&text.value, expected, &got).map(|line| ScenarioProblem::new(text.span, line)),
            Err(reason) => problem(text.span, format!("`{}` has no value: {reason}", text.value)),
        },
        StepCheck::Asked(seat, expected) => check_asked(running, *seat, expected),
        StepCheck::AskedAre(seats, span) => {
            let asked: Vec<Seat> = running.game.pending().map(|pending| pending.seat()).collect();
            (asked != *seats).then(|| {
                ScenarioProblem::new(
                    *span,
                    format!("{} should be asked but {} is", show_seats(seats), show_seats(&asked)),
                )
            })
        }
        StepCheck::AskedToAct(seat, expected, span) => offers::check_asked(running, *seat, *expected, *span),
        StepCheck::Offered(seat, node) => offers::check_offered(running, *seat, node),
        StepCheck::NotOffered(seat, node) => offers::check_closed(running, *seat, node),
        StepCheck::Ended(expected, span) => check_ended(running, *expected, *span),
        StepCheck::Stakes(expected) => differs("stakes", expected, &stakes(running))
            .map(|line| ScenarioProblem::new(expected.span, line)),
        StepCheck::Clock(expected) => {
            differs("clock", expected, &clock(running)).map(|line| ScenarioProblem::new(expected.span, line))
        }
        StepCheck::Sees(viewer, path, expected) => {
            let knowledge = running.knowledge(*viewer);
            let what = format!("{} of {}'s view", path.value, show_viewer(*viewer));
            match at_path(&knowledge.view, path.as_str()) {
                Some(got) => differs(&what, expected, got).map(|line| ScenarioProblem::new(path.span, line)),
                None => {
                    problem(path.span, format!("{} sees nothing at `{}`", show_viewer(*viewer), path.value))
                }
            }
        }
        StepCheck::Hidden(viewer, path) => {
            let knowledge = running.knowledge(*viewer);
            let got = at_path(&knowledge.view, path.as_str()).filter(|got| **got != Datum::Null)?;
            let line =
                format!("{} should not see `{}` but sees {}", show_viewer(*viewer), path.value, show(got));
            problem(path.span, line)
        }
        StepCheck::Never(viewer, text) => check_never(running, *viewer, text),
        StepCheck::Received(..) | StepCheck::OfferedOnly(..) => None,
    }
}

fn value(
    running: &RunningMatch,
    expressions: &mut impl Iterator<Item = ExtraExpression>,
) -> Result<Datum, String> {
    let expression = expressions.next().expect("every expression was compiled");
    let value = running.game.evaluate_datum(expression.routine, expression.ty);
    value.map(|value| running.named(value)).map_err(|fault| fault.to_string())
}

fn differs(what: &str, expected: &SourceNode, got: &Datum) -> Option<String> {
    (!fits(expected, got)).then(|| mismatch_text(what, expected, got))
}

fn mismatch_text(what: &str, expected: &SourceNode, got: &Datum) -> String {
    format!("`{what}` should be {} but is {}", show_node(expected), show(got))
}

fn check_asked(running: &RunningMatch, seat: Seat, expected: &SourceNode) -> Option<ScenarioProblem> {
    let got = match running.pending(seat).map(|pending| question_datum(running, &pending)) {
        None if expected.as_bool() == Some(false) => return None,
        None => {
            return Some(ScenarioProblem::new(
                expected.span,
                format!("{} should be asked but is not", show_seat(seat)),
            ));
        }
        Some(got) => got,
    };
    if expected.as_bool() == Some(false) {
        let title = got.get("title").map_or_else(String::new, show);
        return Some(ScenarioProblem::new(
            expected.span,
            format!("{} should not be asked but is: {title}", show_seat(seat)),
        ));
    }
    let differing = expected.as_map().unwrap_or_default().iter().filter_map(|entry| {
        let got = got.get(&entry.key.value).unwrap_or(&Datum::Null);
        let what = format!("{}'s {}", show_seat(seat), entry.key.value);
        let shown = match got {
            Datum::List(items) => {
                Datum::List(items.iter().map(|item| short(&running.program, item)).collect())
            }
            other => other.clone(),
        };
        (!fits(&entry.value, got)).then(|| mismatch_text(&what, &entry.value, &shown))
    });
    let lines: Vec<String> = differing.collect();
    (!lines.is_empty()).then(|| ScenarioProblem::of_lines(expected.span, lines))
}

/// Describes a question as an object.
fn question_datum(running: &RunningMatch, pending: &PendingQuestion<'_>) -> Datum {
    let choice = pending.choice();
    let int = |number: Option<i64>| number.map_or(Datum::Null, Datum::Int);
    let value = |value: Option<_>| value.map_or(Datum::Null, |value| running.describe(value, choice.value));
    let options = |options: &[_]| {
        Datum::List(options.iter().map(|option| running.describe(*option, choice.item)).collect())
    };
    let (min, max) = pending.bounds();
    let entries = [
        ("name", Datum::text(&choice.name)),
        ("title", Datum::text(pending.title())),
        ("kind", Datum::text(choice.kind.name())),
        ("options", options(pending.options())),
        ("branches", branches(running, pending, None)),
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

/// Lists the options of a question in one line, unless there are many.
pub(crate) fn option_line(running: &RunningMatch, pending: &PendingQuestion<'_>) -> Option<String> {
    const MOST: usize = 12;
    let options = pending.options();
    let item = pending.choice().item;
    let mut shown: Vec<String> = options
        .iter()
        .map(|option| show(&short(&running.program, &running.describe(*option, item))))
        .collect();
    shown.dedup();
    (1..=MOST).contains(&shown.len()).then(|| format!("  options: {}", shown.join(", ")))
}

/// Describes the available branches below a parent: the options of each, or its inner branches.
fn branches(running: &RunningMatch, pending: &PendingQuestion<'_>, parent: Option<u16>) -> Datum {
    let choice = pending.choice();
    let shown = choice.branches_of(parent).filter_map(|index| {
        let offer = pending.branch(index).filter(|offer| offer.available)?;
        let options = || offer.options.iter().map(|option| running.describe(*option, choice.item)).collect();
        let inner = match offer.inner {
            BranchContent::Branches => branches(running, pending, Some(index as u16)),
            BranchContent::Nothing | BranchContent::Options => Datum::List(options()),
        };
        Some((running.program.symbol(choice.branches[index].id).into(), inner))
    });
    Datum::Map(shown.collect())
}

fn check_ended(running: &RunningMatch, expected: Option<&SourceNode>, span: Span) -> Option<ScenarioProblem> {
    let got = running.game.ending().map(|ending| {
        let symbol = |symbol: intermezzo_program::Symbol| Datum::text(running.program.symbol(symbol));
        let seats =
            |seats: &[Seat]| Datum::List(seats.iter().map(|seat| Datum::text(show_seat(*seat))).collect());
        let mut entries = vec![
            ("outcome".into(), symbol(ending.outcome)),
            ("winners".into(), seats(&ending.winners)),
            ("losers".into(), seats(&ending.losers)),
            ("pot".into(), symbol(ending.pot)),
        ];
        if let Some(score) = ending.score {
            let seats = (0..).map(Seat).map(show_seat);
            let scores = seats.zip(score).map(|(seat, score)| (seat.into(), Datum::Int(score)));
            entries.push(("score".into(), Datum::Map(scores.collect())));
        }
        Datum::Map(entries)
    });
    match (expected, got) {
        (None, None) => None,
        (Some(expected), Some(got)) if fits(expected, &got) => None,
        (None, Some(got)) => Some(ScenarioProblem::new(
            span,
            format!("the match should continue but ended with {}", show(&got)),
        )),
        (Some(expected), None) => Some(ScenarioProblem::new(
            span,
            format!("the match should have ended with {} but continues", show_node(expected)),
        )),
        (Some(expected), Some(got)) => {
            let line =
                format!("the match should end with {} but ended with {}", show_node(expected), show(&got));
            Some(ScenarioProblem::new(span, line))
        }
    }
}

/// Describes the stakes as an object.
fn stakes(running: &RunningMatch) -> Datum {
    let Some(stake) = &running.terms.stake else { return Datum::Null };
    let entries = [
        ("entry", number(Some(stake.entry))),
        ("pot", number(Some(stake.pot))),
        ("currency", Datum::text(&stake.currency)),
    ];
    Datum::Map(entries.map(|(key, value)| (key.into(), value)).into())
}

/// Describes the time control as an object.
fn clock(running: &RunningMatch) -> Datum {
    let time = running.terms.time;
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

fn check_never(
    running: &mut RunningMatch,
    viewer: Viewer,
    text: &intermezzo_compiler::tree::SourceText,
) -> Option<ScenarioProblem> {
    let knowledge = running.knowledge(viewer);
    let received = knowledge.received.iter().find(|event| mentions(event, text.as_str()));
    let place = match mentions(&knowledge.view, text.as_str()) {
        true => "in the view".to_owned(),
        false => format!("in an event: {}", show(received?)),
    };
    let line = format!("{} should never see `{}`, which occurs {place}", show_viewer(viewer), text.value);
    Some(ScenarioProblem::new(text.span, line))
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
