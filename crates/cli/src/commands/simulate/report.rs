//! What came of many matches, for people and for tools.

use intermezzo_engine::Fault;
use intermezzo_ruleset::Program;
use intermezzo_simulator::{Lengths, Tally};
use serde_json::{Value, json};

use super::interval::wilson;
use crate::failure::fault_text;
use crate::out::{BAD, DIM, HEAD, Out, count, say};
use intermezzo_journal::sentences::clean;

pub(crate) struct Report<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tally: &'a Tally,
    pub(crate) seconds: f64,
    /// By seat: who looked ahead; empty if nobody did.
    pub(crate) greedy: &'a [bool],
}

impl Report<'_> {
    /// How the matches were played.
    fn players(&self) -> String {
        match self.greedy.contains(&true) {
            true => {
                let name = |greedy: &bool| if *greedy { "greedy" } else { "random" };
                format!("of {}", self.greedy.iter().map(name).collect::<Vec<_>>().join(" against "))
            }
            false => "at random".to_owned(),
        }
    }

    pub(crate) fn show(&self, out: &mut Out) {
        let tally = self.tally;
        let program = self.program;
        say!(
            out,
            "{HEAD}{} {}{HEAD:#}: {} {}, {} seats",
            clean(&program.name),
            clean(&program.version),
            matches(tally.matches),
            self.players(),
            tally.wins.len()
        );
        say!(out, "  {DIM}{:<18}{:>9}  {:>7}  95 % interval{DIM:#}", "", "matches", "share");
        for (seat, wins) in tally.wins.iter().enumerate() {
            self.share(out, &format!("seat {seat} wins"), *wins);
        }
        self.share(out, "nobody wins", tally.draws);
        for (outcome, count) in &tally.outcomes {
            self.share(out, &format!("ends {}", program.symbol(*outcome)), *count);
        }
        say!(out, "  {DIM}{:<18}{:>9}  {:>7}  {:>7}  {:>7}{DIM:#}", "", "mean", "median", "95 %", "max");
        for (name, lengths) in [("inputs", &tally.inputs), ("events", &tally.events)] {
            let (median, p95) = (lengths.percentile(50), lengths.percentile(95));
            say!(out, "  {name:<18}{:>9.1}  {median:>7}  {p95:>7}  {:>7}", lengths.mean(), lengths.max());
        }
        say!(out, "  {:<18}{:>9.1}", "legal answers", tally.branching());
        say!(out, "  {:<18}{:>9.0}", "matches per second", self.speed());
        self.show_trouble(out);
    }

    fn share(&self, out: &mut Out, name: &str, count: u64) {
        let (low, high) = wilson(count, self.tally.matches);
        let share = percent(count as f64 / self.tally.matches.max(1) as f64);
        say!(out, "  {name:<18}{count:>9}  {share:>7}  {} – {}", percent(low), percent(high));
    }

    fn show_trouble(&self, out: &mut Out) {
        let tally = self.tally;
        if tally.unfinished > 0 {
            say!(out, "{BAD}{} not over after the most inputs allowed{BAD:#}", matches(tally.unfinished));
            tally.unfinished_seeds.iter().for_each(|seed| say!(out, "  --seed {seed}"));
        }
        if tally.faulty > 0 {
            say!(
                out,
                "{BAD}a rule failed in {}{BAD:#}; to keep one: simulate -n 1 --save FILE with",
                matches(tally.faulty)
            );
            for (seed, fault) in &tally.faults {
                say!(out, "  --seed {seed}  {}", fault_text(self.program, fault));
            }
        }
        if tally.failing > 0 {
            say!(
                out,
                "{BAD}something on the stack failed in {}{BAD:#}, and play went on; to keep one: simulate -n 1 --save FILE with",
                matches(tally.failing)
            );
            for (seed, fault) in &tally.failures {
                say!(out, "  --seed {seed}  {}", fault_text(self.program, fault));
            }
        }
        if tally.rejected > 0 {
            let refused = count(tally.rejected as usize, "legal answer");
            say!(out, "{BAD}{refused} refused{BAD:#}: this is a mistake of intermezzo, not of the ruleset");
        }
    }

    fn speed(&self) -> f64 {
        self.tally.matches as f64 / self.seconds.max(1e-9)
    }

    pub(crate) fn json(&self) -> Value {
        let tally = self.tally;
        let share = |count: u64| {
            let (low, high) = wilson(count, tally.matches);
            json!({
                "matches": count,
                "share": count as f64 / tally.matches.max(1) as f64,
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
        let outcomes = tally.outcomes.iter();
        let outcomes =
            outcomes.map(|(outcome, count)| (self.program.symbol(*outcome).to_owned(), share(*count)));
        let named = |faults: &[(u64, Fault)]| {
            let named = |(seed, fault): &(u64, Fault)| json!({"seed": seed, "fault": fault_text(self.program, fault)});
            faults.iter().map(named).collect::<Value>()
        };
        json!({
            "ruleset": {"id": self.program.id, "version": self.program.version},
            "matches": tally.matches,
            "wins": tally.wins.iter().map(|wins| share(*wins)).collect::<Value>(),
            "draws": share(tally.draws),
            "outcomes": outcomes.collect::<Value>(),
            "inputs": lengths(&tally.inputs),
            "events": lengths(&tally.events),
            "branching": tally.branching(),
            "matchesPerSecond": self.speed(),
            "unfinished": tally.unfinished,
            "unfinishedSeeds": tally.unfinished_seeds,
            "faults": tally.faulty,
            "faultySeeds": named(&tally.faults),
            "failures": tally.failing,
            "failingSeeds": named(&tally.failures),
            "rejected": tally.rejected,
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
