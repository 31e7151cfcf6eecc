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
//!
//! Three options change what the halves are told, each alone and all off by default: a
//! [`Baseline`] for θ, [`CentreModels::Incumbent`] for whoever names the best model, and offsets of θ that
//! models own ([`OffsetsConfig`]).

mod baseline;
mod config;
mod offsets;
mod selections;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::layout::Activity;
use crate::optimizer::{Statistics, told};
use crate::space::Price;
use crate::weights::Trail;
use crate::{Dna, Optimizer, Space, Stream, Theta, Used, WeightOptimizer};
use baseline::Effects;
use offsets::Offsets;

pub use baseline::Baseline;
pub use config::{CentreModels, JointConfig, JointError, Pairing};
pub use offsets::{MAX_OFFSETS, OffsetsConfig};

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
    /// What values owe to their models, where that is subtracted.
    effects: Option<Effects>,
    offsets: Option<Offsets>,
    /// The model with which the weights found the best of their points, where all of them have one.
    found: Option<Dna>,
    asked: Option<Asked>,
    #[serde(skip)]
    activity: Activity,
}

/// What `tell` must know of the last `ask`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Asked {
    /// How many of the points were probes; the others were centre evaluations.
    probes: usize,
    /// Which models' values the controller will be shown: not that of one it was not asked for.
    shown: Vec<bool>,
    /// What each model costs; empty where that does not count.
    costs: Vec<f64>,
    /// The model that leads so far, if the first centre evaluation is of it.
    incumbent: Option<Dna>,
    /// The model that all probes have, if they do,
    held: Option<Dna>,
    /// and the one of them at the centre, if that is the first model's evaluation too.
    twin: Option<usize>,
    /// The probes' models, if something is learned of them beside the controller,
    models: Vec<Dna>,
    /// which coordinates they use, if that depends on them,
    used: Option<Used>,
    /// what their values are expected to owe to them,
    predicted: Vec<f64>,
    /// and the probes without their models' offsets, after the centre, if there are any.
    thetas: Vec<Theta>,
}

impl<W: WeightOptimizer, C: Optimizer<Point = Dna>> EsEnas<W, C> {
    /// Joins `weights` and `controller`, which proposes models of `space`.
    pub fn new(
        config: JointConfig,
        space: Arc<Space>,
        weights: W,
        controller: C,
    ) -> Result<Self, JointError> {
        config.check_pairing(weights.antithetic())?;
        config.view.check()?;
        let price = config.view.constraint.as_ref().map(|c| c.cost.price(&space)).transpose()?;
        if let Some(OffsetsConfig { rate }) = config.offsets {
            if !(0.0 < rate && rate <= 1.0) {
                return Err(JointError::Rate(rate));
            }
            let candidates: u64 = space.arities().into_iter().map(u64::from).sum();
            let numbers = candidates.saturating_mul(weights.centre().dim() as u64);
            if numbers > MAX_OFFSETS {
                return Err(JointError::Offsets(numbers));
            }
        }
        let effects = (config.baseline == Baseline::Additive).then(Effects::default);
        let offsets = config.offsets.map(Offsets::new);
        let (found, asked, activity) = (None, None, Activity::default());
        Ok(Self {
            config,
            space,
            price,
            weights,
            controller,
            effects,
            offsets,
            found,
            asked,
            activity,
        })
    }

    /// Goes on with other halves, joined as `pairing` and `centre` say; what was learned beside the halves stays.
    pub(crate) fn continued(
        self,
        weights: W,
        controller: C,
        pairing: Pairing,
        centre: u32,
    ) -> Result<Self, JointError> {
        let config = JointConfig {
            pairing,
            centre,
            centre_models: CentreModels::Drawn,
            centre_teaches: true,
            ..self.config
        };
        config.check_pairing(weights.antithetic())?;
        Ok(Self { config, weights, controller, found: None, asked: None, ..self })
    }

