//! Output to the terminal. Colours are used only there. A closed pipe ends the output, not the program.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

use crate::failure::{CliError, ExitStatus};

/// Style of titles.
pub(crate) const HEAD: Style = Style::new().bold();
/// Style of success messages.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Style of errors.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Style of secondary text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Style of keys and commands the user can type.
pub(crate) const KEY: Style = AnsiColor::Cyan.on_default().bold();

/// Writes a line: `say!(out, "{count} events")`.
macro_rules! say {
    ($out:expr) => { $out.line("") };
    ($out:expr, $($arg:tt)*) => { $out.line(format_args!($($arg)*)) };
}
pub(crate) use say;

/// Number of blank lines that scroll everything off a screen that cannot be cleared.
const BLANK_LINES: usize = 200;

/// Standard output and standard error of the command.
pub(crate) struct Out {
    stdout: anstream::Stdout,
    stderr: anstream::Stderr,
    /// First write error. Later output is dropped.
    failed: Option<io::Error>,
}

impl Out {
    pub(crate) fn new() -> Out {
        Out { stdout: anstream::stdout(), stderr: anstream::stderr(), failed: None }
    }

    /// Writes a line to standard output.
    pub(crate) fn line(&mut self, text: impl Display) {
        self.write(format_args!("{text}\n"));
    }

    /// Writes to standard output.
    pub(crate) fn text(&mut self, text: impl Display) {
        self.write(format_args!("{text}"));
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        if self.failed.is_none() {
            self.failed = self.stdout.write_fmt(text).err();
        }
    }

    pub(crate) fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.stdout.flush().err();
        }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Clears the screen and its scrollback. Prints a separator line if standard output is not a terminal.
    pub(crate) fn clear(&mut self) {
        if !self.is_terminal() {
            return self.line("=".repeat(60));
        }
        self.flush();
        let can_clear = std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        // Bypass the stream that strips escape codes: clearing hides another player's secrets and must not
        // be suppressed with the colours.
        let cleared = match can_clear {
            true => io::stdout().write_all(b"\x1b[2J\x1b[3J\x1b[H"),
            false => io::stdout().write_all("\n".repeat(BLANK_LINES).as_bytes()),
        };
        self.failed = self.failed.take().or(cleared.err());
    }

    /// Writes a line to standard error. A failure to do so is ignored.
    pub(crate) fn note(&mut self, text: impl Display) {
        self.flush();
        let _ = writeln!(self.stderr, "{text}");
    }

    /// Prints an error with its hint.
    pub(crate) fn failure(&mut self, failure: &CliError) {
        self.note(format_args!("{BAD}error{BAD:#}: {}", failure.message));
        if let Some(hint) = &failure.hint {
            self.note(format_args!("  {KEY}help{KEY:#}: {hint}"));
        }
    }

    /// Flushes and reports the first write error. A closed pipe is not an error.
    pub(crate) fn finish(&mut self) -> Result<(), CliError> {
        self.flush();
        match self.failed.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(CliError::new(ExitStatus::Io, format!("cannot write the output: {error}")))
            }
            _ => Ok(()),
        }
    }
}

/// Formats a number with its noun: `1 event`, `2 events`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
