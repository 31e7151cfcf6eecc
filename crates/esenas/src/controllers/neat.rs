//! NEAT (Stanley and Miikkulainen 2002, "Evolving neural networks through augmenting topologies",
//! §3.3 and §4.1), §2.1.2 and Appendix A.2.1: "the original algorithm specification".
//!
//! A generation is as many evaluated individuals as the population counts. When one is complete:
//!
//! 1. Each species is represented by one of its members of the generation before, drawn at random.
//!    An individual joins the first species whose representative is within the compatibility
//!    threshold, δ ≤ δ_t, or founds its own; a species nobody joined is extinct.
//! 2. Fitness is shared: f′ᵢ = fᵢ / |species of i| (Eq. 2). Species have offspring in proportion to
//!    their sums of f′, rounded by largest remainders, as many in all as the population counts.
//! 3. A species that has not improved on its best for 15 generations has no offspring, unless it
//!    holds the generation's best. When the whole population has not improved for more than 20,
//!    only the two species of the best champions have any.
//! 4. The champion of a species of more than five is copied unchanged. The other offspring have
//!    their parents among the best fifth of the species: a quarter by mutation alone, the rest by
//!    crossover, once in a thousand with another species, and then mutated in four of five cases.
//!
//! Where the paper is silent, or speaks of networks:
//!
//! - *Genes* are what [`Variation::distance`] and [`Variation::crossover`] make of a genome; the
//!   fitter parent is passed first.
//! - *Sharing* needs f > 0. Values are shifted and scaled per generation to
//!   (f − min) / (max − min) + 1/n, so shares do not change when values do by a positive factor
//!   and a constant; the worst individual keeps a share of its own. All are 1 when values tie.
//! - *The threshold.* δ_t = 3.0 is for genomes that grow; over a fixed set of decisions δ has a
//!   scale of its own. Unless δ_t is given it is the mean distance between individuals at first,
//!   which makes about log₂ n species of unrelated ones, and then grows or shrinks by a tenth per
//!   generation that has more or fewer species than wanted; it does not shrink where no species
//!   holds two genomes that differ, for then it could split nothing.
//! - *Single parents*: a species with one survivor multiplies by mutation alone.
//! - *Refocusing* on two species starts their clocks and the population's anew, as Stanley's own
//!   code does.
//! - *Asks of any size.* Offspring are born when asked for. Between generations (because some
//!   failed, or more were asked for) further ones come from species drawn by their allotment. What
//!   is evaluated beyond a generation's number counts for the next one.

mod config;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use self::config::NeatConfig;
use super::{distinct, mean};
use crate::optimizer::told;
use crate::setting::SettingError;
use crate::{Optimizer, Statistics, Stream, Variation};

