//! Any controller, as one value: what a study names and a checkpoint holds.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    Asng, AsngConfig, AsngError, Evidence, FactorizedPolicyGradient,
    FactorizedPolicyGradientConfig, HillClimb, HillClimbConfig, Marginals, Neat, NeatConfig,
    NeatError, Nsga2, Nsga2Config, Nsga2Error, PolicyGradient, PolicyGradientConfig,
    PolicyGradientError, Random, RegularizedEvolution, RegularizedEvolutionConfig,
    RegularizedEvolutionError, Sweep, SweepConfig,
};
use crate::optimizer::told;
use crate::{Dna, Optimizer, Space, Statistics, Stream, Variation};

/// Which controller, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ControllerConfig {
    /// [`Random`]
    Random(RandomConfig),
    /// [`RegularizedEvolution`]
    RegularizedEvolution(RegularizedEvolutionConfig),
    /// [`HillClimb`]
    HillClimb(HillClimbConfig),
    /// [`Neat`]
    Neat(NeatConfig),
    /// [`Asng`]
    Asng(AsngConfig),
    /// [`Nsga2`]
    Nsga2(Nsga2Config),
    /// [`PolicyGradient`]
    PolicyGradient(PolicyGradientConfig),
    /// [`FactorizedPolicyGradient`]
    FactorizedPolicyGradient(FactorizedPolicyGradientConfig),
    /// [`Sweep`]
    Sweep(SweepConfig),
}

impl Default for ControllerConfig {
    fn default() -> Self {
        Self::RegularizedEvolution(RegularizedEvolutionConfig::default())
    }
}

/// Random search has nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomConfig {}

