//! Results of simulations.

use std::fmt;
use std::time::Duration;

use crate::fault_plan::{FaultKind, KIND_COUNT};
use crate::verification::VerificationSummary;

/// Results of one simulation, or of several combined.
#[derive(Debug, Default)]
pub struct DstReport {
    /// Number of seeds.
    pub seeds: u64,
    /// Simulated time.
    pub virtual_time: Duration,
    /// Number of injected faults by kind.
    pub injected: [u64; KIND_COUNT],
    /// Number of matches.
    pub matches: usize,
    /// Number of rows of all matches.
    pub rows: usize,
    /// Result of comparing the players' journals with the rows.
    pub found: intermezzo_test_client::ClientFindings,
    /// Everything that is wrong.
    pub problems: Vec<String>,
    /// Last lines of the trace, if one was recorded.
    pub trace: Vec<String>,
    /// Hash of the whole trace.
    pub trace_hash: String,
}

impl DstReport {
    pub(crate) fn new(
        virtual_time: Duration,
        injected: [u64; KIND_COUNT],
        checked: VerificationSummary,
    ) -> DstReport {
        let VerificationSummary { matches, rows, found } = checked;
        DstReport { seeds: 1, virtual_time, injected, matches, rows, found, ..DstReport::default() }
    }

    /// Adds the results of another simulation.
    pub fn add(&mut self, other: DstReport) {
        self.seeds += other.seeds;
        self.virtual_time += other.virtual_time;
        self.injected.iter_mut().zip(other.injected).for_each(|(all, more)| *all += more);
        self.matches += other.matches;
        self.rows += other.rows;
        self.found.add(other.found);
        self.problems.extend(other.problems);
    }

    /// Returns the number of injected faults of that kind.
    #[must_use]
    pub fn injected(&self, fault: FaultKind) -> u64 {
        self.injected[fault as usize]
    }
}

impl fmt::Display for DstReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = &self.found;
        let mut line = |name: &str, value: String| writeln!(f, "{name:<22} {value}");
        let hours = self.virtual_time.as_secs_f64() / 3600.0;
        line("seeds", format!("{}, {hours:.1} virtual hours", self.seeds))?;
        line("matches", format!("{} with {} rows", self.matches, self.rows))?;
        let refused = found.refused.values().sum::<usize>();
        let (sent, taken, again) = (found.commands, found.acknowledged, found.retried);
        line(
            "commands",
            format!("{sent} sent, {taken} acknowledged, {refused} refused, {again} sent again"),
        )?;
        line("lost, duplicated", format!("{}, {}", found.lost, found.doubled))?;
        let (expired, early, twice) = (found.expired, found.early, found.twice);
        line(
            "deadlines",
            format!("{expired} fired, {early} early, {twice} twice, {} banks ran out", found.banks),
        )?;
        let (gaps, repeats) = (found.gaps, found.repeats);
        line("connections", format!("{}, {gaps} gaps, {repeats} repeats", found.connections))?;
        for fault in FaultKind::all() {
            line(&format!("  {}", fault.name()), self.injected(fault).to_string())?;
        }
        line("problems", self.problems.len().to_string())
    }
}
