//! The benchmark games written by hand: the baseline of the engine's speed.
//!
//! A twin plays the same matches as its ruleset, decision by decision, and
//! proves it by the same digest over the same seeds. It is written as for a
//! search or a simulation: flat `Copy` state, no allocation during a match,
//! legal moves listed into a buffer of the caller. It takes no short cut
//! through the rules: every legal move is listed before each decision, and
//! every card is in some zone, graveyards included.
//!
//! Start with [`duel`], the smaller of the two. [`minitcg`] has a stack,
//! priority and triggers. [`mulberry`] contains the generator and the digest,
//! which every implementation of these games shares.

pub mod duel;
mod list;
pub mod minitcg;
pub mod mulberry;

/// One of the two seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum TwinSeat {
    /// Seat 0, which decides first.
    Zero,
    One,
}

impl TwinSeat {
    /// Both seats, in order.
    pub const BOTH: [TwinSeat; 2] = [TwinSeat::Zero, TwinSeat::One];

    /// Returns the other seat.
    #[inline]
    pub fn opponent(self) -> TwinSeat {
        match self {
            TwinSeat::Zero => TwinSeat::One,
            TwinSeat::One => TwinSeat::Zero,
        }
    }

    /// Returns the index of this seat in an array with one entry per seat.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// The result of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TwinOutcome {
    Won(TwinSeat),
    Draw,
}

impl TwinOutcome {
    /// Returns the byte that digests use: the winning seat, or 2 for a draw.
    pub fn code(self) -> u8 {
        match self {
            TwinOutcome::Won(seat) => seat as u8,
            TwinOutcome::Draw => 2,
        }
    }
}
