//! The rules where there is no box, and where there is no θ.
//!
//! Without a box nothing says how long steps should be, so what is chosen finds out: sep-CMA-ES
//! from a small σ, which grows within some iterations if that is wanted. Both halves of a pair have
//! the same model, categories are learned as in a box.
//!
//! Without θ there are choices alone. The weights are then ES over no coordinates, which only says
//! how many models an iteration has.

use super::{Choice, Facts, alone};
use crate::Space;
use crate::controllers::{ControllerConfig, RegularizedEvolutionConfig};
use crate::weights::{EsConfig, WeightsConfig};

/// Models of an iteration where there is nothing but models: pairs of them.
const PAIRS: u32 = 8;

impl Facts {
    /// Those of a problem without a box, whose values are exact. A box of width 1 has the σ that is
    /// chosen.
    pub fn without_box(space: &Space, dim: usize, evaluations: Option<u64>) -> Self {
        let decisions = if space.size().exact == Some(1) { 0 } else { space.max_len() };
        Self { dim, grid: 0, width: 1.0, decisions, evaluations, noise: false, batch: None }
    }

    /// The rules without a box.
    pub fn choose_without_box(&self) -> Choice {
        let choice = match (self.dim, self.noise) {
            (0, _) => self.choices_alone(),
            (_, true) => self.averaging(),
            (_, false) => {
                let why = "no box: steps and variances that find their scale";
                let choice = self.variances(self.plenty());
                Choice { reason: self.reason(why), ..choice }
            }
        };
        match self.batch {
            Some(batch) => choice.in_batches(batch),
            None => choice,
        }
    }

    fn choices_alone(&self) -> Choice {
        let weights = WeightsConfig::Es(EsConfig { directions: PAIRS, ..EsConfig::default() });
        let evolution = RegularizedEvolutionConfig::default();
        let controller = ControllerConfig::RegularizedEvolution(evolution);
        self.chosen(weights, controller, alone(), "choices alone: nothing else is learned")
    }
}
