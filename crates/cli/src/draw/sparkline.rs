//! A curve in one line of text.

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// At most `width` columns of the curve, each the last number that falls into it; a blank where
/// there is none yet.
pub(crate) fn sparkline(curve: &[Option<f64>], width: usize) -> String {
    let columns = columns(curve, width);
    let known = || columns.iter().flatten().copied();
    let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::MIN, f64::max));
    let level = |x: f64| {
        // Halved, because the difference of two finite numbers need not be.
        let share = (x / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
        let top = LEVELS.len() - 1;
        // A flat curve has no share; it lies in the middle.
        LEVELS[if share.is_nan() { top / 2 } else { (share * top as f64).round() as usize }]
    };
    columns.iter().map(|x| x.map_or(' ', level)).collect()
}

fn columns(curve: &[Option<f64>], width: usize) -> Vec<Option<f64>> {
    let count = width.min(curve.len());
    let mut last = None;
    let column = |i: usize| {
        let within = &curve[i * curve.len() / count..(i + 1) * curve.len() / count];
        last = within.iter().rev().flatten().copied().find(|x| x.is_finite()).or(last);
        last
    };
    (0..count).map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_rises_from_the_bottom_to_the_top() {
        let rising: Vec<_> = (0..80).map(|i| Some(f64::from(i))).collect();
        assert_eq!(sparkline(&rising, 8), "▁▂▃▄▅▆▇█");
    }

    #[test]
    fn gaps_keep_the_last_number_and_nonsense_breaks_nothing() {
        assert_eq!(sparkline(&[None, Some(0.0), None, Some(1.0)], 9), " ▁▁█");
        assert_eq!(sparkline(&[Some(3.0); 3], 9), "▄▄▄");
        assert_eq!(sparkline(&[], 9), "");
        let huge = [Some(f64::MIN), Some(f64::NAN), Some(f64::INFINITY), Some(f64::MAX)];
        assert_eq!(sparkline(&huge, 9), "▁▁▁█");
    }
}
