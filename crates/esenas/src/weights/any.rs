//! Any optimizer of θ, as one value: what a study names and a checkpoint holds.
//!
//! The list at the end of this file is all that has to know of a new one.

use serde::{Deserialize, Serialize};

use super::stop::Stop;
use super::{
    CmaEs, CmaEsConfig, Es, EsConfig, Growing, GrowingConfig, LineEs, LineEsConfig, LmMaEs,
    LmMaEsConfig, Restarts, RestartsConfig, SepCmaEs, SepCmaEsConfig, Snes, SnesConfig,
    WeightOptimizer,
};
use crate::setting::SettingError;
use crate::{Bounds, Optimizer, Statistics, Stream, Theta, Used};

/// What those who hold settings of any kind ask of them, and change.
pub(super) trait Settings {
    /// How many points the first iteration asks for, where that is set.
    fn population(&self) -> Option<usize>;

    /// Asks for `n` points in an iteration.
    fn set_population(&mut self, n: usize);

    /// The σ it begins with.
    fn sigma(&self) -> f64;

    /// Begins with this σ.
    fn set_sigma(&mut self, sigma: f64);
}

/// [`Settings`] of those that have a `sigma` and may have a `population`.
macro_rules! plain_settings {
    ($($config:ty),+) => { $(
        impl Settings for $config {
            fn population(&self) -> Option<usize> {
                self.population
            }

            fn set_population(&mut self, n: usize) {
                self.population = Some(n);
            }

            fn sigma(&self) -> f64 {
                self.sigma
            }

            fn set_sigma(&mut self, sigma: f64) {
                self.sigma = sigma;
            }
        }
    )+ };
}

/// [`Settings`] of those that are made of others: those of what they hold.
macro_rules! settings_within {
    ($($config:ty),+) => { $(
        impl Settings for $config {
            fn population(&self) -> Option<usize> {
                self.weights.settings().population()
            }

            fn set_population(&mut self, n: usize) {
                self.weights.settings_mut().set_population(n);
            }

            fn sigma(&self) -> f64 {
                self.weights.settings().sigma()
            }

            fn set_sigma(&mut self, sigma: f64) {
                self.weights.settings_mut().set_sigma(sigma);
            }
        }
    )+ };
}

macro_rules! closed_set {
    ($($name:ident($config:ty)),+ $(,)?) => {
        /// Which optimizer of θ, with its settings.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum WeightsConfig {
            $(
                #[doc = concat!("[`", stringify!($name), "`]")]
                $name($config),
            )+
        }

        impl WeightsConfig {
            /// Starts it at `theta`.
            pub fn build(
                self,
                theta: Vec<f64>,
                bounds: Option<Bounds>,
            ) -> Result<Weights, SettingError> {
                Ok(match self {
                    $(Self::$name(it) => Weights::$name($name::new(it, theta, bounds)?),)+
                })
            }

            pub(super) fn settings(&self) -> &dyn Settings {
                match self {
                    $(Self::$name(it) => it,)+
                }
            }

            pub(super) fn settings_mut(&mut self) -> &mut dyn Settings {
                match self {
                    $(Self::$name(it) => it,)+
                }
            }
        }

        /// The state of any optimizer of θ.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[expect(clippy::large_enum_variant, reason = "there is one of it in a run")]
        pub enum Weights {
            $(
                #[doc = concat!("[`", stringify!($name), "`]")]
                $name($name),
            )+
        }

        impl Weights {
            fn any(&self) -> &dyn WeightOptimizer {
                match self {
                    $(Self::$name(it) => it,)+
                }
            }

            fn any_mut(&mut self) -> &mut dyn WeightOptimizer {
                match self {
                    $(Self::$name(it) => it,)+
                }
            }
        }
    };
}

impl Default for WeightsConfig {
    fn default() -> Self {
        Self::Es(EsConfig::default())
    }
}

impl WeightsConfig {
    /// The same, asking for `n` points in an iteration; of those made of others, each of them.
    pub(crate) fn with_population(mut self, n: usize) -> Self {
        self.settings_mut().set_population(n);
        self
    }

    /// The same, beginning with this σ.
    pub(super) fn with_sigma(mut self, sigma: f64) -> Self {
        self.settings_mut().set_sigma(sigma);
        self
    }

    /// How many points its first iteration asks for, where that is set.
    pub(crate) fn first_population(&self) -> Option<usize> {
        self.settings().population()
    }

    /// The σ it begins with.
    pub(super) fn first_sigma(&self) -> f64 {
        self.settings().sigma()
    }
}

impl Weights {
    /// Begins at `theta`, of what can: the first run of [`Restarts`].
    pub(crate) fn begin_at(&mut self, theta: Vec<f64>) {
        if let Self::Restarts(it) = self {
            it.begin_at(theta);
        }
    }
}

impl Optimizer for Weights {
    type Point = Theta;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        self.any_mut().ask(n, stream)
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        self.any_mut().tell(values);
    }

    fn learn(&mut self, point: &Theta, value: f64, leads: bool) {
        self.any_mut().learn(point, value, leads);
    }

    fn restart(&mut self) {
        self.any_mut().restart();
    }

    fn statistics(&self) -> Statistics {
        self.any().statistics()
    }
}

impl WeightOptimizer for Weights {
    fn centre(&self) -> Theta {
        self.any().centre()
    }

    fn population(&self) -> usize {
        self.any().population()
    }

    fn used(&mut self, used: Used) {
        self.any_mut().used(used);
    }

    fn antithetic(&self) -> bool {
        self.any().antithetic()
    }

    fn restarts(&self) -> u32 {
        self.any().restarts()
    }

    fn stop(&self) -> Option<Stop> {
        self.any().stop()
    }
}

impl Settings for EsConfig {
    fn population(&self) -> Option<usize> {
        Some(2 * self.directions as usize)
    }

    fn set_population(&mut self, n: usize) {
        self.directions = n.div_ceil(2) as u32;
    }

    fn sigma(&self) -> f64 {
        self.sigma.at(0)
    }

    fn set_sigma(&mut self, sigma: f64) {
        self.sigma = sigma.into();
    }
}

plain_settings!(CmaEsConfig, SepCmaEsConfig, SnesConfig, LmMaEsConfig, LineEsConfig);
settings_within!(GrowingConfig, RestartsConfig);

closed_set! {
    Es(EsConfig),
    CmaEs(CmaEsConfig),
    SepCmaEs(SepCmaEsConfig),
    Snes(SnesConfig),
    LmMaEs(LmMaEsConfig),
    Growing(GrowingConfig),
    Restarts(RestartsConfig),
    LineEs(LineEsConfig),
}
