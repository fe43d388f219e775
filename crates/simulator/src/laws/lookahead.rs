//! Looking ahead, on a copy or by trying out, leaves the match as it is.

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, Input, Log, Match};

use super::{Trial, Verdict};
use crate::habits::Habits;
use crate::random_play::RandomPlay;
use crate::subjects::Subject;

/// How many inputs a copy plays ahead.
const AHEAD: u32 = 8;

/// Trying an answer out shows the same match as a copy that takes it, and neither changes the original.
pub fn looking_ahead_changes_nothing(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits::lively())?;
    let mut random = Random::new(seed);
    trial.walk(|state, _, at| {
        if !random.happens(400) {
            return Ok(());
        }
        let before = state.snapshot();
        for input in some_answers(state, &mut random) {
            let mut copy = state.clone();
            let taken = copy.submit(&input, &mut Log::discard()).map(|()| copy.snapshot());
            let tried = state.try_out(&input, Match::snapshot);
            trial.claim(taken == tried, || {
                format!("after input {at} trying {input:?} out shows another match")
            })?;
            play_ahead(&mut copy, seed);
            let same = state.snapshot() == before;
            trial.claim(same, || format!("after input {at} looking at {input:?} changes the match"))?;
        }
        Ok(())
    })
}

/// A legal answer to each open question, and a refused one, and somebody leaving.
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
    let mut players = RandomPlay::new(seed, &Habits::unruly());
    for _ in 0..AHEAD {
        let Some(input) = players.next(copy) else { return };
        // Refusals are part of looking ahead.
        let _ = copy.submit(input, &mut Log::discard());
    }
}
