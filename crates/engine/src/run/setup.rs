//! The setup of a match (seats, options, seed) and the board built from it.

use std::fmt;
use std::sync::Arc;

use intermezzo_program::{KindId, NULL, Program, Seat, Type, Word, native, word};

use crate::ask::input::RuleFault;
use crate::run::chance::{DiceScript, Seed};
use crate::run::evaluator::Evaluator;
use crate::storage::board::{Board, NOBODY};
use crate::storage::fold::LogFold;
use crate::values::datum::{self, Datum, ShortText};

/// The setup of a match.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Number of seats.
    pub seats: u8,
    /// Options that differ from the ruleset's defaults.
    pub options: Vec<(ShortText, Datum)>,
    /// The source of all randomness.
    pub seed: Seed,
    /// Dice fixed in advance.
    pub script: Option<DiceScript>,
}

/// The reason a match cannot start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartError {
    /// The program is invalid.
    BadProgram { problem: &'static str },
    /// The ruleset does not allow this number of seats.
    WrongSeats { min: u8, max: u8, got: u8 },
    /// The ruleset has no such option.
    NoSuchOption { name: String },
    /// An option's value has the wrong type.
    WrongOption {
        name: String,
        /// Description of the expected type.
        expected: String,
    },
    /// An option's value is too small or too large.
    OptionOutOfRange { name: String, min: Option<i64>, max: Option<i64> },
    /// The entry fee, the pot or a time limit is negative.
    BadTerms {
        /// One of `entry`, `pot`, `bank`, `increment` and `grace`.
        name: &'static str,
    },
    /// A rule failed before the first wait.
    Fault(RuleFault),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::BadProgram { problem } => write!(f, "the program cannot be run: {problem}"),
            StartError::WrongSeats { min, max, got } => {
                write!(f, "the ruleset is for {min} to {max} seats, not {got}")
            }
            StartError::NoSuchOption { name } => write!(f, "unknown option `{name}`"),
            StartError::WrongOption { name, expected } => {
                write!(f, "option `{name}` should be {expected}")
            }
            StartError::OptionOutOfRange { name, .. } => {
                write!(f, "option `{name}` is out of range")
            }
            StartError::BadTerms { name } => write!(f, "with these options `{name}` is negative"),
            StartError::Fault(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

impl Board {
    /// Builds the board a match starts with, before any event.
    ///
    /// # Errors
    ///
    /// Returns an error if the setup does not fit the ruleset.
    pub fn new(program: &Arc<Program>, setup: &Setup) -> Result<Board, StartError> {
        new_board(&mut LogFold::new(Arc::clone(program)), setup)
    }
}

/// Builds the starting board with an existing [`LogFold`], so that its program index is reused.
pub(crate) fn new_board(log_fold: &mut LogFold, setup: &Setup) -> Result<Board, StartError> {
    let mut board = Board::bare(&log_fold.program, &log_fold.tables, setup.seats);
    fill_board(log_fold, setup, &mut board)?;
    Ok(board)
}

/// Builds the starting board in the memory of another.
pub(crate) fn reset_board(
    log_fold: &mut LogFold,
    setup: &Setup,
    board: &mut Board,
) -> Result<(), StartError> {
    board.reset(&log_fold.program, &log_fold.tables, setup.seats);
    fill_board(log_fold, setup, board)
}

fn fill_board(log_fold: &mut LogFold, setup: &Setup, board: &mut Board) -> Result<(), StartError> {
    let program = Arc::clone(&log_fold.program);
    validate(log_fold, &program, setup)?;
    let made = board.make(&program, word::MATCH, KindId::MATCH, None, NOBODY);
    made.expect("the first row of an empty board is free");
    for seat in 0..setup.seats {
        let made = board.make(&program, word::player(Seat(seat)), KindId::PLAYER, None, seat);
        made.expect("players take the rows after the first");
    }
    board.heap.allow(program.limits.heap);
    let given = read_options(&program, board, setup)?;
    let filled = log_fold.with_evaluator(board, |core| fill_properties(core, &given));
    filled.map_err(|code| log_fold.start_fault(code))
}

fn validate(log_fold: &LogFold, program: &Program, setup: &Setup) -> Result<(), StartError> {
    if let Some(problem) = log_fold.tables.problem {
        return Err(StartError::BadProgram { problem });
    }
    let (min, max) = (program.seats.min.max(1), program.seats.max.min(NOBODY - 1));
    if !(min..=max).contains(&setup.seats) {
        return Err(StartError::WrongSeats { min, max, got: setup.seats });
    }
    let columns = usize::from(program.kinds[KindId::MATCH.index()].columns);
    if program.options.len() > columns {
        return Err(StartError::BadProgram { problem: "the match has too few columns for its options" });
    }
    let is_known = |name: &str| program.options.iter().any(|option| program.symbol(option.name) == name);
    match setup.options.iter().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => Err(StartError::NoSuchOption { name: name.clone().into() }),
        None => Ok(()),
    }
}

fn read_options(
    program: &Program,
    board: &mut Board,
    setup: &Setup,
) -> Result<Vec<Option<Word>>, StartError> {
    let mut given = Vec::with_capacity(program.options.len());
    for option in &program.options {
        let name = program.symbol(option.name);
        let Some((_, value)) = setup.options.iter().rev().find(|entry| entry.0 == name) else {
            given.push(None);
            continue;
        };
        let name = name.to_owned();
        let value = datum::read(program, board, value, option.ty)
            .map_err(|wrong| StartError::WrongOption { name: name.clone(), expected: wrong.expected })?;
        if value == NULL && !option.may_be_null {
            return Err(StartError::WrongOption { name, expected: "something other than null".to_owned() });
        }
        let too_small = option.min.is_some_and(|min| value < min);
        let too_large = option.max.is_some_and(|max| value > max);
        let is_number = program.types[option.ty.index()] == Type::Int;
        if is_number && value != NULL && (too_small || too_large) {
            return Err(StartError::OptionOutOfRange { name, min: option.min, max: option.max });
        }
        given.push(Some(value));
    }
    Ok(given)
}

fn fill_properties(
    core: &mut Evaluator<'_>,
    given: &[Option<Word>],
) -> Result<(), intermezzo_program::FaultCode> {
    for (column, option) in core.program.options.iter().enumerate() {
        let value = match given.get(column).copied().flatten() {
            Some(value) => value,
            None => core.evaluate(option.default, NULL, &[])?,
        };
        core.board.set_cell(word::MATCH, column as u16, value)?;
    }
    core.initialise(word::MATCH, KindId::MATCH, None, &[])?;
    for seat in 0..core.board.seats {
        let player = word::player(Seat(seat));
        core.initialise(player, KindId::PLAYER, None, &[])?;
    }
    Ok(())
}

/// Returns true if a symbol names one of the ways to distribute a pot.
pub(crate) fn is_pot(symbol: intermezzo_program::Symbol) -> bool {
    [native::POT_WINNERS, native::POT_SPLIT, native::POT_BURN, native::POT_REFUND].contains(&symbol)
}
