//! Results of running scenarios.

use std::fmt;

use intermezzo_compiler::{Diagnostic, Severity};

/// Results of all scenarios of a suite.
#[derive(Clone, Debug, Default)]
pub struct SuiteReport {
    /// Number of scenarios that passed.
    pub passed: usize,
    /// Failed scenarios, in the order of the files.
    pub failed: Vec<ScenarioFailure>,
    /// Errors in the ruleset or the scenario files. Scenarios with errors are not run.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of rewritten listings.
    pub blessed: usize,
    /// All scenarios that ran, in the order of the files.
    pub played: Vec<PlayedScenario>,
}

/// Scenario that ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedScenario {
    pub name: String,
    pub file: String,
    /// Line it starts at, counted from 1.
    pub line: u32,
    pub is_ok: bool,
}

/// Scenario that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioFailure {
    pub file: String,
    /// Line of the failed check, counted from 1.
    pub line: u32,
    /// Name of the scenario.
    pub name: String,
    /// Description of the difference, one or more lines.
    pub message: String,
}

impl SuiteReport {
    /// Returns whether no scenario failed and no file has errors.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.failed.is_empty()
            && self.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
    }
}

impl fmt::Display for ScenarioFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}: {}", self.file, self.line, self.name)?;
        self.message.lines().try_for_each(|line| writeln!(f, "  {line}"))
    }
}
