//! Optimizers of θ.
//!
//! | kind | for | per point | reference |
//! |---|---|---|---|
//! | [`Es`] | any d, noise, the paper's own | O(d) | §2.1.1; Mania et al. 2018 |
//! | [`CmaEs`] | d up to about 1000, ill-conditioned | O(d²) | Hansen 2016 |
//! | [`SepCmaEs`] | large d, separable | O(d) | Ros and Hansen 2008 |
//! | [`Snes`] | large d, separable | O(d) | Schaul et al. 2011 |
//! | [`LmMaEs`] | d ≥ 10⁴, not separable | O(d log d) | Loshchilov et al. 2019 |
//! | [`LineEs`] | few evaluations per weight | O(d) | Arnold 2006; Hansen 2008 |
//!
//! Two are made of others, and compose:
//!
//! | kind | what it adds |
//! |---|---|
//! | [`Growing`] | a population that grows with the evaluations spent |
//! | [`Restarts`] | a new beginning, with a larger population, whenever nothing improves any more |
//!
//! Where coordinates are on a grid ([`Bounds::with_steps`](crate::Bounds::with_steps)) all of them
//! hand out points of it. [`CmaEs`], [`SepCmaEs`], [`Snes`] and [`LineEs`] keep margins there
//! (`margin.rs`), so that they go on drawing other cells than that of their mean; the others only
//! round, and may stall where σ is small beside the step.
//!
//! [`Weights`] is any of them, as one value.

/// Passes on to the optimizer within what the one around it does not change.
macro_rules! pass_on {
    ($($method:ident -> $type:ty),+) => {
        $(
            fn $method(&self) -> $type {
                self.weights.$method()
            }
        )+
    };
}

mod active;
mod any;
mod buffer;
mod cma_es;
mod diagonal;
mod es;
mod growing;
mod line_es;
mod lm_ma_es;
mod margin;
mod mirror;
mod mirrored;
mod recombination;
mod restarts;
mod rests;
mod schedule;
mod sep_cma_es;
mod snes;
mod start;
mod step;
mod stop;
mod turn;

pub use any::{Weights, WeightsConfig};
pub use cma_es::{CmaEs, CmaEsConfig};
pub use es::{Es, EsConfig, Sampling};
pub use growing::{Growing, GrowingConfig};
pub use line_es::{LineEs, LineEsConfig};
pub use lm_ma_es::{LmMaEs, LmMaEsConfig};
pub use mirror::Boundary;
pub use recombination::Recombination;
pub use restarts::{Regime, Restarts, RestartsConfig};
pub use schedule::{Ramp, Schedule};
pub use sep_cma_es::{SepCmaEs, SepCmaEsConfig};
pub use snes::{Snes, SnesConfig};
pub(crate) use start::check_point;
pub use step::{Adam, ClipUp, Momentum, StepRule};
pub use stop::{Stop, Tolerances};

use crate::{Optimizer, Theta, Used};

/// An optimizer's settings within another's.
pub type Inner = crate::inner::Inner<WeightsConfig>;

/// An optimizer of θ that knows where it stands.
pub trait WeightOptimizer: Optimizer<Point = Theta> {
    /// The current estimate: θ of Algorithm 1, the mean of a distribution.
    fn centre(&self) -> Theta;

    /// How many points an iteration of it asks for, by its own settings.
    fn population(&self) -> usize;

    /// Which coordinates each point of the last ask used, said before their values are told. If
    /// nothing is said, that is all of them. One that cannot make use of it learns from all as
    /// ever.
    fn used(&mut self, _used: Used) {}

    /// Whether points come in pairs θ + δ, θ − δ, one after the other.
    fn antithetic(&self) -> bool {
        false
    }

    /// How often it has begun anew, at a point of its own choice. A change says that what is
    /// learned beside it should be unlearned too.
    fn restarts(&self) -> u32 {
        0
    }

    /// Why it would be time to stop, of those that know; `ask` and `tell` go on working.
    fn stop(&self) -> Option<Stop> {
        None
    }
}
