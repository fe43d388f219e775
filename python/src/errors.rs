//! Conversion of errors to exceptions. `python/intermezzo/errors.py` declares the exception classes.

use std::fmt::Display;

use intermezzo_compiler::{Diagnostic, SourceMap, render, to_json};
use intermezzo_engine::{Refusal, StartError};
use intermezzo_training::{BatchError, EnvError, MoveError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::data;

/// Creates an exception of `intermezzo.errors` with one more argument after the message.
fn exception_with(py: Python<'_>, name: &str, message: String, argument: Bound<'_, PyAny>) -> PyErr {
    let errors = py.import("intermezzo.errors");
    let created = errors.and_then(|errors| errors.getattr(name)?.call1((message, argument)));
    created.map_or_else(|error| error, PyErr::from_value)
}

/// Creates an exception of `intermezzo.errors`.
fn exception(py: Python<'_>, name: &str, message: impl Display) -> PyErr {
    let errors = py.import("intermezzo.errors");
    let created = errors.and_then(|errors| errors.getattr(name)?.call1((message.to_string(),)));
    created.map_or_else(|error| error, PyErr::from_value)
}

/// Creates a `ValueError` for an argument that is invalid.
pub(crate) fn value_error(problem: impl Display) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

/// Creates a `ValueError` for a seat that does not exist.
pub(crate) fn no_such_seat(seat: u8, seats: usize) -> PyErr {
    value_error(format!("no seat {seat}: the match has {seats} seats, numbered from 0"))
}

/// Creates a `RulesetError` for a ruleset that cannot be found or read.
pub(crate) fn ruleset_error(py: Python<'_>, problem: impl Display) -> PyErr {
    exception(py, "RulesetError", problem)
}

/// Creates a `RulesetError` for a ruleset that does not compile.
pub(crate) fn compile_error(py: Python<'_>, diagnostics: &[Diagnostic], sources: &SourceMap) -> PyErr {
    let text = render(diagnostics, sources, false);
    match data::json_to_python(py, &to_json(diagnostics, sources)) {
        Ok(list) => exception_with(py, "RulesetError", text.trim_end().to_owned(), list),
        Err(error) => error,
    }
}

/// Converts the error of a match that could not start.
pub(crate) fn start_error(py: Python<'_>, error: &StartError) -> PyErr {
    match error {
        StartError::Fault(fault) => exception(py, "RuleFault", fault),
        _ => value_error(error),
    }
}

/// Converts the refusal of an input.
pub(crate) fn refusal(py: Python<'_>, refusal: &Refusal) -> PyErr {
    match refusal {
        Refusal::Rejected(rejection) => illegal_answer(py, rejection, rejection.name()),
        Refusal::Faulted(fault) => exception(py, "RuleFault", fault),
    }
}

/// Creates an `IllegalAnswer` with a stable code.
pub(crate) fn illegal_answer(py: Python<'_>, problem: impl Display, code: &str) -> PyErr {
    let code = PyString::new(py, code).into_any();
    exception_with(py, "IllegalAnswer", problem.to_string(), code)
}

/// Creates an `IllegalAnswer` for a seat without an open question.
pub(crate) fn not_asked(py: Python<'_>, seat: u8) -> PyErr {
    illegal_answer(py, format!("seat {seat} has no open question; see `to_answer`"), "not_asked")
}

/// Creates a `TooManyAnswers`. The count is `None` if the answers cannot be counted.
pub(crate) fn too_many_answers(py: Python<'_>, count: Option<u64>, limit: u64) -> PyErr {
    let message = match count {
        Some(count) => format!("the question has {count} legal answers, more than the limit of {limit}"),
        None => "the question asks for a path, and its answers cannot be counted".to_owned(),
    };
    match count.into_pyobject(py) {
        Ok(count) => exception_with(py, "TooManyAnswers", message, count),
        Err(error) => error.into(),
    }
}

/// Creates a `ReplayError` for a saved match that is invalid.
pub(crate) fn replay_error(py: Python<'_>, problem: impl Display) -> PyErr {
    exception(py, "ReplayError", problem)
}

/// Converts the error of a batch.
pub(crate) fn batch_error(py: Python<'_>, error: &BatchError) -> PyErr {
    match error {
        BatchError::Illegal { .. } | BatchError::WrongCount { .. } => illegal_answer(py, error, "illegal"),
        BatchError::Env { error: EnvError::Start(start), .. } => start_error(py, start),
        BatchError::Env {
            error: EnvError::Refused(_) | EnvError::MoveError(MoveError::Fault(_)), ..
        } => exception(py, "RuleFault", error),
        _ => value_error(error),
    }
}
