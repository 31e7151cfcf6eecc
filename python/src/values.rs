//! JSON, buffers and outcomes, to and from Python.

use std::collections::BTreeMap;

use esenas::space::Design;
use esenas_run::outcome::admit;
use esenas_run::{Evaluation, Failure, FailureKind, Outcome};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyList, PySlice, PyString};
use serde_json::Value;

/// JSON as Python has it.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => flag.into_bound_py_any(py),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(integer), _) => integer.into_bound_py_any(py),
            (None, Some(integer)) => integer.into_bound_py_any(py),
            (None, None) => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(items) => {
            let items = items.iter().map(|item| to_python(py, item));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_bound_py_any(py)
        }
        Value::Object(map) => {
            let dict = PyDict::new(py);
            for (key, value) in map {
                dict.set_item(key, to_python(py, value)?)?;
            }
            dict.into_bound_py_any(py)
        }
    }
}

/// A design as Python has it. `theta` is an array of NumPy in which the design's own θ begins at
/// `start`; arrays of the design are views of it.
pub(crate) fn design_in<'py>(
    theta: &Bound<'py, PyAny>,
    start: usize,
    found: &Design<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = theta.py();
    match found {
        Design::Constant(value) => to_python(py, value),
        Design::Integer(value) => value.into_bound_py_any(py),
        Design::Number(value) => value.into_bound_py_any(py),
        Design::Array(array) => {
            let from = start + array.offset;
            let to = from + array.values.len();
            let view = theta.get_item(PySlice::new(py, from as isize, to as isize, 1))?;
            view.call_method1("reshape", (array.shape.to_vec(),))
        }
        Design::List(parts) => {
            let parts = parts.iter().map(|part| design_in(theta, start, part));
            PyList::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.into_bound_py_any(py)
        }
        Design::Map(parts) => {
            let dict = PyDict::new(py);
            for (name, part) in parts {
                dict.set_item(name, design_in(theta, start, part)?)?;
            }
            dict.into_bound_py_any(py)
        }
    }
}

/// A buffer of doubles as an array of NumPy, in place.
pub(crate) fn array<'py>(numbers: &Bound<'py, PyByteArray>) -> PyResult<Bound<'py, PyAny>> {
    numbers.py().import("numpy")?.call_method1("frombuffer", (numbers, "f8"))
}

/// Numbers in a buffer that is Python's own, so that NumPy can look at it in place and write to it.
pub(crate) fn buffer<'py>(py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, size_of_val(numbers), |bytes| {
        for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(numbers) {
            *bytes = number.to_ne_bytes();
        }
        Ok(())
    })
}

/// What an answer with names has: values, score, metrics, constraints and cost.
type Named = (Vec<f64>, Option<f64>, BTreeMap<String, f64>, BTreeMap<String, f64>, Option<f64>);

/// What Python says of one evaluation: a number, a tuple as [`Named`], or text that says why there
/// is none; with what it found out for all, if anything, as bytes beside it.
pub(crate) fn outcome(said: &Bound<'_, PyAny>) -> PyResult<Outcome> {
    if let Ok((said, found)) = said.extract::<(Bound<'_, PyAny>, Vec<u8>)>() {
        let contributed = |it| Evaluation { moments: Some(found), ..it };
        return Ok(outcome(&said)?.map(contributed));
    }
    if let Ok(reason) = said.cast::<PyString>() {
        let reason = reason.to_cow()?;
        return Ok(Err(Failure::new(FailureKind::Failed, reason)));
    }
    if let Ok(value) = said.extract() {
        return Ok(admit(Ok(Evaluation::new(value))));
    }
    let (values, score, metrics, constraints, cost): Named = said.extract()?;
    let Some((value, others)) = values.split_first() else {
        return Ok(Err(Failure::new(FailureKind::Malformed, "there is no value in the list")));
    };
    let (value, others) = (*value, others.to_vec());
    Ok(admit(Ok(Evaluation { value, others, score, metrics, constraints, cost, moments: None })))
}
