//! Offered answers are accepted, and refused inputs change nothing.

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, EventLog, Input, Match, PendingQuestion, Refusal};

use super::{LawResult, LawRun};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;
use crate::invalid_inputs;

/// Number of answers to try for one question.
const MAX_TRIED: u64 = 12;

/// Returns the numbers of the answers to try.
fn numbers(count: u64, random: &mut Random) -> Vec<u64> {
    if count <= MAX_TRIED {
        return (0..count).collect();
    }
    let mut tried = vec![0, count - 1];
    tried.extend((2..MAX_TRIED).map(|_| random.below(count)));
    tried
}

/// Checks that every offered answer is accepted, that all differ, and that none comes after the last.
pub fn every_answer_offered_is_accepted(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix::varied())?;
    let mut random = Random::new(seed);
    let mut scratch = run.played.state.clone();
    run.walk(|state, _, at| {
        for pending in state.pending() {
            let count = pending.answer_count();
            run.claim(count > 0, || {
                format!("after input {at} `{}` has no legal answer", pending.choice().name)
            })?;
            let mut seen: Vec<Answer> = Vec::new();
            for n in numbers(count, &mut random) {
                let answer = nth(&run, &pending, n, at)?;
                let repeats = count <= MAX_TRIED && seen.contains(&answer);
                run.claim(!repeats, || format!("after input {at} {answer:?} is offered twice"))?;
                accept(&run, state, &mut scratch, &pending, &answer, at)?;
                seen.push(answer);
            }
            let beyond = count < u64::MAX && pending.nth_answer(count, &mut Answer::Pass);
            run.claim(!beyond, || format!("after input {at} an answer number {count} exists"))?;
        }
        Ok(())
    })
}

fn nth(
    run: &LawRun<'_>,
    pending: &PendingQuestion<'_>,
    n: u64,
    at: usize,
) -> Result<Answer, super::LawViolation> {
    let mut answer = Answer::Pass;
    let found = pending.nth_answer(n, &mut answer);
    run.claim(found, || format!("after input {at} answer {n} of `{}` is missing", pending.choice().name))?;
    Ok(answer)
}

fn accept(
    run: &LawRun<'_>,
    state: &Match,
    scratch: &mut Match,
    pending: &PendingQuestion<'_>,
    answer: &Answer,
    at: usize,
) -> LawResult {
    scratch.clone_from(state);
    let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer: answer.clone() };
    match scratch.submit(&input, &mut EventLog::discard()) {
        Ok(()) => Ok(()),
        Err(refusal) => Err(run.violation(format!(
            "after input {at} {answer:?} to `{}` is refused: {refusal}",
            pending.choice().name
        ))),
    }
}

/// Checks that refused inputs change neither the match nor the log.
pub fn refused_inputs_change_nothing(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix::varied())?;
    let mut random = Random::new(seed);
    run.walk(|state, log, at| {
        // Check at some of the waits, and always at the last.
        if at < run.played.inputs.len() && !random.happens(150) {
            return Ok(());
        }
        let before = state.snapshot();
        let written = log.clone();
        for (input, why) in invalid_inputs::refused(state) {
            match state.submit(&input, log) {
                Err(Refusal::Rejected(_)) => {}
                Ok(()) => {
                    return Err(run.violation(format!("after input {at} {input:?} is accepted ({why})")));
                }
                Err(Refusal::Faulted(fault)) => {
                    return Err(run.violation(format!(
                        "after input {at} {input:?} ({why}) makes a rule fail: {fault}"
                    )));
                }
            }
            untouched(&run, state, log, &before, &written, &input, at)?;
        }
        for input in damaged(state, &mut random) {
            let is_wrong = invalid_inputs::check(state, &input).is_err();
            if is_wrong && state.submit(&input, log).is_ok() {
                return Err(run.violation(format!("after input {at} {input:?} is accepted but invalid")));
            }
            untouched(&run, state, log, &before, &written, &input, at)?;
        }
        Ok(())
    })
}

/// Returns damaged answers to the open questions. Most are invalid.
fn damaged(state: &Match, random: &mut Random) -> Vec<Input> {
    let mut inputs = Vec::new();
    for pending in state.pending() {
        for _ in 0..3 {
            let mut answer = Answer::Pass;
            pending.nth_answer(random.below(pending.answer_count().min(1 << 20)), &mut answer);
            let answer = invalid_inputs::damage(answer, random);
            inputs.push(Input::Answer { input: pending.id(), seat: pending.seat(), answer });
        }
    }
    inputs
}

fn untouched(
    run: &LawRun<'_>,
    state: &Match,
    log: &EventLog,
    before: &[u8],
    written: &EventLog,
    input: &Input,
    at: usize,
) -> LawResult {
    run.claim(state.snapshot() == before, || {
        format!("after input {at} {input:?} is refused but changes the match")
    })?;
    run.claim(log == written, || format!("after input {at} {input:?} is refused but changes the log"))
}
