//! Bots on seats: they answer like players, from the same prompts.

use intermezzo_bots::{Greedy, Random, at_random};
use intermezzo_desk::Entry;
use intermezzo_engine::{Answer, Input};
use intermezzo_ruleset::{Program, Seat};

use super::fold::Room;

/// A bot that sits on a seat.
#[derive(Debug)]
pub(crate) enum Bot {
    /// Answers by chance.
    Random(Random),
    /// Looks one step ahead.
    Greedy(Box<Greedy>),
}

impl Bot {
    /// The bot of that name. One that would have to know what is hidden plays by chance instead.
    pub(crate) fn named(name: &str, program: &Program, seed: u64) -> Bot {
        match name {
            "greedy" => Greedy::new(program, seed)
                .map_or_else(|_| Bot::Random(Random::new(seed)), |greedy| Bot::Greedy(Box::new(greedy))),
            _ => Bot::Random(Random::new(seed)),
        }
    }

    /// An answer to the question its seat is asked; nothing if it is not asked or does not know any.
    pub(crate) fn answer(&mut self, room: &Room, seat: Seat) -> Option<Entry> {
        let playing = room.desk.playing();
        let asked = playing.pending().find(|asked| asked.seat() == seat)?;
        let answer: Option<Answer> = match self {
            Bot::Random(random) => at_random(&asked, random),
            Bot::Greedy(greedy) => greedy.answer(playing, asked.id()),
        };
        answer.map(|answer| Entry::Input(Input::Answer { input: asked.id(), seat, answer }))
    }
}
