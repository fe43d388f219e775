//! What can be changed in a store, and how that can turn out.

use crate::match_id::MatchId;

/// Changes that happen together or not at all.
///
/// It names no match twice among its appends or its snapshots, and no key twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// Rows for logs.
    pub appends: Vec<Append>,
    /// Changes of records.
    pub puts: Vec<Put>,
    /// Snapshots of matches. They may include the rows of this transaction.
    pub snapshots: Vec<Snapshot>,
}

/// Rows at the end of one log. Without rows it changes only when the match is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// Whose log.
    pub match_id: MatchId,
    /// The version of the last row before these; 0 if they are the first.
    pub expected: u64,
    /// Their bodies. They get the versions after `expected`.
    pub rows: Vec<Vec<u8>>,
    /// When the match wants to be woken.
    pub due: Due,
}

/// When a match wants to be woken: not before this, and soon after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Due {
    /// As it was.
    #[default]
    Keep,
    /// In milliseconds since 1970, by the store's clock.
    At(i64),
    /// It does not wait for a time.
    Never,
}

/// A change of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put {
    /// Which record.
    pub key: String,
    /// What must be there before.
    pub expect: Expect,
    /// What is there afterwards; `None` removes the record.
    pub value: Option<Vec<u8>>,
}

/// What a change expects of the record it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Nothing.
    Anything,
    /// That there is no such record.
    Absent,
    /// That the record has this version.
    Version(u64),
}

/// One row of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its place in the log, from 1.
    pub version: u64,
    /// What it says. The store does not read it.
    pub body: Vec<u8>,
}

/// A record as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Grows with every change. No version is used twice, even if the record is removed and made again.
    pub version: u64,
    /// What it says. The store does not read it.
    pub value: Vec<u8>,
}

/// A match as it was after a row of its log, so that earlier rows need not be read.
///
/// A store keeps the newest only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Whose snapshot.
    pub match_id: MatchId,
    /// The version of the last row it includes.
    pub version: u64,
    /// What it says. The store does not read it.
    pub body: Vec<u8>,
}

/// A match in a list of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Which match.
    pub match_id: MatchId,
    /// The version of the last row of its log; 0 if there is none.
    pub head: u64,
    /// When it wants to be woken, if at all.
    pub due_ms: Option<i64>,
}

/// How a change turned out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// Everything happened and is durable.
    Committed,
    /// Nothing happened: something is not as the transaction expected.
    Conflict(Conflict),
    /// Nothing happened, for this reason.
    DefinitelyNot(String),
    /// All of it happened or nothing: the store cannot tell, for this reason. Read again to know.
    Unknown(String),
}

/// The first thing that was not as a transaction expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The log ends elsewhere.
    Log {
        /// Whose log.
        match_id: MatchId,
        /// The version of its last row.
        head: u64,
    },
    /// The record is there, is not there, or has another version.
    Record {
        /// Which record.
        key: String,
    },
}
