//! From numbers to positions, and where to put ticks.

use crate::figure::Axis;

/// An axis with its range settled; everything within is on the scale that is drawn, which is the
/// logarithm where there is one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    logarithmic: bool,
    names: Vec<String>,
    /// A power of two that all numbers are multiplied by, so that the span is one that can be
    /// divided.
    unit: f64,
    low: f64,
    high: f64,
}

impl Scale {
    /// The scale of `axis`, for `values` if it has no range of its own.
    pub(crate) fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        if !axis.names.is_empty() {
            let (names, high) = (axis.names.clone(), axis.names.len() as f64);
            return Self { logarithmic: false, names, unit: 1.0, low: 0.0, high };
        }
        let logarithmic = axis.logarithmic;
        let drawn = |value: f64| if logarithmic { value.log10() } else { value };
        let (low, high) = match axis.range {
            Some((low, high)) => (drawn(low), drawn(high)),
            None => values
                .map(drawn)
                .filter(|value| value.is_finite())
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v))),
        };
        let known = low.is_finite() && high.is_finite();
        let (low, high) = if known { (low, high) } else { (0.0, 1.0) };
        let unit = match high - low {
            _ if 1e300 < high.abs().max(low.abs()) => 2_f64.powi(-100),
            span if 0.0 < span && span < 1e-200 => 2_f64.powi(600),
            _ => 1.0,
        };
        let (low, high) = (low * unit, high * unit);
        // A line along the border is hard to see, and a constant has no extent.
        let room = if axis.range.is_some() { 0.0 } else { 0.03 * (high - low) };
        let room = if high > low { room } else { 0.5_f64.max(high.abs() * 4.0 * f64::EPSILON) };
        Self { logarithmic, names: Vec::new(), unit, low: low - room, high: high + room }
    }

    /// Where `value` is, from 0 to 1 within the range; `None` if it has no place.
    pub(crate) fn share(&self, value: f64) -> Option<f64> {
        let drawn = if self.logarithmic { value.log10() } else { value };
        let share = (drawn * self.unit - self.low) / (self.high - self.low);
        share.is_finite().then_some(share)
    }

    /// Where ticks are, as shares, with what is written there. About `most` of them.
    pub(crate) fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let span = self.high - self.low;
        if !self.names.is_empty() {
            let name = |(at, name): (usize, &String)| ((at as f64 + 0.5) / span, name.clone());
            return self.names.iter().enumerate().map(name).collect();
        }
        if self.logarithmic && span < 2.0 {
            return self.few_decades();
        }
        let step = if self.logarithmic {
            (span / most.max(1) as f64).ceil()
        } else {
            round_step(span / most.max(1) as f64)
        };
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        let tick = |at: i64| {
            let drawn = at as f64 * step;
            let (value, step) = (drawn / self.unit, step / self.unit);
            let text = if self.logarithmic { power(drawn) } else { plain(value, step) };
            ((drawn - self.low) / span, text)
        };
        (first..=last).map(tick).collect()
    }

    /// 1, 2 and 5 times powers of ten.
    fn few_decades(&self) -> Vec<(f64, String)> {
        let (first, last) = (self.low.floor() as i32, self.high.floor() as i32);
        let times = |power: i32| [1.0, 2.0, 5.0].map(move |times: f64| (times, power));
        let tick = |(times, power): (f64, i32)| {
            let share = (times.log10() + f64::from(power) - self.low) / (self.high - self.low);
            let digits = (-power).max(0) as usize;
            (share, format!("{:.digits$}", times * 10_f64.powi(power)))
        };
        let ticks = (first..=last).flat_map(times).map(tick);
        ticks.filter(|(share, _)| (-1e-9..=1.0 + 1e-9).contains(share)).collect()
    }
}

/// 1, 2 or 5 times a power of ten, not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let times = [1.0, 2.0, 5.0].into_iter().find(|times| times * power >= least * (1.0 - 1e-9));
    times.unwrap_or(10.0) * power
}

/// 10 to the power of `exponent`.
fn power(exponent: f64) -> String {
    match exponent as i64 {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        2 => "100".to_owned(),
        -1 => "0.1".to_owned(),
        -2 => "0.01".to_owned(),
        exponent => {
            let digit = |c: char| match c {
                '-' => '⁻',
                '1' => '¹',
                '2' => '²',
                '3' => '³',
                other => char::from_u32('⁰' as u32 + other as u32 - '0' as u32).unwrap_or(other),
            };
            format!("10{}", exponent.to_string().chars().map(digit).collect::<String>())
        }
    }
}

