//! Iterated local search (Lourenço, Martin and Stützle 2003, "Iterated local search"), made for
//! orders.
//!
//! ```text
//! m′ ← m with one decision changed;  if f(m′) ≥ f(m): m ← m′
//! after as many tries in vain as m has neighbours:  m ← the best model with three changes
//! ```
//!
//! *Moves.* A slot of an order is exchanged, inserted elsewhere, or a stretch is reversed, and
//! which of them helps depends on the problem: of a tour reversals, of a schedule insertions. Each
//! is drawn in proportion to its recent rate of success (probability matching, Goldberg 1990), and
//! one time in twenty at least.
//!
//! *Batches.* Of n points all are neighbours of m, and the best of them competes. What was better
//! too is tried again next, as the same change of the new m. *Start*: until a model has a value,
//! points are drawn uniformly. *Ties*: a neighbour as good as m replaces it. *Age*:
//! m keeps the value it won with, so this is for values that are the same each time.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::optimizer::told;
use crate::space::Move;
use crate::{Dna, ModelOptimizer, Optimizer, Purpose, Seed, Space, Statistics, Stream};

/// How many changes lead away from the best model.
const KICK: u32 = 3;
/// How often each move is drawn at least.
const LEAST: f64 = 0.05;
/// What a try weighs after another one.
const MEMORY: f64 = 0.99;
/// The rate of success of a move that was not tried lately.
const PRIOR: f64 = 0.2;

/// There is nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalSearchConfig {}

/// Recent tries and successes of each move, in the order of [`Move::ALL`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Rates {
    tries: [f64; 3],
    successes: [f64; 3],
}

impl Rates {
    fn new() -> Self {
        Self { tries: [1.0; 3], successes: [PRIOR; 3] }
    }

    /// The probability of each move.
    fn probabilities(&self) -> [f64; 3] {
        let rate = |at: usize| self.successes[at] / self.tries[at];
        let sum: f64 = (0..3).map(rate).sum();
        [0, 1, 2].map(|at| {
            let share = if sum > 0.0 { rate(at) / sum } else { 1.0 / 3.0 };
            LEAST + (1.0 - 3.0 * LEAST) * share
        })
    }

    fn draw(&self, stream: &mut Stream) -> Move {
        let [exchange, insert, _] = self.probabilities();
        match stream.unit() {
            at if at < exchange => Move::Exchange,
            at if at < exchange + insert => Move::Insert,
            _ => Move::Reverse,
        }
    }

    fn note(&mut self, by: Move, success: bool) {
        for (tries, successes) in self.tries.iter_mut().zip(&mut self.successes) {
            *tries *= MEMORY;
            *successes *= MEMORY;
        }
        let at = Move::ALL.iter().position(|it| *it == by).unwrap_or(0);
        self.tries[at] += 1.0;
        self.successes[at] += f64::from(success);
        for (tries, successes) in self.tries.iter_mut().zip(&mut self.successes) {
            // What was forgotten is as it was at first.
            *successes += PRIOR * (1.0 - *tries).max(0.0);
            *tries = tries.max(1.0);
        }
    }
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocalSearch {
    space: Arc<Space>,
    /// m and its value; none at first, and after a kick.
    stand: Option<(Dna, f64)>,
    /// The best model and its value.
    best: Option<(Dna, f64)>,
    /// Tries since m was last improved.
    idle: u64,
    kicks: u64,
    rates: Rates,
    /// Changes that were better, but not the best of their batch.
    again: Vec<Change>,
    /// The points of the last ask, until they are told.
    asked: Vec<Try>,
}

/// How a neighbour is made: by the draws from a stream of its own, and by this move of an order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Change {
    seed: u64,
    by: Option<Move>,
}

/// A point that was asked for; of a neighbour, how it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Try {
    dna: Dna,
    change: Option<Change>,
}

impl LocalSearch {
    /// Starts anywhere in `space`.
    pub fn new(LocalSearchConfig {}: LocalSearchConfig, space: Arc<Space>) -> Self {
        let (idle, kicks, rates) = (0, 0, Rates::new());
        let (again, asked) = (Vec::new(), Vec::new());
        Self { space, stand: None, best: None, idle, kicks, rates, again, asked }
    }

    /// m and its value.
    pub fn stand(&self) -> Option<(&Dna, f64)> {
        self.stand.as_ref().map(|(dna, value)| (dna, *value))
    }

