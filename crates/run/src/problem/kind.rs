//! What a study has to know of a kind of problem.
//!
//! A new kind is a file with its settings and this trait, and one arm in
//! [`ProblemConfig`](crate::spec::ProblemConfig). `docs/study.md` then has to mention its keys, and
//! the schema test writes the rest.

use std::num::NonZeroUsize;

use esenas::controllers::ControllerConfig;
use esenas::weights::WeightsConfig;
use esenas::{Bounds, JointConfig, Seed, Space};

use crate::evaluator::Evaluator;
use crate::spec::{BoxConfig, Fault, StartConfig, StepsConfig};
use crate::study::StudyError;

/// The settings of one kind of problem.
pub(crate) trait Kind {
    /// d
    fn dimension(&self) -> usize;

    /// Whether the objective is the user's own: it may be minimized, and have no weights.
    fn is_own(&self) -> bool {
        false
    }

    /// 𝓜
    fn space(&self) -> Space;

    /// The box of θ.
    fn bounds(&self) -> Option<BoxConfig> {
        None
    }

    /// The grids its coordinates are on.
    fn steps(&self) -> Option<StepsConfig> {
        None
    }

    /// The box and the grids as the optimizers take them, or which of the settings is wrong.
    fn region(&self) -> Result<Option<Bounds>, Fault> {
        let dim = self.dimension();
        let bounds = self.bounds().map(|bounds| bounds.bounds(dim)).transpose();
        let bounds = bounds.map_err(|error| Fault::new("problem.bounds", error.to_string()))?;
        let wrong = |what: String| Fault::new("problem.steps", what);
        match (bounds, self.steps()) {
            (bounds, None) => Ok(bounds),
            (None, Some(_)) => {
                let help = "give bounds: a grid begins at the low end of its interval";
                Err(wrong("need bounds, and there are none".to_owned()).help(help))
            }
            (Some(bounds), Some(steps)) => {
                let gridded = bounds.with_steps(steps.steps(), dim);
                gridded
                    .map(Some)
                    .map_err(|error| wrong(error.to_string().replacen("steps ", "", 1)))
            }
        }
    }

    /// The first θ, as it is set.
    fn start(&self) -> StartConfig {
        StartConfig::default()
    }

    /// The first θ of a study with this seed, or what is wrong with the setting.
    fn theta(&self, seed: Seed, bounds: Option<&Bounds>) -> Result<Vec<f64>, String> {
        self.start().theta(seed, self.dimension(), bounds)
    }

    /// Refuses settings that cannot run. Called before anything else.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// What `[weights]` is where the study leaves it open: the paper's settings for such problems.
    fn weights(&self) -> WeightsConfig {
        WeightsConfig::default()
    }

    /// What `[controller]` is where the study leaves it open.
    fn controller(&self) -> ControllerConfig {
        ControllerConfig::default()
    }

    /// How often the centre is evaluated where the study leaves it open.
    fn centre(&self) -> u32 {
        JointConfig::default().centre
    }

    /// Whether θ are the weights of a policy, and values the returns of its episodes.
    fn is_policy(&self) -> bool {
        false
    }

    /// Who evaluates it, with so many workers, or as many as there are cores. Called of settings
    /// that passed `check`.
    fn evaluator(&self, workers: Option<NonZeroUsize>) -> Result<Box<dyn Evaluator>, StudyError>;
}
