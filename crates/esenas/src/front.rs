//! Several goals at once: evolution of a front over (𝓜, ℝᵈ), after NSGA-II.
//!
//! Deb, Pratap, Agarwal and Meyarivan 2002, "A fast and elitist multiobjective genetic algorithm:
//! NSGA-II". One design *dominates* another if it is no worse in every goal and better in one. Rank
//! 0 is what nobody dominates, rank 1 what only rank 0 does, and so on. Parents and children live
//! together; the best ranks are the next parents (μ + λ), and of the rank that does not fit whole
//! those are left out, one after the other, that add least:
//!
//! - with two goals the least area, which no other design dominates (Beume, Naujoks and Emmerich
//!   2007, "SMS-EMOA"): what is kept is spread as the area asks for;
//! - with more the least crowding distance, as NSGA-II has it.
//!
//! Designs that keep to all limits come before those that do not, and of these the smaller
//! violation ([`feasible_first`](crate::shaping::feasible_first) is the same order).
//!
//! A child has two parents, each the better of two by rank, then at random. Its model is crossed
//! from theirs and changed in one decision; its θ comes in halves from
//!
//! - simulated binary crossover (Deb and Agrawal 1995) with η = 15, which stays near the parents;
//! - a step of differential evolution (Storn and Price 1997), x + F (y − z) of two others, which
//!   follows the scale and the direction of the front: in every coordinate, or in each with
//!   probability ½;
//!
//! and then polynomial mutation with η = 20 in one coordinate of d. Steps that leave the box end at
//! its border. A child that is in the population already is mutated until it is not.

mod ranks;
mod vary;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::joint::{Candidate, Role};
use crate::setting::{SettingError, within};
use crate::weights::check_point;
use crate::{Bounds, Dna, Space, Statistics, Stream, Theta, Variation};
use ranks::{Ranked, dominates};

pub use ranks::hypervolume;

/// The most goals: beyond it hardly any design dominates another.
pub const MOST_GOALS: usize = 4;

/// Hyperparameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrontConfig {
    /// μ, how many designs are kept.
    pub population: usize,
    /// λ, how many are evaluated in an iteration; a fifth of those when left out.
    pub children: Option<usize>,
    /// How often a child's model has two parents. Deb et al. have 0.9.
    pub crossover: f64,
    /// How often a decision of its model is changed, of designs without numbers; beside d numbers
    /// L decisions are changed L/(L + d) as often.
    pub mutation: f64,
}

impl Default for FrontConfig {
    fn default() -> Self {
        Self { population: 100, children: None, crossover: 0.9, mutation: 0.63 }
    }
}

/// What was measured of a design: how good it is in each goal, higher being better, and by how
/// much it exceeds limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goals {
    /// One value for each goal.
    pub values: Vec<f64>,
    /// 0 of a feasible design.
    pub violation: f64,
}

/// A design and what was measured of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// m
    pub dna: Dna,
    /// θ, before rounding to a grid.
    theta: Vec<f64>,
    /// What was measured.
    pub goals: Goals,
    /// When it was evaluated: how many were told before.
    pub evaluation: u64,
    /// How many ranks stand before it.
    rank: u32,
}

impl Ranked for Member {
    fn goals(&self) -> &Goals {
        &self.goals
    }
}

/// The state of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Front {
    config: FrontConfig,
    space: Arc<Space>,
    /// Where θ starts.
    theta: Vec<f64>,
    bounds: Option<Bounds>,
    /// The parents.
    living: Vec<Member>,
    /// What areas are measured from: the worst of each goal, of the feasible designs of the first
    /// iteration that had one.
    reference: Option<Vec<f64>>,
    /// How many evaluations were told.
    told: u64,
    /// The points of the last ask, until they are told.
    asked: Vec<(Dna, Vec<f64>)>,
}

