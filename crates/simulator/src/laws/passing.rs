//! Passing by itself is passing: nobody else can tell one from the other.

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, Input, PassUntil, Pending};
use intermezzo_ruleset::{InputKind, Seat};

use super::streams::Streams;
use super::twins::{Twins, difference};
use super::{Trial, Verdict};
use crate::habits::Habits;
use crate::random_play::RandomPlay;
use crate::subjects::Subject;

/// How many inputs of others follow.
const AHEAD: usize = 12;

/// In one match a seat passes by itself, in its twin by hand. Everyone else is told and shown the same.
pub fn passing_by_itself_is_seen_by_nobody_else(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits { max_inputs: 40, auto_pass: 0, ..Habits::lively() })?;
    let mut random = Random::new(seed);
    let at = random.index(trial.played.inputs.len() + 1);
    let mut twins = Twins::at(&trial, subject, seed, at)?;
    if twins.left.state.is_over() || subject.program.actions.is_empty() {
        return Ok(());
    }
    let seat = Seat(random.below(u64::from(twins.left.state.board().seats())) as u8);
    let input = Input::AutoPass { seat, until: PassUntil::Always, stops: false };
    submit(&trial, &mut twins.left, &input)?;
    pass_by_hand(&trial, &mut twins.right, seat)?;
    compare(&trial, &mut twins, seat)?;
    let mut players = RandomPlay::new(seed, &Habits { auto_pass: 0, ..Habits::lively() });
    for _ in 0..AHEAD {
        let Some(input) = players.next(&twins.left.state).cloned() else { return Ok(()) };
        submit(&trial, &mut twins.left, &input)?;
        submit(&trial, &mut twins.right, &input)?;
        pass_by_hand(&trial, &mut twins.right, seat)?;
        compare(&trial, &mut twins, seat)?;
    }
    Ok(())
}

fn submit(trial: &Trial<'_>, streams: &mut Streams, input: &Input) -> Verdict {
    streams.submit(input).map_err(|refusal| trial.broken(format!("{input:?} is refused: {refusal}")))
}

fn pass_by_hand(trial: &Trial<'_>, streams: &mut Streams, seat: Seat) -> Verdict {
    let is_it = |pending: &Pending<'_>| {
        let choice = pending.choice();
        pending.seat() == seat && choice.kind == InputKind::Action && choice.pass
    };
    // Far fewer than a seat may pass by itself.
    for _ in 0..500 {
        let Some(input) = streams.state.pending().find(is_it).map(|pending| pending.id()) else { break };
        submit(trial, streams, &Input::Answer { input, seat, answer: Answer::Pass })?;
    }
    Ok(())
}

fn compare(trial: &Trial<'_>, twins: &mut Twins, seat: Seat) -> Verdict {
    twins.left.observe();
    twins.right.observe();
    let others = (0..twins.left.viewers()).filter(|viewer| *viewer != usize::from(seat.0));
    for viewer in others {
        let (left, right) = (twins.left.told(viewer), twins.right.told(viewer));
        trial.claim(left == right, || {
            let difference = difference(&format!("{left:?}"), &format!("{right:?}"));
            format!("seat {} passes by itself, and viewer {viewer} is told so: {difference}", seat.0)
        })?;
        let (left, right) = (twins.left.step(viewer), twins.right.step(viewer));
        trial.claim(left == right, || {
            let difference = difference(left, right);
            format!("seat {} passes by itself, and viewer {viewer} can tell: {difference}", seat.0)
        })?;
    }
    Ok(())
}
