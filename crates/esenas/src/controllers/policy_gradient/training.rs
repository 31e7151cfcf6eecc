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
//! one's included, and s is their deviation. KL is estimated on each mini-batch before its
//! update, by the mean of r − 1 − ln r (Schulman 2020).

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
    pub(super) fn mode(&self) -> Dna
    where
        P: Clone,
    {
        let better =
            |p: &[f32]| (1..p.len()).fold(0, |best, at| if p[at] > p[best] { at } else { best });
        let episodes = self.policy.clone().draw(&self.space, 1, &mut { better });
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
        let (mut seen, mut decisions) = (Seen { entropy, ..Seen::default() }, 0.0);
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
            decisions += 1.0;
            if kl > self.training.max_kl || !shorten(&mut gradient, self.training.max_norm) {
                break;
            }
            self.adam.step(self.policy.weights_mut(), &gradient, self.learning_rate);
        }
        seen.clip_fraction /= f64::max(decisions, 1.0);
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
    let unit = values.iter().chain(&baseline).fold(0.0, |most: f64, v| most.max(v.abs()));
    let n = values.len() as f64;
    let scaled: Vec<f64> = values.iter().map(|value| value / unit).collect();
    let mean = scaled.iter().sum::<f64>() / n;
    let deviation = (scaled.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    if deviation.is_nan() || deviation <= 0.0 {
        return None;
    }
    let before = baseline.map_or(mean, |baseline| baseline / unit);
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
