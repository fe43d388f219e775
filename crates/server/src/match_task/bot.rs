//! Bots on seats. They answer the same prompts as players.
//!
//! Searching takes time. It runs on threads of less priority than those that serve clients, few bots at once, in turn between the
//! accounts whose matches they play in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_bots::{Bot as Mind, BotKind, Budget};
use intermezzo_engine::{Input, Match};
use intermezzo_program::Seat;
use intermezzo_services::{BackgroundThreads, FairQueue, QueueLimits};
use intermezzo_session::SessionEntry;

use super::match_pool::{self, Limited};

/// Search time of an MCTS bot.
const SEARCH_MS: u32 = 700;

/// A bot on a seat.
#[derive(Debug)]
pub(crate) struct BotPlayer(Mind);

/// Bots that think at once, beyond the number of cores: rules may make one of them slow.
const SPARE_BOTS: usize = 2;

/// The permits for thinking bots, by account, and their threads.
#[derive(Clone, Debug)]
pub(crate) struct BotThreads {
    queue: Arc<FairQueue<u128>>,
    threads: BackgroundThreads,
}

/// The prompt that a bot answers.
#[derive(Debug)]
pub(crate) struct BotQuestion {
    pub(crate) playing: Match,
    pub(crate) seat: Seat,
    /// Account of the match.
    pub(crate) owner: u128,
    /// True if everything about the match takes long.
    pub(crate) is_slow: bool,
}

impl BotThreads {
    pub(crate) fn new(threads: BackgroundThreads) -> BotThreads {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        BotThreads::with_limits(threads, cores + SPARE_BOTS, cores.div_ceil(2))
    }

    fn with_limits(threads: BackgroundThreads, running: usize, running_each: usize) -> BotThreads {
        let limits = QueueLimits { running, running_each, waiting: usize::MAX, waiting_each: usize::MAX };
        BotThreads { queue: FairQueue::new("bots", limits), threads }
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
        question: BotQuestion,
        threads: BotThreads,
    ) -> (Option<BotPlayer>, Option<SessionEntry>) {
        let BotPlayer(mut bot) = self;
        let BotQuestion { mut playing, seat, owner, is_slow } = question;
        if matches!(bot, Mind::Random(_)) && !is_slow {
            playing.interrupt_reads(Some(match_pool::is_time_up_for_reads));
            let chosen = match_pool::within_slice(|| choose_entry(&mut bot, &playing, seat));
            if let Limited { outcome, is_wrong: false, .. } = chosen {
                return (Some(BotPlayer(bot)), outcome);
            }
        }
        playing.interrupt_reads(None);
        let Ok(permit) = threads.queue.acquire(&owner).await else { return (None, None) };
        let thinking = threads.threads.run(move || {
            let entry = choose_entry(&mut bot, &playing, seat);
            drop(permit);
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
    use intermezzo_services::BackgroundThreads;
    use tokio::sync::mpsc;

    use super::{BotPlayer, BotQuestion, BotThreads};

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
        let threads = BotThreads::with_limits(BackgroundThreads::default(), 1, 1);
        let (told, mut answers) = mpsc::unbounded_channel();
        let sit = |name: &'static str| {
            let (threads, told) = (threads.clone(), told.clone());
            let question =
                BotQuestion { playing: match_with_prompt(), seat: Seat(0), owner: 7, is_slow: false };
            async move {
                let (bot, entry) = BotPlayer::from_name(name, 1).answer(question, threads).await;
                _ = told.send((name, bot.is_some() && entry.is_some()));
            }
        };
        // Another bot runs while this permit is held.
        let busy = threads.queue.acquire(&1).await.expect("a permit is free");
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
