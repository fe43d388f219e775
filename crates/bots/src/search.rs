//! A player who searches: it plays on from its answers, in matches as they might be, and lets them race.
//!
//! At first every answer is looked at as [`Greedy`] does. The best of them go on: a
//! *playing* gives one of them in a match that is drawn from what the player may take for possible, lets
//! everybody [answer quickly](crate::quick) for a while, and sees what things are worth then. All answers go through the
//! same matches with the same chance, and those that are clearly behind [drop out](crate::race). So
//! an answer is judged by what comes of it, and not by the luck of the matches it was tried in.
//!
//! Nothing here depends on a clock: the caller says before every playing whether
//! there is to be another one.

use intermezzo_engine::{Answer, Imagination, Input, InputId, Log, Match, Seed};
use intermezzo_ruleset::{How, Seat};

use crate::candidates::candidates;
use crate::greedy::Greedy;
use crate::policy::at_random;
use crate::quick;
use crate::race::Race;
use crate::random::Random;
use crate::step::{Look, Step};
use crate::worth::{REFUSED, worth};

/// So many answers to the question at hand are looked at …
const MAX_TRIED: usize = 80;
/// … each with so many different dice …
const LOOKS: u32 = 4;
/// … or, where more than dice is unknown, in so many different matches.
const UNCERTAIN_LOOKS: u32 = 8;
/// So many of them take part in the race.
const MAX_RUNNERS: usize = 6;

/// A player who searches, the same for the same seed and the same number of playings.
#[derive(Clone, Debug)]
pub struct Searcher {
    random: Random,
}

/// A search under way.
struct Search<'a> {
    imagination: &'a Imagination,
    step: Step,
    input: InputId,
    /// Answers to the question at hand.
    tried: &'a [Answer],
    random: Random,
    /// Where things are tried.
    copy: Match,
}

/// A match as it might be.
struct World {
    game: Match,
    /// For whatever players leave to chance.
    seed: u64,
}

impl Searcher {
    /// A player with that seed.
    #[must_use]
    pub fn new(seed: u64) -> Searcher {
        Searcher { random: Random::new(seed) }
    }

    /// Begins again with another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    /// The answer to an open question; nothing if it is not open or has no legal answer. `goes_on` is told before each
    /// playing how many there were, and says whether there is time for one more. While answers are only looked at there
    /// were none; one look at each is taken in any case.
    pub fn answer(
        &mut self,
        game: &Match,
        input: InputId,
        goes_on: &mut dyn FnMut(u32) -> bool,
    ) -> Option<Answer> {
        let pending = game.pending().find(|pending| pending.id() == input)?;
        let tried = candidates(&pending, MAX_TRIED, &mut self.random);
        if tried.len() < 2 {
            return tried.into_iter().next().or_else(|| at_random(&pending, &mut self.random));
        }
        let mut search = Search {
            imagination: &game.imagination(pending.seat()),
            step: Step::new(&pending),
            input,
            tried: &tried,
            random: Random::new(self.random.next_number()),
            copy: game.clone(),
        };
        let mut order = search.look(&mut || goes_on(0));
        order.truncate(MAX_RUNNERS);
        let best = search.race(Race::new(order), goes_on)?;
        Some(tried[best].clone())
    }
}

impl Search<'_> {
    /// Looks one step ahead; gives the numbers of all answers, the best first.
    fn look(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Vec<usize> {
        let looks = if self.imagination.is_uncertain() { UNCERTAIN_LOOKS } else { LOOKS };
        let mut totals = vec![0_i128; self.tried.len()];
        for number in 0..looks {
            let world = self.draw();
            let mut values = Vec::with_capacity(totals.len());
            for answer in 0..self.tried.len() {
                // A look at some of them would tell nothing.
                if number > 0 && !goes_on() {
                    break;
                }
                self.copy.clone_from(&world.game);
                let sent = self.sent(answer);
                values.push(self.step.value(&mut self.copy, &sent, world.seed, Look::Full));
            }
            if values.len() < totals.len() {
                break;
            }
            totals.iter_mut().zip(values).for_each(|(total, value)| *total += i128::from(value));
        }
        let mut order: Vec<usize> = (0..totals.len()).collect();
        // Doing nothing comes first: whatever is not better than that is left undone.
        order.sort_by_key(|answer| std::cmp::Reverse(totals[*answer]));
        order
    }

    /// Lets answers race while there is time; gives the number of the best.
    fn race(&mut self, mut race: Race, goes_on: &mut dyn FnMut(u32) -> bool) -> Option<usize> {
        let mut playings = 0;
        while race.is_open() {
            let world = self.draw();
            let mut worths = Vec::new();
            for answer in race.answers() {
                if !goes_on(playings) {
                    return race.winner();
                }
                playings += 1;
                worths.push(self.play(answer, &world));
            }
            race.record(&worths);
        }
        race.winner()
    }

    /// One playing; gives what things are worth after it.
    fn play(&mut self, answer: usize, world: &World) -> i64 {
        self.copy.clone_from(&world.game);
        let sent = self.sent(answer);
        if self.copy.submit(&sent, &mut Log::discard()).is_err() {
            return REFUSED;
        }
        let mut random = Random::new(world.seed);
        if self.step.is_for_all {
            let worth = self.step.play_on(&mut self.copy, &mut random, Look::Quick);
            if self.step.comes_again(&self.copy) {
                return worth;
            }
        }
        match quick::play_turns(&mut self.copy, &mut random) {
            true => worth(&self.copy, self.step.seat),
            false => self.step.play_on(&mut self.copy, &mut random, Look::Quick),
        }
    }

    fn sent(&self, answer: usize) -> Input {
        Input::Answer { input: self.input, seat: self.step.seat, answer: self.tried[answer].clone() }
    }

    /// A match as it might be, in which others who are asked at the same time have answered: they are expected to look
    /// one step ahead.
    fn draw(&mut self) -> World {
        let seed = self.random.next_number();
        let drawn = self.imagination.draw(Seed::from_number(seed));
        let beside = drawn.pending().filter(|asked| {
            asked.seat() != self.step.seat && asked.choice().how == How::Each && asked.id() != self.input
        });
        let beside: Vec<(InputId, Seat)> = beside.map(|asked| (asked.id(), asked.seat())).collect();
        let mut game = drawn.clone();
        for (input, seat) in beside {
            let mut greedy = Greedy::new(self.random.next_number());
            if let Some(answer) = greedy.answer(&drawn, input) {
                // Refused where it is no longer asked; then nothing is expected.
                _ = game.submit(&Input::Answer { input, seat, answer }, &mut Log::discard());
            }
        }
        World { game, seed }
    }
}
