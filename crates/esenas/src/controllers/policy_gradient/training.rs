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
use super::episode::Episode;
use super::head::{Pull, Verdict};
use super::policy::Policy;
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
        let mut pick = |p: &[f32]| select(p, stream.unit());
        let episodes = self.policy.draw(&self.space, n, &mut pick);
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
        let mut pick = |p: &[f32]| {
            let better = |best: usize, at: usize| if p[at] > p[best] { at } else { best };
            (1..p.len()).fold(0, better)
        };
        let episodes = self.policy.draw(&self.space, 1, &mut pick);
        episodes.first().map_or_else(|| self.space.first(), Episode::dna)
    }

    pub(super) fn statistics(&self) -> Statistics {
        let Seen { entropy, kl, clip_fraction, loss } = self.seen;
        vec![
            ("entropy", entropy),
            ("kl", kl),
            ("clip_fraction", clip_fraction),
            ("loss", loss),
            ("baseline", self.baseline.unwrap_or(0.0)),
        ]
    }

    fn improve(&mut self, episodes: &[Episode], advantages: &[f64]) {
        let size = episodes.len().min(self.training.batch as usize);
        let (old, entropy) = self.before(episodes, size);
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
            let (mut kl, mut clipped, mut loss) = (0.0, 0.0, 0.0);
            let (clip, entropy) = (self.training.clip, self.training.entropy);
            let mut judge = |at: usize, t: usize, verdict: Verdict| {
                if batch[at].0[t].options() == 1 {
                    return Pull::default();
                }
                let surrogate = Surrogate::new(
                    verdict.log_p - old[chosen[at]][t],
                    advantages[chosen[at]],
                    clip,
                );
                kl += surrogate.kl / free;
                clipped += f64::from(u8::from(surrogate.slope == 0.0)) / free;
                loss -= (surrogate.value + entropy * verdict.entropy) / free;
                Pull { log_p: (-surrogate.slope / free) as f32, entropy: (-entropy / free) as f32 }
            };
            self.policy.learn(&batch, &mut judge, Some(&mut gradient));
            seen.kl = kl;
            seen.loss = loss;
            seen.clip_fraction += clipped;
            updates += 1.0;
            if kl > self.training.max_kl || !shorten(&mut gradient, self.training.max_norm) {
                break;
            }
            self.adam.step(self.policy.weights_mut(), &gradient, self.learning_rate);
        }
        seen.clip_fraction /= f64::max(updates, 1.0);
        let finite = [seen.kl, seen.loss, seen.entropy].iter().all(|x| x.is_finite());
        if finite {
            self.seen = seen;
        }
    }

    /// log p of every decision as the points were drawn, and the mean entropy.
    fn before(&self, episodes: &[Episode], size: usize) -> (Vec<Vec<f64>>, f64) {
        let (mut old, mut entropy) = (Vec::with_capacity(episodes.len()), 0.0);
        for some in episodes.chunks(size.max(1)) {
            let batch: Vec<&Episode> = some.iter().collect();
            let start = old.len();
            old.extend(some.iter().map(|episode| vec![0.0; episode.0.len()]));
            let mut judge = |at: usize, t: usize, verdict: Verdict| {
                old[start + at][t] = verdict.log_p;
                entropy += verdict.entropy;
                Pull::default()
            };
            self.policy.learn(&batch, &mut judge, None);
        }
        (old, entropy / free(episodes.iter()).max(1.0))
    }
}

/// How many decisions there was a choice at.
fn free<'a>(episodes: impl Iterator<Item = &'a Episode>) -> f64 {
    episodes.flat_map(|episode| &episode.0).filter(|step| step.options() > 1).count() as f64
}

/// min(r A, clip(r, 1 − ε, 1 + ε) A)
#[derive(Clone, Copy, Debug)]
struct Surrogate {
    value: f64,
    /// Its derivative by log p; 0 where it is clipped.
    slope: f64,
    /// r − 1 − ln r
    kl: f64,
}

impl Surrogate {
    fn new(log_ratio: f64, advantage: f64, clip: f64) -> Self {
        // No ratio as far as e²⁰ is let through, but it must not overflow.
        let log_ratio = log_ratio.clamp(-20.0, 20.0);
        let ratio = log_ratio.exp();
        let clipped = ratio.clamp(1.0 - clip, 1.0 + clip);
        let value = (ratio * advantage).min(clipped * advantage);
        let beyond = if advantage > 0.0 { ratio > 1.0 + clip } else { ratio < 1.0 - clip };
        let slope = if beyond { 0.0 } else { ratio * advantage };
        Self { value, slope, kl: ratio - 1.0 - log_ratio }
    }
}

