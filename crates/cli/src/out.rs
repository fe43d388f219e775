//! The way to the terminal. Colours appear only there; a closed pipe ends the output, not the program.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

use crate::failure::{Exit, Failure};

/// For titles.
pub(crate) const HEAD: Style = Style::new().bold();
/// For what went well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// For what did not.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// For what may be overlooked.
pub(crate) const DIM: Style = Style::new().dimmed();
/// For what can be typed.
pub(crate) const KEY: Style = AnsiColor::Cyan.on_default().bold();

/// Writes a line: `say!(out, "{count} events")`.
macro_rules! say {
    ($out:expr) => { $out.line("") };
    ($out:expr, $($arg:tt)*) => { $out.line(format_args!($($arg)*)) };
}
pub(crate) use say;

/// What pushes everything off a screen that cannot be emptied.
const BLANK_LINES: usize = 200;

/// Standard output and standard error.
pub(crate) struct Out {
    stdout: anstream::Stdout,
    stderr: anstream::Stderr,
    /// The first thing that could not be written.
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

    /// Shows what was written so far.
    pub(crate) fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.stdout.flush().err();
        }
    }

    /// Whether people read along.
    pub(crate) fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Empties the screen and what can be scrolled back to; a line where there is no screen.
    pub(crate) fn clear(&mut self) {
        if !self.is_terminal() {
            return self.line("=".repeat(60));
        }
        self.flush();
        let can_clear = std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        // Past the stream that takes colours out: this hides secrets, and is no decoration.
        let cleared = match can_clear {
            true => io::stdout().write_all(b"\x1b[2J\x1b[3J\x1b[H"),
            false => io::stdout().write_all("\n".repeat(BLANK_LINES).as_bytes()),
        };
        self.failed = self.failed.take().or(cleared.err());
    }

    /// Writes a line to standard error, where there is nothing to be done about failing.
    pub(crate) fn note(&mut self, text: impl Display) {
        self.flush();
        let _ = writeln!(self.stderr, "{text}");
    }

    /// Tells what went wrong.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        self.note(format_args!("{BAD}error{BAD:#}: {}", failure.message));
        if let Some(hint) = &failure.hint {
            self.note(format_args!("  {KEY}help{KEY:#}: {hint}"));
        }
    }

    /// Writes what is left. Nobody misses what went into a closed pipe.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        self.flush();
        match self.failed.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::new(Exit::Unreadable, format!("cannot write the output: {error}")))
            }
            _ => Ok(()),
        }
    }
}

/// A number with its noun: `1 event`, `2 events`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
