//! Why a command did not do what it was asked to, and the exit codes that say so.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use intermezzo_engine::{Fault, StartError};
use intermezzo_ruleset::Program;
pub(crate) use intermezzo_simulator::report::fault_text;

/// What `intermezzo help exit-codes` shows.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  all went well; also when a match is quit before its end
  1  problems were found: errors in a ruleset, scenarios that fail, matches that hit a limit
  2  the command line is wrong: unknown option, ruleset, seat or value
  3  something could not be read or written
  4  a match file does not verify
  5  a rule failed during play";

/// What the command tells its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    Fine,
    Problems,
    Usage,
    Unreadable,
    Untrue,
    Fault,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Fine => 0,
            Exit::Problems => 1,
            Exit::Usage => 2,
            Exit::Unreadable => 3,
            Exit::Untrue => 4,
            Exit::Fault => 5,
        })
    }
}

/// What went wrong, and what to do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Display) -> Failure {
        Failure { exit, message: message.to_string(), hint: None }
    }

    /// The command line asks for something that does not exist or makes no sense.
    pub(crate) fn usage(message: impl Display) -> Failure {
        Failure::new(Exit::Usage, message)
    }

    /// A file could not be read.
    pub(crate) fn unread(path: &Path, error: impl Display) -> Failure {
        Failure::new(Exit::Unreadable, format!("cannot read `{}`: {error}", path.display()))
    }

    /// A file could not be written.
    pub(crate) fn unwritten(path: &Path, error: impl Display) -> Failure {
        Failure::new(Exit::Unreadable, format!("cannot write `{}`: {error}", path.display()))
    }

    /// A match could not begin.
    pub(crate) fn start(program: &Program, error: &StartError) -> Failure {
        match error {
            StartError::OptionOutOfRange { name, min, max } => {
                let range = match (min, max) {
                    (Some(min), Some(max)) => format!("from {min} to {max}"),
                    (Some(min), None) => format!("at least {min}"),
                    (None, Some(max)) => format!("at most {max}"),
                    (None, None) => "another value".to_owned(),
                };
                Failure::usage(error).hint(format!("`{name}` may be {range}"))
            }
            StartError::WrongSeats { min, max, got } => {
                Failure::usage(format!("`{}` is for {}, not {got}", program.id, seats(*min, *max)))
            }
            StartError::Fault(fault) => Failure::fault(program, fault),
            StartError::BadProgram { .. } => Failure::new(Exit::Problems, error),
            _ => Failure::usage(error),
        }
    }

    /// A rule failed during play.
    pub(crate) fn fault(program: &Program, fault: &Fault) -> Failure {
        Failure::new(Exit::Fault, fault_text(program, fault))
    }

    /// Adds what to do about it.
    pub(crate) fn hint(mut self, hint: impl Display) -> Failure {
        self.hint = Some(hint.to_string());
        self
    }
}

/// How many seats there may be: `2 seats`, `2 to 4 seats`.
pub(crate) fn seats(min: u8, max: u8) -> String {
    match (min, max) {
        (1, 1) => "1 seat".to_owned(),
        (min, max) if min == max => format!("{min} seats"),
        (min, max) => format!("{min} to {max} seats"),
    }
}
