//! Answers to questions asked at the same time may arrive in any order.

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, Input, Log, Match};
use intermezzo_ruleset::How;

use super::{Trial, Verdict};
use crate::habits::Habits;
use crate::subjects::Subject;

/// Where all must answer, the order in which the answers arrive changes neither the log nor the state.
pub fn the_order_of_arrival_does_not_matter(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits::lively())?;
    let mut random = Random::new(seed);
    trial.walk(|state, _, at| {
        let mut inputs = answers_to_all(state, &mut random);
        if inputs.len() < 2 {
            return Ok(());
        }
        let expected = submit_all(state, &inputs);
        for _ in 0..2 {
            shuffle(&mut inputs, &mut random);
            let same = submit_all(state, &inputs) == expected;
            trial.claim(same, || format!("after input {at} the answers {inputs:?} depend on their order"))?;
        }
        Ok(())
    })
}

/// A legal answer to each question of a request that waits for all.
fn answers_to_all(state: &Match, random: &mut Random) -> Vec<Input> {
    let waiting = state.pending().filter(|pending| pending.choice().how == How::Each);
    let answer = |pending: intermezzo_engine::Pending<'_>| {
        let mut answer = Answer::Pass;
        pending.nth_answer(random.below(pending.answer_count()), &mut answer);
        Input::Answer { input: pending.id(), seat: pending.seat(), answer }
    };
    waiting.map(answer).collect()
}

fn submit_all(state: &Match, inputs: &[Input]) -> (Vec<bool>, Log, Vec<u8>) {
    let (mut copy, mut log) = (state.clone(), Log::new());
    let mut taken: Vec<bool> = inputs.iter().map(|input| copy.submit(input, &mut log).is_ok()).collect();
    taken.sort_unstable();
    (taken, log, copy.snapshot())
}

fn shuffle(inputs: &mut [Input], random: &mut Random) {
    for place in (1..inputs.len()).rev() {
        inputs.swap(place, random.index(place + 1));
    }
}
