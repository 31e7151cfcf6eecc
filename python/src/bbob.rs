//! The functions of the BBOB benchmark, over hybrid spaces.

use std::sync::{Mutex, PoisonError};

use esenas_bbob::{Hybrid, HybridBuffer};
use esenas_run::Spec;
use esenas_run::spec::ProblemConfig;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use serde_json::{Value, json};

use crate::errors::refused;
use crate::values::buffer;

/// A function of the benchmark.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Bbob {
    hybrid: Hybrid,
    buffer: Mutex<HybridBuffer>,
}

#[pymethods]
impl Bbob {
    /// The function of these settings, as JSON: those of a problem of kind `bbob`.
    #[new]
    fn new(settings: &str) -> PyResult<Self> {
        let json = |error| PyValueError::new_err(format!("the settings are not JSON: {error}"));
        let mut problem: Value = serde_json::from_str(settings).map_err(json)?;
        problem["kind"] = "bbob".into();
        let study = json!({ "stop": { "iterations": 1 }, "problem": problem });
        let spec = Spec::from_value("the function", study).map_err(refused)?;
        let ProblemConfig::Bbob(config) = spec.problem else {
            return Err(PyValueError::new_err("this is no function of the benchmark"));
        };
        let hybrid = config.build().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { hybrid, buffer: Mutex::default() })
    }

    /// 𝓜, as JSON.
    fn space(&self) -> String {
        self.hybrid.space().to_value().to_string()
    }

    /// How many weights there are.
    #[getter]
    fn dimension(&self) -> usize {
        self.hybrid.dim()
    }

    /// f(m, θ) of decisions and weights, to be maximized.
    fn value(&self, genes: Vec<u32>, theta: Vec<f64>) -> PyResult<f64> {
        let dna = esenas::Dna::from(genes);
        let refuse = |error: String| PyValueError::new_err(error);
        self.hybrid.space().check(&dna).map_err(|error| refuse(error.to_string()))?;
        if theta.len() != self.hybrid.dim() {
            let (found, dim) = (theta.len(), self.hybrid.dim());
            return Err(refuse(format!("θ must have {dim} coordinates, got {found}")));
        }
        let mut buffer = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.hybrid.value(dna.genes(), &theta, &mut buffer))
    }

    /// f of points, each its categories as numbers and then its weights.
    fn values<'py>(
        &self,
        py: Python<'py>,
        points: Vec<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let costs = py.detach(|| self.hybrid.costs_of(&points));
        let costs = costs.map_err(|error| PyValueError::new_err(error.to_string()))?;
        buffer(py, &costs.into_iter().map(|cost| -cost).collect::<Vec<_>>())
    }

    /// The best decisions and weights, where they are known.
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Option<(Vec<u32>, Bound<'py, PyByteArray>)>> {
        let Some((dna, theta)) = self.hybrid.best() else { return Ok(None) };
        Ok(Some((dna.genes().to_vec(), buffer(py, &theta)?)))
    }
}

/// The functions there are: name and description.
#[pyfunction]
pub(crate) fn bbob_functions() -> Vec<(String, String)> {
    let told = |it: esenas_bbob::Listed| (it.function.name().to_owned(), it.description.to_owned());
    esenas_bbob::list().map(told).collect()
}
