//! The best that survives noise.
//!
//! Where values are noisy the largest one seen is the luckiest. [`Evidence`] keeps for each genome
//! the mean x̄ of its values and their count c, and calls best the genome of the largest lower
//! bound
//!
//! x̄ − √(2 ln N) · s / √c,  s² = Σ (x − x̄)² / Σ (c − 1)
//!
//! where s, the deviation of a value around its genome's mean, is pooled over all genomes evaluated
//! twice, and N counts the genomes seen: the luckiest of N Gaussian values is about √(2 ln N)
//! deviations above its mean, so that much is taken off before anyone is believed. (A fixed
//! multiple of s is outbid sooner or later: the largest of 20 000 values is 4 s too good.) On a
//! deterministic objective s = 0 and this is the plain maximum; so it is until something has been
//! evaluated twice, for nothing is known of the noise before.
//!
//! Values are averaged as draws from one distribution. Where θ moves on beneath the models they
//! are not quite, and what is stale weighs as much as what is new.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use crate::shaping::is_infeasible;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Tally {
    mean: f64,
    count: u64,
}

/// What is known of the genomes seen, in bounded memory.
///
/// A genome beyond the capacity makes the worse half, by lower bound, be forgotten: a sort for
/// every half capacity of new genomes, so O(log capacity) per record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "G: Ord + Deserialize<'de>"))]
pub struct Evidence<G> {
    capacity: NonZeroUsize,
    tallies: BTreeMap<G, Tally>,
    /// N, counting one forgotten and seen again twice.
    genomes: u64,
    /// Σ (x − x̄)², of the forgotten too.
    squares: f64,
    /// Σ (c − 1), of the forgotten too.
    freedom: u64,
}

impl<G: Ord + Clone> Default for Evidence<G> {
    fn default() -> Self {
        const CAPACITY: NonZeroUsize = NonZeroUsize::new(1024).unwrap();
        Self::new(CAPACITY)
    }
}

impl<G: Ord + Clone> Evidence<G> {
    /// Remembers at most `capacity` genomes.
    pub fn new(capacity: NonZeroUsize) -> Self {
        Self { capacity, tallies: BTreeMap::new(), genomes: 0, squares: 0.0, freedom: 0 }
    }

    /// Takes in one value of `genome`; one that is not finite says nothing, and neither does the
    /// [rank](crate::shaping::feasible_first) of an infeasible candidate, which is no value.
    pub fn record(&mut self, genome: &G, value: f64) {
        if !value.is_finite() || is_infeasible(value) {
            return;
        }
        if let Some(tally) = self.tallies.get_mut(genome) {
            // Welford's update, written so that extreme values do not overflow. Equal values leave
            // the mean and the squares as they are, to the bit.
            tally.count += 1;
            let (delta, count) = (value - tally.mean, tally.count as f64);
            tally.mean +=
                if delta.is_finite() { delta / count } else { value / count - tally.mean / count };
            self.squares = (self.squares + delta * (value - tally.mean)).min(f64::MAX);
            self.freedom += 1;
        } else {
            self.genomes += 1;
            self.tallies.insert(genome.clone(), Tally { mean: value, count: 1 });
            if self.tallies.len() > self.capacity.get() {
                self.forget();
            }
        }
    }

    /// The genome of the largest lower bound, with the mean of its values and their count. Of
    /// equals, the one evaluated more often, then the first in order.
    pub fn best(&self) -> Option<(&G, f64, u64)> {
        let luck = self.luck();
        let better = |one: &(&G, &Tally), two: &(&G, &Tally)| {
            rank(two.1, one.1, luck).then_with(|| two.0.cmp(one.0))
        };
        let (genome, tally) = self.tallies.iter().max_by(better)?;
        Some((genome, tally.mean, tally.count))
    }

    /// s
    pub fn noise(&self) -> f64 {
        (self.squares / self.freedom.max(1) as f64).sqrt()
    }

    /// How many genomes are remembered.
    pub fn len(&self) -> usize {
        self.tallies.len()
    }

    /// Whether nothing has been recorded.
    pub fn is_empty(&self) -> bool {
        self.tallies.is_empty()
    }

    /// √(2 ln N) · s
    fn luck(&self) -> f64 {
        (2.0 * (self.genomes.max(1) as f64).ln()).sqrt() * self.noise()
    }

