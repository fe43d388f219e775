//! Reports as JSON: all numbers, the same bytes for the same study.

use intermezzo_engine::{Datum, Fault};
use intermezzo_ruleset::ProbeKind;
use serde_json::{Map, Value, json};

use super::numbers::{Estimate, share, won_more};
use super::table::{Cell, Table};
use super::{Report, fault_text};
use crate::study::{Record, Use};
use crate::tally::Lengths;

impl Report<'_> {
    /// The whole report.
    #[must_use]
    pub fn json(&self) -> Value {
        let (study, findings) = (self.study, self.findings);
        let (tally, program) = (&findings.tally, self.program());
        let counted = |count: u64| {
            let Estimate { value, low, high } = share(count, tally.matches);
            json!({"matches": count, "share": value, "low": low, "high": high})
        };
        let outcomes = tally.outcomes.iter();
        let outcomes = outcomes.map(|(name, count)| (program.symbol(*name).to_owned(), counted(*count)));
        let named = |faults: &[(u64, Fault)]| {
            let named =
                |(seed, fault): &(u64, Fault)| json!({"seed": seed, "fault": fault_text(program, fault)});
            faults.iter().map(named).collect::<Value>()
        };
        let options = study.options.iter().map(|(name, value)| (name.to_string(), plain(value)));
        let sizes = findings.branching.ranges();
        let sizes =
            sizes.map(|(low, high, questions)| json!({"from": low, "to": high, "questions": questions}));
        let mut json = json!({
            "ruleset": {"id": program.id, "version": program.version},
            "options": options.collect::<Map<_, _>>(),
            "seats": study.seats,
            "seed": study.seed,
            "matches": tally.matches,
            "wins": tally.wins.iter().map(|wins| counted(*wins)).collect::<Value>(),
            "draws": counted(tally.draws),
            "outcomes": outcomes.collect::<Map<_, _>>(),
            "bots": records(&findings.bots, |at| study.bots[at].clone()),
            "decks": records(&findings.lots, |at| self.lot(at)),
            "inputs": lengths(&tally.inputs),
            "events": lengths(&tally.events),
            "decisions": findings.decisions.iter().map(lengths).collect::<Value>(),
            "questions": tally.questions,
            "branching": tally.branching(),
            "branchingSizes": sizes.collect::<Value>(),
            "firstPlay": findings.first_play.iter().map(lengths).collect::<Value>(),
            "neverPlayed": findings.never_played,
        });
        let more = json!({
            "things": self.uses_json(&self.things()),
            "actions": self.uses_json(&self.rules(ProbeKind::Action)),
            "abilities": self.uses_json(&self.rules(ProbeKind::Ability)),
            "reactions": self.uses_json(&self.rules(ProbeKind::Reaction)),
            "prevented": self.prevented_json(),
            "unfinished": tally.unfinished,
            "unfinishedSeeds": tally.unfinished_seeds,
            "faults": tally.faulty,
            "faultySeeds": named(&tally.faults),
            "failures": tally.failing,
            "failingSeeds": named(&tally.failures),
            "rejected": tally.rejected,
        });
        if let (Value::Object(json), Value::Object(more)) = (&mut json, more) {
            json.extend(more);
        }
        json
    }

    fn uses_json(&self, uses: &[(String, Use)]) -> Value {
        let one = |(name, found): &(String, Use)| {
            let record = |record: Record| json!({"seats": record.played, "wins": record.won});
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
        let one = |(event, rule, found): (String, String, Use)| json!({"event": event, "by": rule, "times": found.times, "matches": found.matches});
        self.prevented().into_iter().map(one).collect()
    }
}

/// Reports of a sweep.
#[must_use]
pub fn swept_json(reports: &[Report<'_>]) -> Value {
    json!({"sweep": reports.iter().map(Report::json).collect::<Value>()})
}

/// Two reports with what differs.
#[must_use]
pub fn compared_json(before: &Report<'_>, after: &Report<'_>) -> Value {
    let tables = super::compare(before, after);
    let changes = tables.iter().map(|table| (table.title.clone(), table_json(table)));
    json!({"before": before.json(), "after": after.json(), "changes": changes.collect::<Map<_, _>>()})
}

fn table_json(table: &Table) -> Value {
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) => json!(text),
        Cell::Count(count) => json!(count),
        Cell::Number(number, _) | Cell::Percent(number) => json!(number),
        Cell::Share(value) | Cell::Points(value) | Cell::Difference(value) => estimate(*value),
        Cell::Nothing => Value::Null,
    };
    let row = |row: &Vec<Cell>| {
        let columns = table.columns.iter().map(|name| if name.is_empty() { "name" } else { name.as_str() });
        columns.map(str::to_owned).zip(row.iter().map(cell)).collect::<Map<_, _>>()
    };
    table.rows.iter().map(|cells| Value::Object(row(cells))).collect()
}

fn estimate(estimate: Estimate) -> Value {
    let Estimate { value, low, high } = estimate;
    json!({"value": value, "low": low, "high": high, "significant": estimate.is_significant()})
}

fn records(records: &[Record], name: impl Fn(usize) -> String) -> Value {
    let one = |(at, record): (usize, &Record)| {
        let Estimate { value, low, high } = share(record.won, record.played);
        json!({"name": name(at), "seats": record.played, "wins": record.won, "share": value, "low": low, "high": high})
    };
    records.iter().enumerate().map(one).collect()
}

fn lengths(lengths: &Lengths) -> Value {
    json!({
        "mean": lengths.mean(),
        "median": lengths.percentile(50),
        "p95": lengths.percentile(95),
        "max": lengths.max(),
    })
}

/// A value in one short line.
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
