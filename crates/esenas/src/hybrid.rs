//! The baselines: evolution over (m, θ) together, §3 and Appendix A.3.
//!
//! (m, θ) → (m′, θ′):  one decision of m drawn anew, and θ′ = θ + σ_mut·g,  g ~ N(0, I)
//!
//! One mutator for all of them: [`HybridVariation`] makes the evolutionary algorithms of
//! [`controllers`](crate::controllers) run over the whole of (𝓜, ℝᵈ), which is what the paper
//! compares ES-ENAS with. Models are mutated as a controller mutates them, "uniformly over all
//! possible choices" (Appendix A.2.1), the old one among them. It matters here: a mutator that
//! always changed m could never refine the θ of the best m, and hill climbing would end when m is
//! optimal.
//!
//! "All algorithms start at the same randomly sampled initial point." The first generation is
//! around its θ, where ES starts, with models drawn uniformly, as those of controllers are: a
//! random one and a policy cannot start at a model, and PyGlove's evolution does not either.
//!
//! Where the paper is silent: θ′ is clipped to the bounds, and rounded where it is evaluated if it
//! is on a grid; a random point has θ uniform in the bounds, or N(start, 1) in coordinates that
//! have none; crossover takes each coordinate of θ from either parent; the coordinates of θ are
//! matching genes, so a pair is as far apart as its models are, plus c₃ times the mean |Δθᵢ|.

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::setting::SettingError;
use crate::weights::check_point;
use crate::{BLOCK, Base, Bounds, Compatibility, Noise, Stream, Theta, Variation};

/// A model with weights of its own. Ordered, by model and then by weights, to serve as a key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hybrid<D> {
    dna: D,
    /// Always dense: the centre of its base, without a probe. Where it is on a grid, that is before
    /// rounding.
    theta: Theta,
}

impl<D> Hybrid<D> {
    /// `dna` with the weights `theta`.
    pub fn new(dna: D, theta: Vec<f64>) -> Self {
        Self { dna, theta: Theta::dense(theta) }
    }

    /// m
    pub fn dna(&self) -> &D {
        &self.dna
    }

    /// θ
    pub fn theta(&self) -> &[f64] {
        &self.theta.base().centre
    }

    /// (m, θ); copies nothing.
    pub fn into_candidate(self) -> (D, Theta) {
        (self.dna, self.theta)
    }
}

impl<D: Ord> Ord for Hybrid<D> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.dna.cmp(&other.dna).then_with(|| compare(&self.theta, &other.theta))
    }
}

impl<D: Ord> PartialOrd for Hybrid<D> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<D: PartialEq> PartialEq for Hybrid<D> {
    fn eq(&self, other: &Self) -> bool {
        self.dna == other.dna && compare(&self.theta, &other.theta).is_eq()
    }
}

impl<D: Eq> Eq for Hybrid<D> {}

/// By coordinates, bit for bit, unless they are the same ones in memory.
fn compare(one: &Theta, other: &Theta) -> Ordering {
    if Arc::ptr_eq(one.base(), other.base()) {
        return Ordering::Equal;
    }
    let (one, other) = (&one.base().centre, &other.base().centre);
    let differ = one.iter().zip(other).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne());
    differ.unwrap_or(one.len().cmp(&other.len()))
}

/// Hyperparameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HybridConfig {
    /// σ_mut. Appendix A.3: 0.07 makes ‖σ_mut·g‖ about that of an ES step.
    pub mutation_scale: f64,
}

impl Default for HybridConfig {
    fn default() -> Self {
        Self { mutation_scale: 0.07 }
    }
}

/// The verbs of evolution over models with weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct HybridVariation<V: Variation> {
    config: HybridConfig,
    models: V,
    /// Where θ starts.
    theta: Vec<f64>,
    bounds: Option<Bounds>,
}

