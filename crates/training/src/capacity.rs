//! Sizes of an encoding: room for moves and entities.

use std::sync::Arc;

use intermezzo_bots::{Random, random_answer};
use intermezzo_engine::{EventLog, Input, Match, Seed, Setup, StartError};
use intermezzo_program::Program;

use crate::moves::Moves;
use crate::observation::SeatObserver;

/// Number of matches played to measure the sizes.
const PROBES: u64 = 6;
/// Maximum number of inputs of each.
const MAX_INPUTS: u32 = 300;
/// Sizes are multiples of this number.
const ROUND: usize = 8;
/// Maximum number of moves. A move may stand for several options, so more are never needed.
const MAX_MOVES: usize = 256;

/// Sizes of an encoding: room for moves and entities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EncodingSizes {
    /// Moves are numbers below this, at least [`Moves::MIN_WIDTH`].
    pub moves: usize,
    /// Rows for visible entities. Entities without a row are counted as left out.
    pub entities: usize,
}

impl EncodingSizes {
    /// Measures the sizes in some random matches and adds half. The result is the same for the same
    /// ruleset, seats and options.
    ///
    /// # Errors
    ///
    /// Returns an error if a match cannot start.
    pub fn probed(program: &Arc<Program>, setup: &Setup) -> Result<EncodingSizes, StartError> {
        let mut needed = EncodingSizes { moves: 0, entities: 0 };
        for seed in 0..PROBES {
            let setup = Setup { seed: Seed::from_number(seed), ..setup.clone() };
            let mut game = Match::start(Arc::clone(program), &setup, &mut EventLog::discard())?;
            needed.follow(&mut game, &mut Random::new(seed));
        }
        let room = |needed: usize| (needed + needed / 2).next_multiple_of(ROUND).max(ROUND);
        Ok(EncodingSizes {
            moves: room(needed.moves + Moves::FIRST).min(MAX_MOVES),
            entities: room(needed.entities),
        })
    }

    /// Plays a random match and records the needed sizes.
    fn follow(&mut self, game: &mut Match, random: &mut Random) {
        let mut observer = SeatObserver::new(game);
        for _ in 0..MAX_INPUTS {
            let Some(pending) = game.pending().next() else { break };
            let (input, seat) = (pending.id(), pending.seat());
            self.moves = self.moves.max(pending.option_count());
            let Some(answer) = random_answer(&pending, random) else { break };
            self.entities = self.entities.max(observer.count(game, seat));
            if game.submit(&Input::Answer { input, seat, answer }, &mut EventLog::discard()).is_err() {
                break;
            }
        }
    }
}
