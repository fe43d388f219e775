//! Lines from standard input, typed or piped.

use std::io::{self, BufRead, IsTerminal, Read};

use crate::out::Out;

/// Maximum bytes per line. Longer lines are split.
const MAX_LINE_BYTES: u64 = 4096;

pub(crate) struct Keyboard {
    stdin: io::StdinLock<'static>,
    is_terminal: bool,
}

impl Keyboard {
    pub(crate) fn new() -> Keyboard {
        let is_terminal = io::stdin().is_terminal();
        Keyboard { stdin: io::stdin().lock(), is_terminal }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Prints a prompt and waits for a line. Returns `None` at the end of the input.
    pub(crate) fn ask(&mut self, out: &mut Out, prompt: &str) -> Option<String> {
        out.text(prompt);
        out.flush();
        let mut bytes = Vec::new();
        let read = self.stdin.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes);
        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
        let is_end = !matches!(read, Ok(1..));
        // A terminal echoes what is typed; a pipe does not.
        if is_end || !self.is_terminal {
            out.line(if is_end { "" } else { &line });
        }
        (!is_end).then_some(line)
    }
}
