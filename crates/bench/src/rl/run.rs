//! Runs the studies, a few at a time. Each result is written as its study ends, and a study that
//! has one is not run again.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use esenas_run::problem::rl::{Trained, Which, returns};
use esenas_run::{Control, End, Spec, Study, StudyError};
use esenas_store::{IterationRecord, Reader};

use super::report::{self, Outcome};
use super::used::{Used, used};
use super::{Cell, Length};
use crate::BenchError;

/// How they are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long each, if not as described.
    pub length: Option<Length>,
    /// Episodes that a finished policy is judged by.
    pub episodes: u32,
    /// Where the run directories are.
    pub runs: PathBuf,
    /// Where the results go.
    pub results: PathBuf,
    /// Studies at a time.
    pub jobs: NonZeroUsize,
    /// Evaluations of a study at a time.
    pub workers: Option<NonZeroUsize>,
    /// Of what the results are.
    pub commit: String,
}

/// An iteration is done.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The cell's name.
    pub study: String,
    /// Its seed.
    pub seed: u64,
    /// What it was.
    pub record: IterationRecord,
    /// How long the study has run.
    pub elapsed: Duration,
}

/// A study that is finished.
pub(super) struct Finished {
    pub(super) cell: Cell,
    pub(super) seed: u64,
    pub(super) evaluations: u64,
    pub(super) elapsed: Duration,
    /// Returns in fresh episodes, of the best candidate and of the centre.
    pub(super) best: Vec<f64>,
    pub(super) centre: Vec<f64>,
    pub(super) curve: Vec<IterationRecord>,
    /// Edges in use at the centre, by iteration, where that differs.
    pub(super) used: Vec<Option<Used>>,
    /// The genes of the model chosen for the centre.
    pub(super) model: Vec<u32>,
    /// The first observation, where all episodes have one start.
    pub(super) start: Option<Vec<f64>>,
}

enum Event {
    Iteration(Box<Progress>),
    /// A study ended, or was stopped.
    Ended(Result<Option<Box<Finished>>, BenchError>),
}

/// What is left to do, and whether to go on.
struct Queue<'a> {
    left: Mutex<VecDeque<(&'a Cell, u64)>>,
    stop: &'a AtomicBool,
    /// A study was stopped before its end.
    halted: AtomicBool,
}

impl<'a> Queue<'a> {
    fn left(&self) -> MutexGuard<'_, VecDeque<(&'a Cell, u64)>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.halted.load(Ordering::Relaxed)
    }

    /// Runs one study after the other.
    fn work(&self, settings: &Settings, events: &mpsc::SyncSender<Event>) {
        while !self.is_over() {
            let Some((cell, seed)) = self.left().pop_front() else { break };
            let ended = one(cell, seed, settings, self, events);
            if events.send(Event::Ended(ended)).is_err() {
                break;
            }
        }
    }
}

/// Runs the studies that have no result yet and writes what comes of them; `None` when stopped
/// before the end. A study that fails does not keep the others from running; the first reason is
/// told then.
pub fn run(
    cells: &[(Cell, u64)],
    settings: &Settings,
    stop: &AtomicBool,
    mut watch: impl FnMut(&Progress),
) -> Result<Option<Outcome>, BenchError> {
    let mut left = VecDeque::new();
    for (cell, seed) in cells {
        if !report::is_known(cell, *seed, settings)? {
            left.push_back((cell, *seed));
        }
    }
    let threads = settings.jobs.get().min(left.len());
    let queue = Queue { left: Mutex::new(left), stop, halted: AtomicBool::new(false) };
    let (mut files, mut failed) = (Vec::new(), None);
    // Nobody is ahead of whoever watches, who may stop it all.
    let (sender, events) = mpsc::sync_channel(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, queue) = (sender.clone(), &queue);
            scope.spawn(move || queue.work(settings, &sender));
        }
        drop(sender);
        for event in events {
            let kept = match event {
                Event::Iteration(progress) => {
                    watch(&progress);
                    continue;
                }
                Event::Ended(Ok(None)) => {
                    queue.halted.store(true, Ordering::Relaxed);
                    continue;
                }
                Event::Ended(Ok(Some(finished))) => report::keep(&finished, settings),
                Event::Ended(Err(error)) => Err(error),
            };
            match kept {
                Ok(written) => files.extend(written),
                Err(error) => {
                    failed.get_or_insert(error);
                }
            }
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let stopped = queue.halted.load(Ordering::Relaxed) || !queue.left().is_empty();
    if stopped { Ok(None) } else { report::outcome(cells, settings, files).map(Some) }
}

fn one(
    cell: &Cell,
    seed: u64,
    settings: &Settings,
    queue: &Queue<'_>,
    events: &mpsc::SyncSender<Event>,
) -> Result<Option<Box<Finished>>, BenchError> {
    let length = settings.length.unwrap_or(cell.length);
    let overrides = [format!("seed={seed}"), cell.lasting(length)];
    let spec = Spec::parse(&cell.name, &cell.study, Path::new(""), &overrides);
    let spec = spec.map_err(StudyError::from)?;
    let directory = settings.runs.join(format!("{}-seed{seed}", cell.name));
    let study = Study::built_in(spec, settings.workers)?;
    let study = study.open_or_create(&directory, Default::default())?;
    let mean = |record: &IterationRecord| record.centre.map_or(f64::NAN, |centre| centre.mean);
    let mut centres: Vec<f64> = curve(&directory)?.iter().map(mean).collect();
    let is_long_enough = |centres: &[f64]| cell.is_of_paper() && length.is_over(centres);
    let interrupt = AtomicBool::new(is_long_enough(&centres));
    let ended = study.run(&interrupt, |report| {
        let (study, record) = (cell.name.clone(), report.record.clone());
        centres.push(mean(&record));
        let progress = Progress { study, seed, record, elapsed: report.elapsed };
        let heard = events.send(Event::Iteration(Box::new(progress)));
        let is_done = is_long_enough(&centres) || queue.is_over() || heard.is_err();
        if is_done { Control::Stop } else { Control::Continue }
    })?;
    if ended.end == End::Interrupted && !is_long_enough(&centres) {
        return Ok(None);
    }
    let play = |policy: &Trained| -> Result<Vec<f64>, BenchError> {
        Ok(returns(&policy.play(settings.episodes, seed)?))
    };
    let best = Trained::load(&directory, Which::Best)?;
    let centre = Trained::load(&directory, Which::Centre)?;
    let curve = curve(&directory)?;
    Ok(Some(Box::new(Finished {
        cell: cell.clone(),
        seed,
        evaluations: ended.evaluations,
        elapsed: ended.elapsed,
        best: play(&best)?,
        centre: play(&centre)?,
        model: centre.dna.genes().to_vec(),
        used: used(&directory, curve.len())?,
        start: best.start(seed)?,
        curve,
    })))
}

/// The iterations so far.
fn curve(directory: &Path) -> Result<Vec<IterationRecord>, BenchError> {
    let reader = Reader::open(directory).map_err(StudyError::from)?;
    let records: Result<Vec<_>, _> = reader.iterations(0).collect();
    Ok(records.map_err(StudyError::from)?)
}
