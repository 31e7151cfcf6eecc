//! ES-ENAS, Algorithm 1: the product of a weight optimizer and a controller.
//!
//! ```text
//! sample g₁ … gₙ ~ N(0, I)                                     weights.ask
//! for each gᵢ: sample mᵢ⁺, mᵢ⁻ ~ p_φ                            controller.ask
//!     vᵢ⁺ ← f(mᵢ⁺, θ + σgᵢ),  vᵢ⁻ ← f(mᵢ⁻, θ − σgᵢ)             the caller
//! θ ← θ + η_w (1/σn) Σᵢ ½(vᵢ⁺ − vᵢ⁻) gᵢ                         weights.tell
//! update p_φ with all (m, v)                                   controller.tell
//! ```
//!
//! Nothing in it asks what the two halves are: any optimizer of θ times any optimizer of m. A few
//! points of each iteration may be centre evaluations, at θ itself with fresh models: they report
//! how good the centre is (Appendix A.2.2: "8 used for evaluation") and teach the controller, but
//! not θ.
//!
//! Where both halves hold a distribution (the family of CMA-ES,
//! [`Asng`](crate::controllers::Asng)) and learn from ranks, the product is one natural gradient:
//! the Fisher information of a Gaussian times categoricals has no entries between the two, so that
//! each half's own step *is* its part of the joint one, as long as the ranks are those of the whole
//! batch. They are: both are told the same values. (CatCMA, Hamano et al. 2024, rests on the same.)
//! When θ begins anew ([`WeightOptimizer::restarts`]), so does the controller.
//!
//! One option changes what θ is told, and is off by default: a [`Baseline`].

mod baseline;
mod config;
mod selections;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::controllers::{Controller, Evidence};
use crate::layout::Activity;
use crate::optimizer::{Statistics, told};
use crate::setting::SettingError;
use crate::shaping::Sight;
use crate::weights::Weights;
use crate::{Dna, ModelOptimizer, Optimizer, Space, Stream, Theta, Used, WeightOptimizer};
use baseline::Effects;

pub use baseline::Baseline;
pub use config::{CentreModels, JointConfig, Pairing};

/// One point of (𝓜, ℝᵈ) to evaluate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// m
    pub dna: Dna,
    /// θ, or a perturbation of it.
    pub theta: Theta,
    /// What it is evaluated for.
    pub role: Role,
}

/// What a candidate is evaluated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// To learn which way θ should move.
    Probe,
    /// To see how good θ is.
    Centre,
    /// Because somebody gave it.
    Given,
}

/// Optimizes over (𝓜, ℝᵈ) by optimizing over 𝓜 and over ℝᵈ, on shared evaluations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EsEnas<W, C> {
    config: JointConfig,
    /// The view of `config`, of this space.
    sight: Sight,
    /// Updates θ.
    weights: W,
    /// Updates φ.
    controller: C,
    /// What values owe to their models, where that is subtracted.
    effects: Option<Effects>,
    asked: Option<Asked>,
    #[serde(skip)]
    activity: Activity,
}

/// What `tell` must know of the last `ask`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Asked {
    /// How many of the points were probes; the others were centre evaluations.
    probes: usize,
    /// How many of the models were the probes'; the others were the centre's.
    drawn: usize,
    /// What each model costs, if the controller will see its value.
    costs: Vec<Option<f64>>,
    /// Which coordinates the probes' models use, if that depends on them.
    used: Option<Used>,
}

impl<W: WeightOptimizer, C: ModelOptimizer> EsEnas<W, C> {
    /// Joins `weights` and `controller`, which proposes models of `space`.
    pub fn new(
        mut config: JointConfig,
        space: Arc<Space>,
        weights: W,
        controller: C,
    ) -> Result<Self, SettingError> {
        if config.pairing == Pairing::Shared && !weights.antithetic() {
            let what = "must be \"independent\" with these weights: their points come in no pairs";
            return Err(SettingError::new("pairing", what));
        }
        let sight = Sight::new(std::mem::take(&mut config.view), space)?;
        let effects = (config.baseline == Baseline::Additive).then(Effects::default);
        let (asked, activity) = (None, Activity::default());
        Ok(Self { config, sight, weights, controller, effects, asked, activity })
    }

    /// The half that updates θ.
    pub fn weights(&self) -> &W {
        &self.weights
    }

    /// The half that updates φ.
    pub fn controller(&self) -> &C {
        &self.controller
    }

    /// How many points an iteration asks for: the weights' population and the centre evaluations.
    pub fn population(&self) -> usize {
        self.weights.population() + self.config.centre as usize
    }

