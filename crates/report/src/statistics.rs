//! Means with standard errors, ranks, the sign test, a straight line, an ECDF.

/// A mean and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Its standard error, from the sample's deviation; zero of a single number.
    pub error: f64,
}

/// The mean of `values` with its standard error; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<Mean> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let error = if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
    Some(Mean { mean, error })
}

/// The middle of `values`, or the mean of the two middle ones; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[half]),
        _ => Some(0.5 * (sorted[half - 1] + sorted[half])),
    }
}

/// The rank of each value, 1 for the least; equal ones share the mean of their ranks.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count();
    let equal = |value: f64| values.iter().filter(|other| **other == value).count();
    let rank = |value: &f64| below(*value) as f64 + 0.5 * (equal(*value) as f64 + 1.0);
    values.iter().map(rank).collect()
}

/// How often one of two came out ahead, and how likely that is by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sign {
    /// Pairs in which the first was less.
    pub wins: u64,
    /// Pairs in which it was greater.
    pub losses: u64,
    /// Pairs that were equal; the test leaves them out.
    pub ties: u64,
    /// The two-sided probability of a count at least as uneven, were both as good.
    pub p: f64,
}

/// The sign test (Dixon and Mood, 1946) of pairs, of which the lesser is better.
pub fn sign_test(pairs: &[(f64, f64)]) -> Sign {
    let wins = pairs.iter().filter(|(a, b)| a < b).count() as u64;
    let losses = pairs.iter().filter(|(a, b)| a > b).count() as u64;
    let ties = pairs.len() as u64 - wins - losses;
    let p = (2.0 * tail(wins + losses, wins.min(losses))).min(1.0);
    Sign { wins, losses, ties, p }
}

/// The probability of at most `k` heads in `n` throws of a fair coin.
fn tail(n: u64, k: u64) -> f64 {
    // In logarithms: 2⁻ⁿ alone would vanish from n = 1075 on.
    let mut choose = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = choose.exp();
    for heads in 1..=k {
        choose += ((n - heads + 1) as f64 / heads as f64).ln();
        sum += choose.exp();
    }
    sum
}

/// y = intercept + slope · x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The slope.
    pub slope: f64,
    /// Its standard error; zero for two points.
    pub error: f64,
    /// The value at zero.
    pub intercept: f64,
}

/// The line of least squares through `points`; `None` unless they have two different x.
pub fn fit(points: &[(f64, f64)]) -> Option<Fit> {
    let n = points.len() as f64;
    let x_mean = points.iter().map(|point| point.0).sum::<f64>() / n;
    let y_mean = points.iter().map(|point| point.1).sum::<f64>() / n;
    let spread: f64 = points.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    let along: f64 = points.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    if spread <= 0.0 || !(along / spread).is_finite() {
        return None;
    }
    let slope = along / spread;
    let intercept = y_mean - slope * x_mean;
    let rest: f64 = points.iter().map(|(x, y)| (y - intercept - slope * x).powi(2)).sum();
    let error = if n > 2.0 { (rest / (n - 2.0) / spread).sqrt() } else { 0.0 };
    Some(Fit { slope, error, intercept })
}

/// The share of `values` that are at most x, as the corners of its steps.
pub fn ecdf(values: &[f64]) -> Vec<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let step = |(at, x): (usize, &f64)| [(*x, at as f64 / n), (*x, (at + 1) as f64 / n)];
    sorted.iter().enumerate().flat_map(step).collect()
}

/// The main effects of categorical factors on a number, as functional ANOVA has them (Hutter, Hoos
/// and Leyton-Brown, 2014, of the marginals of a forest; here of the observations themselves).
#[derive(Clone, Debug)]
pub struct Effects {
    /// Of each option of each factor: how often, and the sum.
    of: Vec<Vec<(f64, f64)>>,
    /// Of each factor Σ y² over the observations that have it.
    squares: Vec<f64>,
    /// Of all observations: how many, Σ y, Σ y².
    all: (f64, f64, f64),
}

impl Effects {
    /// Of factors with so many options each.
    pub fn new(options: impl Iterator<Item = usize>) -> Self {
        let of: Vec<_> = options.map(|n| vec![(0.0, 0.0); n]).collect();
        Self { squares: vec![0.0; of.len()], of, all: (0.0, 0.0, 0.0) }
    }

    /// An observation: factor and option, of those that apply, and the number.
    ///
    /// # Panics
    ///
    /// If there is no such factor or option.
    pub fn add(&mut self, chosen: &[(usize, usize)], y: f64) {
        self.all = (self.all.0 + 1.0, self.all.1 + y, self.all.2 + y * y);
        for &(factor, option) in chosen {
            let (count, sum) = &mut self.of[factor][option];
            *count += 1.0;
            *sum += y;
            self.squares[factor] += y * y;
        }
    }

