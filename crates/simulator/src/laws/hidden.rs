//! Non-interference: what a seat may not see does not reach it, neither directly nor by its traces.
//!
//! The method is pairs. Two matches differ only in something hidden from a
//! viewer; as long as nothing has shown the difference to that viewer, the two
//! streams that reach it (events, view, prompts, what it can do; see [`Streams`]) must be equal
//! byte by byte: no name, number, count or order may tell.
//!
//! Matches of different seeds are paired when what the viewer *may* know at
//! their first wait is the same. That is said by expressions in the language
//! ([`HiddenPairs`]) and evaluated on the true state, so the judge shares no
//! code with what it judges. The twins get the same inputs (but other secret
//! answers of others, where those are never shown) until what the viewer may
//! know differs: then something was shown, and the pair has done its duty.
//!
//! Answers while others still have to answer are the matter of
//! [`secrets`](super::secrets).

use std::collections::BTreeMap;
use std::ops::Range;

use intermezzo_ruleset::Seat;

use super::oracle::HiddenPairs;
use super::streams::Streams;
use super::twins::{Twins, difference};
use super::{Broken, Verdict, broken};
use crate::habits::Habits;
use crate::random_play::RandomPlay;

/// How much was compared, so that a law that compares nothing does not pass for one that holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    /// Pairs of matches.
    pub pairs: usize,
    /// Steps in which both streams were compared while something hidden differed.
    pub steps: usize,
    /// Pairs that ended because the difference was shown.
    pub shown: usize,
    /// Pairs that went on to the end of the match.
    pub finished: usize,
}

/// Matches that differ in what a seat may not know look the same to that seat.
///
/// # Errors
///
/// If the seat could tell.
pub fn what_a_seat_may_not_see_does_not_reach_it(
    pairs: &HiddenPairs,
    seat: Seat,
    seeds: Range<u64>,
) -> Result<Compared, Broken> {
    let mut alike: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for seed in seeds {
        let streams = Streams::begin(&pairs.subject, &pairs.setup(seed), seed)?;
        alike.entry(pairs.may_know(&streams.state, seat)).or_default().push(seed);
    }
    let mut compared = Compared::default();
    for seeds in alike.values() {
        for pair in seeds.chunks_exact(2) {
            compare_pair(pairs, seat, pair[0], pair[1], &mut compared)?;
        }
    }
    Ok(compared)
}

fn compare_pair(pairs: &HiddenPairs, seat: Seat, left: u64, right: u64, compared: &mut Compared) -> Verdict {
    let mut twins = Twins {
        left: Streams::begin(&pairs.subject, &pairs.setup(left), left)?,
        right: Streams::begin(&pairs.subject, &pairs.setup(right), right)?,
    };
    let mut players = RandomPlay::new(left, &Habits::lively());
    let viewer = usize::from(seat.0);
    compared.pairs += 1;
    for step in 0..200 {
        if twins.left.step(viewer) != twins.right.step(viewer) {
            let difference = difference(twins.left.step(viewer), twins.right.step(viewer));
            let detail =
                format!("twin of seed {right}: in step {step} viewer {viewer} can tell: {difference}");
            return Err(broken(&pairs.subject, left, detail));
        }
        compared.steps += usize::from(pairs.is_hidden(&twins.left.state, &twins.right.state));
        let Some(input) = players.next(&twins.left.state).cloned() else {
            compared.finished += 1;
            return Ok(());
        };
        let twin_input = pairs.disguise(&twins.left.state, &input, seat);
        let taken = (twins.left.submit(&input).is_ok(), twins.right.submit(&twin_input).is_ok());
        let same = pairs.may_know(&twins.left.state, seat) == pairs.may_know(&twins.right.state, seat);
        if !same || taken != (true, true) {
            compared.shown += 1;
            return Ok(());
        }
    }
    Ok(())
}
