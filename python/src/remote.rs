//! Evaluations elsewhere: the dispatcher and its workers, for executors that are written in Python.
//!
//! An executor has a `pool` and `evaluate(work)`. It moves bytes between the work and whatever runs
//! its workers, and decides nothing.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use esenas_run::dispatcher::{Action, LeaseId, Limits, Speculation, WorkerId};
use esenas_run::remote::{self, WorkerError};
use esenas_run::{Batch, EvaluateError, Evaluator, Failure, FailureKind, Outcome};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::errors::{StudyError, evaluating, raised, stopped};
use crate::objective::{Given, Objective};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn seconds(name: &str, value: f64) -> PyResult<Duration> {
    let refuse =
        |_| PyValueError::new_err(format!("{name} must be seconds, 0 or more, got {value}"));
    Duration::try_from_secs_f64(value).map_err(refuse)
}

/// Who there is to work, and how patient to be with them. It outlives iterations and studies.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Pool {
    pool: Mutex<remote::Pool>,
}

#[pymethods]
impl Pool {
    /// `timeout`: seconds for one evaluation, or as long as it takes. `attempts`: how many workers
    /// may be lost over one evaluation. `retry_failed`: whether an evaluation that the objective
    /// itself failed is tried again. `speculation`: whether work that takes longer than
    /// max(`factor` × mean, `floor`) is copied to an idle worker; `unknown` is the patience before
    /// there is a mean.
    #[new]
    #[pyo3(signature = (*, timeout=None, attempts=3, retry_failed=false, speculation=true, factor=5.0, floor=0.5, unknown=30.0))]
    fn new(
        timeout: Option<f64>,
        attempts: u32,
        retry_failed: bool,
        speculation: bool,
        factor: f64,
        floor: f64,
        unknown: f64,
    ) -> PyResult<Self> {
        let attempts = NonZeroU32::new(attempts)
            .ok_or_else(|| PyValueError::new_err("attempts must be at least 1, got 0"))?;
        let timeout = timeout.map(|value| seconds("timeout", value)).transpose()?;
        if !(factor.is_finite() && factor >= 1.0) {
            return Err(PyValueError::new_err(format!("factor must be at least 1, got {factor}")));
        }
        let (floor, unknown) = (seconds("floor", floor)?, seconds("unknown", unknown)?);
        let speculation = speculation.then_some(Speculation { factor, floor, unknown });
        let limits = Limits { attempts, timeout, retry_failed, speculation };
        Ok(Self { pool: Mutex::new(remote::Pool::new(limits)) })
    }

    /// Admits a new worker, between iterations; within one it is the work's to do.
    fn join(&self) -> u64 {
        lock(&self.pool).join().0
    }
}

/// Work handed to a worker: what to send, and what to give back with the answer.
#[pyclass(frozen, get_all, module = "esenas._native")]
pub(crate) struct Lease {
    /// Its number.
    id: u64,
    /// Whose it is.
    worker: u64,
    /// How many evaluations it holds.
    size: usize,
    /// The candidates, as addresses.
    chunk: Py<PyBytes>,
}

/// One iteration that is being evaluated elsewhere.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Work {
    work: Mutex<Option<remote::Work>>,
}

impl Work {
    fn with<T>(&self, act: impl FnOnce(&mut remote::Work) -> T) -> PyResult<T> {
        let over = || PyRuntimeError::new_err("this iteration is over: its work is done");
        lock(&self.work).as_mut().map(act).ok_or_else(over)
    }

    /// A worker that never joined would be handed nothing, forever.
    fn known(&self, worker: u64) -> PyResult<WorkerId> {
        let id = WorkerId(worker);
        let known = self.with(|work| work.workers().contains(id))?;
        let refuse = || PyValueError::new_err(format!("worker {worker} did not join, or is lost"));
        known.then_some(id).ok_or_else(refuse)
    }
}

