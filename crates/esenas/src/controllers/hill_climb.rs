//! Batch hill climbing (gradientless descent with a fixed mutator), §2.1.2, Appendix A.2.1 and
//! the second update of Appendix B:
//!
//! x⁺ = argmax { f(x), f(x′₁), …, f(x′_B) },  x′ᵢ mutants of x
//!
//! After Golovin et al. (2020, "Gradientless descent"), whose annealed radius the paper replaces
//! by one mutator throughout.
//!
//! Where the paper is silent. *Start*: until a point is evaluated, the batch are members of the
//! first generation. *Ties*: a mutant as good as the incumbent replaces it, so that plateaus are
//! crossed; of equal mutants the first does. *Noise*: the incumbent keeps the value it won with,
//! which under noise is a lucky one and, where θ moves on beneath the models, an old one. With
//! `reevaluate` it is asked for again, first in each batch of two or more, and its value is
//! whatever came back last: then it has to defend its place.

use serde::{Deserialize, Serialize};

use crate::optimizer::told;
use crate::{Optimizer, Statistics, Stream, Variation};

/// Hyperparameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HillClimbConfig {
    /// Whether the incumbent is evaluated again in every batch. The paper does not say it is.
    pub reevaluate: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Incumbent<G> {
    genome: G,
    value: f64,
    /// Tells since it was found.
    age: u64,
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct HillClimb<V: Variation> {
    config: HillClimbConfig,
    variation: V,
    incumbent: Option<Incumbent<V::Genome>>,
    /// The points of the last ask, until they are told.
    asked: Vec<V::Genome>,
    /// Whether the first of them is the incumbent.
    defending: bool,
}

impl<V: Variation> HillClimb<V> {
    /// Starts knowing nothing.
    pub fn new(config: HillClimbConfig, variation: V) -> Self {
        Self { config, variation, incumbent: None, asked: Vec::new(), defending: false }
    }

    /// Where it stands, with its value.
    pub fn incumbent(&self) -> Option<(&V::Genome, f64)> {
        self.incumbent.as_ref().map(|i| (&i.genome, i.value))
    }
}

impl<V: Variation> Optimizer for HillClimb<V> {
    type Point = V::Genome;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<V::Genome> {
        self.defending = self.config.reevaluate && n >= 2 && self.incumbent.is_some();
        let points: Vec<V::Genome> = (0..n)
            .map(|index| match &self.incumbent {
                None => self.variation.initial(stream),
                Some(incumbent) if self.defending && index == 0 => incumbent.genome.clone(),
                Some(incumbent) => self.variation.mutate(&incumbent.genome, stream),
            })
            .collect();
        self.asked.clone_from(&points);
        points
    }

    /// A mutant without a value does not compete; an incumbent without a new one keeps its old.
    fn tell(&mut self, values: &[Option<f64>]) {
        let defence = usize::from(std::mem::take(&mut self.defending));
        if let Some(incumbent) = &mut self.incumbent {
            incumbent.age += u64::from(!self.asked.is_empty());
            if defence == 1
                && let Some(value) = told(values, 0)
            {
                incumbent.value = value;
            }
        }
        let mut best: Option<(usize, f64)> = None;
        for index in defence..self.asked.len() {
            if let Some(value) = told(values, index)
                && best.is_none_or(|(_, b)| b < value)
            {
                best = Some((index, value));
            }
        }
        if let Some((index, value)) = best
            && self.incumbent.as_ref().is_none_or(|i| i.value <= value)
        {
            let genome = self.asked.swap_remove(index);
            self.incumbent = Some(Incumbent { genome, value, age: 0 });
        }
        self.asked.clear();
    }

    /// It competes as a mutant would.
    fn learn(&mut self, point: &V::Genome, value: f64, _: bool) {
        self.asked = vec![point.clone()];
        self.tell(&[Some(value)]);
    }

    /// The age is in tells.
    fn statistics(&self) -> Statistics {
        let incumbent = self.incumbent.iter();
        incumbent.flat_map(|i| [("incumbent", i.value), ("age", i.age as f64)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::controllers::testing::{self, Digits, Script, separable, stream};

    fn climb(reevaluate: bool) -> HillClimb<Digits> {
        HillClimb::new(HillClimbConfig { reevaluate }, Digits::new(8, 5))
    }

    #[test]
    fn conforms() {
        for reevaluate in [false, true] {
            testing::conforms(climb(reevaluate), |point| Digits::new(8, 5).holds(point));
        }
    }

    #[test]
    fn resume_equals_never_stopped() {
        for reevaluate in [false, true] {
            testing::resumes(climb(reevaluate), separable);
        }
    }

    #[test]
    fn golden_trace() {
        let traces = [false, true].map(|again| testing::trace(climb(again), separable));
        assert_eq!(traces, [1_704_712_975_660_551_328, 503_745_597_563_597_978]);
    }

    #[test]
    fn converges() {
        testing::converges(climb(false), separable, 20, 30);
        testing::converges(climb(true), separable, 20, 30);
    }

    /// Red when a worse mutant replaces, a tie does not, or of equals the last one does.
    #[test]
    fn the_incumbent_yields_to_its_equals_and_no_less() {
        let mut climb = climb(false);
        let first = climb.ask(3, &mut stream(0));
        climb.tell(&[Some(1.0), Some(2.0), Some(2.0)]);
        assert_eq!(climb.incumbent(), Some((&first[1], 2.0)));
        climb.ask(2, &mut stream(1));
        climb.tell(&[Some(1.9), None]);
        assert_eq!(climb.incumbent(), Some((&first[1], 2.0)));
        let third = climb.ask(2, &mut stream(2));
        climb.tell(&[None, Some(2.0)]);
        assert_eq!(climb.incumbent(), Some((&third[1], 2.0)));
    }

    #[test]
    fn the_batch_are_mutants_of_the_incumbent() {
        let mut climb = climb(false);
        let first = climb.ask(1, &mut stream(0)).remove(0);
        climb.tell(&[Some(0.0)]);
        for mutant in climb.ask(20, &mut stream(1)) {
            assert_eq!(mutant.iter().zip(&first).filter(|(a, b)| a != b).count(), 1);
        }
    }

    /// Red when a lucky value is kept after a worse re-evaluation, or a failed one erases it.
    #[test]
    fn a_reevaluated_incumbent_defends_its_place() {
        let mut climb = climb(true);
        let first = climb.ask(1, &mut stream(0)).remove(0);
        climb.tell(&[Some(10.0)]);
        assert_eq!(climb.ask(2, &mut stream(1))[0], first);
        climb.tell(&[None, Some(5.0)]);
        assert_eq!(climb.incumbent(), Some((&first, 10.0)));
        climb.ask(2, &mut stream(2));
        climb.tell(&[Some(6.0), Some(5.0)]);
        assert_eq!(climb.incumbent(), Some((&first, 6.0)));
        let last = climb.ask(2, &mut stream(3));
        climb.tell(&[Some(4.0), Some(5.0)]);
        assert_eq!(climb.incumbent(), Some((&last[1], 5.0)));
        assert_ne!(climb.ask(1, &mut stream(4))[0], last[1], "one alone is a mutant");
    }

    proptest! {
        #[test]
        fn the_incumbent_is_the_best_seen(script in Script::any()) {
            let mut climb = climb(false);
            let mut best: Option<f64> = None;
            script.play(&mut climb, |climb, points, values| {
                best = values.iter().flatten().copied().chain(best).reduce(f64::max);
                assert_eq!(climb.incumbent().map(|(_, value)| value), best);
                assert!(points.iter().all(|p| Digits::new(8, 5).holds(p)));
            });
        }
    }
}
