//! Proximal policy optimization (Schulman et al. 2017) of a distribution over DNAs.
//!
//! With advantages Aᵢ of the points of an iteration and r the ratio of a decision's probability to
//! what it was when the points were drawn, an update is a step of Adam (Kingma and Ba 2015) up
//!
//! J = mean [ min(r A, clip(r, 1 − ε, 1 + ε) A) + β H ]
//!
//! over the decisions of a mini-batch at which there was a choice. Mini-batches are taken in turn:
//! points are drawn independently, so their order is as random as any.
//!
//! A = (v − b) / s, within ±10, where b moves towards the mean of each iteration's values, this
//! one's included, and s is their deviation; a baseline more than 10 s away starts anew. KL is
//! estimated on each mini-batch before its update, by the mean of r − 1 − ln r (Schulman 2020).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Training;
use super::adam::{Adam, shorten};
use super::episode::Episode;
use super::factorized::Factorized;
use super::head::{Pull, Verdict};
use super::policy::{Pick, Policy, Tally};
use super::surrogate::{Surrogate, advantages};
use crate::controllers::Marginals;
use crate::controllers::marginals::Layout;
use crate::optimizer::told;
use crate::{Dna, Space, Statistics, Stream};

/// A policy, and what it takes to train it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Trainer<P> {
    learning_rate: f64,
    training: Training,
    space: Arc<Space>,
    pub(super) policy: P,
    adam: Adam,
    baseline: Option<f64>,
    /// The points of the last ask, until they are told.
    asked: Vec<Dna>,
    seen: Seen,
}

/// Figures of the last iteration that taught something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Seen {
    /// Mean per decision, of the distribution the points came from.
    entropy: f64,
    kl: f64,
    clip_fraction: f64,
    loss: f64,
    /// Of the mode after the updates.
    mode_log_prob: f64,
}

impl<P: Policy> Trainer<P> {
    pub(super) fn new(
        learning_rate: f64,
        training: Training,
        space: Arc<Space>,
        policy: P,
    ) -> Self {
        let (adam, seen) = (Adam::default(), Seen::default());
        Self { learning_rate, training, space, policy, adam, baseline: None, asked: vec![], seen }
    }

    pub(super) fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Dna> {
        let episodes = self.policy.draw(&self.space, n, Pick::Draw(stream.bits()));
        self.asked = episodes.iter().map(Episode::dna).collect();
        self.asked.clone()
    }

    pub(super) fn tell(&mut self, values: &[Option<f64>]) {
        let asked = std::mem::take(&mut self.asked);
        let known = asked.iter().enumerate().filter_map(|(at, dna)| Some((dna, told(values, at)?)));
        let (points, values): (Vec<&Dna>, Vec<f64>) = known.unzip();
        let Some((advantages, baseline)) =
            advantages(&values, self.baseline, self.training.baseline_rate)
        else {
            return;
        };
        self.baseline = Some(baseline);
        let episodes: Vec<_> = points.iter().map(|dna| Episode::replay(&self.space, dna)).collect();
        for step in episodes.iter().flat_map(|episode| &episode.0) {
            self.policy.meet(step);
        }
        self.improve(&episodes, &advantages);
    }

    /// log p of `dna`.
    pub(super) fn log_prob(&self, dna: &Dna) -> f64 {
        self.policy.log_prob(&Episode::replay(&self.space, dna))
    }

    /// The likeliest choice at every decision in turn; of equals the first.
    pub(super) fn mode(&self) -> Dna {
        let episodes = self.policy.draw(&self.space, 1, Pick::Likeliest);
        episodes.first().map_or_else(|| self.space.first(), Episode::dna)
    }

    /// What each candidate has on average over `n` models, at the decisions they met.
    pub(super) fn averages(&self, n: usize, stream: &mut Stream) -> Option<Marginals> {
        let layout = Layout::new(&self.space)?;
        let sums = self.policy.lean(&self.space, n, Pick::Draw(stream.bits()), &layout);
        Some(layout.averaged(sums, n))
    }

    pub(super) fn statistics(&self) -> Statistics {
        let Seen { entropy, kl, clip_fraction, loss, mode_log_prob } = self.seen;
        vec![
            ("entropy", entropy),
            ("kl", kl),
            ("clip_fraction", clip_fraction),
            ("loss", loss),
            ("mode_log_prob", mode_log_prob),
            ("baseline", self.baseline.unwrap_or(0.0)),
        ]
    }

