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
//! If only one of the matches asks a question that its player may decline, such as whether to use a card in a hidden
//! hand, that match is *paused*. A pause takes time, which nobody can hide, but it must show nothing else: not who is
//! asked, and no event that the other match does not show too. The player declines, the paused match catches up, and
//! the streams must be equal again.
//!
//! [`secrets`](super::secrets) covers answers that are given while others still have to answer.

use std::collections::BTreeMap;
use std::ops::Range;

use intermezzo_program::Seat;

use super::paired_matches::PairedMatches;
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
    /// Questions that only one match of a pair asked, and that were declined.
    pub pauses: usize,
}

/// Checks that matches which differ only in what a seat may not know look the same to that seat, apart from pauses.
///
/// # Errors
///
/// Returns the violation if the seat sees a difference.
pub fn hidden_information_does_not_reach_a_seat(
    pairs: &HiddenPairs,
    seat: Seat,
    seeds: Range<u64>,
) -> Result<PairCounts, LawViolation> {
    compare_all(pairs, seat, seeds, Pauses::Ended)
}

/// Checks that matches which differ only in what a seat may not know look the same to that seat, and that they also wait
/// at the same times.
///
/// # Errors
///
/// Returns the violation if the seat sees a difference, or only one of the matches waits.
pub fn hidden_information_does_not_reach_a_seat_even_by_pauses(
    pairs: &HiddenPairs,
    seat: Seat,
    seeds: Range<u64>,
) -> Result<PairCounts, LawViolation> {
    compare_all(pairs, seat, seeds, Pauses::Forbidden)
}

/// Treatment of a question that only one match of a pair asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pauses {
    /// It is declined.
    Ended,
    /// It is a violation: the seat notices that the match waits.
    Forbidden,
}

fn compare_all(
    pairs: &HiddenPairs,
    seat: Seat,
    seeds: Range<u64>,
    pauses: Pauses,
) -> Result<PairCounts, LawViolation> {
    let mut compared = PairCounts::default();
    for (left, right) in similar_pairs(pairs, seat, seeds)? {
        compare_pair(pairs, seat, (left, right), pauses, &mut compared)?;
    }
    Ok(compared)
}

/// Returns pairs of seeds whose matches begin alike for a seat.
fn similar_pairs(
    pairs: &HiddenPairs,
    seat: Seat,
    seeds: Range<u64>,
) -> Result<Vec<(u64, u64)>, LawViolation> {
    let mut alike: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for seed in seeds {
        let streams = ViewerStreams::begin(&pairs.fixture, &pairs.setup(seed), seed)?;
        alike.entry(pairs.may_know(&streams.state, seat)).or_default().push(seed);
    }
    Ok(alike.values().flat_map(|seeds| seeds.chunks_exact(2)).map(|pair| (pair[0], pair[1])).collect())
}

fn begin_pair(pairs: &HiddenPairs, left: u64, right: u64) -> Result<PairedMatches, LawViolation> {
    Ok(PairedMatches {
        left: ViewerStreams::begin(&pairs.fixture, &pairs.setup(left), left)?,
        right: ViewerStreams::begin(&pairs.fixture, &pairs.setup(right), right)?,
    })
}

fn compare_pair(
    pairs: &HiddenPairs,
    seat: Seat,
    (left, right): (u64, u64),
    pauses: Pauses,
    compared: &mut PairCounts,
) -> LawResult {
    let mut pair = begin_pair(pairs, left, right)?;
    let mut players = RandomPlay::new(left, &InputMix::varied());
    let viewer = usize::from(seat.0);
    compared.pairs += 1;
    for step in 0..200 {
        let mark = pair.event_counts(viewer);
        if step > 0 {
            let Some(input) = players.next(&pair.left.state).cloned() else {
                compared.finished += 1;
                return Ok(());
            };
            let paired_input = pairs.disguise(&pair.right.state, &pair.on_the_right(&input), seat);
            let taken = (pair.left.submit(&input).is_ok(), pair.right.submit(&paired_input).is_ok());
            if taken != (true, true) {
                compared.shown += 1;
                return Ok(());
            }
        }
        let failed = |detail: String| {
            let detail = format!("paired with seed {right}: in step {step} viewer {viewer} sees {detail}");
            violation(&pairs.fixture, left, detail)
        };
        let ended = pair.end_pauses(seat).map_err(failed)?;
        if ended > 0 && pauses == Pauses::Forbidden {
            return Err(failed("that the match waits while the other one does not".to_owned()));
        }
        compared.pauses += ended;
        if pairs.may_know(&pair.left.state, seat) != pairs.may_know(&pair.right.state, seat) {
            compared.shown += 1;
            return Ok(());
        }
        if let Some(difference) = pair.difference_since(mark, viewer) {
            return Err(failed(format!("a difference: {difference}")));
        }
        compared.steps += usize::from(pairs.is_hidden(&pair.left.state, &pair.right.state));
    }
    Ok(())
}
