//! The hybrid problem: some coordinates of the box are categories.

use esenas::space::SpaceError;
use esenas::{Bounds, Dna, Purpose, Seed, Space, Stream};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Buffer, Function, Instance, InstanceError, Mode};

/// What a category stands for: −5, −4, …, 5.
const CATEGORIES: usize = 11;

/// The settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BbobConfig {
    /// Which function.
    pub function: Function,
    /// How many coordinates are categorical; they come first.
    pub d_cat: usize,
    /// How many are continuous.
    pub d_con: usize,
    /// Where the optimum is, and what is random.
    pub mode: Mode,
    /// Which rotations, shifts and labels. See [`Instance::new`] for what 0 means.
    pub seed: u64,
}

impl Default for BbobConfig {
    fn default() -> Self {
        let function = Function::Sphere;
        Self { function, d_cat: 10, d_con: 50, mode: Mode::default(), seed: 0 }
    }
}

/// Why there is no such problem.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum HybridError {
    /// The function is not defined there.
    #[error("d_cat = {d_cat}, d_con = {d_con}: {error}")]
    Instance {
        /// Categorical coordinates.
        d_cat: usize,
        /// Continuous coordinates.
        d_con: usize,
        /// What is wrong.
        error: InstanceError,
    },
    /// Too many categorical coordinates.
    #[error("d_cat: {0}")]
    Space(#[from] SpaceError),
}

/// Why a list of numbers is no point.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PointError {
    /// Too few or too many.
    #[error("point {index} has {found} coordinates, the problem {dim}")]
    Dimension {
        /// Which point.
        index: usize,
        /// How many it has.
        found: usize,
        /// How many there are.
        dim: usize,
    },
    /// No category.
    #[error("point {index}: category {value} is not an integer from 0 to 10")]
    Category {
        /// Which point.
        index: usize,
        /// What was given.
        value: f64,
    },
}

/// f(m, θ) = −f(x), x being the categories of m and then θ. To be maximized: the minus sign between
/// BBOB and all algorithms is here, and nowhere else.
#[derive(Clone, Debug)]
pub struct Hybrid {
    config: BbobConfig,
    instance: Instance,
    space: Space,
    /// For each categorical coordinate, what its categories stand for.
    labels: Vec<[f64; CATEGORIES]>,
}

/// Room for one evaluation, kept by the caller.
#[derive(Clone, Debug, Default)]
pub struct HybridBuffer {
    x: Vec<f64>,
    rest: Buffer,
}

impl BbobConfig {
    /// The problem, or what is wrong with the settings.
    pub fn build(&self) -> Result<Hybrid, HybridError> {
        let &Self { function, d_cat, d_con, mode, seed } = self;
        let space = self.space()?;
        let instance = Instance::new(function, d_cat + d_con, d_cat, mode, Seed(seed))
            .map_err(|error| HybridError::Instance { d_cat, d_con, error })?;
        let value = |at| self.categories(at).map(|label| label as f64);
        Ok(Hybrid {
            config: self.clone(),
            instance,
            space,
            labels: (0..d_cat).map(value).collect(),
        })
    }

    /// 𝓜, or what is wrong with the settings. Nothing is drawn but labels: this is quick in any
    /// dimension.
    pub fn space(&self) -> Result<Space, HybridError> {
        let &Self { function, d_cat, d_con, mode, seed } = self;
        Instance::check(function, d_cat.saturating_add(d_con), mode, Seed(seed))
            .map_err(|error| HybridError::Instance { d_cat, d_con, error })?;
        let choice = |at| Space::oneof(self.categories(at).map(Space::constant));
        let choices: Result<Vec<Space>, _> = (0..d_cat).map(choice).collect();
        Ok(Space::list(choices?)?)
    }

    /// −5, …, 5 in the order of the categories of coordinate `at`.
    fn categories(&self, at: usize) -> [i64; CATEGORIES] {
        let mut labels = std::array::from_fn(|i| i as i64 - 5);
        if self.mode == Mode::Instance {
            let mut stream = Seed(self.seed).stream(Purpose::Problem, 2, at as u32);
            stream.shuffle(&mut labels);
        }
        labels
    }
}

