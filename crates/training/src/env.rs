//! Environment: one match played by moves.
//!
//! The seat to move is the first one, in seat order, with an open question. If several seats are asked at once,
//! each answers without knowing the answers of those before it.

use intermezzo_engine::{Answer, Ending, EventLog, Input, InputId, Match, Refusal, Setup, StartError};
use intermezzo_program::Seat;

use crate::bot::EnvBot;
use crate::moves::{MoveError, MoveResult, Moves, PartialAnswer};
use crate::observation::{Encoding, SeatObserver};

/// Environment: one match played by moves.
#[derive(Clone, Debug)]
pub struct Env {
    game: Match,
    partial: PartialAnswer,
    /// Bots by seat.
    bots: Vec<Option<EnvBot>>,
    observer: SeatObserver,
    moves_made: u32,
    width: usize,
}

/// Error of an environment.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EnvError {
    /// The move is not legal now.
    #[error("action {number} is not legal now")]
    Illegal {
        /// Number of the move.
        number: usize,
    },
    /// No seat is to move.
    #[error("no seat is to move")]
    NobodyToMove,
    /// A seat is asked a question without a legal answer.
    #[error("seat {} is asked but has no legal answer", .seat.0)]
    NoAnswer {
        /// Asked seat.
        seat: Seat,
    },
    /// The legal moves are unknown.
    #[error(transparent)]
    MoveError(MoveError),
    /// A legal answer was refused because a rule failed.
    #[error(transparent)]
    Refused(Refusal),
    /// The match could not start.
    #[error(transparent)]
    Start(StartError),
}

impl Env {
    /// Creates an environment for a started match, with moves below `width`. Some seats may be played by
    /// bots.
    ///
    /// # Errors
    ///
    /// Returns an error if a bot cannot answer or a rule fails before another seat is to move.
    pub fn new(game: Match, bots: Vec<Option<EnvBot>>, width: usize) -> Result<Env, EnvError> {
        let observer = SeatObserver::new(&game);
        let mut env = Env { game, partial: PartialAnswer::default(), bots, observer, moves_made: 0, width };
        env.play_bots()?;
        Ok(env)
    }

    /// Starts another match of the ruleset in place of this one.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot start.
    pub fn restart(&mut self, setup: &Setup, bot_seed: u64) -> Result<(), EnvError> {
        self.game.restart(setup, &mut EventLog::discard()).map_err(EnvError::Start)?;
        self.partial = PartialAnswer::default();
        self.moves_made = 0;
        for (seat, bot) in self.bots.iter_mut().enumerate() {
            bot.iter_mut().for_each(|bot| bot.reseed(bot_seed.wrapping_add(seat as u64)));
        }
        self.play_bots()
    }

    /// Returns the match.
    #[must_use]
    pub fn game(&self) -> &Match {
        &self.game
    }

    /// Returns the number of moves made.
    #[must_use]
    pub fn moves_made(&self) -> u32 {
        self.moves_made
    }

    /// Returns the seat to move; `None` if the match is over.
    #[must_use]
    pub fn to_move(&self) -> Option<Seat> {
        self.game.pending().next().map(|pending| pending.seat())
    }

    /// Returns the moves of the seat to move.
    fn moves(&self) -> Result<Option<Moves<'_>>, MoveError> {
        let pending = self.game.pending().next();
        pending.map(|pending| Moves::new(&self.game, pending, &self.partial, self.width)).transpose()
    }

    /// Makes a move of the seat to move, and all forced moves after it.
    ///
    /// # Errors
    ///
    /// Returns an error if the move is not legal or a rule fails. The failed move has no effect.
    pub fn step(&mut self, number: usize) -> Result<(), EnvError> {
        let moves = self.moves().map_err(EnvError::MoveError)?.ok_or(EnvError::NobodyToMove)?;
        let taken = moves.apply(number).ok_or(EnvError::Illegal { number })?;
        let question = (moves.pending().id(), moves.pending().seat());
        let before = std::mem::take(&mut self.partial);
        let continued = self.continue_answer(question, taken);
        let is_still_asked = || self.game.pending().next().is_some_and(|pending| pending.id() == question.0);
        match continued {
            Ok(()) => self.moves_made += 1,
            // If the answer was accepted, the error came from something after it.
            Err(_) => self.partial = if is_still_asked() { before } else { PartialAnswer::default() },
        }
        continued
    }

    fn continue_answer(&mut self, question: (InputId, Seat), mut taken: MoveResult) -> Result<(), EnvError> {
        loop {
            match taken {
                MoveResult::Answer(answer) => {
                    self.partial = PartialAnswer::default();
                    self.send(question, answer)?;
                    return self.play_bots();
                }
                MoveResult::Continue(partial) => self.partial = partial,
            }
            let Some(moves) = self.moves().map_err(EnvError::MoveError)? else { return Ok(()) };
            match moves.only_ends().then(|| moves.apply(Moves::DONE)).flatten() {
                Some(end) => taken = end,
                None => return Ok(()),
            }
        }
    }

    fn send(&mut self, (input, seat): (InputId, Seat), answer: Answer) -> Result<(), EnvError> {
        let sent = Input::Answer { input, seat, answer };
        self.game.submit(&sent, &mut EventLog::discard()).map_err(EnvError::Refused)
    }

    /// Lets bots answer until another seat is to move.
    fn play_bots(&mut self) -> Result<(), EnvError> {
        loop {
            let Some(pending) = self.game.pending().next() else { return Ok(()) };
            let seat = pending.seat();
            let Some(Some(bot)) = self.bots.get_mut(seat.index()) else { return Ok(()) };
            let answer = bot.answer(&self.game, &pending).ok_or(EnvError::NoAnswer { seat })?;
            let question = (pending.id(), seat);
            self.send(question, answer)?;
        }
    }

    /// Writes the observation of a seat, and its legal moves: none unless it is to move.
    ///
    /// # Errors
    ///
    /// Returns an error if the legal moves are unknown.
    pub fn observe(
        &mut self,
        encoding: &Encoding,
        seat: Seat,
        observation: &mut [f32],
        mask: &mut [bool],
    ) -> Result<(), EnvError> {
        let pending = self.game.pending().next().filter(|pending| pending.seat() == seat);
        let moves = pending.map(|pending| Moves::new(&self.game, pending, &self.partial, self.width));
        let moves = moves.transpose().map_err(EnvError::MoveError)?;
        mask.fill(false);
        if let Some(moves) = &moves {
            moves.write_mask(mask);
            if !mask.contains(&true) {
                return Err(EnvError::NoAnswer { seat });
            }
        }
        encoding.write(&mut self.observer, &self.game, seat, moves.as_ref(), observation);
        Ok(())
    }

    /// Returns the reward of a seat at the end of the match: its score, or, if the match ended without scores, 1 for a
    /// win, −1 for a loss and 0 for anything else.
    #[must_use]
    pub fn reward(&self, seat: Seat) -> f32 {
        match self.game.ending() {
            Some(Ending { score: Some(score), .. }) => {
                score.get(seat.index()).map_or(0.0, |score| *score as f32)
            }
            Some(ending) if ending.winners.contains(&seat) => 1.0,
            Some(ending) if ending.losers.contains(&seat) => -1.0,
            _ => 0.0,
        }
    }
}
