//! Reports as JSON with all numbers. The same experiment produces the same bytes.

use intermezzo_engine::{Datum, RuleFault};
use intermezzo_program::CoverageKind;
use serde_json::{Map, Value, json};

use super::numbers::{Estimate, mean, share, won_more};
use super::table::{ReportTable, TableCell};
use super::{ExperimentReport, fault_text};
use crate::experiment::{UsageStatistics, WinRecord};
use crate::statistics::{LengthDistribution, ScoreDistribution};

impl ExperimentReport<'_> {
    /// Returns the whole report.
    #[must_use]
    pub fn json(&self) -> Value {
        let (experiment, findings) = (self.experiment, self.findings);
        let (totals, program) = (&findings.totals, self.program());
        let counted = |count: u64| {
            let Estimate { value, low, high } = share(count, totals.matches);
            json!({"matches": count, "share": value, "low": low, "high": high})
        };
        let outcomes = totals.outcomes.iter();
        let outcomes = outcomes.map(|(name, count)| (program.symbol(*name).to_owned(), counted(*count)));
        let named = |faults: &[(u64, RuleFault)]| {
            let named =
                |(seed, fault): &(u64, RuleFault)| json!({"seed": seed, "fault": fault_text(program, fault)});
            faults.iter().map(named).collect::<Value>()
        };
        let options = experiment.options.iter().map(|(name, value)| (name.to_string(), plain(value)));
        let sizes = findings.branching.ranges();
        let sizes =
            sizes.map(|(low, high, questions)| json!({"from": low, "to": high, "questions": questions}));
        let mut json = json!({
            "ruleset": {"id": program.id, "version": program.version},
            "options": options.collect::<Map<_, _>>(),
            "seats": experiment.seats,
            "seed": experiment.seed,
            "matches": totals.matches,
            "wins": totals.wins.iter().map(|wins| counted(*wins)).collect::<Value>(),
            "draws": counted(totals.draws),
            "outcomes": outcomes.collect::<Map<_, _>>(),
            "bots": records(&findings.bots, |at| experiment.bots[at].clone()),
            "decks": records(&findings.decks, |at| self.deck(at)),
            "inputs": lengths(&totals.inputs),
            "events": lengths(&totals.events),
            "decisions": findings.decisions.iter().map(lengths).collect::<Value>(),
            "questions": totals.questions,
            "branching": totals.branching(),
            "branchingSizes": sizes.collect::<Value>(),
            "firstPlay": findings.first_play.iter().map(lengths).collect::<Value>(),
            "neverPlayed": findings.never_played,
        });
        let more = json!({
            "things": self.uses_json(&self.things()),
            "actions": self.uses_json(&self.rules(CoverageKind::Action)),
            "abilities": self.uses_json(&self.rules(CoverageKind::Ability)),
            "reactions": self.uses_json(&self.rules(CoverageKind::Reaction)),
            "prevented": self.prevented_json(),
            "unfinished": totals.unfinished,
            "unfinishedSeeds": totals.unfinished_seeds,
            "faults": totals.faulty,
            "faultySeeds": named(&totals.faults),
            "failures": totals.failing,
            "failingSeeds": named(&totals.failures),
            "rejected": totals.rejected,
        });
        if let (Value::Object(json), Value::Object(more)) = (&mut json, more) {
            json.extend(more);
            if let Some(teams) = experiment.teams() {
                let wins = |seats: &Vec<u8>| seats.first().map_or(0, |seat| totals.wins[usize::from(*seat)]);
                let teams = teams.iter().map(|seats| json!({"seats": seats, "wins": counted(wins(seats))}));
                json.insert("teams".to_owned(), teams.collect());
            }
            if program.score_type().is_some() {
                json.insert("scores".to_owned(), self.scores_json());
            }
        }
        json
    }

    fn scores_json(&self) -> Value {
        let findings = self.findings;
        let one = |scores: &ScoreDistribution| {
            let counts = scores.counts().map(|(score, matches)| json!({"score": score, "matches": matches}));
            json!({
                "matches": scores.matches(),
                "mean": mean(scores).map(|Estimate { value, low, high }| json!({"value": value, "low": low, "high": high})),
                "deviation": scores.variance().sqrt(),
                "least": scores.min(),
                "median": scores.percentile(50),
                "greatest": scores.max(),
                "distribution": counts.collect::<Value>(),
            })
        };
        let named = |scores: &[ScoreDistribution], name: &dyn Fn(usize) -> String| {
            let scores = scores.iter().enumerate().map(|(at, scores)| {
                let mut json = one(scores);
                json["name"] = json!(name(at));
                json
            });
            scores.collect::<Value>()
        };
        json!({
            "seats": findings.totals.scores.iter().map(one).collect::<Value>(),
            "bots": named(&findings.bot_scores, &|at| self.experiment.bots[at].clone()),
            "decks": named(&findings.deck_scores, &|at| self.deck(at)),
        })
    }

    fn uses_json(&self, uses: &[(String, UsageStatistics)]) -> Value {
        let one = |(name, found): &(String, UsageStatistics)| {
            let record = |record: WinRecord| json!({"seats": record.played, "wins": record.won});
            json!({
                "name": name,
                "seen": found.seen,
                "matches": found.matches,
                "times": found.times,
                "with": record(found.with),
                "without": record(found.without),
                "difference": won_more(found.with, found.without).map(estimate),
            })
        };
        uses.iter().map(one).collect()
    }

    fn prevented_json(&self) -> Value {
        let one = |(event, rule, found): (String, String, UsageStatistics)| json!({"event": event, "by": rule, "times": found.times, "matches": found.matches});
        self.prevented().into_iter().map(one).collect()
    }
}

