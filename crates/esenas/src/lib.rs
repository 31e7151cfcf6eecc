//! ES-ENAS.
pub mod controllers;
mod hybrid;
mod noise;
mod optimizer;
mod stream;
mod theta;
mod variation;
pub mod weights;

pub use hybrid::{Baseline, Hybrid, HybridConfig, HybridError, HybridVariation};
pub use noise::{BLOCK, Noise};
pub use optimizer::{Optimizer, Statistics};
pub use stream::{Purpose, Seed, Stream};
pub use theta::{Base, Bounds, BoundsError, Probe, Scratch, Theta};
pub use variation::{Compatibility, Variation};
pub use weights::WeightOptimizer;
