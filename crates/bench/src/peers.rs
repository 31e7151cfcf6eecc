//! `auto` beside the paper's algorithms and other people's optimizers, on random instances.
//!
//! Ours are run here, a cell for each function, size, seed and budget: what `auto` chooses depends
//! on the budget. Peers are run by `bench/peers/bbob`, on the same instances and from the same
//! starting points, and what it wrote to `peers.jsonl` is read. A cost within 10⁻⁸ of the optimum
//! counts as the optimum, BBOB's own target: beyond it, ranks would compare rounding errors.

mod bootstrap;
mod records;
mod tables;

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use esenas::auto::Facts;
use esenas::{Dna, SearchConfig, Seed};
use esenas_bbob::{Function, Hybrid, Mode, Scale};
use serde::{Deserialize, Serialize};

use crate::bbob::{Algorithm, Problem, curve};
use crate::cells::Cells;
use crate::pool::{self, Clock, Progress, cores};
use crate::{BenchError, bbob};

/// Nearer to the optimum than this is at it.
const PRECISION: f64 = 1e-8;

/// An algorithm of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ours {
    /// What [`esenas::auto`] chooses.
    Auto,
    /// The same from the middle of the box, where studies with bounds begin unless they say
    /// otherwise, and so do some peers; all others begin where they are told to, at random.
    AutoMiddle,
    /// ES-ENAS with regularized evolution, as published; ES where there are no categories.
    Paper,
    /// CMA-ENAS with regularized evolution, as published.
    CmaEnas,
}

impl Ours {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::AutoMiddle, Self::Paper, Self::CmaEnas];

    /// As an argument names it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::AutoMiddle => "auto-middle",
            Self::Paper => "paper",
            Self::CmaEnas => "cma-enas",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "esenas auto",
            Self::AutoMiddle => "esenas auto, from the middle",
            Self::Paper => "esenas paper",
            Self::CmaEnas => "esenas CMA-ENAS",
        }
    }

    fn search(self, problem: &Hybrid, dim: usize, evaluations: u32) -> SearchConfig {
        match self {
            Self::Paper => Algorithm::EsEnasRegularizedEvolution.search(),
            Self::CmaEnas => Algorithm::CmaEnas.search(),
            Self::Auto | Self::AutoMiddle => {
                let budget = Some(u64::from(evaluations));
                Facts::new(problem.space(), dim, &problem.bounds(), budget).choose().search()
            }
        }
    }

    fn start(self, problem: &Hybrid, seed: Seed) -> (Dna, Vec<f64>) {
        let (dna, theta) = problem.start(seed);
        match self {
            Self::AutoMiddle => (dna, problem.bounds().middle(theta.len())),
            Self::Auto | Self::Paper | Self::CmaEnas => (dna, theta),
        }
    }
}

/// What is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Which functions.
    pub functions: Vec<Function>,
    /// (d_cat, d_con)
    pub sizes: Vec<(usize, usize)>,
    /// Seeds 0, 1, … below this, each on an instance of its own.
    pub seeds: u64,
    /// How many evaluations.
    pub budgets: Vec<u32>,
    /// Which of ours.
    pub ours: Vec<Ours>,
    /// How many points random search evaluates to find what gaps are divided by.
    pub scale_budget: NonZeroU32,
}

impl Plan {
    /// All 19 functions, five sizes, budgets of 500, 2,000 and 20,000, five seeds; or a few
    /// seconds' worth.
    pub fn new(preset: bbob::Preset) -> Self {
        let (functions, sizes, seeds, budgets, scale) = match preset {
            bbob::Preset::Paper => {
                let sizes = vec![(0, 20), (0, 100), (10, 20), (20, 80), (20, 1000)];
                (Function::ALL.to_vec(), sizes, 5, vec![500, 2000, 20_000], 2000)
            }
            bbob::Preset::Smoke => {
                let few = [Function::Sphere, Function::Rastrigin, Function::BentCigar];
                (few.to_vec(), vec![(0, 20), (10, 20)], 2, vec![500], 500)
            }
        };
        let scale_budget = NonZeroU32::new(scale).unwrap_or(NonZeroU32::MIN);
        Self { functions, sizes, seeds, budgets, ours: Ours::ALL.to_vec(), scale_budget }
    }

    fn problems(&self) -> impl Iterator<Item = (Problem, u64)> + '_ {
        self.sizes.iter().flat_map(move |&(d_cat, d_con)| {
            (0..self.seeds).flat_map(move |seed| {
                let problem =
                    move |function| Problem { function, d_cat, d_con, instance: seed + 1 };
                self.functions.iter().map(move |function| (problem(*function), seed))
            })
        })
    }

    fn scales(&self) -> Vec<Key> {
        self.problems().map(|(problem, _)| Key { problem, run: None }).collect()
    }

    fn runs(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        for &budget in &self.budgets {
            for &ours in &self.ours {
                let key = |(problem, seed)| Key { problem, run: Some((ours, seed, budget)) };
                keys.extend(self.problems().map(key));
            }
        }
        // Long ones last, so that what is known early is much.
        keys.sort_by_key(effort);
        keys
    }
}

/// One cell's key: a scale of a problem, or a run on it with its seed and budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Key {
    problem: Problem,
    run: Option<(Ours, u64, u32)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    Scale(Scale),
    /// The least cost found, and the CPU seconds of the search itself.
    Run {
        cost: f64,
        seconds: f64,
    },
}

/// All that a cell's result depends on beside its key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Settings {
    experiment: String,
    scale_budget: NonZeroU32,
    scale_seed: u64,
}

