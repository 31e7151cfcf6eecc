//! How far the gradient turns from one iteration to the next: near 1 the step size could grow, near
//! 0 gradients are noise, below 0 the steps are too long.
//!
//! The last gradient is kept as a direction, in single precision and at no more than [`KEPT`]
//! coordinates spread over all of them, so that a checkpoint of a million weights does not hold
//! them twice. With more weights than that the cosine is therefore an estimate, of standard error
//! 1/√[`KEPT`] = 0.03.

use serde::{Deserialize, Serialize};

/// As many coordinates are compared.
const KEPT: usize = 1024;

/// The direction of the last gradient, and its cosine with the one before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Turn {
    direction: Vec<f32>,
    cosine: Option<f64>,
}

impl Turn {
    /// Takes note of the next gradient, which is finite.
    pub(super) fn follow(&mut self, gradient: &[f64]) {
        let step = gradient.len().div_ceil(KEPT).max(1);
        let kept = || gradient.iter().step_by(step);
        let largest = largest(gradient, step);
        // By the largest first: squares of huge numbers overflow.
        let length = largest * kept().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
        if !(length.is_finite() && length > 0.0) {
            self.cosine = None;
            self.direction.clear();
            return;
        }
        let known = !self.direction.is_empty();
        self.direction.resize(kept().len(), 0.0);
        let mut dot = -0.0; // what an empty sum is
        for (a, x) in self.direction.iter_mut().zip(kept()) {
            let unit = x / length;
            dot += f64::from(*a) * unit;
            *a = unit as f32;
        }
        self.cosine = known.then(|| dot.clamp(-1.0, 1.0));
    }

    /// The cosine of the angle between the last two gradients; none before there are two.
    pub(super) fn cosine(&self) -> Option<f64> {
        self.cosine
    }
}

/// The largest |x| of every `step`-th; in four parts, none of which waits for another.
fn largest(gradient: &[f64], step: usize) -> f64 {
    let mut most = [0.0_f64; 4];
    for four in gradient.chunks(4 * step) {
        let each = most.iter_mut().zip(four.iter().step_by(step));
        each.for_each(|(most, x)| *most = most.max(x.abs()));
    }
    most.into_iter().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_geometry() {
        let mut turn = Turn::default();
        let mut next = |gradient: &[f64]| {
            turn.follow(gradient);
            turn.cosine()
        };
        assert_eq!(next(&[1.0, 0.0]), None);
        let close = |cosine: Option<f64>, to: f64| (cosine.unwrap() - to).abs() < 1e-6;
        assert!(close(next(&[1e200, 1e200]), 0.5_f64.sqrt()));
        assert!(close(next(&[-1e-200, 1e-200]), 0.0));
        assert!(close(next(&[3.0, -3.0]), -1.0));
        assert_eq!(next(&[0.0, 0.0]), None);
        assert_eq!(next(&[1.0, 2.0]), None, "after nothing there is no angle");
    }

    #[test]
    fn of_a_million_weights_a_thousand_are_kept() {
        let mut turn = Turn::default();
        let gradient: Vec<f64> = (0..1_000_000).map(|i| f64::from(i % 7) - 3.0).collect();
        turn.follow(&gradient);
        turn.follow(&gradient);
        assert!(turn.direction.len() <= KEPT && turn.direction.len() > KEPT / 2);
        assert!((turn.cosine().unwrap() - 1.0).abs() < 1e-6);
    }
}
