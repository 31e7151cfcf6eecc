//! ES-ENAS: optimize a black box f(m, θ) over m from a combinatorial space 𝓜 and θ from ℝᵈ, both
//! learning from the same evaluations (Song et al., "ES-ENAS: Efficient Evolutionary
//! Optimization for Large Hybrid Search Spaces").
//!
//! An [`Optimizer`] is something you *ask* for points and *tell* values. ES-ENAS is the product of
//! two of them: one over θ ([`weights`]), one over m ([`controllers`]), fed the same values.
//!
//! ```
//! use std::sync::Arc;
//! use esenas::controllers::{Controller, ControllerConfig};
//! use esenas::weights::{Es, EsConfig};
//! use esenas::{EsEnas, JointConfig, Optimizer, Purpose, Seed, Space};
//!
//! let space = Arc::new(Space::oneof(["tanh", "relu", "sin"])?);
//! let weights = Es::new(EsConfig::default(), vec![1.0; 20], None)?;
//! let controller = Controller::new(ControllerConfig::default(), space.clone())?;
//! let mut search = EsEnas::new(JointConfig::default(), space.clone(), weights, controller)?;
//! for iteration in 0..50 {
//!     let stream = &mut Seed(7).stream(Purpose::Ask, iteration, 0);
//!     let batch = search.ask(search.population(), stream);
//!     let evaluate = |c: &esenas::Candidate| {
//!         let model = space.decode(&c.dna).expect("candidates are valid");
//!         let bonus = if model == "sin" { 1.0 } else { 0.0 };
//!         Some(bonus - c.theta.to_vec().iter().map(|t| t * t).sum::<f64>())
//!     };
//!     let values: Vec<_> = batch.iter().map(evaluate).collect();
//!     search.tell(&values);
//! }
//! let (best, _mean, _count) = search.controller().best().expect("something was evaluated");
//! assert_eq!(space.decode(best)?, "sin");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Algorithm 1
//!
//! ```text
//! given f, a space 𝓜, a controller p_φ over it, weights θ ∈ ℝᵈ, σ, η_w, n
//! repeat
//!     for i = 1 … n
//!         gᵢ ~ N(0, I_d)                                   Noise, addressed
//!         mᵢ⁺, mᵢ⁻ ~ p_φ                                   controller.ask
//!         vᵢ⁺ ← f(mᵢ⁺, θ + σgᵢ),  vᵢ⁻ ← f(mᵢ⁻, θ − σgᵢ)     whoever asked
//!     θ ← θ + η_w · (1/σn) Σᵢ ½(vᵢ⁺ − vᵢ⁻) gᵢ              weights.tell (Eq. 4)
//!     φ ← update with {(mᵢ⁺, vᵢ⁺), (mᵢ⁻, vᵢ⁻)}             controller.tell
//! ```
//!
//! With a constant m this is ES; with a constant θ it is the controller alone. [`EsEnas`] is the
//! loop's body as one ask and one tell, for any weights and any controller.
//!
//! # Symbols
//!
//! | paper | code | meaning |
//! |---|---|---|
//! | f | `objective` | the black box; we maximize, everywhere |
//! | m, 𝓜 | [`Dna`], [`Space`] | a model, and the space it is from |
//! | θ, d | [`Theta`], `dim` | shared weights, and their number |
//! | σ | `sigma` | smoothing radius ("precision parameter") |
//! | η_w | `step_size` | weight step size |
//! | gᵢ | `direction`, a row of [`Noise`] | Gaussian perturbation |
//! | n | `directions` | perturbations in an iteration |
//! | p_φ | `controller` | distribution over 𝓜 |
//! | v | `value` | what is optimized; a `score` is what is reported |
//! | σ_mut | `mutation_scale` | perturbation of θ by a mutation |
//! | ω, \|E_T\| | `exponent`, `target` | of a [`Constraint`](shaping::Constraint) |
//!
//! # Reading order
//!
//! 1. [`Optimizer`]: the one trait. [`Seed`] and [`Stream`]: every draw has an address.
//! 2. [`Space`] and [`Dna`]: what a model is; sampling, mutation, crossover, distance.
//! 3. [`weights::Es`]: Eq. 4. [`Theta`], [`Base`] and [`Noise`]: why d = 10⁶ costs one copy of θ.
//! 4. [`controllers::RegularizedEvolution`], then the others.
//! 5. [`EsEnas`]: Algorithm 1, and its options; [`shaping`]: what each half sees of the values.
//! 6. [`Layout`]: models with numbers inside, in their own units.
//! 7. [`Alternating`]: θ and m by turns. [`HybridVariation`]: the baselines. [`Front`]: several
//!    goals at once. [`Search`]: any of all this, as one value. [`auto`]: which of it to use.
//!
//! # What holds
//!
//! * `ask` and `tell` cannot fail, and no value an objective can return makes a state non-finite.
//! * A state is a value: serialized between any two calls, it goes on with the same bits.
//! * Nothing depends on the number of threads, on time, or on the order of a hash.

mod alternating;
pub mod auto;
mod base;
mod bounds;
pub mod controllers;
pub mod front;
mod hybrid;
mod inner;
pub mod joint;
mod layout;
mod noise;
mod optimizer;
mod search;
mod setting;
pub mod shaping;
mod simd;
pub mod space;
mod stream;
mod theta;
mod variation;
pub mod weights;

pub use alternating::{Alternating, AlternatingConfig, NextConfig};
pub use base::Base;
pub use bounds::{Bounds, BoundsError};
pub use front::{Front, FrontConfig, Goals};
pub use hybrid::{Hybrid, HybridConfig, HybridVariation};
pub use inner::Inner;
pub use joint::{Candidate, EsEnas, JointConfig, Pairing, Role};
pub use layout::{Block, Layout, Used};
pub use noise::{BLOCK, Noise};
pub use optimizer::{ModelOptimizer, Optimizer, Statistics};
pub use search::{Search, SearchConfig, Start};
pub use setting::SettingError;
pub use space::{Dna, Space};
pub use stream::{Purpose, Seed, Stream};
pub use theta::{Probe, Scratch, Theta};
pub use variation::{Compatibility, Variation};
pub use weights::WeightOptimizer;