/// How long a cell takes, about: evaluations are dear in many dimensions.
fn effort(key: &Key) -> usize {
    let dear = 1 + key.problem.d_con / 100;
    key.run.map_or(2000, |(_, _, budget)| budget as usize) * dear * dear / 500 + 1
}

/// Where a run was made: function, size, seed and budget.
pub(crate) type Place = (Function, (usize, usize), u64, u32);

/// Who spent time, at which size, and with which budget: peers have one run for all of them.
type Spender = (String, (usize, usize), Option<u32>);

/// Gaps of every algorithm, by name and place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    plan: Option<Plan>,
    gaps: BTreeMap<String, BTreeMap<Place, f64>>,
    /// CPU seconds of an optimizer itself per evaluation.
    seconds: BTreeMap<Spender, Vec<f64>>,
}

/// Runs what is not yet in `folder`, on so many threads or one per core, and returns all of it with
/// what the peers have there; `None` when `stop` became true first.
pub fn run(
    plan: &Plan,
    folder: &Path,
    threads: Option<NonZeroUsize>,
    stop: &AtomicBool,
    mut show: impl FnMut(Progress),
) -> Result<Option<Results>, BenchError> {
    let (scales, runs) = (plan.scales(), plan.runs());
    if runs.is_empty() {
        return Err(BenchError::Nothing("functions, sizes, seeds and budgets"));
    }
    let settings = Settings {
        experiment: "peers".to_owned(),
        scale_budget: plan.scale_budget,
        scale_seed: u64::from(u32::MAX),
    };
    let mut cells: Cells<Key, Outcome> = Cells::open(folder, "cells.jsonl", &settings)?;
    let all: Vec<Key> = scales.into_iter().chain(runs).collect();
    let left: Vec<Key> = all.iter().filter(|key| cells.get(key).is_none()).copied().collect();
    let mut clock = Clock::new(all.len() - left.len(), left.iter().map(effort));
    let work = |key: &Key| (*key, cell(&settings, key));
    let keep = |(key, outcome): (Key, Result<Outcome, BenchError>)| {
        cells.add(key, outcome?)?;
        show(clock.tick(effort(&key)));
        Ok::<(), BenchError>(())
    };
    let done = pool::run(&left, threads.unwrap_or_else(cores), stop, work, keep)?;
    if done < left.len() || stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    Results::collect(plan, &cells, folder).map(Some)
}

fn cell(settings: &Settings, key: &Key) -> Result<Outcome, BenchError> {
    let problem = key.problem.config(Mode::Instance).build()?;
    let Some((ours, seed, budget)) = key.run else {
        let seed = Seed(settings.scale_seed);
        return Ok(Outcome::Scale(Scale::new(&problem, settings.scale_budget, seed)));
    };
    let (seed, search) = (Seed(seed), ours.search(&problem, key.problem.d_con, budget));
    let start = ours.start(&problem, seed);
    let curve = curve(&problem, (ours.name(), search), start, seed, &[budget])?;
    let cost = curve.best.last().map_or(f64::INFINITY, |value| -value);
    Ok(Outcome::Run { cost, seconds: curve.seconds })
}

impl Results {
    fn collect(
        plan: &Plan,
        cells: &Cells<Key, Outcome>,
        folder: &Path,
    ) -> Result<Self, BenchError> {
        let mut results = Self { plan: Some(plan.clone()), ..Self::default() };
        let scale = |problem| match cells.get(&Key { problem, run: None }) {
            Some(Outcome::Scale(scale)) => Some(*scale),
            _ => None,
        };
        for key in plan.runs() {
            let (Some(Outcome::Run { cost, seconds }), Some((ours, seed, budget))) =
                (cells.get(&key), key.run)
            else {
                continue;
            };
            results.add(ours.name(), key.problem, seed, budget, *cost, scale(key.problem));
            let each = seconds / f64::from(budget.max(1));
            results.spent(ours.name(), key.problem, Some(budget), each);
        }
        for peer in records::read(&folder.join("peers.jsonl"))? {
            for (budget, cost) in &peer.costs {
                let scale = scale(peer.problem);
                results.add(&peer.name, peer.problem, peer.seed, *budget, *cost, scale);
            }
            let each = peer.seconds / f64::from(peer.evaluations.max(1));
            results.spent(&peer.name, peer.problem, None, each);
        }
        Ok(results)
    }

    fn spent(&mut self, name: &str, problem: Problem, budget: Option<u32>, each: f64) {
        let place = (name.to_owned(), (problem.d_cat, problem.d_con), budget);
        self.seconds.entry(place).or_default().push(each);
    }

    /// Takes a cost in, if it is one of the plan's.
    fn add(
        &mut self,
        name: &str,
        problem: Problem,
        seed: u64,
        budget: u32,
        cost: f64,
        scale: Option<Scale>,
    ) {
        let Some(scale) = scale else { return };
        if self.plan.as_ref().is_some_and(|plan| plan.budgets.contains(&budget)) {
            let place = (problem.function, (problem.d_cat, problem.d_con), seed, budget);
            let gap = (cost - scale.least).max(PRECISION) / scale.largest;
            self.gaps.entry(name.to_owned()).or_default().insert(place, gap);
        }
    }
}

/// Writes the tables of `results` into `folder`; returns them and the files.
pub fn report(results: &Results, folder: &Path) -> Result<(String, Vec<PathBuf>), BenchError> {
    let text = tables::markdown(results);
    let mut files = Vec::new();
    for (name, text) in [("report.md", &text), ("functions.csv", &tables::csv(results))] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(BenchError::file(&path))?;
        files.push(path);
    }
    Ok((text, files))
}
