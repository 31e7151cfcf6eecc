//! Policy gradients (§2.1.2, A.2.1): p_φ is differentiable, and φ climbs
//!
//! J(φ) = E_{m ∼ p_φ} [f(m)],  ∇J ≈ 1/n Σ f(mᵢ) ∇ log p_φ(mᵢ)
//!
//! by proximal policy optimization (Schulman et al. 2017, "Proximal policy optimization
//! algorithms"). [`PolicyGradient`] is the paper's: a recurrent network that points at candidates
//! (Vinyals, Fortunato and Jaitly 2015, "Pointer networks"; Bello et al. 2017).
//! [`FactorizedPolicyGradient`] decides everything independently, for a small part of the cost, and
//! is trained by the same code: the control that shows what the recurrence buys.
//!
//! Both walk a space's decisions in the order of [`Space::build`], so any space will do: nested,
//! conditional, of different widths. Candidates that cannot be chosen are masked. A sorted choice
//! is presented in ascending order, so a set has one sequence and one probability, and untrained
//! the factorized policy draws all sets alike, the recurrent one nearly so. `log_prob` is exact.
//!
//! | file | holds |
//! |---|---|
//! | `episode.rs` | a DNA as the sequence of its decisions |
//! | `batch.rs` | episodes of any lengths, side by side |
//! | `kernel.rs`, `cell.rs`, `vector.rs` | matrix products, the LSTM cell, exponentials |
//! | `lines.rs` | numbers in whole lines of the cache |
//! | `head.rs` | the softmax of one decision, and its gradient |
//! | `subsets.rs` | what can follow in a sorted choice |
//! | `pointer.rs`, `factorized.rs` | the two policies |
//! | `network.rs`, `shard.rs` | the pointer network's weights made ready, and its computation |
//! | `training.rs`, `surrogate.rs`, `adam.rs` | PPO |

mod adam;
mod batch;
mod cell;
mod config;
mod episode;
mod factorized;
mod head;
mod kernel;
mod lines;
mod network;
mod pointer;
mod policy;
mod shard;
mod subsets;
mod surrogate;
#[cfg(test)]
mod tests;
mod training;
mod vector;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Marginals;
use crate::setting::SettingError;
use crate::{Dna, ModelOptimizer, Optimizer, Space, Statistics, Stream};
use config::check_size;
pub use config::{FactorizedPolicyGradientConfig, MAX_WEIGHTS, PolicyGradientConfig, Training};
use factorized::Factorized;
use pointer::Pointer;
use training::Trainer;

/// The recurrent policy: the whole state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyGradient {
    trainer: Trainer<Pointer>,
}

impl PolicyGradient {
    /// A policy over `space`. Its first weights are drawn from the stream of the first ask.
    pub fn new(config: PolicyGradientConfig, space: Arc<Space>) -> Result<Self, SettingError> {
        config.check()?;
        let PolicyGradientConfig { hidden, embedding, temperature, learning_rate, training } =
            config;
        let policy = Pointer::new(&space, hidden as usize, embedding as usize, temperature as f32);
        check_size(policy.size())?;
        Ok(Self { trainer: Trainer::new(learning_rate, training, space, policy) })
    }

    /// log p_φ(m). None before the first ask, when there are no weights yet.
    pub fn log_prob(&self, dna: &Dna) -> Option<f64> {
        self.trainer.policy.is_started().then(|| self.trainer.log_prob(dna))
    }
}

impl ModelOptimizer for PolicyGradient {
    /// The likeliest choice at every decision in turn. None before the first ask.
    fn likeliest(&self) -> Option<Dna> {
        self.trainer.policy.is_started().then(|| self.trainer.mode())
    }

    /// Averaged over models that are drawn for this alone. None before the first ask.
    fn marginals(&self, n: usize, stream: &mut Stream) -> Option<Marginals> {
        let started = self.trainer.policy.is_started();
        started.then(|| self.trainer.averages(n, stream)).flatten()
    }
}

impl Optimizer for PolicyGradient {
    type Point = Dna;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Dna> {
        if !self.trainer.policy.is_started() {
            self.trainer.policy.start(stream.bits());
        }
        self.trainer.ask(n, stream)
    }

    /// Points without a value are left out; fewer than two values, or equal ones, teach nothing.
    fn tell(&mut self, values: &[Option<f64>]) {
        self.trainer.tell(values);
    }

    /// Of the last iteration that taught something: the mean entropy of a decision in nats, as its
    /// points were drawn; the divergence from that distribution at the last update; how many of
    /// the decisions were clipped; the loss; log p of the likeliest model; and the baseline.
    fn statistics(&self) -> Statistics {
        self.trainer.statistics()
    }
}

/// The factorized policy: the whole state of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorizedPolicyGradient {
    trainer: Trainer<Factorized>,
}

impl FactorizedPolicyGradient {
    /// Starts with the uniform distribution of every decision.
    pub fn new(
        config: FactorizedPolicyGradientConfig,
        space: Arc<Space>,
    ) -> Result<Self, SettingError> {
        config.training.check(config.learning_rate)?;
        // The logits of every slot, or as many polynomials of a sorted choice.
        let size = space.arities().into_iter().map(u64::from).sum();
        check_size(size)?;
        let FactorizedPolicyGradientConfig { learning_rate, training } = config;
        Ok(Self { trainer: Trainer::new(learning_rate, training, space, Factorized::new()) })
    }

    /// log p_φ(m).
    pub fn log_prob(&self, dna: &Dna) -> f64 {
        self.trainer.log_prob(dna)
    }
}

impl ModelOptimizer for FactorizedPolicyGradient {
    /// The likeliest choice at every decision in turn.
    fn likeliest(&self) -> Option<Dna> {
        Some(self.trainer.mode())
    }

    /// Exact, but where members must not repeat each other in any order and below sorted choices.
    fn marginals(&self, n: usize, stream: &mut Stream) -> Option<Marginals> {
        self.trainer.marginals(n, stream)
    }
}

impl Optimizer for FactorizedPolicyGradient {
    type Point = Dna;

    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Dna> {
        self.trainer.ask(n, stream)
    }

    /// Points without a value are left out; fewer than two values, or equal ones, teach nothing.
    fn tell(&mut self, values: &[Option<f64>]) {
        self.trainer.tell(values);
    }

    /// As those of [`PolicyGradient`].
    fn statistics(&self) -> Statistics {
        self.trainer.statistics()
    }
}
