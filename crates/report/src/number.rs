//! Numbers as people read them.

use std::time::Duration;

/// About five digits: `12.346`, `0.00012346` as `1.2346e-4`.
pub fn short(x: f64) -> String {
    let magnitude = x.abs();
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    if !(1e-3..1e6).contains(&magnitude) {
        return format!("{x:.4e}");
    }
    let digits_before = magnitude.log10().floor().max(0.0) as usize + 1;
    let fixed = format!("{x:.*}", 6usize.saturating_sub(digits_before).min(4));
    match fixed.contains('.') {
        true => fixed.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => fixed,
    }
}

/// `12,096,000`
pub fn count(n: impl Into<u128>) -> String {
    let digits = n.into().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 iteration`, `2,000 iterations`
pub fn counted(n: u64, what: &str) -> String {
    format!("{} {}", count(n), noun(n, what))
}

/// `iteration` or `iterations`
pub fn noun(n: u64, what: &str) -> String {
    if n == 1 { what.to_owned() } else { format!("{what}s") }
}

/// `0.4s`, `59s`, `3m 07s`, `2h 05m`, `3d 04h`
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.1}s", time.as_secs_f64()),
        10..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d {:02}h", seconds / 86_400, seconds / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_their_size() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (12.345_678, "12.3457"),
            (123_456.789, "123457"),
            (0.001, "0.001"),
            (0.000_123_456, "1.2346e-4"),
            (-1.0e9, "-1.0000e9"),
            (f64::INFINITY, "inf"),
        ];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
    }

    #[test]
    fn counts_are_grouped_and_times_are_readable() {
        assert_eq!([0u64, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        let iterations = [0, 1, 2000].map(|n| counted(n, "iteration"));
        assert_eq!(iterations, ["0 iterations", "1 iteration", "2,000 iterations"]);
        let cases = [(0.44, "0.4s"), (59.9, "59s"), (187.0, "3m 07s"), (7500.0, "2h 05m")];
        for (seconds, text) in cases {
            assert_eq!(duration(Duration::from_secs_f64(seconds)), text);
        }
        assert_eq!(duration(Duration::from_secs(90_000)), "1d 01h");
    }
}
