//! The interface of the crate: ask and tell, and what can be asked of optimizers of m.

use crate::controllers::Marginals;
use crate::{Dna, Stream};

/// Figures an optimizer shows of itself, for records and plots: name and value.
pub type Statistics = Vec<(&'static str, f64)>;

/// Proposes points, and learns from their values.
///
/// Values are maximized. `tell` answers the last `ask`, position by position; `None` says the
/// point has no value (its evaluation failed, or it was withheld), as does a value that is not
/// finite and a position beyond the end of `values`. Neither method can fail, and whatever is
/// told, the state stays finite.
pub trait Optimizer {
    /// What is being optimized over.
    type Point;

    /// Proposes `n` points.
    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Self::Point>;

    /// Learns from the values of the points last asked for. Telling twice teaches once.
    fn tell(&mut self, values: &[Option<f64>]);

    /// Learns of a point that it did not ask for, between a tell and the next ask. `leads` says
    /// that nothing better was told before: then it goes on from there. One that cannot make use of
    /// it goes on as it was.
    fn learn(&mut self, _point: &Self::Point, _value: f64, _leads: bool) {}

    /// Forgets what was learned, where that can keep it from learning something better: a
    /// distribution that has converged is wide again. One that cannot get stuck goes on as it was.
    fn restart(&mut self) {}

    /// What is worth recording of the state, in a fixed order.
    fn statistics(&self) -> Statistics {
        Statistics::new()
    }
}

/// An optimizer of m that may hold a distribution over 𝓜.
pub trait ModelOptimizer: Optimizer<Point = Dna> {
    /// Where it stands: the likeliest model, once there is one.
    fn likeliest(&self) -> Option<Dna> {
        None
    }

    /// How often each candidate is selected, of distributions. Exact, as [`Marginals::is_exact`]
    /// says, or averaged over `n` models that are drawn for this and change nothing. None of a
    /// space that is too large.
    fn marginals(&self, _n: usize, _stream: &mut Stream) -> Option<Marginals> {
        None
    }
}

/// The value told for position `index`, if there is one to learn from.
pub(crate) fn told(values: &[Option<f64>], index: usize) -> Option<f64> {
    values.get(index).copied().flatten().filter(|v| v.is_finite())
}
