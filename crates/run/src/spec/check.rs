//! What cannot run is refused, before anything does.

use esenas::joint::JointError;
use esenas::{Pairing, SearchConfig, SearchError};

use super::fault::Fault;
use super::{Spec, SpecError, StopConfig};

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
        self.check_problem()
    }

    fn check_numbers(&self) -> Result<(), Fault> {
        self.stop.check()?;
        let zero = |key, is_zero| match is_zero {
            true => Err(Fault::new(key, "must be at least 1")),
            false => Ok(()),
        };
        zero("centre.every", self.centre_every == 0)?;
        if let SearchConfig::EsEnas { joint, .. } = &self.search
            && joint.pairing == Pairing::Held
            && self.centre_every > 1
        {
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
        if !(1..=LARGEST_DIMENSION).contains(&self.problem.dimension()) {
            let what = format!("must be from 1 to {LARGEST_DIMENSION}");
            return Err(Fault::new("problem.dimension", what));
        }
        Ok(())
    }

    /// The key that the core refused. Its messages begin with the name of the setting.
    pub(super) fn blame(&self, error: &SearchError) -> Fault {
        let hybrid = matches!(self.search, SearchConfig::Hybrid { .. });
        let (section, said) = match error {
            SearchError::Weights(error) => ("weights", error.to_string()),
            SearchError::Controller(error) if hybrid => ("hybrid.evolution", error.to_string()),
            SearchError::Controller(error) => ("controller", error.to_string()),
            SearchError::Joint(error @ JointError::Cost(_)) => {
                ("constraint.cost", error.to_string())
            }
            SearchError::Joint(error) => ("", error.to_string()),
            SearchError::Hybrid(error) => ("hybrid", error.to_string()),
            SearchError::Population => ("hybrid", "population must be at least 1".to_owned()),
        };
        let name = said.split([' ', ':']).next().unwrap_or_default();
        let named = if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") };
        let known = super::blame::lookup(&self.to_value(), &named).is_some();
        let about_start = said.starts_with("theta must") || said.starts_with("the starting theta");
        let key = match known {
            _ if about_start => "problem.start".to_owned(),
            true => {
                let rest = said[name.len()..].trim_start().to_owned();
                return Fault::new(named, rest);
            }
            false if section.is_empty() => "controller".to_owned(),
            false => section.to_owned(),
        };
        Fault::new(key, said)
    }
}
