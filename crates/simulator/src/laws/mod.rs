//! Laws: properties that hold for every ruleset. Each law is a function of a ruleset and a seed.
//!
//! A law plays a random match and checks it. A [`LawViolation`] names the ruleset and the seed, so that the same match
//! can be played again.

mod action_query;
mod answers;
mod auto_pass;
mod bot_knowledge;
mod hidden;
mod lookahead;
mod matchfile;
mod optimizations;
mod order;
mod paired_matches;
mod replay;
mod secrets;
mod snapshots;
mod undo;
mod viewer_streams;
mod visibility_oracle;

use std::sync::Arc;

use intermezzo_engine::{EventLog, Input, Match, Setup};

use crate::fixtures::Fixture;
use crate::input_mix::InputMix;
use crate::play::{SimulatedMatch, play_from, setup};

pub use action_query::{QueryCounts, query_counts, the_action_query_is_pure_and_complete};
pub use answers::{every_answer_offered_is_accepted, refused_inputs_change_nothing};
pub use auto_pass::auto_pass_is_invisible_to_others;
pub use bot_knowledge::{BotComparison, bots_cannot_distinguish_paired_matches, bots_use_nothing_hidden};
pub use hidden::{
    PairCounts, hidden_information_does_not_reach_a_seat,
    hidden_information_does_not_reach_a_seat_even_by_pauses,
};
pub use lookahead::lookahead_changes_nothing;
pub use matchfile::a_recorded_match_verifies;
pub use optimizations::optimizations_change_nothing;
pub use order::the_order_of_answers_does_not_matter;
pub use replay::{
    discarding_the_log_changes_nothing, folding_the_log_gives_the_same_board,
    replaying_the_inputs_gives_the_same_match,
};
pub use secrets::{a_secret_answer_is_invisible_to_others, a_secret_stays_hidden_until_revealed};
pub use snapshots::{continuation, restoring_a_snapshot_changes_nothing};
pub use undo::undo_leaves_no_trace;
pub use viewer_streams::{ViewerStreams, every_match_can_be_observed};
pub use visibility_oracle::HiddenPairs;

/// Law that did not hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{ruleset} seed {seed}: {detail}")]
pub struct LawViolation {
    pub ruleset: String,
    /// Seed of the match.
    pub seed: u64,
    /// Description of the violation.
    pub detail: String,
    /// Accepted inputs of the match, if the law records them.
    pub inputs: Vec<Input>,
    /// True if a rule failed, so that the law itself may hold.
    pub is_fault: bool,
}

/// Result of checking a law.
pub type LawResult = Result<(), LawViolation>;

/// Law as a value, to check it on many seeds.
pub type Law = fn(&Fixture, u64) -> LawResult;

/// Laws about one random match, by name.
pub const LAWS: &[(&str, Law)] = &[
    ("matches_end_or_wait_and_never_fail", matches_end_or_wait_and_never_fail),
    ("replaying_the_inputs_gives_the_same_match", replaying_the_inputs_gives_the_same_match),
    ("folding_the_log_gives_the_same_board", folding_the_log_gives_the_same_board),
    ("discarding_the_log_changes_nothing", discarding_the_log_changes_nothing),
    ("a_recorded_match_verifies", a_recorded_match_verifies),
    ("restoring_a_snapshot_changes_nothing", restoring_a_snapshot_changes_nothing),
    ("every_answer_offered_is_accepted", every_answer_offered_is_accepted),
    ("refused_inputs_change_nothing", refused_inputs_change_nothing),
    ("the_action_query_is_pure_and_complete", the_action_query_is_pure_and_complete),
    ("lookahead_changes_nothing", lookahead_changes_nothing),
    ("the_order_of_answers_does_not_matter", the_order_of_answers_does_not_matter),
    ("every_match_can_be_observed", every_match_can_be_observed),
    ("auto_pass_is_invisible_to_others", auto_pass_is_invisible_to_others),
    ("a_secret_answer_is_invisible_to_others", a_secret_answer_is_invisible_to_others),
    ("undo_leaves_no_trace", undo_leaves_no_trace),
    ("optimizations_change_nothing", optimizations_change_nothing),
];

