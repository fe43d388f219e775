//! The registers of all frames, back to back, and the window of them that running code sees.
//!
//! Code that uses only the first [`NARROW`] registers runs in windows of exactly that size. Every register number
//! fits in a byte then, so the compiler can drop the bounds checks. A program with longer routines runs in
//! windows of any length.

use std::ops::{Deref, DerefMut};

use intermezzo_program::{NULL, Reg, Word};

/// Number of registers in a narrow window.
pub(crate) const NARROW: usize = 256;

/// Number of registers that are set to null at once.
const CHUNK: usize = 8;

/// Registers in use. The vector may be longer; words behind `len` hold stale values.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    words: Vec<Word>,
    len: usize,
}

impl Registers {
    /// Adds `count` registers, all null.
    #[inline]
    pub(crate) fn push_nulls(&mut self, count: usize) {
        let len = self.len + count;
        self.make_room(len + CHUNK);
        self.clear_from(self.len, len);
        self.len = len;
    }

    /// Sets the registers to null, and up to a chunk of those behind them, which nobody uses.
    #[inline]
    fn clear_from(&mut self, mut first: usize, end: usize) {
        while first < end
            && let Some(chunk) = self.words.get_mut(first..).and_then(<[Word]>::first_chunk_mut::<CHUNK>)
        {
            *chunk = [NULL; CHUNK];
            first += CHUNK;
        }
    }

    /// Adds the `count` registers of a call: its context, its arguments, and nulls.
    #[inline]
    pub(crate) fn push_call(&mut self, count: usize, context: &[Word; Reg::CONTEXT as usize], args: &[Word]) {
        let len = self.len + count;
        self.make_room(len + CHUNK);
        self.clear_from(self.len, len);
        let (first, rest) = self.words[self.len..len].split_at_mut(context.len());
        first.copy_from_slice(context);
        rest.iter_mut().zip(args).for_each(|(place, arg)| *place = *arg);
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

    /// Drops all but the first `len` registers.
    #[inline]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    pub(crate) fn push(&mut self, word: Word) {
        self.push_nulls(1);
        self.words[self.len - 1] = word;
    }

    pub(crate) fn copy_from(&mut self, other: &Registers) {
        self.make_room(other.len);
        self.words[..other.len].copy_from_slice(other);
        self.len = other.len;
    }

    /// Returns the registers below a frame, and the window that begins with the frame's own.
    #[inline]
    pub(crate) fn window<W: RegisterWindow + ?Sized>(&mut self, base: usize) -> (&mut [Word], &mut W) {
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

/// The part of the registers that running code sees.
pub(crate) trait RegisterWindow {
    /// Minimum number of registers from the frame's first on.
    const ROOM: usize;

    fn at_start(words: &mut [Word]) -> &mut Self;

    fn word(&mut self, reg: Reg) -> &mut Word;

    fn words(&mut self) -> &mut [Word];
}

impl RegisterWindow for [Word; NARROW] {
    const ROOM: usize = NARROW;

    #[inline]
    fn at_start(words: &mut [Word]) -> &mut Self {
        words.first_chunk_mut().expect("`make_room` has been called")
    }

    #[inline]
    fn word(&mut self, reg: Reg) -> &mut Word {
        // No routine in a narrow window has more registers than a byte can number, and the cast lets the compiler drop
        // the bounds check.
        &mut self[usize::from(reg.0 as u8)]
    }

    #[inline]
    fn words(&mut self) -> &mut [Word] {
        self
    }
}

impl RegisterWindow for [Word] {
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
        registers.push_nulls(2);
        registers.push(7);
        registers.push(8);
        let (below, narrow) = registers.window::<[Word; NARROW]>(2);
        assert_eq!((below, *narrow.word(Reg(0)), *narrow.word(Reg(1))), (&mut [NULL; 2][..], 7, 8));
        *narrow.word(Reg(1)) = 9;
        let (_, wide) = registers.window::<[Word]>(2);
        assert_eq!(*wide.word(Reg(1)), 9);
        registers.truncate(3);
        registers.push_nulls(1);
        assert_eq!(registers[..], [NULL, NULL, 7, NULL], "stale values do not reappear");
        registers.truncate(3);
        registers.push_nulls(7);
        registers.truncate(2);
        registers.push_call(8, &[1, 2, 3, 4, 5], &[6, 7]);
        assert_eq!(registers[2..], [1, 2, 3, 4, 5, 6, 7, NULL], "the rest is null");
    }
}
