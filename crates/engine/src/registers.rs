//! The registers of all frames, one after the other, and the window of them that running code sees.
//!
//! Code that stays within the first [`NARROW`] registers is run in windows of that size, in which every register a
//! byte can name exists; so none has to be looked for. A program with longer routines is run in windows as long as
//! need be.

use std::ops::{Deref, DerefMut};

use intermezzo_ruleset::{NULL, Reg, Word};

/// Registers of a narrow window.
pub(crate) const NARROW: usize = 256;

/// Registers in use. Behind them there may be room that holds anything.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    words: Vec<Word>,
    len: usize,
}

impl Registers {
    /// Adds this many registers, all null.
    #[inline]
    pub(crate) fn blank(&mut self, count: usize) {
        let len = self.len + count;
        self.make_room(len);
        self.words[self.len..len].fill(NULL);
        self.len = len;
    }

    #[inline]
    fn make_room(&mut self, len: usize) {
        if self.words.len() < len {
            self.grow(len);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, len: usize) {
        self.words.resize(len, NULL);
    }

    /// Keeps the first `len` of them, if there are more.
    #[inline]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    pub(crate) fn push(&mut self, word: Word) {
        self.blank(1);
        self.words[self.len - 1] = word;
    }

    pub(crate) fn copy_from(&mut self, other: &Registers) {
        self.make_room(other.len);
        self.words[..other.len].copy_from_slice(other);
        self.len = other.len;
    }

    /// Those before a frame's own, and the window that begins with its own.
    #[inline]
    pub(crate) fn window<W: Window + ?Sized>(&mut self, base: usize) -> (&mut [Word], &mut W) {
        self.make_room(base + W::ROOM);
        let (below, own) = self.words.split_at_mut(base);
        (below, W::at_start(own))
    }
}

impl Deref for Registers {
    type Target = [Word];

    #[inline]
    fn deref(&self) -> &[Word] {
        &self.words[..self.len]
    }
}

impl DerefMut for Registers {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Word] {
        &mut self.words[..self.len]
    }
}

/// What running code sees of the registers.
pub(crate) trait Window {
    /// Registers there must be at least.
    const ROOM: usize;

    fn at_start(words: &mut [Word]) -> &mut Self;

    fn word(&mut self, reg: Reg) -> &mut Word;

    fn words(&mut self) -> &mut [Word];
}

impl Window for [Word; NARROW] {
    const ROOM: usize = NARROW;

    #[inline]
    fn at_start(words: &mut [Word]) -> &mut Self {
        words.first_chunk_mut().expect("room has been made")
    }

    #[inline]
    fn word(&mut self, reg: Reg) -> &mut Word {
        // No routine has more registers than a byte can number.
        &mut self[usize::from(reg.0 as u8)]
    }

    #[inline]
    fn words(&mut self) -> &mut [Word] {
        self
    }
}

impl Window for [Word] {
    const ROOM: usize = 0;

    #[inline]
    fn at_start(words: &mut [Word]) -> &mut Self {
        words
    }

    #[inline]
    fn word(&mut self, reg: Reg) -> &mut Word {
        &mut self[usize::from(reg.0)]
    }

    #[inline]
    fn words(&mut self) -> &mut [Word] {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_shows_the_same_registers_however_wide_it_is() {
        let mut registers = Registers::default();
        registers.blank(2);
        registers.push(7);
        registers.push(8);
        let (below, narrow) = registers.window::<[Word; NARROW]>(2);
        assert_eq!((below, *narrow.word(Reg(0)), *narrow.word(Reg(1))), (&mut [NULL; 2][..], 7, 8));
        *narrow.word(Reg(1)) = 9;
        let (_, wide) = registers.window::<[Word]>(2);
        assert_eq!(*wide.word(Reg(1)), 9);
        registers.truncate(3);
        registers.blank(1);
        assert_eq!(registers[..], [NULL, NULL, 7, NULL], "what was there before does not come back");
    }
}
