//! Adam (Kingma and Ba 2015), and how long a gradient may be.

use serde::{Deserialize, Serialize};

/// Scales `gradient` to at most `longest`; whether it is finite.
pub(super) fn shorten(gradient: &mut [f32], longest: f64) -> bool {
    let norm = gradient.iter().map(|g| f64::from(*g).powi(2)).sum::<f64>().sqrt();
    if norm > longest {
        let scale = (longest / norm) as f32;
        gradient.iter_mut().for_each(|g| *g *= scale);
    }
    norm.is_finite()
}

/// Adam, with the constants of its paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Adam {
    pub(super) steps: u64,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Adam {
    pub(super) fn step(&mut self, weights: &mut [f32], gradient: &[f32], rate: f64) {
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
    use super::*;

    #[test]
    fn gradients_are_shortened_and_refused_when_not_finite() {
        let mut gradient = [3.0, 4.0];
        assert!(shorten(&mut gradient, 1.0));
        assert!((gradient[0] - 0.6).abs() < 1e-6 && (gradient[1] - 0.8).abs() < 1e-6);
        assert!(!shorten(&mut [f32::NAN, 1.0], 1.0));
        assert!(!shorten(&mut [f32::INFINITY, 1.0], 1.0));
    }

    /// Red when the moments are not corrected for where they started: the first step of Adam is of
    /// the step size, whatever the gradient.
    #[test]
    fn the_first_step_is_as_long_as_the_rate() {
        let (mut adam, mut weights) = (Adam::default(), [1.0, 1.0, 1.0]);
        adam.step(&mut weights, &[1e-3, -50.0, 0.0], 0.25);
        for (weight, expected) in weights.into_iter().zip([0.75, 1.25, 1.0]) {
            assert!((weight - expected as f32).abs() < 1e-4, "{weights:?}");
        }
    }
}
