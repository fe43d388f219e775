//! Lookahead, on a copy or by a preview, does not change the match.

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, EventLog, Input, Match};

use super::{LawResult, LawRun};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;
use crate::random_play::RandomPlay;

/// Number of inputs that a copy plays ahead.
const AHEAD: u32 = 8;

/// Checks that previewing an answer shows the same match as submitting it to a copy, and that neither changes the
/// original.
pub fn lookahead_changes_nothing(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix::varied())?;
    let mut random = Random::new(seed);
    run.walk(|state, _, at| {
        if !random.happens(400) {
            return Ok(());
        }
        let before = state.snapshot();
        for input in some_answers(state, &mut random) {
            let mut copy = state.clone();
            let taken = copy.submit(&input, &mut EventLog::discard()).map(|()| copy.snapshot());
            let tried = state.preview(&input, Match::snapshot);
            run.claim(taken == tried, || {
                format!("after input {at} the preview of {input:?} differs from a copy")
            })?;
            play_ahead(&mut copy, seed);
            let same = state.snapshot() == before;
            run.claim(same, || format!("after input {at} lookahead at {input:?} changes the match"))?;
        }
        Ok(())
    })
}

/// Returns a legal answer to each open question, and sometimes an invalid one and a seat that leaves.
fn some_answers(state: &Match, random: &mut Random) -> Vec<Input> {
    let mut inputs = Vec::new();
    for pending in state.pending() {
        let mut answer = Answer::Pass;
        pending.nth_answer(random.below(pending.answer_count()), &mut answer);
        let (input, seat) = (pending.id(), pending.seat());
        inputs.push(Input::Answer { input, seat, answer });
        if pending.deadline_ms().is_some() {
            inputs.push(Input::Timeout { input });
        }
        if random.happens(100) {
            inputs.push(Input::Leave { seat, cause: intermezzo_engine::LeaveCause::Concede });
            inputs.push(Input::Answer { input, seat, answer: Answer::Picks(vec![-9]) });
        }
    }
    inputs
}

fn play_ahead(copy: &mut Match, seed: u64) {
    let mut players = RandomPlay::new(seed, &InputMix::chaotic());
    for _ in 0..AHEAD {
        let Some(input) = players.next(copy) else { return };
        // Refusals are part of lookahead.
        let _ = copy.submit(input, &mut EventLog::discard());
    }
}
