//! Line-ES and sweeps by turns: θ moves under one model, models change around one θ.
//!
//! Algorithm 1 changes m and θ in every point, and each value says little of either. Where
//! evaluations are few each half does better to hold still what the other looks at:
//!
//! ```text
//! m ← where the sweep stands
//! for each probe θᵢ of line-ES: vᵢ ← f(m, θᵢ)                  weights: all of them have m
//! for each neighbour m′ⱼ of m:  vⱼ ← f(m′ⱼ, θ)                  controller: all of them have θ
//! θ ← line-ES by the vᵢ,  m ← the sweep by f(m, θ) and the vⱼ
//! ```
//!
//! One evaluation serves both: f(m, θ) is the point of line-ES that lies at its centre and the
//! model that the sweep defends. When line-ES goes back to the best of its points, the sweep goes
//! back to the model that this point had.
//!
//! The halves are these two and no others: both believe every single value, and each needs what
//! the other holds still. Where there is one model, θ moves alone.
//!
//! *Next.* Neither half learns a distribution, so after some evaluations they find little more.
//! What a [`NextConfig`] names takes over: its θ begins at the best point, its controller leans to
//! the model there. When it happens depends on nothing but the evaluations so far, so that a study
//! that was given more, or is resumed with more, does what one with fewer did, and then goes on.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::controllers::{Controller, ControllerConfig, Evidence, Sweep};
use crate::joint::{Candidate, EsEnas, Role};
use crate::layout::Activity;
use crate::optimizer::{Statistics, told};
use crate::setting::SettingError;
use crate::shaping::{Sight, View};
use crate::weights::{LineEs, Weights, WeightsConfig};
use crate::{Dna, Optimizer, Space, Stream, Theta, Used, WeightOptimizer};

/// How the halves alternate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlternatingConfig {
    /// Evaluations of neighbours in each iteration; at least 2, or none of one model.
    pub centre: u32,
    /// What the sweep is shown.
    pub view: View,
    /// What takes over.
    pub next: Option<NextConfig>,
}

/// What takes over from line-ES and sweeps: Algorithm 1, of these weights and this controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NextConfig {
    /// After how many evaluations, at least; the iteration that gets there is finished.
    pub after: u64,
    /// What updates θ: `restarts`, whose first run begins where line-ES found its best point.
    pub weights: WeightsConfig,
    /// What updates φ.
    pub controller: ControllerConfig,
}

impl Default for AlternatingConfig {
    fn default() -> Self {
        Self { centre: 8, view: View::default(), next: None }
    }
}

impl Default for NextConfig {
    fn default() -> Self {
        let weights = WeightsConfig::Restarts(Default::default());
        Self { after: 1000, weights, controller: ControllerConfig::Asng(Default::default()) }
    }
}

/// The state of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternating {
    centre: u32,
    /// How the sweep sees values.
    sight: Sight,
    weights: LineEs,
    controller: Sweep,
    /// What was seen of every model.
    evidence: Evidence<Dna>,
    /// The model of the best point of line-ES.
    found: Option<Dna>,
    asked: Option<Asked>,
    next: Option<Next>,
    #[serde(skip)]
    activity: Activity,
}

/// What takes over, and after how many more evaluations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Next {
    left: u64,
    search: Box<EsEnas<Weights, Controller>>,
}

/// What `tell` must know of the last `ask`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Asked {
    /// How many of the points were those of line-ES.
    probes: usize,
    /// The one of them at the centre, which is the held model's evaluation too, if there is one.
    shared: Option<usize>,
    /// m, the model of the probes.
    held: Dna,
    /// What the sweep proposed: m first.
    models: Vec<Dna>,
    /// What each of them costs, if the sweep will see its value.
    costs: Vec<Option<f64>>,
    /// Which coordinates m uses, if that depends on it.
    used: Option<Used>,
}

impl Alternating {
    /// Joins `weights` and `controller`, which proposes models of `space`. What takes over is said
    /// by `followed_by`.
    pub fn new(
        config: AlternatingConfig,
        space: Arc<Space>,
        weights: LineEs,
        controller: Sweep,
    ) -> Result<Self, SettingError> {
        let AlternatingConfig { centre, view, next: _ } = config;
        if centre < 2 && !(centre == 0 && space.size().exact == Some(1)) {
            let accepted = "be at least 2 with pairing \"held\": models are evaluated there alone";
            return Err(SettingError::must("centre.evaluations", accepted, centre));
        }
        let (sight, evidence) = (Sight::new(view, space)?, Evidence::default());
        let (found, asked, next, activity) = (None, None, None, Activity::default());
        Ok(Self { centre, sight, weights, controller, evidence, found, asked, next, activity })
    }

    /// The same, after so many evaluations over to `search`.
    pub(crate) fn followed_by(mut self, after: u64, search: EsEnas<Weights, Controller>) -> Self {
        self.next = Some(Next { left: after, search: Box::new(search) });
        self
    }

