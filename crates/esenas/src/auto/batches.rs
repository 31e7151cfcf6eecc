//! What is chosen where a batch of evaluations takes no longer than one.
//!
//! Hansen's λ of 20 leaves most of 256 workers idle. So an iteration has whole batches, and what
//! counts is how many iterations there are: one with many points is better than one with λ, but not
//! by as much as it has more. The rules are asked what they would choose if each iteration had λ
//! points, and that gets a larger population. (One that grows within a run begins with a whole
//! batch and does not keep to multiples.) The size of a batch decides what is computed, so it is a
//! setting and never taken from the machine at hand.

use super::{Choice, Facts};
use crate::SearchConfig;
use crate::controllers::ControllerConfig;
use crate::weights::WeightsConfig;

/// The share of a batch, one in so many, that goes to models at the least where they are evaluated
/// apart from θ.
const MODELS_ONE_IN: usize = 8;

impl Facts {
    /// By what factor a batch is larger than Hansen's λ.
    pub(super) fn wider(&self) -> f64 {
        (self.batch.unwrap_or(0) as f64 / self.usual() as f64).max(1.0)
    }
}

impl Choice {
    /// The same, with iterations that have so many evaluations, or a multiple if it has more
    /// already.
    pub fn in_batches(mut self, batch: usize) -> Self {
        match &mut self.search {
            SearchConfig::EsEnas { weights, controller, joint } => {
                fill(weights, &mut joint.centre, batch, 0);
                if let ControllerConfig::RegularizedEvolution(it) = controller {
                    let points = weights.first_population().unwrap_or(0) + joint.centre as usize;
                    it.population = it.population.map(|population| population.max(points));
                }
            }
            SearchConfig::Alternating { weights, alternating, .. } => {
                let share = if alternating.centre > 0 { MODELS_ONE_IN } else { 0 };
                fill(weights, &mut alternating.centre, batch, share);
                if let Some(next) = &mut alternating.next {
                    fill(&mut next.weights, &mut 0, batch, 0);
                }
            }
            SearchConfig::Hybrid { .. } | SearchConfig::Front(_) => {}
        }
        self.reason += &format!(", in batches of {batch}");
        self
    }
}

/// Has weights and evaluations of the centre fill whole batches together, with one in `share` for
/// the centre at the least, if any.
fn fill(weights: &mut WeightsConfig, centre: &mut u32, batch: usize, share: usize) {
    let points = weights.first_population().unwrap_or(0) + *centre as usize;
    let points = points.next_multiple_of(batch.max(1));
    *centre = (*centre).max(points.checked_div(share).unwrap_or(0) as u32);
    // Half a pair is better spent at the centre, where that is evaluated at all.
    let alone = *centre > 0 && (points - *centre as usize) % 2 == 1;
    *centre += u32::from(alone);
    *weights = std::mem::take(weights).with_population(points - *centre as usize);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{policy, tests::facts};
    use super::*;
    use crate::{Bounds, Search, Space, Start};

    fn population(choice: Choice, dim: usize) -> usize {
        // A space of one model goes with what was chosen for no decisions.
        let alone = match &choice.search {
            SearchConfig::Alternating { alternating, .. } => alternating.centre == 0,
            _ => false,
        };
        let space = if alone { Space::constant("a") } else { Space::oneof(["a", "b"]).unwrap() };
        let space = Arc::new(space);
        let bounds = Some(Bounds::new(vec![-5.0], vec![5.0], dim).unwrap());
        let start = Start { space, theta: vec![0.0; dim], bounds };
        Search::new(choice.search, start).unwrap().population()
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

    /// Red when a batch of λ or fewer makes a difference to the rule, or one that leaves few
    /// iterations makes none.
    #[test]
    fn what_counts_is_how_many_iterations_there_are() {
        let after = |batch| match (Facts { batch, ..facts(20, None) }).choose().search {
            SearchConfig::Alternating { alternating, .. } => alternating.next.unwrap().after,
            other => panic!("{other:?}"),
        };
        assert_eq!((after(None), after(Some(12))), (2000, 2000));
        assert_eq!(after(Some(256)), 42_667);
    }

    /// Red when models get none of a larger batch where they are evaluated apart.
    #[test]
    fn models_that_are_evaluated_apart_have_an_eighth() {
        let choice = Facts { batch: Some(256), ..facts(20, Some(2000)) }.choose();
        assert!(choice.reason.ends_with(", in batches of 256"), "{}", choice.reason);
        let SearchConfig::Alternating { alternating, .. } = choice.search else { panic!() };
        assert_eq!(alternating.centre, 32);
        let flat = Facts { decisions: 0, batch: Some(256), ..facts(20, Some(2000)) }.choose();
        let SearchConfig::Alternating { alternating, .. } = flat.search else { panic!() };
        assert_eq!(alternating.centre, 0);
    }
}
