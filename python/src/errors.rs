//! What goes wrong, as exceptions. They are declared in `python/intermezzo/errors.py`.

use std::fmt::Display;

use intermezzo_compiler::{Diagnostic, SourceMap, render, to_json};
use intermezzo_engine::{Refusal, StartError};
use intermezzo_rehearsal::{BatchError, LaneError, Stuck};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::data;

/// An exception of `intermezzo.errors` with a message and something more.
fn exception(py: Python<'_>, name: &str, message: String, more: Bound<'_, PyAny>) -> PyErr {
    let errors = py.import("intermezzo.errors");
    let made = errors.and_then(|errors| errors.getattr(name)?.call1((message, more)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// The same with nothing but a message.
fn plain(py: Python<'_>, name: &str, message: impl Display) -> PyErr {
    let errors = py.import("intermezzo.errors");
    let made = errors.and_then(|errors| errors.getattr(name)?.call1((message.to_string(),)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// A value or a name that does not fit.
pub(crate) fn wrong(problem: impl Display) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

/// A ruleset that cannot be found or read.
pub(crate) fn unreadable(py: Python<'_>, problem: impl Display) -> PyErr {
    plain(py, "RulesetError", problem)
}

/// What is wrong with a ruleset.
pub(crate) fn diagnosed(py: Python<'_>, diagnostics: &[Diagnostic], sources: &SourceMap) -> PyErr {
    let text = render(diagnostics, sources, false);
    match data::json_to_python(py, &to_json(diagnostics, sources)) {
        Ok(list) => exception(py, "RulesetError", text.trim_end().to_owned(), list),
        Err(error) => error,
    }
}

/// Why a match does not begin.
pub(crate) fn not_begun(py: Python<'_>, error: &StartError) -> PyErr {
    match error {
        StartError::Fault(fault) => plain(py, "RuleFault", fault),
        _ => wrong(error),
    }
}

/// Why an input was refused.
pub(crate) fn refused(py: Python<'_>, refusal: &Refusal) -> PyErr {
    match refusal {
        Refusal::Rejected(rejection) => illegal(py, rejection, rejection.name()),
        Refusal::Faulted(fault) => plain(py, "RuleFault", fault),
    }
}

/// An answer that is not legal.
pub(crate) fn illegal(py: Python<'_>, problem: impl Display, code: &str) -> PyErr {
    let code = pyo3::types::PyString::new(py, code).into_any();
    exception(py, "IllegalAnswer", problem.to_string(), code)
}

/// More answers than were to be listed.
pub(crate) fn too_many(py: Python<'_>, count: Option<u64>, limit: u64) -> PyErr {
    let message = match count {
        Some(count) => format!("there are {count} legal answers, more than the limit of {limit}"),
        None => "the answers to this question cannot be counted: it asks for a path".to_owned(),
    };
    match count.into_pyobject(py) {
        Ok(count) => exception(py, "TooManyAnswers", message, count),
        Err(error) => error.into(),
    }
}

/// A saved match that is no good.
pub(crate) fn unfaithful(py: Python<'_>, problem: impl Display) -> PyErr {
    plain(py, "ReplayError", problem)
}

/// Why a batch does not go on.
pub(crate) fn stopped(py: Python<'_>, error: &BatchError) -> PyErr {
    match error {
        BatchError::Illegal { .. } | BatchError::WrongCount { .. } => illegal(py, error, "illegal"),
        BatchError::Lane { error: LaneError::Start(start), .. } => not_begun(py, start),
        BatchError::Lane { error: LaneError::Refused(_) | LaneError::Stuck(Stuck::Fault(_)), .. } => {
            plain(py, "RuleFault", error)
        }
        _ => wrong(error),
    }
}
