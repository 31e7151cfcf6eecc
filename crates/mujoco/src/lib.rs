//! The eight MuJoCo environments of the paper (section 4, appendix A.4), on MuJoCo 2.3.7 itself.
//!
//! ```no_run
//! let mut env = esenas_mujoco::make("HalfCheetah")?;
//! let mut observation = vec![0.0; env.spec().observation];
//! env.reset(&mut esenas::Seed(7).stream(esenas::Purpose::Evaluate, 0, 0), &mut observation);
//! let step = env.step(&[0.5; 6], &mut observation)?;
//! println!("{} + {}", step.reward, step.alive);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | `ffi` | the C library: the only `unsafe` of the project |
//! | `places`, `packages`, `fetch`, `python` | where the library and the models are, or come from |
//! | `engine` | the loaded library, each model compiled once |
//! | `catalog`, `rules`, `task` | the environments |
//! | `replay` | a trajectory as JSON |
//! | `doctor` | what is found and what is wrong |
//! | `film` | pictures |
//!
//! Nothing of MuJoCo or of the models is part of this repository or of the build: the library is
//! loaded when the first environment is made.

#[cfg(not(unix))]
compile_error!(
    "programs are started by the means of Unix: build on Linux or macOS, or on Windows in its \
     Subsystem for Linux. The algorithms alone, the crate `esenas`, build anywhere."
);

mod catalog;
mod doctor;
mod engine;
mod error;
mod fetch;
mod ffi;
mod film;
mod packages;
mod places;
mod python;
mod replay;
mod rules;
mod task;

pub use catalog::{Listed, list, sizes};
pub use doctor::{Finding, doctor, install};
pub use engine::{Engine, make};
pub use error::Error;
pub use film::{Film, Filmed, VideoError};
pub use packages::VERSION;
pub use places::Places;
pub use replay::{Replay, ReplayError, Replayed, replay};
pub use task::Task;