#[pymethods]
impl Work {
    /// How many evaluations there are.
    fn __len__(&self) -> PyResult<usize> {
        self.with(|work| work.len())
    }

    /// What the evaluations have in common, θ and the objective's state: to be sent once per
    /// iteration and place.
    fn shared<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.with(|work| PyBytes::new(py, work.shared()))
    }

    /// Whether every evaluation has its outcome.
    #[getter]
    fn complete(&self) -> PyResult<bool> {
        self.with(|work| work.is_complete())
    }

    /// How many evaluations have no outcome yet.
    #[getter]
    fn open(&self) -> PyResult<usize> {
        self.with(|work| work.open())
    }

    /// How many workers there are, suspected or not.
    #[getter]
    fn workers(&self) -> PyResult<usize> {
        self.with(|work| work.workers().len())
    }

    /// The workers that owe a sign of life.
    #[getter]
    fn suspected(&self) -> PyResult<Vec<u64>> {
        self.with(|work| work.workers().suspected().into_iter().map(|worker| worker.0).collect())
    }

    /// Admits a new worker.
    fn join(&self) -> PyResult<u64> {
        self.with(|work| work.join().0)
    }

    /// Hands the worker up to `most` evaluations; `None` if it should stay idle for now.
    fn lease(&self, py: Python<'_>, worker: u64, most: usize) -> PyResult<Option<Lease>> {
        let id = self.known(worker)?;
        let Some((lease, chunk)) = py.detach(|| self.with(|work| work.lease(id, most)))? else {
            return Ok(None);
        };
        let (size, chunk) = (lease.indices.len(), PyBytes::new(py, &chunk).unbind());
        Ok(Some(Lease { id: lease.id.0, worker, size, chunk }))
    }

    /// The worker answered its lease. Returns how many outcomes that settled: none where another
    /// was quicker. An answer that is none counts as a lost lease.
    fn done(
        &self,
        py: Python<'_>,
        worker: u64,
        lease: u64,
        answer: PyBackedBytes,
    ) -> PyResult<usize> {
        let done = || self.with(|work| work.done(WorkerId(worker), LeaseId(lease), &answer));
        // A refusal is the dispatcher's to deal with.
        Ok(py.detach(done)?.unwrap_or(0))
    }

    /// Nothing more will come of the lease.
    fn lost(&self, lease: u64, reason: String) -> PyResult<()> {
        let failure = Failure::new(FailureKind::WorkerLost, reason);
        self.with(|work| work.lost(LeaseId(lease), failure))
    }

    /// The lease ran out of time.
    fn timed_out(&self, lease: u64, reason: String) -> PyResult<()> {
        let failure = Failure::new(FailureKind::TimedOut, reason);
        self.with(|work| work.lost(LeaseId(lease), failure))
    }

    /// The worker is gone, and all its leases with it.
    fn worker_lost(&self, worker: u64, reason: String) -> PyResult<()> {
        let failure = Failure::new(FailureKind::WorkerLost, reason);
        self.with(|work| work.worker_lost(WorkerId(worker), failure))
    }

    /// The worker gave a sign of life other than an answer.
    fn answered(&self, worker: u64) -> PyResult<()> {
        self.with(|work| work.answered(WorkerId(worker)))
    }

    /// Looks at the clock: what happened, to whom, with which lease. `"expired"`: it ran out of
    /// time; say `timed_out` or `worker_lost`, or it is said again. `"suspected"`: it straggles,
    /// and may be copied.
    fn tick(&self) -> PyResult<Vec<(&'static str, u64, u64)>> {
        let told = |action| match action {
            Action::Expired { worker, lease } => ("expired", worker.0, lease.0),
            Action::Suspected { worker, lease } => ("suspected", worker.0, lease.0),
        };
        self.with(|work| work.tick().into_iter().map(told).collect())
    }

    /// In how many seconds `tick` will have something to say, if nothing else happens before.
    fn wake(&self) -> PyResult<Option<f64>> {
        self.with(|work| work.wake().map(|wake| wake.as_secs_f64()))
    }
}