impl Front {
    /// Starts around `theta`, with nobody.
    pub fn new(
        config: FrontConfig,
        space: Arc<Space>,
        theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, SettingError> {
        if config.population < 4 {
            return Err(SettingError::must("population", "be at least 4", config.population));
        }
        if config.children == Some(0) {
            return Err(SettingError::must("children", "be at least 1", 0));
        }
        for (name, value) in [("crossover", config.crossover), ("mutation", config.mutation)] {
            within(name, value, 0.0..=1.0, "be from 0 to 1")?;
        }
        check_point(&theta, bounds.as_ref())?;
        let (living, reference, told, asked) = (Vec::new(), None, 0, Vec::new());
        Ok(Self { config, space, theta, bounds, living, reference, told, asked })
    }

    /// How many points an iteration asks for: all of a first generation, then children.
    pub fn population(&self) -> usize {
        let FrontConfig { population, children, .. } = self.config;
        match self.living.is_empty() {
            true => population,
            false => children.unwrap_or(population.div_ceil(5)),
        }
    }

    /// The designs that nobody dominates, by their first goal; of the feasible ones if there are
    /// any.
    pub fn members(&self) -> Vec<&Member> {
        let mut front: Vec<&Member> = self.living.iter().filter(|it| it.rank == 0).collect();
        front.sort_by(|one, other| {
            let goals = one.goals.values.iter().zip(&other.goals.values);
            let first = goals.map(|(a, b)| b.total_cmp(a)).find(|order| order.is_ne());
            first.unwrap_or(one.evaluation.cmp(&other.evaluation))
        });
        front
    }

    /// θ of a member, as it was evaluated.
    pub fn theta_of(&self, member: &Member) -> Vec<f64> {
        self.settle(member.theta.clone()).to_vec()
    }

    /// Proposes `n` points.
    pub fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Candidate> {
        self.asked = Vec::with_capacity(n);
        for _ in 0..n {
            let child = self.child(stream);
            self.asked.push(child);
        }
        let candidate = |(dna, theta): &(Dna, Vec<f64>)| Candidate {
            dna: dna.clone(),
            theta: self.settle(theta.clone()),
            role: Role::Probe,
        };
        self.asked.iter().map(candidate).collect()
    }

    /// Learns from what was measured of the points last asked for. A point of which nothing was
    /// measured is not born.
    pub fn tell(&mut self, goals: &[Option<Goals>]) {
        let born = std::mem::take(&mut self.asked).into_iter().zip(goals);
        for ((dna, theta), goals) in born {
            let Some(goals) = goals.clone().filter(|it| it.values.iter().all(|x| x.is_finite()))
            else {
                continue;
            };
            let evaluation = self.told;
            self.told += 1;
            self.living.push(Member { dna, theta, goals, evaluation, rank: 0 });
        }
        if self.reference.is_none() {
            self.reference = worst(&self.living);
        }
        self.select();
    }

    fn settle(&self, theta: Vec<f64>) -> Theta {
        Theta::settled(theta, self.bounds.as_ref())
    }

    /// The best `population` of the living stay.
    fn select(&mut self) {
        let ranks = ranks::ranks(&self.living);
        for (member, rank) in self.living.iter_mut().zip(ranks) {
            member.rank = rank;
        }
        self.living.sort_by_key(|member| member.rank);
        let most = self.config.population;
        while self.living.len() > most {
            let last = self.living.last().map_or(0, |member| member.rank);
            let from = self.living.partition_point(|member| member.rank < last);
            if from >= most {
                self.living.truncate(from);
                continue;
            }
            let rest = &self.living[from..];
            let out = if rest.len() == 1 { 0 } else { ranks::least(rest) };
            self.living.remove(from + out);
        }
    }

    fn child(&self, stream: &mut Stream) -> (Dna, Vec<f64>) {
        if self.living.len() < 4 {
            let theta = vary::initial(&self.theta, self.bounds.as_ref(), stream);
            return (Variation::initial(&self.space, stream), theta);
        }
        let (one, other) = (self.parent(stream), self.parent(stream));
        let mut dna = match stream.chance(self.config.crossover) {
            true => Variation::crossover(&self.space, &one.dna, &other.dna, stream),
            false => one.dna.clone(),
        };
        if stream.chance(self.config.mutation * self.share()) {
            dna = self.space.neighbour(&dna, stream);
        }
        let mut any = || self.living[stream.index(self.living.len())].theta.as_slice();
        let others = (any(), any());
        let parents = (one.theta.as_slice(), other.theta.as_slice());
        let mut theta = vary::child(parents, others, self.bounds.as_ref(), stream);
        for _ in 0..TRIES {
            if !self.lives(&dna, &theta) {
                break;
            }
            dna = self.space.neighbour(&dna, stream);
            vary::mutate(&mut theta, 1.0, self.bounds.as_ref(), others, stream);
        }
        (dna, theta)
    }

    /// How much of a design are decisions.
    fn share(&self) -> f64 {
        let decisions = f64::from(self.space.loci());
        decisions / (decisions + self.theta.len() as f64).max(1.0)
    }

    /// The better of two, by rank.
    fn parent(&self, stream: &mut Stream) -> &Member {
        let mut draw = || &self.living[stream.index(self.living.len())];
        let (one, other) = (draw(), draw());
        if dominates(&other.goals, &one.goals) || other.rank < one.rank { other } else { one }
    }

    fn lives(&self, dna: &Dna, theta: &[f64]) -> bool {
        let of_asked = self.asked.iter().any(|(m, x)| m == dna && x == theta);
        of_asked || self.living.iter().any(|it| it.dna == *dna && it.theta == theta)
    }

    /// How many designs live, how many of them nobody dominates, and what they dominate.
    pub fn statistics(&self) -> Statistics {
        let front = self.members();
        let mut statistics =
            vec![("living", self.living.len() as f64), ("front", front.len() as f64)];
        let feasible = front.iter().filter(|it| it.goals.violation == 0.0);
        let points: Vec<&[f64]> = feasible.map(|it| it.goals.values.as_slice()).collect();
        let volume = self.reference.as_ref().and_then(|worst| hypervolume(&points, worst));
        let volume = volume.filter(|volume| volume.is_finite());
        statistics.extend(volume.map(|volume| ("hypervolume", volume)));
        statistics
    }
}

/// How often a child is changed that lives already.
const TRIES: u32 = 8;

/// The worst of each goal among the feasible.
fn worst(members: &[Member]) -> Option<Vec<f64>> {
    let feasible = members.iter().filter(|member| member.goals.violation == 0.0);
    let mut all = feasible.map(|member| member.goals.values.clone());
    let first = all.next()?;
    let least = |mut worst: Vec<f64>, values: Vec<f64>| {
        worst.iter_mut().zip(values).for_each(|(worst, x)| *worst = worst.min(x));
        worst
    };
    Some(all.fold(first, least))
}
