//! Lines that are typed, or come from a file.

use std::io::{self, BufRead, IsTerminal, Read};

use crate::out::Out;

/// Longer lines are taken in pieces.
const MAX_LINE_BYTES: u64 = 4096;

/// Standard input, line by line.
pub(crate) struct Keyboard {
    stdin: io::StdinLock<'static>,
    is_terminal: bool,
}

impl Keyboard {
    pub(crate) fn new() -> Keyboard {
        let is_terminal = io::stdin().is_terminal();
        Keyboard { stdin: io::stdin().lock(), is_terminal }
    }

    /// Whether someone types, as opposed to a file that is read.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Asks and waits for a line; nothing at the end of the input.
    pub(crate) fn ask(&mut self, out: &mut Out, prompt: &str) -> Option<String> {
        out.text(prompt);
        out.flush();
        let mut bytes = Vec::new();
        let read = self.stdin.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes);
        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
        let is_end = !matches!(read, Ok(1..));
        // What is typed appears by itself; what is read does not.
        if is_end || !self.is_terminal {
            out.line(if is_end { "" } else { &line });
        }
        (!is_end).then_some(line)
    }
}
