//! The benchmark games written by hand: what the engine's speed is measured
//! against.
//!
//! A twin plays the same matches as its ruleset, decision by decision, and
//! proves it by the same digest over the same seeds. It is written the way one
//! would write it for a search or a simulation: flat `Copy` state, nothing
//! allocated while a match runs, legal moves listed into a buffer the caller
//! keeps. It takes no short cut through the rules: every legal move is listed
//! before each decision, and every card is somewhere, graveyards included.
//!
//! Start with [`duel`], the smaller of the two. [`minitcg`] has a stack,
//! priority and triggers. [`mulberry`] holds what both share with every other
//! implementation: the generator and the digest.

pub mod duel;
mod list;
pub mod minitcg;
pub mod mulberry;

/// One of the two places at the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Seat {
    /// Seat 0, which decides first.
    Zero,
    /// Seat 1.
    One,
}

impl Seat {
    /// Both seats, in order.
    pub const BOTH: [Seat; 2] = [Seat::Zero, Seat::One];

    /// The seat across the table.
    #[inline]
    pub fn opponent(self) -> Seat {
        match self {
            Seat::Zero => Seat::One,
            Seat::One => Seat::Zero,
        }
    }

    /// Where this seat's entry is in an array with one entry for each seat.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// How a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// One seat won.
    Won(Seat),
    /// Nobody did.
    Draw,
}

impl Outcome {
    /// The outcome as digests count it: the winning seat, or 2 for a draw.
    pub fn code(self) -> u8 {
        match self {
            Outcome::Won(seat) => seat as u8,
            Outcome::Draw => 2,
        }
    }
}
