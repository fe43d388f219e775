//! What storms have come to.

use std::fmt;
use std::time::Duration;

use crate::checking::Checked;
use crate::weather::{Fault, KIND_COUNT};

/// What the storm of one seed has come to, or those of many together.
#[derive(Debug, Default)]
pub struct Report {
    /// How many seeds.
    pub seeds: u64,
    /// Time that has passed in their worlds.
    pub virtual_time: Duration,
    /// Faults, by kind.
    pub struck: [u64; KIND_COUNT],
    /// Matches that were played, and their rows.
    pub matches: usize,
    /// Rows of all of them.
    pub rows: usize,
    /// What came of comparing the players' journals with the rows.
    pub found: intermezzo_client::Findings,
    /// What is wrong.
    pub wrong: Vec<String>,
    /// The last lines of the trace, if there is one.
    pub trace: Vec<String>,
    /// Stands for all of the trace.
    pub trace_hash: String,
}

impl Report {
    pub(crate) fn new(virtual_time: Duration, struck: [u64; KIND_COUNT], checked: Checked) -> Report {
        let Checked { matches, rows, found } = checked;
        Report { seeds: 1, virtual_time, struck, matches, rows, found, ..Report::default() }
    }

    /// Adds what another seed has come to.
    pub fn add(&mut self, other: Report) {
        self.seeds += other.seeds;
        self.virtual_time += other.virtual_time;
        self.struck.iter_mut().zip(other.struck).for_each(|(all, more)| *all += more);
        self.matches += other.matches;
        self.rows += other.rows;
        self.found.add(other.found);
        self.wrong.extend(other.wrong);
    }

    /// How often faults of that kind have struck.
    #[must_use]
    pub fn struck(&self, fault: Fault) -> u64 {
        self.struck[fault as usize]
    }
}

impl fmt::Display for Report {
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
        line("lost, doubled", format!("{}, {}", found.lost, found.doubled))?;
        let (expired, early, twice) = (found.expired, found.early, found.twice);
        line(
            "deadlines",
            format!("{expired} fired, {early} early, {twice} twice, {} banks ran out", found.banks),
        )?;
        let (gaps, repeats) = (found.gaps, found.repeats);
        line("connections", format!("{}, {gaps} gaps, {repeats} repeats", found.connections))?;
        for fault in Fault::all() {
            line(&format!("  {}", fault.name()), self.struck(fault).to_string())?;
        }
        line("wrong", self.wrong.len().to_string())
    }
}
