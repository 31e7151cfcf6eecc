//! The rules where there is no box, and where there is no θ.
//!
//! Without a box nothing says how long steps should be, so what is chosen finds out: sep-CMA-ES
//! from a small σ, which grows within some iterations if that is wanted. Both halves of a pair have
//! the same model, categories are learned as in a box.
//!
//! Without θ there are choices alone. The weights are then ES over no coordinates, which only says
//! how many models an iteration has: few, since the next ones are made from what these were worth.
//! Where most decisions are orders it is [`LocalSearch`](crate::controllers::LocalSearch), else
//! [`Pyramid`](crate::controllers::Pyramid), which finds out which decisions belong together.

use super::{Choice, Facts, alone};
use crate::controllers::{
    ControllerConfig, LocalSearchConfig, MAX_LINKED, PyramidConfig, RegularizedEvolutionConfig,
};
use crate::weights::{EsConfig, WeightsConfig};

/// Pairs of models of an iteration where there is nothing but models, of a population.
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
        let (controller, directions, why) = if self.noise {
            let evolution = RegularizedEvolutionConfig::default();
            let why = "noisy choices alone: a population that forgets";
            (ControllerConfig::RegularizedEvolution(evolution), PAIRS, why)
        } else if self.is_ordered() {
            let why = "orders alone: moves that succeed, from one order";
            (ControllerConfig::LocalSearch(LocalSearchConfig {}), 1, why)
        } else if self.loci <= MAX_LINKED {
            let why = "choices alone: climbs, and what belongs together is mixed";
            (ControllerConfig::Pyramid(PyramidConfig {}), 1, why)
        } else {
            let evolution = RegularizedEvolutionConfig::default();
            let why = "too many choices to look at all pairs: a population";
            (ControllerConfig::RegularizedEvolution(evolution), PAIRS, why)
        };
        let weights = WeightsConfig::Es(EsConfig { directions, ..EsConfig::default() });
        self.chosen(weights, controller, alone(), why)
    }

    /// Whether most decisions are slots of orders.
    fn is_ordered(&self) -> bool {
        self.decisions > 0 && 2 * self.orders >= self.loci
    }
}