    /// Forgets what was learned around a θ that is given up.
    fn forget(&mut self) {
        self.controller.restart();
        if let Some(effects) = &mut self.effects {
            *effects = Effects::default();
        }
    }

    /// How many probes have the same model.
    fn sharing(&self) -> usize {
        match self.config.pairing {
            Pairing::Independent => 1,
            Pairing::Shared => 2,
        }
    }

    /// The value of a model: of one that two probes share, the mean of theirs.
    fn value(&self, asked: &Asked, values: &[Option<f64>], model: usize) -> Option<f64> {
        if model >= asked.drawn {
            let value = told(values, asked.probes + model - asked.drawn);
            return value.filter(|_| self.config.centre_teaches);
        }
        if self.config.pairing == Pairing::Independent {
            return told(values, model);
        }
        let half = |i| (i < asked.probes).then(|| told(values, i)).flatten();
        match (half(2 * model), half(2 * model + 1)) {
            (Some(plus), Some(minus)) => Some(0.5 * plus + 0.5 * minus),
            (plus, minus) => plus.or(minus),
        }
    }
}

impl<W> EsEnas<W, Controller> {
    /// Goes on with the controller of another, if it is of the same kind.
    pub(crate) fn take_over(&mut self, other: Self) -> bool {
        self.controller.take_over(other.controller)
    }
}

impl EsEnas<Weights, Controller> {
    /// Begins at the θ and the model that another search has `found`, with what it saw of every
    /// model.
    pub(crate) fn begin_at(&mut self, found: Option<(&[f64], &Dna)>, evidence: Evidence<Dna>) {
        if let Some((theta, dna)) = found {
            self.weights.begin_at(theta.to_vec());
            self.controller.lean(dna);
        }
        self.controller.remember(evidence);
    }
}

impl<W: WeightOptimizer, C: ModelOptimizer> Optimizer for EsEnas<W, C> {
    type Point = Candidate;

    /// Probes first, then the centre evaluations: as many as configured, but of fewer than two
    /// points none.
    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Candidate> {
        let centres = (self.config.centre as usize).min(n.saturating_sub(2));
        let probes = n - centres;
        let begun = self.weights.restarts();
        let mut thetas = self.weights.ask(probes, stream);
        if self.weights.restarts() != begun {
            self.forget();
        }
        let sharing = self.sharing();
        let drawn = probes.div_ceil(sharing);
        let mut models = self.controller.ask(drawn + centres, stream);
        let mut costs = self.sight.costs(&models, stream);
        if centres > 0 {
            thetas.resize(n, self.weights.centre());
            // What the search would answer now is shown to those who watch, and teaches nobody.
            if self.config.centre_models == CentreModels::Mode
                && let Some(likeliest) = self.controller.likeliest()
            {
                (models[drawn], costs[drawn]) = (likeliest, None);
            }
        }
        let model = |i| if i < probes { i / sharing } else { drawn + i - probes };
        if let Some(effects) = &mut self.effects {
            effects
                .ask(self.sight.space(), (0..probes).map(|i| models[model(i)].clone()).collect());
        }
        let of_probes = (0..probes).map(|i| &models[model(i)]);
        let dim = thetas.first().map_or(0, Theta::dim);
        let used = self.activity.of(self.sight.space(), dim, of_probes);
        self.asked = Some(Asked { probes, drawn, costs, used });
        let candidate = |(i, theta)| {
            let role = if i < probes { Role::Probe } else { Role::Centre };
            Candidate { dna: models[model(i)].clone(), theta, role }
        };
        thetas.into_iter().enumerate().map(candidate).collect()
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        let Some(mut asked) = self.asked.take() else { return };
        if let Some(used) = asked.used.take() {
            self.weights.used(used);
        }
        let probes = &values[..asked.probes.min(values.len())];
        match &mut self.effects {
            None => self.weights.tell(probes),
            Some(effects) => self.weights.tell(&effects.subtract(self.sight.space(), probes)),
        }
        let seen = |(model, cost): (usize, &Option<f64>)| {
            Some(self.sight.value(self.value(&asked, values, model)?, (*cost)?))
        };
        let views: Vec<_> = asked.costs.iter().enumerate().map(seen).collect();
        self.controller.tell(&views);
    }

    fn learn(&mut self, point: &Candidate, value: f64, leads: bool) {
        self.weights.learn(&point.theta, value, leads);
        let seen = self.sight.value(value, self.sight.cost(&point.dna));
        self.controller.learn(&point.dna, seen, leads);
    }

    fn restart(&mut self) {
        self.weights.restart();
        self.forget();
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = self.weights.statistics();
        statistics.extend(self.controller.statistics());
        statistics
    }
}
