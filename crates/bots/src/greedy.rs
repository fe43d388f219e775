//! A player who looks one step ahead.
//!
//! Every answer is tried in several matches as they might be: with dice that
//! have nothing to do with those to come, and with everything drawn anew that the
//! player does not see. What the answer leads to is played to the end of that step:
//! the others do what happens if they do nothing, and questions to oneself on the
//! way are answered as well as a quick look allows.

use intermezzo_engine::{Answer, Input, InputId, Match, Seed};

use crate::candidates::candidates;
use crate::policy::at_random;
use crate::random::Random;
use crate::step::{Look, Step};

/// So many answers to the question at hand are tried …
const MAX_TRIED: usize = 80;
/// … each with so many different dice …
const SAMPLES: usize = 4;
/// … or, where more than dice is unknown, in so many different matches.
const UNCERTAIN_SAMPLES: usize = 8;

/// A player who takes what looks best one step ahead, the same for the same seed.
#[derive(Clone, Debug)]
pub struct Greedy {
    random: Random,
}

impl Greedy {
    /// A player with that seed.
    #[must_use]
    pub fn new(seed: u64) -> Greedy {
        Greedy { random: Random::new(seed) }
    }

    /// Begins again with another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    /// The answer to an open question; nothing if it is not open or has no legal answer.
    pub fn answer(&mut self, game: &Match, input: InputId) -> Option<Answer> {
        let pending = game.pending().find(|pending| pending.id() == input)?;
        let tried = candidates(&pending, MAX_TRIED, &mut self.random);
        if tried.len() < 2 {
            return tried.into_iter().next().or_else(|| at_random(&pending, &mut self.random));
        }
        let step = Step::new(&pending);
        let imagination = game.imagination(step.seat);
        let samples = if imagination.is_uncertain() { UNCERTAIN_SAMPLES } else { SAMPLES };
        let worlds: Vec<(u64, Match)> = (0..samples)
            .map(|_| self.random.next_number())
            .map(|seed| (seed, imagination.draw(Seed::from_number(seed))))
            .collect();
        let mut best: Option<(i128, Answer)> = None;
        let mut copy = game.clone();
        for answer in tried {
            let sent = Input::Answer { input, seat: step.seat, answer: answer.clone() };
            let value = worlds.iter().map(|(seed, world)| {
                copy.clone_from(world);
                i128::from(step.value(&mut copy, &sent, *seed, Look::Full))
            });
            let value = value.sum();
            // Doing nothing was tried first: whatever is not better than that is left undone.
            if best.as_ref().is_none_or(|(known, _)| value > *known) {
                best = Some((value, answer));
            }
        }
        best.map(|(_, answer)| answer)
    }
}