    fn improve(&mut self, episodes: &[Episode], advantages: &[f64]) {
        let mut room = P::Room::default();
        let size = episodes.len().min(self.training.batch as usize);
        let (old, entropy) = self.before(episodes, size, &mut room);
        let (mut seen, mut updates) = (Seen { entropy, ..Seen::default() }, 0.0);
        let mut gradient = vec![0.0; self.policy.weights().len()];
        for step in 0..self.training.steps as usize {
            let chosen: Vec<usize> = (0..size).map(|at| (step * size + at) % old.len()).collect();
            let batch: Vec<&Episode> = chosen.iter().map(|&at| &episodes[at]).collect();
            let free = free(batch.iter().copied());
            if free == 0.0 {
                break;
            }
            gradient.fill(0.0);
            let Training { clip, entropy, .. } = self.training;
            let judge = |at: usize, t: usize, verdict: Verdict, tally: &mut Tally| {
                if batch[at].0[t].options() == 1 {
                    return Pull::default();
                }
                let log_ratio = verdict.log_p - old[chosen[at]][t].log_p;
                let surrogate = Surrogate::new(log_ratio, advantages[chosen[at]], clip);
                tally.kl += surrogate.kl / free;
                tally.clipped += f64::from(u8::from(surrogate.slope == 0.0)) / free;
                tally.loss -= (surrogate.value + entropy * verdict.entropy) / free;
                Pull { log_p: (-surrogate.slope / free) as f32, entropy: (-entropy / free) as f32 }
            };
            let tally = self.policy.learn(&batch, &judge, &mut gradient, &mut room);
            seen.kl = tally.kl;
            seen.loss = tally.loss;
            seen.clip_fraction += tally.clipped;
            updates += 1.0;
            if tally.kl > self.training.max_kl || !shorten(&mut gradient, self.training.max_norm) {
                break;
            }
            self.adam.step(self.policy.weights_mut(), &gradient, self.learning_rate);
        }
        seen.clip_fraction /= f64::max(updates, 1.0);
        seen.mode_log_prob = self.log_prob(&self.mode());
        let figures = [seen.kl, seen.loss, seen.entropy, seen.mode_log_prob];
        let finite = figures.iter().all(|x| x.is_finite());
        if finite {
            self.seen = seen;
        }
    }

    /// What the policy says of every decision as the points were drawn, and the mean entropy.
    fn before(
        &self,
        episodes: &[Episode],
        size: usize,
        room: &mut P::Room,
    ) -> (Vec<Vec<Verdict>>, f64) {
        let mut old = Vec::with_capacity(episodes.len());
        for some in episodes.chunks(size.max(1)) {
            old.extend(self.policy.judge(&some.iter().collect::<Vec<_>>(), room));
        }
        let entropy: f64 = old.iter().flatten().map(|verdict| verdict.entropy).sum();
        (old, entropy / free(episodes.iter()).max(1.0))
    }
}

impl Trainer<Factorized> {
    /// Exact wherever there is a closed form.
    pub(super) fn marginals(&self, n: usize, stream: &mut Stream) -> Option<Marginals> {
        let (policy, space) = (&self.policy, &self.space);
        let averages = |layout: &Layout| {
            let mut sums = policy.lean(space, n, Pick::Draw(stream.bits()), layout);
            sums.iter_mut().for_each(|sum| *sum /= n.max(1) as f64);
            sums
        };
        Some(Layout::new(space)?.independent(|place, locus| policy.own(place, locus), averages))
    }
}

/// How many decisions there was a choice at.
fn free<'a>(episodes: impl Iterator<Item = &'a Episode>) -> f64 {
    episodes.flat_map(|episode| &episode.0).filter(|step| step.options() > 1).count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::testing::stream;

    fn updates(training: Training) -> u64 {
        let space = Arc::new(Space::oneof(0..=4).unwrap());
        let mut trainer = Trainer::new(0.5, training, space, Factorized::new());
        let points = trainer.ask(30, &mut stream(0));
        let values: Vec<_> = points.iter().map(|dna| Some(f64::from(dna.genes()[0]))).collect();
        trainer.tell(&values);
        trainer.adam.steps
    }

    #[test]
    fn updates_end_where_the_distribution_has_moved_enough() {
        let steps = |steps, max_kl| updates(Training { steps, max_kl, ..Training::default() });
        assert_eq!([steps(10, 1e-30), steps(10, 1e30), steps(1, 1e30)], [1, 10, 1]);
    }
}
