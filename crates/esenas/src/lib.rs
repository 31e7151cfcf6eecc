//! ES-ENAS.
pub mod controllers;
mod hybrid;
pub mod joint;
mod noise;
mod optimizer;
mod search;
pub mod shaping;
mod simd;
pub mod space;
mod stream;
mod theta;
mod variation;
pub mod weights;

pub use hybrid::{Baseline, Hybrid, HybridConfig, HybridError, HybridVariation};
pub use joint::{Candidate, EsEnas, JointConfig, JointError, Pairing, Role};
pub use noise::{BLOCK, Noise};
pub use optimizer::{Optimizer, Statistics};
pub use search::{Search, SearchConfig, SearchError, Start};
pub use space::{Dna, Space};
pub use stream::{Purpose, Seed, Stream};
pub use theta::{Base, Bounds, BoundsError, Probe, Scratch, Theta};
pub use variation::{Compatibility, Variation};
pub use weights::WeightOptimizer;
