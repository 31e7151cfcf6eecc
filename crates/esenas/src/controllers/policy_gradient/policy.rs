//! What the training asks of a distribution.

use super::episode::{Episode, Step};
use super::head::{Pull, Verdict};
use crate::Space;

/// Is shown each decision of a batch once: which episode, which step, what the distribution says.
/// Answers how the loss depends on it.
pub(super) type Judge<'a> = dyn FnMut(usize, usize, Verdict) -> Pull + 'a;

/// Picks from the window of a step, given its probabilities.
pub(super) type Pick<'a> = dyn FnMut(&[f32]) -> usize + 'a;

/// A distribution over the DNAs of a space, decision by decision.
pub(super) trait Policy {
    /// All that is learned.
    fn weights(&self) -> &[f32];

    fn weights_mut(&mut self) -> &mut [f32];

    /// Makes room for decisions that were not met before.
    fn meet(&mut self, step: &Step);

    /// Builds `n` DNAs.
    fn draw(&self, space: &Space, n: usize, pick: &mut Pick) -> Vec<Episode>;

    /// Shows all decisions to `judge`, and adds the gradient of the loss to `gradient`, if wanted.
    fn learn(&self, batch: &[&Episode], judge: &mut Judge, gradient: Option<&mut [f32]>);

    /// log p of one episode, exactly.
    fn log_prob(&self, episode: &Episode) -> f64;
}