/// What driver and workers must agree on.
#[pyfunction]
pub(crate) fn version() -> String {
    remote::version()
}

/// Evaluates chunks of a study, in any process that has its text.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Worker {
    worker: Mutex<remote::Worker>,
}

#[pymethods]
impl Worker {
    /// A worker for the study in `text`: its problem's own objective on so many native threads, or
    /// `objective`, an adapter of Python's.
    #[new]
    #[pyo3(signature = (text, objective=None, *, given="one", threads=None))]
    fn new(
        py: Python<'_>,
        text: &str,
        objective: Option<Py<PyAny>>,
        given: &str,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (threads, given) = (some_threads(threads)?, Given::of(given)?);
        let worker = py.detach(|| match objective {
            Some(call) => remote::Worker::with(text, Objective::new(call, given)),
            None => remote::Worker::new(text, threads),
        });
        Ok(Self { worker: Mutex::new(worker.map_err(raised)?) })
    }

    /// Evaluates a chunk: bytes in, bytes out. One at a time; the others wait.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        shared: PyBackedBytes,
        chunk: PyBackedBytes,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let answer = py.detach(|| lock(&self.worker).evaluate(&shared, &chunk));
        let answer = answer.map_err(|error| match error {
            WorkerError::Wire(error) => StudyError::new_err(error.to_string()),
            WorkerError::Evaluate(error) => evaluating(error),
        })?;
        Ok(PyBytes::new(py, &answer))
    }
}

/// A number of threads, if one was given.
pub(crate) fn some_threads(threads: Option<usize>) -> PyResult<Option<NonZeroUsize>> {
    let refuse = || PyValueError::new_err("threads must be at least 1, got 0");
    threads.map(|n| NonZeroUsize::new(n).ok_or_else(refuse)).transpose()
}

/// An executor that is written in Python, as an evaluator.
pub(crate) struct Mover {
    executor: Py<PyAny>,
    /// The problem's own evaluator, for what the evaluations learn together; it never evaluates.
    own: Option<Box<dyn Evaluator>>,
    study: String,
}

impl Mover {
    pub(crate) fn new(executor: Py<PyAny>, own: Option<Box<dyn Evaluator>>, study: String) -> Self {
        Self { executor, own, study }
    }
}

impl Evaluator for Mover {
    fn evaluate(&mut self, batch: &Batch<'_>) -> Result<Vec<Outcome>, EvaluateError> {
        let state = self.state();
        Python::attach(|py| {
            let pool: Py<Pool> = self.executor.getattr(py, "pool")?.extract(py)?;
            let taken = lock(&pool.get().pool).clone();
            let work = remote::Work::new(batch, &self.study, &state, taken);
            let work = Py::new(py, Work { work: Mutex::new(Some(work)) })?;
            let moved = self.executor.call_method1(py, "evaluate", (&work,));
            // Whatever happened: who was suspected still is, and numbers are not used twice.
            let work = lock(&work.get().work).take();
            let finished = work.map(|work| (work.is_complete(), work.finish()));
            let Some((complete, (outcomes, left))) = finished else { return Ok(Vec::new()) };
            *lock(&pool.get().pool) = left;
            moved?;
            match complete {
                true => Ok(outcomes),
                false => Err(StudyError::new_err("the executor left before all was evaluated")),
            }
        })
        .map_err(stopped)
    }

    fn state(&self) -> Vec<u8> {
        self.own.as_ref().map_or_else(Vec::new, |own| own.state())
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), EvaluateError> {
        self.own.as_mut().map_or(Ok(()), |own| own.restore(state))
    }

    fn absorb(&mut self, moments: &[Vec<u8>]) -> Result<(), EvaluateError> {
        self.own.as_mut().map_or(Ok(()), |own| own.absorb(moments))
    }
}
