//! Policies: classes of them, and those that act.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use esenas::{Dna, Purpose, Seed};
use esenas_control::export::Precision;
use esenas_control::policy::{Initial, PolicyConfig};
use esenas_control::{Actor, Document, Normalizer, Outputs, Policy as Class};
use esenas_run::Spec;
use esenas_run::problem::rl::{Form, Trained, Which, make};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use serde_json::{Value, json};

use crate::errors::refused;
use crate::values::buffer;

fn wrong(what: &str, error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{what}: {error}"))
}

/// A class of policies: what models it has, what its weights are, and what both mean.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct PolicyClass {
    class: Class,
}

impl PolicyClass {
    fn actor(&self, genes: Vec<u32>, theta: &[f64]) -> PyResult<Actor> {
        let (dna, dimension) = (Dna::from(genes), self.class.dimension());
        self.class.space().check(&dna).map_err(|error| wrong("dna", error))?;
        if theta.len() != dimension {
            let found = theta.len();
            return Err(wrong("theta", format!("must have {dimension} weights, got {found}")));
        }
        let mut network = self.class.network();
        self.class.decode(&dna, theta, &mut network);
        let normalizer = Normalizer::identity(network.layout().observation());
        Ok(Actor::new(network, normalizer, Outputs::Unit, None))
    }
}

#[pymethods]
impl PolicyClass {
    /// The class of these settings, which are JSON, from so many observations to so many actions.
    #[new]
    fn new(settings: &str, observation: usize, action: usize) -> PyResult<Self> {
        let config: PolicyConfig =
            serde_json::from_str(settings).map_err(|error| wrong("policy", error))?;
        if observation == 0 || action == 0 {
            return Err(wrong("policy", "observation and action must be at least 1"));
        }
        let class = Class::new(&config, observation, action);
        Ok(Self { class: class.map_err(|error| wrong("policy", error))? })
    }

    /// Its models, as JSON.
    fn space(&self) -> String {
        self.class.space().to_value().to_string()
    }

    /// How many weights there are.
    #[getter]
    fn dimension(&self) -> usize {
        self.class.dimension()
    }

    /// How many of them are on edges, are entries of a mask, are biases: they come in this order.
    #[getter]
    fn parts(&self) -> (usize, usize, usize) {
        self.class.parts()
    }

    /// Weights to begin with.
    fn start<'py>(
        &self,
        py: Python<'py>,
        seed: u64,
        is_normal: bool,
        scale: Option<f64>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let initial = if is_normal { Initial::Normal } else { Initial::Uniform };
        let scale = scale.unwrap_or_else(|| self.class.scale(initial));
        if !(scale.is_finite() && scale > 0.0) {
            return Err(wrong("scale", format!("must be positive and finite, got {scale}")));
        }
        let stream = &mut Seed(seed).stream(Purpose::Start, 0, 1);
        buffer(py, &self.class.start(initial, scale, stream))
    }

    /// What these decisions and these weights make.
    fn decode(&self, genes: Vec<u32>, theta: PyBuffer<f64>, py: Python<'_>) -> PyResult<Policy> {
        Ok(Policy::of(self.actor(genes, &theta.to_vec(py)?)?, None))
    }

    /// What each of these makes; their weights stand one after the other.
    fn decode_all(
        &self,
        models: Vec<Vec<u32>>,
        thetas: PyBuffer<f64>,
        py: Python<'_>,
    ) -> PyResult<Policies> {
        let (numbers, dimension) = (thetas.to_vec(py)?, self.class.dimension());
        if numbers.len() != models.len() * dimension {
            let (n, found) = (models.len(), numbers.len());
            let said = format!("must have {n} rows of {dimension} weights, got {found} in all");
            return Err(wrong("thetas", said));
        }
        let rows = models.into_iter().zip(numbers.chunks_exact(dimension.max(1)));
        let actors =
            rows.map(|(genes, theta)| self.actor(genes, theta)).collect::<PyResult<_>>()?;
        let layout = self.class.layout();
        let sizes = (layout.observation(), layout.action());
        Ok(Policies { actors: Mutex::new(actors), sizes })
    }
}

/// Many policies of one class.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Policies {
    actors: Mutex<Vec<Actor>>,
    /// Entries of an observation and of an action.
    #[pyo3(get)]
    sizes: (usize, usize),
}

#[pymethods]
impl Policies {
    fn __len__(&self) -> usize {
        lock(&self.actors).len()
    }

