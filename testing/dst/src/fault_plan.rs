//! Kinds of faults and their rates in the simulation of one seed.
//!
//! Every seed draws its own rates: some kinds of faults never occur, others often. This reaches rare combinations
//! that equal rates for everything would hide.

use intermezzo_bots::Random;

/// A kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FaultKind {
    /// A node crashes at any point.
    Crash,
    /// A node crashes while it starts.
    CrashAtStart,
    /// A node pauses for a while.
    Pause,
    /// A node stops gracefully and restarts.
    Stop,
    /// A node's clock is behind the store's.
    ClockSkew,
    /// A connection breaks; messages in flight are lost.
    Disconnect,
    /// A message takes seconds, possibly longer than its connection or node lives.
    Delay,
    /// A message arrives twice.
    Duplicate,
    /// A request never arrives.
    LostRequest,
    /// A response never arrives.
    LostAnswer,
    /// A write is not made, and the store reports so.
    DefinitelyNot,
    /// A write is made, but the store reports an unknown outcome.
    UnknownApplied,
    /// A write is not made, and the store reports an unknown outcome.
    UnknownLost,
    /// A write is made after the store has reported an unknown outcome.
    UnknownLate,
    /// The disk is full for a while: every write fails.
    DiskFull,
    /// A read fails.
    ReadError,
    /// The store responds slowly.
    SlowStore,
    /// A notification between nodes is lost.
    NotificationLost,
    /// A notification arrives late, after ones that were sent later.
    NotificationLate,
    /// A notification arrives twice.
    NotificationTwice,
}

/// All kinds with their names and their highest rates per thousand.
const KINDS: [(FaultKind, &str, u64); 20] = [
    (FaultKind::Crash, "crashes", 900),
    (FaultKind::CrashAtStart, "crashes at start", 300),
    (FaultKind::Pause, "pauses", 700),
    (FaultKind::Stop, "graceful stops", 700),
    (FaultKind::ClockSkew, "clocks behind", 900),
    (FaultKind::Disconnect, "connections lost", 30),
    (FaultKind::Delay, "messages delayed", 60),
    (FaultKind::Duplicate, "messages duplicated", 120),
    (FaultKind::LostRequest, "requests lost", 120),
    (FaultKind::LostAnswer, "responses lost", 120),
    (FaultKind::DefinitelyNot, "writes failed", 60),
    (FaultKind::UnknownApplied, "unknown, applied", 60),
    (FaultKind::UnknownLost, "unknown, lost", 60),
    (FaultKind::UnknownLate, "unknown, late", 40),
    (FaultKind::DiskFull, "disk full", 500),
    (FaultKind::ReadError, "reads failed", 40),
    (FaultKind::SlowStore, "slow responses", 60),
    (FaultKind::NotificationLost, "notifications lost", 900),
    (FaultKind::NotificationLate, "notifications late", 300),
    (FaultKind::NotificationTwice, "notifications twice", 200),
];

pub(crate) const KIND_COUNT: usize = KINDS.len();

impl FaultKind {
    /// Returns the plural name for summaries.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// Iterates over all kinds.
    pub fn all() -> impl Iterator<Item = FaultKind> {
        KINDS.iter().map(|(fault, _, _)| *fault)
    }
}

/// Rates per thousand of each kind of fault.
#[derive(Clone, Debug)]
pub(crate) struct FaultRates([u16; KIND_COUNT]);

impl FaultRates {
    /// Draws a random set of rates. Each kind is absent in half of the simulations.
    pub(crate) fn random(random: &mut Random) -> FaultRates {
        let mut rates = [0; KIND_COUNT];
        for (rate, (_, _, most)) in rates.iter_mut().zip(KINDS) {
            if random.happens(500) {
                *rate = 1 + random.below(most) as u16;
            }
        }
        FaultRates(rates)
    }

    pub(crate) fn rate(&self, fault: FaultKind) -> u16 {
        self.0[fault as usize]
    }
}
