//! What a siege has come to.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use intermezzo_client::Findings;

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
    /// What came of comparing the clients' journals with the rows.
    pub found: Findings,
    /// What all holders of tokens have together; 0 if the books are right.
    pub ledger_sum: i64,
    /// Staked matches that were settled.
    pub settled: usize,
    /// Streams of clients that were compared with the log.
    pub streams: usize,
    /// Match files that were verified.
    pub verified: usize,
    /// How long each start of the server took.
    pub starts: Vec<Duration>,
    /// How long clients took to be welcome again after their connection was lost.
    pub returns: Vec<Duration>,
    /// How many milliseconds after the time of its row each client heard of a version.
    pub heard_after: Vec<u64>,
    /// What was done to several servers and what they stand on, besides killing servers: how often, by what.
    pub strikes: BTreeMap<&'static str, usize>,
    /// For how long nothing was acknowledged around each of them, at the longest, in milliseconds.
    pub silences: BTreeMap<&'static str, Vec<u64>>,
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.found.faults.is_empty()
    }

    pub(crate) fn fault(&mut self, what: impl Into<String>) {
        self.found.faults.push(what.into());
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
                self.found.commands,
                self.found.acknowledged,
                self.found.refused.values().sum::<usize>(),
                self.found.retried
            ),
        )?;
        let refused: Vec<String> =
            self.found.refused.iter().map(|(code, count)| format!("{count} {code}")).collect();
        line("refused", refused.join(", "))?;
        line("lost", self.found.lost.to_string())?;
        line("doubled", self.found.doubled.to_string())?;
        line("questions", format!("{} open again with the same id", self.found.reopened))?;
        line(
            "deadlines",
            format!(
                "{} fired, {} early, {} late, {} twice, {} ms after time at most; {} banks ran out",
                self.found.expired,
                self.found.early,
                self.found.late,
                self.found.twice,
                self.found.latest_ms,
                self.found.banks
            ),
        )?;
        line("ledger", format!("sum {}, {} matches settled", self.ledger_sum, self.settled))?;
        line(
            "streams",
            format!(
                "{} checked over {} connections, {} gaps, {} repeats",
                self.streams, self.found.connections, self.found.gaps, self.found.repeats
            ),
        )?;
        line("match files", format!("{} verified", self.verified))?;
        if !self.starts.is_empty() {
            let (half, most) =
                (self.start_ms(|count| count / 2), self.start_ms(|count| count.saturating_sub(1)));
            line("start", format!("{half} ms (p50), {most} ms (max)"))?;
        }
        let mut returns: Vec<u64> = self.returns.iter().map(|took| took.as_millis() as u64).collect();
        line("back again", format!("{} times, after {}", returns.len(), spread(&mut returns)))?;
        line("heard of rows", format!("after {}", spread(&mut self.heard_after.clone())))?;
        for (what, often) in &self.strikes {
            let mut took = self.silences.get(what).cloned().unwrap_or_default();
            line(what, format!("{often} times; nothing acknowledged for {}", spread(&mut took)))?;
        }
        line("wrong", self.found.faults.len().to_string())?;
        self.found.faults.iter().take(MAX_TOLD).try_for_each(|fault| writeln!(f, "  {fault}"))
    }
}

/// The middle and the ends of many times.
fn spread(ms: &mut [u64]) -> String {
    ms.sort_unstable();
    let at = |percent: usize| ms.get(ms.len().saturating_sub(1) * percent / 100).copied().unwrap_or(0);
    format!("{} ms (p50), {} ms (p99), {} ms (max)", at(50), at(99), at(100))
}
