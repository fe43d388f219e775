//! Outcome of one match.

use intermezzo_engine::{Ending, RuleFault};

/// Outcome of one match.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SimulatedOutcome {
    /// Ending; `None` if the match was stopped.
    pub ending: Option<Ending>,
    /// Number of accepted inputs.
    pub inputs: u32,
    /// Number of events.
    pub events: u32,
    /// Number of answered questions.
    pub questions: u32,
    /// Total number of legal answers to those questions.
    pub answers: u128,
    /// Number of rejected inputs.
    pub rejected: u32,
    /// Number of inputs that made a rule fail, including the start.
    pub faults: u32,
    /// First fault.
    pub first_fault: Option<RuleFault>,
    /// Number of failed items on the stack after which play continued.
    pub failures: u32,
    /// First of these.
    pub first_failure: Option<RuleFault>,
}

impl SimulatedOutcome {
    /// Returns true if the match was stopped before it ended or failed.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.ending.is_none() && self.faults == 0
    }

    pub(crate) fn add_failures(&mut self, failures: &[RuleFault]) {
        self.failures += failures.len() as u32;
        self.first_failure = self.first_failure.take().or_else(|| failures.first().cloned());
    }

    pub(crate) fn add_fault(&mut self, fault: RuleFault) {
        self.faults += 1;
        self.first_fault.get_or_insert(fault);
    }
}
