//! Environments of our own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use esenas::{Purpose, Seed};
use esenas_control::{Env, EnvSpec};
use esenas_run::problem::rl::{EVALUATION, environments, make};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::values::buffer;

/// What the engine has of an environment.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Environment {
    env: Mutex<Box<dyn Env>>,
    #[pyo3(get)]
    observation: usize,
    #[pyo3(get)]
    action: usize,
    #[pyo3(get)]
    low: Vec<f64>,
    #[pyo3(get)]
    high: Vec<f64>,
    #[pyo3(get)]
    horizon: usize,
}

impl Environment {
    fn env(&self) -> MutexGuard<'_, Box<dyn Env>> {
        self.env.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Stepped<'py> = (Bound<'py, PyByteArray>, f64, f64, bool);

#[pymethods]
impl Environment {
    /// The environment of this name.
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        let env = py.detach(|| make(name));
        let env = env.map_err(|error| PyValueError::new_err(format!("{name:?}: {error}")))?;
        let EnvSpec { observation, action, low, high, horizon, .. } = env.spec().clone();
        Ok(Self { env: Mutex::new(env), observation, action, low, high, horizon })
    }

    /// Begins an episode; equal seeds and episodes, equal starts: those of `esenas policy eval`.
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seed: u64,
        episode: u32,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let mut observation = vec![0.0; self.observation];
        let mut stream = Seed(seed).stream(Purpose::Problem, episode, EVALUATION);
        py.detach(|| self.env().reset(&mut stream, &mut observation));
        buffer(py, &observation)
    }

    /// One step: observation, reward without the alive bonus, alive bonus, whether it is over.
    fn step<'py>(&self, py: Python<'py>, action: Vec<f64>) -> PyResult<Stepped<'py>> {
        if action.len() != self.action || action.iter().any(|x| !x.is_finite()) {
            let said = format!("an action is {} finite numbers, got {action:?}", self.action);
            return Err(PyValueError::new_err(said));
        }
        let mut observation = vec![0.0; self.observation];
        let step = py.detach(|| self.env().step(&action, &mut observation));
        let step = step.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok((buffer(py, &observation)?, step.reward, step.alive, step.terminated))
    }
}

/// The names of all environments.
#[pyfunction]
pub(crate) fn environment_names() -> Vec<String> {
    environments()
}