    /// A neighbour by a change; where that names no move, by one that is drawn.
    fn neighbour(&self, of: &Dna, change: Change) -> Try {
        let mut stream = Seed(change.seed).stream(Purpose::Ask, 0, 0);
        let index = stream.below(self.space.changeable(of));
        let how = |stream: &mut Stream| {
            let drawn = self.rates.draw(stream);
            change.by.unwrap_or(drawn)
        };
        let (dna, by) = self.space.change(of, index, how, &mut stream);
        Try { dna, change: Some(Change { by, ..change }) }
    }

    fn kicked(&self, best: &Dna, stream: &mut Stream) -> Try {
        let change = |dna: Dna, _| self.neighbour(&dna, fresh(stream)).dna;
        Try { dna: (0..KICK).fold(best.clone(), change), change: None }
    }

    /// How many neighbours m has, about: those by exchanges and by changed values.
    fn neighbours(&self, m: &Dna) -> u64 {
        let mut sum = 0;
        self.space.visit(m, |decision, _| sum += u64::from(decision.arity - 1));
        sum
    }

    /// Leaves m if nothing there was better for long.
    fn leave_if_stuck(&mut self) {
        let Some((m, value)) = &self.stand else { return };
        if self.idle <= self.neighbours(m) {
            return;
        }
        if self.best.as_ref().is_none_or(|(_, best)| value >= best) {
            self.best = self.stand.take();
        }
        (self.stand, self.idle) = (None, 0);
        self.again.clear();
        self.kicks += 1;
    }
}

/// A change that nobody made yet.
fn fresh(stream: &mut Stream) -> Change {
    Change { seed: stream.bits(), by: None }
}

impl Optimizer for LocalSearch {
    type Point = Dna;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Dna> {
        let mut again = std::mem::take(&mut self.again);
        let point = |_| match (&self.stand, &self.best) {
            (Some((m, _)), _) => self.neighbour(m, again.pop().unwrap_or_else(|| fresh(stream))),
            (None, Some((best, _))) => self.kicked(best, stream),
            (None, None) => Try { dna: self.space.sample(stream), change: None },
        };
        self.asked = (0..n).map(point).collect();
        self.again = again;
        self.asked.iter().map(|it| it.dna.clone()).collect()
    }

    /// A neighbour without a value does not compete, and is no try.
    fn tell(&mut self, values: &[Option<f64>]) {
        let asked = std::mem::take(&mut self.asked).into_iter().enumerate();
        let known: Vec<_> = asked.filter_map(|(at, it)| Some((it, told(values, at)?))).collect();
        let own = self.stand.as_ref().map(|(_, value)| *value);
        let Some(best) = known.iter().map(|(_, value)| *value).reduce(f64::max) else { return };
        self.idle += known.len() as u64;
        let mut taken = own.is_some_and(|own| best < own);
        for (it, value) in known {
            let risen = own.is_some_and(|own| value > own);
            if let (Some(by), Some(_)) = (it.change.and_then(|change| change.by), own) {
                self.rates.note(by, risen);
            }
            if !taken && value == best {
                (self.stand, taken) = (Some((it.dna, value)), true);
            } else {
                self.again.extend(it.change.filter(|_| risen));
            }
        }
        if own.is_none_or(|own| best > own) {
            self.idle = 0;
        }
        self.leave_if_stuck();
    }

    /// Values are those of a θ that was given up: it starts at the best model, not yet evaluated
    /// anew.
    fn restart(&mut self) {
        let best = self.best.take().into_iter().chain(self.stand.take());
        let best = best.reduce(|one, other| if other.1 > one.1 { other } else { one });
        (self.best, self.idle) = (best, 0);
        self.again.clear();
    }

    fn statistics(&self) -> Statistics {
        let [exchange, insert, reverse] = self.rates.probabilities();
        let mut statistics = vec![
            ("kicks", self.kicks as f64),
            ("exchange", exchange),
            ("insert", insert),
            ("reverse", reverse),
        ];
        statistics.extend(self.stand().map(|(_, value)| ("incumbent", value)));
        statistics
    }
}

impl ModelOptimizer for LocalSearch {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::controllers::testing::{self, Script, flat, mixed, stream, sum};

    fn local_search(space: Space) -> LocalSearch {
        LocalSearch::new(LocalSearchConfig {}, Arc::new(space))
    }

