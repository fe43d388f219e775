//! Bots on seats: they answer like players, from the same prompts.

use intermezzo_bots::{Greedy, Random, at_random};
use intermezzo_desk::Entry;
use intermezzo_engine::{Answer, Input, Match, Pending};
use intermezzo_ruleset::{Program, Seat};

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

    /// An answer to the question its seat is asked; nothing if it is not asked or does not know any. The bot comes back,
    /// unless it has failed.
    pub(crate) async fn answer(self, playing: Match, seat: Seat) -> (Option<Bot>, Option<Entry>) {
        match self {
            Bot::Random(mut random) => {
                let entry = entry(&playing, seat, |asked| at_random(asked, &mut random));
                (Some(Bot::Random(random)), entry)
            }
            // Looking ahead takes its time, in which others want to be served.
            Bot::Greedy(mut greedy) => {
                let thinking = tokio::task::spawn_blocking(move || {
                    let entry = entry(&playing, seat, |asked| greedy.answer(&playing, asked.id()));
                    (greedy, entry)
                });
                let (greedy, entry) = thinking.await.ok().unzip();
                (greedy.map(Bot::Greedy), entry.flatten())
            }
        }
    }
}

fn entry(playing: &Match, seat: Seat, answer: impl FnOnce(&Pending<'_>) -> Option<Answer>) -> Option<Entry> {
    let asked = playing.pending().find(|asked| asked.seat() == seat)?;
    answer(&asked).map(|answer| Entry::Input(Input::Answer { input: asked.id(), seat, answer }))
}
