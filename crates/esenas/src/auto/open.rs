//! The rules where there is no box, and where there is no θ.
//!
//! Without a box nothing says how long steps should be, so what is chosen finds out: sep-CMA-ES
//! from a small σ, which grows within some iterations if that is wanted. Both halves of a pair have
//! the same model, categories are learned as in a box.
//!
//! Without θ there are choices alone. The weights are then ES over no coordinates, which only says
//! how many models an iteration has.

use super::{Choice, Facts, alone};
use crate::controllers::{ControllerConfig, RegularizedEvolutionConfig};
use crate::weights::{EsConfig, WeightsConfig};

/// Models of an iteration where there is nothing but models: pairs of them.
const PAIRS: u32 = 8;

impl Facts {
    /// The rules without a box.
    pub fn choose_without_box(&self) -> Choice {
        let choice = match (self.dim, self.noise) {
            (0, _) => self.choices_alone(),
            (_, true) => self.averaging(),
            (_, false) => {
                let why = "no box: steps and variances that find their scale";
                self.variances(why)
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
