//! Problems in matches, with seeds that reproduce them.

use intermezzo_engine::RuleFault;
use intermezzo_program::Program;

use super::{ExperimentReport, matches};

/// Problem in one or more matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchProblem {
    /// Description, with the number of matches.
    pub title: String,
    /// Advice.
    pub advice: &'static str,
    /// Example matches: seed and details.
    pub examples: Vec<(u64, String)>,
}

impl ExperimentReport<'_> {
    /// Returns all problems.
    #[must_use]
    pub fn problems(&self) -> Vec<MatchProblem> {
        let totals = &self.findings.totals;
        let keep = "to save one of them: simulate -n 1 --save FILE with";
        let mut found = Vec::new();
        let mut add = |count: u64, title: String, advice, examples| {
            if count > 0 {
                found.push(MatchProblem { title, advice, examples });
            }
        };
        let named = |faults: &[(u64, RuleFault)]| -> Vec<(u64, String)> {
            faults.iter().map(|(seed, fault)| (*seed, fault_text(self.program(), fault))).collect()
        };
        let unfinished = totals.unfinished_seeds.iter().map(|seed| (*seed, String::new())).collect();
        let title = format!("{} not over within --max-inputs", matches(totals.unfinished));
        add(totals.unfinished, title, "raise --max-inputs, or find out why they do not end", unfinished);
        let title = format!("a rule failed in {}", matches(totals.faulty));
        add(totals.faulty, title, keep, named(&totals.faults));
        let title = format!("an item on the stack failed in {}, and play continued", matches(totals.failing));
        add(totals.failing, title, keep, named(&totals.failures));
        let title = format!("{} legal answers refused", totals.rejected);
        add(totals.rejected, title, "this is a bug in Intermezzo, not in the ruleset", Vec::new());
        found
    }
}

/// Describes a fault with its rule, file and line.
#[must_use]
pub fn fault_text(program: &Program, fault: &RuleFault) -> String {
    let mut text = format!("a rule failed: {} ({})", fault.code, fault.code.name());
    if let Some(routine) = program.routines.get(fault.routine.index()) {
        text.push_str(&format!(" in {}", routine.name));
    }
    if let Some(place) = fault.location {
        text.push_str(&format!(" at {}:{}", fault.file, place.line));
    }
    if !fault.cycle.is_empty() {
        text.push_str(&format!("; rules set each other off without end: {}", fault.cycle));
    }
    text
}
