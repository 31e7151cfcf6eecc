//! Functions of the program that runs the study.

use std::num::NonZeroUsize;

use esenas::Space;
use serde::{Deserialize, Serialize};

use super::Kind;
use crate::evaluator::Evaluator;
use crate::spec::{BoxConfig, StartConfig, StepsConfig};
use crate::study::StudyError;

/// A function of the program that runs the study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallableProblem {
    /// What it is called, for people.
    #[serde(default)]
    pub name: String,
    /// 𝓜
    pub space: Space,
    /// How many coordinates θ has beside the models. Left out, θ are the numbers of the space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<usize>,
    /// The box of θ.
    #[serde(default)]
    pub bounds: Option<BoxConfig>,
    /// The grids its coordinates are on.
    #[serde(default)]
    pub steps: Option<StepsConfig>,
    /// The first θ.
    #[serde(default)]
    pub start: StartConfig,
}

impl CallableProblem {
    /// A function over `space` and ℝᵈ with `dimension` coordinates, started at zero.
    pub fn new(space: Space, dimension: usize) -> Self {
        let start = StartConfig::default();
        let dimension = Some(dimension);
        Self { name: String::new(), space, dimension, bounds: None, steps: None, start }
    }

    /// A function over the designs of `space`, whose numbers are θ.
    pub fn of(space: Space) -> Self {
        Self { dimension: None, ..Self::new(space, 0) }
    }
}

impl Kind for CallableProblem {
    fn flat(&self) -> Option<usize> {
        self.dimension
    }

    fn is_own(&self) -> bool {
        true
    }

    fn space(&self) -> Space {
        self.space.clone()
    }

    fn bounds(&self) -> Option<BoxConfig> {
        self.bounds.clone()
    }

    fn steps(&self) -> Option<StepsConfig> {
        self.steps.clone()
    }

    fn start(&self) -> StartConfig {
        self.start.clone()
    }

    fn evaluator(&self, _: Option<NonZeroUsize>) -> Result<Box<dyn Evaluator>, StudyError> {
        Err(StudyError::NeedsObjective)
    }
}
