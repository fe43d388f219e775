//! Simultaneous answers may arrive in any order.

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, EventLog, Input, Match};
use intermezzo_program::AnswerMode;

use super::{LawResult, LawRun};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;

/// Checks that the order of answers to a question for everyone changes neither the log nor the state.
pub fn the_order_of_answers_does_not_matter(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix::varied())?;
    let mut random = Random::new(seed);
    run.walk(|state, _, at| {
        let mut inputs = answers_to_all(state, &mut random);
        if inputs.len() < 2 {
            return Ok(());
        }
        let expected = submit_all(state, &inputs);
        for _ in 0..2 {
            shuffle(&mut inputs, &mut random);
            let same = submit_all(state, &inputs) == expected;
            run.claim(same, || format!("after input {at} the answers {inputs:?} depend on their order"))?;
        }
        Ok(())
    })
}

/// Returns a legal answer for each seat that a joint question waits for. Where the first answer counts, all pass.
fn answers_to_all(state: &Match, random: &mut Random) -> Vec<Input> {
    let is_joint = |mode: AnswerMode| matches!(mode, AnswerMode::Each | AnswerMode::First);
    let waiting = state.pending().filter(|pending| is_joint(pending.choice().mode));
    let answer = |pending: intermezzo_engine::PendingQuestion<'_>| {
        let mut answer = Answer::Pass;
        if pending.choice().mode == AnswerMode::Each {
            pending.nth_answer(random.below(pending.answer_count()), &mut answer);
        }
        Input::Answer { input: pending.id(), seat: pending.seat(), answer }
    };
    waiting.map(answer).collect()
}

fn submit_all(state: &Match, inputs: &[Input]) -> (Vec<bool>, EventLog, Vec<u8>) {
    let (mut copy, mut log) = (state.clone(), EventLog::new());
    let mut taken: Vec<bool> = inputs.iter().map(|input| copy.submit(input, &mut log).is_ok()).collect();
    taken.sort_unstable();
    (taken, log, copy.snapshot())
}

fn shuffle(inputs: &mut [Input], random: &mut Random) {
    for place in (1..inputs.len()).rev() {
        inputs.swap(place, random.index(place + 1));
    }
}
