//! Addressed randomness: every draw has an address, none is shared.
//!
//! A run has one [`Seed`]; whoever needs randomness asks it for the [`Stream`] of a purpose, an
//! iteration and an index. No generator is stored, so none is checkpointed, and nothing depends on
//! the number of threads. Streams are ChaCha with 8 rounds: portable, and the same for good.
//! Gaussian vectors of many coordinates come from [`Noise`](crate::Noise), which a stream keys.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// What a stream is for. Two purposes never share a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Setting up: the starting point.
    Start = 0,
    /// Asking the optimizer for the points of an iteration.
    Ask = 1,
    /// Evaluating one point (environment resets, noise).
    Evaluate = 2,
    /// Setting up the problem itself (random instances, rotations).
    Problem = 3,
    /// Looking at the optimizer's state, which changes nothing of it.
    Look = 4,
}

/// The seed of a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream of `purpose` at `iteration`, for the `index`-th point of the batch.
    ///
    /// Seed and purpose make the key, iteration and index the 64-bit stream id: distinct addresses
    /// give distinct streams, and there are no others to run out of.
    pub fn stream(self, purpose: Purpose, iteration: u32, index: u32) -> Stream {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.0.to_le_bytes());
        key[8] = purpose as u8;
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(u64::from(iteration) << 32 | u64::from(index));
        Stream(generator)
    }
}

/// A stream of random draws.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// 64 random bits: a key for a stream of another kind.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in 0..n, exactly (Lemire 2019). Zero when there is nothing to choose from.
    pub fn below(&mut self, n: u32) -> u32 {
        let mut product = u64::from(self.0.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let threshold = n.wrapping_neg() % n.max(1);
            while (product as u32) < threshold {
                product = u64::from(self.0.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// A uniform index into a list of `n` items.
    pub fn index(&mut self, n: usize) -> usize {
        self.below(u32::try_from(n).unwrap_or(u32::MAX)) as usize
    }

    /// Uniform in [0, 1), with 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Puts `items` in uniformly random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_stable() {
        let mut stream = Seed(7).stream(Purpose::Ask, 3, 1);
        assert_eq!([stream.bits(), stream.bits()], [626733295092308010, 12513234440874774126]);
        assert_eq!([stream.below(10), stream.below(1000), stream.below(1)], [9, 180, 0]);
    }

    #[test]
    fn every_part_of_an_address_counts() {
        let first =
            |seed, purpose, iteration, index| Seed(seed).stream(purpose, iteration, index).bits();
        let mut draws = vec![
            first(0, Purpose::Ask, 0, 0),
            first(1, Purpose::Ask, 0, 0),
            first(0, Purpose::Evaluate, 0, 0),
            first(0, Purpose::Ask, 1, 0),
            first(0, Purpose::Ask, 0, 1),
            first(1 << 40, Purpose::Ask, 0, 0),
            first(0, Purpose::Ask, u32::MAX, u32::MAX),
        ];
        draws.sort_unstable();
        draws.dedup();
        assert_eq!(draws.len(), 7);
    }

    #[test]
    fn below_is_uniform_and_in_range() {
        let mut stream = Seed(3).stream(Purpose::Ask, 0, 0);
        let mut counts = [0.0; 7];
        (0..70_000).for_each(|_| counts[stream.index(7)] += 1.0);
        let chi2: f64 = counts.iter().map(|c: &f64| (c - 1e4).powi(2) / 1e4).sum();
        assert!(chi2 < 22.5, "χ² with 6 degrees of freedom at 0.1 %: {chi2}");
        assert_eq!([stream.below(0), stream.below(1)], [0, 0]);
        assert!((0..1000).all(|_| stream.below(3_000_000_000) < 3_000_000_000));
        assert!((0..1000).map(|_| stream.unit()).all(|u| (0.0..1.0).contains(&u)));
    }

    #[test]
    fn shuffling_reaches_every_order_alike() {
        let mut stream = Seed(4).stream(Purpose::Ask, 0, 0);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            stream.shuffle(&mut items);
            *counts.entry(items).or_insert(0.0) += 1.0;
        }
        assert_eq!(counts.len(), 6);
        let chi2: f64 = counts.values().map(|c: &f64| (c - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi2 < 20.5, "χ² with 5 degrees of freedom at 0.1 %: {chi2}");
    }
}
