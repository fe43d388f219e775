//! A list with a fixed capacity inside the state, so that a whole match is one
//! flat `Copy` value.
//!
//! In random play, the processor mispredicts about half of the branches on a
//! card, and that costs more than a scan of all positions. Hence `PositionSet`.

use std::ops::{Deref, DerefMut};

/// A list of up to `N` items.
#[derive(Debug, Clone, Copy)]
pub(super) struct FixedList<T, const N: usize> {
    items: [T; N],
    len: u8,
}

impl<T: Copy, const N: usize> FixedList<T, N> {
    /// Creates an empty list. `filler` fills the unused positions, which are never read.
    pub(super) fn new(filler: T) -> Self {
        FixedList { items: [filler; N], len: 0 }
    }

    /// Creates a list that uses its whole capacity.
    pub(super) fn full(items: [T; N]) -> Self {
        FixedList { items, len: N as u8 }
    }

    /// Adds `item` at the end. The caller ensures that the list has room.
    #[inline]
    pub(super) fn push(&mut self, item: T) {
        self.items[usize::from(self.len)] = item;
        self.len += 1;
    }

    /// Removes and returns the last item.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.items[usize::from(self.len)])
    }

    /// Removes and returns the item at `index`. Later items move up.
    #[inline]
    pub(super) fn remove(&mut self, index: usize) -> T {
        let removed = self.items[index];
        // Rewriting every position, for any `index` and `len`, needs no branch
        // and compiles to a few vector instructions.
        let before = self.items;
        for position in 0..N - 1 {
            self.items[position] = before[position + usize::from(position >= index)];
        }
        self.len -= 1;
        removed
    }

    /// Returns the positions whose item matches, without a branch per item.
    #[inline]
    pub(super) fn positions_where(&self, matches: impl Fn(T) -> bool) -> PositionSet {
        const { assert!(N <= 16, "a position is one bit of 16") };
        let mut bits = 0;
        for (position, item) in self.items.iter().enumerate() {
            bits |= u32::from(matches(*item)) << position;
        }
        PositionSet((bits & ((1 << self.len) - 1)) as u16)
    }

    /// Removes the items from `len` on.
    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        debug_assert!(len <= self.len());
        self.len = len as u8;
    }
}

/// A set of positions in a list, iterated in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PositionSet(u16);

impl PositionSet {
    pub(super) const NONE: PositionSet = PositionSet(0);

    /// Returns the positions below `count`.
    #[inline]
    pub(super) fn first(count: usize) -> Self {
        PositionSet(((1u32 << count) - 1) as u16)
    }

    #[inline]
    pub(super) fn contains(self, position: usize) -> bool {
        (self.0 >> position) & 1 == 1
    }

    /// Adds `position` if `condition` holds, without a branch.
    #[inline]
    pub(super) fn insert_if(&mut self, position: usize, condition: bool) {
        self.0 |= u16::from(condition) << position;
    }

    #[inline]
    pub(super) fn remove(&mut self, position: usize) {
        self.0 &= !(1 << position);
    }
}

impl Iterator for PositionSet {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let position = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(position)
    }
}

impl<T, const N: usize> Deref for FixedList<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[..usize::from(self.len)]
    }
}

impl<T, const N: usize> DerefMut for FixedList<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..usize::from(self.len)]
    }
}
