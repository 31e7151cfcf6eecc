//! Sweeps over the neighbours of one model.
//!
//! A distribution over models learns from batches in which all decisions vary together, and each
//! point says little of any one of them. With few evaluations it is better to change them one by
//! one. A batch is the model m where the search stands, and neighbours of it: m with one decision
//! changed by the paper's mutation (A.2.1).
//!
//! ```text
//! ask   m, then m′₁, …, m′ₖ: changes that were not tried in this sweep
//! tell  m ← m with the changes of all m′ᵢ better than m, the best one's last
//! ```
//!
//! *Sweeps.* No change is repeated before all have had their turn. After a sweep over all of them
//! come three brief ones, each over the quarter that was least behind: a change that was far behind
//! may be good with other weights, but seldom is. How far behind m a neighbour was is measured in
//! units of its batch, whose m and weights it shares.
//!
//! *Together.* Where decisions are independent, taking all that is better over at once is as good
//! as one after the other, in one batch instead of many. Where the changes make no model together,
//! or one without a value, m is the best of them.
//!
//! *Values.* m is evaluated in each batch, so that it has to defend its place at the present θ.
//! Every comparison is believed: this is not for noisy values. It is made for
//! [`Alternating`](crate::Alternating), where neighbours are evaluated at the centre, so that each
//! comparison is of models alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::optimizer::told;
use crate::{Dna, ModelOptimizer, Optimizer, Space, Statistics, Stream};

/// How often another mutant is drawn in place of a change that was tried, before a new sweep
/// begins.
const REDRAWS: u32 = 256;
/// How many brief sweeps follow one over all changes.
const BRIEF: u32 = 3;
/// A brief sweep tries one in so many changes: those least behind.
const KEPT: usize = 4;
/// At most this many changes are remembered.
const MEMORY: usize = 1 << 16;

/// A sweep has nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepConfig {}

/// What a mutant has of its own: genes by their positions, and how many there are if that differs.
type Change = (Vec<(u32, u32)>, Option<u32>);

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    space: Arc<Space>,
    /// m, once there was an ask.
    stand: Option<Dna>,
    /// The value of m, once that is known.
    value: Option<f64>,
    /// The best neighbour and its value, where m is a join that has none yet: to go back to.
    fallback: Option<(Dna, f64)>,
    /// The changes tried in this sweep, and those it passes over.
    tried: BTreeSet<Change>,
    /// How far behind m each change was since the last sweep over all began, over the mean of its
    /// batch.
    worse: BTreeMap<Change, f64>,
    /// Brief sweeps since the last one over all changes.
    brief: u32,
    /// The points of the last ask, until they are told; m first.
    asked: Vec<Dna>,
}

impl Sweep {
    /// Starts anywhere in `space`.
    pub fn new(SweepConfig {}: SweepConfig, space: Arc<Space>) -> Self {
        Self {
            space,
            stand: None,
            value: None,
            fallback: None,
            tried: BTreeSet::new(),
            worse: BTreeMap::new(),
            brief: 0,
            asked: Vec::new(),
        }
    }

    /// m, once there was an ask.
    pub fn stand(&self) -> Option<&Dna> {
        self.stand.as_ref()
    }

    /// Goes back to `dna`; what was tried stays known.
    pub(crate) fn go_back(&mut self, dna: &Dna) {
        (self.stand, self.value, self.fallback) = (Some(dna.clone()), None, None);
    }

    /// A neighbour that was not tried in this sweep, or in a new one if none is left.
    fn neighbour(&mut self, of: &Dna, batch: &[Dna], stream: &mut Stream) -> Dna {
        let mut dna = self.draw(of, stream);
        // What is in the batch is not evaluated again, if that takes a sweep over all.
        for _ in 0..=BRIEF {
            if self.tried.len() < MEMORY && !self.tried.contains(&change(of, &dna)) {
                break;
            }
            self.begin_sweep();
            self.tried.extend(batch.iter().map(|dna| change(of, dna)));
            dna = self.draw(of, stream);
        }
        self.tried.insert(change(of, &dna));
        dna
    }

    /// A neighbour, untried if one is found.
    fn draw(&self, of: &Dna, stream: &mut Stream) -> Dna {
        let mut dna = self.space.neighbour(of, stream);
        for _ in 0..REDRAWS {
            if !self.tried.contains(&change(of, &dna)) {
                break;
            }
            dna = self.space.neighbour(of, stream);
        }
        dna
    }

