//! A study: settings in, iterations, records out.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, TryLockError};

use esenas_run::spec::{ProblemConfig, StopConfig, check_section};
use esenas_run::{
    Control, End, Evaluator, IterationReport, Known, Running, Spec, SpecError, Study as Runnable,
};
use esenas_store::{BestRecord, EvaluationRecord, IterationRecord, Options, Reader, Timings};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyList};
use serde_json::Value;

use crate::batch::Batch;
use crate::columns::columns;
use crate::errors::{raised, refused};
use crate::objective::{Given, Objective};
use crate::remote::{Mover, some_threads};
use crate::table::Table;
use crate::values::{array, buffer, design_in, outcome, to_python};

/// A study and how far it is.
#[pyclass(frozen, module = "esenas._native")]
pub(crate) struct Study {
    /// The part of the settings that never changes: objectives may ask for it while they evaluate.
    problem: ProblemConfig,
    inner: Mutex<Inner>,
}

struct Inner {
    running: Running<'static>,
    /// Where it is to be kept, from the first time on that candidates are asked for: what rules
    /// choose is not known before.
    place: Option<PathBuf>,
    /// All iterations there ever were, also those of a run that is resumed.
    history: Vec<(IterationRecord, Timings)>,
    /// The recorded evaluations of a study that is kept nowhere else.
    evaluations: Vec<(u64, Vec<EvaluationRecord>)>,
}

impl Study {
    fn start(spec: Spec, directory: Option<PathBuf>) -> PyResult<Self> {
        let mut inner = Inner::new(Runnable::ask_tell(spec).map_err(raised)?);
        if let Some(directory) = directory {
            inner.keep_in(directory)?;
        }
        Ok(Self::of(inner))
    }

    fn of(inner: Inner) -> Self {
        let problem = inner.running.study().spec().problem.clone();
        Self { problem, inner: Mutex::new(inner) }
    }

    /// Says something of what the study is.
    fn look<T>(&self, of: impl FnOnce(&Spec) -> T) -> PyResult<T> {
        Ok(of(self.inner()?.running.study().spec()))
    }

    /// Who evaluates a problem that brings its objective.
    fn own_evaluator(
        &self,
        py: Python<'_>,
        threads: Option<NonZeroUsize>,
    ) -> PyResult<Box<dyn Evaluator>> {
        let inner = self.inner()?;
        let spec = inner.running.study().spec();
        py.detach(|| spec.evaluator(threads)).map_err(raised)
    }

    /// The study, unless it is busy: then whoever asks is its own objective, or another thread.
    fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "the study is evaluating; ask it between iterations, from a callback",
            )),
        }
    }
}

impl Inner {
    fn new(study: Runnable<'static>) -> Self {
        let (history, evaluations) = (Vec::new(), Vec::new());
        Self { running: study.start(), place: None, history, evaluations }
    }

    /// One that is kept in `directory`.
    fn stored(study: Runnable<'static>, directory: &Path) -> PyResult<Self> {
        let history = recorded(directory).map_err(|error| raised(error.into()))?;
        Ok(Self { history, ..Self::new(study) })
    }

    /// Goes on with what is in `directory`, or is kept there from its beginning on.
    fn keep_in(&mut self, directory: PathBuf) -> PyResult<()> {
        let study = self.running.study();
        if study.iterations() > 0 {
            let said = "directory must be given before the first iteration";
            return Err(PyValueError::new_err(said));
        }
        if directory.join("esenas.db").exists() {
            let again = Runnable::ask_tell(study.spec().clone());
            let study = again.and_then(|study| study.resume(&directory, Options::default()));
            let mut before = Self::stored(study.map_err(raised)?, &directory)?;
            before.running.take_waiting(&mut self.running);
            *self = before;
        } else {
            self.place = Some(directory);
        }
        Ok(())
    }

