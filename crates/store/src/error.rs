//! The error of opening or reading a store.

/// A store could not be opened or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// The problem and its place, in a sentence for the operator.
    pub message: String,
}

impl StoreError {
    pub(crate) fn new(what: impl Into<String>) -> StoreError {
        StoreError { message: what.into() }
    }
}
