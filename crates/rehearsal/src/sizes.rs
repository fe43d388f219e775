//! How much room moves and entities are given.

use std::sync::Arc;

use intermezzo_bots::{Random, at_random};
use intermezzo_engine::{Input, Log, Match, Seed, Setup, StartError};
use intermezzo_ruleset::Program;

use crate::encoding::Onlooker;
use crate::moves::Moves;

/// Matches played to find out how much room is needed.
const PROBES: u64 = 6;
/// Inputs of each.
const MAX_INPUTS: u32 = 300;
/// Room is given in steps of so many.
const ROUND: usize = 8;
/// Nobody needs more numbers than this: a move may stand for several options.
const MAX_MOVES: usize = 256;

/// How much room moves and entities are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Moves are numbers below this, at least [`Moves::MIN_WIDTH`].
    pub moves: usize,
    /// Rows for entities in sight. Those for which there is none are counted as left out.
    pub entities: usize,
}

impl Sizes {
    /// Half as much again as was needed in some matches played by chance, the same for the same ruleset, seats and
    /// options.
    ///
    /// # Errors
    ///
    /// If a match cannot begin so.
    pub fn probed(program: &Arc<Program>, setup: &Setup) -> Result<Sizes, StartError> {
        let mut needed = Sizes { moves: 0, entities: 0 };
        for seed in 0..PROBES {
            let setup = Setup { seed: Seed::from_number(seed), ..setup.clone() };
            let mut game = Match::start(Arc::clone(program), &setup, &mut Log::discard())?;
            needed.follow(&mut game, &mut Random::new(seed));
        }
        let room = |needed: usize| (needed + needed / 2).next_multiple_of(ROUND).max(ROUND);
        Ok(Sizes { moves: room(needed.moves + Moves::FIRST).min(MAX_MOVES), entities: room(needed.entities) })
    }

    /// Plays a match by chance and notes what is needed.
    fn follow(&mut self, game: &mut Match, random: &mut Random) {
        let mut onlooker = Onlooker::new(game);
        for _ in 0..MAX_INPUTS {
            let Some(pending) = game.pending().next() else { break };
            let (input, seat) = (pending.id(), pending.seat());
            self.moves = self.moves.max(pending.option_count());
            let Some(answer) = at_random(&pending, random) else { break };
            self.entities = self.entities.max(onlooker.count(game, seat));
            if game.submit(&Input::Answer { input, seat, answer }, &mut Log::discard()).is_err() {
                break;
            }
        }
    }
}
