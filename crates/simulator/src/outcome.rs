//! What came of one match.

use intermezzo_engine::{Ending, Fault};

/// What came of one match.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// How it ended; nothing if it was broken off.
    pub ending: Option<Ending>,
    /// Inputs taken.
    pub inputs: u32,
    /// Events that happened.
    pub events: u32,
    /// Questions that were answered.
    pub questions: u32,
    /// How many legal answers those questions had together.
    pub answers: u128,
    /// Inputs that were rejected.
    pub rejected: u32,
    /// Inputs that made a rule fail; the start of the match counts as one.
    pub faults: u32,
    /// How a rule failed first.
    pub first_fault: Option<Fault>,
    /// How often something on the stack failed, with which play went on.
    pub failures: u32,
    /// How that happened first.
    pub first_failure: Option<Fault>,
}

impl Outcome {
    /// Whether the match was still going on when the inputs ran out.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.ending.is_none() && self.faults == 0
    }

    pub(crate) fn went_on(&mut self, failures: &[Fault]) {
        self.failures += failures.len() as u32;
        self.first_failure = self.first_failure.take().or_else(|| failures.first().cloned());
    }

    pub(crate) fn failed(&mut self, fault: Fault) {
        self.faults += 1;
        self.first_fault.get_or_insert(fault);
    }
}
