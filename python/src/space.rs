//! Spaces: the native half of `esenas.Space`.

use esenas::{Dna, Purpose, Seed};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

use crate::values::to_python;

/// A search space.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Space {
    space: esenas::Space,
}

/// Decisions, as DNA.
fn dna(genes: &[u32]) -> PyResult<Dna> {
    let text = Value::from(genes).to_string();
    Dna::from_json(&text).map_err(|error| PyValueError::new_err(error.to_string()))
}

#[pymethods]
impl Space {
    /// The space in this JSON.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let json = |error| PyValueError::new_err(format!("this space is not JSON: {error}"));
        let value: Value = serde_json::from_str(text).map_err(json)?;
        let space = esenas::Space::from_value(&value)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { space })
    }

    /// The space as JSON.
    fn to_json(&self) -> String {
        self.space.to_value().to_string()
    }

    /// How many models there are, if that fits 128 bits, and the decimal logarithm.
    fn size(&self) -> (Option<u128>, f64) {
        let size = self.space.size();
        (size.exact, size.log10)
    }

    /// How many decisions a model can have.
    #[getter]
    fn decisions(&self) -> u32 {
        self.space.loci()
    }

    /// Refuses what are no decisions of this space.
    fn check(&self, genes: Vec<u32>) -> PyResult<()> {
        let dna = dna(&genes)?;
        self.space.check(&dna).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The model that these decisions make.
    fn decode<'py>(&self, py: Python<'py>, genes: Vec<u32>) -> PyResult<Bound<'py, PyAny>> {
        let model = self.space.decode(&dna(&genes)?);
        to_python(py, &model.map_err(|error| PyValueError::new_err(error.to_string()))?)
    }

    /// Random models.
    fn sample(&self, n: u32, seed: u64) -> Vec<Vec<u32>> {
        let draw = |index| self.space.sample(&mut Seed(seed).stream(Purpose::Start, 0, index));
        (0..n).map(|index| draw(index).genes().to_vec()).collect()
    }
}
