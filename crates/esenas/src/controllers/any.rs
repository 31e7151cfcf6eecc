//! Any controller, as one value: what a study names and a checkpoint holds.
//!
//! The list at the end of this file is all that has to know of a new one.

use std::mem::discriminant;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    Asng, AsngConfig, Evidence, FactorizedPolicyGradient, FactorizedPolicyGradientConfig,
    HillClimb, HillClimbConfig, LocalSearch, LocalSearchConfig, Marginals, Neat, NeatConfig, Nsga2,
    Nsga2Config, OnePlusOne, OnePlusOneConfig, PolicyGradient, PolicyGradientConfig, Pyramid,
    PyramidConfig, Random, RandomConfig, RegularizedEvolution, RegularizedEvolutionConfig, Sweep,
    SweepConfig,
};
use crate::optimizer::told;
use crate::setting::SettingError;
use crate::{Dna, ModelOptimizer, Optimizer, Space, Statistics, Stream, Variation};

macro_rules! closed_set {
    (
        evolution { $($evolution:ident($of_evolution:ty) = $evolve:expr),+ $(,)? }
        models { $($other:ident($of_other:ty) = $begin:expr),+ $(,)? }
    ) => {
        /// Which controller, with its settings.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum ControllerConfig {
            $(
                #[doc = concat!("[`", stringify!($evolution), "`]")]
                $evolution($of_evolution),
            )+
            $(
                #[doc = concat!("[`", stringify!($other), "`]")]
                $other($of_other),
            )+
        }

        const EVOLUTION: &[&str] = &[$(stringify!($evolution)),+];

        /// The state of any evolutionary algorithm, over models or over models with weights.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(bound = "")]
        pub enum Evolution<V: Variation> {
            $(
                #[doc = concat!("[`", stringify!($evolution), "`]")]
                $evolution($evolution<V>),
            )+
        }

        impl<V: Variation> Evolution<V> {
            /// The algorithm of `config` over the genomes of `variation`.
            pub fn new(config: ControllerConfig, variation: V) -> Result<Self, SettingError> {
                Ok(match config {
                    $(ControllerConfig::$evolution(it) => Self::$evolution(($evolve)(it, variation)?),)+
                    $(ControllerConfig::$other(_) => {
                        return Err(not_evolution(stringify!($other)));
                    })+
                })
            }

            fn any(&self) -> &dyn Optimizer<Point = V::Genome> {
                match self {
                    $(Self::$evolution(it) => it,)+
                }
            }

            fn any_mut(&mut self) -> &mut dyn Optimizer<Point = V::Genome> {
                match self {
                    $(Self::$evolution(it) => it,)+
                }
            }
        }

        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        enum Kind {
            Evolution(Evolution<Arc<Space>>),
            $($other($other),)+
        }

        impl Kind {
            fn new(config: ControllerConfig, space: Arc<Space>) -> Result<Self, SettingError> {
                Ok(match config {
                    $(ControllerConfig::$other(it) => Self::$other(($begin)(it, space)?),)+
                    config => Self::Evolution(Evolution::new(config, space)?),
                })
            }

            fn any(&self) -> &dyn ModelOptimizer {
                match self {
                    Self::Evolution(it) => it,
                    $(Self::$other(it) => it,)+
                }
            }

            fn any_mut(&mut self) -> &mut dyn ModelOptimizer {
                match self {
                    Self::Evolution(it) => it,
                    $(Self::$other(it) => it,)+
                }
            }
        }

        $(impl ModelOptimizer for $evolution<Arc<Space>> {})+
    };
}

impl Default for ControllerConfig {
    fn default() -> Self {
        Self::RegularizedEvolution(RegularizedEvolutionConfig::default())
    }
}

/// One that accepts all of its settings.
fn accepted_all<T>(optimizer: T) -> Result<T, SettingError> {
    Ok(optimizer)
}

fn not_evolution(name: &str) -> SettingError {
    let accepted: Vec<String> = EVOLUTION.iter().map(|name| kebab(name)).collect();
    let accepted = accepted.join(", ");
    let what = format!("be one of {accepted} for a search over models and weights together");
    SettingError::must("kind", &what, kebab(name))
}

