//! What is run.

use std::num::NonZeroU32;

use esenas_bbob::{BbobConfig, Function, Mode};
use serde::{Deserialize, Serialize};

use super::Algorithm;

/// How many points of a curve are kept.
const CHECKPOINTS: u32 = 50;

/// All that a cell's result depends on beside its key: the first line of the file of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// What is in the file.
    pub experiment: String,
    /// Where the optima are.
    pub mode: Mode,
    /// The budget of every algorithm.
    pub evaluations: u32,
    /// How many points random search evaluates to find what gaps are divided by.
    pub scale_budget: NonZeroU32,
    /// The seed of that random search.
    pub scale_seed: u64,
}

/// A problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Problem {
    /// Which function.
    pub function: Function,
    /// Categorical coordinates.
    pub d_cat: usize,
    /// Continuous coordinates.
    pub d_con: usize,
    /// Which instance.
    pub instance: u64,
}

/// One cell's key: a scale of a problem, or a run on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) problem: Problem,
    /// `None` for the problem's scale.
    pub(crate) run: Option<(Algorithm, u64)>,
}

/// A named choice of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The 19 functions, {0, 10, 20} × {20, 50, 100}, 3 seeds, 10,000 evaluations; the paper states
    /// the functions only.
    Paper,
    /// A few seconds' worth, to see that everything works.
    Smoke,
}

/// Which of the experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Section 3.1, Figure 2.
    Figure2,
    /// Appendix B: ES and CMA-ES, to ten times as many evaluations.
    Cma,
    /// One thing changed about ES-ENAS.
    Ablations,
}

impl Experiment {
    fn algorithms(self) -> &'static [Algorithm] {
        match self {
            Self::Figure2 => &Algorithm::PAPER,
            Self::Cma => &Algorithm::CMA,
            Self::Ablations => &Algorithm::ABLATIONS,
        }
    }
}

/// What is run, and how it is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// How cells are run.
    pub settings: Settings,
    /// Which functions.
    pub functions: Vec<Function>,
    /// (d_cat, d_con)
    pub sizes: Vec<(usize, usize)>,
    /// Seeds 0, 1, … below this.
    pub seeds: u64,
    /// Which algorithms.
    pub algorithms: Vec<Algorithm>,
}

impl Plan {
    /// The preset of an experiment in a mode.
    pub fn new(preset: Preset, mode: Mode, experiment: Experiment) -> Self {
        let (functions, cat, con, seeds, evaluations) = match preset {
            Preset::Paper => (&Function::ALL[..], &[0, 10, 20][..], &[20, 50, 100][..], 3, 10_000),
            Preset::Smoke => (&SMOKE[..], &[0, 10][..], &[20, 100][..], 1, 2000),
        };
        let evaluations =
            if experiment == Experiment::Cma { 10 * evaluations } else { evaluations };
        let hybrid = experiment == Experiment::Ablations;
        let sizes = cat.iter().flat_map(|d_cat| con.iter().map(|d_con| (*d_cat, *d_con)));
        let scale_budget = NonZeroU32::new(2 * evaluations).unwrap_or(NonZeroU32::MIN);
        Self {
            settings: Settings {
                experiment: "bbob".to_owned(),
                mode,
                evaluations,
                scale_budget,
                scale_seed: u64::from(u32::MAX),
            },
            functions: functions.to_vec(),
            sizes: sizes.filter(|(d_cat, _)| !hybrid || *d_cat > 0).collect(),
            seeds,
            algorithms: experiment.algorithms().to_vec(),
        }
    }

    /// With another budget; random search's is twice that.
    pub fn evaluations(mut self, evaluations: u32) -> Self {
        self.settings.evaluations = evaluations;
        let twice = NonZeroU32::new(evaluations.saturating_mul(2));
        self.settings.scale_budget = twice.unwrap_or(NonZeroU32::MIN);
        self
    }

    /// After how many evaluations a curve has its points.
    pub fn checkpoints(&self) -> Vec<u32> {
        self.settings.checkpoints()
    }

    /// The instance that a seed is run on: as the paper has it, all seeds on the function itself;
    /// in the mode `instance`, each on one of its own.
    pub(crate) fn problem(&self, function: Function, size: (usize, usize), seed: u64) -> Problem {
        let instance = if self.settings.mode == Mode::Instance { seed + 1 } else { 0 };
        Problem { function, d_cat: size.0, d_con: size.1, instance }
    }

    /// The keys of all runs, algorithm by algorithm.
    pub(crate) fn runs(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        for &algorithm in &self.algorithms {
            for &size in self.sizes.iter().filter(|size| algorithm.applies(size.0)) {
                for &function in &self.functions {
                    keys.extend((0..self.seeds).map(|seed| Key {
                        problem: self.problem(function, size, seed),
                        run: Some((algorithm, seed)),
                    }));
                }
            }
        }
        keys
    }

    /// The keys of what gaps are divided by, one for each problem.
    pub(crate) fn scales(&self) -> Vec<Key> {
        let mut scales: Vec<Key> =
            self.runs().into_iter().map(|key| Key { run: None, ..key }).collect();
        scales.sort_unstable();
        scales.dedup();
        scales
    }
}

impl Settings {
    /// After how many evaluations a curve has its points: the first, and then evenly.
    pub(crate) fn checkpoints(&self) -> Vec<u32> {
        let evenly = |at| (u64::from(self.evaluations) * at / u64::from(CHECKPOINTS)) as u32;
        let mut points: Vec<u32> = (1..=u64::from(CHECKPOINTS)).map(evenly).collect();
        points.insert(0, 1);
        points.retain(|point| *point > 0);
        points.dedup();
        points
    }
}

impl Problem {
    /// As the benchmark takes it.
    pub(crate) fn config(&self, mode: Mode) -> BbobConfig {
        let &Self { function, d_cat, d_con, instance } = self;
        BbobConfig { function, d_cat, d_con, mode, seed: instance }
    }
}

/// One of each kind: easy, rugged, steep along one axis, bent, a corner, a plain.
const SMOKE: [Function; 6] = [
    Function::Sphere,
    Function::Rastrigin,
    Function::Discus,
    Function::RosenbrockRotated,
    Function::LinearSlope,
    Function::Gallagher101,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_preset_is_the_papers() {
        let plan = Plan::new(Preset::Paper, Mode::Centered, Experiment::Figure2);
        assert_eq!((plan.functions.len(), plan.sizes.len(), plan.seeds), (19, 9, 3));
        // Eight algorithms without categories, twelve with.
        assert_eq!(plan.runs().len(), 19 * 3 * (3 * 8 + 6 * 12));
        assert_eq!(plan.scales().len(), 19 * 9);
        let points = plan.checkpoints();
        assert_eq!((points[0], points[1], points.last()), (1, 200, Some(&10_000)));
        let longer = Plan::new(Preset::Paper, Mode::Centered, Experiment::Cma);
        assert_eq!(longer.checkpoints().last(), Some(&100_000));
        assert_eq!(longer.runs().len(), 19 * 3 * 9 * 4);
    }

    #[test]
    fn instances_are_one_for_each_seed() {
        let plan = Plan::new(Preset::Smoke, Mode::Instance, Experiment::Ablations);
        assert_eq!(plan.scales().len(), plan.functions.len() * plan.sizes.len());
        let plan = Plan { seeds: 3, ..plan };
        assert_eq!(plan.scales().len(), 3 * plan.functions.len() * plan.sizes.len());
        assert_eq!(Plan { functions: Vec::new(), ..plan }.evaluations(3).checkpoints(), [1, 2, 3]);
    }
}
