//! A list with a fixed maximum that lives inside the state, so that a whole
//! match is one flat `Copy` value.

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
        List {
            items: [filler; N],
            len: 0,
        }
    }

    /// A list with every place taken.
    pub(super) fn full(items: [T; N]) -> Self {
        List {
            items,
            len: N as u8,
        }
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
        // The places behind the end move too: a shift of known length is
        // faster than one that stops at the last item.
        for place in index + 1..N {
            self.items[place - 1] = self.items[place];
        }
        self.len -= 1;
        removed
    }

    /// Forgets the items from `len` on.
    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        debug_assert!(len <= self.len());
        self.len = len as u8;
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
