//! Bots: programs that play.
//!
//! * [`random_answer`] picks a legal answer at random.
//! * [`Greedy`] looks one step ahead. It tries every answer and takes the one with the best evaluation, as
//!   declared by the ruleset.
//! * [`Searcher`] plays on from its best answers (playouts) and takes the one with the best results. Small matches with
//!   hidden information it solves.
//!
//! Bots look ahead on [determinized copies](intermezzo_engine::Determinizer) of the match, in which
//! everything hidden from them is drawn at random. No bot knows more than a player at its seat.
//!
//! A [`Bot`] is any of them, chosen by [`BotKind`]:
//!
//! ```
//! use intermezzo_bots::{Bot, BotKind};
//! use intermezzo_engine::{EventLog, Input, Match, Seed, Setup};
//! use std::sync::Arc;
//!
//! let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rulesets/orcain");
//! let ruleset = intermezzo_compiler::Ruleset::load(folder.as_ref())?;
//! let program = Arc::new(ruleset.compile().program.expect("the ruleset has no errors"));
//! let setup = Setup { seats: 2, options: vec![], seed: Seed::from_number(7), script: None };
//! let mut log = EventLog::discard();
//! let mut game = Match::start(program, &setup, &mut log)?;
//! let mut bots = [Bot::new(BotKind::Greedy, 1), Bot::new("mcts:20".parse::<BotKind>()?, 2)];
//! loop {
//!     let Some(question) = game.pending().next() else { break };
//!     let (input, seat) = (question.id(), question.seat());
//!     let bot = &mut bots[seat.index()];
//!     let answer = bot.answer(&game, input, &mut |_| false).expect("a legal answer exists");
//!     game.submit(&Input::Answer { input, seat, answer }, &mut log)?;
//! }
//! assert!(game.is_over());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bot;
mod candidates;
mod equilibrium;
mod evaluation;
mod game_tree;
mod greedy;
mod lookahead;
mod playout_score;
mod policy;
mod race;
mod random;
mod rollout_policy;
mod search;

pub use bot::{Bot, BotKind, Budget, NoSuchBot};
pub use greedy::Greedy;
pub use policy::random_answer;
pub use random::Random;
pub use search::Searcher;
