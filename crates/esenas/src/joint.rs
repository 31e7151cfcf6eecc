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
//! points of each iteration may be centre evaluations, at θ itself with fresh models: they
//! report how good the centre is (Appendix A.2.2: "8 used for evaluation") and teach the controller,
//! but not θ.
//!
//! Where both halves hold a distribution (the family of CMA-ES, [`Asng`](crate::controllers::Asng)) and learn
//! from ranks, the product is one natural gradient: the Fisher information of a Gaussian times
//! categoricals has no entries between the two, so that each half's own step *is* its part of the joint
//! one, as long as the ranks are those of the whole batch. They are: both are told the same values. (CatCMA,
//! Hamano et al. 2024, rests on the same.) When θ begins anew ([`WeightOptimizer::restarts`]), so does
//! the controller.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::optimizer::{Statistics, told};
use crate::shaping::{View, ViewError};
use crate::space::{CostError, Price};
use crate::{Dna, Optimizer, Space, Stream, Theta, WeightOptimizer};

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
}

/// Which models the two halves of an antithetic pair get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// m⁺ and m⁻, drawn independently (Algorithm 1).
    #[default]
    Independent,
    /// One m for both, so that their difference is due to θ alone. The controller, asked once,
    /// is told the mean of the two.
    Shared,
}

/// Which models are evaluated at θ itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CentreModels {
    /// Fresh draws, like those of the probes.
    #[default]
    Drawn,
    /// The first gets the controller's likeliest model, if it has one, and teaches nobody: it is
    /// better than a probe by what the noise costs, and says what the search would answer now.
    Mode,
}

/// How the halves are joined; the defaults are the paper's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JointConfig {
    /// Models of a pair.
    pub pairing: Pairing,
    /// Centre evaluations in each iteration, beside the probes.
    pub centre: u32,
    /// Their models.
    pub centre_models: CentreModels,
    /// Whether centre evaluations teach the controller.
    pub centre_teaches: bool,
    /// What the controller is shown.
    pub view: View,
}

impl Default for JointConfig {
    fn default() -> Self {
        Self {
            pairing: Pairing::default(),
            centre: 8,
            centre_models: CentreModels::default(),
            centre_teaches: true,
            view: View::default(),
        }
    }
}

/// Why [`EsEnas::new`] refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum JointError {
    /// Only antithetic probes come in pairs.
    #[error("pairing must be \"independent\" with these weights: their points come in no pairs")]
    Pairing,
    /// The controller's view.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The cost within it.
    #[error("constraint.cost: {0}")]
    Cost(#[from] CostError),
}

/// Optimizes over (𝓜, ℝᵈ) by optimizing over 𝓜 and over ℝᵈ, on shared evaluations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EsEnas<W, C> {
    config: JointConfig,
    space: Arc<Space>,
    /// What a model costs, where that counts.
    price: Option<Price>,
    /// Updates θ.
    weights: W,
    /// Updates φ.
    controller: C,
    asked: Option<Asked>,
}

/// What `tell` must know of the last `ask`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Asked {
    /// How many of the points were probes; the others were centre evaluations.
    probes: usize,
    centres: usize,
    /// Which models' values the controller will be shown: not that of one it was not asked for.
    shown: Vec<bool>,
    /// What each model costs; empty where that does not count.
    costs: Vec<f64>,
}

impl<W: WeightOptimizer, C: Optimizer<Point = Dna>> EsEnas<W, C> {
    /// Joins `weights` and `controller`, which proposes models of `space`.
    pub fn new(
        config: JointConfig,
        space: Arc<Space>,
        weights: W,
        controller: C,
    ) -> Result<Self, JointError> {
        if config.pairing == Pairing::Shared && !weights.antithetic() {
            return Err(JointError::Pairing);
        }
        config.view.check()?;
        let price = config.view.constraint.as_ref().map(|c| c.cost.price(&space)).transpose()?;
        Ok(Self { config, space, price, weights, controller, asked: None })
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

    /// How many models the probes need: one each, or one a pair.
    fn models(&self, probes: usize) -> usize {
        match self.config.pairing {
            Pairing::Independent => probes,
            Pairing::Shared => probes.div_ceil(2),
        }
    }

    /// The value of `model` as the controller is shown it.
    fn view(&self, asked: &Asked, values: &[Option<f64>], model: usize) -> Option<f64> {
        let of_probes = self.models(asked.probes);
        let value = if model >= of_probes {
            let centre = told(values, asked.probes + model - of_probes);
            centre.filter(|_| self.config.centre_teaches)
        } else if self.config.pairing == Pairing::Shared {
            let half = |i| (i < asked.probes).then(|| told(values, i)).flatten();
            match (half(2 * model), half(2 * model + 1)) {
                (Some(plus), Some(minus)) => Some(0.5 * plus + 0.5 * minus),
                (plus, minus) => plus.or(minus),
            }
        } else {
            told(values, model)
        };
        let value = value.filter(|_| asked.shown[model]);
        match &self.config.view.constraint {
            Some(constraint) => value.map(|v| constraint.apply(v, asked.costs[model])),
            None => value,
        }
    }
}

impl<W: WeightOptimizer, C: Optimizer<Point = Dna>> Optimizer for EsEnas<W, C> {
    type Point = Candidate;

    /// Probes first, then the centre evaluations: as many as configured, but of fewer than two
    /// points none.
    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Candidate> {
        let centres = (self.config.centre as usize).min(n.saturating_sub(2));
        let probes = n - centres;
        let before = self.weights.restarts();
        let thetas = self.weights.ask(probes, stream);
        if self.weights.restarts() != before {
            self.controller.restart();
        }
        let mut models = self.controller.ask(self.models(probes) + centres, stream);
        let mut shown = self.config.view.shown(models.len(), stream);
        if centres > 0
            && self.config.centre_models == CentreModels::Mode
            && let Some(mode) = self.controller.mode()
        {
            let at = self.models(probes);
            (models[at], shown[at]) = (mode, false);
        }
        let cost = |price: &Price| models.iter().map(|m| price.of(&self.space, m)).collect();
        self.asked = Some(Asked {
            probes,
            centres,
            shown,
            costs: self.price.as_ref().map(cost).unwrap_or_default(),
        });
        let (of_probes, of_centres) = models.split_at(self.models(probes));
        let share = if self.config.pairing == Pairing::Shared { 2 } else { 1 };
        let probe = |(i, theta): (usize, Theta)| Candidate {
            dna: of_probes[i / share].clone(),
            theta,
            role: Role::Probe,
        };
        let theta = (centres > 0).then(|| self.weights.centre());
        let centre = |dna: &Dna| {
            Some(Candidate { dna: dna.clone(), theta: theta.clone()?, role: Role::Centre })
        };
        thetas
            .into_iter()
            .enumerate()
            .map(probe)
            .chain(of_centres.iter().filter_map(centre))
            .collect()
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        let Some(asked) = self.asked.take() else { return };
        self.weights.tell(&values[..asked.probes.min(values.len())]);
        let models = self.models(asked.probes) + asked.centres;
        let views: Vec<_> = (0..models).map(|model| self.view(&asked, values, model)).collect();
        self.controller.tell(&views);
    }

    fn restart(&mut self) {
        self.weights.restart();
        self.controller.restart();
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = self.weights.statistics();
        statistics.extend(self.controller.statistics());
        statistics
    }
}
