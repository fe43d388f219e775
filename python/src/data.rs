//! Conversion of values to Python and back: `None`, `bool`, `int`, `str`, lists and dicts.

use intermezzo_engine::{Datum, ShortText};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString, PyTuple};
use serde_json::Value;

use crate::errors::value_error;

/// Converts a value to Python.
pub(crate) fn to_python<'py>(py: Python<'py>, datum: &Datum) -> PyResult<Bound<'py, PyAny>> {
    Ok(match datum {
        Datum::Null => py.None().into_bound(py),
        Datum::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Datum::Int(number) => PyInt::new(py, *number).into_any(),
        Datum::Text(text) => PyString::new(py, text).into_any(),
        Datum::List(items) => {
            let list = PyList::empty(py);
            items.iter().try_for_each(|item| list.append(to_python(py, item)?))?;
            list.into_any()
        }
        Datum::Map(entries) => {
            let dict = PyDict::new(py);
            entries
                .iter()
                .try_for_each(|(name, value)| dict.set_item(name.as_str(), to_python(py, value)?))?;
            dict.into_any()
        }
    })
}

/// Converts a value from Python.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Datum> {
    if value.is_none() {
        return Ok(Datum::Null);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Datum::Bool(flag.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Datum::text(text.to_cow()?.as_ref()));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return Ok(Datum::Map(entries(dict)?));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| from_python(&item?));
        return Ok(Datum::List(items.collect::<PyResult<_>>()?));
    }
    // `extract` also accepts integers of NumPy.
    match value.extract::<i64>() {
        Ok(number) => Ok(Datum::Int(number)),
        Err(_) => Err(value_error(format!(
            "{} cannot be used in rules: use None, bool, int, str, list or dict",
            value.repr()?
        ))),
    }
}

/// Converts a dict to named values.
pub(crate) fn entries(dict: &Bound<'_, PyDict>) -> PyResult<Vec<(ShortText, Datum)>> {
    dict.iter().map(|(name, value)| Ok((name.extract::<String>()?.into(), from_python(&value)?))).collect()
}

/// Converts JSON to Python.
pub(crate) fn json_to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => PyInt::new(py, number).into_any(),
            None => number.as_f64().into_pyobject(py)?,
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            items.iter().try_for_each(|item| list.append(json_to_python(py, item)?))?;
            list.into_any()
        }
        Value::Object(entries) => {
            let dict = PyDict::new(py);
            entries.iter().try_for_each(|(name, value)| dict.set_item(name, json_to_python(py, value)?))?;
            dict.into_any()
        }
    })
}