/// The factor by which a threshold that is not fixed moves.
const TENTH: f64 = 1.1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Individual<G> {
    genome: G,
    value: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Species<G> {
    /// Its members in the last complete generation, best first; never empty.
    members: Vec<Individual<G>>,
    /// The best value any member ever had.
    best: f64,
    /// Generations since then.
    stale: u32,
    /// How many of the next generation it brings forth.
    allotted: usize,
    /// How many of those are yet to be born.
    unborn: usize,
}

impl<G> Species<G> {
    fn founded_by(founder: Individual<G>) -> Self {
        let best = founder.value;
        Self { members: vec![founder], best, stale: 0, allotted: 0, unborn: 0 }
    }

    fn champion(&self) -> f64 {
        self.members[0].value
    }

    fn survivors(&self, share: f64) -> &[Individual<G>] {
        let count = (share * self.members.len() as f64).ceil() as usize;
        &self.members[..count.clamp(1, self.members.len())]
    }
}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Neat<V: Variation> {
    config: NeatConfig,
    variation: V,
    /// The last complete generation, in species, the oldest first.
    species: Vec<Species<V::Genome>>,
    /// δ_t; zero until the first generation is complete and while all genomes are alike.
    threshold: f64,
    /// Complete generations.
    generation: u64,
    /// The best value ever.
    best: Option<f64>,
    /// Generations since then.
    stale: u32,
    /// The evaluated of the generations to come, in the order they were.
    arrived: Vec<Individual<V::Genome>>,
    /// The points of the last ask, until they are told.
    asked: Vec<V::Genome>,
}

impl<V: Variation> Neat<V> {
    /// Starts with nobody.
    pub fn new(config: NeatConfig, variation: V) -> Result<Self, SettingError> {
        config.check()?;
        Ok(Self {
            config,
            variation,
            species: Vec::new(),
            threshold: config.threshold.unwrap_or(0.0),
            generation: 0,
            best: None,
            stale: 0,
            arrived: Vec::new(),
            asked: Vec::new(),
        })
    }

    fn distance(&self, one: &V::Genome, other: &V::Genome) -> f64 {
        self.variation.distance(one, other, &self.config.compatibility)
    }

    /// Turns the arrived into the generation whose offspring come next.
    fn advance(&mut self, stream: &mut Stream) {
        let generation: Vec<_> = self.arrived.drain(..self.config.population).collect();
        self.generation += 1;
        if self.config.threshold.is_none() && self.threshold == 0.0 {
            let pairs = generation.windows(2);
            let total: f64 = pairs.map(|p| self.distance(&p[0].genome, &p[1].genome)).sum();
            self.threshold = total / (generation.len() - 1).max(1) as f64;
        }
        let widest = self.speciate(generation, stream);
        if self.config.threshold.is_none() {
            if self.species.len() > self.config.species {
                self.threshold *= TENTH;
            } else if self.species.len() < self.config.species && widest > 0.0 {
                self.threshold /= TENTH;
            }
        }
        self.keep_clocks();
        self.allot();
    }

    /// Step 1. Returns the largest distance between a member and its representative.
    fn speciate(&mut self, generation: Vec<Individual<V::Genome>>, stream: &mut Stream) -> f64 {
        let represent = |species: &mut Species<V::Genome>| {
            let chosen = stream.index(species.members.len());
            let representative = species.members.swap_remove(chosen).genome;
            species.members.clear();
            species.stale += 1;
            representative
        };
        let mut representatives: Vec<_> = self.species.iter_mut().map(represent).collect();
        let mut widest: f64 = 0.0;
        for individual in generation {
            let home = representatives
                .iter()
                .map(|representative| self.distance(representative, &individual.genome))
                .enumerate()
                .find(|(_, distance)| *distance <= self.threshold);
            if let Some((at, distance)) = home {
                widest = widest.max(distance);
                self.species[at].members.push(individual);
            } else {
                representatives.push(individual.genome.clone());
                self.species.push(Species::founded_by(individual));
            }
        }
        self.species.retain(|species| !species.members.is_empty());
        widest
    }

    /// Ranks the members of each species, and notes who has improved.
    fn keep_clocks(&mut self) {
        for species in &mut self.species {
            species.members.sort_by(|one, two| two.value.total_cmp(&one.value));
            if species.best < species.champion() {
                (species.best, species.stale) = (species.champion(), 0);
            }
        }
        let champion = self.species.iter().map(Species::champion).reduce(f64::max);
        self.stale += 1;
        if self.best < champion {
            (self.best, self.stale) = (champion, 0);
        }
    }

    /// Steps 2 and 3.
    fn allot(&mut self) {
        let mut ranking: Vec<usize> = (0..self.species.len()).collect();
        ranking.sort_by(|&a, &b| self.species[b].champion().total_cmp(&self.species[a].champion()));
        let refocus = self.stale > self.config.refocus;
        if refocus {
            self.stale = 0;
            ranking.iter().take(2).for_each(|&at| self.species[at].stale = 0);
        }
        let mut shares = self.shares();
        for (place, &at) in ranking.iter().enumerate() {
            let stagnant = self.species[at].stale >= self.config.stagnation && place > 0;
            if stagnant || refocus && place > 1 {
                shares[at] = 0.0;
            }
        }
        let allotted = apportion(&shares, self.config.population);
        for (species, allotted) in self.species.iter_mut().zip(allotted) {
            (species.allotted, species.unborn) = (allotted, allotted);
        }
    }

    /// Per species, the sum of f′ over its members: the mean of their shifted values.
    fn shares(&self) -> Vec<f64> {
        let values = || self.species.iter().flat_map(|s| &s.members).map(|i| i.value);
        // Halved, so that the range of any two finite values is finite.
        let low = 0.5 * values().fold(f64::INFINITY, f64::min);
        let range = 0.5 * values().fold(f64::NEG_INFINITY, f64::max) - low;
        let least = 1.0 / self.config.population as f64;
        let shifted =
            |value: f64| if range > 0.0 { (0.5 * value - low) / range + least } else { 1.0 };
        let share = |species: &Species<V::Genome>| {
            let total: f64 = species.members.iter().map(|i| shifted(i.value)).sum();
            total / species.members.len() as f64
        };
        self.species.iter().map(share).collect()
    }

    fn offspring(&mut self, stream: &mut Stream) -> V::Genome {
        if self.species.is_empty() {
            return self.variation.initial(stream);
        }
        let Some(at) = self.species.iter().position(|species| species.unborn > 0) else {
            let mut ticket = stream.index(self.config.population);
            let drawn = |species: &Species<V::Genome>| {
                let hit = ticket < species.allotted;
                ticket = ticket.saturating_sub(species.allotted);
                hit
            };
            let at = self.species.iter().position(drawn).unwrap_or(0);
            return self.breed(at, stream);
        };
        let species = &mut self.species[at];
        let first = species.unborn == species.allotted;
        species.unborn -= 1;
        if first && species.members.len() > self.config.champion {
            return species.members[0].genome.clone();
        }
        self.breed(at, stream)
    }

    /// Step 4.
    fn breed(&self, at: usize, stream: &mut Stream) -> V::Genome {
        let parents = self.species[at].survivors(self.config.survival);
        let chosen = stream.index(parents.len());
        let one = &parents[chosen];
        let mate = if !stream.chance(self.config.crossover) {
            None
        } else if self.species.len() > 1 && stream.chance(self.config.interspecies) {
            let elsewhere = (at + 1 + stream.index(self.species.len() - 1)) % self.species.len();
            let others = self.species[elsewhere].survivors(self.config.survival);
            Some(&others[stream.index(others.len())])
        } else if parents.len() > 1 {
            Some(&parents[(chosen + 1 + stream.index(parents.len() - 1)) % parents.len()])
        } else {
            None
        };
        let Some(two) = mate else { return self.variation.mutate(&one.genome, stream) };
        let (fitter, other) = if one.value < two.value { (two, one) } else { (one, two) };
        let child = self.variation.crossover(&fitter.genome, &other.genome, stream);
        if stream.chance(self.config.mutation) {
            self.variation.mutate(&child, stream)
        } else {
            child
        }
    }
}

/// `seats` in proportion to `shares`, which are not all zero, by largest remainders: whole parts
/// first, then one each in order of what is left, the first of equals first.
fn apportion(shares: &[f64], seats: usize) -> Vec<usize> {
    let total: f64 = shares.iter().sum();
    let quotas: Vec<f64> = shares.iter().map(|share| share / total * seats as f64).collect();
    let mut allotted: Vec<usize> = quotas.iter().map(|quota| quota.floor() as usize).collect();
    let mut order: Vec<usize> = (0..shares.len()).filter(|&at| shares[at] > 0.0).collect();
    order.sort_by(|&a, &b| quotas[b].fract().total_cmp(&quotas[a].fract()));
    let left = seats.saturating_sub(allotted.iter().sum());
    order.iter().cycle().take(left).for_each(|&at| allotted[at] += 1);
    allotted
}

impl<V: Variation> Optimizer for Neat<V> {
    type Point = V::Genome;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<V::Genome> {
        // Here, not in `tell`: representatives are drawn.
        while self.arrived.len() >= self.config.population {
            self.advance(stream);
        }
        let points: Vec<V::Genome> = (0..n).map(|_| self.offspring(stream)).collect();
        self.asked.clone_from(&points);
        points
    }

    /// An offspring without a value is not part of any generation.
    fn tell(&mut self, values: &[Option<f64>]) {
        for (index, genome) in self.asked.drain(..).enumerate() {
            if let Some(value) = told(values, index) {
                self.arrived.push(Individual { genome, value });
            }
        }
    }

    /// It arrives as a child would.
    fn learn(&mut self, point: &V::Genome, value: f64, _: bool) {
        self.asked = vec![point.clone()];
        self.tell(&[Some(value)]);
    }

    /// Of the last complete generation; staleness is in generations.
    fn statistics(&self) -> Statistics {
        let members: Vec<_> = self.species.iter().flat_map(|s| &s.members).collect();
        let stale = self.species.iter().map(|s| s.stale).max().unwrap_or(0);
        let mut statistics = vec![
            ("generation", self.generation as f64),
            ("species", self.species.len() as f64),
            ("threshold", self.threshold),
            ("stale", f64::from(self.stale)),
            ("stalest_species", f64::from(stale)),
            ("distinct", distinct(members.iter().map(|i| &i.genome))),
        ];
        if let Some(best) = members.iter().map(|i| i.value).reduce(f64::max) {
            let mean = mean(members.iter().map(|i| i.value));
            statistics.extend([("population_best", best), ("population_mean", mean)]);
        }
        statistics
    }
}
