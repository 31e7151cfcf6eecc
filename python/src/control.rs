//! Environments and policies.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use esenas::{Purpose, Seed};
use esenas_control::policy::Activation;
use esenas_control::{Env, EnvSpec};
use esenas_run::Spec;
use esenas_run::problem::rl::{EVALUATION, Trained, Which, environments, make};
use esenas_run::spec::ProblemConfig;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use serde_json::{Value, json};

use crate::errors::refused;
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

/// A policy: observations in, actions out.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Policy {
    document: Value,
    mean: Vec<f64>,
    scale: Vec<f64>,
    /// By source, and so in the order in which the engine adds them.
    edges: Vec<(usize, usize, f64)>,
    biases: Vec<f64>,
    activations: Vec<Activation>,
    actions: usize,
}

impl Policy {
    /// From a document, of which nothing is believed.
    fn read(document: Value) -> Result<Self, String> {
        if document["format"] != "esenas-policy-1" {
            return Err("its format is not \"esenas-policy-1\"".to_owned());
        }
        let size = |key: &str| {
            let size = document[key].as_u64().and_then(|n| usize::try_from(n).ok());
            size.filter(|n| *n < 1 << 24).ok_or_else(|| format!("{key} must be a small integer"))
        };
        let (observation, hidden, actions) =
            (size("observation")?, size("hidden")?, size("action")?);
        let vertices = observation + hidden + actions;
        let numbers = |value: &Value, name: &str, n: usize| {
            let numbers: Option<Vec<f64>> =
                value.as_array().and_then(|it| it.iter().map(Value::as_f64).collect());
            let numbers = numbers.filter(|it| it.len() == n);
            numbers.ok_or_else(|| format!("{name} must be {n} numbers"))
        };
        let normalizer = &document["normalizer"];
        let edge = |value: &Value| {
            let [source, target, weight] = value.as_array()?.as_slice() else { return None };
            let source = usize::try_from(source.as_u64()?).ok()?;
            let target = usize::try_from(target.as_u64()?).ok()?;
            let fits = source < target && observation <= target && target < vertices;
            fits.then_some((source, target, weight.as_f64()?))
        };
        let edges: Option<Vec<_>> =
            document["edges"].as_array().and_then(|it| it.iter().map(edge).collect());
        let mut edges = edges.ok_or("edges must be [source, target, weight], source < target")?;
        edges.sort_by_key(|(source, ..)| *source);
        let names = document["nonlinearities"].clone();
        let activations: Vec<Activation> =
            serde_json::from_value(names).map_err(|error| format!("nonlinearities: {error}"))?;
        if activations.len() != hidden {
            return Err(format!("nonlinearities must be {hidden}"));
        }
        Ok(Self {
            mean: numbers(&normalizer["mean"], "normalizer.mean", observation)?,
            scale: numbers(&normalizer["scale"], "normalizer.scale", observation)?,
            biases: numbers(&document["biases"], "biases", hidden + actions)?,
            edges,
            activations,
            actions,
            document,
        })
    }

    /// The one forward pass, as `esenas_control::Network` does it.
    fn forward(&self, observation: &[f64]) -> Vec<f64> {
        let (inputs, mut edges) = (self.mean.len(), self.edges.iter().peekable());
        let normalized = observation.iter().zip(&self.mean).zip(&self.scale);
        let mut values: Vec<f64> =
            normalized.map(|((x, mean), scale)| (x - mean) * scale).collect();
        values.extend(&self.biases);
        for source in 0..inputs + self.activations.len() {
            if let Some(hidden) = source.checked_sub(inputs) {
                values[source] = self.activations[hidden].apply(values[source]);
            }
            while let Some((_, target, weight)) = edges.next_if(|(from, ..)| *from == source) {
                values[*target] += values[source] * weight;
            }
        }
        values[values.len() - self.actions..].iter().map(|v| Activation::Tanh.apply(*v)).collect()
    }
}

fn wrong(what: &str, error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{what}: {error}"))
}

#[pymethods]
impl Policy {
    /// The policy in a document, as `esenas policy export` writes it.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let document =
            serde_json::from_str(text).map_err(|error| wrong("this is no policy", error))?;
        Self::read(document).map_err(|error| wrong("this is no policy", error))
    }

    /// The policy that the study in a directory found: its `"best"`, or that of its `"centre"`.
    #[staticmethod]
    fn from_run(py: Python<'_>, directory: PathBuf, which: &str) -> PyResult<Self> {
        let which = match which {
            "best" => Which::Best,
            "centre" => Which::Centre,
            _ => {
                return Err(wrong(
                    "which",
                    format!("must be \"best\" or \"centre\", got {which:?}"),
                ));
            }
        };
        let trained = py.detach(|| Trained::load(&directory, which));
        let trained = trained.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Self::read(trained.document()).map_err(|error| wrong("this is no policy", error))
    }

    /// The policy that a model and weights make in a problem of kind `rl`, whose settings are JSON.
    #[staticmethod]
    fn decode(settings: &str, genes: Vec<u32>, theta: Vec<f64>) -> PyResult<Self> {
        let problem: Value =
            serde_json::from_str(settings).map_err(|error| wrong("settings", error))?;
        let study = json!({ "stop": { "iterations": 1 }, "problem": problem });
        let spec = Spec::from_value("the policy", study).map_err(refused)?;
        let ProblemConfig::Rl(config) = spec.problem else {
            return Err(PyValueError::new_err("the problem must be of kind \"rl\""));
        };
        let trained = Trained::decoded(config, genes.into(), theta).map_err(refused)?;
        Self::read(trained.document()).map_err(|error| wrong("this is no policy", error))
    }

    /// The document.
    fn to_json(&self) -> String {
        self.document.to_string()
    }

    /// The environment it is for.
    #[getter]
    fn env(&self) -> String {
        self.document["env"].as_str().unwrap_or_default().to_owned()
    }

    /// Whether −1 and 1 of its outputs are the environment's limits, and not the action itself.
    #[getter]
    fn stretched(&self) -> bool {
        self.document["actions"] == "limits"
    }

    /// |S|, |A|, hidden units and edges.
    #[getter]
    fn sizes(&self) -> (usize, usize, usize, usize) {
        (self.mean.len(), self.actions, self.activations.len(), self.edges.len())
    }

    /// What it does there: each coordinate in [−1, 1].
    fn forward_pass(&self, observation: Vec<f64>) -> PyResult<Vec<f64>> {
        if observation.len() != self.mean.len() {
            let (n, found) = (self.mean.len(), observation.len());
            return Err(wrong("observation", format!("must have {n} entries, got {found}")));
        }
        Ok(self.forward(&observation))
    }
}
