//! A scenario as it was written, its mistakes already sorted out.
//!
//! Everything borrows the tree of the file, so that whatever goes wrong later
//! can point at its line. Names stay names: their numbers differ from program
//! to program, and each scenario is compiled into a program of its own.

use intermezzo_compiler::Span;
use intermezzo_compiler::tree::{Entry, Node, Text};
use intermezzo_engine::{LeaveCause, PassUntil, Viewer};
use intermezzo_ruleset::Seat;

use crate::offers::OfferList;

/// One story: how a match begins, what happens to it and what must come of it.
pub(crate) struct Scenario<'n> {
    pub(crate) name: &'n Text,
    pub(crate) seats: u8,
    pub(crate) seed: u64,
    pub(crate) options: Vec<&'n Entry>,
    pub(crate) dice: Vec<Throw<'n>>,
    /// Statements that run after `setup`.
    pub(crate) given: Vec<&'n Node>,
    /// Events that listings leave out.
    pub(crate) ignored: Vec<&'n str>,
    /// What the start of the match makes happen.
    pub(crate) start: Option<Listing<'n>>,
    pub(crate) steps: Vec<Step<'n>>,
}

/// One scripted roll.
pub(crate) struct Throw<'n> {
    pub(crate) label: Option<&'n Text>,
    pub(crate) faces: Vec<i64>,
}

/// Inputs, and what must hold once they were taken.
pub(crate) struct Step<'n> {
    pub(crate) span: Span,
    pub(crate) inputs: Vec<Sent<'n>>,
    /// The inputs go to the question before the one that is open.
    pub(crate) is_late: bool,
    /// The inputs go to the question of this seat.
    pub(crate) to: Option<Seat>,
    /// Why the input is refused.
    pub(crate) refused: Option<&'n Text>,
    /// For whom everything looks the same before and after.
    pub(crate) unseen_by: Vec<Viewer>,
    pub(crate) events: Option<Listing<'n>>,
    pub(crate) checks: Vec<Check<'n>>,
}

/// Something that enters the match, and where it is written.
pub(crate) struct Sent<'n> {
    pub(crate) span: Span,
    pub(crate) what: Sending<'n>,
}

/// What can enter a match.
pub(crate) enum Sending<'n> {
    /// A seat answers.
    Answer(Seat, &'n Node),
    /// A seat drafts an answer.
    Draft(Seat, &'n Node),
    /// A seat drags something onto something.
    Drag(Seat, [&'n Text; 2]),
    /// A seat passes by itself, or no longer.
    Auto(Seat, PassUntil, bool),
    /// The deadline passes for some seats, or for all that are asked.
    Timeout(Option<Vec<Seat>>),
    /// A seat leaves.
    Leave(Seat, LeaveCause),
    /// A moderator ends the match.
    Moderate(Vec<Seat>, &'n str),
}

/// A list of events as it is written.
pub(crate) struct Listing<'n> {
    /// The key it stands under.
    pub(crate) key: Span,
    pub(crate) node: &'n Node,
    /// Stands inside brackets, where lists take no lines of their own.
    pub(crate) is_inline: bool,
    pub(crate) patterns: Vec<Pattern<'n>>,
}

/// One line of a listing.
pub(crate) struct Pattern<'n> {
    pub(crate) node: &'n Node,
    pub(crate) kind: PatternKind<'n>,
}

/// What a line of a listing stands for.
pub(crate) enum PatternKind<'n> {
    /// `...`: any number of events.
    Rest,
    /// One event with these fields among its own.
    Event(&'n str, &'n [Entry]),
}

/// Something that must hold.
pub(crate) enum Check<'n> {
    /// An expression is true.
    Holds(&'n Text),
    /// An expression has a value.
    Equals(&'n Text, &'n Node),
    /// A seat is asked this, or nothing (`false`).
    Asked(Seat, &'n Node),
    /// These seats are asked and no others.
    AskedAre(Vec<Seat>, Span),
    /// A seat is asked what to do, or not.
    AskedToAct(Seat, bool, Span),
    /// A seat is offered an action.
    Offered(Seat, &'n Node),
    /// A seat is offered these actions and no others.
    OfferedOnly(Seat, OfferList<'n>),
    /// A seat has an action and cannot take it now.
    NotOffered(Seat, &'n Node),
    /// How the match ended, or that it has not.
    Ended(Option<&'n Node>, Span),
    /// What is staked and what is in the pot.
    Stakes(&'n Node),
    /// How much time there is.
    Clock(&'n Node),
    /// What a viewer sees at a path of the view.
    Sees(Viewer, &'n Text, &'n Node),
    /// A path that is not in the viewer's view.
    Hidden(Viewer, &'n Text),
    /// A text that occurs nowhere in what the viewer sees and was told.
    Never(Viewer, &'n Text),
    /// What a viewer is told of the events of the step.
    Told(Viewer, Listing<'n>),
}

impl<'n> Scenario<'n> {
    /// All expressions, in the order in which checks use them.
    pub(crate) fn expressions(&self) -> Vec<&'n Text> {
        let checks = self.steps.iter().flat_map(|step| &step.checks);
        checks
            .filter_map(|check| match check {
                Check::Holds(text) | Check::Equals(text, _) => Some(*text),
                _ => None,
            })
            .collect()
    }
}
