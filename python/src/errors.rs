//! Which exception says what.
//!
//! What asking differently would mend is a `ValueError`. What happened while a study ran is a
//! `StudyError`. An exception that came out of Python goes back as it was.

use esenas_run::{EvaluateError, SpecError, StudyError as Refused};
use pyo3::exceptions::PyValueError;
use pyo3::{PyErr, import_exception};

// A class of Python's, so that it has a stub, and can be pickled.
import_exception!(esenas.errors, StudyError);

/// As an exception.
pub(crate) fn raised(error: Refused) -> PyErr {
    match error {
        Refused::Evaluate { source, .. } if matches!(source, EvaluateError::Other(_)) => {
            evaluating(source)
        }
        Refused::Evaluate { .. }
        | Refused::NothingCameBack { .. }
        | Refused::TooManyFailures { .. } => StudyError::new_err(error.to_string()),
        Refused::Store(store) => StudyError::new_err(store.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// As an exception.
pub(crate) fn evaluating(error: EvaluateError) -> PyErr {
    match error {
        EvaluateError::Other(other) => match other.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(other) => StudyError::new_err(other.to_string()),
        },
        other => StudyError::new_err(other.to_string()),
    }
}

/// As an exception.
pub(crate) fn refused(error: SpecError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// As an error that [`raised`] finds again.
pub(crate) fn stopped(error: PyErr) -> EvaluateError {
    EvaluateError::Other(Box::new(error))
}
