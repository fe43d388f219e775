//! One match played by moves.
//!
//! The seat that is to move is the first one, in seat order, that has an open question. Where several are asked at once,
//! each answers without being told what those before it have answered.

use std::fmt;

use intermezzo_engine::{Answer, Input, InputId, Log, Match, Refusal, Setup, StartError};
use intermezzo_ruleset::Seat;

use crate::bot::Bot;
use crate::encoding::{Encoding, Onlooker};
use crate::moves::{Begun, Moves, Stuck, Taken};

/// One match played by moves.
#[derive(Clone, Debug)]
pub struct Lane {
    game: Match,
    begun: Begun,
    /// By seat: who is played by a program.
    bots: Vec<Option<Bot>>,
    onlooker: Onlooker,
    made: u32,
    width: usize,
}

/// Why a match does not go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LaneError {
    /// The move cannot be made now.
    Illegal {
        /// Its number.
        number: usize,
    },
    /// Nobody is to move.
    NobodyToMove,
    /// A seat is asked something to which there is no answer.
    NoAnswer {
        /// Who is asked.
        seat: Seat,
    },
    /// Nobody can tell what may be done.
    Stuck(Stuck),
    /// A legal answer was refused: a rule failed.
    Refused(Refusal),
    /// The match could not begin.
    Start(StartError),
}

impl fmt::Display for LaneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaneError::Illegal { number } => write!(f, "action {number} is not legal now"),
            LaneError::NobodyToMove => f.write_str("nobody is to move"),
            LaneError::NoAnswer { seat } => write!(f, "seat {} is asked but has no legal answer", seat.0),
            LaneError::Stuck(stuck) => stuck.fmt(f),
            LaneError::Refused(refusal) => refusal.fmt(f),
            LaneError::Start(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LaneError {}

impl Lane {
    /// A lane for a match that has begun, with moves below `width`; some seats may be played by programs.
    ///
    /// # Errors
    ///
    /// If it does not come to where somebody else is to move.
    pub fn new(game: Match, bots: Vec<Option<Bot>>, width: usize) -> Result<Lane, LaneError> {
        let onlooker = Onlooker::new(&game);
        let mut lane = Lane { game, begun: Begun::default(), bots, onlooker, made: 0, width };
        lane.play_bots()?;
        Ok(lane)
    }

    /// Begins another match of the ruleset in place of this one.
    ///
    /// # Errors
    ///
    /// If it cannot begin.
    pub fn restart(&mut self, setup: &Setup, bot_seed: u64) -> Result<(), LaneError> {
        self.game.restart(setup, &mut Log::discard()).map_err(LaneError::Start)?;
        self.begun = Begun::default();
        self.made = 0;
        for (seat, bot) in self.bots.iter_mut().enumerate() {
            bot.iter_mut().for_each(|bot| bot.reseed(bot_seed.wrapping_add(seat as u64)));
        }
        self.play_bots()
    }

    /// The match.
    #[must_use]
    pub fn game(&self) -> &Match {
        &self.game
    }

    /// How many moves were made.
    #[must_use]
    pub fn moves_made(&self) -> u32 {
        self.made
    }

    /// The seat that is to move; nothing if the match is over.
    #[must_use]
    pub fn to_move(&self) -> Option<Seat> {
        self.game.pending().next().map(|pending| pending.seat())
    }

    /// The moves of the seat that is to move.
    fn moves(&self) -> Result<Option<Moves<'_>>, Stuck> {
        let pending = self.game.pending().next();
        pending.map(|pending| Moves::new(&self.game, pending, &self.begun, self.width)).transpose()
    }

    /// Makes a move of the seat that is to move, and all that is forced after it.
    ///
    /// # Errors
    ///
    /// If it is not legal or a rule fails: what failed has had no effect.
    pub fn make(&mut self, number: usize) -> Result<(), LaneError> {
        let moves = self.moves().map_err(LaneError::Stuck)?.ok_or(LaneError::NobodyToMove)?;
        let taken = moves.take(number).ok_or(LaneError::Illegal { number })?;
        let question = (moves.pending().id(), moves.pending().seat());
        let before = std::mem::take(&mut self.begun);
        let went_on = self.go_on(question, taken);
        let is_still_asked = || self.game.pending().next().is_some_and(|pending| pending.id() == question.0);
        match went_on {
            Ok(()) => self.made += 1,
            // If the answer was taken, what failed came after it.
            Err(_) => self.begun = if is_still_asked() { before } else { Begun::default() },
        }
        went_on
    }

    fn go_on(&mut self, question: (InputId, Seat), mut taken: Taken) -> Result<(), LaneError> {
        loop {
            match taken {
                Taken::Answer(answer) => {
                    self.begun = Begun::default();
                    self.send(question, answer)?;
                    return self.play_bots();
                }
                Taken::On(begun) => self.begun = begun,
            }
            let Some(moves) = self.moves().map_err(LaneError::Stuck)? else { return Ok(()) };
            match moves.only_ends().then(|| moves.take(Moves::DONE)).flatten() {
                Some(end) => taken = end,
                None => return Ok(()),
            }
        }
    }

    fn send(&mut self, (input, seat): (InputId, Seat), answer: Answer) -> Result<(), LaneError> {
        let sent = Input::Answer { input, seat, answer };
        self.game.submit(&sent, &mut Log::discard()).map_err(LaneError::Refused)
    }

    /// Lets programs answer until somebody else is to move.
    fn play_bots(&mut self) -> Result<(), LaneError> {
        loop {
            let Some(pending) = self.game.pending().next() else { return Ok(()) };
            let seat = pending.seat();
            let Some(Some(bot)) = self.bots.get_mut(seat.index()) else { return Ok(()) };
            let answer = bot.answer(&self.game, &pending).ok_or(LaneError::NoAnswer { seat })?;
            let question = (pending.id(), seat);
            self.send(question, answer)?;
        }
    }

    /// Writes what a seat sees, and which moves it can make: none unless it is to move.
    ///
    /// # Errors
    ///
    /// If nobody can tell what may be done.
    pub fn observe(
        &mut self,
        encoding: &Encoding,
        seat: Seat,
        observation: &mut [f32],
        mask: &mut [bool],
    ) -> Result<(), LaneError> {
        let pending = self.game.pending().next().filter(|pending| pending.seat() == seat);
        let moves = pending.map(|pending| Moves::new(&self.game, pending, &self.begun, self.width));
        let moves = moves.transpose().map_err(LaneError::Stuck)?;
        mask.fill(false);
        if let Some(moves) = &moves {
            moves.write_mask(mask);
            if !mask.contains(&true) {
                return Err(LaneError::NoAnswer { seat });
            }
        }
        encoding.write(&mut self.onlooker, &self.game, seat, moves.as_ref(), observation);
        Ok(())
    }

    /// What the end of the match is worth to a seat: 1 if it has won, −1 if it has lost, else 0.
    #[must_use]
    pub fn reward(&self, seat: Seat) -> f32 {
        match self.game.ending() {
            Some(ending) if ending.winners.contains(&seat) => 1.0,
            Some(ending) if ending.losers.contains(&seat) => -1.0,
            _ => 0.0,
        }
    }
}
