//! What the training asks of a distribution.

use std::ops::AddAssign;

use super::episode::{Episode, Step};
use super::head::{Head, Pull, Verdict};
use crate::controllers::marginals::Layout;
use crate::{Purpose, Seed, Space, Stream};

/// Sums over the decisions of a batch: what training wants to know of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) kl: f64,
    pub(super) clipped: f64,
    pub(super) loss: f64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.kl += other.kl;
        self.clipped += other.clipped;
        self.loss += other.loss;
    }
}

/// Is shown each decision of a batch once: which episode, which step, what the distribution says.
/// Answers how the loss depends on it, and adds to the sums of its shard.
pub(super) type Judge<'a> = dyn Fn(usize, usize, Verdict, &mut Tally) -> Pull + Sync + 'a;

/// How candidates are chosen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pick {
    /// By their probabilities, with the randomness of this key.
    Draw(u64),
    /// The likeliest, of equals the first.
    Likeliest,
}

impl Pick {
    /// Of the `index`-th shard, so that shards can be drawn in any order.
    pub(super) fn shard(self, index: usize) -> Picker {
        Picker(match self {
            Self::Draw(key) => Some(Seed(key).stream(Purpose::Ask, 0, index as u32)),
            Self::Likeliest => None,
        })
    }
}

/// Chooses for one shard.
pub(super) struct Picker(Option<Stream>);

impl Picker {
    pub(super) fn pick(&mut self, head: &Head) -> usize {
        match &mut self.0 {
            Some(stream) => head.select(stream.unit()),
            None => head.mode(),
        }
    }
}

/// A distribution over the DNAs of a space, decision by decision.
pub(super) trait Policy {
    /// Room that is kept between updates.
    type Room: Default;

    /// All that is learned.
    fn weights(&self) -> &[f32];

    fn weights_mut(&mut self) -> &mut [f32];

    /// Makes room for decisions that were not met before.
    fn meet(&mut self, step: &Step);

    /// Builds `n` DNAs.
    fn draw(&self, space: &Space, n: usize, pick: Pick) -> Vec<Episode>;

    /// Builds `n` DNAs, and sums up what each candidate had at the decisions they met.
    fn lean(&self, space: &Space, n: usize, pick: Pick, layout: &Layout) -> Vec<f64>;

    /// What it says of all decisions, episode by episode.
    fn judge(&self, batch: &[&Episode], room: &mut Self::Room) -> Vec<Vec<Verdict>>;

    /// Shows all decisions to `judge`, and adds the gradient of the loss to `gradient`.
    fn learn(
        &self,
        batch: &[&Episode],
        judge: &Judge,
        gradient: &mut [f32],
        room: &mut Self::Room,
    ) -> Tally;

    /// log p of one episode, exactly.
    fn log_prob(&self, episode: &Episode) -> f64;
}
