//! What came of many matches, for people and for tools.

use intermezzo_ruleset::Program;
use serde_json::{Value, json};

use super::counts::{Counts, Lengths, wilson};
use crate::out::{BAD, DIM, HEAD, Out, say};
use crate::sentences::clean;

pub(crate) struct Report<'a> {
    pub(crate) program: &'a Program,
    pub(crate) counts: &'a Counts,
    pub(crate) seats: u8,
    pub(crate) seconds: f64,
}

impl Report<'_> {
    pub(crate) fn show(&self, out: &mut Out) {
        let counts = self.counts;
        let program = self.program;
        say!(
            out,
            "{HEAD}{} {}{HEAD:#}: {} at random, {} seats",
            clean(&program.name),
            clean(&program.version),
            matches(counts.matches),
            self.seats
        );
        say!(out, "  {DIM}{:<18}{:>9}  {:>7}  95 % interval{DIM:#}", "", "matches", "share");
        for (seat, wins) in counts.wins.iter().enumerate() {
            self.share(out, &format!("seat {seat} wins"), *wins);
        }
        self.share(out, "nobody wins", counts.draws);
        for (outcome, count) in &counts.outcomes {
            self.share(out, &format!("ends {}", program.symbol(*outcome)), *count);
        }
        say!(out, "  {DIM}{:<18}{:>9}  {:>7}  {:>7}  {:>7}{DIM:#}", "", "mean", "median", "95 %", "max");
        for (name, lengths) in [("inputs", &counts.inputs), ("events", &counts.events)] {
            let (median, p95) = (lengths.percentile(50), lengths.percentile(95));
            say!(out, "  {name:<18}{:>9.1}  {median:>7}  {p95:>7}  {:>7}", lengths.mean(), lengths.max());
        }
        say!(out, "  {:<18}{:>9.1}", "legal answers", self.branching());
        say!(out, "  {:<18}{:>9.0}", "matches per second", self.speed());
        self.show_trouble(out);
    }

    fn share(&self, out: &mut Out, name: &str, count: u64) {
        let (low, high) = wilson(count, self.counts.matches);
        let share = percent(count as f64 / self.counts.matches.max(1) as f64);
        say!(out, "  {name:<18}{count:>9}  {share:>7}  {} – {}", percent(low), percent(high));
    }

    fn show_trouble(&self, out: &mut Out) {
        let counts = self.counts;
        if counts.unfinished > 0 {
            say!(out, "{BAD}{} not over after the most inputs allowed{BAD:#}", matches(counts.unfinished));
            counts.endless.iter().for_each(|seed| say!(out, "  --seed {seed}"));
        }
        if counts.faults > 0 {
            say!(
                out,
                "{BAD}a rule failed in {}{BAD:#}; to see one again: simulate -n 1 with",
                matches(counts.faults)
            );
            counts.faulty.iter().for_each(|(seed, fault)| say!(out, "  --seed {seed}  {fault}"));
        }
    }

    /// How many legal answers a question had on average.
    fn branching(&self) -> f64 {
        self.counts.answers as f64 / self.counts.questions.max(1) as f64
    }

    fn speed(&self) -> f64 {
        self.counts.matches as f64 / self.seconds.max(1e-9)
    }

    pub(crate) fn json(&self) -> Value {
        let counts = self.counts;
        let share = |count: u64| {
            let (low, high) = wilson(count, counts.matches);
            json!({
                "matches": count,
                "share": count as f64 / counts.matches.max(1) as f64,
                "low": low,
                "high": high,
            })
        };
        let lengths = |lengths: &Lengths| {
            json!({
                "mean": lengths.mean(),
                "median": lengths.percentile(50),
                "p95": lengths.percentile(95),
                "max": lengths.max(),
            })
        };
        let outcomes = counts.outcomes.iter();
        let outcomes =
            outcomes.map(|(outcome, count)| (self.program.symbol(*outcome).to_owned(), share(*count)));
        json!({
            "ruleset": {"id": self.program.id, "version": self.program.version},
            "matches": counts.matches,
            "wins": counts.wins.iter().map(|wins| share(*wins)).collect::<Value>(),
            "draws": share(counts.draws),
            "outcomes": outcomes.collect::<Value>(),
            "inputs": lengths(&counts.inputs),
            "events": lengths(&counts.events),
            "branching": self.branching(),
            "matchesPerSecond": self.speed(),
            "unfinished": counts.unfinished,
            "unfinishedSeeds": counts.endless,
            "faults": counts.faults,
            "faultySeeds": counts.faulty.iter().map(|(seed, fault)| json!({"seed": seed, "fault": fault})).collect::<Value>(),
        })
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn matches(count: u64) -> String {
    let noun = if count == 1 { "match" } else { "matches" };
    format!("{count} {noun}")
}
