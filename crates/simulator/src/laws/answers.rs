//! What is offered is accepted; what is refused leaves no trace.

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, Input, Log, Match, Pending, Refusal};

use super::{Trial, Verdict};
use crate::habits::Habits;
use crate::mischief;
use crate::subjects::Subject;

/// Up to so many answers to one question are all tried; of more, so many.
const MAX_TRIED: u64 = 12;

/// Numbers of answers to try.
fn numbers(count: u64, random: &mut Random) -> Vec<u64> {
    if count <= MAX_TRIED {
        return (0..count).collect();
    }
    let mut tried = vec![0, count - 1];
    tried.extend((2..MAX_TRIED).map(|_| random.below(count)));
    tried
}

/// Every answer that is offered is accepted, each is another one, and none comes after the last.
pub fn every_answer_offered_is_accepted(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits::lively())?;
    let mut random = Random::new(seed);
    let mut scratch = trial.played.state.clone();
    trial.walk(|state, _, at| {
        for pending in state.pending() {
            let count = pending.answer_count();
            trial.claim(count > 0, || {
                format!("after input {at} `{}` has no legal answer", pending.choice().name)
            })?;
            let mut seen: Vec<Answer> = Vec::new();
            for n in numbers(count, &mut random) {
                let answer = nth(&trial, &pending, n, at)?;
                let repeats = count <= MAX_TRIED && seen.contains(&answer);
                trial.claim(!repeats, || format!("after input {at} {answer:?} is offered twice"))?;
                accept(&trial, state, &mut scratch, &pending, &answer, at)?;
                seen.push(answer);
            }
            let beyond = count < u64::MAX && pending.nth_answer(count, &mut Answer::Pass);
            trial.claim(!beyond, || format!("after input {at} there is an answer number {count}"))?;
        }
        Ok(())
    })
}

fn nth(trial: &Trial<'_>, pending: &Pending<'_>, n: u64, at: usize) -> Result<Answer, super::Broken> {
    let mut answer = Answer::Pass;
    let found = pending.nth_answer(n, &mut answer);
    trial
        .claim(found, || format!("after input {at} answer {n} of `{}` is missing", pending.choice().name))?;
    Ok(answer)
}

fn accept(
    trial: &Trial<'_>,
    state: &Match,
    scratch: &mut Match,
    pending: &Pending<'_>,
    answer: &Answer,
    at: usize,
) -> Verdict {
    scratch.clone_from(state);
    let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer: answer.clone() };
    match scratch.submit(&input, &mut Log::discard()) {
        Ok(()) => Ok(()),
        Err(refusal) => Err(trial.broken(format!(
            "after input {at} {answer:?} to `{}` is refused: {refusal}",
            pending.choice().name
        ))),
    }
}

/// Inputs that are refused, for whatever reason, change neither the match nor the log.
pub fn refused_inputs_change_nothing(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits::lively())?;
    let mut random = Random::new(seed);
    trial.walk(|state, log, at| {
        // Some of the waits, and always the last.
        if at < trial.played.inputs.len() && !random.happens(150) {
            return Ok(());
        }
        let before = state.snapshot();
        let written = log.clone();
        for (input, why) in mischief::refused(state) {
            match state.submit(&input, log) {
                Err(Refusal::Rejected(_)) => {}
                Ok(()) => {
                    return Err(trial.broken(format!("after input {at} {input:?} is taken, though {why}")));
                }
                Err(Refusal::Faulted(fault)) => {
                    return Err(trial
                        .broken(format!("after input {at} {input:?}, {why}, makes a rule fail: {fault}")));
                }
            }
            untouched(&trial, state, log, &before, &written, &input, at)?;
        }
        for input in spoilt(state, &mut random) {
            let is_wrong = mischief::check(state, &input).is_err();
            if is_wrong && state.submit(&input, log).is_ok() {
                return Err(trial.broken(format!("after input {at} {input:?} is taken, though it is wrong")));
            }
            untouched(&trial, state, log, &before, &written, &input, at)?;
        }
        Ok(())
    })
}

/// Answers to the open questions with something wrong in them, mostly.
fn spoilt(state: &Match, random: &mut Random) -> Vec<Input> {
    let mut inputs = Vec::new();
    for pending in state.pending() {
        for _ in 0..3 {
            let mut answer = Answer::Pass;
            pending.nth_answer(random.below(pending.answer_count().min(1 << 20)), &mut answer);
            let answer = mischief::spoil(answer, random);
            inputs.push(Input::Answer { input: pending.id(), seat: pending.seat(), answer });
        }
    }
    inputs
}

fn untouched(
    trial: &Trial<'_>,
    state: &Match,
    log: &Log,
    before: &[u8],
    written: &Log,
    input: &Input,
    at: usize,
) -> Verdict {
    trial.claim(state.snapshot() == before, || {
        format!("after input {at} {input:?} is refused but changes the match")
    })?;
    trial.claim(log == written, || format!("after input {at} {input:?} is refused but changes the log"))
}
