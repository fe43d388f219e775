//! A player who looks one step ahead.
//!
//! Every answer is tried on copies of the match, each with dice of its own that
//! have nothing to do with those to come. What the answer leads to is played to
//! the end of that step: the others do what happens if they do nothing, and
//! questions to oneself on the way are answered as well as a quick look allows.

use intermezzo_engine::{Answer, Input, InputId, Log, Match, Pending, Seed};
use intermezzo_ruleset::{ChoiceId, Hidden, InputKind, Program, Seat};

use crate::candidates::candidates;
use crate::policy::{at_random, by_default};
use crate::random::Random;
use crate::worth::{REFUSED, worth};

/// So many answers to the question at hand are tried …
const MAX_TRIED: usize = 60;
/// … each with so many different dice …
const SAMPLES: usize = 4;
/// … and for each of these so many answers to the first question that follows to oneself.
const MAX_NESTED: usize = 10;
/// A step is over after so many inputs.
const MAX_INPUTS: u32 = 40;

/// A player who takes what looks best one step ahead, the same for the same seed.
#[derive(Clone, Debug)]
pub struct Greedy {
    random: Random,
}

impl Greedy {
    /// A player with that seed. It cannot play where anything is hidden from anybody: it looks at copies of the
    /// whole match, so it would know what no player may.
    ///
    /// # Errors
    ///
    /// What is hidden.
    pub fn new(program: &Program, seed: u64) -> Result<Greedy, Hidden> {
        match program.hidden() {
            Some(hidden) => Err(hidden),
            None => Ok(Greedy { random: Random::new(seed) }),
        }
    }

    /// Begins again with another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    /// The answer to an open question; nothing if it is not open or has no legal answer.
    pub fn answer(&mut self, game: &Match, input: InputId) -> Option<Answer> {
        let pending = game.pending().find(|pending| pending.id() == input)?;
        let mut tried = candidates(&pending, MAX_TRIED, &mut self.random);
        if tried.len() < 2 {
            return tried.into_iter().next().or_else(|| at_random(&pending, &mut self.random));
        }
        if game.program().worth.is_none() && pending.choice().kind == InputKind::Action {
            // Nobody knows what is worth anything, so doing something is as good as doing nothing, and ends sooner.
            tried.rotate_left(1);
        }
        let step = Step { seat: pending.seat(), question: pending.choice_id() };
        let seeds: Vec<u64> = (0..SAMPLES).map(|_| self.random.next_number()).collect();
        let mut best: Option<(i128, Answer)> = None;
        for answer in tried {
            let sent = Input::Answer { input, seat: step.seat, answer: answer.clone() };
            let value = seeds.iter().map(|seed| i128::from(step.value(game, &sent, *seed))).sum();
            // Doing nothing was tried first: whatever is not better than that is left undone.
            if best.as_ref().is_none_or(|(known, _)| value > *known) {
                best = Some((value, answer));
            }
        }
        best.map(|(_, answer)| answer)
    }
}

/// What is looked at: an answer of a seat to a question, and what comes of it until that seat decides anew.
struct Step {
    seat: Seat,
    question: ChoiceId,
}

impl Step {
    fn value(&self, game: &Match, sent: &Input, seed: u64) -> i64 {
        let mut copy = game.imagined(self.seat, Seed::from_number(seed));
        match copy.submit(sent, &mut Log::discard()) {
            Ok(()) => self.play_on(&mut copy, &mut Random::new(seed), true),
            Err(_) => REFUSED,
        }
    }

    /// Plays to the end of the step; gives what things are worth then.
    fn play_on(&self, copy: &mut Match, random: &mut Random, may_look: bool) -> i64 {
        for _ in 0..MAX_INPUTS {
            let own = copy.pending().find(|pending| pending.seat() == self.seat);
            let input = match own {
                Some(own) if self.is_over(&own) => break,
                Some(own) if may_look => return self.best_after(copy, &own, random),
                Some(own) => by_default(&own, random),
                None => copy.pending().next().and_then(|other| by_default(&other, random)),
            };
            let Some(input) = input else { break };
            if copy.submit(&input, &mut Log::discard()).is_err() {
                break;
            }
        }
        worth(copy, self.seat)
    }

    /// Whether the seat decides anew: it is asked the same again, or what to do.
    fn is_over(&self, own: &Pending<'_>) -> bool {
        own.choice_id() == self.question || own.choice().kind == InputKind::Action
    }

    /// What the best of some answers on the way leads to.
    fn best_after(&self, game: &Match, own: &Pending<'_>, random: &mut Random) -> i64 {
        let (input, seat) = (own.id(), self.seat);
        let tried = candidates(own, MAX_NESTED, random);
        let values = tried.into_iter().map(|answer| {
            // All of them meet the same chance.
            let (mut copy, mut random) = (game.clone(), *random);
            match copy.submit(&Input::Answer { input, seat, answer }, &mut Log::discard()) {
                Ok(()) => self.play_on(&mut copy, &mut random, false),
                Err(_) => REFUSED,
            }
        });
        values.max().unwrap_or_else(|| worth(game, seat))
    }
}