/// The advantages of `values`, and the baseline they are against. None where there is nothing to
/// learn: fewer than two values, or equal ones.
fn advantages(values: &[f64], baseline: Option<f64>, rate: f64) -> Option<(Vec<f64>, f64)> {
    let first = values.first()?;
    if values.iter().all(|value| value == first) {
        return None;
    }
    // In units of the largest, lest squares overflow.
    let unit = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let n = values.len() as f64;
    let scaled: Vec<f64> = values.iter().map(|value| value / unit).collect();
    let mean = scaled.iter().sum::<f64>() / n;
    let deviation = (scaled.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    if deviation.is_nan() || deviation <= 0.0 {
        return None;
    }
    // A baseline far off is of other times, or of a freak value: it would drown all else.
    let near = |before: &f64| (before - mean).abs() <= 10.0 * deviation;
    let before = baseline.map(|baseline| baseline / unit).filter(near).unwrap_or(mean);
    let baseline = before + rate * (mean - before);
    let advantage = |v: &f64| ((v - baseline) / deviation).clamp(-10.0, 10.0);
    Some((scaled.iter().map(advantage).collect(), (baseline * unit).clamp(f64::MIN, f64::MAX)))
}

/// Scales `gradient` to at most `longest`; whether it is finite.
fn shorten(gradient: &mut [f32], longest: f64) -> bool {
    let norm = gradient.iter().map(|g| f64::from(*g).powi(2)).sum::<f64>().sqrt();
    if norm > longest {
        let scale = (longest / norm) as f32;
        gradient.iter_mut().for_each(|g| *g *= scale);
    }
    norm.is_finite()
}

/// The index at `point` of the probabilities laid end to end.
fn select(p: &[f32], point: f64) -> usize {
    let (mut rest, mut last) = (point, 0);
    for (at, p) in p.iter().enumerate() {
        if *p > 0.0 {
            last = at;
            rest -= f64::from(*p);
            if rest < 0.0 {
                break;
            }
        }
    }
    last
}

/// Adam, with the constants of its paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Adam {
    steps: u64,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Adam {
    fn step(&mut self, weights: &mut [f32], gradient: &[f32], rate: f64) {
        const BETA: [f32; 2] = [0.9, 0.999];
        self.steps += 1;
        self.first.resize(weights.len(), 0.0);
        self.second.resize(weights.len(), 0.0);
        let steps = self.steps.min(1 << 30) as i32;
        let [one, two] = BETA.map(|beta| 1.0 - f64::from(beta).powi(steps));
        let (rate, root) = ((rate / one) as f32, (1.0 / two.sqrt()) as f32);
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((w, g), (m, v)) in weights.iter_mut().zip(gradient).zip(moments) {
            *m += (1.0 - BETA[0]) * (g - *m);
            *v += (1.0 - BETA[1]) * (g * g - *v);
            *w -= rate * *m / (v.sqrt() * root + 1e-8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::factorized::Factorized;
    use super::*;
    use crate::controllers::testing::stream;

    /// Red when the minimum is a maximum, or the wrong side is clipped. At a ratio of 1 this is
    /// REINFORCE.
    #[test]
    fn ratios_are_clipped_where_they_would_earn_more() {
        let slope = |ratio: f64, advantage| Surrogate::new(ratio.ln(), advantage, 0.2).slope;
        let value = |ratio: f64, advantage| Surrogate::new(ratio.ln(), advantage, 0.2).value;
        let close = |one: f64, other: f64| assert!((one - other).abs() < 1e-12, "{one} {other}");
        close(slope(1.0, 3.0), 3.0);
        close(slope(1.0, -3.0), -3.0);
        close(slope(1.3, 2.0), 0.0);
        close(slope(0.7, 2.0), 1.4);
        close(slope(1.3, -2.0), -2.6);
        close(slope(0.7, -2.0), 0.0);
        close(value(1.3, 2.0), 2.4);
        close(value(0.7, 2.0), 1.4);
        close(value(1.3, -2.0), -2.6);
        close(value(0.7, -2.0), -1.6);
        close(Surrogate::new(0.0, 1.0, 0.2).kl, 0.0);
        assert!(Surrogate::new(f64::INFINITY, 1.0, 0.2).slope.is_finite());
    }

    #[test]
    fn advantages_are_against_a_moving_baseline() {
        let (first, baseline) = advantages(&[1.0, 3.0], None, 0.5).unwrap();
        assert!((first[0] + 1.0).abs() < 1e-12 && (first[1] - 1.0).abs() < 1e-12, "{first:?}");
        assert!((baseline - 2.0).abs() < 1e-12);
        let (second, baseline) = advantages(&[5.0, 7.0], Some(2.0), 0.5).unwrap();
        assert!((baseline - 4.0).abs() < 1e-12);
        assert!((second[0] - 1.0).abs() < 1e-12 && (second[1] - 3.0).abs() < 1e-12, "{second:?}");
        for far in [f64::MAX, f64::MIN, 100.0] {
            assert_eq!(advantages(&[1.0, 3.0], Some(far), 0.5), advantages(&[1.0, 3.0], None, 0.5));
        }
        assert_eq!(advantages(&[2.0], None, 0.5), None);
        assert_eq!(advantages(&[2.0, 2.0], Some(1.0), 0.5), None);
        for values in [[f64::MAX, f64::MIN], [f64::MIN_POSITIVE, 1e-320], [1.0, 1.0 + 1e-15]] {
            let (advantages, baseline) = advantages(&values, None, 0.5).unwrap();
            assert!(advantages.iter().chain([&baseline]).all(|a| a.is_finite()), "{values:?}");
        }
    }

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

    #[test]
    fn gradients_are_shortened_and_refused_when_not_finite() {
        let mut gradient = [3.0, 4.0];
        assert!(shorten(&mut gradient, 1.0));
        assert!((gradient[0] - 0.6).abs() < 1e-6 && (gradient[1] - 0.8).abs() < 1e-6);
        assert!(!shorten(&mut [f32::NAN, 1.0], 1.0));
        assert!(!shorten(&mut [f32::INFINITY, 1.0], 1.0));
    }

    #[test]
    fn nothing_of_probability_zero_is_selected() {
        let p = [0.0, 0.25, 0.0, 0.75, 0.0];
        let at = [0.0, 0.24, 0.26, 0.999_999, 1.0].map(|point| select(&p, point));
        assert_eq!(at, [1, 1, 3, 3, 3]);
    }
}
