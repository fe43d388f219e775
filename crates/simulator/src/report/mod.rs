//! Reports of experiments, for people and for tools.
//!
//! An [`ExperimentReport`] is an experiment with its findings. [`ExperimentReport::tables`] is for people, in a terminal
//! or on a [page]; [`ExperimentReport::json`] has all numbers. [`compare()`] shows the changes between two reports, and

//! [`sweep()`] lists many.

mod compare;
mod failures;
mod json;
mod numbers;
pub mod page;
mod plot;
mod sweep;
mod table;
mod usage;

use std::collections::BTreeMap;

use intermezzo_program::Program;

use crate::experiment::{Experiment, ExperimentFindings, WinRecord};
use crate::statistics::{LengthDistribution, ScoreDistribution};

pub use compare::compare;
pub use failures::{MatchProblem, fault_text};
pub use json::{comparison_json, sweep_json};
pub use numbers::{Estimate, mean, mean_difference, share, share_difference, won_more};
pub use sweep::sweep;
pub use table::{ReportTable, TableCell, percent};

/// Most rows of a table of scores.
const MAX_SCORE_ROWS: usize = 24;

/// Experiment with its findings.
#[derive(Clone, Copy, Debug)]
pub struct ExperimentReport<'a> {
    /// Experiment that was run.
    pub experiment: &'a Experiment,
    /// Its findings.
    pub findings: &'a ExperimentFindings,
}

impl<'a> ExperimentReport<'a> {
    /// Returns a title line.
    #[must_use]
    pub fn title(&self) -> String {
        let Experiment { program, bots, seats, .. } = self.experiment;
        let players = match bots.iter().any(|bot| bot != "random") {
            true => format!("of {}", bots.join(" against ")),
            false => "at random".to_owned(),
        };
        let matches = matches(self.findings.totals.matches);
        format!("{} {}: {matches} {players}, {seats} seats", plain(&program.name), plain(&program.version))
    }

    /// Returns the changed options, as typed on the command line.
    #[must_use]
    pub fn options(&self) -> String {
        let options = self.experiment.options.iter();
        options.map(|(name, value)| format!("{name}={}", json::short(value))).collect::<Vec<_>>().join(" ")
    }

    /// Returns all tables. Those about things and rules are long.
    #[must_use]
    pub fn tables(&self) -> Vec<ReportTable> {
        let mut tables = vec![self.winners()];
        tables.extend([self.scores(), self.score_distribution()]);
        tables
            .extend(self.records("Bots", "bot", &self.findings.bots, &|at| self.experiment.bots[at].clone()));
        tables.extend(self.records("Decks", "deck", &self.findings.decks, &|at| self.deck(at)));
        tables.push(self.endings());
        tables.push(self.lengths());
        tables.push(self.choices());
        tables.extend(self.uses());
        tables.retain(|table| !table.rows.is_empty());
        tables
    }

    fn deck(&self, at: usize) -> String {
        self.experiment.decks.as_ref().map_or_else(String::new, |decks| decks.list[at].name.clone())
    }

    fn winners(&self) -> ReportTable {
        let totals = &self.findings.totals;
        let mut table = ReportTable::new("Wins", "", &["", "matches", "share and 95 % interval"]);
        let mut row = |name: String, count: u64| {
            let share = TableCell::Share(share(count, totals.matches));
            table.rows.push(vec![TableCell::Text(name), TableCell::Count(count), share]);
        };
        match self.experiment.teams() {
            Some(teams) => teams.iter().enumerate().for_each(|(team, seats)| {
                let wins = seats.first().and_then(|seat| totals.wins.get(usize::from(*seat)));
                row(format!("{} wins", team_name(team, seats)), wins.copied().unwrap_or(0));
            }),
            None => {
                totals
                    .wins
                    .iter()
                    .enumerate()
                    .for_each(|(seat, wins)| row(format!("seat {seat} wins"), *wins));
            }
        }
        row("nobody wins".to_owned(), totals.draws);
        table
    }

    fn scores(&self) -> ReportTable {
        let columns = ["", "matches", "mean and 95 % interval", "deviation", "least", "median", "greatest"];
        let mut table = ReportTable::new("Score", "", &columns);
        let mut row = |name: String, scores: &ScoreDistribution| {
            let Some(mean) = mean(scores) else { return };
            let mut row =
                vec![TableCell::Text(name), TableCell::Count(scores.matches()), TableCell::Mean(mean)];
            row.push(TableCell::Number(scores.variance().sqrt(), 2));
            let range = [scores.min(), scores.percentile(50), scores.max()];
            row.extend(range.map(|score| TableCell::Number(score as f64, 0)));
            table.rows.push(row);
        };
        let findings = self.findings;
        for (seat, scores) in findings.totals.scores.iter().enumerate() {
            row(format!("seat {seat}"), scores);
        }
        for (at, scores) in findings.bot_scores.iter().enumerate().filter(|_| findings.bot_scores.len() > 1) {
            row(self.experiment.bots[at].clone(), scores);
        }
        for (at, scores) in findings.deck_scores.iter().enumerate().filter(|_| findings.deck_scores.len() > 1)
        {
            row(self.deck(at), scores);
        }
        table
    }

