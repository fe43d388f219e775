//! Non-interference: hidden information does not reach a seat, neither directly nor through side effects.
//!
//! The law compares pairs of matches that differ only in something hidden from a viewer. Until the rules reveal the
//! difference, the viewer's two streams (events, view, prompts and actions; see [`ViewerStreams`]) must be equal byte by
//! byte: no name, number, count or order may reveal anything.
//!
//! Matches of different seeds form a pair if the viewer *may* know the same at their first wait. Expressions in the
//! language define this ([`HiddenPairs`]). They are evaluated on the true state, so the oracle shares no code with the
//! observer under test. Both matches get the same inputs, except for other players' secret answers that are never
//! revealed. A pair ends when what the viewer may know differs: then the rules have revealed something.
//!
//! [`secrets`](super::secrets) covers answers that are given while others still have to answer.

use std::collections::BTreeMap;
use std::ops::Range;

use intermezzo_program::Seat;

use super::paired_matches::{PairedMatches, difference};
use super::viewer_streams::ViewerStreams;
use super::visibility_oracle::HiddenPairs;
use super::{LawResult, LawViolation, violation};
use crate::input_mix::InputMix;
use crate::random_play::RandomPlay;

/// Number of comparisons, so that a law that compares nothing does not pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PairCounts {
    /// Number of pairs.
    pub pairs: usize,
    /// Number of steps compared while something hidden differed.
    pub steps: usize,
    /// Pairs that ended because the difference was revealed.
    pub shown: usize,
    /// Pairs that lasted until the end of the match.
    pub finished: usize,
}

/// Checks that matches which differ only in what a seat may not know look the same to that seat.
///
/// # Errors
///
/// Returns the violation if the seat sees a difference.
pub fn hidden_information_does_not_reach_a_seat(
    pairs: &HiddenPairs,
    seat: Seat,
    seeds: Range<u64>,
) -> Result<PairCounts, LawViolation> {
    let mut alike: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for seed in seeds {
        let streams = ViewerStreams::begin(&pairs.fixture, &pairs.setup(seed), seed)?;
        alike.entry(pairs.may_know(&streams.state, seat)).or_default().push(seed);
    }
    let mut compared = PairCounts::default();
    for seeds in alike.values() {
        for pair in seeds.chunks_exact(2) {
            compare_pair(pairs, seat, pair[0], pair[1], &mut compared)?;
        }
    }
    Ok(compared)
}

fn compare_pair(
    pairs: &HiddenPairs,
    seat: Seat,
    left: u64,
    right: u64,
    compared: &mut PairCounts,
) -> LawResult {
    let mut pair = PairedMatches {
        left: ViewerStreams::begin(&pairs.fixture, &pairs.setup(left), left)?,
        right: ViewerStreams::begin(&pairs.fixture, &pairs.setup(right), right)?,
    };
    let mut players = RandomPlay::new(left, &InputMix::varied());
    let viewer = usize::from(seat.0);
    compared.pairs += 1;
    for step in 0..200 {
        if pair.left.step(viewer) != pair.right.step(viewer) {
            let difference = difference(pair.left.step(viewer), pair.right.step(viewer));
            let detail = format!(
                "paired with seed {right}: in step {step} viewer {viewer} sees a difference: {difference}"
            );
            return Err(violation(&pairs.fixture, left, detail));
        }
        compared.steps += usize::from(pairs.is_hidden(&pair.left.state, &pair.right.state));
        let Some(input) = players.next(&pair.left.state).cloned() else {
            compared.finished += 1;
            return Ok(());
        };
        let paired_input = pairs.disguise(&pair.left.state, &input, seat);
        let taken = (pair.left.submit(&input).is_ok(), pair.right.submit(&paired_input).is_ok());
        let same = pairs.may_know(&pair.left.state, seat) == pairs.may_know(&pair.right.state, seat);
        if !same || taken != (true, true) {
            compared.shown += 1;
            return Ok(());
        }
    }
    Ok(())
}