/// Returns the reports of a sweep.
#[must_use]
pub fn sweep_json(reports: &[ExperimentReport<'_>]) -> Value {
    json!({"sweep": reports.iter().map(ExperimentReport::json).collect::<Value>()})
}

/// Returns two reports and their differences.
#[must_use]
pub fn comparison_json(before: &ExperimentReport<'_>, after: &ExperimentReport<'_>) -> Value {
    let tables = super::compare(before, after);
    let changes = tables.iter().map(|table| (table.title.clone(), table_json(table)));
    json!({"before": before.json(), "after": after.json(), "changes": changes.collect::<Map<_, _>>()})
}

fn table_json(table: &ReportTable) -> Value {
    let cell = |cell: &TableCell| match cell {
        TableCell::Text(text) => json!(text),
        TableCell::Count(count) => json!(count),
        TableCell::Number(number, _) | TableCell::Percent(number) => json!(number),
        TableCell::Share(value)
        | TableCell::Mean(value)
        | TableCell::Points(value)
        | TableCell::Difference(value) => estimate(*value),
        TableCell::Nothing => Value::Null,
    };
    let row = |row: &Vec<TableCell>| {
        let columns = table.columns.iter().map(|name| if name.is_empty() { "name" } else { name.as_str() });
        columns.map(str::to_owned).zip(row.iter().map(cell)).collect::<Map<_, _>>()
    };
    table.rows.iter().map(|cells| Value::Object(row(cells))).collect()
}

fn estimate(estimate: Estimate) -> Value {
    let Estimate { value, low, high } = estimate;
    json!({"value": value, "low": low, "high": high, "significant": estimate.is_significant()})
}

fn records(records: &[WinRecord], name: impl Fn(usize) -> String) -> Value {
    let one = |(at, record): (usize, &WinRecord)| {
        let Estimate { value, low, high } = share(record.won, record.played);
        json!({"name": name(at), "seats": record.played, "wins": record.won, "share": value, "low": low, "high": high})
    };
    records.iter().enumerate().map(one).collect()
}

fn lengths(lengths: &LengthDistribution) -> Value {
    json!({
        "mean": lengths.mean(),
        "median": lengths.percentile(50),
        "p95": lengths.percentile(95),
        "max": lengths.max(),
    })
}

/// Formats a value in one short line.
pub(crate) fn short(value: &Datum) -> String {
    let text = plain(value).to_string().replace('"', "");
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn plain(value: &Datum) -> Value {
    match value {
        Datum::Null => Value::Null,
        Datum::Bool(value) => json!(value),
        Datum::Int(value) => json!(value),
        Datum::Text(value) => json!(value.as_str()),
        Datum::List(items) => items.iter().map(plain).collect(),
        Datum::Map(entries) => {
            Value::Object(entries.iter().map(|(name, value)| (name.to_string(), plain(value))).collect())
        }
    }
}
