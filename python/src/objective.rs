//! Functions of Python as evaluators.
//!
//! What is called here is an adapter of the Python half, which turns buffers into arrays and
//! exceptions into text. So only what is meant to stop a study, `KeyboardInterrupt` and its like,
//! gets through.

use std::sync::Arc;

use esenas_run::{Batch, EvaluateError, Evaluator, Outcome};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::batch::Batch as Candidates;
use crate::errors::stopped;
use crate::values::{array, buffer, design_in, outcome};

/// What a function is called with.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Given {
    /// One candidate after the other: `call(designs, thetas, seeds)`. Arrays of designs are views
    /// of `thetas`.
    One,
    /// The same, all at once.
    All,
    /// All at once, with nothing written out: `call(batch)`.
    Candidates,
}

impl Given {
    pub(crate) fn of(word: &str) -> PyResult<Self> {
        match word {
            "one" => Ok(Self::One),
            "all" => Ok(Self::All),
            "candidates" => Ok(Self::Candidates),
            _ => {
                Err(PyValueError::new_err(format!("given must be one, all or candidates: {word}")))
            }
        }
    }
}

/// A function of Python, which says something of each candidate.
pub(crate) struct Objective {
    call: Py<PyAny>,
    given: Given,
    /// What it has absorbed: nothing to begin with, unknown once it failed to.
    state: Option<Vec<u8>>,
}

impl Objective {
    pub(crate) fn new(call: Py<PyAny>, given: Given) -> Self {
        Self { call, given, state: Some(Vec::new()) }
    }

    fn ask_whole(&self, py: Python<'_>, batch: &Batch<'_>) -> PyResult<Vec<Outcome>> {
        let jobs = batch.jobs.iter().map(|(index, it)| (*index, (*it).clone())).collect();
        let layout = Arc::clone(batch.layout);
        let candidates = Candidates::new(layout, jobs, batch.seed, batch.iteration);
        let said = self.call.call1(py, (Py::new(py, candidates)?,))?;
        said.bind(py).cast::<PyList>()?.iter().map(|said| outcome(&said)).collect()
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
        let stride = if self.given == Given::One { 1 } else { batch.len() };
        let mut outcomes = Vec::with_capacity(batch.len());
        Python::attach(|py| {
            if self.given == Given::Candidates {
                outcomes = self.ask_whole(py, batch)?;
            }
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

    fn state(&self) -> Vec<u8> {
        self.state.clone().unwrap_or_default()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), EvaluateError> {
        if self.state.as_deref() != Some(state) {
            Python::attach(|py| self.call.call_method1(py, "load", (PyBytes::new(py, state),)))
                .map_err(stopped)?;
            self.state = Some(state.to_vec());
        }
        Ok(())
    }

    fn absorb(&mut self, moments: &[Vec<u8>]) -> Result<(), EvaluateError> {
        self.state = None;
        let learned = Python::attach(|py| {
            let all: Vec<_> = moments.iter().map(|it| PyBytes::new(py, it)).collect();
            self.call.call_method1(py, "absorb", (all,))?.extract(py)
        });
        self.state = Some(learned.map_err(stopped)?);
        Ok(())
    }
}
