//! The 19 functions of the paper's section 3.1, as Google Vizier defines them, over hybrid spaces.
//!
//! A [`Function`] becomes an [`Instance`] by its dimension, rotations and the place of its optimum
//! ([`Mode`]); all that can be computed beforehand then is. Instances are *minimized*, as the
//! literature has it. A [`Hybrid`] problem takes some of the coordinates as categories and is
//! *maximized*, as everything is in this project: the minus sign is there, and nowhere else.
//!
//! ```
//! use esenas::Seed;
//! use esenas_bbob::{Function, BbobConfig, HybridBuffer, Mode, Scale};
//!
//! let (function, mode) = (Function::Rastrigin, Mode::Instance);
//! let config = BbobConfig { function, d_cat: 5, d_con: 20, mode, seed: 7 };
//! let problem = config.build()?;
//! let (dna, theta) = problem.start(Seed(1));
//! let value = problem.value(dna.genes(), &theta, &mut HybridBuffer::default());
//! let scale = Scale::new(&problem, 1000.try_into()?, Seed(2));
//! assert!(scale.gap(value) > 0.0);
//! let (dna, theta) = problem.best().expect("it is on the grid");
//! assert_eq!(scale.gap(problem.value(dna.genes(), &theta, &mut HybridBuffer::default())), 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How a function is evaluated
//!
//! x is moved (`Instance::moved`), goes through named transforms to z (`transforms`, `pipeline`;
//! linear ones that meet are multiplied out beforehand), and the raw formula (`raw`) takes z to the
//! value, to which a penalty outside [−5, 5]ᴰ is added. Each function is one arm of `compose`.
//! Batches share the loads of the rotation matrices (`packed`) and give the same bits as
//! single points. Sines, powers and logarithms are our own (`lanes`), eight side by side.

mod compose;
mod function;
mod gallagher;
mod gap;
mod hybrid;
mod instance;
mod lanes;
mod packed;
mod pipeline;
mod query;
mod raw;
mod rotation;
mod service;
mod transforms;

pub use function::{Function, Listed, UnknownFunction, list};
pub use gap::Scale;
pub use hybrid::{BbobConfig, Hybrid, HybridBuffer, HybridError, PointError};
pub use instance::{Buffer, Instance, InstanceError, MAX_DIM, Mode};
pub use query::{Query, QueryError, parse_query};
pub use rotation::{MAX_ROTATED, Rotation, RotationError};
pub use service::Service;
