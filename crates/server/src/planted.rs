//! Bugs that can be planted, one at a time and on one thread: whoever looks for bugs has to find them.
//!
//! Only with the feature `planted`; without it, nothing of this is there.

/// A bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// Whatever leaves a match does not wait until its row is kept.
    TellsBeforeKept,
    /// If the store cannot tell what became of a row, it counts as kept.
    UnknownIsKept,
    /// If the store cannot tell what became of a change of the house, it is made once more without looking.
    UnknownIsLost,
    /// A command that was taken before is taken again.
    ForgetsCommands,
    /// A snapshot does not have the commands that were taken.
    SnapshotWithoutCommands,
    /// A snapshot says that it is one row further than it is.
    SnapshotAhead,
    /// A match that is read again ends with its snapshot, whatever came after.
    StopsAtSnapshot,
    /// Refusals are decided by what this server knows, however old.
    RefusesByOldState,
    /// The pot is paid before the last row is kept.
    PaysFirst,
    /// The pot is paid whatever the books say meanwhile.
    PaysBlindly,
    /// Deadlines are a little too early.
    Hasty,
    /// Nothing is woken that has its time.
    SleepsOn,
    /// Nobody is made up for the times in which no server was there.
    ChargesForAbsence,
    /// Who comes again is not told of the last thing that happened meanwhile.
    LeavesOutTheLast,
    /// Who comes again is told once more of the last thing it was told of.
    RepeatsTheLast,
    /// Who comes again is asked what another seat is asked.
    AsksForOthers,
    /// When a row was not kept, those who follow are not told what is there in its place.
    KeepsQuietAfterLoss,
    /// A row may be put on top of one that somebody else has written.
    WritesAhead,
    /// Those who wait are brought together without looking whether they still do.
    PairsBlindly,
    /// A problem that passes is kept as the answer to a request.
    KeepsTrouble,
}

/// All of them, by name.
pub const BUGS: &[(&str, Bug)] = &[
    ("tells-before-kept", Bug::TellsBeforeKept),
    ("unknown-is-kept", Bug::UnknownIsKept),
    ("unknown-is-lost", Bug::UnknownIsLost),
    ("forgets-commands", Bug::ForgetsCommands),
    ("snapshot-without-commands", Bug::SnapshotWithoutCommands),
    ("snapshot-ahead", Bug::SnapshotAhead),
    ("stops-at-snapshot", Bug::StopsAtSnapshot),
    ("refuses-by-old-state", Bug::RefusesByOldState),
    ("pays-first", Bug::PaysFirst),
    ("pays-blindly", Bug::PaysBlindly),
    ("hasty", Bug::Hasty),
    ("sleeps-on", Bug::SleepsOn),
    ("charges-for-absence", Bug::ChargesForAbsence),
    ("leaves-out-the-last", Bug::LeavesOutTheLast),
    ("repeats-the-last", Bug::RepeatsTheLast),
    ("asks-for-others", Bug::AsksForOthers),
    ("keeps-quiet-after-loss", Bug::KeepsQuietAfterLoss),
    ("writes-ahead", Bug::WritesAhead),
    ("pairs-blindly", Bug::PairsBlindly),
    ("keeps-trouble", Bug::KeepsTrouble),
];

#[cfg(feature = "planted")]
thread_local! {
    static PLANTED: std::cell::Cell<Option<Bug>> = const { std::cell::Cell::new(None) };
}

/// Plants a bug on this thread, or none.
#[cfg(feature = "planted")]
pub fn plant(bug: Option<Bug>) {
    PLANTED.set(bug);
}

/// Whether that bug is planted.
#[cfg(feature = "planted")]
pub(crate) fn has(bug: Bug) -> bool {
    PLANTED.get() == Some(bug)
}