    /// What takes over, if it is time: it begins at what was found.
    pub(crate) fn successor(&mut self) -> Option<EsEnas<Weights, Controller>> {
        let Next { mut search, .. } = self.next.take_if(|next| next.left == 0)?;
        let evidence = std::mem::take(&mut self.evidence);
        let found = self.weights.best().zip(self.found.as_ref());
        search.begin_at(found, evidence);
        Some(*search)
    }

    /// The half that moves θ.
    pub fn weights(&self) -> &LineEs {
        &self.weights
    }

    /// The half that changes m.
    pub fn controller(&self) -> &Sweep {
        &self.controller
    }

    /// The best model on the evidence, as
    /// [`Controller::best`](crate::controllers::Controller::best).
    pub fn best(&self) -> Option<(&Dna, f64, u64)> {
        self.evidence.best()
    }

    /// Goes on with the sweep of another, and with what it saw.
    pub(crate) fn take_over(&mut self, other: Self) {
        (self.controller, self.evidence) = (other.controller, other.evidence);
    }

    /// How many points an iteration asks for.
    pub fn population(&self) -> usize {
        self.weights.population() + self.centre as usize
    }
}

impl Asked {
    /// How many points there were.
    fn points(&self) -> usize {
        self.probes + self.models.len() - usize::from(self.shared.is_some())
    }

    /// The point that a model was evaluated in.
    fn point(&self, model: usize) -> usize {
        match self.shared {
            Some(at) if model == 0 => at,
            Some(_) => self.probes + model - 1,
            None => self.probes + model,
        }
    }
}

impl Optimizer for Alternating {
    type Point = Candidate;

    /// The points of line-ES first, then the neighbours: as many as configured, but of fewer than
    /// two points none.
    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Candidate> {
        let centres = (self.centre as usize).min(n.saturating_sub(2));
        let probes = n - centres;
        let thetas = self.weights.ask(probes, stream);
        let shared = self.weights.asked_centre().filter(|_| centres > 0 || self.centre == 0);
        let proposed = centres + usize::from(shared.is_some());
        let models = self.controller.ask(proposed, stream);
        let costs = self.sight.costs(&models, stream);
        let Some(held) = self.controller.stand().cloned() else { return Vec::new() };
        let centre = |dna: &Dna, theta| Candidate { dna: dna.clone(), theta, role: Role::Centre };
        let probe = |(at, theta): (usize, Theta)| match shared {
            Some(shared) if shared == at => centre(&held, theta),
            _ => Candidate { dna: held.clone(), theta, role: Role::Probe },
        };
        let mut points: Vec<_> = thetas.into_iter().enumerate().map(probe).collect();
        let theta = self.weights.centre();
        let others = &models[usize::from(shared.is_some())..];
        points.extend(others.iter().map(|dna| centre(dna, theta.clone())));
        let of_probes = std::iter::repeat_n(&held, probes);
        let used = self.activity.of(self.sight.space(), theta.dim(), of_probes);
        self.asked = Some(Asked { probes, shared, held, models, costs, used });
        points
    }

    /// The held model's cost counts for line-ES too, which compares values across held models: it
    /// would go back to one that is too dear.
    fn tell(&mut self, values: &[Option<f64>]) {
        let Some(mut asked) = self.asked.take() else { return };
        if let Some(next) = &mut self.next {
            next.left = next.left.saturating_sub(asked.points() as u64);
        }
        if let Some(used) = asked.used.take() {
            self.weights.used(used);
        }
        let before = self.weights.trail();
        let cost = self.sight.cost(&asked.held);
        let probe = |at| Some(self.sight.value(told(values, at)?, cost));
        let probes: Vec<_> = (0..asked.probes).map(probe).collect();
        self.weights.tell(&probes);

        let seen = |(model, cost): (usize, &Option<f64>)| {
            Some(self.sight.value(told(values, asked.point(model))?, (*cost)?))
        };
        let views: Vec<_> = asked.costs.iter().enumerate().map(seen).collect();
        for (dna, value) in asked.models.iter().zip(&views) {
            if let Some(value) = value {
                self.evidence.record(dna, *value);
            }
        }
        self.controller.tell(&views);

        let now = self.weights.trail();
        if now.bests > before.bests {
            self.found = Some(asked.held);
        }
        if let Some(found) = self.found.as_ref().filter(|_| now.returns > before.returns) {
            self.controller.go_back(found);
        }
    }

    fn learn(&mut self, point: &Candidate, value: f64, leads: bool) {
        let value = self.sight.value(value, self.sight.cost(&point.dna));
        self.evidence.record(&point.dna, value);
        self.weights.learn(&point.theta, value, leads);
        self.controller.learn(&point.dna, value, leads);
        if leads {
            self.found = Some(point.dna.clone());
        }
    }

    fn restart(&mut self) {
        self.weights.restart();
        self.controller.restart();
        self.found = None;
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = self.weights.statistics();
        statistics.extend(self.controller.statistics());
        statistics
    }
}
