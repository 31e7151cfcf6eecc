//! The candidates of an iteration.

use std::sync::Arc;

use esenas::Candidate;
use esenas_run::{Asked, Point};
use pyo3::buffer::{Element, PyBuffer, ReadOnlyCell};
use pyo3::exceptions::{PyIndexError, PyValueError};
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

    fn fill<T: Element + Copy>(
        &self,
        py: Python<'_>,
        jobs: &[(u32, &Candidate)],
        out: &PyBuffer<T>,
        convert: impl Fn(f64) -> T,
    ) -> PyResult<()> {
        let mut cells = out.as_mut_slice(py).ok_or_else(|| strided("out"))?;
        let expected = jobs.len() * self.dim();
        if cells.len() != expected {
            let what = format!("out has {} numbers, θ have {expected}", cells.len());
            return Err(PyValueError::new_err(what));
        }
        self.see(jobs, |point| {
            let (row, rest) = cells.split_at(point.theta.len());
            row.iter().zip(point.theta).for_each(|(cell, number)| cell.set(convert(*number)));
            cells = rest;
        });
        Ok(())
    }
}

fn strided(name: &str) -> PyErr {
    PyValueError::new_err(format!("{name} must be contiguous and writable"))
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
        let numbers = PyBuffer::<f64>::get(&thetas)?;
        let cells = numbers.as_slice(thetas.py()).ok_or_else(|| strided("thetas"))?;
        let mut theta = Vec::new();
        let design = |(row, cells): (usize, &[ReadOnlyCell<f64>])| {
            let (_, candidate) = self.at(first + row)?;
            theta.clear();
            theta.extend(cells.iter().map(ReadOnlyCell::get));
            design_in(&thetas, row * layout.dim(), &layout.design(&candidate.dna, &theta))
        };
        cells.chunks_exact(layout.dim().max(1)).enumerate().map(design).collect()
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

    /// d
    #[getter]
    fn dim(&self) -> usize {
        self.asked.layout().dim()
    }

    /// Writes θ of `count` candidates from `first` on into an array of doubles or of floats, one after
    /// the other.
    fn write(
        &self,
        py: Python<'_>,
        out: &Bound<'_, PyAny>,
        first: usize,
        count: usize,
    ) -> PyResult<()> {
        let jobs = self.asked.jobs();
        let refuse = || PyIndexError::new_err(format!("{count} candidates from {first} on"));
        let jobs = first.checked_add(count).and_then(|end| jobs.get(first..end));
        let jobs = jobs.ok_or_else(refuse)?;
        match PyBuffer::<f64>::get(out) {
            Ok(out) => self.fill(py, jobs, &out, |number| number),
            Err(_) => self.fill(py, jobs, &PyBuffer::<f32>::get(out)?, |number| number as f32),
        }
    }

    /// Where an evaluation's own randomness is to come from.
    fn seed(&self, at: usize) -> PyResult<u64> {
        let (mut seed, job) = (0, self.at(at)?);
        self.see(&[job], |point| seed = point.seed());
        Ok(seed)
    }
}
