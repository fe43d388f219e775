//! Seats that send anything a desk takes, and some that it does not; the same for the same seed.

use intermezzo_engine::{Answer, Datum, Match, Pending};
use intermezzo_ruleset::Seat;
use intermezzo_simulator::{Habits, Random, RandomPlay};

use crate::{Ahead, Entry};

/// Who sends entries at random.
pub(super) struct Senders {
    players: RandomPlay,
    random: Random,
}

impl Senders {
    pub(super) fn new(seed: u64) -> Senders {
        let habits = Habits { disconnect: 2, concede: 1, kick: 1, ..Habits::unruly() };
        Senders { players: RandomPlay::new(seed, &habits), random: Random::new(seed ^ 0x5eed) }
    }

    /// What is sent next; nothing if the match waits for nobody.
    pub(super) fn next(&mut self, state: &Match, asks_consent: bool) -> Option<Entry> {
        let input = self.players.next(state)?.clone();
        let seat = Seat(self.random.below(u64::from(state.board().seats())) as u8);
        if asks_consent && self.random.below(3) > 0 {
            let declines = self.random.below(5) == 0;
            return Some(if declines { Entry::Decline { seat } } else { Entry::Agree { seat } });
        }
        Some(match self.random.below(40) {
            0..4 => Entry::TakeBack { seat },
            4..6 => Entry::Ahead { seat, answers: self.ahead(state, seat) },
            6 => Entry::Teach { seat },
            7 => Entry::Agree { seat },
            _ => Entry::Input(input),
        })
    }

    /// Up to three answers; the first is good if the seat is asked something.
    fn ahead(&mut self, state: &Match, seat: Seat) -> Vec<Ahead> {
        let asked = state.pending().find(|pending| pending.seat() == seat);
        let first = asked.map(|pending| self.good(&pending)).unwrap_or(Datum::Int(0));
        let name = asked.map(|pending| pending.choice().name.clone());
        let count = self.random.below(4) as usize;
        let later = (1..count.max(1)).map(|_| (None, Datum::Int(self.random.below(3) as i64)));
        let all = [(name, first)].into_iter().chain(later.collect::<Vec<_>>());
        all.map(|(question, answer)| Ahead { question, answer }).take(count).collect()
    }

    /// A good answer as a seat writes it, where it is picks by number.
    fn good(&mut self, pending: &Pending<'_>) -> Datum {
        let mut answer = Answer::Pass;
        pending.nth_answer(self.random.below(pending.answer_count().clamp(1, 1 << 40)), &mut answer);
        let number = |pick: &i32| if *pick < 0 { Datum::Null } else { Datum::Int(i64::from(*pick)) };
        match answer {
            Answer::Picks(picks) => Datum::List(picks.iter().map(number).collect()),
            _ => Datum::text("pass"),
        }
    }
}
