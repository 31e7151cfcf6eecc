//! How long a study runs: for as long as it gains, within limits.

use serde::Deserialize;

/// What is looked at together: single iterations are noisy.
pub(super) const LAST: usize = 10;

/// Iterations of the paper's size.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Length {
    /// At least so many.
    pub first: u32,
    /// So many more, each time that the last quarter gained.
    pub step: u32,
    /// At most so many.
    pub most: u32,
    /// What a gain is, as a share of what there was.
    pub gain: f64,
}

impl Length {
    /// So many and no more.
    pub fn exactly(iterations: u32) -> Self {
        Self { first: iterations, step: 1, most: iterations, gain: f64::INFINITY }
    }

    /// Whether a study whose iterations had these means at the centre is at its end.
    pub(super) fn is_over(&self, centres: &[f64]) -> bool {
        let n = centres.len();
        let (first, step) = (self.first as usize, self.step.max(1) as usize);
        if n >= self.most as usize {
            return true;
        }
        n >= first && (n - first).is_multiple_of(step) && !self.gained(centres)
    }

    fn gained(&self, centres: &[f64]) -> bool {
        let before = last(&centres[..centres.len() - centres.len() / 4]);
        last(centres) - before > self.gain * before.abs()
    }
}

/// The mean of the last few.
pub(super) fn last(means: &[f64]) -> f64 {
    let few = &means[means.len().saturating_sub(LAST)..];
    few.iter().sum::<f64>() / few.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: Length = Length { first: 100, step: 50, most: 300, gain: 0.1 };

    fn ends(curve: impl Fn(f64) -> f64) -> usize {
        let means: Vec<f64> = (0..400).map(|at| curve(f64::from(at))).collect();
        (1..400).find(|n| PAPER.is_over(&means[..*n])).unwrap()
    }

    #[test]
    fn a_study_goes_on_while_its_last_quarter_gains() {
        assert_eq!(ends(|_| -5.0), 100);
        assert_eq!(ends(|at| 1000.0 + at), 100, "2 % is no gain");
        assert_eq!(ends(|at| at), 300, "at most");
        assert_eq!(ends(|at| -200.0 + at.min(120.0)), 200, "of negative values too");
        assert_eq!(ends(|at| -at), 100);
        assert!(!Length::exactly(3).is_over(&[1.0; 2]) && Length::exactly(3).is_over(&[1.0; 3]));
    }
}
