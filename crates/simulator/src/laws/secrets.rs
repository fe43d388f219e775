//! Secret answers stay secret until all have answered, and then until an event reveals them.
//!
//! - [`a_secret_answer_is_invisible_to_others`]: at random waits of any ruleset, a seat gives or drafts different answers
//!   in two paired matches while others still have to answer. Everybody else must receive the same.
//! - [`a_secret_stays_hidden_until_revealed`]: the others answer too, and the events of every other viewer are compared
//!   up to the first event of the named type that carries something different.

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, Input};
use intermezzo_program::{AnswerMode, Seat};

use super::paired_matches::{PairedMatches, difference};
use super::viewer_streams::ViewerStreams;
use super::{LawResult, LawRun, LawViolation};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;

/// Two different answers of one seat, at a wait at which others have to answer too.
struct SecretAnswers {
    seat: Seat,
    left: Input,
    right: Input,
    others: Vec<Input>,
    takes_drafts: bool,
}

fn secret(streams: &ViewerStreams, random: &mut Random) -> Option<SecretAnswers> {
    let open: Vec<_> =
        streams.state.pending().filter(|pending| pending.choice().mode == AnswerMode::Each).collect();
    if open.len() < 2 {
        return None;
    }
    let mut legal = |place: usize, not: Option<&Answer>| {
        let pending = &open[place];
        let mut answer = Answer::Pass;
        (0..8).find_map(|_| {
            pending.nth_answer(random.below(pending.answer_count()), &mut answer);
            (Some(&answer) != not).then(|| answer.clone())
        })
    };
    let place = streams.log.len() % open.len();
    let first = legal(place, None)?;
    let second = legal(place, Some(&first))?;
    let (input, seat) = (open[place].id(), open[place].seat());
    let mut others = Vec::new();
    for (other, pending) in open.iter().enumerate().filter(|(other, _)| *other != place) {
        let answer = legal(other, None)?;
        others.push(Input::Answer { input: pending.id(), seat: pending.seat(), answer });
    }
    Some(SecretAnswers {
        seat,
        left: Input::Answer { input, seat, answer: first },
        right: Input::Answer { input, seat, answer: second },
        others,
        takes_drafts: open[place].choice().draft.is_some(),
    })
}

/// Returns up to two waits of a match at which several seats have to answer.
fn some_waits(run: &LawRun<'_>, random: &mut Random) -> Result<Vec<usize>, LawViolation> {
    let mut waits = Vec::new();
    run.walk(|state, _, at| {
        let open = state.pending().filter(|pending| pending.choice().mode == AnswerMode::Each).count();
        waits.extend((open > 1).then_some(at));
        Ok(())
    })?;
    if waits.len() > 2 {
        waits = vec![*random.pick(&waits), *random.pick(&waits)];
    }
    Ok(waits)
}

/// Checks that, while others still have to answer, only the sender can distinguish one answer from another, or a draft
/// from no draft.
pub fn a_secret_answer_is_invisible_to_others(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix { max_inputs: 60, ..InputMix::varied() })?;
    let mut random = Random::new(seed);
    for at in some_waits(&run, &mut random)? {
        let mut pair = PairedMatches::at(&run, fixture, seed, at)?;
        let Some(secret) = secret(&pair.left, &mut random) else { continue };
        if secret.takes_drafts {
            draft(&run, &mut pair, &secret, at)?;
        }
        submit(&run, &mut pair.left, &secret.left)?;
        submit(&run, &mut pair.right, &secret.right)?;
        compare(&run, &pair, &secret, at, "answers")?;
        for other in &secret.others[1..] {
            submit(&run, &mut pair.left, other)?;
            submit(&run, &mut pair.right, other)?;
            compare(&run, &pair, &secret, at, "answered")?;
        }
    }
    Ok(())
}

fn draft(run: &LawRun<'_>, pair: &mut PairedMatches, secret: &SecretAnswers, at: usize) -> LawResult {
    if let Input::Answer { input, seat, answer } = secret.left.clone() {
        submit(run, &mut pair.left, &Input::Draft { input, seat, answer })?;
    }
    pair.right.observe();
    compare(run, pair, secret, at, "drafts")
}

fn submit(run: &LawRun<'_>, streams: &mut ViewerStreams, input: &Input) -> LawResult {
    streams.submit(input).map_err(|refusal| run.violation(format!("{input:?} is refused: {refusal}")))
}

fn compare(
    run: &LawRun<'_>,
    pair: &PairedMatches,
    secret: &SecretAnswers,
    at: usize,
    did: &str,
) -> LawResult {
    pair.same_for_all_but(secret.seat).map_err(|viewer| {
        let difference = difference(pair.left.step(viewer), pair.right.step(viewer));
        run.violation(format!(
            "after input {at} seat {} {did}, and viewer {viewer} sees a difference: {difference}",
            secret.seat.0
        ))
    })
}

/// Checks that a secret answer stays hidden until the event called `shown` reveals it.
///
/// Returns the number of pairs compared.
///
/// # Errors
///
/// Returns the violation if a viewer sees a difference before.
pub fn a_secret_stays_hidden_until_revealed(
    fixture: &Fixture,
    seed: u64,
    shown: &str,
) -> Result<usize, LawViolation> {
    let run = LawRun::new(fixture, seed, &InputMix { max_inputs: 60, ..InputMix::varied() })?;
    let mut random = Random::new(seed);
    let mut pairs = 0;
    for at in some_waits(&run, &mut random)? {
        let mut pair = PairedMatches::at(&run, fixture, seed, at)?;
        let Some(secret) = secret(&pair.left, &mut random) else { continue };
        submit(&run, &mut pair.left, &secret.left)?;
        submit(&run, &mut pair.right, &secret.right)?;
        for other in &secret.others {
            submit(&run, &mut pair.left, other)?;
            submit(&run, &mut pair.right, other)?;
        }
        let (left_end, right_end) = first_shown(&pair, fixture, shown);
        for viewer in (0..pair.left.viewers()).filter(|viewer| *viewer != usize::from(secret.seat.0)) {
            let before = |told: &[(usize, String)], end: usize| -> Vec<String> {
                told.iter().filter(|event| event.0 < end).map(|event| event.1.clone()).collect()
            };
            let left = before(pair.left.events(viewer), left_end);
            let right = before(pair.right.events(viewer), right_end);
            run.claim(left == right, || {
                let difference = difference(&left.join("\n"), &right.join("\n"));
                format!("after input {at} viewer {viewer} learns a secret before {shown}: {difference}")
            })?;
            pairs += 1;
        }
    }
    Ok(pairs)
}

/// Returns the positions in the two logs at which an event of that name first carries something different.
fn first_shown(pair: &PairedMatches, fixture: &Fixture, shown: &str) -> (usize, usize) {
    let wanted = fixture.program.event_named(shown);
    let places = |streams: &ViewerStreams| -> Vec<usize> {
        let records = streams.log.records().iter().enumerate();
        records.filter(|(_, record)| Some(record.event) == wanted).map(|(place, _)| place).collect()
    };
    let (left, right) = (places(&pair.left), places(&pair.right));
    let payload =
        |streams: &ViewerStreams, place: usize| streams.log.payload(&streams.log.records()[place]).to_vec();
    let differs =
        |indexes: &(&usize, &usize)| payload(&pair.left, *indexes.0) != payload(&pair.right, *indexes.1);
    match left.iter().zip(&right).find(differs) {
        Some((left, right)) => (*left, *right),
        None => (pair.left.log.len(), pair.right.log.len()),
    }
}
