//! A list with a fixed maximum that lives inside the state, so that a whole
//! match is one flat `Copy` value.
//!
//! Random play makes every branch on a card a coin toss, and a wrong guess of
//! the processor costs more than looking at all places. Hence `Places`.

use std::ops::{Deref, DerefMut};

/// Up to `N` items in order.
#[derive(Debug, Clone, Copy)]
pub(super) struct List<T, const N: usize> {
    items: [T; N],
    len: u8,
}

impl<T: Copy, const N: usize> List<T, N> {
    /// An empty list. `filler` fills the places nobody reads.
    pub(super) fn new(filler: T) -> Self {
        List { items: [filler; N], len: 0 }
    }

    /// A list with every place taken.
    pub(super) fn full(items: [T; N]) -> Self {
        List { items, len: N as u8 }
    }

    /// Adds `item` at the end. The caller knows that there is room.
    #[inline]
    pub(super) fn push(&mut self, item: T) {
        self.items[usize::from(self.len)] = item;
        self.len += 1;
    }

    /// Takes the last item.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.items[usize::from(self.len)])
    }

    /// Takes the item at `index`; those behind it close ranks.
    #[inline]
    pub(super) fn remove(&mut self, index: usize) -> T {
        let removed = self.items[index];
        // Every place is rewritten, whatever `index` and `len` are: without
        // branches this is a handful of vector instructions.
        let before = self.items;
        for place in 0..N - 1 {
            self.items[place] = before[place + usize::from(place >= index)];
        }
        self.len -= 1;
        removed
    }

    /// The places whose item `is_meant`, without a branch for each item.
    #[inline]
    pub(super) fn places_where(&self, is_meant: impl Fn(T) -> bool) -> Places {
        const { assert!(N <= 16, "a place is one bit of 16") };
        let mut bits = 0;
        for (place, item) in self.items.iter().enumerate() {
            bits |= u32::from(is_meant(*item)) << place;
        }
        Places((bits & ((1 << self.len) - 1)) as u16)
    }

    /// Forgets the items from `len` on.
    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        debug_assert!(len <= self.len());
        self.len = len as u8;
    }
}

/// A set of places in a list, read from the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Places(u16);

impl Places {
    pub(super) const NONE: Places = Places(0);

    /// The places from 0 up to, not including, `count`.
    #[inline]
    pub(super) fn first(count: usize) -> Self {
        Places(((1u32 << count) - 1) as u16)
    }

    #[inline]
    pub(super) fn contains(self, place: usize) -> bool {
        (self.0 >> place) & 1 == 1
    }

    /// Adds `place` if `is_in`, without a branch.
    #[inline]
    pub(super) fn insert_if(&mut self, place: usize, is_in: bool) {
        self.0 |= u16::from(is_in) << place;
    }

    #[inline]
    pub(super) fn remove(&mut self, place: usize) {
        self.0 &= !(1 << place);
    }
}

impl Iterator for Places {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let place = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(place)
    }
}

impl<T, const N: usize> Deref for List<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[..usize::from(self.len)]
    }
}

impl<T, const N: usize> DerefMut for List<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..usize::from(self.len)]
    }
}
