//! What went wrong in matches, with the seeds to see it again.

use intermezzo_engine::Fault;
use intermezzo_ruleset::Program;

use super::{Report, matches};

/// Something that went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// What, in how many matches.
    pub title: String,
    /// What to do about it.
    pub advice: &'static str,
    /// Some matches in which it happened: seed, and how if there is more to say.
    pub examples: Vec<(u64, String)>,
}

impl Report<'_> {
    /// Everything that went wrong.
    #[must_use]
    pub fn trouble(&self) -> Vec<Trouble> {
        let tally = &self.findings.tally;
        let keep = "to keep one: simulate -n 1 --save FILE with";
        let mut found = Vec::new();
        let mut add = |count: u64, title: String, advice, examples| {
            if count > 0 {
                found.push(Trouble { title, advice, examples });
            }
        };
        let named = |faults: &[(u64, Fault)]| -> Vec<(u64, String)> {
            faults.iter().map(|(seed, fault)| (*seed, fault_text(self.program(), fault))).collect()
        };
        let unfinished = tally.unfinished_seeds.iter().map(|seed| (*seed, String::new())).collect();
        let title = format!("{} not over after the most inputs allowed", matches(tally.unfinished));
        add(tally.unfinished, title, "raise --max-inputs, or look for what keeps them going", unfinished);
        let title = format!("a rule failed in {}", matches(tally.faulty));
        add(tally.faulty, title, keep, named(&tally.faults));
        let title = format!("something on the stack failed in {}, and play went on", matches(tally.failing));
        add(tally.failing, title, keep, named(&tally.failures));
        let title = format!("{} legal answers refused", tally.rejected);
        add(tally.rejected, title, "this is a mistake of intermezzo, not of the ruleset", Vec::new());
        found
    }
}

/// A fault with the file, line and rule it happened in.
#[must_use]
pub fn fault_text(program: &Program, fault: &Fault) -> String {
    let mut text = format!("a rule failed: {} ({})", fault.code, fault.code.name());
    if let Some(routine) = program.routines.get(fault.routine.index()) {
        text.push_str(&format!(" in {}", routine.name));
    }
    if let Some(place) = fault.place {
        let file = program.files.get(usize::from(place.file)).map_or("?", String::as_str);
        text.push_str(&format!(" at {file}:{}", place.line));
    }
    if !fault.cycle.is_empty() {
        text.push_str(&format!("; rules set each other off without end: {}", fault.cycle));
    }
    text
}
