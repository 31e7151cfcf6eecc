//! The parameter-less population pyramid (Goldman and Punch 2014, "Parameter-less population
//! pyramid"), with optimal mixing along linkage trees (Thierens 2010, "The linkage tree genetic
//! algorithm").
//!
//! A controller for choices alone, of which some belong together: independent marginals cannot say
//! that two decisions must change at once, and settle.
//!
//! ```text
//! climb   m ← a random model; in random order each decision takes another value, if not worse;
//!         until no decision of a whole round brought anything better
//! mix     for each level of the pyramid, from the lowest:
//!           for each cluster of the level's linkage tree, the smallest first:
//!             the decisions of the cluster as a random member has them, kept if not worse
//! rise    a climbed model becomes a member of level 0; what level i made better, of level i + 1
//! ```
//!
//! Populations grow by themselves, so there is nothing to set.
//!
//! *Mutants*, which the paper has not. Ruggedness stops a climb that larger steps would not notice,
//! so the best model that came up is mutated too, by the fast genetic algorithm (Doerr et al. 2017,
//! "Fast genetic algorithms"): every decision changes with probability k/n, k from a power law with
//! exponent 1.5. Climbing and mutating take turns. A turn lasts as long as a model takes from the
//! bottom to the top, and whoever found a better model in its turn has the next one, too.
//!
//! Where the paper is silent. *Ties*: a change as good as m is kept in the climb too, so that
//! plateaus are crossed. *Values*: a decision of many values takes one of the others, drawn
//! uniformly; an order is changed by any [`Move`](crate::space::Move). *Conditions*: a cluster is
//! made of loci; what a donor's choice brings with it comes from the donor, and what no longer fits
//! gives way to the nearest value that does. *Batches*: up to [`WIDTH`] tries in a row are made
//! from one m. The best of them is kept, others that were better are tried again upon it. More
//! points are another model's, which climbs at the same time into the same pyramid.
//!
//! A model keeps the value it was evaluated with: this is for values that are the same each time.

mod level;
mod linkage;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::level::Level;
use crate::optimizer::told;
use crate::setting::SettingError;
use crate::space::Move;
use crate::{Dna, ModelOptimizer, Optimizer, Space, Statistics, Stream};

/// The most decisions whose links are looked for: there are as many pairs as its square.
pub const MAX_LINKED: u32 = 4096;

/// So many tries are made from one model at a time.
const WIDTH: usize = 4;

/// There is nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PyramidConfig {}

/// The state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pyramid {
    space: Arc<Space>,
    levels: Vec<Level>,
    /// The models on their way up.
    climbers: Vec<Climber>,
    /// The best model that came up, or a better mutant of it, and its value.
    elite: Option<(Dna, f64)>,
    turn: Turn,
    /// The points of the last ask, until they are told, climber by climber.
    asked: Vec<Try>,
}

/// Whose points are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Turn {
    /// Climbers', which were told so many values in this turn.
    Climbing { told: u64 },
    /// Mutants of the elite, so many more of `of`; whether one was better.
    Mutating { left: u64, of: u64, better: bool },
}

/// A model on its way up.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
struct Climber {
    /// m and its value, once it has one.
    stand: Option<(Dna, f64)>,
    stage: Stage,
    /// What was better but not the best of its batch, to be tried upon it.
    again: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Stage {
    /// These decisions are still to be changed in this round, of which one was better, or none.
    Climb { left: Vec<u32>, better: bool },
    /// By clusters of this level, from the next one on; m was worth so much when it came.
    Mix { level: usize, next: u32, before: f64 },
}

/// A point that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Try {
    /// Whose try it is; none of a mutant.
    climber: Option<usize>,
    /// Which decision was changed, or which cluster.
    what: u32,
    dna: Dna,
}

impl Default for Stage {
    /// Before the first round.
    fn default() -> Self {
        Self::Climb { left: Vec::new(), better: true }
    }
}

impl Pyramid {
    /// Starts with an empty pyramid.
    pub fn new(PyramidConfig {}: PyramidConfig, space: Arc<Space>) -> Result<Self, SettingError> {
        if space.loci() > MAX_LINKED {
            let what = format!(
                "\"pyramid\" looks at all pairs of decisions: accepted are spaces of at most {MAX_LINKED} \
                 of them, this one has {}",
                space.loci()
            );
            return Err(SettingError::new("kind", what));
        }
        let (levels, climbers, asked) = (Vec::new(), Vec::new(), Vec::new());
        let turn = Turn::Climbing { told: 0 };
        Ok(Self { space, levels, climbers, elite: None, turn, asked })
    }

