//! Storage of values: every value is one 64-bit word, interpreted by its static type.
//!
//! | type | word |
//! |---|---|
//! | `int` | the number; `i64::MIN` is not a number, so arithmetic that reaches it overflows |
//! | `bool` | 0 or 1 |
//! | `symbol`, enum member, def, phase, resource, zone name | the [`Symbol`](crate::Symbol)'s number |
//! | `text` | the [`TextId`](crate::TextId)'s number |
//! | `player`, any kind, `entity` | generation × 2³² + row; see [`entity`] |
//! | zone | number of the zone instance |
//! | `dice` | count × 2³² + sides |
//! | `list<T>` | heap address of `[length, item, item …]`; address 0 is the empty list |
//! | record | heap address of its fields in order |
//! | `map<K, V>` | heap address of one word per key, [`NULL`] for a missing value |
//! | `event` | register base of the event's frame |
//! | null of any type | [`NULL`] |
//!
//! Heap values are immutable; a changed list is a new list.

/// One stored value.
pub type Word = i64;

/// The absent value of every `maybe<T>`.
pub const NULL: Word = i64::MIN;

/// The match itself: the entity in row 0.
pub const MATCH: Word = 0;

/// Builds a reference to the entity that was the `generation`th to use `row`.
#[inline]
#[must_use]
pub fn entity(generation: u32, row: u32) -> Word {
    (i64::from(generation & 0x7fff_ffff) << 32) | i64::from(row)
}

/// Returns the row of an entity reference.
#[inline]
#[must_use]
pub fn row(entity: Word) -> u32 {
    entity as u32
}

/// Returns the generation of an entity reference.
#[inline]
#[must_use]
pub fn generation(entity: Word) -> u32 {
    (entity >> 32) as u32
}

/// Returns the player at `seat`: players are the entities in rows 1, 2, …
#[inline]
#[must_use]
pub fn player(seat: crate::Seat) -> Word {
    i64::from(seat.0) + 1
}

/// Returns the seat of a player reference.
#[inline]
#[must_use]
pub fn seat(player: Word) -> crate::Seat {
    crate::Seat((player - 1) as u8)
}

/// Packs a pool of dice into a word.
#[inline]
#[must_use]
pub fn dice(count: u32, sides: u32) -> Word {
    (i64::from(count & 0x7fff_ffff) << 32) | i64::from(sides)
}

/// Unpacks a dice word into count and sides.
#[inline]
#[must_use]
pub fn dice_parts(dice: Word) -> (u32, u32) {
    ((dice >> 32) as u32, dice as u32)
}
