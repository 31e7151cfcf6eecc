//! What happens to values before something learns from them.
//!
//! θ learns from normalized values ([`Normalize`], Appendix A.2.2). The controller may be shown
//! less than there is ([`View`]): a random few of the values (§4.3.2, sample complexity), and
//! values that count the cost of a model (§4.3.3, constrained optimization). Limits on what is
//! measured are an order of values, for both halves ([`feasible_first`]).

mod limits;

pub(crate) use limits::is_infeasible;
pub use limits::{IMPOSSIBLE, Limit, Violations, feasible_first};

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::setting::SettingError;
use crate::space::{Cost, Price};
use crate::{Dna, Space, Stream};

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
    ///
    /// Between feasible and infeasible ones there are no differences but in rank.
    pub fn apply(self, values: &mut [f64]) {
        if values.iter().any(|value| is_infeasible(*value)) {
            centre_ranks(values);
        }
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

/// What the controller gets to see of an iteration's values; everything by default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct View {
    /// Show only this many values, chosen uniformly (§4.3.2: 10 of 150).
    pub subsample: Option<u32>,
    /// Count the cost of a model against its value.
    pub constraint: Option<Constraint>,
}

/// Constrained optimization, §4.3.3, after MnasNet (Tan et al. 2019).
///
/// Up to the target a model keeps its value. Above it the paper multiplies by (cost/target)^ω, with
/// ω = −1: right for f > 0, but for f < 0 a smaller multiple is a *larger* value, and violating
/// the constraint would pay. So a negative value is multiplied by (cost/target)^−ω. The result
/// agrees with the paper wherever f > 0, never exceeds f, and is increasing in f and decreasing
/// in the cost throughout.
///
/// Near f = 0 no multiple is far from f, and the constraint has no force. The authors' code
/// multiplies f + 1000: that is what `offset` adds before, and takes off after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// What a model costs.
    pub cost: Cost,
    /// |E_T|: what it may cost.
    pub target: f64,
    /// ω, zero or negative.
    #[serde(default = "minus_one")]
    pub exponent: f64,
    /// What is added to a value before it is multiplied, and taken off after.
    #[serde(default)]
    pub offset: f64,
}

fn minus_one() -> f64 {
    -1.0
}

/// Beyond it, adding would take a value's digits.
const LARGEST_OFFSET: f64 = 1e15;

impl View {
    /// Checks the numbers.
    fn check(&self) -> Result<(), SettingError> {
        let fault =
            |name: &str, value: f64, accepted: &str| Err(SettingError::must(name, accepted, value));
        if self.subsample == Some(0) {
            return fault("subsample", 0.0, "be at least 1");
        }
        match &self.constraint {
            Some(c) if !(c.target.is_finite() && c.target > 0.0) => {
                fault("constraint.target", c.target, "be positive and finite")
            }
            Some(c) if !(c.exponent.is_finite() && c.exponent <= 0.0) => {
                fault("constraint.exponent", c.exponent, "be zero or negative, and finite")
            }
            Some(c) if !(c.offset.is_finite() && c.offset.abs() <= LARGEST_OFFSET) => {
                fault("constraint.offset", c.offset, "be from -1e15 to 1e15")
            }
            _ => Ok(()),
        }
    }

    /// Which of `n` values will be shown.
    fn shown(&self, n: usize, stream: &mut Stream) -> Vec<bool> {
        let k = self.subsample.map_or(n, |k| n.min(k as usize));
        let mut shown: Vec<bool> = (0..n).map(|i| i < k).collect();
        if k < n {
            stream.shuffle(&mut shown);
        }
        shown
    }
}

impl Constraint {
    /// The value of a model with `value` and `cost`, as the controller sees it.
    pub fn apply(&self, value: f64, cost: f64) -> f64 {
        if cost <= self.target {
            return value;
        }
        let factor = (cost / self.target).powf(self.exponent);
        let raised = value + self.offset;
        let shown = if raised > 0.0 { raised * factor } else { (raised / factor).max(f64::MIN) };
        // Rounding must not make a violation pay.
        (shown - self.offset).max(f64::MIN).min(value)
    }
}

/// A [`View`] of the models of one space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sight {
    space: Arc<Space>,
    view: View,
    /// What a model costs, where that counts.
    price: Option<Price>,
}

impl Sight {
    pub(crate) fn new(view: View, space: Arc<Space>) -> Result<Self, SettingError> {
        view.check()?;
        let price = view.constraint.as_ref().map(|it| it.cost.price(&space)).transpose();
        let price = price.map_err(|error| SettingError::from(error).under("constraint"))?;
        Ok(Self { space, view, price })
    }

    pub(crate) fn space(&self) -> &Arc<Space> {
        &self.space
    }

    /// What `dna` costs; 0 where that does not count.
    pub(crate) fn cost(&self, dna: &Dna) -> f64 {
        self.price.as_ref().map_or(0.0, |price| price.of(&self.space, dna))
    }

