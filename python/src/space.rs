//! Spaces: the native half of `esenas.Space`.

use std::sync::Arc;

use esenas::{Dna, Layout, Purpose, Seed};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use serde_json::Value;

use crate::values::{buffer, design_in, to_python};

/// A search space, with the layout of its numbers.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Space {
    space: Arc<esenas::Space>,
    layout: Layout,
}

fn refused(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Decisions, as DNA.
fn dna(genes: &[u32]) -> PyResult<Dna> {
    let text = Value::from(genes).to_string();
    Dna::from_json(&text).map_err(refused)
}

#[pymethods]
impl Space {
    /// The space in this JSON.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let json = |error| PyValueError::new_err(format!("this space is not JSON: {error}"));
        let value: Value = serde_json::from_str(text).map_err(json)?;
        let space = Arc::new(esenas::Space::from_value(&value).map_err(refused)?);
        let layout = Layout::new(space.clone()).map_err(refused)?;
        Ok(Self { space, layout })
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
        self.space.check(&dna).map_err(refused)
    }

    /// The model that these decisions make.
    fn decode<'py>(&self, py: Python<'py>, genes: Vec<u32>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.space.decode(&dna(&genes)?).map_err(refused)?)
    }

    /// How many coordinates of θ its numbers are.
    #[getter]
    fn numbers(&self) -> usize {
        self.layout.dim()
    }

    /// The design that these decisions and this θ, an array in the user's units, make.
    fn design<'py>(
        &self,
        py: Python<'py>,
        genes: Vec<u32>,
        theta: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let numbers = PyBuffer::<f64>::get(&theta)?.to_vec(py)?;
        if numbers.len() != self.layout.dim() {
            let (found, dim) = (numbers.len(), self.layout.dim());
            return Err(refused(format!("theta has {found} numbers, the space has {dim}")));
        }
        let found = self.layout.decode(&dna(&genes)?, &numbers).map_err(refused)?;
        design_in(&theta, 0, &found)
    }

    /// The decisions and the numbers of a design, which is JSON.
    fn encode<'py>(
        &self,
        py: Python<'py>,
        design: &str,
    ) -> PyResult<(Vec<u32>, Bound<'py, PyByteArray>)> {
        let design: Value = serde_json::from_str(design).map_err(refused)?;
        let mut theta = vec![0.0; self.layout.dim()];
        let dna = self.layout.encode(&design, &mut theta).map_err(refused)?;
        Ok((dna.genes().to_vec(), buffer(py, &theta)?))
    }

    /// Random models.
    fn sample(&self, n: u32, seed: u64) -> Vec<Vec<u32>> {
        let draw = |index| self.space.sample(&mut Seed(seed).stream(Purpose::Start, 0, index));
        (0..n).map(|index| draw(index).genes().to_vec()).collect()
    }
}
