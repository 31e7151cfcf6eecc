//! Functions of Python as evaluators.
//!
//! What is called here is an adapter of the Python half, which turns buffers into arrays and
//! exceptions into text. So only what is meant to stop a study, `KeyboardInterrupt` and its like,
//! gets through.

use esenas_run::{Batch, EvaluateError, Evaluator, Outcome};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors::stopped;
use crate::values::{array, buffer, design_in, outcome};

/// A function of Python.
pub(crate) struct Objective {
    /// `call(designs, thetas, seeds)` says something of each. Arrays of designs are views of
    /// `thetas`.
    call: Py<PyAny>,
    /// Whether it gets all candidates at once, or one after the other.
    whole: bool,
}

impl Objective {
    pub(crate) fn new(call: Py<PyAny>, whole: bool) -> Self {
        Self { call, whole }
    }

    fn ask(
        &self,
        py: Python<'_>,
        batch: &Batch<'_>,
        jobs: std::ops::Range<usize>,
    ) -> PyResult<Vec<Outcome>> {
        let (mut seeds, mut numbers) = (Vec::new(), Vec::new());
        for job in jobs.clone() {
            batch.with(job, |point| {
                seeds.push(point.seed());
                numbers.extend_from_slice(point.theta);
            });
        }
        let thetas = buffer(py, &numbers)?;
        let (rows, dim) = (array(&thetas)?, batch.layout().dim());
        let design = |(row, job): (usize, usize)| {
            let (start, dna) = (row * dim, &batch.candidate(job).dna);
            design_in(&rows, start, &batch.layout().design(dna, &numbers[start..start + dim]))
        };
        let designs = jobs.enumerate().map(design).collect::<PyResult<Vec<_>>>()?;
        let said = self.call.call1(py, (designs, thetas, seeds))?;
        said.bind(py).cast::<PyList>()?.iter().map(|said| outcome(&said)).collect()
    }
}

impl Evaluator for Objective {
    fn evaluate(&mut self, batch: &Batch<'_>) -> Result<Vec<Outcome>, EvaluateError> {
        let stride = if self.whole { batch.len() } else { 1 };
        let mut outcomes = Vec::with_capacity(batch.len());
        Python::attach(|py| {
            while outcomes.len() < batch.len() {
                py.check_signals()?;
                let start = outcomes.len();
                outcomes.extend(self.ask(py, batch, start..start + stride)?);
            }
            Ok(())
        })
        .map_err(stopped)?;
        Ok(outcomes)
    }
}
