//! The distribution of one decision: a softmax over what may be chosen.
//!
//! With scores s over the allowed candidates, p = softmax(s), and H its entropy,
//!
//! ```text
//! ∂ log p_a / ∂s_v = 1[v = a] − p_v
//! ∂ H / ∂s_v       = −p_v (log p_v + H)
//! ```

use super::vector::{Exponentials, Pulled};

/// What a distribution says of the choice that was made.
#[derive(Clone, Copy, Debug, Default)]
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
#[derive(Debug, Default)]
pub(super) struct Head {
    /// Not yet divided by their sum.
    p: Vec<f32>,
    sum: f32,
    ln_sum: f32,
    entropy: f32,
}

impl Head {
    /// Takes in `scores`, some of which may be [`MASKED`](super::vector::MASKED), and leaves them
    /// shifted, the largest at 0.
    pub(super) fn softmax(&mut self, scores: &mut [f32]) {
        self.p.resize(scores.len(), 0.0);
        let (sum, product) = Exponentials { scores, p: &mut self.p }.run();
        self.sum = sum;
        self.ln_sum = sum.ln();
        self.entropy = (self.ln_sum - product / sum).max(0.0);
    }

    /// After [`softmax`](Self::softmax), of the shifted scores.
    pub(super) fn verdict(&self, scores: &[f32], choice: usize) -> Verdict {
        Verdict { log_p: f64::from(scores[choice] - self.ln_sum), entropy: f64::from(self.entropy) }
    }

    /// log p of a choice, normalized in double precision.
    pub(super) fn log_p(&self, scores: &[f32], choice: usize) -> f64 {
        let sum: f64 = scores.iter().map(|s| f64::from(*s).exp()).sum();
        f64::from(scores[choice]) - sum.ln()
    }

    /// The candidate at `point` of the probabilities laid end to end.
    pub(super) fn select(&self, point: f64) -> usize {
        /// Passed over at once where the point lies beyond them.
        const SOME: usize = 32;
        let (mut rest, mut start) = ((point * f64::from(self.sum)) as f32, 0);
        for some in self.p.chunks_exact(SOME) {
            let mut lanes = [0.0; 8];
            for part in some.as_chunks::<8>().0 {
                lanes.iter_mut().zip(part).for_each(|(lane, p)| *lane += p);
            }
            let sum: f32 = lanes.iter().sum();
            if rest < sum {
                break;
            }
            rest -= sum;
            start += SOME;
        }
        let mut last = None;
        for (at, p) in self.p.iter().enumerate().skip(start) {
            if *p > 0.0 {
                last = Some(at);
                rest -= p;
                if rest < 0.0 {
                    break;
                }
            }
        }
        // Rounding may lead beyond all: then it is the last that can be.
        last.or_else(|| self.p.iter().rposition(|p| *p > 0.0)).unwrap_or(0)
    }

    /// The probabilities.
    pub(super) fn probabilities(&self) -> impl Iterator<Item = f64> {
        self.p.iter().map(|p| f64::from(*p) / f64::from(self.sum))
    }

    /// The likeliest, of equals the first.
    pub(super) fn mode(&self) -> usize {
        let better = |best: usize, at: usize| if self.p[at] > self.p[best] { at } else { best };
        (1..self.p.len()).fold(0, better)
    }

    /// Replaces the shifted scores with the gradient of the loss.
    pub(super) fn gradient(&self, scores: &mut [f32], choice: usize, pull: Pull) {
        let (a, b) = (pull.log_p / self.sum, pull.entropy / self.sum);
        Pulled { scores, p: &self.p, a, b, c: self.entropy - self.ln_sum }.run();
        scores[choice] += pull.log_p;
    }
}

#[cfg(test)]
mod tests {
    use super::super::vector::MASKED;
    use super::*;

    #[test]
    fn nothing_of_probability_zero_is_selected() {
        let (mut head, low) = (Head::default(), (0.25f32 / 0.75).ln());
        for ahead in [0, 70] {
            let mut scores = vec![MASKED; ahead];
            scores.extend([MASKED, low, MASKED, 0.0, MASKED]);
            scores.extend(vec![MASKED; ahead]);
            head.softmax(&mut scores);
            let at = [0.0, 0.24, 0.26, 0.999_999, 1.0].map(|point| head.select(point) - ahead);
            assert_eq!(at, [1, 1, 3, 3, 3]);
            assert_eq!(head.mode(), ahead + 3);
        }
    }
}
