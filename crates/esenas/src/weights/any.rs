//! Any optimizer of θ, as one value: what a study names and a checkpoint holds.

use serde::{Deserialize, Serialize};

use super::{
    CmaEs, CmaEsConfig, Es, EsConfig, Growing, GrowingConfig, LineEs, LineEsConfig, LmMaEs,
    LmMaEsConfig, Restarts, RestartsConfig, SepCmaEs, SepCmaEsConfig, Snes, SnesConfig, StartError,
    Stop, Trail, WeightOptimizer,
};
use crate::{Bounds, Optimizer, Statistics, Stream, Theta};

/// Which optimizer of θ, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum WeightsConfig {
    /// [`Es`]
    Es(EsConfig),
    /// [`CmaEs`]
    CmaEs(CmaEsConfig),
    /// [`SepCmaEs`]
    SepCmaEs(SepCmaEsConfig),
    /// [`Snes`]
    Snes(SnesConfig),
    /// [`LmMaEs`]
    LmMaEs(LmMaEsConfig),
    /// [`Growing`]
    Growing(GrowingConfig),
    /// [`Restarts`]
    Restarts(RestartsConfig),
    /// [`LineEs`]
    LineEs(LineEsConfig),
}

impl Default for WeightsConfig {
    fn default() -> Self {
        Self::Es(EsConfig::default())
    }
}

impl WeightsConfig {
    /// Starts it at `theta`.
    pub fn build(self, theta: Vec<f64>, bounds: Option<Bounds>) -> Result<Weights, StartError> {
        Ok(match self {
            Self::Es(config) => Weights::Es(Es::new(config, theta, bounds)?),
            Self::CmaEs(config) => Weights::CmaEs(CmaEs::new(config, theta, bounds)?),
            Self::SepCmaEs(config) => Weights::SepCmaEs(SepCmaEs::new(config, theta, bounds)?),
            Self::Snes(config) => Weights::Snes(Snes::new(config, theta, bounds)?),
            Self::LmMaEs(config) => Weights::LmMaEs(LmMaEs::new(config, theta, bounds)?),
            Self::Growing(config) => Weights::Growing(Growing::new(config, theta, bounds)?),
            Self::Restarts(config) => Weights::Restarts(Restarts::new(config, theta, bounds)?),
            Self::LineEs(config) => Weights::LineEs(LineEs::new(config, theta, bounds)?),
        })
    }

    /// The same, asking for `n` points in an iteration; of those made of others, each of them.
    pub(crate) fn with_population(mut self, n: usize) -> Self {
        match &mut self {
            Self::Es(it) => it.directions = n.div_ceil(2) as u32,
            Self::CmaEs(it) => it.population = Some(n),
            Self::SepCmaEs(it) => it.population = Some(n),
            Self::Snes(it) => it.population = Some(n),
            Self::LmMaEs(it) => it.population = Some(n),
            Self::LineEs(it) => it.population = Some(n),
            Self::Growing(it) => it.weights.change(|it| it.with_population(n)),
            Self::Restarts(it) => it.weights.change(|it| it.with_population(n)),
        }
        self
    }

    /// How many points its first iteration asks for, where that is set.
    pub(crate) fn first_population(&self) -> Option<usize> {
        match self {
            Self::Es(it) => Some(2 * it.directions as usize),
            Self::CmaEs(it) => it.population,
            Self::SepCmaEs(it) => it.population,
            Self::Snes(it) => it.population,
            Self::LmMaEs(it) => it.population,
            Self::LineEs(it) => it.population,
            Self::Growing(it) => it.weights.get().first_population(),
            Self::Restarts(it) => it.weights.get().first_population(),
        }
    }

    /// The σ it begins with.
    pub(super) fn first_sigma(&self) -> f64 {
        match self {
            Self::Es(it) => it.sigma.at(0),
            Self::CmaEs(it) => it.sigma,
            Self::SepCmaEs(it) => it.sigma,
            Self::Snes(it) => it.sigma,
            Self::LmMaEs(it) => it.sigma,
            Self::LineEs(it) => it.sigma,
            Self::Growing(it) => it.weights.get().first_sigma(),
            Self::Restarts(it) => it.weights.get().first_sigma(),
        }
    }

