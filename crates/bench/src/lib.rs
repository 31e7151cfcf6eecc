//! The paper's experiments: what is run is data, and what comes out are tables and figures.
//!
//! An experiment is a list of independent *cells* (a problem, an algorithm, a seed). [`pool`]
//! runs them on all cores, [`cells`] keeps each as it is done, so that an experiment that was
//! stopped goes on where it was, and the report is made from the file: it depends on the
//! cells alone, never on threads, order or interruptions.
//!
//! | module | what it knows |
//! |---|---|
//! | [`bbob`] | section 3.1, Appendix B and ablations: hybrid BBOB problems |
//! | [`peers`] | `auto` beside the paper's algorithms and other people's optimizers |
//! | [`rl`] | section 4 and appendix C: policies in environments, as studies |
//! | [`theory`] | Theorem 1, measured |
//! | [`paper`] | every claim of the paper, decided by what the others left in `results` |
//! | [`cells`] | the file of finished cells |
//! | [`pool`] | cells on cores; progress with the time left |

pub mod bbob;
pub mod cells;
mod error;
pub mod paper;
pub mod peers;
pub mod pool;
pub mod rl;
pub mod theory;

pub use error::BenchError;
