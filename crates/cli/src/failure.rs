//! Errors of commands, and the exit codes they cause.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use intermezzo_engine::{RuleFault, StartError};
use intermezzo_program::Program;
pub(crate) use intermezzo_simulator::report::fault_text;

/// Text of `intermezzo exit-codes` and of `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  success; also when a match is quit before its end
  1  problems were found: errors in a ruleset, failing scenarios, matches that hit a limit
  2  wrong command line: unknown flag, ruleset, seat or value
  3  something could not be read or written
  4  a match file does not verify
  5  a rule failed during play";

/// Exit code of the command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExitStatus {
    Success,
    Problems,
    Usage,
    Io,
    Unverified,
    Fault,
}

impl From<ExitStatus> for ExitCode {
    fn from(exit: ExitStatus) -> ExitCode {
        ExitCode::from(match exit {
            ExitStatus::Success => 0,
            ExitStatus::Problems => 1,
            ExitStatus::Usage => 2,
            ExitStatus::Io => 3,
            ExitStatus::Unverified => 4,
            ExitStatus::Fault => 5,
        })
    }
}

/// Error message with its exit code and an optional hint.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) exit: ExitStatus,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl CliError {
    pub(crate) fn new(exit: ExitStatus, message: impl Display) -> CliError {
        CliError { exit, message: message.to_string(), hint: None }
    }

    /// Creates an error about the command line.
    pub(crate) fn usage(message: impl Display) -> CliError {
        CliError::new(ExitStatus::Usage, message)
    }

    /// Creates an error about a file that could not be read.
    pub(crate) fn cannot_read(path: &Path, error: impl Display) -> CliError {
        CliError::new(ExitStatus::Io, format!("cannot read `{}`: {error}", path.display()))
    }

    /// Creates an error about a file that could not be written.
    pub(crate) fn cannot_write(path: &Path, error: impl Display) -> CliError {
        CliError::new(ExitStatus::Io, format!("cannot write `{}`: {error}", path.display()))
    }

    /// Creates an error about a match that could not start.
    pub(crate) fn start(program: &Program, error: &StartError) -> CliError {
        match error {
            StartError::OptionOutOfRange { name, min, max } => {
                let range = match (min, max) {
                    (Some(min), Some(max)) => format!("from {min} to {max}"),
                    (Some(min), None) => format!("at least {min}"),
                    (None, Some(max)) => format!("at most {max}"),
                    (None, None) => "a different value".to_owned(),
                };
                CliError::usage(error).hint(format!("`{name}` must be {range}"))
            }
            StartError::WrongSeats { min, max, got } => {
                CliError::usage(format!("`{}` is for {}, not {got}", program.id, seats(*min, *max)))
            }
            StartError::Fault(fault) => CliError::fault(program, fault),
            StartError::BadProgram { .. } => CliError::new(ExitStatus::Problems, error),
            _ => CliError::usage(error),
        }
    }

    /// Creates an error about a rule that failed during play.
    pub(crate) fn fault(program: &Program, fault: &RuleFault) -> CliError {
        CliError::new(ExitStatus::Fault, fault_text(program, fault))
    }

    /// Adds a hint on how to fix the problem.
    pub(crate) fn hint(mut self, hint: impl Display) -> CliError {
        self.hint = Some(hint.to_string());
        self
    }
}

/// Describes the allowed number of seats: `2 seats`, `2 to 4 seats`.
pub(crate) fn seats(min: u8, max: u8) -> String {
    match (min, max) {
        (1, 1) => "1 seat".to_owned(),
        (min, max) if min == max => format!("{min} seats"),
        (min, max) => format!("{min} to {max} seats"),
    }
}
