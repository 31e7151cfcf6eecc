//! The distribution of one decision: a softmax over what may be chosen.
//!
//! With scores s over the allowed candidates, p = softmax(s), and H its entropy,
//!
//! ```text
//! ∂ log p_a / ∂s_v = 1[v = a] − p_v
//! ∂ H / ∂s_v       = −p_v (log p_v + H)
//! ```

use super::vector::{Exponentials, Moments};

/// What a distribution says of the choice that was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    pub(super) log_p: f64,
    pub(super) entropy: f64,
}

/// How a loss depends on it: ∂L/∂log p and ∂L/∂H.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pull {
    pub(super) log_p: f32,
    pub(super) entropy: f32,
}

/// Room for one distribution.
#[derive(Default)]
pub(super) struct Head {
    /// Indices into the window, masked.
    pub(super) taken: Vec<usize>,
    pub(super) p: Vec<f32>,
    ln_sum: f32,
    entropy: f32,
}

impl Head {
    /// Turns `scores` into probabilities in `self.p`; leaves them shifted, the largest at 0.
    pub(super) fn softmax(&mut self, scores: &mut [f32]) {
        self.taken.iter().for_each(|&at| scores[at] = f32::NEG_INFINITY);
        let shift = scores.iter().copied().fold(f32::MIN, f32::max);
        self.p.resize(scores.len(), 0.0);
        Exponentials { scores, p: &mut self.p, shift }.run();
        for &at in &self.taken {
            (scores[at], self.p[at]) = (0.0, 0.0);
        }
        let (sum, product) = Moments { p: &self.p, scores }.run();
        self.p.iter_mut().for_each(|p| *p /= sum);
        self.ln_sum = sum.ln();
        self.entropy = (self.ln_sum - product / sum).max(0.0);
    }

    /// After [`softmax`](Self::softmax), of the shifted scores.
    pub(super) fn verdict(&self, scores: &[f32], choice: usize) -> Verdict {
        Verdict { log_p: f64::from(scores[choice] - self.ln_sum), entropy: f64::from(self.entropy) }
    }

    /// log p of a choice, normalized in double precision.
    pub(super) fn log_p(&self, scores: &[f32], choice: usize) -> f64 {
        let masked: f64 = self.taken.len() as f64; // Each left at score 0.
        let sum: f64 = scores.iter().map(|s| f64::from(*s).exp()).sum();
        f64::from(scores[choice]) - (sum - masked).ln()
    }

    /// Replaces the shifted scores with the gradient of the loss.
    pub(super) fn gradient(&self, scores: &mut [f32], choice: usize, pull: Pull) {
        for (score, p) in scores.iter_mut().zip(&self.p) {
            let log_p = *score - self.ln_sum;
            *score = -p * (pull.log_p + pull.entropy * (log_p + self.entropy));
        }
        scores[choice] += pull.log_p;
    }
}
