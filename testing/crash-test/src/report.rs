//! Results of a crash test.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use intermezzo_test_client::ClientFindings;

/// Number of problems that the report prints.
const MAX_PROBLEMS: usize = 25;

/// Results of a crash test.
#[derive(Clone, Debug, Default)]
pub struct CrashTestReport {
    /// Number of kills, or of faults with several servers.
    pub kills: usize,
    /// Number of kills while the server started.
    pub kills_at_start: usize,
    /// Number of times a single server was frozen.
    pub freezes: usize,
    /// Durations of the stops that a single server reports: those and the ones of a busy machine.
    pub reported_stop_ms: Vec<i64>,
    /// Number of matches that were played to their end.
    pub matches: usize,
    /// Number of rows of all matches.
    pub rows: usize,
    /// Result of comparing the clients' journals with the rows.
    pub found: ClientFindings,
    /// Sum of all balances; 0 if the ledger is right.
    pub ledger_sum: i64,
    /// Number of staked matches that were settled.
    pub settled: usize,
    /// Number of client streams that were compared with the log.
    pub streams: usize,
    /// Number of match files that were verified.
    pub verified: usize,
    /// Durations of the server's starts.
    pub starts: Vec<Duration>,
    /// Times from a lost connection to the next welcome.
    pub reconnects: Vec<Duration>,
    /// Milliseconds from the timestamp of a row until each client received it.
    pub delivery_ms: Vec<u64>,
    /// Number of faults by kind, with several servers.
    pub injected: BTreeMap<&'static str, usize>,
    /// Longest times without an acknowledgement around each fault, in milliseconds.
    pub stalls: BTreeMap<&'static str, Vec<u64>>,
}

impl CrashTestReport {
    /// Returns true if no problem was found.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.found.problems.is_empty()
    }

    pub(crate) fn add_problem(&mut self, what: impl Into<String>) {
        self.found.problems.push(what.into());
    }

    fn start_ms(&self, place: impl FnOnce(usize) -> usize) -> u128 {
        let mut starts = self.starts.clone();
        starts.sort_unstable();
        starts.get(place(starts.len())).map_or(0, Duration::as_millis)
    }
}

impl fmt::Display for CrashTestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: String| writeln!(f, "{name:<22} {value}");
        line("kills", format!("{}, {} of them during start", self.kills, self.kills_at_start))?;
        if self.freezes > 0 {
            let (stops, ms) = (self.reported_stop_ms.len(), self.reported_stop_ms.iter().sum::<i64>());
            line("frozen", format!("{} times; {stops} stops noticed, {ms} ms together", self.freezes))?;
        }
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
        line("duplicated", self.found.doubled.to_string())?;
        line("questions", format!("{} reopened with the same id", self.found.reopened))?;
        line(
            "deadlines",
            format!(
                "{} fired, {} early, {} late, {} twice, at most {} ms after the deadline; {} banks ran out",
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
        let mut reconnects: Vec<u64> = self.reconnects.iter().map(|took| took.as_millis() as u64).collect();
        line("reconnects", format!("{} times, after {}", reconnects.len(), spread(&mut reconnects)))?;
        line("delivery", format!("after {}", spread(&mut self.delivery_ms.clone())))?;
        for (what, often) in &self.injected {
            let mut took = self.stalls.get(what).cloned().unwrap_or_default();
            line(what, format!("{often} times; nothing acknowledged for {}", spread(&mut took)))?;
        }
        line("problems", self.found.problems.len().to_string())?;
        self.found.problems.iter().take(MAX_PROBLEMS).try_for_each(|fault| writeln!(f, "  {fault}"))
    }
}

/// Returns the median, the 99th percentile and the maximum as text.
fn spread(ms: &mut [u64]) -> String {
    ms.sort_unstable();
    let at = |percent: usize| ms.get(ms.len().saturating_sub(1) * percent / 100).copied().unwrap_or(0);
    format!("{} ms (p50), {} ms (p99), {} ms (max)", at(50), at(99), at(100))
}
