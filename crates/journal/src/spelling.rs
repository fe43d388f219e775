//! One match has one spelling. Start with [`MatchFile::check_spelling`].
//!
//! [Verifying](MatchFile::verify) looks at what a file says. The same can be said in many ways: with more spaces, with
//! another order of fields, with `\u0061` for `a`. None of them is how a match file is written, so that a file in
//! which any byte was changed is found even if its meaning stayed the same.

use std::fmt;

use crate::file::MatchFile;

/// How much of a line is shown.
const SHOWN: usize = 60;

/// Where a file is not written as match files are, although it says nothing wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misspelt {
    /// Line, from 1.
    pub line: usize,
    /// Byte in the line, from 1.
    pub column: usize,
    /// How that line goes on from there in a match file; nothing if the file should have ended.
    pub rightly: String,
}

impl fmt::Display for Misspelt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misspelt { line, column, rightly } = self;
        write!(
            f,
            "line {line}, column {column}: the file says the same as the match, but was written over: "
        )?;
        match rightly.as_str() {
            "" => f.write_str("nothing more belongs here"),
            "\n" => f.write_str("the line ends here"),
            rightly => write!(f, "here belongs `{rightly}`"),
        }
    }
}

impl std::error::Error for Misspelt {}

impl MatchFile {
    /// Checks that `bytes`, from which this was read, are how the match is [written](MatchFile::to_text).
    ///
    /// # Errors
    ///
    /// The first byte that is another.
    pub fn check_spelling(&self, bytes: &[u8]) -> Result<(), Misspelt> {
        let text = self.to_text();
        let rightly = text.as_bytes();
        if bytes == rightly {
            return Ok(());
        }
        let same = bytes.iter().zip(rightly).take_while(|(one, other)| one == other).count();
        // Not in the middle of a letter.
        let at = (0..=same).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let rest = text[at..].lines().next().unwrap_or_default();
        let rest = match rest {
            "" if at < text.len() => "\n".to_owned(),
            rest => rest.chars().take(SHOWN).collect(),
        };
        let line = before.matches('\n').count() + 1;
        Err(Misspelt { line, column: at - line_start + 1, rightly: rest })
    }
}
