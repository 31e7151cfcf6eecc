//! Sorted choices: what can still follow a selection.
//!
//! Sets and multisets are presented in ascending order, so each has one sequence of slots and one
//! probability. Were slots drawn from the allowed candidates alone, the first would run far ahead
//! and leave the later ones only the highest. So the score of selecting v has added to it how
//! much can still follow it in the remaining j slots, log F_j(v): of sets by the elementary
//! symmetric polynomials of the weights e^x above v, of multisets by the complete homogeneous ones
//! from v on,
//!
//! ```text
//! E_j(v) = E_j(v + 1) + e^{x_v} E_{j−1}(v + 1)          F_j(v) = E_j(v + 1)
//! H_j(v) = H_j(v + 1) + e^{x_v} H_{j−1}(v)              F_j(v) = H_j(v)
//! ```
//!
//! With x the candidates' own scores, slot by slot these are exactly the conditional probabilities
//! of p(S) ∝ exp Σ_{v ∈ S} x_v. With x = 0, F_j counts: scores of zero are then the uniform
//! distribution over all sets.

use super::episode::{Form, Step};

/// log k!, for the counts.
pub(super) struct Factorials(Vec<f64>);

impl Factorials {
    /// Of up to `n`.
    pub(super) fn new(n: usize) -> Self {
        let mut sum = 0.0;
        let next = |k: usize| {
            sum += (k.max(1) as f64).ln();
            sum
        };
        Self((0..=n).map(next).collect())
    }

    fn choose(&self, n: u32, k: u32) -> f64 {
        let [n, k] = [n as usize, k as usize];
        self.0[n] - self.0[k] - self.0[n - k]
    }

    /// log F_j(v) for weights of one.
    fn count(&self, form: &Form, v: u32) -> f64 {
        let (above, rest) = (form.arity - 1 - v, form.rest());
        if form.distinct { self.choose(above, rest) } else { self.choose(above + rest, rest) }
    }

    /// log F_j(v) of every candidate that leaves enough, for weights of one.
    pub(super) fn counts(&self, form: &Form) -> Vec<f64> {
        let enough = if form.distinct { form.arity - form.rest() } else { form.arity };
        (0..enough).map(|v| self.count(form, v)).collect()
    }
}

/// log E_j or log H_j of given scores, and the gradient of a loss by them.
#[derive(Clone, Debug)]
pub(super) struct Polynomials {
    distinct: bool,
    arity: usize,
    /// j · (arity + 1) + v
    log: Vec<f64>,
    gradient: Vec<f64>,
}

impl Polynomials {
    pub(super) fn new(form: &Form, x: &[f32]) -> Self {
        let (arity, row) = (x.len(), x.len() + 1);
        let mut log = vec![f64::NEG_INFINITY; form.slots as usize * row];
        log[..row].fill(0.0);
        for at in row..log.len() {
            let v = arity - at % row;
            // Rows are filled from their end, where nothing is left.
            let at = at - at % row + v;
            if v < arity {
                let below = if form.distinct { at + 1 } else { at } - row;
                log[at] = log_add(log[at + 1], f64::from(x[v]) + log[below]);
            }
        }
        Self { distinct: form.distinct, arity, log, gradient: Vec::new() }
    }

    pub(super) fn arity(&self) -> usize {
        self.arity
    }

    fn index(&self, step: &Step, v: usize) -> usize {
        step.form.rest() as usize * (self.arity + 1) + v + usize::from(self.distinct)
    }

    /// Writes the scores of a step's window.
    pub(super) fn scores(&self, step: &Step, x: &[f32], scores: &mut Vec<f32>) {
        let most = self.log[self.index(step, step.low as usize)];
        let score = |v| (f64::from(x[v]) + self.log[self.index(step, v)] - most) as f32;
        scores.clear();
        scores.extend(step.window().map(score));
    }

    /// How often each candidate is expected in all slots together.
    ///
    /// Slot by slot, P(v) = w_v F(v) Σ_{l ≤ v} A(l) / Z(l), where A(l) is the probability that l is
    /// the lowest that may be selected, which is that of the slot before, and Z(l) = Σ_{v ≥ l} w_v
    /// F(v).
    pub(super) fn expected(&self, x: &[f32]) -> Vec<f64> {
        let (n, row, step) = (self.arity, self.arity + 1, usize::from(self.distinct));
        let (mut total, mut lowest) = (vec![0.0; n], vec![f64::NEG_INFINITY; row]);
        lowest[0] = 0.0;
        for rest in (0..self.log.len() / row).rev() {
            let score = |v: usize| f64::from(x[v]) + self.log[rest * row + v + step];
            let mut from = vec![f64::NEG_INFINITY; row];
            (0..n).rev().for_each(|v| from[v] = log_add(from[v + 1], score(v)));
            let (mut sum, mut next) = (f64::NEG_INFINITY, vec![f64::NEG_INFINITY; row]);
            for v in 0..n {
                if lowest[v] > f64::NEG_INFINITY {
                    sum = log_add(sum, lowest[v] - from[v]);
                }
                let log_p = sum + score(v);
                total[v] += log_p.exp();
                next[v + step] = log_p;
            }
            lowest = next;
        }
        total
    }

    /// Takes in the gradient of a step's scores.
    pub(super) fn pull(&mut self, step: &Step, gradient: &[f32]) {
        self.gradient.resize(self.log.len(), 0.0);
        for (v, g) in step.window().zip(gradient) {
            let at = self.index(step, v);
            self.gradient[at] += f64::from(*g);
        }
    }

    /// Adds what was taken in to the gradient by x: the recurrence backwards.
    pub(super) fn finish(mut self, x: &[f32], gradient: &mut [f32]) {
        let row = self.arity + 1;
        for j in (1..self.gradient.len() / row).rev() {
            for v in 0..self.arity {
                let at = j * row + v;
                let pulled = self.gradient[at];
                if pulled == 0.0 || self.log[at] == f64::NEG_INFINITY {
                    continue;
                }
                let below = if self.distinct { at + 1 } else { at } - row;
                let share = (f64::from(x[v]) + self.log[below] - self.log[at]).exp();
                self.gradient[at + 1] += pulled * (1.0 - share);
                self.gradient[below] += pulled * share;
                gradient[v] += (pulled * share) as f32;
            }
        }
    }
}

/// log(eᵃ + eᵇ)
fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}
