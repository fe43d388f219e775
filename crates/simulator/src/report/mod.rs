//! What a study found, for people and for tools.
//!
//! A [`Report`] is a study with its findings. [`Report::tables`] is what people read, in a terminal or on a
//! [page]; [`Report::json`] has all numbers. [`compare()`] tells two of them apart, [`sweep()`] lists many.

mod compare;
mod json;
mod numbers;
pub mod page;
mod plot;
mod sweep;
mod table;
mod trouble;
mod uses;

use intermezzo_ruleset::Program;

use crate::study::{Findings, Record, Study};
use crate::tally::Lengths;

pub use compare::compare;
pub use json::{compared_json, swept_json};
pub use numbers::{Estimate, mean_difference, share, share_difference, won_more};
pub use sweep::sweep;
pub use table::{Cell, Table, percent};
pub use trouble::{Trouble, fault_text};

/// A study with what it found.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What was played.
    pub study: &'a Study,
    /// What came of it.
    pub findings: &'a Findings,
}

impl<'a> Report<'a> {
    /// What was played, in one line.
    #[must_use]
    pub fn title(&self) -> String {
        let Study { program, bots, seats, .. } = self.study;
        let players = match bots.iter().any(|bot| bot != "random") {
            true => format!("of {}", bots.join(" against ")),
            false => "at random".to_owned(),
        };
        let matches = matches(self.findings.tally.matches);
        format!("{} {}: {matches} {players}, {seats} seats", plain(&program.name), plain(&program.version))
    }

    /// The options that are not as usual, as they are typed.
    #[must_use]
    pub fn options(&self) -> String {
        let options = self.study.options.iter();
        options.map(|(name, value)| format!("{name}={}", json::short(value))).collect::<Vec<_>>().join(" ")
    }

    /// Everything, as tables. Those about things and rules are long.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = vec![self.winners()];
        tables.extend(self.records("Bots", "bot", &self.findings.bots, &|at| self.study.bots[at].clone()));
        tables.extend(self.records("Decks", "deck", &self.findings.lots, &|at| self.lot(at)));
        tables.push(self.endings());
        tables.push(self.lengths());
        tables.push(self.choices());
        tables.extend(self.uses());
        tables.retain(|table| !table.rows.is_empty());
        tables
    }

    fn lot(&self, at: usize) -> String {
        self.study.lots.as_ref().map_or_else(String::new, |lots| lots.list[at].name.clone())
    }

    fn winners(&self) -> Table {
        let tally = &self.findings.tally;
        let mut table = Table::new("Wins", "", &["", "matches", "share and 95 % interval"]);
        let mut row = |name: String, count: u64| {
            let share = Cell::Share(share(count, tally.matches));
            table.rows.push(vec![Cell::Text(name), Cell::Count(count), share]);
        };
        tally.wins.iter().enumerate().for_each(|(seat, wins)| row(format!("seat {seat} wins"), *wins));
        row("nobody wins".to_owned(), tally.draws);
        table
    }

    fn records(
        &self,
        title: &str,
        what: &str,
        records: &[Record],
        name: &dyn Fn(usize) -> String,
    ) -> Option<Table> {
        let note = "They take turns at the seats.";
        let mut table = Table::new(title, note, &[what, "seats", "wins", "share and 95 % interval"]);
        for (at, record) in records.iter().enumerate() {
            let share = Cell::Share(share(record.won, record.played));
            let counts = [Cell::Count(record.played), Cell::Count(record.won)];
            table.rows.push([Cell::Text(name(at))].into_iter().chain(counts).chain([share]).collect());
        }
        (records.len() > 1).then_some(table)
    }

    fn endings(&self) -> Table {
        let tally = &self.findings.tally;
        let mut table = Table::new("Endings", "", &["", "matches", "share and 95 % interval"]);
        let outcomes = tally.outcomes.iter();
        let outcomes =
            outcomes.map(|(name, count)| (format!("ends {}", self.program().symbol(*name)), *count));
        let unfinished = format!("not over after {} inputs", self.study.max_inputs);
        let trouble = [(unfinished, tally.unfinished), ("a rule failed".to_owned(), tally.faulty)];
        for (name, count) in outcomes.chain(trouble.into_iter().filter(|(_, count)| *count > 0)) {
            let share = Cell::Share(share(count, tally.matches));
            table.rows.push(vec![Cell::Text(name), Cell::Count(count), share]);
        }
        table
    }

    fn lengths(&self) -> Table {
        let findings = self.findings;
        let note =
            "Who acts with something of their own plays; where nothing acts, who chooses something does.";
        let mut table = Table::new("Length", note, &["in a match", "mean", "median", "95 %", "longest"]);
        let mut row = |name: String, lengths: &Lengths| {
            let whole = [lengths.percentile(50), lengths.percentile(95), lengths.max()];
            let cells = [Cell::Text(name), Cell::Number(lengths.mean(), 1)].into_iter();
            table.rows.push(cells.chain(whole.map(|length| Cell::Count(u64::from(length)))).collect());
        };
        row("inputs".to_owned(), &findings.tally.inputs);
        row("events".to_owned(), &findings.tally.events);
        for (seat, decisions) in findings.decisions.iter().enumerate() {
            row(format!("decisions of seat {seat}"), decisions);
        }
        for (seat, before) in
            findings.first_play.iter().enumerate().filter(|(_, before)| before.matches() > 0)
        {
            row(format!("decisions before seat {seat} plays"), before);
        }
        table
    }

    fn choices(&self) -> Table {
        let tally = &self.findings.tally;
        let note = format!(
            "Questions have {:.1} legal answers on average; a match has {:.1} questions.",
            tally.branching(),
            tally.questions as f64 / tally.matches.max(1) as f64
        );
        let mut table = Table::new("Branching", &note, &["legal answers", "questions", "share"]);
        for (low, high, count) in self.findings.branching.ranges() {
            let name = if low == high { low.to_string() } else { format!("{low} to {high}") };
            let share = count as f64 / tally.questions.max(1) as f64;
            table.rows.push(vec![Cell::Text(name), Cell::Count(count), Cell::Percent(share)]);
        }
        table
    }

    pub(crate) fn program(&self) -> &'a Program {
        &self.study.program
    }
}

/// Words of a ruleset without what would confuse a terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

/// A number of matches with its noun.
#[must_use]
pub fn matches(count: u64) -> String {
    let noun = if count == 1 { "match" } else { "matches" };
    format!("{count} {noun}")
}
