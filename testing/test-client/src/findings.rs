//! Result of comparing journals with rows.

use std::collections::BTreeMap;

/// Result of comparing clients' journals with the rows of their matches.
#[derive(Clone, Debug, Default)]
pub struct ClientFindings {
    /// Commands, each counted once.
    pub commands: usize,
    /// Commands that were acknowledged.
    pub acknowledged: usize,
    /// Refused commands by problem code.
    pub refused: BTreeMap<String, usize>,
    /// Commands that were sent more than once.
    pub retried: usize,
    /// Acknowledged commands that are not in the log.
    pub lost: usize,
    /// Commands that are in the log more than once.
    pub doubled: usize,
    /// Questions that were open again with the same id after a reconnect.
    pub reopened: usize,
    /// Deadlines that fired.
    pub expired: usize,
    /// Deadlines that fired early.
    pub early: usize,
    /// Questions that stayed open long after their deadline.
    pub late: usize,
    /// Deadlines that fired more than once.
    pub twice: usize,
    /// Longest time until a question closed after its deadline.
    pub latest_ms: i64,
    /// Time banks that ran out.
    pub banks: usize,
    /// Connections of all clients.
    pub connections: usize,
    /// Missing versions.
    pub gaps: usize,
    /// Repeated versions.
    pub repeats: usize,
    /// Everything that is wrong.
    pub problems: Vec<String>,
}

impl ClientFindings {
    pub fn add_problem(&mut self, what: impl Into<String>) {
        self.problems.push(what.into());
    }

    pub fn add(&mut self, other: ClientFindings) {
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
        self.problems.extend(other.problems);
    }
}
