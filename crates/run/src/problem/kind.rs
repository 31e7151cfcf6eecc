//! What a study has to know of a kind of problem.
//!
//! A new kind is a file with its settings and this trait, and one arm in
//! [`ProblemConfig`](crate::spec::ProblemConfig). `docs/study.md` then has to mention its keys, and
//! the schema test writes the rest.

use std::num::NonZeroUsize;
use std::sync::Arc;

use esenas::controllers::ControllerConfig;
use esenas::weights::WeightsConfig;
use esenas::{Bounds, JointConfig, Layout, Purpose, Seed, Space};

use crate::Known;
use crate::evaluator::Evaluator;
use crate::spec::{BoxConfig, Fault, StartConfig, StepsConfig};
use crate::study::StudyError;

/// The settings of one kind of problem.
pub(crate) trait Kind {
    /// How many coordinates a flat θ beside the models has; none where θ are the numbers of the
    /// space.
    fn flat(&self) -> Option<usize>;

    /// Whether the objective is the user's own: it may be minimized, and have no weights.
    fn is_own(&self) -> bool {
        false
    }

    /// 𝓜
    fn space(&self) -> Space;

    /// d
    fn dimension(&self) -> usize {
        self.flat().unwrap_or_else(|| self.layout().map_or(0, |layout| layout.dim()))
    }

    /// Which coordinates of θ are which numbers of a design, or which of the settings is wrong.
    fn layout(&self) -> Result<Layout, Fault> {
        let space = Arc::new(self.space());
        match self.flat() {
            Some(dim) => Ok(Layout::flat(space, dim, self.region()?)),
            None => {
                Layout::new(space).map_err(|error| Fault::new("problem.space", error.to_string()))
            }
        }
    }

    /// The box of a flat θ.
    fn bounds(&self) -> Option<BoxConfig> {
        None
    }

    /// The grids its coordinates are on.
    fn steps(&self) -> Option<StepsConfig> {
        None
    }

    /// The box and the grids of a flat θ in the user's units, or which of the settings is wrong.
    fn region(&self) -> Result<Option<Bounds>, Fault> {
        let dim = self.dimension();
        let bounds = self.bounds().map(|bounds| bounds.bounds(dim)).transpose();
        let bounds = bounds.map_err(|error| Fault::new("problem.bounds", error.to_string()))?;
        if bounds.is_some() && !self.bounds().is_some_and(|bounds| bounds.has_width()) {
            let what = "must have a width that is a finite number";
            return Err(Fault::new("problem.bounds", what));
        }
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

    /// The first θ of a study with this seed, in the coordinates of the optimizer, or what is wrong
    /// with the setting.
    fn theta(&self, seed: Seed, layout: &Layout) -> Result<Vec<f64>, Fault> {
        let Some(dim) = self.flat() else {
            let mut theta = layout.start(&mut seed.stream(Purpose::Start, 0, 1));
            if let StartConfig::Design(design) = self.start() {
                let found = Known::new(design).found_in(layout);
                let found = found.map_err(|what| Fault::new("problem.start", what))?;
                found.complete(&mut theta);
            }
            return Ok(theta);
        };
        let theta = self.start().theta(seed, dim, self.region()?.as_ref());
        let mut theta = theta.map_err(|what| Fault::new("problem.start", what))?;
        layout.to_optimizer(&mut theta);
        Ok(theta)
    }

    /// Refuses settings that cannot run. Called before anything else.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Refuses what cannot be evaluated on this machine. Called before evaluations, not of records.
    fn ready(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Refuses numbers that are said twice, and a problem that has nothing to search.
    fn check_numbers(&self) -> Result<(), Fault> {
        let space = self.space();
        if self.flat().is_some() {
            let help = "leave out the dimension, or take the numbers out of the space";
            return match space.places() {
                0 => Ok(()),
                _ => {
                    Err(Fault::new("problem.dimension", "the space has numbers itself").help(help))
                }
            };
        }
        let given = [
            ("problem.bounds", self.bounds().is_some()),
            ("problem.steps", self.steps().is_some()),
            (
                "problem.start",
                !matches!(self.start(), StartConfig::Middle | StartConfig::Design(_)),
            ),
        ];
        if let Some((key, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
            let help = "give the dimension of θ, or say it where the space has the numbers";
            return Err(Fault::new(key, "is about a flat θ, and there is none").help(help));
        }
        if space.is_constant() {
            let help = "give it choices, or numbers such as { real = [0.0, 1.0] }";
            let what = "has one model and no numbers: there is nothing to search";
            return Err(Fault::new("problem.space", what).help(help));
        }
        self.layout().map(|_| ())
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

    /// Whether the controller learns from them where the study leaves it open.
    fn centre_teaches(&self) -> bool {
        JointConfig::default().centre_teaches
    }

    /// Whether θ are the weights of a policy, and values the returns of its episodes.
    fn is_policy(&self) -> bool {
        false
    }

    /// Who evaluates it, with so many workers, or as many as there are cores. Called of settings
    /// that passed `check`.
    fn evaluator(&self, workers: Option<NonZeroUsize>) -> Result<Box<dyn Evaluator>, StudyError>;
}