    /// Makes the directory, if the study is to be kept and is not yet.
    fn begin(&mut self) -> PyResult<()> {
        let Some(place) = &self.place else { return Ok(()) };
        self.running.keep_in(place, Options::default()).map_err(raised)?;
        self.place = None;
        Ok(())
    }

    /// Lets the study go on, and keeps what its iterations say of themselves.
    fn noting<T>(
        &mut self,
        go_on: impl FnOnce(&mut Running<'static>, &mut dyn FnMut(&IterationReport<'_>) -> Control) -> T,
    ) -> T {
        let kept = self.running.study().directory().is_some();
        let Self { running, history, evaluations, .. } = self;
        go_on(running, &mut |report| {
            history.push((report.record.clone(), report.timings));
            if !kept && !report.evaluations.is_empty() {
                evaluations.push((report.record.iteration, report.evaluations.to_vec()));
            }
            Control::Continue
        })
    }

    /// Where it is kept, or will be.
    fn directory(&self) -> Option<&Path> {
        self.running.study().directory().or(self.place.as_deref())
    }
}

fn recorded(directory: &Path) -> Result<Vec<(IterationRecord, Timings)>, esenas_store::Error> {
    let reader = Reader::open(directory)?;
    let timings = reader.timings(0).map(|row| row.map(|(_, timings)| timings));
    let rows = reader.iterations(0).zip(timings);
    rows.map(|(record, timings)| Ok((record?, timings?))).collect()
}

#[pymethods]
impl Study {
    /// The study of these settings, as JSON in the form of a study file; in `directory`, if it is
    /// to be kept, where it goes on if it is there.
    #[staticmethod]
    #[pyo3(signature = (settings, directory=None))]
    fn new(py: Python<'_>, settings: &str, directory: Option<PathBuf>) -> PyResult<Self> {
        let value = serde_json::from_str(settings).map_err(|error| {
            PyValueError::new_err(format!("the settings are not JSON: {error}"))
        })?;
        let spec = py.detach(|| Spec::from_value("the study", value)).map_err(refused)?;
        py.detach(|| Self::start(spec, directory))
    }