/// With as many digits as the step needs; thousands as k, millions as M.
fn plain(value: f64, step: f64) -> String {
    match step {
        _ if step >= 1000.0 && value == 0.0 => return "0".to_owned(),
        _ if !(0.99e-4..1e9).contains(&step) => return scientific(value, step),
        _ if step >= 1e5 => return format!("{}M", value / 1e6),
        _ if step >= 1000.0 => return format!("{}k", value / 1000.0),
        _ => {}
    }
    let digits = (-step.log10().floor()).max(0.0) as usize;
    format!("{value:.digits$}")
}

/// `1.25e9`, with as many digits as the step needs.
fn scientific(value: f64, step: f64) -> String {
    let digits = (value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.digits$e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(logarithmic: bool, range: (f64, f64)) -> Scale {
        Scale::new(&Axis { logarithmic, range: Some(range), ..Axis::default() }, [].into_iter())
    }

    fn texts(scale: &Scale, most: usize) -> Vec<String> {
        scale.ticks(most).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(texts(&axis(false, (0.0, 10_000.0)), 5), ["0", "2k", "4k", "6k", "8k", "10k"]);
        assert_eq!(texts(&axis(false, (0.0, 1.0)), 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(&axis(false, (0.0, 2e6)), 4), ["0", "0.5M", "1M", "1.5M", "2M"]);
        assert_eq!(texts(&axis(false, (0.0, 2e-6)), 2), ["0e0", "1e-6", "2e-6"]);
        assert_eq!(texts(&axis(false, (0.0, 2e10)), 2), ["0", "1e10", "2e10"]);
        assert_eq!(texts(&axis(true, (1e-4, 1.0)), 5), ["10⁻⁴", "10⁻³", "0.01", "0.1", "1"]);
        assert_eq!(texts(&axis(true, (1e-12, 1.0)), 5), ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "1"]);
        assert_eq!(texts(&axis(true, (1.0, 10.0)), 5), ["1", "2", "5", "10"]);
        assert_eq!(texts(&axis(true, (0.015, 0.3)), 5), ["0.02", "0.05", "0.1", "0.2"]);
    }

    #[test]
    fn a_value_has_its_place_or_none() {
        let scale = axis(true, (1e-2, 1.0));
        assert_eq!(scale.share(0.1), Some(0.5));
        assert_eq!(scale.share(0.0), None);
        assert_eq!(scale.share(-1.0), None);
        assert_eq!(axis(false, (0.0, 4.0)).share(1.0), Some(0.25));
    }

    /// Red while the step between ticks can be 0, a constant as large as 10³⁰⁰ has no extent, or
    /// the span of the largest numbers is infinite.
    #[test]
    fn any_finite_numbers_have_their_places_and_ticks() {
        let ends = [f64::MAX, 1e308, 1e300, 1e17, 1.0, 1e-200, 1e-308, 5e-324, 0.0];
        let ends = || ends.into_iter().chain(ends.map(|x| -x));
        for (a, b) in ends().flat_map(|a| ends().map(move |b| (a, b))) {
            for (a, b) in [(a, b), (a, a.next_up()), (a.next_down(), a)] {
                if !(a.is_finite() && b.is_finite()) {
                    continue;
                }
                let scale = Scale::new(&Axis::default(), [a, b].into_iter());
                for value in [a, b] {
                    let share = scale.share(value);
                    assert!(share.is_some_and(|s| (-1e-9..=1.0 + 1e-9).contains(&s)), "{a} {b}");
                }
                let ticks = scale.ticks(5);
                assert!(!ticks.is_empty() && ticks.len() < 12, "{a} {b}: {ticks:?}");
                assert!(ticks.iter().all(|(share, _)| share.is_finite()), "{a} {b}: {ticks:?}");
            }
        }
    }

    #[test]
    fn what_has_no_extent_gets_one() {
        for values in [vec![], vec![3.0], vec![f64::NAN, 3.0, 3.0]] {
            let scale = Scale::new(&Axis::default(), values.into_iter());
            let share = scale.share(3.0).unwrap();
            assert!(share.is_finite() && !scale.ticks(5).is_empty());
        }
    }
}