    /// The share of the variance of all observations that each factor explains by itself: ε²
    /// (Kelley, 1935), which is what is left of η² once what chance would explain is taken off;
    /// never below zero. A factor that few observations have explains little, however much it
    /// matters to them.
    pub fn explained(&self) -> Vec<f64> {
        let total = self.all.2 - self.all.1 * self.all.1 / self.all.0;
        let of = |(options, squares): (&Vec<(f64, f64)>, &f64)| {
            let met = || options.iter().filter(|(count, _)| *count > 0.0);
            let levels = met().count() as f64;
            let (n, sum) = met().fold((0.0, 0.0), |(n, s), (count, sum)| (n + count, s + sum));
            let correction = sum * sum / n;
            let between = met().map(|(count, sum)| sum * sum / count).sum::<f64>() - correction;
            let within = (squares - correction - between) / (n - levels);
            let share = (between - (levels - 1.0) * within) / total;
            if share.is_finite() && levels > 1.0 { share.clamp(0.0, 1.0) } else { 0.0 }
        };
        self.of.iter().zip(&self.squares).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By hand: the deviation of 1, 2, 4 over √3.
    #[test]
    fn a_mean_knows_its_error() {
        let Mean { mean: m, error } = mean(&[1.0, 2.0, 4.0]).unwrap();
        assert!((m - 7.0 / 3.0).abs() < 1e-15 && (error - 0.881_917_103_688_196_9).abs() < 1e-15);
        assert_eq!(mean(&[5.0]), Some(Mean { mean: 5.0, error: 0.0 }));
        assert_eq!(mean(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(ranks(&[0.3, 0.1, 0.3, 0.2]), [3.5, 1.0, 3.5, 2.0]);
    }

    /// By hand: 2·56/2¹⁰ and 2/2¹⁹; the last by the normal approximation.
    #[test]
    fn the_sign_test_counts_throws_of_a_coin() {
        let pairs = |wins: usize, losses: usize, ties: usize| {
            let mut pairs = vec![(0.0, 1.0); wins];
            pairs.extend(vec![(1.0, 0.0); losses]);
            pairs.extend(vec![(1.0, 1.0); ties]);
            sign_test(&pairs)
        };
        let close = |p: f64, q: f64| (p / q - 1.0).abs() < 1e-9;
        let uneven = pairs(8, 2, 3);
        assert_eq!((uneven.wins, uneven.losses, uneven.ties), (8, 2, 3));
        assert!(close(uneven.p, 0.109_375), "{}", uneven.p);
        assert!(close(pairs(19, 0, 0).p, 3.814_697_265_625e-6));
        assert_eq!(pairs(5, 5, 0).p, 1.0);
        assert_eq!(pairs(0, 0, 4).p, 1.0);
        let p = pairs(1300, 1200, 0).p;
        assert!((0.045..0.05).contains(&p), "{p}");
    }

    #[test]
    fn a_line_is_found_and_its_doubt() {
        let exact = fit(&[(1.0, 3.0), (2.0, 5.0), (4.0, 9.0)]).unwrap();
        assert!((exact.slope - 2.0).abs() < 1e-12 && (exact.intercept - 1.0).abs() < 1e-12);
        assert!(exact.error < 1e-12);
        // By hand: √(1/6 / 2).
        let loose = fit(&[(1.0, 1.0), (2.0, 2.0), (3.0, 2.0)]).unwrap();
        assert!((loose.slope - 0.5).abs() < 1e-12 && (loose.error - 0.288_675_134_6).abs() < 1e-9);
        assert_eq!(fit(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(fit(&[]), None);
    }

    /// y = 3a + b over a full factorial design: the shares are 9 : 1, and c explains nothing.
    #[test]
    fn main_effects_are_found_and_chance_is_taken_off() {
        let mut effects = Effects::new([2, 2, 2, 1].into_iter());
        for i in 0..800_usize {
            let (a, b, c) = (i % 2, i / 2 % 2, i / 4 % 2);
            let y = 3.0 * (a as f64 - 0.5) + (b as f64 - 0.5);
            effects.add(&[(0, a), (1, b), (2, c), (3, 0)], y);
        }
        let found = effects.explained();
        let close = |x: f64, y: f64| (x - y).abs() < 2e-3;
        assert!(close(found[0], 0.9) && close(found[1], 0.1), "{found:?}");
        assert_eq!(&found[2..], [0.0, 0.0]);
    }

    /// A factor that one observation in eight has, and that decides all about it.
    #[test]
    fn a_rare_factor_explains_its_part_of_the_whole() {
        let mut effects = Effects::new([2].into_iter());
        for i in 0..1600_usize {
            let sign = if i / 8 % 2 == 0 { 1.0 } else { -1.0 };
            let has = i % 8 == 0;
            effects.add(if has { &[(0, 0)] } else { &[] }, sign);
        }
        assert_eq!(effects.explained(), [0.0], "only one of its options was met");
        let mut effects = Effects::new([2].into_iter());
        for i in 0..1600_usize {
            let option = i / 8 % 2;
            let chosen = [(0, option)];
            effects.add(if i % 8 == 0 { &chosen } else { &[] }, 2.0 * option as f64 - 1.0);
        }
        assert!((effects.explained()[0] - 0.125).abs() < 1e-9, "{:?}", effects.explained());
    }

    proptest! {
        #[test]
        fn an_ecdf_rises_from_zero_to_one(values in prop::collection::vec(-1e3..1e3, 1..40)) {
            let steps = ecdf(&values);
            prop_assert_eq!(steps.len(), 2 * values.len());
            prop_assert_eq!((steps[0].1, steps[steps.len() - 1].1), (0.0, 1.0));
            prop_assert!(steps.windows(2).all(|s| s[0].0 <= s[1].0 && s[0].1 <= s[1].1));
        }
    }
}
