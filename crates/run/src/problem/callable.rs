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
    /// d
    pub dimension: usize,
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
        Self { name: String::new(), space, dimension, bounds: None, steps: None, start }
    }
}

impl Kind for CallableProblem {
    fn dimension(&self) -> usize {
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
