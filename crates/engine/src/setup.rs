//! What a match begins with: seats, options, chance; and the board made of them.

use std::fmt;
use std::sync::Arc;

use intermezzo_ruleset::{KindId, NULL, Program, Seat, Type, Word, native, word};

use crate::board::{Board, NOBODY};
use crate::chance::{Script, Seed};
use crate::core::Core;
use crate::cycle::Cycle;
use crate::datum::{self, Datum, Text};
use crate::fold::Folder;
use crate::input::Fault;

/// What a match begins with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// How many seats.
    pub seats: u8,
    /// Options that differ from what the ruleset says.
    pub options: Vec<(Text, Datum)>,
    /// Where chance comes from.
    pub seed: Seed,
    /// Dice known beforehand.
    pub script: Option<Script>,
}

/// Why a match cannot begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartError {
    /// The program is no good.
    BadProgram {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Too few or too many seats.
    WrongSeats {
        /// At least.
        min: u8,
        /// At most.
        max: u8,
        /// As wanted.
        got: u8,
    },
    /// The ruleset has no such option.
    NoSuchOption {
        /// The name given.
        name: String,
    },
    /// An option's value is of the wrong type.
    WrongOption {
        /// The option.
        name: String,
        /// What was expected.
        expected: String,
    },
    /// An option's value is too small or too large.
    OptionOutOfRange {
        /// The option.
        name: String,
        /// Least value.
        min: Option<i64>,
        /// Greatest value.
        max: Option<i64>,
    },
    /// What each seat pays, what is in the pot or how much time there is would be less than nothing.
    BadTerms {
        /// Which of them: `entry`, `pot`, `bank`, `increment` or `grace`.
        name: &'static str,
    },
    /// A rule failed before the first wait.
    Fault(Fault),
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
            StartError::BadTerms { name } => write!(f, "with these options `{name}` is less than nothing"),
            StartError::Fault(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

impl Board {
    /// The board a match begins with, before anything has happened.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset.
    pub fn new(program: &Arc<Program>, setup: &Setup) -> Result<Board, StartError> {
        new_board(&mut Folder::new(Arc::clone(program)), setup)
    }
}

/// The same with a folder at hand.
pub(crate) fn new_board(folder: &mut Folder, setup: &Setup) -> Result<Board, StartError> {
    let program = Arc::clone(&folder.program);
    check(folder, &program, setup)?;
    let mut board = Board::bare(&program, &folder.tables, setup.seats);
    let made = board.make(&program, word::MATCH, KindId::MATCH, None, NOBODY);
    made.expect("the first row of an empty board is free");
    for seat in 0..setup.seats {
        let made = board.make(&program, word::player(Seat(seat)), KindId::PLAYER, None, seat);
        made.expect("players take the rows after the first");
    }
    board.heap.allow(program.limits.heap);
    let given = read_options(&program, &mut board, setup)?;
    let failed = |code| {
        let routine = program.setup.or(program.flow).unwrap_or(crate::agenda::NO_ROUTINE);
        StartError::Fault(Fault { code, place: None, routine, cycle: Cycle::default() })
    };
    folder.with_core(&mut board, |core| fill(core, &given)).map_err(failed)?;
    Ok(board)
}

fn check(folder: &Folder, program: &Program, setup: &Setup) -> Result<(), StartError> {
    if let Some(problem) = folder.tables.problem {
        return Err(StartError::BadProgram { problem });
    }
    let (min, max) = (program.seats.min.max(1), program.seats.max.min(NOBODY - 1));
    if !(min..=max).contains(&setup.seats) {
        return Err(StartError::WrongSeats { min, max, got: setup.seats });
    }
    let columns = usize::from(program.kinds[KindId::MATCH.index()].columns);
    if program.options.len() > columns {
        return Err(StartError::BadProgram { problem: "the match has no room for its options" });
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

fn fill(core: &mut Core<'_>, given: &[Option<Word>]) -> Result<(), intermezzo_ruleset::FaultCode> {
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

/// Whether a symbol is one of the things that can be done with a pot.
pub(crate) fn is_pot(symbol: intermezzo_ruleset::Symbol) -> bool {
    [native::POT_WINNERS, native::POT_SPLIT, native::POT_BURN, native::POT_REFUND].contains(&symbol)
}
