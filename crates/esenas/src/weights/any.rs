//! Any optimizer of θ, as one value: what a study names and a checkpoint holds.

use serde::{Deserialize, Serialize};

use super::{
    CmaEs, CmaEsConfig, Es, EsConfig, LmMaEs, LmMaEsConfig, SepCmaEs, SepCmaEsConfig, Snes,
    SnesConfig, StartError, WeightOptimizer,
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
        })
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
        }
    };
}

impl Optimizer for Weights {
    type Point = Theta;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        each!(self, it => it.ask(n, stream))
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        each!(self, it => it.tell(values));
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
}
