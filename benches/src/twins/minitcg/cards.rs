//! The eight cards, their values, and the deck.

use super::DECK_SIZE;

/// A card; its discriminant is its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum MiniTcgCard {
    /// A creature 2/1.
    Grunt,
    /// A creature 1/3 whose controller draws when it is hurt.
    Scholar,
    /// A creature 2/2 that hurts all enemy creatures when it dies.
    Bomber,
    /// A creature 4/5.
    Ogre,
    /// A creature 3/3 that gives the other creatures of its seat 1 power.
    Captain,
    /// A spell: 3 damage to any target.
    Bolt,
    /// A spell: 2 damage to each creature.
    Quake,
    /// A response that counters the card below it.
    Negate,
}

impl MiniTcgCard {
    /// Every card in the order of its id.
    pub const ALL: [MiniTcgCard; 8] = [
        MiniTcgCard::Grunt,
        MiniTcgCard::Scholar,
        MiniTcgCard::Bomber,
        MiniTcgCard::Ogre,
        MiniTcgCard::Captain,
        MiniTcgCard::Bolt,
        MiniTcgCard::Quake,
        MiniTcgCard::Negate,
    ];

    #[inline]
    pub(super) fn cost(self) -> u8 {
        const COSTS: [u8; 8] = [1, 2, 3, 4, 5, 2, 4, 2];
        COSTS[self as usize]
    }

    /// Returns the cost with an empty stack, when a Negate cannot be cast.
    #[inline]
    pub(super) fn cost_in_turn(self) -> u8 {
        const COSTS: [u8; 8] = [1, 2, 3, 4, 5, 2, 4, u8::MAX];
        COSTS[self as usize]
    }

    /// Returns the power printed on a creature; 0 for spells.
    #[inline]
    pub(super) fn base_power(self) -> u8 {
        const POWERS: [u8; 8] = [2, 1, 2, 4, 3, 0, 0, 0];
        POWERS[self as usize]
    }

    /// Returns the health printed on a creature; 0 for spells.
    #[inline]
    pub(super) fn health(self) -> i8 {
        const HEALTHS: [i8; 8] = [1, 3, 2, 5, 3, 0, 0, 0];
        HEALTHS[self as usize]
    }
}

/// A deck before it is shuffled, as card ids.
pub(super) const UNSHUFFLED: [u8; DECK_SIZE] =
    [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 5, 5, 6, 6, 6, 7, 7, 7, 7];
