//! Random entries, valid and invalid; the same for the same seed.

use intermezzo_engine::{Answer, Datum, Match, PendingQuestion};
use intermezzo_program::Seat;
use intermezzo_simulator::{InputMix, Random, RandomPlay};

use crate::{QueuedAnswer, SessionEntry};

/// A generator of random entries.
pub(super) struct RandomSenders {
    players: RandomPlay,
    random: Random,
}

impl RandomSenders {
    pub(super) fn new(seed: u64) -> RandomSenders {
        let habits = InputMix { disconnect: 2, concede: 1, kick: 1, ..InputMix::chaotic() };
        RandomSenders { players: RandomPlay::new(seed, &habits), random: Random::new(seed ^ 0x5eed) }
    }

    /// Returns the next entry; `None` if the match waits for nobody.
    pub(super) fn next(&mut self, state: &Match, asks_consent: bool) -> Option<SessionEntry> {
        let input = self.players.next(state)?.clone();
        let seat = Seat(self.random.below(u64::from(state.board().seats())) as u8);
        if asks_consent && self.random.below(3) > 0 {
            let declines = self.random.below(5) == 0;
            return Some(if declines {
                SessionEntry::DeclineUndo { seat }
            } else {
                SessionEntry::AgreeToUndo { seat }
            });
        }
        Some(match self.random.below(40) {
            0..4 => SessionEntry::Undo { seat },
            4..6 => SessionEntry::PreSend { seat, answers: self.ahead(state, seat) },
            6 => SessionEntry::StartTutorial { seat },
            7 => SessionEntry::AgreeToUndo { seat },
            _ => SessionEntry::Input(input),
        })
    }

    /// Up to three answers; the first is good if the seat is asked something.
    fn ahead(&mut self, state: &Match, seat: Seat) -> Vec<QueuedAnswer> {
        let asked = state.pending().find(|pending| pending.seat() == seat);
        let first = asked.map(|pending| self.good(&pending)).unwrap_or(numbered(0));
        let name = asked.map(|pending| pending.choice().name.clone());
        let count = self.random.below(4) as usize;
        let later = (1..count.max(1)).map(|_| (None, numbered(self.random.below(3) as i64)));
        let all = [(name, first)].into_iter().chain(later.collect::<Vec<_>>());
        all.map(|(question, answer)| QueuedAnswer::new(question, answer)).take(count).collect()
    }

    /// Returns a valid answer as a seat writes it, if it consists of picks by number.
    fn good(&mut self, pending: &PendingQuestion<'_>) -> Datum {
        let mut answer = Answer::Pass;
        pending.nth_answer(self.random.below(pending.answer_count().clamp(1, 1 << 40)), &mut answer);
        let number = |pick: &i32| if *pick < 0 { Datum::Null } else { numbered(i64::from(*pick)) };
        match answer {
            Answer::Picks(picks) => Datum::List(picks.iter().map(number).collect()),
            _ => Datum::text("pass"),
        }
    }
}

/// Returns an option by its number, as clients write it.
fn numbered(number: i64) -> Datum {
    Datum::Map(vec![("n".into(), Datum::Int(number))])
}
