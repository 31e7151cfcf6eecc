//! One product after the other.
//!
//! What is best at first, when little is known, need not be what is best to end with. After some evaluations the search may go
//! on from where it stands with other halves: θ at the centre, with steps as long as they were, and the controller, if it
//! stands somewhere, at the likeliest model. What was seen of every model stays known.

use serde::{Deserialize, Serialize};

use crate::controllers::{Controller, ControllerConfig};
use crate::inner::Inner;
use crate::joint::{Candidate, EsEnas, Pairing};
use crate::search::SearchError;
use crate::weights::{Weights, WeightsConfig};
use crate::{Bounds, Optimizer, Statistics, Stream, WeightOptimizer};

/// What goes on, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Then {
    /// Once so many evaluations are done.
    pub after: u64,
    /// What updates θ from then on.
    pub weights: WeightsConfig,
    /// What updates φ.
    pub controller: ControllerConfig,
    /// Models of the probes.
    pub pairing: Pairing,
    /// Centre evaluations in each iteration: of models that the controller proposes, which learns from them.
    pub centre: u32,
}

/// A product, and what may follow it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Course {
    product: EsEnas<Weights, Controller>,
    next: Option<Next>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Next {
    then: Inner<Then>,
    bounds: Option<Bounds>,
    /// Evaluations until then,
    left: u64,
    /// of which so many wait for their values.
    asked: u64,
}

impl Course {
    /// Begins with `product`, whose θ is within `bounds`.
    pub(crate) fn new(
        product: EsEnas<Weights, Controller>,
        then: Option<Then>,
        bounds: Option<Bounds>,
    ) -> Result<Self, SearchError> {
        let Some(then) = then else { return Ok(Self { product, next: None }) };
        // What could not take over is refused at once; so is a σ that will be another one by then.
        let theta = product.weights().centre().to_vec();
        let alone = then.weights.clone().build(theta, bounds.clone()).map_err(SearchError::from);
        alone
            .and_then(|_| follow(product.clone(), then.clone(), bounds.clone()))
            .map_err(|error| SearchError::Then(Box::new(error)))?;
        let left = then.after;
        let next = Next { then: then.into(), bounds, left, asked: 0 };
        Ok(Self { product, next: Some(next) })
    }

    /// Whichever it is at present.
    pub fn product(&self) -> &EsEnas<Weights, Controller> {
        &self.product
    }
}

fn follow(
    product: EsEnas<Weights, Controller>,
    then: Then,
    bounds: Option<Bounds>,
) -> Result<EsEnas<Weights, Controller>, SearchError> {
    let Then { weights, controller, pairing, centre, .. } = then;
    let theta = product.weights().centre().to_vec();
    let weights = weights.succeeding(product.weights()).build(theta, bounds)?;
    let controller = product.controller().clone().succeeded(controller, product.space().clone())?;
    Ok(product.continued(weights, controller, pairing, centre)?)
}

impl Optimizer for Course {
    type Point = Candidate;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Candidate> {
        self.next.iter_mut().for_each(|next| next.asked = n as u64);
        self.product.ask(n, stream)
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        self.product.tell(values);
        let Some(next) = &mut self.next else { return };
        next.left = next.left.saturating_sub(std::mem::take(&mut next.asked));
        if next.left == 0
            && let Some(next) = self.next.take()
            // A centre in the box and a σ within limits are accepted, as the start was.
            && let Ok(later) = follow(self.product.clone(), next.then.get(), next.bounds)
        {
            self.product = later;
        }
    }

    fn restart(&mut self) {
        self.product.restart();
    }

    fn statistics(&self) -> Statistics {
        self.product.statistics()
    }
}