    /// Returns how often each score occurs; ranges of scores if many occur.
    fn score_distribution(&self) -> ReportTable {
        let mut table = ReportTable::new("Scores of all seats", "", &["score", "seats", "share"]);
        let mut all = ScoreDistribution::default();
        self.findings.totals.scores.iter().for_each(|scores| all.merge(scores));
        let (least, range) = (all.min(), all.max().saturating_sub(all.min()));
        let width =
            if all.counts().count() <= MAX_SCORE_ROWS { 1 } else { range / MAX_SCORE_ROWS as i64 + 1 };
        let mut rows: BTreeMap<i64, u64> = BTreeMap::new();
        for (score, count) in all.counts() {
            *rows.entry(score.saturating_sub(least) / width).or_default() += count;
        }
        for (number, count) in rows {
            let from = least.saturating_add(number.saturating_mul(width));
            let name = if width == 1 { from.to_string() } else { format!("{from} to {}", from + width - 1) };
            let share = TableCell::Share(share(count, all.matches()));
            table.rows.push(vec![TableCell::Text(name), TableCell::Count(count), share]);
        }
        table
    }

    fn records(
        &self,
        title: &str,
        what: &str,
        records: &[WinRecord],
        name: &dyn Fn(usize) -> String,
    ) -> Option<ReportTable> {
        let note = "They rotate through the seats.";
        let mut table = ReportTable::new(title, note, &[what, "seats", "wins", "share and 95 % interval"]);
        for (at, record) in records.iter().enumerate() {
            let share = TableCell::Share(share(record.won, record.played));
            let counts = [TableCell::Count(record.played), TableCell::Count(record.won)];
            table.rows.push([TableCell::Text(name(at))].into_iter().chain(counts).chain([share]).collect());
        }
        (records.len() > 1).then_some(table)
    }

    fn endings(&self) -> ReportTable {
        let totals = &self.findings.totals;
        let mut table = ReportTable::new("Endings", "", &["", "matches", "share and 95 % interval"]);
        let outcomes = totals.outcomes.iter();
        let outcomes =
            outcomes.map(|(name, count)| (format!("ends {}", self.program().symbol(*name)), *count));
        let unfinished = format!("not over after {} inputs", self.experiment.max_inputs);
        let trouble = [(unfinished, totals.unfinished), ("a rule failed".to_owned(), totals.faulty)];
        for (name, count) in outcomes.chain(trouble.into_iter().filter(|(_, count)| *count > 0)) {
            let share = TableCell::Share(share(count, totals.matches));
            table.rows.push(vec![TableCell::Text(name), TableCell::Count(count), share]);
        }
        table
    }

    fn lengths(&self) -> ReportTable {
        let findings = self.findings;
        let note = "A play is an action with an entity of one's own, or any choice in rulesets without such actions.";
        let mut table =
            ReportTable::new("Length", note, &["in a match", "mean", "median", "95 %", "longest"]);
        let mut row = |name: String, lengths: &LengthDistribution| {
            let whole = [lengths.percentile(50), lengths.percentile(95), lengths.max()];
            let cells = [TableCell::Text(name), TableCell::Number(lengths.mean(), 1)].into_iter();
            table.rows.push(cells.chain(whole.map(|length| TableCell::Count(u64::from(length)))).collect());
        };
        row("inputs".to_owned(), &findings.totals.inputs);
        row("events".to_owned(), &findings.totals.events);
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

    fn choices(&self) -> ReportTable {
        let totals = &self.findings.totals;
        let note = format!(
            "Questions have {:.1} legal answers on average; a match has {:.1} questions.",
            totals.branching(),
            totals.questions as f64 / totals.matches.max(1) as f64
        );
        let mut table = ReportTable::new("Branching", &note, &["legal answers", "questions", "share"]);
        for (low, high, count) in self.findings.branching.ranges() {
            let name = if low == high { low.to_string() } else { format!("{low} to {high}") };
            let share = count as f64 / totals.questions.max(1) as f64;
            table.rows.push(vec![TableCell::Text(name), TableCell::Count(count), TableCell::Percent(share)]);
        }
        table
    }

    pub(crate) fn program(&self) -> &'a Program {
        &self.experiment.program
    }
}

/// Removes control characters, which would confuse a terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

/// Returns the name of a team with its seats.
fn team_name(team: usize, seats: &[u8]) -> String {
    let list: Vec<String> = seats.iter().map(u8::to_string).collect();
    format!("team {team} (seat{} {})", if seats.len() == 1 { "" } else { "s" }, list.join(", "))
}

/// Formats a number of matches.
#[must_use]
pub fn matches(count: u64) -> String {
    let noun = if count == 1 { "match" } else { "matches" };
    format!("{count} {noun}")
}
