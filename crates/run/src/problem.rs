//! What is optimized: objectives f(m, θ), and the kinds of problem a study can name.

mod bbob;
mod callable;
mod command;
mod gymnasium;
mod kind;
mod objective;
pub mod rl;
mod synthetic;

pub use callable::CallableProblem;
pub use command::CommandProblem;
pub use esenas_bbob::BbobConfig;
pub(crate) use gymnasium::complete as look_up;
pub use gymnasium::{GymnasiumConfig, Host, set_host};
pub(crate) use kind::Kind;
pub use objective::{Model, Objective, Point};
pub use rl::{Rl, RlConfig};
pub use synthetic::{Function, Synthetic, SyntheticConfig};
