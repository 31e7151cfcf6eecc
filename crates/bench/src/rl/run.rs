//! Runs the studies, one after the other: each has all cores.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use esenas_run::problem::rl::{Trained, Which, returns};
use esenas_run::{Control, End, IterationReport, Spec, Study, StudyError};
use esenas_store::{IterationRecord, Reader};

use super::Cell;
use super::report::{self, Outcome};
use crate::BenchError;

/// How they are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Every cell is run with each.
    pub seeds: Vec<u64>,
    /// How long, in iterations of the paper's size, if not as long as described.
    pub iterations: Option<u32>,
    /// Episodes that a finished policy is judged by.
    pub episodes: u32,
    /// Where the run directories are.
    pub runs: PathBuf,
    /// Where the results go.
    pub results: PathBuf,
    /// Evaluations at a time.
    pub workers: Option<NonZeroUsize>,
    /// Of what the results are.
    pub commit: String,
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
}

/// Runs all studies and writes what came of them; `None` when stopped before.
pub fn run(
    cells: &[Cell],
    settings: &Settings,
    stop: &AtomicBool,
    mut watch: impl FnMut(&str, u64, &IterationReport<'_>),
) -> Result<Option<Outcome>, BenchError> {
    if settings.seeds.is_empty() {
        return Err(BenchError::Nothing("--seeds"));
    }
    let mut done = Vec::new();
    for cell in cells {
        for &seed in &settings.seeds {
            match one(cell, seed, settings, stop, &mut watch)? {
                None => return Ok(None),
                Some(finished) => done.push(finished),
            }
        }
    }
    report::write(&done, settings).map(Some)
}

fn one(
    cell: &Cell,
    seed: u64,
    settings: &Settings,
    stop: &AtomicBool,
    watch: &mut impl FnMut(&str, u64, &IterationReport<'_>),
) -> Result<Option<Finished>, BenchError> {
    let mut overrides = vec![format!("seed={seed}")];
    overrides.extend(settings.iterations.map(|n| cell.lasting(n)));
    let spec = Spec::parse(&cell.name, &cell.study, Path::new(""), &overrides);
    let spec = spec.map_err(StudyError::from)?;
    let directory = settings.runs.join(format!("{}-seed{seed}", cell.name));
    let study = Study::built_in(spec, settings.workers)?;
    let study = study.open_or_create(&directory, Default::default())?;
    let ended = study.run(stop, |report| {
        watch(&cell.name, seed, report);
        Control::Continue
    })?;
    if ended.end == End::Interrupted {
        return Ok(None);
    }
    let play = |which| -> Result<Vec<f64>, BenchError> {
        Ok(returns(&Trained::load(&directory, which)?.play(settings.episodes, seed)?))
    };
    let curve = Reader::open(&directory).map_err(StudyError::from)?;
    let curve: Result<Vec<_>, _> = curve.iterations(0).collect();
    Ok(Some(Finished {
        cell: cell.clone(),
        seed,
        evaluations: ended.evaluations,
        elapsed: ended.elapsed,
        best: play(Which::Best)?,
        centre: play(Which::Centre)?,
        curve: curve.map_err(StudyError::from)?,
    }))
}