/// Why a controller was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ControllerError {
    /// By [`RegularizedEvolution`].
    #[error(transparent)]
    RegularizedEvolution(#[from] RegularizedEvolutionError),
    /// By [`Neat`].
    #[error(transparent)]
    Neat(#[from] NeatError),
    /// By [`Asng`].
    #[error(transparent)]
    Asng(#[from] AsngError),
    /// By [`Nsga2`].
    #[error(transparent)]
    Nsga2(#[from] Nsga2Error),
    /// By [`PolicyGradient`] or [`FactorizedPolicyGradient`].
    #[error(transparent)]
    PolicyGradient(#[from] PolicyGradientError),
    /// Only evolution runs over models and weights together.
    #[error(
        "kind must be \"random\", \"regularized-evolution\", \"hill-climb\" or \"neat\" for a \
         search over models and weights together, got \"{0}\""
    )]
    NotEvolution(&'static str),
}

/// The state of any evolutionary algorithm, over models or over models with weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Evolution<V: Variation> {
    /// [`Random`]
    Random(Random<V>),
    /// [`RegularizedEvolution`]
    RegularizedEvolution(RegularizedEvolution<V>),
    /// [`HillClimb`]
    HillClimb(HillClimb<V>),
    /// [`Neat`]
    Neat(Neat<V>),
}

impl<V: Variation> Evolution<V> {
    /// The algorithm of `config` over the genomes of `variation`.
    pub fn new(config: ControllerConfig, variation: V) -> Result<Self, ControllerError> {
        Ok(match config {
            ControllerConfig::Random(RandomConfig {}) => Self::Random(Random::new(variation)),
            ControllerConfig::RegularizedEvolution(config) => {
                Self::RegularizedEvolution(RegularizedEvolution::new(config, variation)?)
            }
            ControllerConfig::HillClimb(config) => {
                Self::HillClimb(HillClimb::new(config, variation))
            }
            ControllerConfig::Neat(config) => Self::Neat(Neat::new(config, variation)?),
            ControllerConfig::Asng(_) => return Err(ControllerError::NotEvolution("asng")),
            ControllerConfig::Nsga2(_) => return Err(ControllerError::NotEvolution("nsga2")),
            ControllerConfig::PolicyGradient(_) => {
                return Err(ControllerError::NotEvolution("policy-gradient"));
            }
            ControllerConfig::FactorizedPolicyGradient(_) => {
                return Err(ControllerError::NotEvolution("factorized-policy-gradient"));
            }
            ControllerConfig::Sweep(_) => return Err(ControllerError::NotEvolution("sweep")),
        })
    }
}

impl<V: Variation> Optimizer for Evolution<V> {
    type Point = V::Genome;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<V::Genome> {
        match self {
            Self::Random(it) => it.ask(n, stream),
            Self::RegularizedEvolution(it) => it.ask(n, stream),
            Self::HillClimb(it) => it.ask(n, stream),
            Self::Neat(it) => it.ask(n, stream),
        }
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        match self {
            Self::Random(it) => it.tell(values),
            Self::RegularizedEvolution(it) => it.tell(values),
            Self::HillClimb(it) => it.tell(values),
            Self::Neat(it) => it.tell(values),
        }
    }

    fn statistics(&self) -> Statistics {
        match self {
            Self::Random(it) => it.statistics(),
            Self::RegularizedEvolution(it) => it.statistics(),
            Self::HillClimb(it) => it.statistics(),
            Self::Neat(it) => it.statistics(),
        }
    }
}

/// The state of any controller, and what it has seen of every model.
///
/// The bookkeeping that all of them need is done here, once: which model is best, by the mean over
/// its evaluations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Controller {
    kind: Kind,
    /// The models of the last ask, until they are told.
    asked: Vec<Dna>,
    evidence: Evidence<Dna>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Evolution(Evolution<Arc<Space>>),
    Asng(Asng),
    Nsga2(Nsga2),
    PolicyGradient(PolicyGradient),
    FactorizedPolicyGradient(FactorizedPolicyGradient),
    Sweep(Sweep),
}

impl Controller {
    /// The controller of `config` over `space`.
    pub fn new(config: ControllerConfig, space: Arc<Space>) -> Result<Self, ControllerError> {
        let kind = match config {
            ControllerConfig::Asng(config) => Kind::Asng(Asng::new(config, space)?),
            ControllerConfig::Nsga2(config) => Kind::Nsga2(Nsga2::new(config, space)?),
            ControllerConfig::PolicyGradient(config) => {
                Kind::PolicyGradient(PolicyGradient::new(config, space)?)
            }
            ControllerConfig::FactorizedPolicyGradient(config) => {
                Kind::FactorizedPolicyGradient(FactorizedPolicyGradient::new(config, space)?)
            }
            ControllerConfig::Sweep(config) => Kind::Sweep(Sweep::new(config, space)),
            config => Kind::Evolution(Evolution::new(config, space)?),
        };
        Ok(Self { kind, asked: Vec::new(), evidence: Evidence::default() })
    }

    /// The best model on the evidence: with the mean of its values and how many there were.
    ///
    /// Values are what the controller was told: constrained, where there is a constraint.
    pub fn best(&self) -> Option<(&Dna, f64, u64)> {
        self.evidence.best()
    }

    /// The likeliest model, where the controller is a distribution and, as a policy, has drawn: of
    /// policies by greedy decoding. Of sweeps the one they stand at.
    pub fn mode(&self) -> Option<Dna> {
        match &self.kind {
            Kind::Asng(it) => Some(it.mode()),
            Kind::PolicyGradient(it) => it.mode(),
            Kind::FactorizedPolicyGradient(it) => Some(it.mode()),
            Kind::Sweep(it) => it.mode(),
            Kind::Evolution(_) | Kind::Nsga2(_) => None,
        }
    }

    /// How often each candidate is selected, of distributions. Exact, as [`Marginals::is_exact`] says, or
    /// averaged over `n` models that are drawn for this and change nothing. None of a space that is too large.
    pub fn marginals(&self, n: usize, stream: &mut Stream) -> Option<Marginals> {
        match &self.kind {
            Kind::PolicyGradient(it) => it.marginals(n, stream),
            Kind::FactorizedPolicyGradient(it) => it.marginals(n, stream),
            Kind::Asng(it) => it.marginals(n, stream),
            Kind::Evolution(_) | Kind::Nsga2(_) | Kind::Sweep(_) => None,
        }
    }
}

impl Optimizer for Controller {
    type Point = Dna;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Dna> {
        let points = match &mut self.kind {
            Kind::Evolution(it) => it.ask(n, stream),
            Kind::Asng(it) => it.ask(n, stream),
            Kind::Nsga2(it) => it.ask(n, stream),
            Kind::PolicyGradient(it) => it.ask(n, stream),
            Kind::FactorizedPolicyGradient(it) => it.ask(n, stream),
            Kind::Sweep(it) => it.ask(n, stream),
        };
        self.asked.clone_from(&points);
        points
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        for (index, dna) in self.asked.drain(..).enumerate() {
            if let Some(value) = told(values, index) {
                self.evidence.record(&dna, value);
            }
        }
        match &mut self.kind {
            Kind::Evolution(it) => it.tell(values),
            Kind::Asng(it) => it.tell(values),
            Kind::Nsga2(it) => it.tell(values),
            Kind::PolicyGradient(it) => it.tell(values),
            Kind::FactorizedPolicyGradient(it) => it.tell(values),
            Kind::Sweep(it) => it.tell(values),
        }
    }

    fn mode(&self) -> Option<Dna> {
        Self::mode(self)
    }

    fn begins_with_mode(&self) -> bool {
        matches!(&self.kind, Kind::Sweep(it) if it.begins_with_mode())
    }

    fn recall(&mut self, dna: &Dna) {
        match &mut self.kind {
            Kind::Sweep(it) => it.recall(dna),
            Kind::Evolution(_) | Kind::Nsga2(_) => {}
            Kind::Asng(_) | Kind::PolicyGradient(_) | Kind::FactorizedPolicyGradient(_) => {}
        }
    }

    /// What was seen of every model is kept.
    fn restart(&mut self) {
        match &mut self.kind {
            Kind::Evolution(it) => it.restart(),
            Kind::Asng(it) => it.restart(),
            Kind::Nsga2(it) => it.restart(),
            Kind::PolicyGradient(it) => it.restart(),
            Kind::FactorizedPolicyGradient(it) => it.restart(),
            Kind::Sweep(it) => it.restart(),
        }
    }

    fn statistics(&self) -> Statistics {
        match &self.kind {
            Kind::Evolution(it) => it.statistics(),
            Kind::Asng(it) => it.statistics(),
            Kind::Nsga2(it) => it.statistics(),
            Kind::PolicyGradient(it) => it.statistics(),
            Kind::FactorizedPolicyGradient(it) => it.statistics(),
            Kind::Sweep(it) => it.statistics(),
        }
    }
}
