//! What goes wrong when a store is opened or read.

use std::fmt;

/// A store could not be opened or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    /// What went wrong and where, in a sentence for the operator.
    pub what: String,
}

impl StoreError {
    pub(crate) fn new(what: impl Into<String>) -> StoreError {
        StoreError { what: what.into() }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for StoreError {}
