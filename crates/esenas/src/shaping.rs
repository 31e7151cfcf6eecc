//! What happens to values before something learns from them.

use serde::{Deserialize, Serialize};

/// How ES normalizes the values of a batch (Appendix A.2.2: "we always use reward normalization").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalize {
    /// Values as they are: Eq. 4 to the letter.
    Off,
    /// Divided by their standard deviation (ARS, Mania et al. 2018): invariant to the scale of f.
    #[default]
    Deviation,
    /// Replaced by centred ranks in [−½, ½]: invariant to any increasing transform of f.
    Ranks,
}

impl Normalize {
    /// Normalizes `values` in place. Values that are all equal say nothing and become zero.
    pub fn apply(self, values: &mut [f64]) {
        match self {
            Self::Off => {}
            Self::Deviation => divide_by_deviation(values),
            Self::Ranks => centre_ranks(values),
        }
    }
}

fn divide_by_deviation(values: &mut [f64]) {
    // Scaled by the largest magnitude first, so that squares of huge values do not overflow.
    let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let scale = if largest > 0.0 { largest } else { 1.0 };
    values.iter_mut().for_each(|v| *v /= scale);
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    for v in values {
        // Below the rounding error of the mean there is no variance, only noise.
        *v = if deviation > 1e-14 { (*v - mean) / deviation } else { 0.0 };
    }
}

/// Equal values share the mean of their ranks, so that a plateau pulls nowhere.
fn centre_ranks(values: &mut [f64]) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let last = values.len().saturating_sub(1).max(1) as f64;
    let ranked: Vec<f64> = order.iter().map(|&at| values[at]).collect();
    let mut start = 0;
    for tie in ranked.chunk_by(|a, b| a == b) {
        let rank = start as f64 + 0.5 * (tie.len() - 1) as f64;
        for &at in &order[start..start + tie.len()] {
            values[at] = if values.len() == 1 { 0.0 } else { rank / last - 0.5 };
        }
        start += tie.len();
    }
}
