//! Random search: the controller that never learns, and the baseline of §3.
//!
//! Every point is drawn uniformly, whatever came back.

use serde::{Deserialize, Serialize};

use crate::{Optimizer, Stream, Variation};

/// Random search has nothing to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomConfig {}

/// Draws every point uniformly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Random<V: Variation> {
    variation: V,
}

impl<V: Variation> Random<V> {
    /// Searches what `variation` samples.
    pub fn new(variation: V) -> Self {
        Self { variation }
    }
}

impl<V: Variation> Optimizer for Random<V> {
    type Point = V::Genome;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<V::Genome> {
        (0..n).map(|_| self.variation.sample(stream)).collect()
    }

    fn tell(&mut self, _values: &[Option<f64>]) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::controllers::testing::{self, Digits};

    fn random() -> Random<Digits> {
        Random::new(Digits::new(6, 4))
    }

    #[test]
    fn conforms() {
        testing::conforms(random(), |point| Digits::new(6, 4).holds(point));
    }

    #[test]
    fn resume_equals_never_stopped() {
        testing::resumes(random(), testing::separable);
    }

    #[test]
    fn golden_trace() {
        assert_eq!(testing::trace(random(), testing::separable), 10_169_065_550_888_426_222);
    }

    /// Red when draws are skewed, or when values steer them.
    #[test]
    fn draws_uniformly_whatever_is_told() {
        let mut random = random();
        let mut counts = [[0u32; 4]; 6];
        for iteration in 0..100 {
            let points = random.ask(80, &mut Seed(3).stream(crate::Purpose::Ask, iteration, 0));
            for (decision, &choice) in points.iter().flatten().enumerate() {
                counts[decision % 6][choice as usize] += 1;
            }
            random.tell(&points.iter().map(|p| Some(f64::from(p[0]))).collect::<Vec<_>>());
        }
        // 8000 draws, p = 1/4: standard deviation 39; five of them either way.
        assert!(counts.iter().flatten().all(|c| c.abs_diff(2000) < 195), "{counts:?}");
    }
}
