//! Randomness: ChaCha8, with its own bounded draw and shuffle, so that library updates never change a match.
//!
//! A draw below `n` multiplies a 32-bit word `x` of the generator by `n` and takes the upper half of the product,
//! drawing again while the lower half is below `2³² mod n`: exact for every `n`. A shuffle goes from the last
//! position down to the second and swaps each with a position drawn from itself and those before it.

use intermezzo_program::{FaultCode, Symbol};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::storage::copy::copy_list;

/// The seed of all randomness in a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seed(pub [u8; 32]);

impl Seed {
    /// Derives a seed from a number, which is easier to write down.
    #[must_use]
    pub fn from_number(number: u64) -> Seed {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"intermezzo seed number 1");
        hasher.update(&number.to_le_bytes());
        Seed(*hasher.finalize().as_bytes())
    }
}

/// Dice fixed in advance, for tests. Each entry is one roll.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiceScript {
    /// The label the roll must have, if any, and its faces.
    pub rolls: Vec<(Option<Symbol>, Vec<i64>)>,
    /// If true, rolls beyond the last entry are recorded as new entries. They draw from a separate stream, not from
    /// the one of draws and shuffles, so the grown script with the same seed gives the same match.
    pub grows: bool,
}

/// The random generator of a match and its dice script.
#[derive(Clone, Debug)]
pub struct Chance {
    seed: Seed,
    generator: ChaCha8Rng,
    pub(crate) script: DiceScript,
    /// Number of script entries used.
    pub(crate) used: u32,
    /// The match stops before it draws.
    pub(crate) holds: bool,
}

impl Chance {
    /// Creates the generator for a seed. Rolls come from the script until it is used up.
    #[must_use]
    pub fn new(seed: Seed, script: DiceScript) -> Chance {
        Chance { seed, generator: ChaCha8Rng::from_seed(seed.0), script, used: 0, holds: false }
    }

    pub(crate) fn seed(&self) -> Seed {
        self.seed
    }

    /// Returns the number of 32-bit words drawn.
    pub(crate) fn position(&self) -> u64 {
        self.generator.get_word_pos() as u64
    }

    pub(crate) fn set_position(&mut self, position: u64) {
        if self.position() != position {
            self.generator.set_word_pos(u128::from(position));
        }
    }

    /// Returns a number from 0 to `bound` − 1; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        if bound <= 1 {
            return 0;
        }
        // 2³² mod `bound`. Products below it would make some results more likely than others.
        let rejected = bound.wrapping_neg() % bound;
        loop {
            let product = u64::from(self.generator.next_u32()) * u64::from(bound);
            if product as u32 >= rejected {
                return (product >> 32) as u32;
            }
        }
    }

    /// Shuffles in place.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }

    /// Rolls `count` dice and appends their faces to `faces`. Rolls come from the script until it is used up.
    pub(crate) fn roll(
        &mut self,
        label: Option<Symbol>,
        count: u32,
        sides: u32,
        faces: &mut Vec<i64>,
    ) -> Result<(), FaultCode> {
        let Some((wanted, scripted)) = self.script.rolls.get(self.used as usize) else {
            if self.script.grows {
                let mut dice = self.chance_for_roll(self.used);
                let first = faces.len();
                faces.extend((0..count).map(|_| i64::from(dice.below(sides)) + 1));
                self.script.rolls.push((label, faces[first..].to_vec()));
                self.used += 1;
                return Ok(());
            }
            faces.extend((0..count).map(|_| i64::from(self.below(sides)) + 1));
            return Ok(());
        };
        let label_fits = wanted.is_none() || *wanted == label;
        let faces_fit = scripted.len() == count as usize
            && scripted.iter().all(|face| (1..=i64::from(sides)).contains(face));
        if !label_fits || !faces_fit {
            return Err(FaultCode::Script);
        }
        faces.extend_from_slice(scripted);
        self.used += 1;
        Ok(())
    }

    /// Creates the separate generator of one recorded roll.
    fn chance_for_roll(&self, number: u32) -> Chance {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"intermezzo roll 1");
        hasher.update(&self.seed.0);
        hasher.update(&number.to_le_bytes());
        Chance::new(Seed(*hasher.finalize().as_bytes()), DiceScript::default())
    }

    /// Returns the number of unused script entries.
    pub(crate) fn rolls_left(&self) -> usize {
        self.script.rolls.len() - self.used as usize
    }

    pub(crate) fn copy_from(&mut self, other: &Chance) {
        // The seed and the position determine the generator completely.
        if self.seed != other.seed || self.position() != other.position() {
            self.seed = other.seed;
            self.generator.clone_from(&other.generator);
        }
        copy_list(&mut self.script.rolls, &other.script.rolls);
        self.script.grows = other.script.grows;
        self.used = other.used;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_never_change() {
        let mut chance = Chance::new(Seed::from_number(1), DiceScript::default());
        let drawn: Vec<u32> = [6, 6, 6, 20, 100, 1 << 31, u32::MAX].map(|n| chance.below(n)).into();
        let mut places: Vec<u32> = (0..8).collect();
        chance.shuffle(&mut places);
        assert_eq!(drawn, GOLDEN_DRAWS);
        assert_eq!(places, GOLDEN_SHUFFLE);
        assert_eq!(chance.position(), 14);
    }

    #[test]
    fn a_position_can_be_returned_to() {
        let mut chance = Chance::new(Seed::from_number(7), DiceScript::default());
        for _ in 0..70 {
            chance.below(9);
        }
        let position = chance.position();
        let ahead: Vec<u32> = (0..50).map(|_| chance.below(1000)).collect();
        chance.set_position(position);
        let again: Vec<u32> = (0..50).map(|_| chance.below(1000)).collect();
        assert_eq!(ahead, again);
    }

    #[test]
    fn a_script_that_grows_is_the_script_of_the_same_rolls() {
        let grows = DiceScript { rolls: vec![(None, vec![6, 6])], grows: true };
        let (mut grown, mut faces) = (Chance::new(Seed::from_number(5), grows), Vec::new());
        for sides in [6, 20, 6] {
            grown.roll(None, 2, sides, &mut faces).unwrap();
        }
        assert_eq!(faces[..2], [6, 6]);
        let again = DiceScript { grows: false, ..grown.script.clone() };
        let (mut scripted, mut same) = (Chance::new(Seed::from_number(5), again), Vec::new());
        for sides in [6, 20, 6] {
            scripted.roll(None, 2, sides, &mut same).unwrap();
        }
        assert_eq!((faces, grown.below(1000)), (same, scripted.below(1000)));
    }

    #[test]
    fn draws_are_even() {
        let mut chance = Chance::new(Seed::from_number(3), DiceScript::default());
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[chance.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
    }

    const GOLDEN_DRAWS: &[u32] = &[1, 0, 0, 17, 67, 1_255_975_954, 1_664_630_074];
    const GOLDEN_SHUFFLE: &[u32] = &[1, 5, 7, 0, 6, 4, 2, 3];
}
