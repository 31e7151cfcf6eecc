//! NSGA-II (Deb, Pratap, Agarwal and Meyarivan 2002, "A fast and elitist multiobjective genetic
//! algorithm: NSGA-II"), for two objectives: a model's value, maximized, and its cost, minimized.
//!
//! One model *dominates* another if it is no worse in both objectives and better in one. Rank 0 are
//! the models nobody dominates, rank 1 those only rank 0 dominates, and so on. Within a rank, the
//! *crowding distance* is how far apart a model's two neighbours are, added up over the objectives,
//! each in units of its range; the outermost have an infinite one. The crowded comparison prefers
//! the lower rank, then the larger distance.
//!
//! A child's parents each win a binary tournament by the crowded comparison; they are crossed with
//! probability p_c, and the child is mutated with probability p_m, or if it would be a copy of a
//! parent. Parents and children live together until `population` values have come back, then the
//! best `population` of all by the crowded comparison are the parents (μ + λ). So asks may have any
//! size: children asked for in between have the same parents. Until the first time, points are
//! drawn uniformly.
//!
//! **A DNA evaluated again** is one individual all along, with the mean of its values: under noise
//! the front is not one of lucky draws, and no model crowds itself. (Where θ moves on beneath the
//! models, what is stale weighs as much as what is new.) Ranks and distances of parents are those
//! of the last selection.
//!
//! With two objectives, ranks need no pairwise comparison: in order of cost, the best value of each
//! rank so far says which ranks dominate the next model (Jensen 2003), in O(n log n).

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::optimizer::told;
use crate::setting::{SettingError, within};
use crate::space::{Cost, Price};
use crate::{Dna, ModelOptimizer, Optimizer, Space, Statistics, Stream, Variation};

/// Hyperparameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Nsga2Config {
    /// How many are parents. Deb et al. have 100.
    pub population: usize,
    /// What a model costs: the objective to minimize.
    pub cost: Cost,
    /// p_c, the probability of a child having two parents. Deb et al. have 0.9.
    pub crossover: f64,
    /// p_m, the probability of a child being mutated, in one decision. 0.63, near that of Deb et
    /// al. changing anything: they change each of ℓ decisions with probability 1/ℓ.
    pub mutation: f64,
}

impl Default for Nsga2Config {
    fn default() -> Self {
        Self { population: 100, cost: Cost::Active, crossover: 0.9, mutation: 0.63 }
    }
}

/// A model, and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Individual {
    dna: Dna,
    /// The mean of its values.
    value: f64,
    /// How many there are.
    count: u64,
    cost: f64,
}

/// An individual's standing at the last selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Standing {
    rank: u32,
    crowding: f64,
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nsga2 {
    config: Nsga2Config,
    space: Arc<Space>,
    price: Price,
    /// Parents and children, in the order of their DNA, each once.
    living: Vec<Individual>,
    /// Who won the last selection, with their standing then.
    parents: Vec<(Dna, Standing)>,
    /// Values since the last selection.
    evaluated: usize,
    /// The points of the last ask, until they are told.
    asked: Vec<Dna>,
}

impl Nsga2 {
    /// Starts with nobody.
    pub fn new(config: Nsga2Config, space: Arc<Space>) -> Result<Self, SettingError> {
        if config.population < 2 {
            return Err(SettingError::must("population", "be at least 2", config.population));
        }
        for (name, value) in [("crossover", config.crossover), ("mutation", config.mutation)] {
            within(name, value, 0.0..=1.0, "be from 0 to 1")?;
        }
        if config.cost == Cost::Measured {
            let what = "must be a cost of models; goals that are measured are `objectives`";
            return Err(SettingError::new("cost", what));
        }
        let price = config.cost.price(&space)?;
        let (living, parents, asked) = Default::default();
        Ok(Self { config, space, price, living, parents, evaluated: 0, asked })
    }

    /// The models that nobody alive dominates, with value and cost, cheapest first; of models that
    /// are equal in both, all.
    pub fn front(&self) -> Vec<(&Dna, f64, f64)> {
        let ranks = ranks(&self.living);
        let first = self.living.iter().zip(ranks).filter(|(_, rank)| *rank == 0);
        let mut front: Vec<_> = first.map(|(i, _)| (&i.dna, i.value, i.cost)).collect();
        front.sort_by(|one, other| one.2.total_cmp(&other.2));
        front
    }

    /// The better of two random parents.
    fn tournament(&self, stream: &mut Stream) -> &Dna {
        let mut draw = || &self.parents[stream.index(self.parents.len())];
        let (one, other) = (draw(), draw());
        if crowded(&other.1, &one.1) == Ordering::Less { &other.0 } else { &one.0 }
    }

    fn child(&self, stream: &mut Stream) -> Dna {
        if self.parents.is_empty() {
            return self.space.sample(stream);
        }
        let (one, other) = (self.tournament(stream), self.tournament(stream));
        let child = if stream.chance(self.config.crossover) {
            Variation::crossover(&self.space, one, other, stream)
        } else {
            one.clone()
        };
        let copy = child == *one || child == *other;
        if stream.chance(self.config.mutation) || copy {
            return self.space.neighbour(&child, stream);
        }
        child
    }

