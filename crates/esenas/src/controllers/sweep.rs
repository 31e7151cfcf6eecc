//! Sweeps over the neighbours of one model.
//!
//! A distribution over models learns from batches in which all decisions vary together, and each point says little of
//! any one of them. With few evaluations it is better to change them one by one: a batch is the model m at which the search stands
//! and neighbours of it, m with one decision changed by the paper's mutation (A.2.1). None is repeated before all have had their turn.
//! Whatever was better than m is taken over, all of it together:
//!
//! ```text
//! ask   m, then m′₁, …, m′ₖ: changes that were not tried in this sweep
//! tell  m ← m with the changes of all m′ᵢ better than m, the best one's last
//! ```
//!
//! Where decisions are independent this is as good as taking them over one after the other, and it needs one batch instead of many; where the
//! changes do not go together, m is the best of them. m is evaluated in each batch, so it has to defend its
//! place at the θ of the day. Every comparison is believed: this is not for noisy values.
//!
//! Made for [`Pairing::Held`](crate::Pairing::Held), where θ's probes have the model m, and neighbours are evaluated at the
//! centre: then each comparison is of models alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::optimizer::told;
use crate::{Dna, Optimizer, Space, Statistics, Stream};

/// How often another mutant is drawn in place of a change that was tried, before a new sweep begins.
const REDRAWS: u32 = 32;
/// The most changes that are remembered.
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
    /// m, once there was an ask,
    stand: Option<Dna>,
    /// and its value, once that is known.
    value: Option<f64>,
    /// The changes tried in this sweep.
    tried: BTreeSet<Change>,
    /// The points of the last ask, until they are told; m first.
    asked: Vec<Dna>,
}

impl Sweep {
    /// Starts anywhere in `space`.
    pub fn new(SweepConfig {}: SweepConfig, space: Arc<Space>) -> Self {
        Self { space, stand: None, value: None, tried: BTreeSet::new(), asked: Vec::new() }
    }

    /// Goes on at `dna`.
    pub(super) fn begin_at(&mut self, dna: Dna) {
        (self.stand, self.value) = (Some(dna), None);
        self.tried.clear();
    }

    /// m, once there was an ask.
    pub fn stand(&self) -> Option<&Dna> {
        self.stand.as_ref()
    }

    /// A neighbour that was not tried in this sweep; of a new one if there seems to be none.
    fn neighbour(&mut self, of: &Dna, stream: &mut Stream) -> Dna {
        let mut dna = self.space.mutate(of, stream);
        for _ in 0..REDRAWS {
            if !self.tried.contains(&change(of, &dna)) {
                break;
            }
            dna = self.space.mutate(of, stream);
        }
        let change = change(of, &dna);
        if self.tried.len() >= MEMORY || self.tried.contains(&change) {
            self.tried.clear();
        }
        self.tried.insert(change);
        dna
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
        points.extend((1..n).map(|_| self.neighbour(&m, stream)));
        self.stand = Some(m);
        self.asked.clone_from(&points);
        points
    }

    /// A neighbour without a value changes nothing, and m without a new one keeps its old; where it never had one,
    /// the best neighbour takes its place.
    fn tell(&mut self, values: &[Option<f64>]) {
        let asked = std::mem::take(&mut self.asked);
        let Some((m, neighbours)) = asked.split_first() else { return };
        let defended = told(values, 0).or(self.value);
        let known = (1..).zip(neighbours).filter_map(|(at, dna)| Some((told(values, at)?, dna)));
        let mut better: Vec<(f64, &Dna)> =
            known.filter(|(value, _)| defended.is_none_or(|own| *value > own)).collect();
        // The first of equals counts as the best.
        better.reverse();
        better.sort_by(|a, b| a.0.total_cmp(&b.0));
        let joined = match defended {
            Some(_) => self.join(m, &better),
            None => better.last().map(|(_, best)| (*best).clone()),
        };
        self.value = match (&joined, better.last()) {
            (None, _) => defended,
            (Some(dna), Some((value, best))) if dna == *best => Some(*value),
            _ => None,
        };
        self.stand = Some(joined.unwrap_or_else(|| m.clone()));
    }

    fn mode(&self) -> Option<Dna> {
        self.stand.clone()
    }

    /// Anywhere again.
    fn restart(&mut self) {
        (self.stand, self.value) = (None, None);
        self.tried.clear();
    }

    fn statistics(&self) -> Statistics {
        vec![("tried", self.tried.len() as f64)]
    }
}
