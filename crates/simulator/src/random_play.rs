//! Choosing inputs at random: among the open questions, then among the legal answers.

use intermezzo_bots::{Bot, Random};
use intermezzo_engine::{Answer, Input, InputId, LeaveCause, Match, PassUntil};
use intermezzo_ruleset::{Seat, native};

use crate::habits::Habits;
use crate::mischief;

/// Answers beyond this number are as good as those before it.
const MAX_ANSWERS: u64 = 1 << 40;

/// Players who choose at random, the same for the same seed.
///
/// Keeps its buffers, so that choosing an answer needs no memory of its own.
#[derive(Clone, Debug)]
pub struct RandomPlay {
    random: Random,
    habits: Habits,
    input: Input,
    /// The newest question seen, from which stale ones are made.
    newest: u32,
    /// How many legal answers there were where the last input is one of them.
    answers: Option<u64>,
    /// By seat: who thinks instead.
    bots: Vec<Option<Bot>>,
}

impl RandomPlay {
    /// Players with these habits.
    #[must_use]
    pub fn new(seed: u64, habits: &Habits) -> RandomPlay {
        let random = Random::new(seed);
        RandomPlay { random, habits: *habits, input: no_input(), newest: 0, answers: None, bots: Vec::new() }
    }

    /// Lets bots answer at some seats.
    pub fn seat(&mut self, bots: Vec<Option<Bot>>) {
        self.bots = bots;
    }

    /// Begins again with another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
        for (seat, bot) in self.bots.iter_mut().enumerate() {
            bot.iter_mut().for_each(|bot| bot.reseed(seed.wrapping_mul(31).wrapping_add(seat as u64)));
        }
        self.newest = 0;
        self.answers = None;
    }

    /// How many legal answers the last input was chosen from; nothing if it was something else.
    #[must_use]
    pub fn answers_at_hand(&self) -> Option<u64> {
        self.answers
    }

    /// What entered the match last.
    #[must_use]
    pub fn last(&self) -> &Input {
        &self.input
    }

    /// What enters the match next; nothing if it waits for nobody.
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
        match self.deed() {
            Deed::Draft if pending.choice().draft.is_some() => {
                let mut answer = Answer::Pass;
                pending.nth_answer(self.number(pending.answer_count()), &mut answer);
                self.input = Input::Draft { input: id, seat, answer };
            }
            Deed::Timeout if pending.deadline_ms().is_some() => self.input = Input::Timeout { input: id },
            Deed::Leave(cause) => self.input = Input::Leave { seat: self.any_seat(state), cause },
            Deed::AutoPass => self.input = self.auto_pass(state),
            Deed::Moderate => self.input = self.moderation(state),
            Deed::Stale => {
                let input = InputId(1 + self.random.below(u64::from(self.newest)) as u32);
                self.input = Input::Answer { input, seat, answer: Answer::Picks(vec![0]) };
            }
            Deed::Malformed => self.input = mischief::malformed(&pending, &mut self.random),
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

    fn deed(&mut self) -> Deed {
        let habits = self.habits;
        let rates = [
            (habits.draft, Deed::Draft),
            (habits.timeout, Deed::Timeout),
            (habits.disconnect, Deed::Leave(LeaveCause::Disconnect)),
            (habits.concede, Deed::Leave(LeaveCause::Concede)),
            (habits.kick, Deed::Leave(LeaveCause::Kicked)),
            (habits.moderate, Deed::Moderate),
            (habits.stale, Deed::Stale),
            (habits.malformed, Deed::Malformed),
            (habits.auto_pass, Deed::AutoPass),
        ];
        let mut left = self.random.below(1000);
        for (rate, deed) in rates {
            if left < u64::from(rate) {
                return deed;
            }
            left -= u64::from(rate);
        }
        Deed::Answer
    }
}

/// What a random player is up to.
#[derive(Clone, Copy)]
enum Deed {
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
