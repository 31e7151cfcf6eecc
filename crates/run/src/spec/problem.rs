//! What is optimized: the problems a study can name.

use std::path::PathBuf;

use esenas::{Bounds, Noise, Purpose, Seed, Space};
use serde::{Deserialize, Serialize};

use super::Seconds;
use crate::problem::{BbobConfig, RlConfig, SyntheticConfig, bbob};

/// Which problem, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ProblemConfig {
    /// Built in, with a known optimum.
    Synthetic(SyntheticConfig),
    /// A function of the BBOB benchmark, some of its coordinates being categories.
    Bbob(BbobConfig),
    /// A policy in an environment.
    Rl(RlConfig),
    /// A program in any language; see [`command`](crate::command).
    Command(CommandProblem),
    /// A function of the program that runs the study.
    Callable(CallableProblem),
}

/// A program in any language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandProblem {
    /// The program and its arguments. No shell is involved.
    pub argv: Vec<String>,
    /// Where it is run; where the study is started, when left out.
    #[serde(default)]
    pub directory: Option<PathBuf>,
    /// 𝓜
    pub space: Space,
    /// d
    pub dimension: usize,
    /// The box of θ.
    #[serde(default)]
    pub bounds: Option<BoxConfig>,
    /// The first θ.
    #[serde(default)]
    pub start: StartConfig,
    /// The time allowed for one evaluation.
    #[serde(default = "hour")]
    pub timeout: Seconds,
    /// How often an evaluation is tried that a program died of, or was late with.
    #[serde(default = "three")]
    pub attempts: u32,
    /// How often in a row a program is restarted without an answer in between.
    #[serde(default = "thirty")]
    pub restarts: u32,
    /// The longest θ that is sent inline; longer ones go through a file.
    #[serde(default = "ten_thousand")]
    pub inline: usize,
}

fn hour() -> Seconds {
    Seconds(3600.0)
}

fn three() -> u32 {
    3
}

fn thirty() -> u32 {
    30
}

fn ten_thousand() -> usize {
    10_000
}

/// A function of the program that runs the study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallableProblem {
    /// What it is called, for people.
    #[serde(default)]
    pub name: String,
    /// 𝓜
    pub space: Space,
    /// d
    pub dimension: usize,
    /// The box of θ.
    #[serde(default)]
    pub bounds: Option<BoxConfig>,
    /// The first θ.
    #[serde(default)]
    pub start: StartConfig,
}

impl CallableProblem {
    /// A function over `space` and ℝᵈ with `dimension` coordinates, started at zero.
    pub fn new(space: Space, dimension: usize) -> Self {
        let start = StartConfig::default();
        Self { name: String::new(), space, dimension, bounds: None, start }
    }
}

/// The box of θ as it is written: `[low, high]`, or one such pair for each coordinate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected [low, high], or a list of as many such pairs as dimensions"
)]
pub enum BoxConfig {
    /// The same for all coordinates.
    All([f64; 2]),
    /// One for each.
    Each(Vec<[f64; 2]>),
}

impl BoxConfig {
    /// As the optimizers take it.
    pub(crate) fn bounds(&self, dimension: usize) -> Result<Bounds, esenas::BoundsError> {
        let side = |at: usize| match self {
            Self::All(interval) => vec![interval[at]],
            Self::Each(intervals) => intervals.iter().map(|i| i[at]).collect(),
        };
        Bounds::new(side(0), side(1), dimension)
    }
}

/// The first θ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartConfig {
    /// The origin, moved into the bounds.
    #[default]
    Zeros,
    /// Drawn uniformly from the bounds, which must be given.
    Uniform,
    /// Drawn from a Gaussian with this deviation, and moved into the bounds.
    Gaussian(f64),
    /// As given.
    Values(Vec<f64>),
}

impl StartConfig {
    /// θ for this study, or what is wrong with the setting.
    pub(crate) fn theta(
        &self,
        seed: Seed,
        dimension: usize,
        bounds: Option<&Bounds>,
    ) -> Result<Vec<f64>, String> {
        let mut stream = seed.stream(Purpose::Start, 0, 1);
        let mut theta = match (self, bounds) {
            (Self::Values(values), _) if values.len() != dimension => {
                return Err(format!("has {} values, dimension is {dimension}", values.len()));
            }
            (Self::Values(values), _) => return Ok(values.clone()),
            (Self::Uniform, None) => {
                return Err("is \"uniform\", which needs bounds to draw from".to_owned());
            }
            (Self::Uniform, Some(bounds)) => (0..dimension)
                .map(|at| {
                    let ((low, high), u) = (bounds.interval(at), stream.unit());
                    (1.0 - u) * low + u * high
                })
                .collect(),
            (Self::Zeros, _) => vec![0.0; dimension],
            (Self::Gaussian(deviation), _) if !(*deviation >= 0.0 && deviation.is_finite()) => {
                return Err(format!("gaussian must be zero or positive, got {deviation}"));
            }
            (Self::Gaussian(deviation), _) => {
                let draws = Noise::Gaussian(stream.bits()).row(0, dimension);
                draws.into_iter().map(|g| deviation * f64::from(g)).collect()
            }
        };
        if let Some(bounds) = bounds {
            bounds.clip(0, &mut theta);
        }
        Ok(theta)
    }
}

impl ProblemConfig {
    /// d
    pub fn dimension(&self) -> usize {
        match self {
            Self::Synthetic(it) => it.dimension,
            Self::Bbob(it) => it.d_con,
            Self::Rl(it) => it.dimension(),
            Self::Command(it) => it.dimension,
            Self::Callable(it) => it.dimension,
        }
    }

    /// 𝓜
    pub fn space(&self) -> Space {
        match self {
            Self::Synthetic(it) => it.space(),
            Self::Bbob(it) => bbob::space(it),
            Self::Rl(it) => it.space(),
            Self::Command(it) => it.space.clone(),
            Self::Callable(it) => it.space.clone(),
        }
    }

    /// The box of θ, as it is written.
    pub(crate) fn bounds(&self) -> Option<&BoxConfig> {
        match self {
            Self::Synthetic(_) | Self::Rl(_) => None,
            Self::Bbob(_) => Some(&bbob::BOUNDS),
            Self::Command(it) => it.bounds.as_ref(),
            Self::Callable(it) => it.bounds.as_ref(),
        }
    }

    /// The first θ, or what is wrong with the setting.
    pub(crate) fn theta(&self, seed: Seed, bounds: Option<&Bounds>) -> Result<Vec<f64>, String> {
        let start = match self {
            Self::Synthetic(it) => &it.start,
            Self::Bbob(_) => &StartConfig::Uniform,
            // A policy knows where it is best begun.
            Self::Rl(it) => return Ok(it.theta(seed)),
            Self::Command(it) => &it.start,
            Self::Callable(it) => &it.start,
        };
        start.theta(seed, self.dimension(), bounds)
    }
}
