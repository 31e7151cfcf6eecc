//! The (1+1) evolutionary algorithm with the standard mutation rate, after Droste, Jansen and
//! Wegener (2002, "On the analysis of the (1+1) evolutionary algorithm").
//!
//! ```text
//! m′ ← m, where each of the n decisions changes with probability 1/n
//! if f(m′) ≥ f(m): m ← m′
//! ```
//!
//! A [`HillClimb`](super::HillClimb) changes one decision at a time and stays where none of them
//! alone is better. Here two or more change together now and then, so that it leaves such places,
//! and every model can be reached from every other in one step.
//!
//! Where the algorithm is silent. *Changes*: their number is drawn as above, anew where it is none,
//! which would only repeat m; each of them goes to a neighbour of the space, so that what a
//! decision brings with it, subsets and permutations are dealt with there. *Batches*: of n points
//! all are children of m, and the best of them competes, which makes it a (1+λ) algorithm. *Start*:
//! until a model has a value, points are drawn uniformly. *Ties*: a child as good as m replaces it,
//! so that plateaus are crossed; of equal children the first does. *Age*: in a product θ moves on
//! beneath m, whose value is then an old one. So m is evaluated again, first in each batch of two
//! or more, and has to defend its place.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::optimizer::told;
use crate::{Dna, ModelOptimizer, Optimizer, Space, Statistics, Stream};

/// The rate is 1/n: there is nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnePlusOneConfig {}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnePlusOne {
    space: Arc<Space>,
    /// m and its value, once a model has one.
    parent: Option<(Dna, f64)>,
    /// The points of the last ask, until they are told.
    asked: Vec<Dna>,
    /// Whether the first of them is m.
    defending: bool,
}

impl OnePlusOne {
    /// Starts anywhere in `space`.
    pub fn new(OnePlusOneConfig {}: OnePlusOneConfig, space: Arc<Space>) -> Self {
        Self { space, parent: None, asked: Vec::new(), defending: false }
    }

    /// m and its value.
    pub fn parent(&self) -> Option<(&Dna, f64)> {
        self.parent.as_ref().map(|(dna, value)| (dna, *value))
    }

    /// m′
    fn child(&self, parent: &Dna, stream: &mut Stream) -> Dna {
        let mut child = self.space.neighbour(parent, stream);
        for _ in 1..changes(parent.genes().len() as u32, stream) {
            child = self.space.neighbour(&child, stream);
        }
        child
    }
}

/// How many of `n` decisions change, each with probability 1/n, given that one does.
fn changes(n: u32, stream: &mut Stream) -> usize {
    if n < 2 {
        return 1;
    }
    loop {
        let changed = (0..n).filter(|_| stream.below(n) == 0).count();
        if changed > 0 {
            return changed;
        }
    }
}

impl Optimizer for OnePlusOne {
    type Point = Dna;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Dna> {
        self.defending = n >= 2 && self.parent.is_some();
        let point = |index| match &self.parent {
            None => self.space.sample(stream),
            Some((parent, _)) if self.defending && index == 0 => parent.clone(),
            Some((parent, _)) => self.child(parent, stream),
        };
        let points: Vec<Dna> = (0..n).map(point).collect();
        self.asked.clone_from(&points);
        points
    }

    /// A child without a value does not compete, and m without a new one keeps its old.
    fn tell(&mut self, values: &[Option<f64>]) {
        let asked = std::mem::take(&mut self.asked);
        let first = usize::from(std::mem::take(&mut self.defending));
        if let (1, Some((_, own)), Some(value)) = (first, &mut self.parent, told(values, 0)) {
            *own = value;
        }
        let children = asked.into_iter().enumerate().skip(first);
        let known = children.filter_map(|(at, dna)| Some((dna, told(values, at)?)));
        let better =
            |best: (Dna, f64), child: (Dna, f64)| if child.1 > best.1 { child } else { best };
        if let Some(best) = known.reduce(better)
            && self.parent.as_ref().is_none_or(|(_, own)| best.1 >= *own)
        {
            self.parent = Some(best);
        }
    }

    /// It competes as a child would.
    fn learn(&mut self, point: &Dna, value: f64, _: bool) {
        self.asked = vec![point.clone()];
        self.tell(&[Some(value)]);
    }

    /// Anywhere again.
    fn restart(&mut self) {
        self.parent = None;
    }

    fn statistics(&self) -> Statistics {
        self.parent.iter().map(|(_, value)| ("parent", *value)).collect()
    }
}

impl ModelOptimizer for OnePlusOne {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::controllers::testing::{self, Script, flat, mixed, stream, sum};
    use crate::controllers::{HillClimb, HillClimbConfig};
    use crate::space::Crossover;
    use crate::{Compatibility, Variation};

    fn one_plus_one(space: Space) -> OnePlusOne {
        OnePlusOne::new(OnePlusOneConfig {}, Arc::new(space))
    }

    /// Every decision has a best of its own, and all of them together are worth 0.
    fn separable(dna: &Dna) -> f64 {
        testing::separable(&dna.genes().to_vec())
    }

