//! What is optimized: objectives f(m, θ), and the kinds of problem a study can name.

mod callable;
mod command;
mod kind;
mod objective;
mod synthetic;

pub use callable::CallableProblem;
pub use command::CommandProblem;
pub(crate) use kind::Kind;
pub use objective::{Model, Objective, Point};
pub use synthetic::{Function, Synthetic, SyntheticConfig};
