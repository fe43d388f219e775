//! Auto-passing looks like passing: nobody else can distinguish them.

use intermezzo_bots::Random;
use intermezzo_engine::{Answer, Input, PassUntil, PendingQuestion};
use intermezzo_program::{InputKind, Seat};

use super::paired_matches::{PairedMatches, difference};
use super::viewer_streams::ViewerStreams;
use super::{LawResult, LawRun};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;
use crate::random_play::RandomPlay;

/// Number of inputs after the seat begins to auto-pass.
const AHEAD: usize = 12;

/// Checks that everyone else sees the same in two matches: in one a seat auto-passes, in the other it passes itself.
pub fn auto_pass_is_invisible_to_others(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix { max_inputs: 40, auto_pass: 0, ..InputMix::varied() })?;
    let mut random = Random::new(seed);
    let at = random.index(run.played.inputs.len() + 1);
    let mut pair = PairedMatches::at(&run, fixture, seed, at)?;
    if pair.left.state.is_over() || fixture.program.actions.is_empty() {
        return Ok(());
    }
    let seat = Seat(random.below(u64::from(pair.left.state.board().seats())) as u8);
    let input = Input::AutoPass { seat, until: PassUntil::Always, stops: false };
    submit(&run, &mut pair.left, &input)?;
    pass_manually(&run, &mut pair.right, seat)?;
    compare(&run, &mut pair, seat)?;
    let mut players = RandomPlay::new(seed, &InputMix { auto_pass: 0, ..InputMix::varied() });
    for _ in 0..AHEAD {
        let Some(input) = players.next(&pair.left.state).cloned() else { return Ok(()) };
        submit(&run, &mut pair.left, &input)?;
        submit(&run, &mut pair.right, &input)?;
        pass_manually(&run, &mut pair.right, seat)?;
        compare(&run, &mut pair, seat)?;
    }
    Ok(())
}

fn submit(run: &LawRun<'_>, streams: &mut ViewerStreams, input: &Input) -> LawResult {
    streams.submit(input).map_err(|refusal| run.violation(format!("{input:?} is refused: {refusal}")))
}

fn pass_manually(run: &LawRun<'_>, streams: &mut ViewerStreams, seat: Seat) -> LawResult {
    let is_it = |pending: &PendingQuestion<'_>| {
        let choice = pending.choice();
        pending.seat() == seat && choice.kind == InputKind::Action && choice.pass
    };
    // Far fewer than the limit of automatic passes.
    for _ in 0..500 {
        let Some(input) = streams.state.pending().find(is_it).map(|pending| pending.id()) else { break };
        submit(run, streams, &Input::Answer { input, seat, answer: Answer::Pass })?;
    }
    Ok(())
}

fn compare(run: &LawRun<'_>, pair: &mut PairedMatches, seat: Seat) -> LawResult {
    pair.left.observe();
    pair.right.observe();
    let others = (0..pair.left.viewers()).filter(|viewer| *viewer != usize::from(seat.0));
    for viewer in others {
        let (left, right) = (pair.left.events(viewer), pair.right.events(viewer));
        run.claim(left == right, || {
            let difference = difference(&format!("{left:?}"), &format!("{right:?}"));
            format!("seat {} auto-passes, and the events of viewer {viewer} differ: {difference}", seat.0)
        })?;
        let (left, right) = (pair.left.step(viewer), pair.right.step(viewer));
        run.claim(left == right, || {
            let difference = difference(left, right);
            format!("seat {} auto-passes, and viewer {viewer} sees a difference: {difference}", seat.0)
        })?;
    }
    Ok(())
}