    #[test]
    fn conforms() {
        for space in [flat(8, 5), mixed()] {
            testing::conforms(one_plus_one(space.clone()), |dna| space.check(dna).is_ok());
        }
    }

    #[test]
    fn resume_equals_never_stopped() {
        testing::resumes(one_plus_one(flat(8, 5)), separable);
        testing::resumes(one_plus_one(mixed()), sum);
    }

    #[test]
    fn golden_trace() {
        let traces = [flat(8, 5), mixed()].map(|space| testing::trace(one_plus_one(space), sum));
        assert_eq!(traces, [11_679_270_614_847_040_539, 17_546_492_751_960_401_855]);
    }

    #[test]
    fn converges() {
        testing::converges(one_plus_one(flat(8, 5)), separable, 10, 100);
    }

    /// A space whose mutants always differ.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Neighbours(Space);

    impl Variation for Neighbours {
        type Genome = Dna;

        fn sample(&self, stream: &mut Stream) -> Dna {
            self.0.sample(stream)
        }

        fn mutate(&self, parent: &Dna, stream: &mut Stream) -> Dna {
            self.0.neighbour(parent, stream)
        }

        fn crossover(&self, one: &Dna, other: &Dna, stream: &mut Stream) -> Dna {
            self.0.crossover(one, other, Crossover::Uniform, stream)
        }

        fn distance(&self, one: &Dna, other: &Dna, by: &Compatibility) -> f64 {
            self.0.distance(one, other, by)
        }
    }

    /// With one decision there is one way to change. Red when the parent is not evaluated again,
    /// when ties are lost, or when draws are made that are not needed.
    #[test]
    fn with_one_decision_it_is_a_hill_climb() {
        let config = HillClimbConfig { reevaluate: true };
        let mut climb = HillClimb::new(config, Neighbours(flat(1, 30)));
        let mut ours = one_plus_one(flat(1, 30));
        for iteration in 0..40 {
            let points = ours.ask(4, &mut stream(iteration));
            assert_eq!(climb.ask(4, &mut stream(iteration)), points);
            let value = |dna: &Dna| Some(f64::from(dna.genes()[0] / 3));
            let values: Vec<_> = points.iter().map(value).collect();
            ours.tell(&values);
            climb.tell(&values);
            assert_eq!(climb.incumbent(), ours.parent());
        }
    }

    /// Of 20 decisions one changes in 59 % of all children, two in 29 %. Red when none is let
    /// through, or the rate is another.
    #[test]
    fn each_decision_changes_with_probability_one_over_n() {
        let mut counts = [0.0_f64; 21];
        for seed in 0..4000 {
            counts[changes(20, &mut stream(seed))] += 1.0 / 4000.0;
        }
        assert_eq!(counts[0], 0.0);
        assert!((counts[1] - 0.588).abs() < 0.03, "{counts:?}");
        assert!((counts[2] - 0.294).abs() < 0.03, "{counts:?}");
    }

    /// Either of two changes alone is worse, both together are better. Red when one changes at a
    /// time.
    #[test]
    fn it_leaves_a_place_that_no_single_change_makes_better() {
        let value = |dna: &Dna| match dna.genes() {
            [0, 0] => 1.0,
            [1, 1] => 2.0,
            _ => 0.0,
        };
        for seed in 0..10 {
            let mut ours = one_plus_one(flat(2, 2));
            ours.parent = Some((Dna::from([0, 0]), 1.0));
            for iteration in 0..20 {
                let points = ours.ask(5, &mut stream(100 * seed + iteration));
                ours.tell(&points.iter().map(|dna| Some(value(dna))).collect::<Vec<_>>());
            }
            assert_eq!(ours.parent(), Some((&Dna::from([1, 1]), 2.0)), "seed {seed}");
        }
    }

    /// Red when an old value outlives a new one, or a failed evaluation erases it.
    #[test]
    fn the_parent_defends_its_place() {
        let mut it = one_plus_one(flat(4, 5));
        let first = it.ask(1, &mut stream(0)).remove(0);
        it.tell(&[Some(9.0)]);
        assert_eq!(it.ask(2, &mut stream(1))[0], first);
        it.tell(&[None, Some(8.0)]);
        assert_eq!(it.parent(), Some((&first, 9.0)), "it keeps its value");
        let child = it.ask(2, &mut stream(2)).remove(1);
        it.tell(&[Some(-1.0), Some(-1.0)]);
        assert_eq!(it.parent(), Some((&child, -1.0)), "it is worth -1 now, as the child is");
        it.restart();
        assert_eq!(it.parent(), None);
    }

    proptest! {
        #[test]
        fn it_stands_in_the_space_at_the_best_of_its_children(script in Script::any()) {
            let mut it = one_plus_one(mixed());
            script.play(&mut it, |it, points, values| {
                for dna in points.iter().chain(it.parent().map(|(dna, _)| dna)) {
                    assert!(mixed().check(dna).is_ok(), "{dna:?}");
                }
                let best = (0..points.len()).filter_map(|at| told(values, at)).reduce(f64::max);
                if let (Some(best), Some((_, own))) = (best, it.parent()) {
                    assert!(own >= best, "{own} of {best}");
                }
            });
        }
    }
}