    /// The next try of a climber of which `pending` are not told yet; none while it must wait for
    /// them.
    fn propose(&mut self, at: usize, pending: usize, stream: &mut Stream) -> Option<Try> {
        let tried = |what, dna| Some(Try { climber: Some(at), what, dna });
        loop {
            let climber = &mut self.climbers[at];
            let Some((m, value)) = &climber.stand else {
                return if pending == 0 { tried(0, self.space.sample(stream)) } else { None };
            };
            match &mut climber.stage {
                Stage::Climb { left, .. } => {
                    if let Some(index) = climber.again.pop().or_else(|| left.pop()) {
                        if index < self.space.changeable(m) {
                            let how =
                                |stream: &mut Stream| Move::ALL[stream.index(Move::ALL.len())];
                            return tried(index, self.space.change(m, index, how, stream).0);
                        }
                        continue;
                    }
                }
                Stage::Mix { level, next, .. } => {
                    let population = &mut self.levels[*level];
                    let fresh = (*next as usize) < population.clusters(&self.space);
                    let cluster = climber.again.pop().or(fresh.then_some(*next));
                    if let Some(cluster) = cluster {
                        *next += u32::from(cluster == *next);
                        let child = population.mix(m, cluster as usize, &self.space, stream);
                        match child {
                            Some(child) => return tried(cluster, child),
                            None => continue,
                        }
                    }
                }
            }
            if pending > 0 {
                return None;
            }
            let (m, value) = (m.clone(), *value);
            self.advance(at, m, value, stream);
            if matches!(self.turn, Turn::Mutating { .. }) {
                return None;
            }
        }
    }

    /// Ends the round or the level of a climber that has nothing left to try there.
    fn advance(&mut self, at: usize, m: Dna, value: f64, stream: &mut Stream) {
        let next = match &mut self.climbers[at].stage {
            Stage::Climb { left, better: better @ true } => {
                left.extend(0..self.space.changeable(&m));
                stream.shuffle(left);
                *better = false;
                return;
            }
            Stage::Climb { .. } => {
                self.insert(0, m, stream);
                0
            }
            Stage::Mix { level, before, .. } => {
                let (above, risen) = (*level + 1, value > *before);
                if risen {
                    self.insert(above, m, stream);
                }
                above
            }
        };
        if next < self.levels.len() {
            self.climbers[at].stage = Stage::Mix { level: next, next: 0, before: value };
        } else if let Some(top) = std::mem::take(&mut self.climbers[at]).stand {
            self.arrive(top);
        }
    }

    /// A climber is at the top: whose turn is it now?
    fn arrive(&mut self, (m, value): (Dna, f64)) {
        let before = self.elite.as_ref().map(|(_, value)| *value);
        if before.is_none_or(|before| value >= before) {
            self.elite = Some((m, value));
        }
        if let Turn::Climbing { told } = self.turn {
            self.turn = match before {
                Some(before) if value > before => Turn::Climbing { told: 0 },
                _ => Turn::Mutating { left: told, of: told, better: false },
            };
        }
    }

    /// A mutant of the elite; without one, a random model.
    fn mutant(&self, stream: &mut Stream) -> Try {
        let Some((elite, _)) = &self.elite else {
            return Try { climber: None, what: 0, dna: self.space.sample(stream) };
        };
        let changes = changes(self.space.changeable(elite), stream);
        let change = |dna: Dna, index| self.space.change(&dna, index, any_move, stream).0;
        let dna = changes.into_iter().fold(elite.clone(), change);
        Try { climber: None, what: 0, dna }
    }

    /// The best of the mutants takes the place of the elite, if it is not worse.
    fn learn(&mut self, mutants: Vec<(Try, f64)>) {
        let Turn::Mutating { left, of, better } = &mut self.turn else { return };
        *left = left.saturating_sub(mutants.len() as u64);
        for (it, value) in mutants {
            let own = self.elite.as_ref().map(|(_, value)| *value);
            *better |= own.is_none_or(|own| value > own);
            if own.is_none_or(|own| value >= own) {
                self.elite = Some((it.dna, value));
            }
        }
        if *left == 0 {
            self.turn = match better {
                true => Turn::Mutating { left: *of, of: *of, better: false },
                false => Turn::Climbing { told: 0 },
            };
        }
    }

