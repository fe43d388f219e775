//! Bots on seats: they answer like players, from the same prompts.
//!
//! Looking ahead takes its time, in which others want to be served: it is done away from the threads that serve them, by
//! no more bots at once than the machine can spare, in the order in which their matches came.

use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_bots::{Bot as Mind, BotKind, Budget};
use intermezzo_desk::Entry;
use intermezzo_engine::{Input, Match};
use intermezzo_ruleset::Seat;
use tokio::sync::Semaphore;

/// A bot that searches does so for this long.
const SEARCHES_MS: u32 = 700;

/// A bot that sits on a seat.
#[derive(Debug)]
pub(crate) struct Bot(Mind);

/// Where bots think.
#[derive(Clone, Debug)]
pub(crate) struct Thinkers(Arc<Semaphore>);

impl Thinkers {
    /// As many at once as the machine has cores, but for one that serves.
    pub(crate) fn new() -> Thinkers {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Thinkers(Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))))
    }
}

impl Bot {
    /// The bot of that name.
    pub(crate) fn named(name: &str, seed: u64) -> Bot {
        let kind = match name {
            "greedy" => BotKind::Greedy,
            "mcts" => BotKind::Mcts(Budget::Milliseconds(SEARCHES_MS)),
            _ => BotKind::Random,
        };
        Bot(Mind::new(kind, seed))
    }

    /// An answer to the question its seat is asked; nothing if it is not asked or does not know any. The bot comes back,
    /// unless it has failed.
    pub(crate) async fn answer(
        self,
        playing: Match,
        seat: Seat,
        thinkers: Thinkers,
    ) -> (Option<Bot>, Option<Entry>) {
        let Bot(mut mind) = self;
        if matches!(mind, Mind::Random(_)) {
            let entry = entry(&mut mind, &playing, seat);
            return (Some(Bot(mind)), entry);
        }
        // Whoever waits longest is next, whatever match it plays.
        let Ok(place) = thinkers.0.acquire_owned().await else { return (None, None) };
        let thinking = tokio::task::spawn_blocking(move || {
            let entry = entry(&mut mind, &playing, seat);
            drop(place);
            (Bot(mind), entry)
        });
        let (bot, entry) = thinking.await.ok().unzip();
        (bot, entry.flatten())
    }
}

fn entry(mind: &mut Mind, playing: &Match, seat: Seat) -> Option<Entry> {
    let input = playing.pending().find(|asked| asked.seat() == seat)?.id();
    let began = Instant::now();
    let mut is_time_up = |ms: u32| began.elapsed() >= Duration::from_millis(u64::from(ms));
    let answer = mind.answer(playing, input, &mut is_time_up)?;
    Some(Entry::Input(Input::Answer { input, seat, answer }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use intermezzo_compiler::Ruleset;
    use intermezzo_engine::{Log, Match, Seed, Setup};
    use intermezzo_ruleset::Seat;
    use tokio::sync::{Semaphore, mpsc};

    use super::{Bot, Thinkers};

    /// A match in which somebody is asked at once.
    fn asking() -> Match {
        let text = b"ir: 1\nruleset: {id: asking, version: 0.1.0}\noutcomes: [over]\nplayers: {seats: 1}\n\
            flow:\n  - {choose: one, by: \"players[0]\", from: \"[1, 2, 3]\", title: Which?}\n  - end: over\n";
        let compiled = Ruleset::from_files(&[("asking.yaml".to_owned(), text.to_vec())]).compile();
        let program = Arc::new(compiled.program.expect("the ruleset has no errors"));
        let setup = Setup { seats: 1, options: Vec::new(), seed: Seed::from_number(1), script: None };
        Match::start(program, &setup, &mut Log::discard()).expect("the match begins")
    }

    #[tokio::test]
    async fn bots_that_think_wait_for_a_place_and_nobody_else_does() {
        let thinkers = Thinkers(Arc::new(Semaphore::new(1)));
        let (told, mut answers) = mpsc::unbounded_channel();
        let sit = |name: &'static str| {
            let (thinkers, told) = (thinkers.clone(), told.clone());
            async move {
                let (bot, entry) = Bot::named(name, 1).answer(asking(), Seat(0), thinkers).await;
                _ = told.send((name, bot.is_some() && entry.is_some()));
            }
        };
        // Somebody else thinks as long as this is held.
        let busy = Arc::clone(&thinkers.0).acquire_owned().await.expect("there is a place");
        for name in ["mcts", "greedy"] {
            tokio::spawn(sit(name));
            tokio::task::yield_now().await;
        }
        sit("random").await;
        assert_eq!(answers.recv().await, Some(("random", true)), "it does not think");
        assert!(answers.try_recv().is_err(), "the others still wait for a place");
        drop(busy);
        let mut thought = [answers.recv().await, answers.recv().await];
        thought.sort();
        assert_eq!(thought, [Some(("greedy", true)), Some(("mcts", true))]);
    }
}
