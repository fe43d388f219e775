//! Random numbers for bots and simulations. SplitMix64 is implemented here, so that a seed means the same
//! match forever.

/// Generator: SplitMix64 (Steele, Lea and Flood, 2014).
///
/// The state is a counter that grows by an odd constant; each number is the counter with its bits mixed.
/// Matches do not use it: they draw from the engine's own generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates a generator from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// Returns the next number.
    pub fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0. The bias is less than `bound` in 2⁶⁴.
    pub fn below(&mut self, bound: u64) -> u64 {
        let product = u128::from(self.next_number()) * u128::from(bound);
        (product >> 64) as u64
    }

    /// Returns a random index below `len`.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// Returns true with a probability of `rate` in a thousand.
    pub fn happens(&mut self, rate: u16) -> bool {
        rate > 0 && self.below(1000) < u64::from(rate)
    }

    /// Returns a random item. The slice must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.index(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn numbers_are_those_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        let drawn = [random.next_number(), random.next_number(), random.next_number()];
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_number_below_a_bound_is_below_it() {
        let mut random = Random::new(1);
        let mut seen = [false; 6];
        for _ in 0..200 {
            seen[random.index(6)] = true;
        }
        assert_eq!(seen, [true; 6]);
        assert_eq!(random.below(0), 0);
        assert_eq!(random.below(1), 0);
    }
}
