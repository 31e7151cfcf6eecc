//! The rule where values are noisy.
//!
//! What believes single values is misled by them: steps along a line, decisions changed one by one,
//! a best value that says when to begin anew. What is left is a distribution that moves by what
//! many points say. Variances do as well as covariances here: noise hides the finer differences
//! between directions.
//!
//! The one question is how many points an iteration has. Few move often and by noise, many seldom
//! and surely. From 500 to 20,000 evaluations and from 20 to 100 weights, as many points as
//! iterations, λ = √n of n evaluations, was the best or within a tenth of it. Where n is not known,
//! λ grows as 2 √n of the evaluations so far: as many as iterations at any time.
//!
//! One evaluation more is of the centre with the likeliest model, what the search would answer: the
//! best value, under noise, is the luckiest.

use super::{Choice, Facts};
use crate::controllers::{AsngConfig, ControllerConfig, Utilities};
use crate::joint::{CentreModels, JointConfig};
use crate::weights::{GrowingConfig, WeightsConfig};

impl Facts {
    /// As many points as iterations.
    pub(super) fn averaging(&self) -> Choice {
        let utilities = Utilities::Logarithmic;
        let controller = ControllerConfig::Asng(AsngConfig { utilities, ..AsngConfig::default() });
        let why =
            "as many points as iterations average the noise, and single values decide nothing";
        self.chosen(self.averaging_weights(), controller, answering(), why)
    }

    fn averaging_weights(&self) -> WeightsConfig {
        let weights = self.separable(0.2);
        match self.evaluations {
            Some(n) => {
                let points = self.usual().max((n as f64).sqrt().round() as usize);
                weights.with_population(points.next_multiple_of(2))
            }
            None => {
                // What it grows from has to be known: whole pairs of a batch, less the centre.
                let pairs = self.batch.unwrap_or(0).saturating_sub(1) / 2;
                let first = self.usual().next_multiple_of(2).max(2 * pairs);
                let weights = weights.with_population(first).into();
                let after = Some((first as u64).pow(2) / 4);
                WeightsConfig::Growing(GrowingConfig { weights, after, exponent: 0.5 })
            }
        }
    }
}

fn answering() -> JointConfig {
    JointConfig {
        centre: 1,
        centre_models: CentreModels::Mode,
        centre_teaches: false,
        ..JointConfig::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::facts;
    use super::*;
    use crate::SearchConfig;

    fn noisy(dim: usize, evaluations: Option<u64>) -> Facts {
        Facts { noise: true, ..facts(dim, evaluations) }
    }

    /// Red when something that believes single values is chosen under noise, or another population
    /// than measured.
    #[test]
    fn points_are_as_many_as_iterations() {
        let chosen = |dim, n| {
            let SearchConfig::EsEnas { weights, controller, joint } =
                noisy(dim, Some(n)).choose().search
            else {
                panic!()
            };
            let WeightsConfig::SepCmaEs(weights) = weights else { panic!("{weights:?}") };
            let ControllerConfig::Asng(asng) = controller else { panic!("{controller:?}") };
            assert_eq!((asng.step_size, asng.utilities), (0.35, Utilities::Logarithmic));
            assert_eq!((weights.sigma, weights.mirrored, joint), (2.0, true, answering()));
            weights.population.unwrap()
        };
        assert_eq!((chosen(20, 500), chosen(20, 2000), chosen(20, 20_000)), (22, 46, 142));
        // Never fewer than Hansen's.
        assert_eq!((chosen(100, 300), chosen(1000, 500)), (18, 24));
    }

    /// Red when λ is not 2 √n where n is not known.
    #[test]
    fn without_a_budget_the_population_grows() {
        let growing = |choice: Choice| match choice.search {
            SearchConfig::EsEnas { weights: WeightsConfig::Growing(it), joint, .. } => (it, joint),
            other => panic!("{other:?}"),
        };
        let (it, _) = growing(noisy(20, None).choose());
        let first = it.weights.get().first_population();
        assert_eq!((first, it.after, it.exponent), (Some(12), Some(36), 0.5));
        let batch = Some(256);
        let (it, joint) = growing(Facts { batch, ..noisy(20, None) }.choose());
        let first = it.weights.get().first_population();
        assert_eq!((first, it.after, joint.centre), (Some(254), Some(127 * 127), 2));
    }

    /// Red when the reason does not say that noise decided.
    #[test]
    fn the_reason_names_noise() {
        let reason = noisy(20, Some(500)).choose().reason;
        assert!(reason.starts_with("d = 20, 10 decisions, 500 noisy evaluations: "), "{reason}");
        let reason = noisy(20, None).choose().reason;
        assert!(reason.contains("noisy evaluations not limited: "), "{reason}");
    }
}
