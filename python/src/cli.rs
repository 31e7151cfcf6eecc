//! The command line, for the console script of the wheel.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use esenas_cli::{Console, Engines, Ray, Refused};
use esenas_run::spec::ProblemConfig;
use esenas_run::{Evaluator, Spec, StudyError};
use pyo3::exceptions::{PyImportError, PyValueError};
use pyo3::prelude::*;

use crate::remote::Mover;

/// Runs the command line on the streams of this process; `arguments` begin with the program's name.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let (mut out, mut err) = (io::stdout(), io::stderr());
        let terminal = out.is_terminal() && err.is_terminal();
        let mut console = Console::new(&mut out, &mut err, terminal);
        console.engines = Some(&Package);
        esenas_cli::run(arguments, &mut console).code()
    })
}

/// The executors that are written in Python.
struct Package;

impl Engines for Package {
    fn ray(&self, spec: &Spec, ray: &Ray<'_>) -> Result<Box<dyn Evaluator>, Refused> {
        if matches!(spec.problem, ProblemConfig::Callable(_)) {
            return Err(Refused::BadInput(StudyError::NeedsObjective.to_string()));
        }
        let own = spec.evaluator(None).map_err(|error| Refused::BadInput(error.to_string()))?;
        Python::attach(|py| {
            let workers = ray.workers.map(usize::from);
            let given = (spec.to_toml(), ray.address, ray.insecure, workers, ray.quiet);
            let executor = py.import("esenas.ray")?.call_method1("for_command", given)?;
            let mover = Mover::new(executor.unbind(), Some(own), spec.fingerprint());
            Ok(Box::new(mover) as Box<dyn Evaluator>)
        })
        .map_err(|error: PyErr| Python::attach(|py| refused(py, &error)))
    }
}

/// What the user can mend is a `ValueError`, or a package that is missing.
fn refused(py: Python<'_>, error: &PyErr) -> Refused {
    let said = error.value(py).to_string();
    match error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyImportError>(py) {
        true => Refused::BadInput(said),
        false => Refused::Failed(said),
    }
}