    /// Begins a sweep: a brief one, unless it is time for one over all changes.
    fn begin_sweep(&mut self) {
        self.tried.clear();
        if self.brief == BRIEF || self.worse.is_empty() {
            self.brief = 0;
            self.worse.clear();
            return;
        }
        self.brief += 1;
        let mut worse: Vec<_> = self.worse.iter().collect();
        worse.sort_by(|a, b| a.1.total_cmp(b.1));
        let passed = worse.split_off(worse.len().div_ceil(KEPT));
        self.tried.extend(passed.into_iter().map(|(change, _)| change.clone()));
    }

    /// Notes how far its neighbours were behind m, which is worth `own`.
    fn note(&mut self, m: &Dna, own: f64, known: &[(f64, &Dna)]) {
        let mean: f64 = known.iter().map(|(v, _)| (own - v).abs() / known.len() as f64).sum();
        // One alone is as far behind as all are.
        for (value, dna) in known.iter().filter(|_| known.len() > 1) {
            let ratio = (own - value) / mean;
            // Values may be too large to compare, or all alike.
            if ratio.is_finite() {
                self.worse.insert(change(m, dna), ratio);
            }
        }
    }

    /// m with what is better, the best last; the best alone where they do not go together.
    fn join(&self, m: &Dna, better: &[(f64, &Dna)]) -> Option<Dna> {
        let (_, best) = better.last()?;
        let mut genes = m.genes().to_vec();
        for (_, dna) in better {
            let (own, None) = change(m, dna) else { return Some((*best).clone()) };
            own.into_iter().for_each(|(at, gene)| genes[at as usize] = gene);
        }
        let joined = Dna::from(genes);
        Some(if self.space.check(&joined).is_ok() { joined } else { (*best).clone() })
    }
}

fn change(from: &Dna, to: &Dna) -> Change {
    let (from, to) = (from.genes(), to.genes());
    let differs =
        |(at, gene): (usize, &u32)| (from.get(at) != Some(gene)).then_some((at as u32, *gene));
    let own = to.iter().enumerate().filter_map(differs).collect();
    (own, (from.len() != to.len()).then_some(to.len() as u32))
}

impl Optimizer for Sweep {
    type Point = Dna;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Dna> {
        let m = self.stand.take().unwrap_or_else(|| self.space.sample(stream));
        let mut points = Vec::with_capacity(n);
        points.extend((n > 0).then(|| m.clone()));
        for _ in 1..n {
            points.push(self.neighbour(&m, &points[1..], stream));
        }
        self.stand = Some(m);
        self.asked.clone_from(&points);
        points
    }

    /// A neighbour without a value changes nothing, and m without a new one keeps its old. Where it
    /// never had one the best neighbour takes its place, or what was the best alone before changes
    /// were joined.
    fn tell(&mut self, values: &[Option<f64>]) {
        let asked = std::mem::take(&mut self.asked);
        let Some((m, neighbours)) = asked.split_first() else { return };
        let defended = told(values, 0).or(self.value);
        let known = (1..).zip(neighbours).filter_map(|(at, dna)| Some((told(values, at)?, dna)));
        let known: Vec<(f64, &Dna)> = known.collect();
        if let Some(own) = defended {
            self.note(m, own, &known);
        }
        let better = |(value, _): &(f64, &Dna)| defended.is_none_or(|own| *value > own);
        let mut better: Vec<(f64, &Dna)> = known.into_iter().filter(better).collect();
        // The first of equals counts as the best.
        better.reverse();
        better.sort_by(|a, b| a.0.total_cmp(&b.0));
        let joined = match defended {
            Some(_) => self.join(m, &better),
            None => better.last().map(|(_, best)| (*best).clone()),
        };
        let before = self.fallback.take();
        (self.stand, self.value) = match (joined, better.last()) {
            (None, _) => match before.filter(|_| defended.is_none()) {
                Some((dna, value)) => (Some(dna), Some(value)),
                None => (Some(m.clone()), defended),
            },
            (Some(dna), Some((value, best))) if dna == **best => (Some(dna), Some(*value)),
            (Some(dna), best) => {
                self.fallback = best.map(|(value, best)| ((*best).clone(), *value));
                (Some(dna), None)
            }
        };
        // What m has is no change of it any more.
        if let Some(stand) = self.stand.as_ref().filter(|stand| *stand != m) {
            let has = |(at, gene): &(u32, u32)| stand.genes().get(*at as usize) == Some(gene);
            self.worse.retain(|(own, _), _| !own.iter().all(has));
        }
    }

    /// m becomes a model that leads, and has to defend its place.
    fn learn(&mut self, point: &Dna, _: f64, leads: bool) {
        if leads {
            self.go_back(point);
        }
    }

    /// Anywhere again.
    fn restart(&mut self) {
        (self.stand, self.value, self.fallback) = (None, None, None);
        self.worse.clear();
        self.begin_sweep();
    }

