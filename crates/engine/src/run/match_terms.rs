//! The terms of a match: entry fee, pot and time control, fixed before it starts.
//!
//! The engine neither pays nor waits. It computes what the ruleset says for these options and seats; the host
//! enforces it.

use std::sync::Arc;

use intermezzo_program::{NULL, Program, RoutineId, Word};

use crate::run::frames::NO_ROUTINE;
use crate::run::match_instance::Match;
use crate::run::setup::{Setup, StartError, new_board};
use crate::storage::board::Board;
use crate::storage::fold::LogFold;

/// The terms of a match, fixed before it starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatchTerms {
    /// The stake, if the match is played for one.
    pub stake: Option<Stake>,
    /// Time limits besides the deadlines of single questions.
    pub time: TimeLimits,
}

/// The stake of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stake {
    /// Name of the currency.
    pub currency: String,
    /// Amount each seat pays.
    pub entry: u64,
    /// Amount in the pot.
    pub pot: u64,
}

/// Time limits of a match besides the deadlines of single questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeLimits {
    /// Time each seat has for the whole match; `None` for unlimited.
    pub bank_ms: Option<u64>,
    /// Time added with each answer.
    pub increment_ms: u64,
    /// Time a seat may stay disconnected before it counts as gone; `None` for unlimited.
    pub grace_ms: Option<u64>,
}

impl MatchTerms {
    /// Computes the terms of a match that would start with `setup`, without starting it.
    ///
    /// # Errors
    ///
    /// Returns an error if the setup does not fit the ruleset, a rule fails, or a term is negative.
    pub fn of(program: &Arc<Program>, setup: &Setup) -> Result<MatchTerms, StartError> {
        let mut log_fold = LogFold::new(Arc::clone(program));
        let mut board = new_board(&mut log_fold, setup)?;
        let mut number = |name, routine: Option<RoutineId>| match routine {
            Some(routine) => compute_term(&mut log_fold, &mut board, name, routine),
            None => Ok(None),
        };
        let stake = match &program.stakes {
            None => None,
            Some(stakes) => Some(Stake {
                currency: stakes.currency.clone(),
                entry: number("entry", Some(stakes.entry))?.unwrap_or(0),
                pot: number("pot", Some(stakes.pot))?.unwrap_or(0),
            }),
        };
        let Some(clock) = program.clock else { return Ok(MatchTerms { stake, time: TimeLimits::default() }) };
        let time = TimeLimits {
            bank_ms: number("bank", clock.bank)?,
            increment_ms: number("increment", clock.increment)?.unwrap_or(0),
            grace_ms: number("grace", clock.grace)?,
        };
        Ok(MatchTerms { stake, time })
    }
}

fn compute_term(
    log_fold: &mut LogFold,
    board: &mut Board,
    name: &'static str,
    routine: RoutineId,
) -> Result<Option<u64>, StartError> {
    let value = log_fold.with_evaluator(board, |core| core.evaluate(routine, NULL, &[]));
    match value.map_err(|code| log_fold.start_fault(code))? {
        NULL => Ok(None),
        number => u64::try_from(number).map(Some).map_err(|_| StartError::BadTerms { name }),
    }
}

impl Match {
    /// Returns true if players have a time bank for the whole match.
    pub(crate) fn has_time_bank(&self) -> bool {
        let bank = self.program.clock.and_then(|clock| clock.bank).unwrap_or(NO_ROUTINE);
        let time: Option<Word> = self.evaluate(bank, &[]).ok().map(|(time, _)| time);
        time.is_some_and(|time| time != NULL)
    }
}
