//! Optimizers of θ.

mod cma_es;
mod diagonal;
mod lm_ma_es;
mod mirror;
mod recombination;
mod sep_cma_es;
mod snes;
mod start;
mod stop;

pub use cma_es::{CmaEs, CmaEsConfig};
pub use lm_ma_es::{LmMaEs, LmMaEsConfig};
pub use sep_cma_es::{SepCmaEs, SepCmaEsConfig};
pub use snes::{Snes, SnesConfig};
pub use start::StartError;
pub use stop::{Stop, Tolerances};

use crate::{Optimizer, Theta};

/// An optimizer of θ that knows where it stands.
pub trait WeightOptimizer: Optimizer<Point = Theta> {
    /// The current estimate: θ of Algorithm 1, the mean of a distribution.
    fn centre(&self) -> Theta;

    /// How many points an iteration of it asks for, by its own settings.
    fn population(&self) -> usize;
}
