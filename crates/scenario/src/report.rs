//! What came of running scenarios.

use std::fmt;

use intermezzo_compiler::{Diagnostic, Severity};

/// What came of all scenarios of a suite.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many did as written.
    pub passed: usize,
    /// Those that did not, in the order of the files.
    pub failed: Vec<Failure>,
    /// Mistakes in the ruleset or the scenario files; scenarios with mistakes are not played.
    pub diagnostics: Vec<Diagnostic>,
    /// How many listings were rewritten.
    pub blessed: usize,
    /// All that were played, in the order of the files.
    pub played: Vec<Played>,
}

/// A scenario that was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// What it is called.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// The line it begins in, counted from 1.
    pub line: u32,
    /// Whether it did as written.
    pub is_ok: bool,
}

/// A scenario that did not do as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The file it stands in.
    pub file: String,
    /// The line that does not hold, counted from 1.
    pub line: u32,
    /// What the scenario is called.
    pub name: String,
    /// What is different, in one or more lines.
    pub message: String,
}

impl Report {
    /// Whether all is well: nothing failed and nothing is wrong with the files.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.failed.is_empty()
            && self.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}: {}", self.file, self.line, self.name)?;
        self.message.lines().try_for_each(|line| writeln!(f, "  {line}"))
    }
}
