//! What is optimized: the problems a study can name.

use esenas::{Bounds, Noise, Purpose, Seed, Space};
use serde::{Deserialize, Serialize};

use crate::problem::{
    BbobConfig, CallableProblem, CommandProblem, GymnasiumConfig, Kind, RlConfig, SyntheticConfig,
};

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
    /// A policy in an environment of Gymnasium.
    Gymnasium(GymnasiumConfig),
    /// A program in any language; see [`command`](crate::command).
    Command(CommandProblem),
    /// A function of the program that runs the study.
    Callable(CallableProblem),
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

    /// Whether all widths are numbers.
    pub(crate) fn has_width(&self) -> bool {
        let finite = |[low, high]: &[f64; 2]| (high - low).is_finite();
        match self {
            Self::All(interval) => finite(interval),
            Self::Each(intervals) => intervals.iter().all(finite),
        }
    }
}

/// The steps of the grids that coordinates of θ are on as they are written: one for all, or one for
/// each; 0 where a coordinate is continuous.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a step, or a list of as many steps as dimensions")]
pub enum StepsConfig {
    /// The same for all coordinates.
    All(f64),
    /// One for each.
    Each(Vec<f64>),
}

impl StepsConfig {
    /// As the optimizers take them.
    pub(crate) fn steps(&self) -> Vec<f64> {
        match self {
            Self::All(step) => vec![*step],
            Self::Each(steps) => steps.clone(),
        }
    }
}

/// The first θ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartConfig {
    /// The middle of the bounds; the origin where there are none.
    #[default]
    Middle,
    /// The origin, moved into the bounds.
    Zeros,
    /// Drawn uniformly from the bounds, which must be given.
    Uniform,
    /// Drawn from a Gaussian with this deviation, and moved into the bounds.
    Gaussian(f64),
    /// As given.
    Values(Vec<f64>),
    /// The numbers of a design, which is the first to be evaluated.
    Design(serde_json::Value),
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
            (Self::Design(_), _) => {
                return Err("is a design, whose numbers are not θ here; give values".to_owned());
            }
            (Self::Uniform, None) => {
                return Err("is \"uniform\", which needs bounds to draw from".to_owned());
            }
            (Self::Uniform, Some(bounds)) => (0..dimension)
                .map(|at| {
                    let ((low, high), u) = (bounds.interval(at), stream.unit());
                    (1.0 - u) * low + u * high
                })
                .collect(),
            (Self::Middle, Some(bounds)) => bounds.middle(dimension),
            (Self::Middle, None) | (Self::Zeros, _) => vec![0.0; dimension],
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
    /// The one place where the kinds are told apart.
    pub(crate) fn kind(&self) -> &dyn Kind {
        match self {
            Self::Synthetic(it) => it,
            Self::Bbob(it) => it,
            Self::Rl(it) => it,
            Self::Gymnasium(it) => it,
            Self::Command(it) => it,
            Self::Callable(it) => it,
        }
    }

    /// The policies and episodes it is about, if it is about such.
    pub fn policy(&self) -> Option<RlConfig> {
        match self {
            Self::Rl(it) => Some(it.clone()),
            Self::Gymnasium(it) => Some(it.rl()),
            Self::Synthetic(_) | Self::Bbob(_) | Self::Command(_) | Self::Callable(_) => None,
        }
    }

    /// The kind as the study file names it.
    pub fn name(&self) -> String {
        let tagged = serde_json::to_value(self).unwrap_or_default();
        tagged["kind"].as_str().unwrap_or_default().to_owned()
    }

    /// d
    pub fn dimension(&self) -> usize {
        self.kind().dimension()
    }

    /// 𝓜
    pub fn space(&self) -> Space {
        self.kind().space()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red when a study that says nothing of its start begins anywhere else than it is told to.
    #[test]
    fn the_first_theta_is_in_the_middle_of_the_bounds_unless_told_otherwise() {
        let bounds = BoxConfig::Each(vec![[0.0, 10.0], [-3.0, -1.0]]).bounds(2).unwrap();
        let theta = |start: &StartConfig, bounds| start.theta(Seed(1), 2, bounds).unwrap();
        assert_eq!(theta(&StartConfig::default(), Some(&bounds)), [5.0, -2.0]);
        assert_eq!(theta(&StartConfig::default(), None), [0.0, 0.0]);
        assert_eq!(theta(&StartConfig::Zeros, Some(&bounds)), [0.0, -1.0]);
        let uniform = theta(&StartConfig::Uniform, Some(&bounds));
        assert!(uniform != [5.0, -2.0] && uniform[0] > 0.0 && uniform[1] < -1.0, "{uniform:?}");
    }
}
