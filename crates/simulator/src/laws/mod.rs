//! What must hold for every ruleset, whatever happens: each law is a function of a ruleset and a seed.
//!
//! A law plays a random match of its own (a trial) and looks at it in its
//! way. What is found comes back as [`Broken`], which names the
//! ruleset and the seed, so that the same match can be played again.

mod answers;
mod discovery;
mod hidden;
mod lookahead;
mod oracle;
mod order;
mod passing;
mod recording;
mod replay;
mod secrets;
mod snapshots;
mod streams;
mod taking_back;
mod thinking;
mod twins;

use std::fmt;
use std::sync::Arc;

use intermezzo_engine::{Input, Log, Match, Setup};

use crate::habits::Habits;
use crate::play::{Played, play_from, setup};
use crate::subjects::Subject;

pub use answers::{every_answer_offered_is_accepted, refused_inputs_change_nothing};
pub use discovery::{Discovered, discovered, discovery_is_pure_and_complete};
pub use hidden::{Compared, what_a_seat_may_not_see_does_not_reach_it};
pub use lookahead::looking_ahead_changes_nothing;
pub use oracle::HiddenPairs;
pub use order::the_order_of_arrival_does_not_matter;
pub use passing::passing_by_itself_is_seen_by_nobody_else;
pub use recording::a_recorded_match_can_be_proved;
pub use replay::{
    folding_the_log_gives_the_same_board, keeping_no_log_changes_nothing,
    replaying_the_inputs_gives_the_same_match,
};
pub use secrets::{a_secret_answer_is_seen_by_nobody_else, a_secret_is_kept_until_it_is_shown};
pub use snapshots::{continuation, restoring_a_snapshot_changes_nothing};
pub use streams::{Streams, everyone_can_watch_every_match};
pub use taking_back::taking_back_leaves_no_trace;
pub use thinking::{Thought, bots_cannot_tell_twins_apart, bots_use_nothing_hidden};

/// A law that did not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The ruleset.
    pub ruleset: String,
    /// The seed of the match.
    pub seed: u64,
    /// What was found.
    pub detail: String,
    /// What was sent in that match, as far as it was taken; nothing where the law does not say.
    pub inputs: Vec<Input>,
    /// It is a rule that failed, and no law by itself.
    pub is_fault: bool,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} seed {}: {}", self.ruleset, self.seed, self.detail)
    }
}

impl std::error::Error for Broken {}

/// Whether a law held.
pub type Verdict = Result<(), Broken>;

/// A law as a value, to try it on many seeds.
pub type Law = fn(&Subject, u64) -> Verdict;

/// The laws that look at one random match each, by name.
pub const LAWS: &[(&str, Law)] = &[
    ("matches_end_or_wait_and_never_fail", matches_end_or_wait_and_never_fail),
    ("replaying_the_inputs_gives_the_same_match", replaying_the_inputs_gives_the_same_match),
    ("folding_the_log_gives_the_same_board", folding_the_log_gives_the_same_board),
    ("keeping_no_log_changes_nothing", keeping_no_log_changes_nothing),
    ("a_recorded_match_can_be_proved", a_recorded_match_can_be_proved),
    ("restoring_a_snapshot_changes_nothing", restoring_a_snapshot_changes_nothing),
    ("every_answer_offered_is_accepted", every_answer_offered_is_accepted),
    ("refused_inputs_change_nothing", refused_inputs_change_nothing),
    ("discovery_is_pure_and_complete", discovery_is_pure_and_complete),
    ("looking_ahead_changes_nothing", looking_ahead_changes_nothing),
    ("the_order_of_arrival_does_not_matter", the_order_of_arrival_does_not_matter),
    ("everyone_can_watch_every_match", everyone_can_watch_every_match),
    ("passing_by_itself_is_seen_by_nobody_else", passing_by_itself_is_seen_by_nobody_else),
    ("a_secret_answer_is_seen_by_nobody_else", a_secret_answer_is_seen_by_nobody_else),
    ("taking_back_leaves_no_trace", taking_back_leaves_no_trace),
];

/// A random match that a law looks at.
pub(crate) struct Trial<'a> {
    subject: &'a Subject,
    seed: u64,
    pub(crate) played: Played,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(subject: &'a Subject, seed: u64, habits: &Habits) -> Result<Trial<'a>, Broken> {
        let setup = varied_setup(subject, seed);
        let most = subject.max_inputs.unwrap_or(u32::MAX);
        let habits = Habits { max_inputs: habits.max_inputs.min(most), ..*habits };
        match play_from(&subject.program, setup, seed, &habits) {
            Ok(played) => Ok(Trial { subject, seed, played }),
            Err(error) => {
                let detail = format!("the match does not begin: {error}");
                Err(Broken { is_fault: true, ..broken(subject, seed, detail) })
            }
        }
    }

    pub(crate) fn broken(&self, detail: impl Into<String>) -> Broken {
        let inputs = self.played.inputs.clone();
        let is_fault = !self.played.faults.is_empty();
        Broken { inputs, is_fault, ..broken(self.subject, self.seed, detail) }
    }

    /// Breaks unless `holds`.
    pub(crate) fn claim(&self, holds: bool, detail: impl FnOnce() -> String) -> Verdict {
        if holds { Ok(()) } else { Err(self.broken(detail())) }
    }

    /// The match from its beginning.
    pub(crate) fn begin(&self, log: &mut Log) -> Result<Match, Broken> {
        let program = Arc::clone(&self.subject.program);
        Match::start(program, &self.played.setup, log).map_err(|error| self.broken(error.to_string()))
    }

    /// Goes through the match again; `look` sees it before each input and at the end.
    pub(crate) fn walk(&self, mut look: impl FnMut(&mut Match, &mut Log, usize) -> Verdict) -> Verdict {
        let mut log = Log::new();
        let mut state = self.begin(&mut log)?;
        look(&mut state, &mut log, 0)?;
        for (at, input) in self.played.inputs.iter().enumerate() {
            state
                .submit(input, &mut log)
                .map_err(|refusal| self.broken(format!("input {at} was taken and now is not: {refusal}")))?;
            look(&mut state, &mut log, at + 1)?;
        }
        Ok(())
    }
}

pub(crate) fn broken(subject: &Subject, seed: u64, detail: impl Into<String>) -> Broken {
    Broken { ruleset: subject.name.clone(), seed, detail: detail.into(), inputs: Vec::new(), is_fault: false }
}

/// A setup with every number of seats in turn, and every other time the options to try.
pub(crate) fn varied_setup(subject: &Subject, seed: u64) -> Setup {
    let seats = subject.program.seats;
    let choices = u64::from(seats.max.saturating_sub(seats.min)) + 1;
    let options = if seed % 2 == 1 { &subject.options[..] } else { &[] };
    let mut setup = setup(&subject.program, seed, options);
    setup.seats = seats.min + (seed % choices) as u8;
    setup
}

/// A match is over or waits for somebody; no rule fails; no legal answer is refused.
pub fn matches_end_or_wait_and_never_fail(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits::unruly())?;
    let played = &trial.played;
    if let Some((at, input, fault)) = played.faults.first() {
        return Err(trial.broken(format!("after {at} inputs {input:?} made a rule fail: {fault}")));
    }
    let waits = played.state.pending().count() > 0;
    trial.claim(played.state.is_over() != waits, || {
        "the match is neither over nor waiting, or both".to_owned()
    })
}
