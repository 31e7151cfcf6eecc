//! What is chosen, in batches that are said to be no dearer than one evaluation.
//!
//! Who can evaluate 256 points at once wastes most of that on Hansen's λ of 20. An iteration then has whole batches, and what counts is how
//! many iterations there are: one with many points is better than one with λ, but not by as much as they are more. So the rules are
//! asked what they would choose if each iteration had λ points, and that gets larger populations. (One that grows within a run begins with
//! a whole batch, and does not keep to multiples.) A batch decides what is
//! computed, so it is said by whoever asks, and never taken from the machine at hand.

use super::{Choice, Facts};
use crate::controllers::ControllerConfig;
use crate::joint::Pairing;
use crate::weights::WeightsConfig;

/// The share of a batch, one in so many, that goes to models at the least where they are evaluated apart from θ.
const FOR_MODELS: usize = 8;

impl Facts {
    /// By what factor a batch is larger than Hansen's λ.
    pub(super) fn wider(&self) -> f64 {
        (self.batch.unwrap_or(0) as f64 / self.usual() as f64).max(1.0)
    }
}

impl Choice {
    /// The same, with iterations that have so many evaluations, or a multiple if it has more already.
    pub fn in_batches(mut self, batch: usize) -> Self {
        let (pairing, centre) = (self.joint.pairing, self.joint.centre);
        (self.weights, self.joint.centre) = filled(self.weights, pairing, centre, batch);
        if let ControllerConfig::RegularizedEvolution(it) = &mut self.controller {
            let points = self.weights.first_population().unwrap_or(0) + self.joint.centre as usize;
            it.population = it.population.map(|population| population.max(points));
        }
        self.reason += &format!(", in batches of {batch}");
        self
    }
}

/// Weights and evaluations of the centre that fill whole batches together.
fn filled(
    weights: WeightsConfig,
    pairing: Pairing,
    centre: u32,
    batch: usize,
) -> (WeightsConfig, u32) {
    let points = weights.first_population().unwrap_or(0) + centre as usize;
    let points = points.next_multiple_of(batch.max(1));
    let centre = match pairing {
        Pairing::Held => centre.max((points / FOR_MODELS) as u32),
        Pairing::Independent | Pairing::Shared => centre,
    };
    // Half a pair is better spent at the centre, where that is evaluated at all.
    let alone = centre > 0 && (points - centre as usize) % 2 == 1;
    let centre = centre + u32::from(alone);
    (weights.with_population(points - centre as usize), centre)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{policy, tests::facts};
    use super::*;
    use crate::{Bounds, Search, Space, Start};

    fn population(choice: Choice, dim: usize) -> usize {
        let space = Arc::new(Space::oneof(["a", "b"]).unwrap());
        let bounds = Some(Bounds::new(vec![-5.0], vec![5.0], dim).unwrap());
        let start = Start { space, theta: vec![0.0; dim], bounds };
        Search::new(choice.search(), start).unwrap().population()
    }

    /// Red when an iteration leaves a part of a batch idle, or has more of them than it must.
    #[test]
    fn iterations_are_whole_batches() {
        for dim in [1, 20, 100, 1001] {
            for evaluations in [Some(100), Some(2000), Some(20_000), Some(1_000_000), None] {
                for (noise, decisions) in [(false, 10), (false, 0), (true, 10)] {
                    let facts = Facts { noise, decisions, ..facts(dim, evaluations) };
                    let least = population(facts.choose(), dim);
                    for batch in [1, 8, 63, 256] {
                        let choice = Facts { batch: Some(batch), ..facts }.choose();
                        let points = population(choice, dim);
                        assert_eq!(points % batch, 0, "{facts:?}");
                        let most = batch + 2 * batch.max(least);
                        assert!(batch <= points && points <= most, "{facts:?}: {points}");
                    }
                }
            }
        }
        assert_eq!(population(policy(480).in_batches(256), 480), 256);
    }

    /// Red when a batch of λ or fewer makes a difference to the rule, or one that leaves few iterations makes none.
    #[test]
    fn what_counts_is_how_many_iterations_there_are() {
        let kind = |evaluations, batch| {
            let weights = Facts { batch, ..facts(20, Some(evaluations)) }.choose().weights;
            serde_json::to_value(weights).unwrap()["kind"].clone()
        };
        assert_eq!(
            (kind(20_000, None), kind(20_000, Some(12))),
            ("restarts".into(), "restarts".into())
        );
        assert_eq!(kind(20_000, Some(256)), "line-es");
        assert_eq!(kind(300_000, Some(256)), "restarts");
    }

    /// Red when models get none of a larger batch where they are evaluated apart.
    #[test]
    fn models_that_are_evaluated_apart_have_an_eighth() {
        let choice = Facts { batch: Some(256), ..facts(20, Some(2000)) }.choose();
        assert_eq!((choice.joint.pairing, choice.joint.centre), (Pairing::Held, 32));
        let flat = Facts { decisions: 0, batch: Some(256), ..facts(20, Some(2000)) }.choose();
        assert_eq!(flat.joint.centre, 0);
        assert!(choice.reason.ends_with(", in batches of 256"), "{}", choice.reason);
    }
}
