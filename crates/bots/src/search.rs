//! Searching bot: it plays on from its answers in sampled matches and lets the answers race.
//!
//! First every answer is evaluated as by [`Greedy`]. The best of them enter the race. A *playout* gives one
//! of them in a match sampled from what the bot considers possible, lets everybody answer by the [rollout
//! policy](crate::rollout_policy) for a while, and evaluates the position. All answers are tried in the
//! same sampled matches with the same dice, and those clearly behind [drop out](crate::race). So an answer
//! is judged by its results and not by the luck of its matches.
//!
//! If something is hidden and matches are small, they are [solved](crate::equilibrium) instead, because hiding one's own
//! knowledge needs mixed answers.
//!
//! Nothing here depends on a clock: before every playout the caller decides whether to continue.

use intermezzo_engine::{Answer, Determinizer, EventLog, Input, InputId, Match, Seed};
use intermezzo_program::{AnswerMode, Seat};

use crate::candidates::candidates;
use crate::equilibrium::solved_answer;
use crate::evaluation::{REJECTED, evaluate};
use crate::greedy::Greedy;
use crate::lookahead::{Lookahead, LookaheadStep};
use crate::policy::random_answer;
use crate::race::Race;
use crate::random::Random;
use crate::rollout_policy;

/// Maximum number of answers that are evaluated.
const MAX_TRIED: usize = 80;
/// Samples per answer, if only dice are unknown.
const LOOKS: u32 = 4;
/// Samples per answer, if more than dice is unknown.
const UNCERTAIN_LOOKS: u32 = 8;
/// Maximum number of answers in the race.
const MAX_RUNNERS: usize = 6;

/// Searching bot. It plays the same for the same seed and number of playouts.
#[derive(Clone, Debug)]
pub struct Searcher {
    random: Random,
}

/// Search in progress.
struct Search<'a> {
    determinizer: &'a Determinizer,
    step: LookaheadStep,
    input: InputId,
    /// Candidate answers.
    tried: &'a [Answer],
    random: Random,
    /// Scratch match. It is overwritten for every try, which avoids allocation.
    copy: Match,
}

/// Match sampled from what the bot considers possible.
struct SampledMatch {
    game: Match,
    /// Seed of random decisions.
    seed: u64,
}

impl Searcher {
    /// Creates a bot with a seed.
    #[must_use]
    pub fn new(seed: u64) -> Searcher {
        Searcher { random: Random::new(seed) }
    }

    /// Restarts the bot with another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    /// Returns the answer to an open question; `None` if it is not open or has no legal answer.
    /// `has_budget` is called before each playout with the number of playouts made, and decides whether to
    /// continue. It is called with 0 during the first evaluation, in which each answer is sampled at least
    /// once.
    pub fn answer(
        &mut self,
        game: &Match,
        input: InputId,
        has_budget: &mut dyn FnMut(u32) -> bool,
    ) -> Option<Answer> {
        let pending = game.pending().find(|pending| pending.id() == input)?;
        let tried = candidates(&pending, MAX_TRIED, &mut self.random);
        if tried.len() < 2 {
            return tried.into_iter().next().or_else(|| random_answer(&pending, &mut self.random));
        }
        let determinizer = game.determinizer(pending.seat());
        if determinizer.is_uncertain()
            && let Some(answer) = solved_answer(game, &pending, &mut self.random, has_budget)
        {
            return Some(answer);
        }
        let mut search = Search {
            determinizer: &determinizer,
            step: LookaheadStep::new(&pending),
            input,
            tried: &tried,
            random: Random::new(self.random.next_number()),
            copy: game.clone(),
        };
        let mut order = search.rank_answers(&mut || has_budget(0));
        order.truncate(MAX_RUNNERS);
        let best = search.race(Race::new(order, game.program().score_type().is_some()), has_budget)?;
        Some(tried[best].clone())
    }
}

impl Search<'_> {
    /// Evaluates all answers one step ahead. Returns their indices, best first.
    fn rank_answers(&mut self, has_budget: &mut dyn FnMut() -> bool) -> Vec<usize> {
        let looks = if self.determinizer.is_uncertain() { UNCERTAIN_LOOKS } else { LOOKS };
        let mut totals = vec![0_i128; self.tried.len()];
        for number in 0..looks {
            let sampled = self.sample_match();
            let mut values = Vec::with_capacity(totals.len());
            for answer in 0..self.tried.len() {
                // A sample that covers only some answers is not comparable.
                if number > 0 && !has_budget() {
                    break;
                }
                self.copy.clone_from(&sampled.game);
                let sent = self.answer_input(answer);
                values.push(self.step.evaluate_answer(&mut self.copy, &sent, sampled.seed, Lookahead::Full));
            }
            if values.len() < totals.len() {
                break;
            }
            totals.iter_mut().zip(values).for_each(|(total, value)| *total += i128::from(value));
        }
        let mut order: Vec<usize> = (0..totals.len()).collect();
        // Candidates start with doing nothing, and the sort is stable, so an answer that is not better than
        // that loses.
        order.sort_by_key(|answer| std::cmp::Reverse(totals[*answer]));
        order
    }

    /// Lets answers race while the budget lasts. Returns the index of the winner.
    fn race(&mut self, mut race: Race, has_budget: &mut dyn FnMut(u32) -> bool) -> Option<usize> {
        let mut playouts = 0;
        while race.is_open() {
            let sampled = self.sample_match();
            let mut values = Vec::new();
            for answer in race.answers() {
                if !has_budget(playouts) {
                    return race.winner();
                }
                playouts += 1;
                values.push(self.playout(answer, &sampled));
            }
            race.record(&values);
        }
        race.winner()
    }

    /// Runs one playout and evaluates the result.
    fn playout(&mut self, answer: usize, sampled: &SampledMatch) -> i64 {
        self.copy.clone_from(&sampled.game);
        let sent = self.answer_input(answer);
        if self.copy.submit(&sent, &mut EventLog::discard()).is_err() {
            return REJECTED;
        }
        let mut random = Random::new(sampled.seed);
        if self.step.is_for_all {
            let value = self.step.play_out(&mut self.copy, &mut random, Lookahead::Quick);
            if self.step.is_asked_again(&self.copy) {
                return value;
            }
        }
        match rollout_policy::play_turns(&mut self.copy, &mut random) {
            true => evaluate(&self.copy, self.step.seat),
            false => self.step.play_out(&mut self.copy, &mut random, Lookahead::Quick),
        }
    }

    fn answer_input(&self, answer: usize) -> Input {
        Input::Answer { input: self.input, seat: self.step.seat, answer: self.tried[answer].clone() }
    }

    /// Samples a match in which the other seats asked at the same time have answered, as a greedy bot
    /// would.
    fn sample_match(&mut self) -> SampledMatch {
        let seed = self.random.next_number();
        let drawn = self.determinizer.sample(Seed::from_number(seed));
        let beside = drawn.pending().filter(|asked| {
            asked.seat() != self.step.seat
                && asked.choice().mode == AnswerMode::Each
                && asked.id() != self.input
        });
        let beside: Vec<(InputId, Seat)> = beside.map(|asked| (asked.id(), asked.seat())).collect();
        let mut game = drawn.clone();
        for (input, seat) in beside {
            let mut greedy = Greedy::new(self.random.next_number());
            if let Some(answer) = greedy.answer(&drawn, input) {
                // A rejected answer is ignored: the question may be closed by now.
                _ = game.submit(&Input::Answer { input, seat, answer }, &mut EventLog::discard());
            }
        }
        SampledMatch { game, seed }
    }
}
