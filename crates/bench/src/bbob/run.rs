//! Runs the cells of a plan.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use esenas::{Dna, Optimizer, Purpose, Scratch, Search, SearchConfig, Seed, Start};
use esenas_bbob::{Hybrid, HybridBuffer, Mode, Scale};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::plan::Key;
use super::{Plan, Results, Settings};
use crate::cells::Cells;
use crate::pool::{self, Clock, Progress};
use crate::{BenchError, pool::cores};

/// What is kept of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// Of a problem: what gaps are divided by.
    Scale(Scale),
    /// Of a run: the gap of the best point so far at each checkpoint.
    Gaps(Vec<f64>),
}

/// Runs what is not yet in `folder`, on so many threads or one per core, and returns all of it;
/// `None` when `stop` became true first.
pub fn run(
    plan: &Plan,
    folder: &Path,
    threads: Option<NonZeroUsize>,
    stop: &AtomicBool,
    mut show: impl FnMut(Progress),
) -> Result<Option<Results>, BenchError> {
    let (scales, mut runs) = (plan.scales(), plan.runs());
    if runs.is_empty() {
        return Err(BenchError::Nothing("functions, seeds and algorithms"));
    }
    let mut cells: Cells<Key, Outcome> = Cells::open(folder, "cells.jsonl", &plan.settings)?;
    // Shuffled, so that the time of those done says what the others will take; long ones last, so
    // that what is known early is much.
    Seed(0).stream(Purpose::Problem, 0, 0).shuffle(&mut runs);
    runs.sort_by_key(effort);
    let (known, new): (Vec<&Key>, Vec<&Key>) =
        scales.iter().chain(&runs).partition(|key| cells.get(key).is_some());
    let mut clock = Clock::new(known.len(), new.into_iter().map(effort));
    let threads = threads.unwrap_or_else(cores);
    for keys in [scales, runs] {
        let left: Vec<(Key, Option<Scale>)> = keys
            .into_iter()
            .filter(|key| cells.get(key).is_none())
            .map(|key| (key, scale(&cells, &key)))
            .collect();
        let work =
            |(key, scale): &(Key, Option<Scale>)| (*key, cell(&plan.settings, key, scale.as_ref()));
        let keep = |(key, outcome): (Key, Result<Outcome, BenchError>)| {
            cells.add(key, outcome?)?;
            show(clock.tick(effort(&key)));
            Ok::<(), BenchError>(())
        };
        let begun = left.len();
        if pool::run(&left, threads, stop, work, keep)? < begun || stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    Ok(Some(Results::collect(plan, &cells)))
}

/// How long a cell takes, about.
fn effort(key: &Key) -> usize {
    key.run.map_or(2, |(algorithm, _)| algorithm.effort())
}

/// What the gaps of `key`'s problem are divided by, if that is known already.
fn scale(cells: &Cells<Key, Outcome>, key: &Key) -> Option<Scale> {
    match cells.get(&Key { run: None, ..*key }) {
        Some(Outcome::Scale(scale)) => Some(*scale),
        _ => None,
    }
}

fn cell(settings: &Settings, key: &Key, scale: Option<&Scale>) -> Result<Outcome, BenchError> {
    let problem = key.problem.config(settings.mode).build()?;
    let find = || Scale::new(&problem, settings.scale_budget, Seed(settings.scale_seed));
    let Some((algorithm, seed)) = key.run else { return Ok(Outcome::Scale(find())) };
    let scale = scale.copied().unwrap_or_else(find);
    let run = (algorithm.name(), algorithm.search());
    let seed = Seed(seed);
    let curve = curve(&problem, run, problem.start(seed), seed, &settings.checkpoints())?;
    Ok(Outcome::Gaps(curve.best.into_iter().map(|value| scale.gap(value)).collect()))
}

/// How a search went.
pub(crate) struct Curve {
    /// The best value after so many evaluations, the first being that of the start.
    pub(crate) best: Vec<f64>,
    /// The CPU time of the search itself, evaluations not counted.
    pub(crate) seconds: f64,
}

/// Runs a search and looks at its best at the checkpoints.
pub(crate) fn curve(
    problem: &Hybrid,
    (name, search): (&'static str, SearchConfig),
    (dna, theta): (Dna, Vec<f64>),
    seed: Seed,
    checkpoints: &[u32],
) -> Result<Curve, BenchError> {
    let (mut buffer, mut scratch) = (HybridBuffer::default(), Scratch::default());
    let mut best = problem.value(dna.genes(), &theta, &mut buffer);
    let start =
        Start { space: Arc::new(problem.space().clone()), theta, bounds: Some(problem.bounds()) };
    let mut search = Search::new(search, start)
        .map_err(|source| BenchError::Search { algorithm: name, source })?;
    let budget = checkpoints.last().copied().unwrap_or(1);
    let (mut done, mut curve) = (1, Vec::with_capacity(checkpoints.len()));
    let (mut points, mut seconds) = (Vec::<Vec<f64>>::new(), 0.0);
    let mut note = |done: u32, best: f64| {
        while checkpoints.get(curve.len()) == Some(&done) {
            curve.push(best);
        }
    };
    note(done, best);
    for iteration in 0.. {
        if done >= budget {
            break;
        }
        let mut stream = seed.stream(Purpose::Ask, iteration, 0);
        let begun = cpu_seconds();
        let batch = search.ask(search.population(), &mut stream);
        // Some points are drawn only now, which is part of the search.
        points.resize_with(batch.len(), Vec::new);
        let affordable = batch.iter().zip(&mut points).take((budget - done) as usize);
        affordable.for_each(|(candidate, point)| candidate.theta.write(point, &mut scratch));
        seconds += cpu_seconds() - begun;
        let mut values = Vec::with_capacity(batch.len());
        for (candidate, point) in batch.iter().zip(&points).take((budget - done) as usize) {
            let value = problem.value(candidate.dna.genes(), point, &mut buffer);
            best = best.max(value);
            done += 1;
            note(done, best);
            values.push(Some(value).filter(|value| value.is_finite()));
        }
        if values.len() == batch.len() {
            let begun = cpu_seconds();
            search.tell(&values);
            seconds += cpu_seconds() - begun;
        }
    }
    Ok(Curve { best: curve, seconds })
}

fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// How a mode is called in file names and titles.
pub(crate) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Raw => "raw",
        Mode::Centered => "centered",
        Mode::Instance => "instance",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bbob::Algorithm;
    use esenas_bbob::{Function, HybridConfig};

    fn of(algorithm: Algorithm) -> (&'static str, SearchConfig) {
        (algorithm.name(), algorithm.search())
    }

    fn problem(d_cat: usize) -> Hybrid {
        let config =
            HybridConfig { function: Function::Sphere, d_cat, d_con: 8, ..HybridConfig::default() };
        config.build().unwrap()
    }

    #[test]
    fn all_algorithms_begin_at_the_same_point_and_never_get_worse() {
        for d_cat in [0, 3] {
            let problem = problem(d_cat);
            let start = problem.start(Seed(5));
            let first = problem.value(start.0.genes(), &start.1, &mut HybridBuffer::default());
            let every = Algorithm::PAPER.into_iter().chain(Algorithm::ABLATIONS);
            for algorithm in every.filter(|algorithm| algorithm.applies(d_cat)) {
                let marks = [1, 137, 300];
                let curve = curve(&problem, of(algorithm), start.clone(), Seed(5), &marks);
                let curve = curve.unwrap().best;
                assert_eq!((curve.len(), curve[0]), (3, first), "{}", algorithm.name());
                assert!(curve[0] <= curve[1] && curve[1] <= curve[2], "{curve:?}");
                assert!(curve[2] > first, "{} found nothing better", algorithm.name());
            }
        }
    }

    /// Red when the weights of ES-ENAS do not learn, or evaluations are not counted.
    #[test]
    fn es_solves_what_random_search_does_not() {
        let problem = problem(0);
        let start = problem.start(Seed(1));
        let run = |it| curve(&problem, of(it), start.clone(), Seed(1), &[3000]).unwrap();
        let at = |algorithm| run(algorithm).best[0];
        let (es, random) = (at(Algorithm::Es), at(Algorithm::Random));
        assert!(es > 0.2 * random, "{es} {random}");
    }
}
