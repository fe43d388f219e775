//! Bots know only what their seats know: their answers do not change when only hidden information differs.
//!
//! - [`bots_use_nothing_hidden`]: at random waits of any ruleset, the match is paired with a determinization for the
//!   seat. Both must show the seat the same.
//! - [`bots_cannot_distinguish_paired_matches`]: matches of different seeds are paired as in the law about
//!   [hidden information](super::hidden), so these pairs do not depend on determinization.
//!
//! In both, determinizing with the same seed must produce the same board byte by byte, and all bots must give the
//! same answer.

use std::collections::BTreeMap;
use std::ops::Range;

use intermezzo_bots::{Bot, BotKind, Budget, Random};
use intermezzo_engine::{InputId, Match, Observer, Seed, Viewer};
use intermezzo_program::Seat;

use super::viewer_streams::ViewerStreams;
use super::visibility_oracle::HiddenPairs;
use super::{LawResult, LawRun, LawViolation, violation};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;
use crate::random_play::RandomPlay;

/// Bots under test.
const BOTS: [BotKind; 3] = [BotKind::Random, BotKind::Greedy, BotKind::Mcts(Budget::Playouts(24))];

/// Number of comparisons, so that a law that compares nothing does not pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BotComparison {
    /// Questions that bots have answered in both matches.
    pub questions: usize,
    /// Questions at which the two boards differed.
    pub different: usize,
    /// Determinizations that the seat could distinguish from the match, and that were skipped.
    pub skipped: usize,
}

/// Checks that determinizations for a seat, and the bots' answers, depend only on what the seat sees.
///
/// # Errors
///
/// Returns the violation if an answer depends on hidden information.
pub fn bots_use_nothing_hidden(
    fixture: &Fixture,
    seed: u64,
    waits: u32,
) -> Result<BotComparison, LawViolation> {
    let run = LawRun::new(fixture, seed, &InputMix { max_inputs: 120, ..InputMix::varied() })?;
    let mut random = Random::new(seed);
    let mut comparison = BotComparison::default();
    let rate = (1000 * waits / (run.played.inputs.len() as u32 + 1)).min(1000) as u16;
    run.walk(|state, _, at| {
        if !random.happens(rate) {
            return Ok(());
        }
        let open: Vec<(InputId, Seat)> = state.pending().map(|asked| (asked.id(), asked.seat())).collect();
        let Some((input, seat)) = (!open.is_empty()).then(|| *random.pick(&open)) else { return Ok(()) };
        let paired = state.determinize(seat, Seed::from_number(random.next_number()));
        if shown(state, seat) != shown(&paired, seat) {
            // Rules may derive visible values from hidden ones, so not every determinization fits.
            comparison.skipped += 1;
            return Ok(());
        }
        let compared = compare(state, &paired, (input, input), seat, seed, &mut comparison);
        compared.map_err(|detail| run.violation(format!("after input {at}: {detail}")))
    })?;
    Ok(comparison)
}

/// Returns everything a seat is shown.
fn shown(state: &Match, seat: Seat) -> String {
    let mut observer = Observer::joining(state);
    let view = observer.view(Viewer::Seat(seat));
    let prompts = observer.prompts(state, Viewer::Seat(seat));
    format!("{view:?}\n{prompts:?}")
}

fn compare(
    left: &Match,
    right: &Match,
    inputs: (InputId, InputId),
    seat: Seat,
    seed: u64,
    comparison: &mut BotComparison,
) -> Result<(), String> {
    let program = left.program();
    comparison.questions += 1;
    comparison.different += usize::from(left.board().encode(program) != right.board().encode(program));
    let determinized = |game: &Match| game.determinize(seat, Seed::from_number(seed)).board().encode(program);
    if determinized(left) != determinized(right) {
        return Err(format!("the determinization for seat {} depends on hidden information", seat.0));
    }
    for kind in BOTS {
        let answer = |game: &Match, input| Bot::new(kind, seed).answer(game, input, &mut |_| true);
        let (ours, theirs) = (answer(left, inputs.0), answer(right, inputs.1));
        if ours != theirs {
            return Err(format!(
                "{kind} at seat {} answers {ours:?}, but {theirs:?} in the paired match",
                seat.0
            ));
        }
    }
    Ok(())
}

/// Checks that bots answer the same in two matches that differ only in what their seat may not know.
///
/// # Errors
///
/// Returns the violation if an answer depends on hidden information.
pub fn bots_cannot_distinguish_paired_matches(
    pairs: &HiddenPairs,
    seat: Seat,
    seeds: Range<u64>,
) -> Result<BotComparison, LawViolation> {
    let mut alike: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for seed in seeds {
        let streams = ViewerStreams::begin(&pairs.fixture, &pairs.setup(seed), seed)?;
        alike.entry(pairs.may_know(&streams.state, seat)).or_default().push(seed);
    }
    let mut comparison = BotComparison::default();
    for seeds in alike.values() {
        for pair in seeds.chunks_exact(2) {
            compare_answers(pairs, seat, pair[0], pair[1], &mut comparison)?;
        }
    }
    Ok(comparison)
}

fn compare_answers(
    pairs: &HiddenPairs,
    seat: Seat,
    left: u64,
    right: u64,
    comparison: &mut BotComparison,
) -> LawResult {
    let mut ours = ViewerStreams::begin(&pairs.fixture, &pairs.setup(left), left)?;
    let mut theirs = ViewerStreams::begin(&pairs.fixture, &pairs.setup(right), right)?;
    let mut players = RandomPlay::new(left, &InputMix::orderly());
    for step in 0..40 {
        let asked = |game: &Match| game.pending().find(|asked| asked.seat() == seat).map(|asked| asked.id());
        if let (Some(input), Some(paired_input)) = (asked(&ours.state), asked(&theirs.state)) {
            let inputs = (input, paired_input);
            let compared = compare(&ours.state, &theirs.state, inputs, seat, left, comparison);
            compared.map_err(|detail| {
                violation(&pairs.fixture, left, format!("paired with seed {right}, step {step}: {detail}"))
            })?;
        }
        let Some(input) = players.next(&ours.state).cloned() else { return Ok(()) };
        let paired_input = pairs.disguise(&ours.state, &input, seat);
        let taken = (ours.submit(&input).is_ok(), theirs.submit(&paired_input).is_ok());
        let same = pairs.may_know(&ours.state, seat) == pairs.may_know(&theirs.state, seat);
        if !same || taken != (true, true) {
            return Ok(());
        }
    }
    Ok(())
}