/// Random match that a law checks.
pub(crate) struct LawRun<'a> {
    fixture: &'a Fixture,
    seed: u64,
    pub(crate) played: SimulatedMatch,
}

impl<'a> LawRun<'a> {
    pub(crate) fn new(fixture: &'a Fixture, seed: u64, mix: &InputMix) -> Result<LawRun<'a>, LawViolation> {
        let setup = varied_setup(fixture, seed);
        let most = fixture.max_inputs.unwrap_or(u32::MAX);
        let mix = InputMix { max_inputs: mix.max_inputs.min(most), ..*mix };
        match play_from(&fixture.program, setup, seed, &mix) {
            Ok(played) => Ok(LawRun { fixture, seed, played }),
            Err(error) => {
                let detail = format!("the match does not start: {error}");
                Err(LawViolation { is_fault: true, ..violation(fixture, seed, detail) })
            }
        }
    }

    pub(crate) fn violation(&self, detail: impl Into<String>) -> LawViolation {
        let inputs = self.played.inputs.clone();
        let is_fault = !self.played.faults.is_empty();
        LawViolation { inputs, is_fault, ..violation(self.fixture, self.seed, detail) }
    }

    /// Returns a violation unless `holds`.
    pub(crate) fn claim(&self, holds: bool, detail: impl FnOnce() -> String) -> LawResult {
        if holds { Ok(()) } else { Err(self.violation(detail())) }
    }

    /// Starts the match again.
    pub(crate) fn begin(&self, log: &mut EventLog) -> Result<Match, LawViolation> {
        let program = Arc::clone(&self.fixture.program);
        Match::start(program, &self.played.setup, log).map_err(|error| self.violation(error.to_string()))
    }

    /// Replays the match and calls `inspect` before each input and at the end.
    pub(crate) fn walk(
        &self,
        mut inspect: impl FnMut(&mut Match, &mut EventLog, usize) -> LawResult,
    ) -> LawResult {
        let mut log = EventLog::new();
        let mut state = self.begin(&mut log)?;
        inspect(&mut state, &mut log, 0)?;
        for (at, input) in self.played.inputs.iter().enumerate() {
            state.submit(input, &mut log).map_err(|refusal| {
                self.violation(format!("input {at} was accepted before and now is not: {refusal}"))
            })?;
            inspect(&mut state, &mut log, at + 1)?;
        }
        Ok(())
    }
}

pub(crate) fn violation(fixture: &Fixture, seed: u64, detail: impl Into<String>) -> LawViolation {
    LawViolation {
        ruleset: fixture.name.clone(),
        seed,
        detail: detail.into(),
        inputs: Vec::new(),
        is_fault: false,
    }
}

/// Returns the setup of a seed. The number of seats rotates, and every other seed uses the options.
pub(crate) fn varied_setup(fixture: &Fixture, seed: u64) -> Setup {
    let seats = fixture.program.seats;
    let choices = u64::from(seats.max.saturating_sub(seats.min)) + 1;
    let options = if seed % 2 == 1 { &fixture.options[..] } else { &[] };
    let mut setup = setup(&fixture.program, seed, options);
    setup.seats = seats.min + (seed % choices) as u8;
    setup
}

/// Checks that a match is over or waits for an answer, and that no rule fails.
pub fn matches_end_or_wait_and_never_fail(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix::chaotic())?;
    let played = &run.played;
    if let Some((at, input, fault)) = played.faults.first() {
        return Err(run.violation(format!("after {at} inputs {input:?} made a rule fail: {fault}")));
    }
    let waits = played.state.pending().count() > 0;
    run.claim(played.state.is_over() != waits, || "the match is neither over nor waiting, or both".to_owned())
}