impl Hybrid {
    /// The settings it was built from.
    pub fn config(&self) -> &BbobConfig {
        &self.config
    }

    /// The function itself.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// 𝓜: a list of d_cat choices, which decode to coordinates.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// d, the number of weights.
    pub fn dim(&self) -> usize {
        self.config.d_con
    }

    /// The box of θ.
    pub fn bounds(&self) -> Bounds {
        Bounds::new(vec![-5.0], vec![5.0], self.dim()).expect("[−5, 5] is an interval")
    }

    /// f(m, θ), to be maximized; `genes` are those of a [`Dna`] of the space. Outside the box, θ is
    /// taken to be at its border.
    ///
    /// # Panics
    ///
    /// When there are not d_cat genes, each below 11, and d_con weights.
    pub fn value(&self, genes: &[u32], theta: &[f64], buffer: &mut HybridBuffer) -> f64 {
        let HybridBuffer { x, rest } = buffer;
        self.write(genes, theta, x);
        -self.instance.cost(x, rest)
    }

    /// The costs −f(m, θ) of many points from outside, each its categories as numbers and then its
    /// weights: the same as one by one, but faster.
    pub fn costs_of(&self, points: &[Vec<f64>]) -> Result<Vec<f64>, PointError> {
        let (d_cat, dim) = (self.config.d_cat, self.instance.dim());
        let mut xs = Vec::with_capacity(points.len().saturating_mul(dim));
        for (index, point) in points.iter().enumerate() {
            if point.len() != dim {
                return Err(PointError::Dimension { index, found: point.len(), dim });
            }
            let (categories, theta) = point.split_at(d_cat);
            for (labels, &value) in self.labels.iter().zip(categories) {
                let gene = (value.fract() == 0.0 && value >= 0.0).then_some(value as usize);
                let label = gene.and_then(|gene| labels.get(gene));
                xs.push(*label.ok_or(PointError::Category { index, value })?);
            }
            xs.extend(theta.iter().map(|theta| theta.clamp(-5.0, 5.0)));
        }
        let mut costs = vec![0.0; points.len()];
        self.instance.costs(&xs, &mut costs, &mut Buffer::default());
        Ok(costs)
    }

    /// x for (m, θ).
    pub fn point(&self, genes: &[u32], theta: &[f64]) -> Vec<f64> {
        let mut x = Vec::new();
        self.write(genes, theta, &mut x);
        x
    }

    fn write(&self, genes: &[u32], theta: &[f64], x: &mut Vec<f64>) {
        let Self { labels, config, .. } = self;
        let (d_cat, d_con) = (config.d_cat, config.d_con);
        assert_eq!((genes.len(), theta.len()), (d_cat, d_con), "genes and weights");
        x.clear();
        x.extend(labels.iter().zip(genes).map(|(labels, gene)| labels[*gene as usize]));
        x.extend(theta.iter().map(|theta| theta.clamp(-5.0, 5.0)));
    }

    /// The best model and weights, where the optimum is known and on the grid.
    pub fn best(&self) -> Option<(Dna, Vec<f64>)> {
        let (categorical, continuous) = self.instance.optimum().split_at(self.config.d_cat);
        let gene = |(labels, place): (&[f64; CATEGORIES], &f64)| {
            labels.iter().position(|label| label == place).map(|gene| gene as u32)
        };
        let genes: Option<Vec<u32>> = self.labels.iter().zip(categorical).map(gene).collect();
        Some((Dna::from(genes?), continuous.to_vec()))
    }

    /// The point from which all algorithms start: uniform over the models and the box.
    pub fn start(&self, seed: Seed) -> (Dna, Vec<f64>) {
        let dna = self.space.sample(&mut seed.stream(Purpose::Start, 0, 0));
        (dna, self.weights(&mut seed.stream(Purpose::Start, 0, 1)))
    }

    /// θ uniform in the box.
    pub(crate) fn weights(&self, stream: &mut Stream) -> Vec<f64> {
        let uniform = |u: f64| (1.0 - u) * -5.0 + u * 5.0;
        (0..self.dim()).map(|_| uniform(stream.unit())).collect()
    }
}
