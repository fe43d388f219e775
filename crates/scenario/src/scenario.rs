//! Parsed scenarios.
//!
//! Everything borrows the syntax tree of the file, so that later failures can point at their line. EntityLabels
//! stay names: their numbers differ from program to program, and each scenario is compiled into its own
//! program.

use intermezzo_compiler::Span;
use intermezzo_compiler::tree::{MapEntry, SourceNode, SourceText};
use intermezzo_engine::{LeaveCause, PassUntil, Viewer};
use intermezzo_program::Seat;

use crate::offers::OfferList;

/// Scenario: the setup of a match, its inputs and the expected results.
pub(crate) struct Scenario<'n> {
    pub(crate) name: &'n SourceText,
    pub(crate) seats: u8,
    pub(crate) seed: u64,
    pub(crate) options: Vec<&'n MapEntry>,
    pub(crate) dice: Vec<DiceThrow<'n>>,
    /// Statements that run after `setup`.
    pub(crate) given: Vec<&'n SourceNode>,
    /// Events that listings omit.
    pub(crate) ignored: Vec<&'n str>,
    /// Expected events at the start of the match.
    pub(crate) start: Option<EventListing<'n>>,
    pub(crate) steps: Vec<ScenarioStep<'n>>,
}

/// Scripted roll.
pub(crate) struct DiceThrow<'n> {
    pub(crate) label: Option<&'n SourceText>,
    pub(crate) faces: Vec<i64>,
}

/// Inputs of a step, and the checks after them.
pub(crate) struct ScenarioStep<'n> {
    pub(crate) span: Span,
    pub(crate) inputs: Vec<LocatedInput<'n>>,
    /// The inputs answer the previous question instead of the open one.
    pub(crate) is_late: bool,
    /// The inputs answer the question of this seat.
    pub(crate) to: Option<Seat>,
    /// Expected reason for the refusal of the input.
    pub(crate) refused: Option<&'n SourceText>,
    /// Viewers for whom nothing may change.
    pub(crate) unseen_by: Vec<Viewer>,
    pub(crate) events: Option<EventListing<'n>>,
    pub(crate) checks: Vec<StepCheck<'n>>,
}

/// Input with its location.
pub(crate) struct LocatedInput<'n> {
    pub(crate) span: Span,
    pub(crate) what: StepInput<'n>,
}

/// Input of a step.
pub(crate) enum StepInput<'n> {
    Answer(Seat, &'n SourceNode),
    Draft(Seat, &'n SourceNode),
    Drag(Seat, [&'n SourceText; 2]),
    /// Auto-pass of a seat; true if items of others on the stack stop it.
    Auto(Seat, PassUntil, bool),
    /// Timeout of some seats, or of all that are asked.
    Timeout(Option<Vec<Seat>>),
    Leave(Seat, LeaveCause),
    /// End of the match by a moderator: winners and pot.
    Moderate(Vec<Seat>, &'n str),
}

/// Written list of events.
pub(crate) struct EventListing<'n> {
    /// Key of the listing.
    pub(crate) key: Span,
    pub(crate) node: &'n SourceNode,
    /// Written inside brackets, where items have no lines of their own.
    pub(crate) is_inline: bool,
    pub(crate) patterns: Vec<EventPattern<'n>>,
}

/// Line of a listing.
pub(crate) struct EventPattern<'n> {
    pub(crate) node: &'n SourceNode,
    pub(crate) kind: EventPatternKind<'n>,
}

/// Meaning of a line of a listing.
pub(crate) enum EventPatternKind<'n> {
    /// `...`: any number of events.
    Rest,
    /// One event that has at least these fields.
    Event(&'n str, &'n [MapEntry]),
}

/// Check after a step.
pub(crate) enum StepCheck<'n> {
    /// An expression must be true.
    Holds(&'n SourceText),
    /// An expression must have a value.
    Equals(&'n SourceText, &'n SourceNode),
    /// A seat must be asked this question, or none (`false`).
    Asked(Seat, &'n SourceNode),
    /// Exactly these seats must be asked.
    AskedAre(Vec<Seat>, Span),
    /// A seat must be asked to act, or not.
    AskedToAct(Seat, bool, Span),
    /// A seat must be offered an action.
    Offered(Seat, &'n SourceNode),
    /// A seat must be offered exactly these actions.
    OfferedOnly(Seat, OfferList<'n>),
    /// A seat must have an action that is unavailable now.
    NotOffered(Seat, &'n SourceNode),
    /// Expected ending of the match, or none.
    Ended(Option<&'n SourceNode>, Span),
    /// Expected stakes.
    Stakes(&'n SourceNode),
    /// Expected time control.
    Clock(&'n SourceNode),
    /// Expected value at a path of a viewer's view.
    Sees(Viewer, &'n SourceText, &'n SourceNode),
    /// Path that must be missing from a viewer's view.
    Hidden(Viewer, &'n SourceText),
    /// Text that must not occur in anything a viewer sees or received.
    Never(Viewer, &'n SourceText),
    /// Expected events of the step for a viewer.
    Received(Viewer, EventListing<'n>),
}

impl<'n> Scenario<'n> {
    /// Returns all expressions, in the order in which checks use them.
    pub(crate) fn expressions(&self) -> Vec<&'n SourceText> {
        let checks = self.steps.iter().flat_map(|step| &step.checks);
        checks
            .filter_map(|check| match check {
                StepCheck::Holds(text) | StepCheck::Equals(text, _) => Some(*text),
                _ => None,
            })
            .collect()
    }
}
