//! The canonical form: every match has exactly one text. Start with [`MatchFile::check_canonical`].
//!
//! [`MatchFile::verify`] checks the content of a file. The same content can be written in many ways: with more
//! spaces, another order of fields, `\u0061` for `a`. Only one of them is canonical, so any changed byte is
//! detected, even if the meaning is the same.

use std::fmt;

use crate::file::MatchFile;

/// Maximum length of the excerpt in an error.
const MAX_SHOWN: usize = 60;

/// The first place where a file deviates from the canonical form of its content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotCanonical {
    pub line: usize,
    /// The byte in the line, from 1.
    pub column: usize,
    /// The canonical rest of that line; empty if the file should have ended.
    pub expected: String,
}

impl fmt::Display for NotCanonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotCanonical { line, column, expected } = self;
        write!(
            f,
            "line {line}, column {column}: the content is correct, but the file is not in canonical form: "
        )?;
        match expected.as_str() {
            "" => f.write_str("expected the end of the file"),
            "\n" => f.write_str("expected the end of the line"),
            expected => write!(f, "expected `{expected}`"),
        }
    }
}

impl std::error::Error for NotCanonical {}

impl MatchFile {
    /// Checks that `bytes`, from which this file was parsed, are its [canonical text](MatchFile::to_text).
    ///
    /// # Errors
    ///
    /// The first byte that differs.
    pub fn check_canonical(&self, bytes: &[u8]) -> Result<(), NotCanonical> {
        let text = self.to_text();
        let expected = text.as_bytes();
        if bytes == expected {
            return Ok(());
        }
        let same = bytes.iter().zip(expected).take_while(|(one, other)| one == other).count();
        // Back up to a character boundary.
        let at = (0..=same).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let rest = text[at..].lines().next().unwrap_or_default();
        let rest = match rest {
            "" if at < text.len() => "\n".to_owned(),
            rest => rest.chars().take(MAX_SHOWN).collect(),
        };
        let line = before.matches('\n').count() + 1;
        Err(NotCanonical { line, column: at - line_start + 1, expected: rest })
    }
}
