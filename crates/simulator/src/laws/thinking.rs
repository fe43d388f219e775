//! Bots know nothing that their seats do not: what they answer is the same when only hidden things differ.
//!
//! - [`bots_use_nothing_hidden`]: at random waits of any ruleset the twin is the match as the seat may
//!   imagine it. That the seat cannot tell it from the true one is seen by what both show to it.
//! - [`bots_cannot_tell_twins_apart`]: the twins are matches of different seeds, paired as the law about
//!   [hidden things](super::hidden) pairs them, so they do not depend on imagining.
//!
//! In both, what the seat imagines for the same seed must be the same board byte by byte, and all bots give the
//! same answer.

use std::collections::BTreeMap;
use std::ops::Range;

use intermezzo_bots::{Bot, BotKind, Budget, Random};
use intermezzo_engine::{InputId, Match, Seed, Viewer, Witness};
use intermezzo_ruleset::Seat;

use super::oracle::HiddenPairs;
use super::streams::Streams;
use super::{Broken, Trial, Verdict, broken};
use crate::habits::Habits;
use crate::random_play::RandomPlay;
use crate::subjects::Subject;

/// The bots that are tried.
const BOTS: [BotKind; 3] = [BotKind::Random, BotKind::Greedy, BotKind::Mcts(Budget::Playings(24))];

/// How much was compared, so that a law that compares nothing does not pass for one that holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thought {
    /// Questions that bots have answered in both of two matches.
    pub questions: usize,
    /// Those at which the boards of the two differed.
    pub different: usize,
    /// Matches that the seat could tell from what it imagined, and that were left out.
    pub told: usize,
}

/// What a seat imagines, and what bots answer for it, depends on nothing it does not see.
///
/// # Errors
///
/// If a bot could tell.
pub fn bots_use_nothing_hidden(subject: &Subject, seed: u64, waits: u32) -> Result<Thought, Broken> {
    let trial = Trial::new(subject, seed, &Habits { max_inputs: 120, ..Habits::lively() })?;
    let mut random = Random::new(seed);
    let mut thought = Thought::default();
    let rate = (1000 * waits / (trial.played.inputs.len() as u32 + 1)).min(1000) as u16;
    trial.walk(|state, _, at| {
        if !random.happens(rate) {
            return Ok(());
        }
        let open: Vec<(InputId, Seat)> = state.pending().map(|asked| (asked.id(), asked.seat())).collect();
        let Some((input, seat)) = (!open.is_empty()).then(|| *random.pick(&open)) else { return Ok(()) };
        let twin = state.imagined(seat, Seed::from_number(random.next_number()));
        if shown(state, seat) != shown(&twin, seat) {
            // What the seat sees follows from hidden things by rules; not every deal fits it.
            thought.told += 1;
            return Ok(());
        }
        let told = compare(state, &twin, (input, input), seat, seed, &mut thought);
        told.map_err(|detail| trial.broken(format!("after input {at}: {detail}")))
    })?;
    Ok(thought)
}

/// All a seat is shown.
fn shown(state: &Match, seat: Seat) -> String {
    let mut witness = Witness::of_now(state);
    let view = witness.view(Viewer::Seat(seat));
    let prompts = witness.prompts(state, Viewer::Seat(seat));
    format!("{view:?}\n{prompts:?}")
}

fn compare(
    left: &Match,
    right: &Match,
    inputs: (InputId, InputId),
    seat: Seat,
    seed: u64,
    thought: &mut Thought,
) -> Result<(), String> {
    let program = left.program();
    thought.questions += 1;
    thought.different += usize::from(left.board().encode(program) != right.board().encode(program));
    let imagined = |game: &Match| game.imagined(seat, Seed::from_number(seed)).board().encode(program);
    if imagined(left) != imagined(right) {
        return Err(format!("seat {} imagines something else when only hidden things differ", seat.0));
    }
    for kind in BOTS {
        let answer = |game: &Match, input| Bot::new(kind, seed).answer(game, input, &mut |_| true);
        let (ours, theirs) = (answer(left, inputs.0), answer(right, inputs.1));
        if ours != theirs {
            return Err(format!("{kind} at seat {} answers {ours:?}, and {theirs:?} in the twin", seat.0));
        }
    }
    Ok(())
}

/// Bots at a seat answer the same in two matches that differ in what the seat may not know.
///
/// # Errors
///
/// If one could tell.
pub fn bots_cannot_tell_twins_apart(
    pairs: &HiddenPairs,
    seat: Seat,
    seeds: Range<u64>,
) -> Result<Thought, Broken> {
    let mut alike: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for seed in seeds {
        let streams = Streams::begin(&pairs.subject, &pairs.setup(seed), seed)?;
        alike.entry(pairs.may_know(&streams.state, seat)).or_default().push(seed);
    }
    let mut thought = Thought::default();
    for seeds in alike.values() {
        for pair in seeds.chunks_exact(2) {
            think_in_both(pairs, seat, pair[0], pair[1], &mut thought)?;
        }
    }
    Ok(thought)
}

fn think_in_both(pairs: &HiddenPairs, seat: Seat, left: u64, right: u64, thought: &mut Thought) -> Verdict {
    let mut ours = Streams::begin(&pairs.subject, &pairs.setup(left), left)?;
    let mut theirs = Streams::begin(&pairs.subject, &pairs.setup(right), right)?;
    let mut players = RandomPlay::new(left, &Habits::orderly());
    for step in 0..40 {
        let asked = |game: &Match| game.pending().find(|asked| asked.seat() == seat).map(|asked| asked.id());
        if let (Some(input), Some(twin_input)) = (asked(&ours.state), asked(&theirs.state)) {
            let inputs = (input, twin_input);
            let told = compare(&ours.state, &theirs.state, inputs, seat, left, thought);
            told.map_err(|detail| {
                broken(&pairs.subject, left, format!("twin of seed {right}, step {step}: {detail}"))
            })?;
        }
        let Some(input) = players.next(&ours.state).cloned() else { return Ok(()) };
        let twin_input = pairs.disguise(&ours.state, &input, seat);
        let taken = (ours.submit(&input).is_ok(), theirs.submit(&twin_input).is_ok());
        let same = pairs.may_know(&ours.state, seat) == pairs.may_know(&theirs.state, seat);
        if !same || taken != (true, true) {
            return Ok(());
        }
    }
    Ok(())
}
