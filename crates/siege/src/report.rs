//! What a siege has come to.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// So many faults are told.
const MAX_TOLD: usize = 25;

/// What a siege has come to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How often the server was killed, and how often of these while it started.
    pub kills: usize,
    /// Of these, while it was starting.
    pub kills_at_start: usize,
    /// Matches that were played to their end, and their rows.
    pub matches: usize,
    /// Rows of all matches.
    pub rows: usize,
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
    /// What all holders of tokens have together; 0 if the books are right.
    pub ledger_sum: i64,
    /// Staked matches that were settled.
    pub settled: usize,
    /// Streams of clients that were compared with the log.
    pub streams: usize,
    /// Connections that were made by clients.
    pub connections: usize,
    /// Versions that were left out.
    pub gaps: usize,
    /// Versions that came again.
    pub repeats: usize,
    /// Match files that were verified.
    pub verified: usize,
    /// How long each start of the server took.
    pub starts: Vec<Duration>,
    /// Everything that is wrong.
    pub faults: Vec<String>,
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.faults.is_empty()
    }

    pub(crate) fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(what.into());
    }

    fn start_ms(&self, place: impl FnOnce(usize) -> usize) -> u128 {
        let mut starts = self.starts.clone();
        starts.sort_unstable();
        starts.get(place(starts.len())).map_or(0, Duration::as_millis)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: String| writeln!(f, "{name:<22} {value}");
        line("kills", format!("{}, {} of them while it started", self.kills, self.kills_at_start))?;
        line("matches", format!("{} with {} rows", self.matches, self.rows))?;
        line(
            "commands",
            format!(
                "{} sent, {} acknowledged, {} refused, {} sent again",
                self.commands,
                self.acknowledged,
                self.refused.values().sum::<usize>(),
                self.retried
            ),
        )?;
        let refused: Vec<String> =
            self.refused.iter().map(|(code, count)| format!("{count} {code}")).collect();
        line("refused", refused.join(", "))?;
        line("lost", self.lost.to_string())?;
        line("doubled", self.doubled.to_string())?;
        line("questions", format!("{} open again with the same id", self.reopened))?;
        line(
            "deadlines",
            format!(
                "{} fired, {} early, {} late, {} twice, {} ms after time at most; {} banks ran out",
                self.expired, self.early, self.late, self.twice, self.latest_ms, self.banks
            ),
        )?;
        line("ledger", format!("sum {}, {} matches settled", self.ledger_sum, self.settled))?;
        line(
            "streams",
            format!(
                "{} checked over {} connections, {} gaps, {} repeats",
                self.streams, self.connections, self.gaps, self.repeats
            ),
        )?;
        line("match files", format!("{} verified", self.verified))?;
        let (half, most) = (self.start_ms(|count| count / 2), self.start_ms(|count| count.saturating_sub(1)));
        line("start", format!("{half} ms (p50), {most} ms (max)"))?;
        line("wrong", self.faults.len().to_string())?;
        self.faults.iter().take(MAX_TOLD).try_for_each(|fault| writeln!(f, "  {fault}"))
    }
}
