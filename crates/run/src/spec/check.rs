//! What cannot run is refused, before anything does.

use std::sync::Arc;

use esenas::joint::JointError;
use esenas::space::Size;
use esenas::weights::WeightsConfig;
use esenas::{Pairing, Search, SearchConfig, SearchError, Seed, Space, Start};

use super::Spec;
use super::fault::Fault;

/// CMA-ES holds three matrices of d × d doubles: beyond this many gigabytes.
const LARGEST_CMA: usize = 10_000;
/// The largest d: θ takes 800 MB.
const LARGEST_DIMENSION: usize = 100_000_000;
/// The most evaluations of an iteration.
pub(super) const LARGEST_POPULATION: usize = 10_000_000;
/// Integers of a study file have 63 bits.
pub(crate) const LARGEST: u64 = i64::MAX as u64;

/// What a study amounts to.
#[derive(Clone, Debug, PartialEq)]
pub struct Overview {
    /// |𝓜|
    pub size: Size,
    /// How many decisions a model can have.
    pub decisions: u32,
    /// d
    pub dimension: usize,
    /// Evaluations in an iteration, those of the centre included.
    pub evaluations: usize,
    /// Evaluations of the centre in an iteration that has them.
    pub centre: usize,
}

/// A study put together: the search at its start.
pub(crate) struct Build {
    pub(crate) space: Arc<Space>,
    pub(crate) search: Search,
}

impl Build {
    pub(super) fn overview(&self, spec: &Spec) -> Overview {
        let centre = match &spec.search {
            SearchConfig::EsEnas { joint, .. } => joint.centre as usize,
            SearchConfig::Hybrid { .. } => 0,
        };
        Overview {
            size: self.space.size(),
            decisions: self.space.loci(),
            dimension: spec.problem.dimension(),
            evaluations: self.search.population(),
            centre,
        }
    }
}

impl Spec {
    /// Puts the study together, or says which key stands in the way.
    pub(crate) fn build(&self) -> Result<Build, Fault> {
        self.check()?;
        let space = Arc::new(self.problem.space());
        let dimension = self.problem.dimension();
        if let SearchConfig::EsEnas { weights, then, .. } = &self.search {
            let later = then.as_ref().map(|then| ("then.weights.kind", &then.weights));
            for (key, weights) in [("weights.kind", weights)].into_iter().chain(later) {
                if matches!(weights, WeightsConfig::CmaEs(_)) && dimension > LARGEST_CMA {
                    let what = format!("cma-es holds d × d matrices, and d is {dimension}");
                    let help =
                        format!("use sep-cma-es, lm-ma-es, snes or es above d = {LARGEST_CMA}");
                    return Err(Fault::new(key, what).help(help));
                }
            }
        }
        let problem = self.problem.kind();
        let bounds = problem.region()?;
        let seed = Seed(self.seed);
        let theta = problem.theta(seed, bounds.as_ref());
        let theta = theta.map_err(|what| Fault::new("problem.start", what))?;
        let start = Start { space: space.clone(), theta, bounds };
        let search = Search::new(self.search.clone(), start).map_err(|error| self.blame(&error))?;
        if search.population() > LARGEST_POPULATION {
            let points = search.population();
            let what = format!("asks for {points} evaluations in an iteration");
            let key = if matches!(self.search, SearchConfig::Hybrid { .. }) {
                "hybrid"
            } else {
                "weights"
            };
            let help = format!("at most {LARGEST_POPULATION} are possible");
            return Err(Fault::new(key, what).help(help));
        }
        Ok(Build { space, search })
    }

    /// Refuses what can be refused without putting anything together.
    pub(super) fn check(&self) -> Result<(), Fault> {
        self.check_numbers()?;
        self.check_problem()
    }

    fn check_numbers(&self) -> Result<(), Fault> {
        let stop = &self.stop;
        if !stop.ends() {
            let help = "give iterations, evaluations, wall_time, target or stagnation";
            return Err(Fault::new("stop", "nothing ends this study").help(help));
        }
        let zero = |key, is_zero| match is_zero {
            true => Err(Fault::new(key, "must be at least 1")),
            false => Ok(()),
        };
        zero("stop.iterations", stop.iterations == Some(0))?;
        zero("stop.evaluations", stop.evaluations == Some(0))?;
        zero("stop.stagnation", stop.stagnation == Some(0))?;
        zero("centre.every", self.centre_every == 0)?;
        if let SearchConfig::EsEnas { joint, then, .. } = &self.search {
            zero("then.after", then.as_ref().is_some_and(|then| then.after == 0))?;
            let held = then.as_ref().is_some_and(|then| then.pairing == Pairing::Held);
            if (held || joint.pairing == Pairing::Held) && self.centre_every > 1 {
                let what =
                    "must be 1 where models are held: the centre is where they are evaluated";
                return Err(Fault::new("centre.every", what));
            }
        }
        if stop.target.is_some_and(|target| !target.is_finite()) {
            return Err(Fault::new("stop.target", "must be finite"));
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
        if !(1..=LARGEST_DIMENSION).contains(&self.problem.dimension()) {
            let what = format!("must be from 1 to {LARGEST_DIMENSION}");
            return Err(Fault::new("problem.dimension", what));
        }
        Ok(())
    }

    /// The key that the core refused. Its messages begin with the name of the setting.
    fn blame(&self, error: &SearchError) -> Fault {
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
            SearchError::Then(error) => match &**error {
                SearchError::Weights(error) => ("then.weights", error.to_string()),
                SearchError::Controller(error) => ("then.controller", error.to_string()),
                SearchError::Joint(JointError::Held(given)) => {
                    let what = format!("must be at least 2 with pairing \"held\", got {given}");
                    return Fault::new("then.centre", what);
                }
                error => ("then", error.to_string()),
            },
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