    fn statistics(&self) -> Statistics {
        vec![("tried", self.tried.len() as f64)]
    }
}

impl ModelOptimizer for Sweep {
    fn likeliest(&self) -> Option<Dna> {
        self.stand.clone()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::controllers::testing::{self, Script, flat, mixed, stream, sum};

    fn sweep(space: Space) -> Sweep {
        Sweep::new(SweepConfig {}, Arc::new(space))
    }

    /// Every decision has a best of its own, and all of them together are worth 0.
    fn separable(dna: &Dna) -> f64 {
        testing::separable(&dna.genes().to_vec())
    }

    fn apart(one: &Dna, other: &Dna) -> usize {
        one.genes().iter().zip(other.genes()).filter(|(a, b)| a != b).count()
    }

    #[test]
    fn conforms() {
        for space in [flat(8, 5), mixed()] {
            testing::conforms(sweep(space.clone()), |dna| space.check(dna).is_ok());
        }
    }

    #[test]
    fn resume_equals_never_stopped() {
        testing::resumes(sweep(flat(8, 5)), separable);
        testing::resumes(sweep(mixed()), sum);
    }

    #[test]
    fn golden_trace() {
        let traces = [flat(8, 5), mixed()].map(|space| testing::trace(sweep(space), sum));
        assert_eq!(traces, [6_397_178_505_910_856_765, 7_751_626_661_144_741_377]);
    }

    /// There are 32 neighbours, and little more than a sweep over them is enough.
    #[test]
    fn converges() {
        testing::converges(sweep(flat(8, 5)), separable, 9, 7);
        testing::converges(sweep(flat(8, 5)), separable, 35, 3);
    }

    /// Red when a change is tried again before the others were, or more than one decision changes
    /// at a time.
    #[test]
    fn a_sweep_tries_every_neighbour_once() {
        let mut sweep = sweep(flat(5, 4));
        let mut seen = BTreeSet::new();
        for iteration in 0..5 {
            let points = sweep.ask(4, &mut stream(iteration));
            assert_eq!(Some(&points[0]), sweep.stand());
            for dna in &points[1..] {
                assert_eq!(apart(&points[0], dna), 1);
                assert!(seen.insert(dna.clone()), "{dna:?} again");
            }
            sweep.tell(&[Some(1.0), Some(0.0), Some(0.0), Some(0.0)]);
        }
        assert_eq!(seen.len(), 15);
        let again = sweep.ask(2, &mut stream(9)).remove(1);
        assert!(seen.contains(&again), "a new sweep begins with the old neighbours");
    }

    /// Red when more or fewer are tried in a brief sweep, or others than those least behind, when
    /// neighbours are compared with those of other batches, when there are more or fewer brief
    /// sweeps, or what was passed over never comes back.
    #[test]
    fn three_sweeps_in_four_are_of_those_least_behind() {
        let mut sweep = sweep(flat(5, 4));
        let behind = |dna: &Dna| dna.genes().iter().fold(1.0, |v, g| 1.7 * v + f64::from(*g));
        let mut ratios = BTreeMap::new();
        let mut sizes = vec![];
        for round in 0..12 {
            let brief = round % 4 != 0;
            let mut expected: Vec<(f64, Dna)> =
                ratios.iter().map(|(dna, ratio): (&Dna, &f64)| (*ratio, dna.clone())).collect();
            expected.sort_by(|a, b| a.0.total_cmp(&b.0));
            let points = sweep.ask(if brief { 5 } else { 16 }, &mut stream(round));
            let tried = &points[1..];
            let values = tried.iter().map(|dna| Some(-behind(dna)));
            sweep.tell(&std::iter::once(Some(0.0)).chain(values).collect::<Vec<_>>());
            if brief {
                let expected: BTreeSet<_> = expected.drain(..4).map(|(_, dna)| dna).collect();
                assert_eq!(tried.iter().cloned().collect::<BTreeSet<_>>(), expected, "{round}");
            } else {
                ratios.clear();
            }
            let mean = tried.iter().map(behind).sum::<f64>() / tried.len() as f64;
            ratios.extend(tried.iter().map(|dna| (dna.clone(), behind(dna) / mean)));
            sizes.push(ratios.len());
        }
        assert_eq!(sizes, [15; 12]);
    }

    /// Red when a sweep that begins within a batch repeats what is in it, or ends where others are
    /// left.
    #[test]
    fn a_batch_repeats_nothing_while_others_are_left() {
        let mut sweep = sweep(flat(5, 4));
        for iteration in 0..40 {
            let points = sweep.ask(2 + iteration as usize % 15, &mut stream(iteration));
            let once: BTreeSet<_> = points.iter().collect();
            assert_eq!(once.len(), points.len(), "iteration {iteration}");
            let worth = |dna: &Dna| Some(-dna.genes().iter().map(|g| f64::from(*g)).sum::<f64>());
            sweep.tell(&points.iter().map(worth).collect::<Vec<_>>());
        }
    }

    /// Red when an equal or a worse one is taken over, when only the best is, when of two values
    /// for one decision the worse one counts, or when a neighbour without a value does.
    #[test]
    fn what_is_better_is_taken_over_together() {
        let mut sweep = sweep(flat(4, 5));
        let m = sweep.ask(1, &mut stream(0)).remove(0);
        sweep.tell(&[Some(0.0)]);
        let points = sweep.ask(13, &mut stream(1));
        // The k-th neighbour is worth k − 6, but every fifth has no value.
        let value = |k: usize| (k % 5 != 4).then_some(k as f64 - 6.0);
        let values: Vec<_> = std::iter::once(Some(0.0)).chain((0..12).map(value)).collect();
        sweep.tell(&values);
        let mut expected = m.genes().to_vec();
        for (dna, value) in points.iter().zip(&values).filter(|(_, v)| v.is_some_and(|v| v > 0.0)) {
            let (own, _) = change(&m, dna);
            own.into_iter().for_each(|(at, gene)| expected[at as usize] = gene);
            assert!(value.is_some());
        }
        assert_eq!(sweep.stand(), Some(&Dna::from(expected)));
    }

    /// Red when changes are joined to what is no model: two of a permutation exchange slots, and
    /// together they may repeat.
    #[test]
    fn where_changes_do_not_go_together_the_best_counts() {
        let space = Space::permutation(0..=3).unwrap();
        let mut met = false;
        for seed in 0..20 {
            let mut sweep = sweep(space.clone());
            let points = sweep.ask(6, &mut stream(seed));
            let values: Vec<_> = (0..6).map(|at| Some(f64::from(at))).collect();
            sweep.tell(&values);
            let stand = sweep.stand().unwrap();
            assert!(space.check(stand).is_ok());
            met |= *stand == points[5];
        }
        assert!(met, "all of them went together");
    }

    /// Red when the value of a lucky day is kept, a failure erases it, or nothing takes the place
    /// of what cannot be evaluated.
    #[test]
    fn the_stand_is_defended_where_it_can_be() {
        let mut it = sweep(flat(4, 5));
        let first = it.ask(2, &mut stream(0));
        it.tell(&[None, Some(-1.0)]);
        assert_eq!(it.stand(), Some(&first[1]), "it had no value");
        it.ask(2, &mut stream(1));
        it.tell(&[None, Some(-2.0)]);
        assert_eq!(it.stand(), Some(&first[1]), "it had been worth −1");
        let third = it.ask(2, &mut stream(2));
        it.tell(&[Some(-3.0), Some(-2.0)]);
        assert_eq!(it.stand(), Some(&third[1]), "it is worth −3 now");
        it.restart();
        assert_eq!(it.likeliest(), None);
    }

    /// Red when a sweep stays where nothing has a value, though it was somewhere that had.
    #[test]
    fn what_fails_together_is_taken_back() {
        let mut it = sweep(flat(4, 5));
        it.ask(1, &mut stream(0));
        it.tell(&[Some(0.0)]);
        let points = it.ask(9, &mut stream(1));
        it.tell(&(0..9).map(|at| Some(f64::from(at))).collect::<Vec<_>>());
        assert_ne!(it.stand(), Some(&points[8]));
        it.ask(9, &mut stream(2));
        it.tell(&[None; 9]);
        assert_eq!(it.stand(), Some(&points[8]));
    }

    /// Red when a sweep begins anew where it only goes back.
    #[test]
    fn what_was_tried_stays_known_where_it_goes_back() {
        let mut it = sweep(flat(4, 5));
        let first = it.ask(5, &mut stream(0));
        it.tell(&(0..5).map(|at| Some(f64::from(at))).collect::<Vec<_>>());
        let tried = it.tried.clone();
        it.go_back(&first[0]);
        assert_eq!((it.stand(), &it.tried), (Some(&first[0]), &tried));
        let again = it.ask(5, &mut stream(1));
        assert_eq!(again[0], first[0]);
        assert!(again[1..].iter().all(|dna| !first.contains(dna)), "{again:?}");
    }

    proptest! {
        #[test]
        fn it_stands_in_the_space(script in Script::any()) {
            let mut it = sweep(mixed());
            script.play(&mut it, |it, points, _| {
                for dna in points.iter().chain(it.stand()) {
                    assert!(mixed().check(dna).is_ok(), "{dna:?}");
                }
            });
        }
    }
}
