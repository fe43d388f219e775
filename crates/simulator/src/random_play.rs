//! Random choice of inputs: among the open questions, then among the legal answers.

use intermezzo_bots::{Bot, Random};
use intermezzo_engine::{Answer, Input, InputId, LeaveCause, Match, PassUntil};
use intermezzo_program::{Seat, native};

use crate::input_mix::InputMix;
use crate::invalid_inputs;

/// Number of legal answers to choose from. Questions with more answers lose nothing by this limit.
const MAX_ANSWERS: u64 = 1 << 40;

/// Players who choose at random, the same for the same seed.
///
/// The buffers are reused, so that choosing an answer does not allocate.
#[derive(Clone, Debug)]
pub struct RandomPlay {
    random: Random,
    mix: InputMix,
    input: Input,
    /// Newest question seen, from which stale answers are made.
    newest: u32,
    /// Number of legal answers that the last input was chosen from, if it was an answer.
    answers: Option<u64>,
    /// Bots by seat.
    bots: Vec<Option<Bot>>,
}

impl RandomPlay {
    /// Creates players with this input mix.
    #[must_use]
    pub fn new(seed: u64, mix: &InputMix) -> RandomPlay {
        let random = Random::new(seed);
        RandomPlay { random, mix: *mix, input: no_input(), newest: 0, answers: None, bots: Vec::new() }
    }

    /// Lets bots answer at some seats.
    pub fn seat(&mut self, bots: Vec<Option<Bot>>) {
        self.bots = bots;
    }

    /// Starts again with another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
        for (seat, bot) in self.bots.iter_mut().enumerate() {
            bot.iter_mut().for_each(|bot| bot.reseed(seed.wrapping_mul(31).wrapping_add(seat as u64)));
        }
        self.newest = 0;
        self.answers = None;
    }

    /// Returns the number of legal answers that the last input was chosen from, if it was an answer.
    #[must_use]
    pub fn answer_count(&self) -> Option<u64> {
        self.answers
    }

    /// Returns the last input.
    #[must_use]
    pub fn last(&self) -> &Input {
        &self.input
    }

    /// Returns the next input, or `None` if no question is open.
    pub fn next(&mut self, state: &Match) -> Option<&Input> {
        self.answers = None;
        let open = state.pending().count();
        if open == 0 {
            return None;
        }
        let place = self.random.index(open);
        let pending = state.pending().nth(place)?;
        self.newest = self.newest.max(pending.id().0);
        let (id, seat) = (pending.id(), pending.seat());
        match self.pick_action() {
            RandomAction::Draft if pending.choice().draft.is_some() => {
                let mut answer = Answer::Pass;
                pending.nth_answer(self.number(pending.answer_count()), &mut answer);
                self.input = Input::Draft { input: id, seat, answer };
            }
            RandomAction::Timeout if pending.deadline_ms().is_some() => {
                self.input = Input::Timeout { input: id }
            }
            RandomAction::Leave(cause) => self.input = Input::Leave { seat: self.any_seat(state), cause },
            RandomAction::AutoPass => self.input = self.auto_pass(state),
            RandomAction::Moderate => self.input = self.moderation(state),
            RandomAction::Stale => {
                let input = InputId(1 + self.random.below(u64::from(self.newest)) as u32);
                self.input = Input::Answer { input, seat, answer: Answer::Picks(vec![0]) };
            }
            RandomAction::Malformed => self.input = invalid_inputs::malformed(&pending, &mut self.random),
            _ => self.answer(state, place),
        }
        Some(&self.input)
    }

    /// Fills the buffer with a legal answer to the question at `place`.
    fn answer(&mut self, state: &Match, place: usize) {
        let Some(pending) = state.pending().nth(place) else { return };
        let count = pending.answer_count();
        self.answers =
            Some(if pending.choice().next.is_some() { pending.option_count() as u64 } else { count });
        let (id, asked) = (pending.id(), pending.seat());
        if let Some(Some(bot)) = self.bots.get_mut(asked.index())
            && let Some(answer) = bot.answer(state, id, &mut |_| true)
        {
            self.input = Input::Answer { input: id, seat: asked, answer };
            return;
        }
        let n = self.number(count);
        if !matches!(self.input, Input::Answer { .. }) {
            self.input = no_input();
        }
        if let Input::Answer { input, seat, answer } = &mut self.input {
            *input = id;
            *seat = asked;
            pending.nth_answer(n, answer);
        }
    }

    fn number(&mut self, count: u64) -> u64 {
        self.random.below(count.min(MAX_ANSWERS))
    }

    fn any_seat(&mut self, state: &Match) -> Seat {
        Seat(self.random.below(u64::from(state.board().seats())) as u8)
    }

    fn auto_pass(&mut self, state: &Match) -> Input {
        let (until, _) = *self.random.pick(&PassUntil::NAMES);
        Input::AutoPass { seat: self.any_seat(state), until, stops: self.random.happens(500) }
    }

    fn moderation(&mut self, state: &Match) -> Input {
        let pots = [native::POT_WINNERS, native::POT_SPLIT, native::POT_BURN, native::POT_REFUND];
        let seats = (0..state.board().seats()).map(Seat);
        let winners = seats.filter(|_| self.random.happens(400)).collect();
        Input::Moderate { winners, pot: *self.random.pick(&pots) }
    }

    fn pick_action(&mut self) -> RandomAction {
        let mix = self.mix;
        let rates = [
            (mix.draft, RandomAction::Draft),
            (mix.timeout, RandomAction::Timeout),
            (mix.disconnect, RandomAction::Leave(LeaveCause::Disconnect)),
            (mix.concede, RandomAction::Leave(LeaveCause::Concede)),
            (mix.kick, RandomAction::Leave(LeaveCause::Kicked)),
            (mix.moderate, RandomAction::Moderate),
            (mix.stale, RandomAction::Stale),
            (mix.malformed, RandomAction::Malformed),
            (mix.auto_pass, RandomAction::AutoPass),
        ];
        let mut left = self.random.below(1000);
        for (rate, pick_action) in rates {
            if left < u64::from(rate) {
                return pick_action;
            }
            left -= u64::from(rate);
        }
        RandomAction::Answer
    }
}

/// Kind of a random input.
#[derive(Clone, Copy)]
enum RandomAction {
    Answer,
    Draft,
    Timeout,
    Leave(LeaveCause),
    AutoPass,
    Moderate,
    Stale,
    Malformed,
}

fn no_input() -> Input {
    Input::Answer { input: InputId(0), seat: Seat(0), answer: Answer::Picks(Vec::new()) }
}