    /// The length of a tour through points on a circle, of which the shortest goes around.
    fn tour(dna: &Dna) -> f64 {
        let n = dna.genes().len();
        let angle = |at: usize| std::f64::consts::TAU * f64::from(dna.genes()[at % n]) / n as f64;
        let step = |at: usize| (0.5 * (angle(at) - angle(at + 1))).sin().abs();
        -(0..n).map(step).sum::<f64>()
    }

    /// The sum of |gene − slot|: an exchange mends two slots, a reversal breaks many.
    fn misplaced(dna: &Dna) -> f64 {
        let miss = |(slot, gene): (u32, &u32)| f64::from(gene.abs_diff(slot));
        -(0..).zip(dna.genes()).map(miss).sum::<f64>()
    }

    #[test]
    fn conforms() {
        testing::conforms(local_search(mixed()), |dna| mixed().check(dna).is_ok());
    }

    #[test]
    fn resume_equals_never_stopped() {
        testing::resumes(local_search(mixed()), sum);
    }

    #[test]
    fn golden_trace() {
        assert_eq!(testing::trace(local_search(mixed()), sum), 6_116_506_025_373_183_550);
    }

    #[test]
    fn converges() {
        testing::converges(local_search(Space::permutation(0..=11).unwrap()), misplaced, 2, 3000);
    }

    /// Red when moves are drawn alike, or the table of successes is off by one.
    #[test]
    fn the_move_that_helps_is_drawn_most() {
        let mut search = local_search(Space::permutation(0..=39).unwrap());
        let mut drawn = [0; 3];
        for iteration in 0..500 {
            let points = search.ask(2, &mut stream(iteration));
            for (at, by) in Move::ALL.into_iter().enumerate() {
                drawn[at] += search
                    .asked
                    .iter()
                    .filter_map(|it| it.change?.by)
                    .filter(|made| *made == by)
                    .count();
            }
            search.tell(&points.iter().map(|dna| Some(tour(dna))).collect::<Vec<_>>());
        }
        let [exchange, insert, reverse] = drawn;
        assert!(reverse > exchange.max(insert), "{drawn:?}");
    }

    #[test]
    fn moves_are_drawn_by_their_recent_successes() {
        let mut rates = Rates::new();
        assert_eq!(rates.probabilities(), [1.0 / 3.0; 3]);
        for at in 0..600 {
            rates.note(Move::ALL[at % 3], at % 3 == 1 && at % 2 == 0);
        }
        let [exchange, insert, reverse] = rates.probabilities();
        assert!(insert > 0.85 && exchange >= LEAST && reverse >= LEAST, "{rates:?}");
        // What is not tried is forgotten.
        (0..2000).for_each(|_| rates.note(Move::Reverse, false));
        let [exchange, insert, _] = rates.probabilities();
        assert!((exchange - insert).abs() < 1e-6, "{rates:?}");
    }

    /// No single change leads from all zeros to all ones. Red when it stays, or forgets the best.
    #[test]
    fn it_leaves_a_local_optimum_and_comes_back_to_the_best() {
        let value = |dna: &Dna| match dna.genes() {
            [1, 1, 1] => 2.0,
            genes => -f64::from(genes.iter().sum::<u32>()),
        };
        let mut search = local_search(flat(3, 2));
        search.best = Some((Dna::from([0, 0, 0]), 0.0));
        let mut found = f64::NEG_INFINITY;
        for iteration in 0..200 {
            let points = search.ask(1, &mut stream(iteration));
            let values: Vec<_> = points.iter().map(|dna| Some(value(dna))).collect();
            found = values.iter().flatten().copied().fold(found, f64::max);
            search.tell(&values);
            assert!(search.best.as_ref().is_some_and(|(_, best)| *best >= 0.0));
        }
        assert_eq!(found, 2.0);
    }

    proptest! {
        #[test]
        fn it_stands_in_the_space_and_never_falls_but_by_a_kick(script in Script::any()) {
            let mut search = local_search(mixed());
            let (mut before, mut kicks) = (f64::NEG_INFINITY, 0);
            script.play(&mut search, |search, points, _| {
                for dna in points.iter().chain(search.stand().map(|(dna, _)| dna)) {
                    assert!(mixed().check(dna).is_ok(), "{dna:?}");
                }
                let Some((_, value)) = search.stand() else { return };
                assert!(value >= before || search.kicks > kicks);
                (before, kicks) = (value, search.kicks);
            });
        }
    }
}