    /// The same, beginning with this σ.
    pub(super) fn with_sigma(mut self, sigma: f64) -> Self {
        match &mut self {
            Self::Es(it) => it.sigma = sigma.into(),
            Self::CmaEs(it) => it.sigma = sigma,
            Self::SepCmaEs(it) => it.sigma = sigma,
            Self::Snes(it) => it.sigma = sigma,
            Self::LmMaEs(it) => it.sigma = sigma,
            Self::LineEs(it) => it.sigma = sigma,
            Self::Growing(it) => it.weights.change(|it| it.with_sigma(sigma)),
            Self::Restarts(it) => it.weights.change(|it| it.with_sigma(sigma)),
        }
        self
    }
}

/// The state of any optimizer of θ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a run")]
pub enum Weights {
    /// [`Es`]
    Es(Es),
    /// [`CmaEs`]
    CmaEs(CmaEs),
    /// [`SepCmaEs`]
    SepCmaEs(SepCmaEs),
    /// [`Snes`]
    Snes(Snes),
    /// [`LmMaEs`]
    LmMaEs(LmMaEs),
    /// [`Growing`]
    Growing(Growing),
    /// [`Restarts`]
    Restarts(Restarts),
    /// [`LineEs`]
    LineEs(LineEs),
}

/// The one match: `$body` with `$it` as whichever it is.
macro_rules! each {
    ($self:expr, $it:ident => $body:expr) => {
        match $self {
            Weights::Es($it) => $body,
            Weights::CmaEs($it) => $body,
            Weights::SepCmaEs($it) => $body,
            Weights::Snes($it) => $body,
            Weights::LmMaEs($it) => $body,
            Weights::Growing($it) => $body,
            Weights::Restarts($it) => $body,
            Weights::LineEs($it) => $body,
        }
    };
}

impl Weights {
    /// Why it would be time to stop, of those that know.
    pub fn stop(&self) -> Option<Stop> {
        match self {
            Self::CmaEs(it) => it.stop(),
            Self::Growing(it) => it.weights().stop(),
            Self::Es(_) | Self::SepCmaEs(_) | Self::Snes(_) => None,
            Self::LmMaEs(_) | Self::LineEs(_) => None,
            Self::Restarts(_) => None,
        }
    }

    /// σ as of now, of those that have one.
    pub fn sigma(&self) -> Option<f64> {
        match self {
            Self::Es(it) => Some(it.sigma()),
            Self::CmaEs(it) => Some(it.sigma()),
            Self::SepCmaEs(it) => Some(it.sigma()),
            Self::LmMaEs(it) => Some(it.sigma()),
            Self::LineEs(it) => Some(it.sigma()),
            Self::Growing(it) => it.weights().sigma(),
            Self::Restarts(it) => it.weights().sigma(),
            Self::Snes(_) => None,
        }
    }
}

impl Optimizer for Weights {
    type Point = Theta;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        each!(self, it => it.ask(n, stream))
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        each!(self, it => it.tell(values));
    }

    fn restart(&mut self) {
        each!(self, it => it.restart());
    }

    fn statistics(&self) -> Statistics {
        each!(self, it => it.statistics())
    }
}

impl WeightOptimizer for Weights {
    fn centre(&self) -> Theta {
        each!(self, it => it.centre())
    }

    fn population(&self) -> usize {
        each!(self, it => it.population())
    }

    fn antithetic(&self) -> bool {
        each!(self, it => it.antithetic())
    }

    fn restarts(&self) -> u32 {
        each!(self, it => it.restarts())
    }

    fn asked_centre(&self) -> Option<usize> {
        each!(self, it => it.asked_centre())
    }

    fn trail(&self) -> Trail {
        each!(self, it => it.trail())
    }
}
