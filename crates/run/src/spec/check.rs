//! What cannot run is refused, before anything does.

use esenas::{SearchConfig, SettingError};

use super::fault::Fault;
use super::{Direction, Spec, SpecError, StopConfig};

/// The largest d: θ takes 800 MB.
const LARGEST_DIMENSION: usize = 100_000_000;
/// The most evaluations of an iteration.
pub(super) const LARGEST_POPULATION: usize = 10_000_000;
/// Integers of a study file have 63 bits.
pub(crate) const LARGEST: u64 = i64::MAX as u64;

impl StopConfig {
    /// Refuses limits that are none.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        let Self { iterations, evaluations, stagnation, .. } = self;
        let least = |key, is_zero| match is_zero {
            true => Err(Fault::new(key, "must be at least 1")),
            false => Ok(()),
        };
        least("stop.iterations", *iterations == Some(0))?;
        least("stop.evaluations", *evaluations == Some(0))?;
        least("stop.stagnation", *stagnation == Some(0))?;
        match self.target.is_some_and(|target| !target.is_finite()) {
            true => Err(Fault::new("stop.target", "must be finite")),
            false => Ok(()),
        }
    }
}

impl Spec {
    /// Refuses a study that would go on for ever.
    pub(super) fn expect_end(&self) -> Result<(), SpecError> {
        if self.stop.ends() {
            return Ok(());
        }
        let help = "give iterations, evaluations, wall_time, target or stagnation";
        Err(self.locate(Fault::new("stop", "nothing ends this study").help(help)))
    }

    /// Refuses what can be refused without putting anything together.
    pub(super) fn check(&self) -> Result<(), Fault> {
        self.check_numbers()?;
        self.check_goals()?;
        self.check_problem()
    }

    fn check_numbers(&self) -> Result<(), Fault> {
        self.stop.check()?;
        let zero = |key, is_zero| match is_zero {
            true => Err(Fault::new(key, "must be at least 1")),
            false => Ok(()),
        };
        zero("centre.every", self.centre_every == 0)?;
        if matches!(self.search, SearchConfig::Alternating { .. }) && self.centre_every > 1 {
            let what = "must be 1 where models are held: the centre is where they are evaluated";
            return Err(Fault::new("centre.every", what));
        }
        if self.seed > LARGEST {
            return Err(Fault::new("seed", format!("must be at most {LARGEST}")));
        }
        if !(0.0..=1.0).contains(&self.failures.share) {
            return Err(Fault::new("failures.share", "must be from 0 to 1"));
        }
        Ok(())
    }

    fn check_problem(&self) -> Result<(), Fault> {
        self.problem.kind().check()?;
        self.problem.kind().check_numbers()?;
        let is_own = self.problem.kind().is_own();
        if self.direction == Direction::Minimize && !is_own {
            let what =
                "must be \"maximize\" with this kind of problem: it says itself what is better";
            return Err(Fault::new("direction", what));
        }
        let (dimension, least) = (self.problem.dimension(), usize::from(!is_own));
        if !(least..=LARGEST_DIMENSION).contains(&dimension) {
            let what = format!("must be from {least} to {LARGEST_DIMENSION}");
            return Err(Fault::new("problem.dimension", what));
        }
        if dimension == 0 && self.problem.space().size().exact == Some(1) {
            let what = "has one model, and there are no weights: nothing is left to choose";
            return Err(Fault::new("problem.space", what).help("give it choices, or a dimension"));
        }
        Ok(())
    }

    /// The key of the file that a refusal of the core is about.
    pub(super) fn blame(&self, error: &SettingError) -> Fault {
        let known = |key: &&str| super::blame::lookup(&self.to_value(), key).is_some();
        let key = match error.key.as_str() {
            "theta" => "problem.start",
            key => std::iter::successors(Some(key), |key| Some(key.rsplit_once('.')?.0))
                .find(known)
                .unwrap_or(key),
        };
        let what = if key == error.key { error.what.clone() } else { error.to_string() };
        Fault::new(key, what)
    }
}
