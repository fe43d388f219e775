//! Bots on seats. They answer the same prompts as players.
//!
//! Searching takes time. It runs on blocking threads, with a limit of concurrent bots that leaves one core
//! for serving clients, in the order in which the matches asked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_bots::{Bot as Mind, BotKind, Budget};
use intermezzo_engine::{Input, Match};
use intermezzo_program::Seat;
use intermezzo_session::SessionEntry;
use tokio::sync::Semaphore;

/// Search time of an MCTS bot.
const SEARCH_MS: u32 = 700;

/// A bot on a seat.
#[derive(Debug)]
pub(crate) struct BotPlayer(Mind);

/// The permits for thinking bots.
#[derive(Clone, Debug)]
pub(crate) struct BotThreads(Arc<Semaphore>);

impl BotThreads {
    /// Allows as many concurrent bots as the machine has cores, minus one for serving clients.
    pub(crate) fn new() -> BotThreads {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        BotThreads(Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))))
    }
}

impl BotPlayer {
    pub(crate) fn from_name(name: &str, seed: u64) -> BotPlayer {
        let kind = match name {
            "greedy" => BotKind::Greedy,
            "mcts" => BotKind::Mcts(Budget::Milliseconds(SEARCH_MS)),
            _ => BotKind::Random,
        };
        BotPlayer(Mind::new(kind, seed))
    }

    /// Answers the seat's prompt; `None` if it has none or the bot finds no answer. Returns the bot too,
    /// unless it has panicked.
    pub(crate) async fn answer(
        self,
        playing: Match,
        seat: Seat,
        threads: BotThreads,
        is_slow: bool,
    ) -> (Option<BotPlayer>, Option<SessionEntry>) {
        let BotPlayer(mut bot) = self;
        if matches!(bot, Mind::Random(_)) && !is_slow {
            let entry = choose_entry(&mut bot, &playing, seat);
            return (Some(BotPlayer(bot)), entry);
        }
        // The semaphore is fair: the longest-waiting bot is next.
        let Ok(place) = threads.0.acquire_owned().await else { return (None, None) };
        let thinking = tokio::task::spawn_blocking(move || {
            let entry = choose_entry(&mut bot, &playing, seat);
            drop(place);
            (BotPlayer(bot), entry)
        });
        let (bot, entry) = thinking.await.ok().unzip();
        (bot, entry.flatten())
    }
}

fn choose_entry(bot: &mut Mind, playing: &Match, seat: Seat) -> Option<SessionEntry> {
    let input = playing.pending().find(|question| question.seat() == seat)?.id();
    let began = Instant::now();
    let mut is_time_up = |ms: u32| began.elapsed() >= Duration::from_millis(u64::from(ms));
    let answer = bot.answer(playing, input, &mut is_time_up)?;
    Some(SessionEntry::Input(Input::Answer { input, seat, answer }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use intermezzo_compiler::Ruleset;
    use intermezzo_engine::{EventLog, Match, Seed, Setup};
    use intermezzo_program::Seat;
    use tokio::sync::{Semaphore, mpsc};

    use super::{BotPlayer, BotThreads};

    /// Starts a match with a prompt.
    fn match_with_prompt() -> Match {
        let text = b"ir: 1\nruleset: {id: asking, version: 0.1.0}\noutcomes: [over]\nplayers: {seats: 1}\n\
            flow:\n  - {choose: one, by: \"players[0]\", from: \"[1, 2, 3]\", title: Which?}\n  - end: over\n";
        let compiled = Ruleset::from_files(&[("asking.yaml".to_owned(), text.to_vec())]).compile();
        let program = Arc::new(compiled.program.expect("the ruleset has no errors"));
        let setup = Setup { seats: 1, options: Vec::new(), seed: Seed::from_number(1), script: None };
        Match::start(program, &setup, &mut EventLog::discard()).expect("the match begins")
    }

    #[tokio::test]
    async fn only_searching_bots_wait_for_a_permit() {
        let threads = BotThreads(Arc::new(Semaphore::new(1)));
        let (told, mut answers) = mpsc::unbounded_channel();
        let sit = |name: &'static str| {
            let (threads, told) = (threads.clone(), told.clone());
            async move {
                let (bot, entry) =
                    BotPlayer::from_name(name, 1).answer(match_with_prompt(), Seat(0), threads, false).await;
                _ = told.send((name, bot.is_some() && entry.is_some()));
            }
        };
        // Another bot runs while this permit is held.
        let busy = Arc::clone(&threads.0).acquire_owned().await.expect("a permit is free");
        for name in ["mcts", "greedy"] {
            tokio::spawn(sit(name));
            tokio::task::yield_now().await;
        }
        sit("random").await;
        assert_eq!(answers.recv().await, Some(("random", true)), "a random bot needs no permit");
        assert!(answers.try_recv().is_err(), "the others still wait for a permit");
        drop(busy);
        let mut thought = [answers.recv().await, answers.recv().await];
        thought.sort();
        assert_eq!(thought, [Some(("greedy", true)), Some(("mcts", true))]);
    }
}
