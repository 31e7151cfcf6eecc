//! How sure a median is.

use esenas::{Purpose, Seed};
use esenas_report::statistics::median;

/// Resamples.
const RESAMPLES: u32 = 1000;

/// The median of `values` with the interval that holds it in 95 of 100 resamples (the percentile
/// bootstrap, Efron 1979); the draws are always the same. `None` of nothing.
pub(super) fn interval(values: &[f64]) -> Option<(f64, f64, f64)> {
    let middle = median(values)?;
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .filter_map(|resample| {
            let mut stream = Seed(0).stream(Purpose::Problem, resample, 0);
            let drawn: Vec<f64> =
                values.iter().map(|_| values[stream.index(values.len())]).collect();
            median(&drawn)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let at = |share: f64| medians[(share * (medians.len() - 1) as f64).round() as usize];
    Some((middle, at(0.025), at(0.975)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The interval of a median is known from order statistics: of 101 ordered values it runs about
    /// from the 41st to the 61st. Red when it is that of the values or of the mean.
    #[test]
    fn the_interval_is_that_of_the_order_statistics() {
        let values: Vec<f64> = (0..101).map(f64::from).collect();
        let (middle, low, high) = interval(&values).unwrap();
        assert_eq!(middle, 50.0);
        assert!((37.0..44.0).contains(&low) && (56.0..63.0).contains(&high), "{low} {high}");
        assert_eq!(interval(&[2.0]), Some((2.0, 2.0, 2.0)));
        assert_eq!(interval(&[]), None);
    }
}
