//! Bugs that a test can switch on, one at a time and per thread.
//!
//! The deterministic simulation test proves that it finds bugs: it switches on each fail point in turn
//! and expects a failing seed for it. Without the feature `enabled`, [`is_active`] is a
//! constant `false` and the compiler removes the branch.
//!
//! ```
//! use intermezzo_fail_points::{FailPoint, is_active};
//!
//! let deadline = 1_000 - if is_active(FailPoint::FireDeadlinesEarly) { 200 } else { 0 };
//! assert_eq!(deadline, 1_000);
//! ```

/// A bug that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailPoint {
    /// Updates leave a match before their row is durable.
    PublishBeforeDurable,
    /// A row whose commit has an unknown outcome counts as committed.
    UnknownCountsAsCommitted,
    /// A service transaction whose commit has an unknown outcome is reported as not made.
    UnknownCountsAsLost,
    /// A command that was already accepted is accepted again.
    ForgetCommandIds,
    /// Snapshots omit the ids of accepted commands.
    SnapshotWithoutCommandIds,
    /// A snapshot claims to be one row newer than it is.
    SnapshotVersionAhead,
    /// A match that is loaded again ignores the rows after its snapshot.
    IgnoreRowsAfterSnapshot,
    /// Commands are refused based on this server's state, however stale.
    RefuseFromStaleState,
    /// The pot is paid before the last row is durable.
    PayBeforeLastRow,
    /// The pot is paid without checking that the ledger is unchanged.
    PayWithoutPrecondition,
    /// Deadlines fire slightly early.
    FireDeadlinesEarly,
    /// Due matches are never woken.
    SkipDueMatches,
    /// Clocks keep running while no server is up.
    ChargeClocksDuringDowntime,
    /// A reconnecting client does not receive the last update it missed.
    OmitLastMissedUpdate,
    /// A reconnecting client receives the last update it already has.
    RepeatLastUpdate,
    /// A reconnecting client receives another seat's prompt.
    SendOtherSeatsPrompt,
    /// Followers do not receive the row that replaced a lost one.
    HideReplacedRow,
    /// A row may be appended on top of a row that another server wrote.
    AppendOverForeignRow,
    /// The queue pairs players without checking that they still wait.
    PairWithoutRecheck,
    /// A transient problem is saved as the response to an idempotent request.
    SaveTransientProblem,
}

/// All fail points by name.
pub const FAIL_POINTS: &[(&str, FailPoint)] = &[
    ("publish-before-durable", FailPoint::PublishBeforeDurable),
    ("unknown-counts-as-committed", FailPoint::UnknownCountsAsCommitted),
    ("unknown-counts-as-lost", FailPoint::UnknownCountsAsLost),
    ("forget-command-ids", FailPoint::ForgetCommandIds),
    ("snapshot-without-command-ids", FailPoint::SnapshotWithoutCommandIds),
    ("snapshot-version-ahead", FailPoint::SnapshotVersionAhead),
    ("ignore-rows-after-snapshot", FailPoint::IgnoreRowsAfterSnapshot),
    ("refuse-from-stale-state", FailPoint::RefuseFromStaleState),
    ("pay-before-last-row", FailPoint::PayBeforeLastRow),
    ("pay-without-precondition", FailPoint::PayWithoutPrecondition),
    ("fire-deadlines-early", FailPoint::FireDeadlinesEarly),
    ("skip-due-matches", FailPoint::SkipDueMatches),
    ("charge-clocks-during-downtime", FailPoint::ChargeClocksDuringDowntime),
    ("omit-last-missed-update", FailPoint::OmitLastMissedUpdate),
    ("repeat-last-update", FailPoint::RepeatLastUpdate),
    ("send-other-seats-prompt", FailPoint::SendOtherSeatsPrompt),
    ("hide-replaced-row", FailPoint::HideReplacedRow),
    ("append-over-foreign-row", FailPoint::AppendOverForeignRow),
    ("pair-without-recheck", FailPoint::PairWithoutRecheck),
    ("save-transient-problem", FailPoint::SaveTransientProblem),
];

#[cfg(feature = "enabled")]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<FailPoint>> = const { std::cell::Cell::new(None) };
}

/// Switches on one fail point for the current thread, or none.
#[cfg(feature = "enabled")]
pub fn activate(fail_point: Option<FailPoint>) {
    ACTIVE.set(fail_point);
}

/// Returns true if a test has switched this fail point on.
#[cfg(feature = "enabled")]
#[must_use]
pub fn is_active(fail_point: FailPoint) -> bool {
    ACTIVE.get() == Some(fail_point)
}

/// Returns true if a test has switched this fail point on.
#[cfg(not(feature = "enabled"))]
#[must_use]
pub const fn is_active(_fail_point: FailPoint) -> bool {
    false
}
