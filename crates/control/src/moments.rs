//! The observation filter: running mean and variance of all observations (Mania et al. 2018,
//! A.2.2).
//!
//! A worker counts the observations of its episodes (Welford 1962), and what it counted is merged
//! into what all share (Chan, Golub and LeVeque 1983) in the order of the candidates: the result
//! depends on nothing else. Neither loses digits where the mean is large beside the deviation.

/// How many observations there were, their mean and their summed squared deviations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moments {
    count: u64,
    mean: Vec<f64>,
    /// Σ (x − mean)²
    squares: Vec<f64>,
}

impl Moments {
    /// Of no observations yet, of `size` entries each.
    pub fn new(size: usize) -> Self {
        Self { count: 0, mean: vec![0.0; size], squares: vec![0.0; size] }
    }

    /// How many observations there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean of each entry.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The variance of each entry, over all observations.
    pub fn variance(&self) -> impl Iterator<Item = f64> + '_ {
        let count = self.count.max(1) as f64;
        self.squares.iter().map(move |squares| squares / count)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.count = 0;
        self.mean.fill(0.0);
        self.squares.fill(0.0);
    }

    /// Counts one more observation.
    pub fn add(&mut self, observation: &[f64]) {
        self.count += 1;
        let share = 1.0 / self.count as f64;
        let parts = self.mean.iter_mut().zip(&mut self.squares);
        for ((mean, squares), x) in parts.zip(observation) {
            let gap = x - *mean;
            *mean += gap * share;
            *squares += gap * (x - *mean);
        }
    }

    /// Counts all observations of `other` as well.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        let (own, others) = (self.count as f64, other.count as f64);
        self.count += other.count;
        let share = others / self.count as f64;
        let parts = self.mean.iter_mut().zip(&mut self.squares);
        for ((mean, squares), (x, s)) in parts.zip(other.mean.iter().zip(&other.squares)) {
            let gap = x - *mean;
            *mean += gap * share;
            *squares += s + gap * gap * own * share;
        }
    }

    /// As bytes: the count, then mean and squares.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 + 16 * self.mean.len());
        bytes.extend(self.count.to_le_bytes());
        for x in self.mean.iter().chain(&self.squares) {
            bytes.extend(x.to_le_bytes());
        }
        bytes
    }

    /// From bytes, if they are of observations of `size` entries.
    pub fn from_bytes(bytes: &[u8], size: usize) -> Option<Self> {
        let (count, rest) = bytes.split_first_chunk()?;
        if rest.len() != 16 * size {
            return None;
        }
        let (words, _) = rest.as_chunks();
        let numbers: Vec<f64> = words.iter().map(|word| f64::from_le_bytes(*word)).collect();
        let (mean, squares) = numbers.split_at(size);
        let (mean, squares) = (mean.to_vec(), squares.to_vec());
        Some(Self { count: u64::from_le_bytes(*count), mean, squares })
    }
}

/// Where the deviation is smaller an entry does not vary, and is shown to the policy as zero.
const LEAST: f64 = 1e-7;

/// x ↦ (x − mean) / deviation, entry by entry.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Normalizer {
    /// What is taken off.
    pub mean: Vec<f64>,
    /// What the rest is multiplied by: one over the deviation, or zero where there is none.
    pub scale: Vec<f64>,
}

impl Normalizer {
    /// Leaves observations of `size` entries as they are.
    pub fn identity(size: usize) -> Self {
        Self { mean: vec![0.0; size], scale: vec![1.0; size] }
    }

    /// By these moments; before there are two observations, the identity.
    pub fn new(moments: &Moments) -> Self {
        if moments.count < 2 {
            return Self::identity(moments.mean.len());
        }
        let scale = |variance: f64| {
            let deviation = variance.sqrt();
            if deviation < LEAST { 0.0 } else { 1.0 / deviation }
        };
        Self { mean: moments.mean.clone(), scale: moments.variance().map(scale).collect() }
    }

    /// Normalizes `observation` into `out`.
    pub fn apply(&self, observation: &[f64], out: &mut [f64]) {
        let parts = observation.iter().zip(&self.mean).zip(&self.scale);
        for (out, ((x, mean), scale)) in out.iter_mut().zip(parts) {
            *out = (x - mean) * scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn moments(observations: &[Vec<f64>]) -> Moments {
        let mut moments = Moments::new(2);
        observations.iter().for_each(|x| moments.add(x));
        moments
    }

    #[test]
    fn digits_survive_a_large_mean() {
        let shifted: Vec<Vec<f64>> = [4.0, 7.0, 13.0, 16.0].map(|x| vec![1e9 + x, x]).to_vec();
        let mut halves = moments(&shifted[..2]);
        halves.merge(&moments(&shifted[2..]));
        for moments in [moments(&shifted), halves] {
            assert_eq!(moments.variance().collect::<Vec<_>>(), [22.5, 22.5]);
            assert_eq!(moments.mean(), [1e9 + 10.0, 10.0]);
        }
    }

    #[test]
    fn what_does_not_vary_is_shown_as_zero() {
        let normalizer = Normalizer::new(&moments(&[vec![3.0, 1.0], vec![3.0, 5.0]]));
        let mut out = [9.0; 2];
        normalizer.apply(&[3.5, 7.0], &mut out);
        assert_eq!(out, [0.0, 2.0]);
        let fresh = Normalizer::new(&moments(&[vec![3.0, 1.0]]));
        fresh.apply(&[3.5, 7.0], &mut out);
        assert_eq!(out, [3.5, 7.0]);
    }

    #[test]
    fn bytes_are_read_back_and_others_refused() {
        let some = moments(&[vec![0.1, 1e300], vec![-0.3, 2.0]]);
        let bytes = some.to_bytes();
        assert_eq!(Moments::from_bytes(&bytes, 2), Some(some));
        assert_eq!(Moments::from_bytes(&bytes, 3), None);
        assert_eq!(Moments::from_bytes(&bytes[..5], 2), None);
    }

    proptest! {
        #[test]
        fn merging_equals_counting_together(
            all in prop::collection::vec(prop::collection::vec(-1e3..1e3f64, 2), 1..60),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        ) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(all.len())).collect();
            cuts.extend([0, all.len()]);
            cuts.sort_unstable();
            let mut merged = Moments::new(2);
            cuts.windows(2).for_each(|cut| merged.merge(&moments(&all[cut[0]..cut[1]])));
            let whole = moments(&all);
            prop_assert_eq!(merged.count(), whole.count());
            for (a, b) in merged.mean().iter().zip(whole.mean()) {
                prop_assert!((a - b).abs() < 1e-9, "{} and {}", a, b);
            }
            for (a, b) in merged.variance().zip(whole.variance()) {
                prop_assert!((a - b).abs() < 1e-9 * (1.0 + b), "{} and {}", a, b);
            }
        }
    }
}
