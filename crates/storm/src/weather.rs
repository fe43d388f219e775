//! What can go wrong, and how often it does in the world of one seed.
//!
//! Every seed has a weather of its own: some kinds of faults never come, others often. Rare combinations are tried that
//! way which an even mixture of everything would hide.

use intermezzo_bots::Random;

/// A kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// A node dies, wherever it is.
    Crash,
    /// A node dies while it starts.
    CrashAtStart,
    /// A node stands still for a while.
    Pause,
    /// A node stops in good order and is started again.
    Stop,
    /// A node's clock is behind the store's.
    Skew,
    /// A connection is lost with everything that is on its way.
    Cut,
    /// A message takes seconds, maybe longer than its connection or node lasts.
    Straggle,
    /// A message arrives twice.
    Twice,
    /// A request never arrives.
    LostRequest,
    /// An answer never arrives.
    LostAnswer,
    /// A change does not happen, and that is the answer.
    DefinitelyNot,
    /// A change happens, and nobody can tell.
    UnknownLanded,
    /// A change does not happen, and nobody can tell.
    UnknownLost,
    /// A change happens later than the answer that nobody can tell.
    UnknownLate,
    /// The disk is full for a while: no change happens.
    DiskFull,
    /// Something cannot be read.
    ReadError,
    /// The store takes its time.
    SlowStore,
    /// What one node tells the others is lost.
    NewsLost,
    /// It comes late, after what was told later.
    NewsLate,
    /// It comes twice.
    NewsTwice,
}

/// All kinds, with how often in a thousand each comes at most where it comes at all.
const KINDS: [(Fault, &str, u64); 20] = [
    (Fault::Crash, "crashes", 900),
    (Fault::CrashAtStart, "crashes at start", 300),
    (Fault::Pause, "pauses", 700),
    (Fault::Stop, "stops in good order", 700),
    (Fault::Skew, "clocks behind", 900),
    (Fault::Cut, "connections cut", 30),
    (Fault::Straggle, "messages delayed", 60),
    (Fault::Twice, "messages twice", 120),
    (Fault::LostRequest, "requests lost", 120),
    (Fault::LostAnswer, "answers lost", 120),
    (Fault::DefinitelyNot, "changes refused", 60),
    (Fault::UnknownLanded, "unknown, landed", 60),
    (Fault::UnknownLost, "unknown, lost", 60),
    (Fault::UnknownLate, "unknown, landed late", 40),
    (Fault::DiskFull, "disk full", 500),
    (Fault::ReadError, "reads failed", 40),
    (Fault::SlowStore, "slow answers", 60),
    (Fault::NewsLost, "news lost", 900),
    (Fault::NewsLate, "news late", 300),
    (Fault::NewsTwice, "news twice", 200),
];

/// How many kinds there are.
pub(crate) const KIND_COUNT: usize = KINDS.len();

impl Fault {
    /// What a summary calls faults of that kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// All kinds.
    pub fn all() -> impl Iterator<Item = Fault> {
        KINDS.iter().map(|(fault, _, _)| *fault)
    }
}

/// How often in a thousand each kind of fault comes.
#[derive(Clone, Debug)]
pub(crate) struct Weather([u16; KIND_COUNT]);

impl Weather {
    /// Draws a weather.
    pub(crate) fn drawn(random: &mut Random) -> Weather {
        let mut rates = [0; KIND_COUNT];
        for (rate, (_, _, most)) in rates.iter_mut().zip(KINDS) {
            if random.happens(500) {
                *rate = 1 + random.below(most) as u16;
            }
        }
        Weather(rates)
    }

    pub(crate) fn rate(&self, fault: Fault) -> u16 {
        self.0[fault as usize]
    }
}