    /// Makes `dna` a member of a level, unless it is one of any.
    fn insert(&mut self, level: usize, dna: Dna, stream: &mut Stream) {
        if self.levels.iter().any(|level| level.members().contains(&dna)) {
            return;
        }
        if level == self.levels.len() {
            self.levels.push(Level::default());
        }
        self.levels[level].push(dna, stream);
    }
}

fn any_move(stream: &mut Stream) -> Move {
    Move::ALL[stream.index(Move::ALL.len())]
}

/// Which of `n` decisions change, each with probability k/n, given that one does: k ≤ n/2 from a
/// power law with exponent 1.5.
fn changes(n: u32, stream: &mut Stream) -> Vec<u32> {
    if n < 2 {
        return (0..n).collect();
    }
    loop {
        let k = (1.0 - stream.unit()).powi(-2).floor();
        if k > f64::from(n / 2) {
            continue;
        }
        let rate = k / f64::from(n);
        let changed: Vec<u32> = (0..n).filter(|_| stream.chance(rate)).collect();
        if !changed.is_empty() {
            return changed;
        }
    }
}

impl Climber {
    /// Takes over the best of its tries, if that is not worse.
    fn learn(&mut self, tries: Vec<(Try, f64)>) {
        let own = self.stand.as_ref().map(|(_, value)| *value);
        let kept = |value: f64| own.is_none_or(|own| value >= own);
        let best = tries.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
        if tries.is_empty() || !kept(best) {
            return;
        }
        let risen = own.is_some_and(|own| best > own);
        let mut taken = false;
        for (it, value) in tries {
            if value == best && !taken {
                (self.stand, taken) = (Some((it.dna, value)), true);
            } else if own.is_some_and(|own| value > own) {
                self.again.push(it.what);
            }
        }
        if let Stage::Climb { better, .. } = &mut self.stage {
            *better |= risen;
        }
    }
}

impl Optimizer for Pyramid {
    type Point = Dna;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Dna> {
        self.asked.clear();
        let (mut climber, mut pending) = (0, 0);
        while self.asked.len() < n {
            if matches!(self.turn, Turn::Mutating { .. }) {
                self.asked.push(self.mutant(stream));
                continue;
            }
            if climber == self.climbers.len() {
                self.climbers.push(Climber::default());
            }
            let next = if pending < WIDTH { self.propose(climber, pending, stream) } else { None };
            match next {
                Some(next) => {
                    self.asked.push(next);
                    pending += 1;
                }
                None => (climber, pending) = (climber + 1, 0),
            }
        }
        self.asked.iter().map(|it| it.dna.clone()).collect()
    }

    /// A try without a value changes nothing.
    fn tell(&mut self, values: &[Option<f64>]) {
        let asked = std::mem::take(&mut self.asked).into_iter().enumerate();
        let known = asked.filter_map(|(at, it)| Some((it, told(values, at)?)));
        let (mut tries, mut mutants) = (vec![Vec::new(); self.climbers.len()], Vec::new());
        for (it, value) in known {
            match it.climber {
                Some(climber) => tries[climber].push((it, value)),
                None => mutants.push((it, value)),
            }
        }
        if let Turn::Climbing { told } = &mut self.turn {
            *told += tries.iter().map(|tries| tries.len() as u64).sum::<u64>();
        }
        for (climber, tries) in self.climbers.iter_mut().zip(tries) {
            climber.learn(tries);
        }
        self.learn(mutants);
    }

    /// Climbers begin anew, since their values are those of a θ that was given up. What belongs
    /// together stays known.
    fn restart(&mut self) {
        self.climbers.clear();
        (self.elite, self.turn) = (None, Turn::Climbing { told: 0 });
        self.asked.clear();
    }

    fn statistics(&self) -> Statistics {
        let members = self.levels.iter().map(|level| level.members().len());
        let stands = self.climbers.iter().filter_map(|it| it.stand.as_ref());
        let values = stands.chain(&self.elite).map(|(_, value)| *value);
        let mut statistics = vec![
            ("levels", self.levels.len() as f64),
            ("population", members.sum::<usize>() as f64),
            ("climbers", self.climbers.len() as f64),
        ];
        statistics.extend(values.reduce(f64::max).map(|best| ("incumbent", best)));
        statistics
    }
}

impl ModelOptimizer for Pyramid {}