impl<V: Variation> HybridVariation<V> {
    /// Varies models by `models`, with weights from `theta` on; `bounds` are those of θ.
    pub fn new(
        config: HybridConfig,
        models: V,
        theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, SettingError> {
        if !(config.mutation_scale.is_finite() && 0.0 < config.mutation_scale) {
            let accepted = "be positive and finite";
            return Err(SettingError::must("mutation_scale", accepted, config.mutation_scale));
        }
        check_point(&theta, bounds.as_ref())?;
        Ok(Self { config, models, theta, bounds })
    }

    /// `dna` with weights that keep what rounding to a grid takes from them.
    fn genome(&self, dna: V::Genome, theta: Vec<f64>) -> Hybrid<V::Genome> {
        let base = Base::new(theta, None, Bounds::grid(self.bounds.as_ref()));
        Hybrid { dna, theta: Theta::centre(Arc::new(base)) }
    }

    /// clip(centre + scale · g), g addressed by the stream's next bits.
    fn perturb(&self, centre: &[f64], scale: f64, stream: &mut Stream) -> Vec<f64> {
        let noise = Noise::Gaussian(stream.bits());
        let mut theta = Vec::with_capacity(centre.len());
        let mut direction = [0.0; BLOCK];
        for (block, centre) in centre.chunks(BLOCK).enumerate() {
            let direction = &mut direction[..centre.len()];
            noise.fill(0, block, direction);
            theta.extend(centre.iter().zip(direction).map(|(c, g)| c + scale * f64::from(*g)));
        }
        if let Some(bounds) = &self.bounds {
            bounds.clip(0, &mut theta);
        }
        theta
    }
}

impl<V: Variation> Variation for HybridVariation<V> {
    type Genome = Hybrid<V::Genome>;

    fn sample(&self, stream: &mut Stream) -> Self::Genome {
        let dna = self.models.sample(stream);
        let theta = match &self.bounds {
            None => self.perturb(&self.theta, 1.0, stream),
            Some(bounds) => {
                let dim = self.theta.len();
                let free = (0..dim).any(|index| !bounds.is_bounded(index));
                let near = free.then(|| self.perturb(&self.theta, 1.0, stream));
                let mut uniform = |index| {
                    if let Some(near) = near.as_ref().filter(|_| !bounds.is_bounded(index)) {
                        return near[index];
                    }
                    let (low, high) = bounds.interval(index);
                    // Not low + u·(high − low), which overflows in the widest boxes.
                    let u = stream.unit();
                    (1.0 - u) * low + u * high
                };
                (0..dim).map(&mut uniform).collect()
            }
        };
        self.genome(dna, theta)
    }

    fn initial(&self, stream: &mut Stream) -> Self::Genome {
        let dna = self.models.initial(stream);
        self.genome(dna, self.perturb(&self.theta, self.config.mutation_scale, stream))
    }

    fn mutate(&self, parent: &Self::Genome, stream: &mut Stream) -> Self::Genome {
        let dna = self.models.mutate(&parent.dna, stream);
        self.genome(dna, self.perturb(parent.theta(), self.config.mutation_scale, stream))
    }

    fn crossover(
        &self,
        one: &Self::Genome,
        other: &Self::Genome,
        stream: &mut Stream,
    ) -> Self::Genome {
        let dna = self.models.crossover(&one.dna, &other.dna, stream);
        let mut theta = one.theta().to_vec();
        for (theta, other) in theta.chunks_mut(64).zip(other.theta().chunks(64)) {
            let coins = stream.bits();
            for (at, (x, y)) in theta.iter_mut().zip(other).enumerate() {
                *x = if coins >> at & 1 == 0 { *x } else { *y };
            }
        }
        self.genome(dna, theta)
    }

    fn distance(&self, one: &Self::Genome, other: &Self::Genome, by: &Compatibility) -> f64 {
        let pairs = one.theta().iter().zip(other.theta());
        let total: f64 = pairs.map(|(a, b)| (a - b).abs()).sum();
        let mean = total / one.theta().len().max(1) as f64;
        self.models.distance(&one.dna, &other.dna, by) + by.weight * mean
    }
}

#[cfg(test)]
mod tests;
