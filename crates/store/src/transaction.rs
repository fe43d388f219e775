//! Transactions and their outcomes.

use crate::match_id::MatchId;

/// Changes that are applied together or not at all.
///
/// No match may occur twice among its appends or its snapshots, and no key twice among its puts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    pub appends: Vec<Append>,
    pub puts: Vec<Put>,
    /// Snapshots of matches. They may cover rows of this same transaction.
    pub snapshots: Vec<Snapshot>,
}

/// Rows to append to one log. An append without rows only changes the due time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    pub match_id: MatchId,
    /// The expected head of the log: the version of the last row before these, 0 for a new log.
    pub expected: u64,
    /// The bodies of the rows. They get the versions after `expected`.
    pub rows: Vec<Vec<u8>>,
    /// The change to the time at which the match must be woken.
    pub due: Due,
}

/// The change to a match's due time. A match is woken no earlier than its due time, and soon after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Due {
    /// Leaves the due time unchanged.
    #[default]
    Keep,
    /// Sets the due time, in milliseconds since the Unix epoch by the store's clock.
    At(i64),
    /// Clears the due time.
    Never,
}

/// A change to one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put {
    pub key: String,
    /// The precondition.
    pub expect: Expect,
    /// The new value; `None` removes the record.
    pub value: Option<Vec<u8>>,
}

/// The precondition on the record being changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// No precondition.
    Anything,
    /// The record must not exist.
    Absent,
    /// The record must have this version.
    Version(u64),
}

/// One row of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// The position in the log, counted from 1.
    pub version: u64,
    /// Opaque to the store.
    pub body: Vec<u8>,
}

/// The current version of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// Increases with every change. No version is reused, even if the record is removed and created again.
    pub version: u64,
    /// Opaque to the store.
    pub value: Vec<u8>,
}

/// The state of a match after a row of its log, so that earlier rows need not be read.
///
/// A store keeps only the newest snapshot of each match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub match_id: MatchId,
    /// The version of the last row it covers.
    pub version: u64,
    /// Opaque to the store.
    pub body: Vec<u8>,
}

/// A match in [`Store::matches`](crate::Store::matches).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredMatch {
    pub match_id: MatchId,
    /// The version of the last row of its log; 0 for an empty log.
    pub head: u64,
    /// The due time, if any.
    pub due_ms: Option<i64>,
}

/// The outcome of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum CommitOutcome {
    /// All changes were applied and are durable.
    Committed,
    /// No change was applied: a precondition does not hold.
    Conflict(Conflict),
    /// No change was applied, for this reason.
    NotCommitted(String),
    /// All changes were applied or none, and the store does not know which, for this reason. Read again to find
    /// out.
    Unknown(String),
}

/// The first precondition that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The log has a different head.
    Log {
        match_id: MatchId,
        /// The version of its last row.
        head: u64,
    },
    /// The record exists, is missing, or has another version.
    Record { key: String },
}