    fn record(&mut self, dna: Dna, value: f64) {
        self.evaluated += 1;
        match self.living.binary_search_by(|individual| individual.dna.cmp(&dna)) {
            Ok(at) => self.living[at].record(value),
            Err(at) => {
                // A cost beyond all numbers is the largest of them: distances are differences.
                let cost = self.price.of(&self.space, &dna).min(f64::MAX);
                self.living.insert(at, Individual { dna, value, count: 1, cost });
            }
        }
    }

    /// The best `population` of the living stay, and are the parents.
    fn select(&mut self) {
        let standings = standings(&self.living);
        let mut order: Vec<usize> = (0..self.living.len()).collect();
        // Stable, from the order of the DNA: who stays is determined.
        order.sort_by(|&one, &other| crowded(&standings[one], &standings[other]));
        order.truncate(self.config.population);
        order.sort_unstable();
        self.living = order.iter().map(|&at| self.living[at].clone()).collect();
        let winners = self.living.iter().zip(order);
        self.parents = winners.map(|(i, at)| (i.dna.clone(), standings[at])).collect();
        self.evaluated = 0;
    }
}

impl Individual {
    fn record(&mut self, value: f64) {
        self.count += 1;
        let (delta, count) = (value - self.value, self.count as f64);
        // The difference of two numbers may be none.
        self.value +=
            if delta.is_finite() { delta / count } else { value / count - self.value / count };
    }
}

/// The crowded comparison: better first.
fn crowded(one: &Standing, other: &Standing) -> Ordering {
    one.rank.cmp(&other.rank).then(other.crowding.total_cmp(&one.crowding))
}

/// The order in which [`ranks`] takes individuals: cheap ones first, of equal cost the better.
fn by_cost(individuals: &[Individual]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..individuals.len()).collect();
    order.sort_by(|&one, &other| {
        let (one, other) = (&individuals[one], &individuals[other]);
        one.cost.total_cmp(&other.cost).then(other.value.total_cmp(&one.value))
    });
    order
}

/// How many fronts stand before each.
fn ranks(individuals: &[Individual]) -> Vec<u32> {
    let mut ranks = vec![0; individuals.len()];
    let mut best: Vec<f64> = Vec::new(); // Of each rank, the value so far; falling.
    let mut previous: Option<usize> = None;
    for at in by_cost(individuals) {
        let Individual { value, cost, .. } = individuals[at];
        let same =
            previous.filter(|&p| individuals[p].value == value && individuals[p].cost == cost);
        // All before are as cheap: a rank dominates if its best is as good. Equals do not.
        let rank = match same {
            Some(previous) => ranks[previous] as usize,
            None => best.partition_point(|best| *best >= value),
        };
        match best.get_mut(rank) {
            Some(best) => *best = value,
            None => best.push(value),
        }
        ranks[at] = rank as u32;
        previous = Some(at);
    }
    ranks
}

/// Rank and crowding distance of each.
fn standings(individuals: &[Individual]) -> Vec<Standing> {
    let ranks = ranks(individuals);
    let mut standings: Vec<_> =
        ranks.iter().map(|&rank| Standing { rank, crowding: 0.0 }).collect();
    let mut order = by_cost(individuals);
    order.sort_by_key(|&at| ranks[at]);
    for front in order.chunk_by(|&one, &other| ranks[one] == ranks[other]) {
        let [first, last] = [front[0], front[front.len() - 1]];
        for of in [|i: &Individual| i.cost, |i: &Individual| i.value] {
            // Halves, for the difference of two numbers may be none.
            let gap = |one: usize, other: usize| {
                (0.5 * of(&individuals[one]) - 0.5 * of(&individuals[other])).abs()
            };
            let range = gap(first, last);
            for three in front.windows(3).filter(|_| range > 0.0) {
                standings[three[1]].crowding += gap(three[0], three[2]) / range;
            }
        }
        // Deb et al. write infinity; the largest number is as far from all others, and a state
        // of finite numbers survives any form it is written in.
        standings[first].crowding = f64::MAX;
        standings[last].crowding = f64::MAX;
    }
    standings
}

impl Optimizer for Nsga2 {
    type Point = Dna;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Dna> {
        self.asked = (0..n).map(|_| self.child(stream)).collect();
        self.asked.clone()
    }

    /// A point without a value is not born.
    fn tell(&mut self, values: &[Option<f64>]) {
        for (at, dna) in std::mem::take(&mut self.asked).into_iter().enumerate() {
            if let Some(value) = told(values, at) {
                self.record(dna, value);
            }
        }
        if self.evaluated >= self.config.population {
            self.select();
        }
    }

    /// It is born as a child would be.
    fn learn(&mut self, point: &Dna, value: f64, _: bool) {
        self.asked = vec![point.clone()];
        self.tell(&[Some(value)]);
    }

    /// How many live, how many of them nobody dominates, and the largest value among them.
    fn statistics(&self) -> Statistics {
        let first = ranks(&self.living).into_iter().filter(|rank| *rank == 0).count();
        let mut statistics = vec![("living", self.living.len() as f64), ("front", first as f64)];
        let best = self.living.iter().map(|individual| individual.value).reduce(f64::max);
        statistics.extend(best.map(|best| ("living_best", best)));
        statistics
    }
}

impl ModelOptimizer for Nsga2 {}

#[cfg(test)]
#[path = "nsga2_tests.rs"]
mod tests;