/// The name of a variant as serde writes it.
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}

impl<V: Variation> Optimizer for Evolution<V> {
    type Point = V::Genome;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<V::Genome> {
        self.any_mut().ask(n, stream)
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        self.any_mut().tell(values);
    }

    fn learn(&mut self, point: &V::Genome, value: f64, leads: bool) {
        self.any_mut().learn(point, value, leads);
    }

    fn restart(&mut self) {
        self.any_mut().restart();
    }

    fn statistics(&self) -> Statistics {
        self.any().statistics()
    }
}

impl ModelOptimizer for Evolution<Arc<Space>> {}

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

impl Controller {
    /// The controller of `config` over `space`.
    pub fn new(config: ControllerConfig, space: Arc<Space>) -> Result<Self, SettingError> {
        let kind = Kind::new(config, space)?;
        Ok(Self { kind, asked: Vec::new(), evidence: Evidence::default() })
    }

    /// Becomes `other`, if that is of the same kind.
    pub(crate) fn take_over(&mut self, other: Self) -> bool {
        let same = match (&self.kind, &other.kind) {
            (Kind::Evolution(own), Kind::Evolution(other)) => {
                discriminant(own) == discriminant(other)
            }
            (own, other) => discriminant(own) == discriminant(other),
        };
        if same {
            *self = Self { asked: Vec::new(), ..other };
        }
        same
    }

    /// The best model on the evidence: with the mean of its values and how many there were.
    ///
    /// Values are what the controller was told: constrained, where there is a constraint.
    pub fn best(&self) -> Option<(&Dna, f64, u64)> {
        self.evidence.best()
    }

    /// Makes `dna` likely, of what is a distribution.
    pub(crate) fn lean(&mut self, dna: &Dna) {
        if let Kind::Asng(it) = &mut self.kind {
            it.lean(dna);
        }
    }

    /// Takes over what another has seen of every model.
    pub(crate) fn remember(&mut self, evidence: Evidence<Dna>) {
        self.evidence = evidence;
    }
}

impl Optimizer for Controller {
    type Point = Dna;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Dna> {
        let points = self.kind.any_mut().ask(n, stream);
        self.asked.clone_from(&points);
        points
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        for (index, dna) in self.asked.drain(..).enumerate() {
            if let Some(value) = told(values, index) {
                self.evidence.record(&dna, value);
            }
        }
        self.kind.any_mut().tell(values);
    }

    fn learn(&mut self, point: &Dna, value: f64, leads: bool) {
        self.evidence.record(point, value);
        self.kind.any_mut().learn(point, value, leads);
    }

    /// What was seen of every model is kept.
    fn restart(&mut self) {
        self.kind.any_mut().restart();
    }

    fn statistics(&self) -> Statistics {
        self.kind.any().statistics()
    }
}

impl ModelOptimizer for Controller {
    fn likeliest(&self) -> Option<Dna> {
        self.kind.any().likeliest()
    }

    fn marginals(&self, n: usize, stream: &mut Stream) -> Option<Marginals> {
        self.kind.any().marginals(n, stream)
    }
}

closed_set! {
    evolution {
        Random(RandomConfig) = |_, over| accepted_all(Random::new(over)),
        RegularizedEvolution(RegularizedEvolutionConfig) = RegularizedEvolution::new,
        HillClimb(HillClimbConfig) = |it, over| accepted_all(HillClimb::new(it, over)),
        Neat(NeatConfig) = Neat::new,
    }
    models {
        Asng(AsngConfig) = Asng::new,
        Nsga2(Nsga2Config) = Nsga2::new,
        PolicyGradient(PolicyGradientConfig) = PolicyGradient::new,
        FactorizedPolicyGradient(FactorizedPolicyGradientConfig) = FactorizedPolicyGradient::new,
        OnePlusOne(OnePlusOneConfig) = |it, over| accepted_all(OnePlusOne::new(it, over)),
        LocalSearch(LocalSearchConfig) = |it, over| accepted_all(LocalSearch::new(it, over)),
        Pyramid(PyramidConfig) = Pyramid::new,
        Sweep(SweepConfig) = |it, over| accepted_all(Sweep::new(it, over)),
    }
}