    fn forget(&mut self) {
        let luck = self.luck();
        let mut tallies: Vec<(G, Tally)> = std::mem::take(&mut self.tallies).into_iter().collect();
        // Stable, from the order of genomes: what is forgotten is determined.
        tallies.sort_by(|(_, one), (_, two)| rank(one, two, luck));
        tallies.truncate(self.capacity.get().div_ceil(2));
        self.tallies = tallies.into_iter().collect();
    }
}

/// Best first.
fn rank(one: &Tally, two: &Tally, luck: f64) -> Ordering {
    let bound = |tally: &Tally| tally.mean - luck / (tally.count as f64).sqrt();
    bound(two).total_cmp(&bound(one)).then(two.count.cmp(&one.count))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::controllers::testing::stream;

    fn evidence(capacity: usize) -> Evidence<u32> {
        Evidence::new(NonZeroUsize::new(capacity).unwrap())
    }

    #[test]
    fn knows_nothing_at_first_and_learns_nothing_from_nothing() {
        let mut evidence = Evidence::default();
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            evidence.record(&1, value);
        }
        assert_eq!((evidence.best(), evidence.is_empty()), (None, true));
    }

    /// One value of 3 against nine around 2: with noise of about 1.4 seen, the nine weigh more.
    /// Red when the bound is left out, or its sign is wrong.
    #[test]
    fn a_lucky_value_loses_to_a_tested_mean() {
        let mut evidence = evidence(8);
        evidence.record(&1, 3.0);
        assert_eq!(evidence.best(), Some((&1, 3.0, 1)));
        for value in [0.5, 3.5, 1.5, 2.5, 2.0, 4.0, 0.0, 3.0, 1.0] {
            evidence.record(&2, value);
        }
        let (genome, mean, count) = evidence.best().unwrap();
        assert_eq!((*genome, count), (2, 9));
        assert!((mean - 2.0).abs() < 1e-12);
        assert!((evidence.noise() - 15.0f64.sqrt() / 8.0f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn ties_go_to_the_better_tested_then_to_the_first() {
        let mut evidence = evidence(8);
        for genome in [9, 3, 5] {
            evidence.record(&genome, 1.0);
        }
        assert_eq!(evidence.best(), Some((&3, 1.0, 1)));
        evidence.record(&5, 1.0);
        assert_eq!(evidence.best(), Some((&5, 1.0, 2)));
    }

    /// Twenty thousand lucky ones pass by. Red when eviction goes by the mean, or luck by s alone.
    #[test]
    fn the_tested_best_outlives_a_flood_of_lucky_ones() {
        let mut evidence = evidence(64);
        let mut stream = stream(0);
        let mut noise = || (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0;
        for _ in 0..200 {
            evidence.record(&0, 1.5 + noise());
        }
        for genome in 1..20_000 {
            evidence.record(&genome, noise());
        }
        let (genome, mean, count) = evidence.best().unwrap();
        assert_eq!((*genome, count), (0, 200));
        assert!((mean - 1.5).abs() < 0.3 && (evidence.noise() - 1.0).abs() < 0.2);
    }

    proptest! {
        /// Deterministic objectives: the plain maximum, whatever is forgotten. Red when the best is
        /// forgotten, or when repeating a value invents noise.
        #[test]
        fn without_noise_the_best_is_the_maximum(
            genomes in prop::collection::vec(0u32..60, 1..300), capacity in 1usize..20
        ) {
            let value = |genome: u32| f64::from(genome * 37 % 61) / 7.0 - 4.0;
            let mut evidence = evidence(capacity);
            for genome in &genomes {
                evidence.record(genome, value(*genome));
                prop_assert!(evidence.len() <= capacity);
            }
            let best = genomes.iter().map(|g| value(*g)).fold(f64::NEG_INFINITY, f64::max);
            prop_assert_eq!(evidence.best().unwrap().1, best);
            prop_assert_eq!(evidence.noise(), 0.0);
        }

        #[test]
        fn any_values_leave_it_finite_and_resumable(
            records in prop::collection::vec((0u32..9, any::<f64>()), 0..60)
        ) {
            let mut evidence = evidence(4);
            for (genome, value) in records {
                evidence.record(&genome, value);
                let bytes = postcard::to_stdvec(&evidence).unwrap();
                let back: Evidence<u32> = postcard::from_bytes(&bytes).unwrap();
                prop_assert_eq!(&back, &evidence);
                prop_assert!(evidence.noise().is_finite());
                prop_assert!(evidence.best().is_none_or(|(_, mean, _)| mean.is_finite()));
            }
        }
    }
}
