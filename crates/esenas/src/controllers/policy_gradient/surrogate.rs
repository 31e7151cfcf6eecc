//! What proximal policy optimization climbs, and what it calls an advantage: see
//! [`training`](super::training).

/// min(r A, clip(r, 1 − ε, 1 + ε) A)
#[derive(Clone, Copy, Debug)]
pub(super) struct Surrogate {
    pub(super) value: f64,
    /// Its derivative by log p; 0 where it is clipped.
    pub(super) slope: f64,
    /// r − 1 − ln r
    pub(super) kl: f64,
}

impl Surrogate {
    pub(super) fn new(log_ratio: f64, advantage: f64, clip: f64) -> Self {
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
pub(super) fn advantages(
    values: &[f64],
    baseline: Option<f64>,
    rate: f64,
) -> Option<(Vec<f64>, f64)> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
