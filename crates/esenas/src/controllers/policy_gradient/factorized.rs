//! The cheap relative: every decision on its own.
//!
//! A decision has a logit x_v per candidate and p = softmax(x), candidates already taken left out.
//! The slots of a sorted choice share theirs: p(S) ∝ exp Σ_{v ∈ S} x_v over all sets, or multisets,
//! slot by slot as in [`subsets`](super::subsets). Logits come to be, 0, when their decision is
//! first met.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::episode::{Episode, Form, Step};
use super::head::{Head, Verdict};
use super::policy::{Judge, Pick, Policy, Tally};
use super::subsets::Polynomials;
use super::vector::MASKED;
use crate::Space;
use crate::controllers::marginals::Layout;
use crate::space::Surveyed;

/// The logits of each decision met so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Factorized {
    /// By locus, of a sorted choice by that of its first slot: its first logit.
    starts: BTreeMap<u32, usize>,
    logits: Vec<f32>,
}

/// Room for scores, and the polynomials of the sorted choices, as they are needed.
#[derive(Default)]
struct Work {
    head: Head,
    scores: Vec<f32>,
    taken: Vec<usize>,
    polynomials: BTreeMap<u32, Polynomials>,
}

fn key(step: &Step) -> u32 {
    step.form.key()
}

impl Factorized {
    pub(super) fn new() -> Self {
        Self { starts: BTreeMap::new(), logits: Vec::new() }
    }

    fn range(&self, step: &Step) -> std::ops::Range<usize> {
        let start = self.starts.get(&key(step)).copied().unwrap_or(0);
        start..start + step.form.arity as usize
    }

    /// What the choice at `locus` selects where it is met: of a sorted one, in all its slots.
    pub(super) fn own(&self, place: &Surveyed, locus: u32) -> Vec<f64> {
        let (form, arity) = (Form::first(place), place.arity as usize);
        let mut logits = match self.starts.get(&locus) {
            Some(&start) => self.logits[start..start + arity].to_vec(),
            None => vec![0.0; arity],
        };
        if form.sorted {
            return Polynomials::new(&form, &logits).expected(&logits);
        }
        let mut head = Head::default();
        head.softmax(&mut logits);
        head.probabilities().collect()
    }

    /// The scores of step `at`, softmaxed; uniform if it was never met.
    fn weigh(&self, episode: &Episode, at: usize, work: &mut Work) {
        let Work { head, scores, taken, polynomials } = work;
        let step = &episode.0[at];
        let unmet;
        let logits = if self.starts.contains_key(&key(step)) {
            &self.logits[self.range(step)]
        } else {
            unmet = vec![0.0; step.form.arity as usize];
            &unmet
        };
        if step.form.sorted {
            let new = || Polynomials::new(&step.form, logits);
            polynomials.entry(key(step)).or_insert_with(new).scores(step, logits, scores);
        } else {
            scores.clear();
            scores.extend(&logits[step.window()]);
        }
        episode.taken(at, taken);
        taken.iter().for_each(|at| scores[*at] = MASKED);
        head.softmax(scores);
    }
}

impl Policy for Factorized {
    type Room = ();

    fn weights(&self) -> &[f32] {
        &self.logits
    }

    fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.logits
    }

    fn meet(&mut self, step: &Step) {
        if let std::collections::btree_map::Entry::Vacant(new) = self.starts.entry(key(step)) {
            new.insert(self.logits.len());
            self.logits.resize(self.logits.len() + step.form.arity as usize, 0.0);
        }
    }

    fn draw(&self, space: &Space, n: usize, pick: Pick) -> Vec<Episode> {
        let (mut work, mut picker) = (Work::default(), pick.shard(0));
        let mut episodes = vec![Episode::default(); n];
        for episode in &mut episodes {
            space.build(|decision| {
                let low = episode.present(decision).low;
                self.weigh(episode, episode.0.len() - 1, &mut work);
                let value = low + picker.pick(&work.head) as u32;
                episode.choose(value);
                value
            });
        }
        episodes
    }

    fn lean(&self, space: &Space, n: usize, pick: Pick, layout: &Layout) -> Vec<f64> {
        let (mut work, mut sums) = (Work::default(), vec![0.0; layout.size]);
        for episode in self.draw(space, n, pick) {
            for (at, step) in episode.0.iter().enumerate() {
                self.weigh(&episode, at, &mut work);
                let of = &mut sums[layout.range(step.form.key())][step.window()];
                of.iter_mut().zip(work.head.probabilities()).for_each(|(sum, p)| *sum += p);
            }
        }
        sums
    }

    fn judge(&self, batch: &[&Episode], (): &mut ()) -> Vec<Vec<Verdict>> {
        let mut work = Work::default();
        let mut of = |episode: &Episode| {
            let verdict = |(at, step): (usize, &Step)| {
                self.weigh(episode, at, &mut work);
                work.head.verdict(&work.scores, (step.choice - step.low) as usize)
            };
            episode.0.iter().enumerate().map(verdict).collect()
        };
        batch.iter().map(|episode| of(episode)).collect()
    }

    fn learn(&self, batch: &[&Episode], judge: &Judge, gradient: &mut [f32], (): &mut ()) -> Tally {
        let (mut work, mut tally) = (Work::default(), Tally::default());
        for (number, episode) in batch.iter().enumerate() {
            for (at, step) in episode.0.iter().enumerate() {
                self.weigh(episode, at, &mut work);
                let choice = (step.choice - step.low) as usize;
                let verdict = work.head.verdict(&work.scores, choice);
                let pull = judge(number, at, verdict, &mut tally);
                work.head.gradient(&mut work.scores, choice, pull);
                let own = &mut gradient[self.range(step)][step.window()];
                own.iter_mut().zip(&work.scores).for_each(|(own, score)| *own += score);
                if let Some(polynomials) = work.polynomials.get_mut(&key(step))
                    && step.form.sorted
                {
                    polynomials.pull(step, &work.scores);
                }
            }
        }
        for (key, polynomials) in work.polynomials {
            if let Some(&start) = self.starts.get(&key) {
                let range = start..start + polynomials.arity();
                polynomials.finish(&self.logits[range.clone()], &mut gradient[range]);
            }
        }
        tally
    }

    fn log_prob(&self, episode: &Episode) -> f64 {
        let mut work = Work::default();
        let log_p = |(at, step): (usize, &Step)| {
            self.weigh(episode, at, &mut work);
            work.head.log_p(&work.scores, (step.choice - step.low) as usize)
        };
        episode.0.iter().enumerate().map(log_p).sum()
    }
}
