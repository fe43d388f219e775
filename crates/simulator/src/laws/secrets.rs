//! Secret answers stay secret: until all have answered, and then until something shows them.
//!
//! - [`a_secret_answer_is_seen_by_nobody_else`]: at random waits of any ruleset a
//!   seat gives (or drafts) one answer in one match and another in its twin,
//!   while others still have to answer. What reaches everybody else is the same.
//! - [`a_secret_is_kept_until_it_is_shown`]: the round is then completed, and what
//!   every other viewer is told is compared up to the first event of the named
//!   type that carries something different.

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, Input};
use intermezzo_ruleset::{How, Seat};

use super::streams::Streams;
use super::twins::{Twins, difference};
use super::{Broken, Trial, Verdict};
use crate::habits::Habits;
use crate::subjects::Subject;

/// Two different answers of one seat, at a wait where others have to answer too.
struct Secret {
    seat: Seat,
    left: Input,
    right: Input,
    others: Vec<Input>,
    takes_drafts: bool,
}

fn secret(streams: &Streams, random: &mut Random) -> Option<Secret> {
    let open: Vec<_> = streams.state.pending().filter(|pending| pending.choice().how == How::Each).collect();
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
    Some(Secret {
        seat,
        left: Input::Answer { input, seat, answer: first },
        right: Input::Answer { input, seat, answer: second },
        others,
        takes_drafts: open[place].choice().draft.is_some(),
    })
}

/// Two of the waits of a match at which several have to answer.
fn some_waits(trial: &Trial<'_>, random: &mut Random) -> Result<Vec<usize>, Broken> {
    let mut waits = Vec::new();
    trial.walk(|state, _, at| {
        let open = state.pending().filter(|pending| pending.choice().how == How::Each).count();
        waits.extend((open > 1).then_some(at));
        Ok(())
    })?;
    if waits.len() > 2 {
        waits = vec![*random.pick(&waits), *random.pick(&waits)];
    }
    Ok(waits)
}

/// While others still have to answer, nobody but the one who gave it can tell one answer from another,
/// or a draft from no draft.
pub fn a_secret_answer_is_seen_by_nobody_else(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits { max_inputs: 60, ..Habits::lively() })?;
    let mut random = Random::new(seed);
    for at in some_waits(&trial, &mut random)? {
        let mut twins = Twins::at(&trial, subject, seed, at)?;
        let Some(secret) = secret(&twins.left, &mut random) else { continue };
        if secret.takes_drafts {
            draft(&trial, &mut twins, &secret, at)?;
        }
        submit(&trial, &mut twins.left, &secret.left)?;
        submit(&trial, &mut twins.right, &secret.right)?;
        compare(&trial, &twins, &secret, at, "answers")?;
        for other in &secret.others[1..] {
            submit(&trial, &mut twins.left, other)?;
            submit(&trial, &mut twins.right, other)?;
            compare(&trial, &twins, &secret, at, "answered")?;
        }
    }
    Ok(())
}

fn draft(trial: &Trial<'_>, twins: &mut Twins, secret: &Secret, at: usize) -> Verdict {
    if let Input::Answer { input, seat, answer } = secret.left.clone() {
        submit(trial, &mut twins.left, &Input::Draft { input, seat, answer })?;
    }
    twins.right.observe();
    compare(trial, twins, secret, at, "drafts")
}

fn submit(trial: &Trial<'_>, streams: &mut Streams, input: &Input) -> Verdict {
    streams.submit(input).map_err(|refusal| trial.broken(format!("{input:?} is refused: {refusal}")))
}

fn compare(trial: &Trial<'_>, twins: &Twins, secret: &Secret, at: usize, did: &str) -> Verdict {
    twins.same_for_all_but(secret.seat).map_err(|viewer| {
        let difference = difference(twins.left.step(viewer), twins.right.step(viewer));
        trial.broken(format!(
            "after input {at} seat {} {did}, and viewer {viewer} can tell: {difference}",
            secret.seat.0
        ))
    })
}

/// After all have answered, what was secret stays so until the event called `shown` shows it.
///
/// Gives how many pairs were compared.
///
/// # Errors
///
/// If somebody could tell before.
pub fn a_secret_is_kept_until_it_is_shown(
    subject: &Subject,
    seed: u64,
    shown: &str,
) -> Result<usize, Broken> {
    let trial = Trial::new(subject, seed, &Habits { max_inputs: 60, ..Habits::lively() })?;
    let mut random = Random::new(seed);
    let mut pairs = 0;
    for at in some_waits(&trial, &mut random)? {
        let mut twins = Twins::at(&trial, subject, seed, at)?;
        let Some(secret) = secret(&twins.left, &mut random) else { continue };
        submit(&trial, &mut twins.left, &secret.left)?;
        submit(&trial, &mut twins.right, &secret.right)?;
        for other in &secret.others {
            submit(&trial, &mut twins.left, other)?;
            submit(&trial, &mut twins.right, other)?;
        }
        let (left_end, right_end) = first_shown(&twins, subject, shown);
        for viewer in (0..twins.left.viewers()).filter(|viewer| *viewer != usize::from(secret.seat.0)) {
            let before = |told: &[(usize, String)], end: usize| -> Vec<String> {
                told.iter().filter(|event| event.0 < end).map(|event| event.1.clone()).collect()
            };
            let left = before(twins.left.told(viewer), left_end);
            let right = before(twins.right.told(viewer), right_end);
            trial.claim(left == right, || {
                let difference = difference(&left.join("\n"), &right.join("\n"));
                format!("after input {at} viewer {viewer} learns of a secret before {shown}: {difference}")
            })?;
            pairs += 1;
        }
    }
    Ok(pairs)
}

/// The records of the two logs at which an event of that name first carries something different.
fn first_shown(twins: &Twins, subject: &Subject, shown: &str) -> (usize, usize) {
    let wanted = subject.program.event_named(shown);
    let places = |streams: &Streams| -> Vec<usize> {
        let records = streams.log.records().iter().enumerate();
        records.filter(|(_, record)| Some(record.event) == wanted).map(|(place, _)| place).collect()
    };
    let (left, right) = (places(&twins.left), places(&twins.right));
    let payload =
        |streams: &Streams, place: usize| streams.log.payload(&streams.log.records()[place]).to_vec();
    let differs = |pair: &(&usize, &usize)| payload(&twins.left, *pair.0) != payload(&twins.right, *pair.1);
    match left.iter().zip(&right).find(differs) {
        Some((left, right)) => (*left, *right),
        None => (twins.left.log.len(), twins.right.log.len()),
    }
}