    /// 𝓜
    pub(crate) fn space(&self) -> &Arc<Space> {
        &self.space
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
        self.found = None;
        self.effects.iter_mut().for_each(|it| *it = Effects::default());
        self.offsets.iter_mut().for_each(Offsets::restart);
    }

    /// The probes' values as the weights are told them. Where one model is held, its cost counts as it does for the controller: the
    /// weights compare values across models then, and would go back to one that is too dear.
    fn judged<'a>(&self, asked: &Asked, probes: &'a [Option<f64>]) -> Cow<'a, [Option<f64>]> {
        match (&self.config.view.constraint, &self.price, &asked.held) {
            (Some(constraint), Some(price), Some(held)) => {
                let cost = price.of(&self.space, held);
                probes.iter().map(|v| v.map(|v| constraint.apply(v, cost))).collect()
            }
            _ => probes.into(),
        }
    }

    /// Keeps the model of the weights' best point, and goes back to it with them.
    fn follow(&mut self, before: Trail, held: Option<Dna>) {
        let now = self.weights.trail();
        match now.bests.cmp(&before.bests) {
            Ordering::Greater => self.found = held,
            Ordering::Equal => {}
            // Others have taken over.
            Ordering::Less => self.found = None,
        }
        if let Some(found) = &self.found
            && now.returns > before.returns
        {
            self.controller.recall(found);
        }
    }

    /// How many models of their own the probes need: one each, one a pair, or none.
    fn models(&self, probes: usize) -> usize {
        match self.config.pairing {
            Pairing::Independent => probes,
            Pairing::Shared => probes.div_ceil(2),
            Pairing::Held => 0,
        }
    }

    /// The model of each probe, `drawn` being those of their own.
    fn of_probes(&self, probes: usize, drawn: &[Dna], stream: &mut Stream) -> Vec<Dna> {
        match self.config.pairing {
            Pairing::Independent => drawn.to_vec(),
            Pairing::Shared => (0..probes).map(|i| drawn[i / 2].clone()).collect(),
            Pairing::Held => {
                let known = self.controller.mode().or_else(|| self.controller.contender());
                vec![known.unwrap_or_else(|| self.space.sample(stream)); probes]
            }
        }
    }

    /// θ as `model` is evaluated with it: with the offsets it owns.
    pub fn centre(&self, model: &Dna) -> Theta {
        self.owned(model, self.weights.centre())
    }

    fn owned(&self, model: &Dna, theta: Theta) -> Theta {
        match &self.offsets {
            Some(offsets) => offsets.at(&self.space, model, &theta),
            None => theta,
        }
    }

    /// The model that takes the place of the first one drawn for the centre.
    fn guest(&self, centres: usize) -> Option<Dna> {
        match self.config.centre_models {
            _ if centres == 0 => None,
            CentreModels::Drawn => None,
            CentreModels::Mode => self.controller.mode(),
            CentreModels::Incumbent => self.controller.contender(),
        }
    }

    /// The value of `model` as the controller is shown it, if it is.
    fn view(&self, asked: &Asked, values: &[Option<f64>], model: usize) -> Option<f64> {
        let centre = model >= self.models(asked.probes);
        let teaches = self.config.centre_teaches || self.config.pairing == Pairing::Held;
        let taught = asked.shown[model] && (teaches || !centre);
        self.value(asked, values, model).filter(|_| taught)
    }

    /// The value of `model`, its cost counted.
    fn value(&self, asked: &Asked, values: &[Option<f64>], model: usize) -> Option<f64> {
        let of_probes = self.models(asked.probes);
        let value = if let (0, Some(twin)) = (model, asked.twin) {
            told(values, twin)
        } else if model >= of_probes {
            told(values, asked.probes + model - of_probes - usize::from(asked.twin.is_some()))
        } else if self.config.pairing == Pairing::Shared {
            let half = |i| (i < asked.probes).then(|| told(values, i)).flatten();
            match (half(2 * model), half(2 * model + 1)) {
                (Some(plus), Some(minus)) => Some(0.5 * plus + 0.5 * minus),
                (plus, minus) => plus.or(minus),
            }
        } else {
            told(values, model)
        };
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
            self.forget();
        }
        // The held model, with which the controller begins, may be evaluated at the centre already.
        let held = self.config.pairing == Pairing::Held && centres > 0;
        let begins = held && self.controller.begins_with_mode();
        let twin = self.weights.asked_centre().filter(|_| begins);
        let shared = usize::from(twin.is_some());
        let mut models = self.controller.ask(self.models(probes) + shared + centres, stream);
        let mut shown = self.config.view.shown(models.len(), stream);
        let guest = self.guest(centres);
        if let Some(guest) = &guest {
            let at = self.models(probes);
            (models[at], shown[at]) = (guest.clone(), false);
        }
        let cost = |price: &Price| models.iter().map(|m| price.of(&self.space, m)).collect();
        let mut asked = Asked {
            probes,
            shown,
            costs: self.price.as_ref().map(cost).unwrap_or_default(),
            incumbent: guest.filter(|_| self.config.centre_models == CentreModels::Incumbent),
            held: None,
            twin,
            models: vec![],
            used: None,
            predicted: vec![],
            thetas: vec![],
        };
        let (drawn, of_centres) = models.split_at(self.models(probes));
        let of_probes = self.of_probes(probes, drawn, stream);
        if self.config.pairing == Pairing::Held {
            asked.held = of_probes.first().cloned();
        }
        debug_assert!(twin.is_none() || asked.held.as_ref() == of_centres.first());
        if let Some(theta) = thetas.first() {
            asked.used = self.activity.of(&self.space, theta.dim(), &of_probes);
        }
        if self.effects.is_some() || self.offsets.is_some() {
            asked.models.clone_from(&of_probes);
        }
        if let Some(effects) = &self.effects {
            asked.predicted = effects.predict(&self.space, &asked.models);
        }
        if self.offsets.is_some() {
            asked.thetas = std::iter::once(self.weights.centre()).chain(thetas.clone()).collect();
        }
        self.asked = Some(asked);
        let candidate = |dna: Dna, theta, role| {
            let theta = self.owned(&dna, theta);
            Candidate { dna, theta, role }
        };
        let probe = |(at, (dna, theta))| {
            let role = if twin == Some(at) { Role::Centre } else { Role::Probe };
            candidate(dna, theta, role)
        };
        let theta = (centres > 0).then(|| self.weights.centre());
        let centre = |dna: &Dna| Some(candidate(dna.clone(), theta.clone()?, Role::Centre));
        let probes = of_probes.into_iter().zip(thetas).enumerate().map(probe);
        probes.chain(of_centres[shared..].iter().filter_map(centre)).collect()
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        let Some(mut asked) = self.asked.take() else { return };
        let before = self.weights.trail();
        let probes = &*self.judged(&asked, &values[..asked.probes.min(values.len())]);
        if let Some(used) = asked.used.take() {
            self.weights.used(used);
        }
        match &mut self.effects {
            None => self.weights.tell(probes),
            Some(effects) => {
                let less = |(v, b): (&Option<f64>, &f64)| v.map(|v| v - b);
                let rest: Vec<_> = probes.iter().zip(&asked.predicted).map(less).collect();
                self.weights.tell(&rest);
                effects.learn(&self.space, &asked.models, probes, &asked.predicted);
            }
        }
        if let (Some(offsets), [centre, thetas @ ..]) = (&mut self.offsets, &asked.thetas[..]) {
            offsets.learn(&self.space, &asked.models, thetas, centre, probes);
        }
        let of_probes = self.models(asked.probes);
        let views: Vec<_> =
            (0..asked.shown.len()).map(|model| self.view(&asked, values, model)).collect();
        self.controller.tell(&views);
        if let Some(dna) = &asked.incumbent
            && let Some(value) = self.value(&asked, values, of_probes)
        {
            self.controller.confirm(dna, value);
        }
        self.follow(before, asked.held.take());
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
