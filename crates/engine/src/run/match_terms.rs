//! The terms of a match: entry fee, pot, time control and teams, fixed before it starts.
//!
//! The engine neither pays nor waits. It computes what the ruleset says for these options and seats; the host
//! enforces it.

use std::sync::Arc;

use intermezzo_program::{NULL, Program, RoutineId, Seat, Word, word};

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
    /// Team of each seat, numbered by their first seats; `None` if the ruleset has no teams.
    pub teams: Option<Vec<u8>>,
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
        let teams = match program.teams {
            Some(rules) => Some(compute_teams(&mut log_fold, &mut board, rules.lists)?),
            None => None,
        };
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
        let Some(clock) = program.clock else {
            return Ok(MatchTerms { stake, time: TimeLimits::default(), teams });
        };
        let time = TimeLimits {
            bank_ms: number("bank", clock.bank)?,
            increment_ms: number("increment", clock.increment)?.unwrap_or(0),
            grace_ms: number("grace", clock.grace)?,
        };
        Ok(MatchTerms { stake, time, teams })
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

/// Computes the team of each seat. A seat in no list is a team of its own; in several, it is in the first.
fn compute_teams(log_fold: &mut LogFold, board: &mut Board, lists: RoutineId) -> Result<Vec<u8>, StartError> {
    let lists = log_fold.with_evaluator(board, |core| core.evaluate(lists, NULL, &[]));
    let lists = lists.map_err(|code| log_fold.start_fault(code))?;
    let lists = board.heap.list(lists).unwrap_or(&[]);
    let list_of = |seat: u8| {
        let has_seat = |list: &&Word| board.heap.list(**list).unwrap_or(&[]).contains(&Word::from(seat));
        lists.iter().position(|list| has_seat(&list))
    };
    let teammate =
        |seat: u8| (0..seat).find(|other| list_of(seat).is_some() && list_of(*other) == list_of(seat));
    Ok(number_teams(board.seats, teammate))
}

/// Numbers teams by their first seats. `teammate` returns an earlier seat of the same team.
fn number_teams(seats: u8, teammate: impl Fn(u8) -> Option<u8>) -> Vec<u8> {
    let mut teams: Vec<u8> = Vec::new();
    for seat in 0..seats {
        let known = teammate(seat).and_then(|other| teams.get(usize::from(other)).copied());
        let next = teams.iter().max().map_or(0, |last| last + 1);
        teams.push(known.unwrap_or(next));
    }
    teams
}

impl Match {
    /// Returns the team of each seat, numbered by their first seats; `None` if the ruleset has no teams.
    #[must_use]
    pub fn teams(&self) -> Option<Vec<u8>> {
        let column = self.program.props.get(self.program.teams?.prop.index())?.column;
        let team =
            |seat: u8| self.board.column(word::player(Seat(seat)), column).filter(|team| *team != NULL);
        let teammate = |seat: u8| (0..seat).find(|other| team(seat).is_some() && team(*other) == team(seat));
        Some(number_teams(self.board.seats, teammate))
    }

    /// Returns true if players have a time bank for the whole match.
    pub(crate) fn has_time_bank(&self) -> bool {
        let bank = self.program.clock.and_then(|clock| clock.bank).unwrap_or(NO_ROUTINE);
        let time: Option<Word> = self.evaluate(bank, &[]).ok().map(|(time, _)| time);
        time.is_some_and(|time| time != NULL)
    }
}
