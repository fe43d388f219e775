//! The generator and the digest that every implementation of the benchmark
//! games shares.
//!
//! [`Mulberry`] shuffles and decides; [`Fnv`] hashes the results of matches.
//! Both use exact 32-bit arithmetic, which every language can reproduce.

/// The `mulberry32` generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mulberry {
    state: u32,
}

impl Mulberry {
    /// Creates the generator of the match with this seed.
    #[inline]
    pub fn new(seed: u32) -> Self {
        Mulberry { state: seed }
    }

    /// Returns the next 32 random bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        self.state = self.state.wrapping_add(0x6D2B_79F5);
        let a = self.state;
        let t = (a ^ (a >> 15)).wrapping_mul(1 | a);
        let t = t.wrapping_add((t ^ (t >> 7)).wrapping_mul(61 | t)) ^ t;
        t ^ (t >> 14)
    }

    /// Returns a random number below `bound`.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    /// Shuffles from the end to the front (Fisher-Yates).
    #[inline]
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }
}

/// An FNV-1a digest in 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fnv {
    hash: u32,
}

impl Fnv {
    /// Creates the digest of no bytes.
    pub fn new() -> Self {
        Fnv { hash: 2_166_136_261 }
    }

    /// Adds `bytes`.
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.hash = (self.hash ^ u32::from(byte)).wrapping_mul(16_777_619);
        }
    }

    /// Returns the digest of everything written.
    pub fn finish(self) -> u32 {
        self.hash
    }
}

impl Default for Fnv {
    fn default() -> Self {
        Fnv::new()
    }
}