    /// The study in a file.
    #[staticmethod]
    #[pyo3(signature = (path, overrides, directory=None))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        overrides: Vec<String>,
        directory: Option<PathBuf>,
    ) -> PyResult<Self> {
        let spec = py.detach(|| Spec::load(&path, &overrides)).map_err(refused)?;
        py.detach(|| Self::start(spec, directory))
    }

    /// The study in a directory, to go on with.
    #[staticmethod]
    fn stored(py: Python<'_>, directory: PathBuf) -> PyResult<Self> {
        py.detach(|| {
            let study = Runnable::open_with(&directory, Options::default(), |_| Ok(None));
            Ok(Self::of(Inner::stored(study.map_err(raised)?, &directory)?))
        })
    }

    /// All settings, resolved, as the text of a study file.
    #[getter]
    fn text(&self) -> PyResult<String> {
        self.look(Spec::to_toml)
    }

    /// All settings, resolved.
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.look(Spec::to_value)?)
    }

    /// What in the settings decides the result, in 16 hexadecimal digits.
    #[getter]
    fn fingerprint(&self) -> PyResult<String> {
        self.look(Spec::fingerprint)
    }

    /// d
    #[getter]
    fn dimension(&self) -> usize {
        self.problem.dimension()
    }

    /// Whether θ are the numbers of the space, instead of an array beside its models.
    #[getter]
    fn has_numbers(&self) -> PyResult<bool> {
        Ok(self.inner()?.running.study().layout().is_declared())
    }

    /// 𝓜, as JSON.
    fn space(&self) -> String {
        self.problem.space().to_value().to_string()
    }

    /// Whether the problem needs a function of Python's.
    #[getter]
    fn needs_objective(&self) -> bool {
        matches!(self.problem, ProblemConfig::Callable(_))
    }

    /// Where it is kept.
    #[getter]
    fn directory(&self) -> PyResult<Option<PathBuf>> {
        Ok(self.inner()?.directory().map(Path::to_path_buf))
    }

    /// How many iterations are done.
    #[getter]
    fn iterations(&self) -> PyResult<u64> {
        Ok(self.inner()?.running.study().iterations())
    }

    /// When it ends: the section `stop` of a study file.
    fn stop<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stop = self.look(|spec| serde_json::to_value(&spec.stop))?;
        to_python(py, &stop.unwrap_or_default())
    }

    /// Has a design, as JSON, evaluated next, or learns from it if its value is known.
    fn enqueue(&self, known: &str) -> PyResult<()> {
        let known: Known = serde_json::from_str(known)
            .map_err(|error| PyValueError::new_err(format!("the design: {error}")))?;
        self.inner()?.running.enqueue(&known).map_err(raised)
    }

    /// All recorded evaluations as columns of a table: name and values.
    fn evaluations<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Vec<Bound<'py, PyAny>>)>> {
        let inner = self.inner()?;
        let study = inner.running.study();
        let mut table = Table::new(study.layout().as_ref().clone());
        match study.directory() {
            None => inner.evaluations.iter().for_each(|(at, records)| table.add(*at, records)),
            Some(directory) => {
                let reader = Reader::open(directory).map_err(|error| raised(error.into()))?;
                for page in reader.evaluations(0) {
                    let (at, records) = page.map_err(|error| raised(error.into()))?;
                    table.add(at, &records);
                }
            }
        }
        table.columns(py)
    }

    /// Moves the end. As JSON: the section `stop` of a study file.
    fn stop_at(&self, stop: &str) -> PyResult<()> {
        let stop: StopConfig = serde_json::from_str(stop)
            .map_err(|error| PyValueError::new_err(format!("stop: {error}")))?;
        self.inner()?.running.stop_at(stop).map_err(raised)
    }

    /// Keeps the study in a directory, where it goes on if it is there.
    fn keep_in(&self, py: Python<'_>, directory: PathBuf) -> PyResult<()> {
        let mut inner = self.inner()?;
        let inner = &mut *inner;
        py.detach(|| inner.keep_in(directory))
    }

    /// Why the search is what it is, if rules chose it in this process.
    #[getter]
    fn choice(&self) -> PyResult<Option<String>> {
        self.look(|spec| spec.choice.clone())
    }

    /// Has a function evaluate what is `given`: `"one"` candidate at a time or `"all"` of the
    /// iteration, as `call(models, thetas, seeds)`; or its `"candidates"`, as `call(batch)`.
    #[pyo3(signature = (call, *, given="one"))]
    fn evaluate_by_function(&self, call: Py<PyAny>, given: &str) -> PyResult<()> {
        let objective = Objective::new(call, Given::of(given)?);
        self.inner()?.running.evaluate_by(objective).map_err(raised)
    }

    /// Has an executor evaluate: something with a `pool` and `evaluate(work)`. `call` is what its
    /// workers call, where the problem needs a function: here it learns what they share.
    #[pyo3(signature = (executor, call=None))]
    fn evaluate_by_executor(
        &self,
        py: Python<'_>,
        executor: Py<PyAny>,
        call: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let own: Option<Box<dyn Evaluator>> = match call {
            Some(call) => Some(Box::new(Objective::new(call, Given::One))),
            None if self.needs_objective() => None,
            None => Some(self.own_evaluator(py, None)?),
        };
        let mover = Mover::new(executor, own, self.fingerprint()?);
        let mut inner = self.inner()?;
        let running = &mut inner.running;
        py.detach(|| running.evaluate_by(mover)).map_err(raised)
    }

    /// Has the problem's own objective evaluate, on so many threads, or as many as there are cores.
    #[pyo3(signature = (threads=None))]
    fn evaluate_by_threads(&self, py: Python<'_>, threads: Option<usize>) -> PyResult<()> {
        let own = self.own_evaluator(py, some_threads(threads)?)?;
        self.inner()?.running.evaluate_by(own).map_err(raised)
    }

    /// One iteration; whether there was one left to do.
    fn step(&self, py: Python<'_>) -> PyResult<bool> {
        let mut inner = self.inner()?;
        inner.begin()?;
        let inner = &mut *inner;
        let done = py.detach(|| inner.noting(|running, note| running.step(|it| note(it))));
        done.map(|control| control.is_some()).map_err(raised)
    }

    /// Why the study is over, if it is.
    fn ended(&self) -> PyResult<Option<String>> {
        Ok(self.inner()?.running.ended().map(|end| end.to_string()))
    }

    /// Lets go of the directory; if the study is over, that is written down.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let mut inner = self.inner()?;
        let running = &mut inner.running;
        let end = running.ended().unwrap_or(End::Interrupted);
        py.detach(|| running.close(end)).map_err(raised)
    }

    /// The candidates of the next iteration: the same until they are told.
    fn ask(&self, py: Python<'_>) -> PyResult<Batch> {
        let mut inner = self.inner()?;
        inner.begin()?;
        let running = &mut inner.running;
        Ok(py.detach(|| Batch::of(&running.ask())))
    }

    /// At most `n` candidates of the iteration that were not given to anybody yet: the iteration,
    /// the first of them, and how many.
    fn give(&self, py: Python<'_>, n: usize) -> PyResult<(Batch, usize, usize)> {
        let mut inner = self.inner()?;
        inner.begin()?;
        let running = &mut inner.running;
        let (asked, first, count) = py.detach(|| running.give(n));
        Ok((Batch::of(&asked), first, count))
    }

    /// What became of some candidates of `iteration`, by their places; whether all are told now.
    fn tell_some(
        &self,
        py: Python<'_>,
        iteration: u32,
        said: Vec<(usize, Bound<'_, PyAny>)>,
    ) -> PyResult<bool> {
        let one = |(job, said): &(usize, Bound<'_, PyAny>)| Ok((*job, outcome(said)?));
        let told = said.iter().map(one).collect::<PyResult<_>>()?;
        let mut inner = self.inner()?;
        inner.begin()?;
        let inner = &mut *inner;
        let done = py.detach(|| {
            inner.noting(|running, note| running.tell_some(iteration, told, &mut |it| note(it)))
        });
        done.map(|control| control.is_some()).map_err(raised)
    }

    /// Ends the iteration that is open: what was not told of it counts as not evaluated. Whether
    /// one was.
    fn give_up(&self, py: Python<'_>) -> PyResult<bool> {
        let mut inner = self.inner()?;
        let inner = &mut *inner;
        let done = py.detach(|| inner.noting(|running, note| running.give_up(&mut |it| note(it))));
        done.map(|control| control.is_some()).map_err(raised)
    }

    /// How many results are to be told, if candidates were asked for and not told yet.
    #[getter]
    fn untold(&self) -> PyResult<Option<usize>> {
        Ok(self.inner()?.running.untold())
    }

    /// What became of the candidates, in their order: a number, a tuple of value, score and
    /// metrics, or text that says why there is none.
    fn tell(&self, py: Python<'_>, said: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let outcomes = said.iter().map(outcome).collect::<PyResult<_>>()?;
        let mut inner = self.inner()?;
        inner.begin()?;
        let inner = &mut *inner;
        let told =
            py.detach(|| inner.noting(|running, note| running.tell(outcomes, &mut |it| note(it))));
        told.map(|_| ()).map_err(raised)
    }

    /// The best so far: where it was found, its value, score, dna, design, and θ.
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = self.inner()?;
        let Some(best) = inner.running.study().best() else { return Ok(None) };
        let BestRecord { iteration, index, value, score, violation, dna, .. } = &best.record;
        let genes = esenas::Dna::from_bytes(dna).unwrap_or_default();
        let theta = buffer(py, &best.theta)?;
        let design = inner.running.study().layout().design(&genes, &best.theta);
        let dict = PyDict::new(py);
        dict.set_item("iteration", iteration)?;
        dict.set_item("index", index)?;
        dict.set_item("value", value)?;
        dict.set_item("score", score)?;
        dict.set_item("violation", violation.unwrap_or(0.0))?;
        dict.set_item("dna", genes.genes())?;
        dict.set_item("design", design_in(&array(&theta)?, 0, &design)?)?;
        dict.set_item("theta", theta)?;
        Ok(Some(dict.into_any()))
    }

    /// What the study would answer now: dna, design, and θ.
    fn answer<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = self.inner()?;
        let Some(answer) = inner.running.study().answer() else { return Ok(None) };
        let dict = PyDict::new(py);
        let theta = buffer(py, &answer.theta)?;
        let design = inner.running.study().layout().design(&answer.dna, &answer.theta);
        dict.set_item("dna", answer.dna.genes())?;
        dict.set_item("design", design_in(&array(&theta)?, 0, &design)?)?;
        dict.set_item("theta", theta)?;
        Ok(Some(dict.into_any()))
    }

    /// Evaluates that so many times: mean and deviation of its score, how many evaluations came
    /// back, and how many failed.
    fn evaluate_answer(&self, py: Python<'_>, n: u32) -> PyResult<Option<(f64, f64, u64, u64)>> {
        let mut inner = self.inner()?;
        let running = &mut inner.running;
        let scores = py.detach(|| running.evaluate_answer(n)).map_err(raised)?;
        Ok(scores.map(|it| (it.mean, it.deviation, it.evaluations, it.failures)))
    }

    /// The designs that nobody dominates: values, violation, evaluation, dna, design and θ of each;
    /// nothing of a study with one objective.
    fn front<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = self.inner()?;
        let study = inner.running.study();
        let Some(front) = study.front() else { return Ok(None) };
        let one = |found: &esenas_run::FrontDesign| {
            let dict = PyDict::new(py);
            let theta = buffer(py, &found.theta)?;
            let design = found.design(study.layout());
            dict.set_item("values", found.values.clone())?;
            dict.set_item("violation", found.violation)?;
            dict.set_item("evaluation", found.evaluation)?;
            dict.set_item("dna", found.dna.genes())?;
            dict.set_item("design", design_in(&array(&theta)?, 0, &design)?)?;
            dict.set_item("theta", theta)?;
            Ok(dict)
        };
        let all = front.iter().map(one).collect::<PyResult<Vec<_>>>()?;
        Ok(Some(PyList::new(py, all)?.into_any()))
    }

    /// θ where the search stands, if it stands anywhere.
    fn centre<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyByteArray>>> {
        let inner = self.inner()?;
        inner.running.study().centre().map(|theta| buffer(py, &theta)).transpose()
    }

    /// The records of all iterations from `start`, by column; what is missing is NaN.
    #[pyo3(signature = (start=0))]
    fn history<'py>(
        &self,
        py: Python<'py>,
        start: usize,
    ) -> PyResult<Vec<(String, Bound<'py, PyByteArray>)>> {
        let inner = self.inner()?;
        let columns = columns(inner.history.get(start..).unwrap_or_default());
        columns.into_iter().map(|(name, column)| Ok((name, buffer(py, &column)?))).collect()
    }
}

/// Refuses settings of a section that no study could have.
#[pyfunction]
pub(crate) fn check(section: &str, settings: &str) -> PyResult<()> {
    let json = |error| PyValueError::new_err(format!("the settings are not JSON: {error}"));
    let settings: Value = serde_json::from_str(settings).map_err(json)?;
    match check_section(section, settings) {
        Err(SpecError::Key { message, .. }) => Err(PyValueError::new_err(message)),
        Err(other) => Err(refused(other)),
        Ok(()) => Ok(()),
    }
}
