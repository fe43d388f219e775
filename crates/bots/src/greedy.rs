//! Greedy bot: it looks one step ahead.
//!
//! Every answer is tried in several sampled matches: with independent dice, and with everything the bot
//! cannot see drawn at random. The consequences are played to the end of the step: others are expected to
//! do nothing, and the bot's own follow-up questions are answered with a small search.

use intermezzo_engine::{Answer, Input, InputId, Match, Seed};

use crate::candidates::candidates;
use crate::lookahead::{Lookahead, LookaheadStep};
use crate::policy::random_answer;
use crate::random::Random;

/// Maximum number of answers that are tried.
const MAX_TRIED: usize = 80;
/// Samples per answer, if only dice are unknown.
const SAMPLES: usize = 4;
/// Samples per answer, if more than dice is unknown.
const UNCERTAIN_SAMPLES: usize = 8;

/// Greedy bot. It plays the same for the same seed.
#[derive(Clone, Debug)]
pub struct Greedy {
    random: Random,
}

impl Greedy {
    /// Creates a bot with a seed.
    #[must_use]
    pub fn new(seed: u64) -> Greedy {
        Greedy { random: Random::new(seed) }
    }

    /// Restarts the bot with another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    /// Returns the answer to an open question; `None` if it is not open or has no legal answer.
    pub fn answer(&mut self, game: &Match, input: InputId) -> Option<Answer> {
        let pending = game.pending().find(|pending| pending.id() == input)?;
        let tried = candidates(&pending, MAX_TRIED, &mut self.random);
        if tried.len() < 2 {
            return tried.into_iter().next().or_else(|| random_answer(&pending, &mut self.random));
        }
        let step = LookaheadStep::new(&pending);
        let determinizer = game.determinizer(step.seat);
        let samples = if determinizer.is_uncertain() { UNCERTAIN_SAMPLES } else { SAMPLES };
        let worlds: Vec<(u64, Match)> = (0..samples)
            .map(|_| self.random.next_number())
            .map(|seed| (seed, determinizer.sample(Seed::from_number(seed))))
            .collect();
        let mut best: Option<(i128, Answer)> = None;
        let mut copy = game.clone();
        for answer in tried {
            let sent = Input::Answer { input, seat: step.seat, answer: answer.clone() };
            let value = worlds.iter().map(|(seed, world)| {
                copy.clone_from(world);
                i128::from(step.evaluate_answer(&mut copy, &sent, *seed, Lookahead::Full))
            });
            let value = value.sum();
            // Doing nothing is tried first, so an answer that is not better than that loses.
            if best.as_ref().is_none_or(|(known, _)| value > *known) {
                best = Some((value, answer));
            }
        }
        best.map(|(_, answer)| answer)
    }
}
