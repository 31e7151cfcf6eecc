//! The candidates of an iteration.

use std::sync::Arc;

use esenas::Candidate;
use esenas_run::{Asked, Point};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::values::{buffer, design_in, to_python};

/// The candidates of an iteration that are to be evaluated.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Batch {
    asked: Arc<Asked>,
}

impl Batch {
    pub(crate) fn new(asked: Arc<Asked>) -> Self {
        Self { asked }
    }

    fn at(&self, at: usize) -> PyResult<(u32, &Candidate)> {
        let n = self.asked.len();
        let refuse = || PyIndexError::new_err(format!("candidate {at} of {n}"));
        (at < n).then(|| self.asked.job(at)).ok_or_else(refuse)
    }

    /// Lets `look` see some candidates with θ written out.
    fn see(&self, jobs: &[(u32, &Candidate)], mut look: impl FnMut(&Point<'_>)) {
        let batch = self.asked.batch(jobs);
        (0..jobs.len()).for_each(|job| batch.with(job, &mut look));
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.asked.len()
    }

    /// Which iteration it is, counted from 0.
    #[getter]
    fn iteration(&self) -> u32 {
        self.asked.iteration()
    }

    /// Whether designs have numbers of their own, and none beside them.
    #[getter]
    fn has_numbers(&self) -> bool {
        self.asked.layout().is_declared()
    }

    /// The designs of the candidates from `first` on, whose θ stand one after the other in
    /// `thetas`, an array. Arrays of designs are views of it.
    fn designs<'py>(
        &self,
        first: usize,
        thetas: Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let layout = self.asked.layout();
        let numbers = PyBuffer::<f64>::get(&thetas)?.to_vec(thetas.py())?;
        let design = |(row, theta): (usize, &[f64])| {
            let (_, candidate) = self.at(first + row)?;
            design_in(&thetas, row * layout.dim(), &layout.design(&candidate.dna, theta))
        };
        numbers.chunks_exact(layout.dim().max(1)).enumerate().map(design).collect()
    }

    /// The decoded model of a candidate whose θ stands beside it.
    fn model<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyAny>> {
        let (_, candidate) = self.at(at)?;
        // A controller only proposes what is in its space.
        to_python(py, &self.asked.layout().space().decode(&candidate.dna).unwrap_or_default())
    }

    /// The decisions.
    fn dna(&self, at: usize) -> PyResult<Vec<u32>> {
        Ok(self.at(at)?.1.dna.genes().to_vec())
    }

    /// θ, as doubles.
    fn theta<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyByteArray>> {
        let job = self.at(at)?;
        let mut numbers = Vec::new();
        py.detach(|| self.see(&[job], |point| numbers.extend_from_slice(point.theta)));
        buffer(py, &numbers)
    }

    /// All θ, one after the other.
    fn thetas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let jobs = self.asked.jobs();
        let dimension = jobs.first().map_or(0, |(_, candidate)| candidate.theta.dim());
        let mut numbers = Vec::with_capacity(jobs.len() * dimension);
        py.detach(|| self.see(&jobs, |point| numbers.extend_from_slice(point.theta)));
        buffer(py, &numbers)
    }

    /// Where an evaluation's own randomness is to come from.
    fn seed(&self, at: usize) -> PyResult<u64> {
        let (mut seed, job) = (0, self.at(at)?);
        self.see(&[job], |point| seed = point.seed());
        Ok(seed)
    }
}