    /// What each does, of as many observations as `actions` has room for, policy by policy.
    fn act(
        &self,
        py: Python<'_>,
        observations: PyBuffer<f64>,
        actions: PyBuffer<f64>,
    ) -> PyResult<()> {
        let (seen, mut done) = (observations.to_vec(py)?, vec![0.0; actions.item_count()]);
        py.detach(|| {
            // Not before: who waits for it must not hold up the interpreter.
            let mut actors = lock(&self.actors);
            let n = actors.len().max(1);
            let each = (seen.len() / n, done.len() / n);
            let rows = seen.chunks_exact(each.0.max(1)).zip(done.chunks_exact_mut(each.1.max(1)));
            actors.iter_mut().zip(rows).for_each(|(actor, (seen, done))| actor.act(seen, done));
        });
        actions.copy_from_slice(py, &done)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A policy: observations in, actions out.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Policy {
    actor: Mutex<Actor>,
    env: Option<String>,
}

impl Policy {
    fn of(actor: Actor, env: Option<String>) -> Self {
        Self { actor: Mutex::new(actor), env }
    }

    /// From a document, of which nothing is believed.
    fn read(mut document: Document) -> Result<Self, String> {
        let env = document.env.clone();
        // Older documents leave the limits to their environment.
        if document.actions == Outputs::Limits && document.low.is_none() {
            let made =
                make(env.as_deref().unwrap_or_default()).map_err(|error| error.to_string())?;
            document.low = Some(made.spec().low.clone());
            document.high = Some(made.spec().high.clone());
        }
        Ok(Self::of(Actor::try_from(document)?, env))
    }
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
        py.detach(|| {
            let trained = Trained::load(&directory, which)?;
            Ok(Self::of(trained.actor()?, Some(trained.config.env.clone())))
        })
        .map_err(|error: esenas_run::problem::rl::TrainedError| {
            PyValueError::new_err(error.to_string())
        })
    }

    /// The policy that a model and weights make in a problem of kind `rl` or `gymnasium`, whose
    /// settings are JSON.
    #[staticmethod]
    fn decode(py: Python<'_>, settings: &str, genes: Vec<u32>, theta: Vec<f64>) -> PyResult<Self> {
        let problem: Value =
            serde_json::from_str(settings).map_err(|error| wrong("settings", error))?;
        let study = json!({ "stop": { "iterations": 1 }, "problem": problem });
        let spec = py.detach(|| Spec::from_value("the policy", study)).map_err(refused)?;
        let Some(config) = spec.problem.policy() else {
            let said = "the problem must be of kind \"rl\" or \"gymnasium\"";
            return Err(PyValueError::new_err(said));
        };
        let trained = Trained::decoded(config, genes.into(), theta).map_err(refused)?;
        let actor = py.detach(|| trained.actor());
        let actor = actor.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::of(actor, Some(trained.config.env)))
    }

    /// The document.
    fn to_json(&self) -> PyResult<String> {
        let document = lock(&self.actor).document(self.env.as_deref());
        let value = serde_json::to_value(document).map_err(|error| wrong("this policy", error))?;
        Ok(value.to_string())
    }

    /// It as the bytes of a file of this name: the end of that says in which form.
    fn export<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        precision: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let precision = match precision {
            None => None,
            Some("double") => Some(Precision::Double),
            Some("single") => Some(Precision::Single),
            Some("fixed") => Some(Precision::Fixed),
            Some(other) => {
                let said = format!("must be double, single or fixed, got {other:?}");
                return Err(wrong("precision", said));
            }
        };
        let form = Form::of(&path, precision).map_err(PyValueError::new_err)?;
        let document = lock(&self.actor).document(self.env.as_deref());
        let bytes = py.detach(|| form.write(&document));
        let bytes = bytes.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The environment it is for, if it is for one.
    #[getter]
    fn env(&self) -> Option<String> {
        self.env.clone()
    }

    /// Whether the greatest of its outputs says which discrete action to take.
    #[getter]
    fn is_discrete(&self) -> bool {
        matches!(lock(&self.actor).outputs(), Outputs::Greedy | Outputs::Sampled)
    }

    /// |S|, |A|, hidden units and edges.
    #[getter]
    fn sizes(&self) -> (usize, usize, usize, usize) {
        let actor = lock(&self.actor);
        let (network, layout) = (actor.network(), actor.network().layout());
        let (observation, action) = (layout.observation(), layout.action());
        (observation, action, layout.hidden().len(), network.edges().len())
    }

    /// What it does there, for as many observations as `actions` has room for.
    fn act(
        &self,
        py: Python<'_>,
        observations: PyBuffer<f64>,
        actions: PyBuffer<f64>,
    ) -> PyResult<()> {
        let (seen, mut done) = (observations.to_vec(py)?, vec![0.0; actions.item_count()]);
        lock(&self.actor).act(&seen, &mut done);
        actions.copy_from_slice(py, &done)
    }
}
