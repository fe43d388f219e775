//! What comes of comparing journals with rows.

use std::collections::BTreeMap;

/// What comes of comparing the journals of clients with the rows of their matches.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Commands, each counted once.
    pub commands: usize,
    /// Commands that were acknowledged.
    pub acknowledged: usize,
    /// Commands that were refused, by the code of the problem.
    pub refused: BTreeMap<String, usize>,
    /// Commands that were sent more than once.
    pub retried: usize,
    /// Acknowledged commands that are not in the log.
    pub lost: usize,
    /// Commands that are in the log more than once.
    pub doubled: usize,
    /// Questions that were open again with the same id after the connection was lost.
    pub reopened: usize,
    /// Questions whose time ran out.
    pub expired: usize,
    /// Of these: before their time.
    pub early: usize,
    /// Questions that stayed open long after their time.
    pub late: usize,
    /// Questions whose time ran out more than once.
    pub twice: usize,
    /// The latest that a question was closed after its time.
    pub latest_ms: i64,
    /// Banks that ran out.
    pub banks: usize,
    /// Connections that were made by clients.
    pub connections: usize,
    /// Versions that were left out.
    pub gaps: usize,
    /// Versions that came again.
    pub repeats: usize,
    /// Everything that is wrong.
    pub faults: Vec<String>,
}

impl Findings {
    /// Something is wrong.
    pub fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(what.into());
    }

    /// Adds others.
    pub fn add(&mut self, other: Findings) {
        self.commands += other.commands;
        self.acknowledged += other.acknowledged;
        other.refused.into_iter().for_each(|(code, count)| *self.refused.entry(code).or_default() += count);
        self.retried += other.retried;
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.reopened += other.reopened;
        self.expired += other.expired;
        self.early += other.early;
        self.late += other.late;
        self.twice += other.twice;
        self.latest_ms = self.latest_ms.max(other.latest_ms);
        self.banks += other.banks;
        self.connections += other.connections;
        self.gaps += other.gaps;
        self.repeats += other.repeats;
        self.faults.extend(other.faults);
    }
}
