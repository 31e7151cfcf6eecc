//! The candidates of an iteration.

use std::sync::Arc;

use esenas::{Candidate, Layout, Noise, Probe, Role, Seed};
use esenas_run::{Asked, Batch as Evaluated, Point};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::values::{buffer, design_in, to_python};

type Around<'py> = (Bound<'py, PyByteArray>, Option<Bound<'py, PyByteArray>>);

/// Candidates of an iteration that are to be evaluated.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Batch {
    layout: Arc<Layout>,
    /// Each with its place among all of the iteration.
    jobs: Vec<(u32, Candidate)>,
    seed: Seed,
    #[pyo3(get)]
    iteration: u32,
}

impl Batch {
    pub(crate) fn new(
        layout: Arc<Layout>,
        jobs: Vec<(u32, Candidate)>,
        seed: Seed,
        iteration: u32,
    ) -> Self {
        Self { layout, jobs, seed, iteration }
    }

    /// What was asked for.
    pub(crate) fn of(asked: &Asked) -> Self {
        let jobs = asked.jobs().into_iter().map(|(at, it)| (at, it.clone())).collect();
        Self::new(asked.layout().clone(), jobs, asked.seed(), asked.iteration())
    }

    fn at(&self, at: usize) -> PyResult<(u32, &Candidate)> {
        let n = self.jobs.len();
        let refuse = || PyIndexError::new_err(format!("candidate {at} of {n}"));
        self.jobs.get(at).map(|(index, it)| (*index, it)).ok_or_else(refuse)
    }

    /// Lets `look` see some candidates with θ written out.
    fn see(&self, jobs: &[(u32, &Candidate)], mut look: impl FnMut(&Point<'_>)) {
        let Self { layout, seed, iteration, .. } = self;
        let batch = Evaluated { layout, jobs, seed: *seed, iteration: *iteration };
        (0..jobs.len()).for_each(|job| batch.with(job, &mut look));
    }

    /// Writes θ of these jobs into the rows of `out`.
    fn fill<T: Element + Copy>(
        &self,
        jobs: &[(u32, &Candidate)],
        out: &Bound<'_, PyAny>,
        convert: impl Fn(f64) -> T,
    ) -> PyResult<()> {
        let mut numbers = Vec::with_capacity(self.dim());
        let (mut row, mut written) = (0, Ok(()));
        let mut write = |theta: &[f64]| {
            numbers.clear();
            numbers.extend(theta.iter().map(|number| convert(*number)));
            let into = PyBuffer::get(&out.get_item(row)?)?;
            row += 1;
            into.copy_from_slice(out.py(), &numbers)
        };
        self.see(jobs, |point| {
            if written.is_ok() {
                written = write(point.theta);
            }
        });
        written
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.jobs.len()
    }

    /// Whether designs have numbers of their own, and none beside them.
    #[getter]
    fn has_numbers(&self) -> bool {
        self.layout.is_declared()
    }

    /// The designs of the candidates from `first` on, whose θ stand one after the other in
    /// `thetas`, an array. Arrays of designs are views of it.
    fn designs<'py>(
        &self,
        first: usize,
        thetas: Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let layout = &self.layout;
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
        to_python(py, &self.layout.space().decode(&candidate.dna).unwrap_or_default())
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
        self.layout.dim()
    }

    /// Writes θ of `count` candidates from `first` on into the rows of an array of doubles or of
    /// floats.
    fn write(&self, out: &Bound<'_, PyAny>, first: usize, count: usize) -> PyResult<()> {
        let jobs: Vec<_> = self.jobs.iter().map(|(at, candidate)| (*at, candidate)).collect();
        let refuse = || PyIndexError::new_err(format!("{count} candidates from {first} on"));
        let jobs = first.checked_add(count).and_then(|end| jobs.get(first..end));
        let jobs = jobs.ok_or_else(refuse)?;
        match (self.dim(), PyBuffer::<f64>::get(out)) {
            (0, _) => Ok(()),
            (_, Ok(_)) => self.fill(jobs, out, |number| number),
            (_, Err(_)) => self.fill(jobs, out, |number| number as f32),
        }
    }

    /// Where an evaluation's own randomness is to come from.
    fn seed(&self, at: usize) -> PyResult<u64> {
        let (mut seed, job) = (0, self.at(at)?);
        self.see(&[job], |point| seed = point.seed());
        Ok(seed)
    }

    /// Where it stands beside its centre: key, row and scale, if that is all there is to its θ.
    fn address(&self, at: usize) -> PyResult<Option<(u64, u32, f64)>> {
        let theta = &self.at(at)?.1.theta;
        let (base, probe) = (theta.base(), theta.offset());
        let is_plain = base.bounds.is_none() && !self.layout.is_rescaled();
        Ok(match base.noise() {
            Noise::Gaussian(key) if is_plain && (probe.is_some() || base.pairs) => {
                let Probe { row, scale } = probe.unwrap_or(Probe { row: 0, scale: 0.0 });
                Some((*key, row, scale))
            }
            _ => None,
        })
    }

    /// The centre that it stands beside, and how far each coordinate spreads, if not all alike.
    fn centre<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Around<'py>> {
        let base = self.at(at)?.1.theta.base();
        let spread = base.spread.as_ref().map(|spread| buffer(py, spread)).transpose()?;
        Ok((buffer(py, &base.centre)?, spread))
    }

    /// Its place among all candidates of the iteration.
    fn place(&self, at: usize) -> PyResult<u32> {
        Ok(self.at(at)?.0)
    }

    /// What it is evaluated for: whether only to know how good the centre is.
    fn is_centre(&self, at: usize) -> PyResult<bool> {
        Ok(self.at(at)?.1.role == Role::Centre)
    }
}