    /// What each of a batch of models costs, if its value will be seen.
    pub(crate) fn costs(&self, models: &[Dna], stream: &mut Stream) -> Vec<Option<f64>> {
        let shown = self.view.shown(models.len(), stream);
        models.iter().zip(shown).map(|(dna, shown)| shown.then(|| self.cost(dna))).collect()
    }

    /// The value of a model with this cost, as it is seen.
    pub(crate) fn value(&self, value: f64, cost: f64) -> f64 {
        self.view.constraint.as_ref().map_or(value, |it| it.apply(value, cost))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Purpose, Seed};

    fn constraint() -> Constraint {
        Constraint { cost: Cost::Active, target: 64.0, exponent: -1.0, offset: 0.0 }
    }

    #[test]
    fn ranks_are_centred_and_ties_share_theirs() {
        let ranked = |mut v: Vec<f64>| {
            Normalize::Ranks.apply(&mut v);
            v
        };
        assert_eq!(ranked(vec![10.0, -5.0, 3.0]), [0.5, -0.5, 0.0]);
        assert_eq!(ranked(vec![1.0, 2.0, 2.0, 9.0]), [-0.5, 0.0, 0.0, 0.5]);
        assert_eq!(ranked(vec![4.0; 3]), [0.0; 3]);
        assert_eq!(ranked(vec![4.0]), [0.0]);
        assert_eq!(ranked(vec![]), [0.0; 0]);
    }

    #[test]
    fn deviation_gives_unit_variance_even_to_huge_values() {
        for scale in [1e-300, 1.0, 1e300] {
            let mut v = [1.0, 2.0, 3.0, 6.0].map(|v| v * scale);
            Normalize::Deviation.apply(&mut v);
            let variance = v.iter().map(|v| v * v).sum::<f64>() / 4.0;
            assert!((variance - 1.0).abs() < 1e-9, "at {scale}: {v:?}");
        }
    }

    #[test]
    fn a_subsample_shows_exactly_k_each_alike() {
        let view = View { subsample: Some(10), constraint: None };
        let mut counts = [0.0; 150];
        for iteration in 0..3000 {
            let shown = view.shown(150, &mut Seed(1).stream(Purpose::Ask, iteration, 0));
            assert_eq!(shown.iter().filter(|s| **s).count(), 10);
            counts.iter_mut().zip(shown).for_each(|(c, s)| *c += f64::from(s));
        }
        let chi2: f64 = counts.iter().map(|c: &f64| (c - 200.0).powi(2) / 200.0).sum();
        assert!(chi2 < 205.0, "χ² with 149 degrees of freedom at 0.1 %: {chi2}");
        let mut stream = Seed(1).stream(Purpose::Ask, 0, 0);
        assert_eq!(view.shown(3, &mut stream), [true; 3]);
    }

    #[test]
    fn bad_numbers_are_refused() {
        let view = View { subsample: Some(0), constraint: None };
        assert_eq!(view.check().unwrap_err().to_string(), "subsample must be at least 1, got 0");
        let refused = |constraint| {
            let view = View { subsample: None, constraint: Some(constraint) };
            view.check().unwrap_err().to_string()
        };
        assert_eq!(
            refused(Constraint { target: 0.0, ..constraint() }),
            "constraint.target must be positive and finite, got 0"
        );
        assert_eq!(
            refused(Constraint { exponent: 0.5, ..constraint() }),
            "constraint.exponent must be zero or negative, and finite, got 0.5"
        );
        assert_eq!(
            refused(Constraint { offset: f64::INFINITY, ..constraint() }),
            "constraint.offset must be from -1e15 to 1e15, got inf"
        );
    }

    /// The authors' (reward + 1000) · ratio^−1, less the 1000; without them 0 costs nothing.
    #[test]
    fn an_offset_gives_force_where_values_are_small() {
        let c = Constraint { offset: 1000.0, ..constraint() };
        assert_eq!(c.apply(0.0, 128.0), -500.0);
        assert_eq!(c.apply(343.0, 128.0), 1343.0 / 2.0 - 1000.0);
        assert_eq!((c.apply(343.0, 64.0), constraint().apply(0.0, 128.0)), (343.0, 0.0));
    }

    proptest! {
        #[test]
        fn a_constraint_is_the_papers_for_positive_values(f in 1e-3..1e6, cost in 0.0..1e4) {
            let paper = if cost > 64.0 { f * 64.0 / cost } else { f };
            let ours = constraint().apply(f, cost);
            prop_assert!((ours - paper).abs() <= 1e-12 * paper);
        }

        #[test]
        fn a_violation_never_pays(
            f in -1e300..1e300f64, better in 0.0..1e300f64, cost in 0.0..1e9, more in 0.0..1e9,
            offset in -1e4..1e4,
        ) {
            let c = Constraint { offset, ..constraint() };
            prop_assert!(c.apply(f, cost) <= f);
            prop_assert!(c.apply(f, cost + more) <= c.apply(f, cost));
            prop_assert!(c.apply(f, cost) <= c.apply(f + better, cost));
            prop_assert!(c.apply(f, cost).is_finite());
        }
    }
}
