//! What is agreed before a match begins: what it costs, what is in it, and how much time there is.
//!
//! The engine neither pays nor waits. It computes what the ruleset says for these options and seats, and leaves the
//! rest to its host.

use std::sync::Arc;

use intermezzo_ruleset::{NULL, Program, RoutineId, Word};

use crate::agenda::NO_ROUTINE;
use crate::board::Board;
use crate::cycle::Cycle;
use crate::fold::Folder;
use crate::input::Fault;
use crate::play::Match;
use crate::setup::{Setup, StartError, new_board};

/// What is agreed before a match begins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Terms {
    /// What is played for, if for anything.
    pub stake: Option<Stake>,
    /// How much time there is besides the deadlines of questions.
    pub time: Time,
}

/// What a match is played for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stake {
    /// Name of what is staked.
    pub currency: String,
    /// What each seat pays.
    pub entry: u64,
    /// What is in the pot.
    pub pot: u64,
}

/// How much time there is besides the deadlines of questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Time {
    /// What each seat has for the whole match; nothing for no end.
    pub bank_ms: Option<u64>,
    /// What is added to it with each answer.
    pub increment_ms: u64,
    /// How long a connection may be lost before the seat counts as gone; nothing for ever.
    pub grace_ms: Option<u64>,
}

impl Terms {
    /// The terms of a match that would begin with `setup`. Nothing begins.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset, a rule fails, or something would be less than nothing.
    pub fn of(program: &Arc<Program>, setup: &Setup) -> Result<Terms, StartError> {
        let mut folder = Folder::new(Arc::clone(program));
        let mut board = new_board(&mut folder, setup)?;
        let mut number = |name, routine: Option<RoutineId>| match routine {
            Some(routine) => computed(&mut folder, &mut board, name, routine),
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
        let Some(clock) = program.clock else { return Ok(Terms { stake, time: Time::default() }) };
        let time = Time {
            bank_ms: number("bank", clock.bank)?,
            increment_ms: number("increment", clock.increment)?.unwrap_or(0),
            grace_ms: number("grace", clock.grace)?,
        };
        Ok(Terms { stake, time })
    }
}

fn computed(
    folder: &mut Folder,
    board: &mut Board,
    name: &'static str,
    routine: RoutineId,
) -> Result<Option<u64>, StartError> {
    let value = folder.with_core(board, |core| core.evaluate(routine, NULL, &[]));
    let failed = |code| StartError::Fault(Fault { code, place: None, routine, cycle: Cycle::default() });
    match value.map_err(failed)? {
        NULL => Ok(None),
        number => u64::try_from(number).map(Some).map_err(|_| StartError::BadTerms { name }),
    }
}

impl Match {
    /// Whether players have time for the whole match that may be used up.
    pub(crate) fn has_bank(&self) -> bool {
        let bank = self.program.clock.and_then(|clock| clock.bank).unwrap_or(NO_ROUTINE);
        let time: Option<Word> = self.evaluate(bank, &[]).ok().map(|(time, _)| time);
        time.is_some_and(|time| time != NULL)
    }
}
