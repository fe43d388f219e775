//! Squares of a grid, named as on a chessboard: `c4` is the third column of the fourth row.

use std::fmt;

/// Square of a grid. Both coordinates count from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Square {
    pub(crate) x: i64,
    pub(crate) y: i64,
}

impl Square {
    /// Parses `c4`. Returns `None` for anything else.
    pub(crate) fn read(text: &str) -> Option<Square> {
        let text = text.to_lowercase();
        let letters = text.chars().take_while(char::is_ascii_lowercase).count();
        if !(1..=3).contains(&letters) {
            return None;
        }
        let column = text[..letters].bytes().fold(0, |x, letter| x * 26 + i64::from(letter - b'a') + 1);
        let row: i64 = text[letters..].parse().ok().filter(|row| (1..=9999).contains(row))?;
        Some(Square { x: column - 1, y: row - 1 })
    }

    /// Returns the letters of a column: a to z, then aa, ab …
    pub(crate) fn column(x: i64) -> String {
        let mut letters = Vec::new();
        let mut left = x + 1;
        while left > 0 {
            letters.push(char::from(b'a' + ((left - 1) % 26) as u8));
            left = (left - 1) / 26;
        }
        letters.iter().rev().collect()
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.x >= 0 && self.y >= 0 {
            true => write!(f, "{}{}", Square::column(self.x), self.y + 1),
            false => write!(f, "({}, {})", self.x, self.y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_written_and_read() {
        for (x, y, name) in [(0, 0, "a1"), (2, 3, "c4"), (25, 9, "z10"), (26, 0, "aa1"), (701, 41, "zz42")] {
            let square = Square { x, y };
            assert_eq!(square.to_string(), name);
            assert_eq!(Square::read(name), Some(square));
        }
        assert_eq!(Square::read("C4"), Some(Square { x: 2, y: 3 }));
        for wrong in ["", "c", "4", "c0", "c-1", "4c", "c4x", "abcd1", "é4"] {
            assert_eq!(Square::read(wrong), None, "{wrong}");
        }
        assert_eq!(Square { x: -1, y: 2 }.to_string(), "(-1, 2)");
    }
}
