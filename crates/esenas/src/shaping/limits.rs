//! Limits on what was measured, and the order that they put candidates in.
//!
//! Feasible candidates come before infeasible ones; of feasible ones the larger value is better, of
//! infeasible ones the smaller violation (Deb 2000, "An efficient constraint handling method for
//! genetic algorithms"). [`feasible_first`] says that order as numbers, the same ones in every
//! iteration: so whatever learns from ranks, or compares a value with one of an earlier iteration,
//! needs to know nothing of limits.
//!
//! A violation is the sum of what each limit is exceeded by, in units of that limit
//! ([`Violations`]): the median excess of the first iteration in which it was exceeded. Before that
//! iteration it adds nothing, after it the unit stays: so violations of different iterations can be
//! compared, and a mass in kilograms counts as much as a stress in pascals.

use serde::{Deserialize, Serialize};

use crate::setting::SettingError;

/// What a measured number may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limit {
    /// The least it may be.
    pub at_least: Option<f64>,
    /// The most it may be.
    pub at_most: Option<f64>,
}

impl Limit {
    /// Refuses a limit that is none, or that nothing keeps to.
    pub fn check(&self) -> Result<(), SettingError> {
        let Self { at_least, at_most } = *self;
        let numbers = [("at_least", at_least), ("at_most", at_most)];
        for (key, number) in numbers.into_iter().filter_map(|(key, x)| Some((key, x?))) {
            if !number.is_finite() {
                return Err(SettingError::must(key, "be a finite number", number));
            }
        }
        match (at_least, at_most) {
            (None, None) => Err(SettingError::new("", "must have at_most or at_least")),
            (Some(least), Some(most)) if most < least => {
                Err(SettingError::must("at_most", &format!("be {least}, at_least, or more"), most))
            }
            _ => Ok(()),
        }
    }

    /// By how much `x` exceeds it; 0 if it keeps to it.
    pub fn excess(&self, x: f64) -> f64 {
        let over = self.at_most.map_or(0.0, |most| x - most);
        let under = self.at_least.map_or(0.0, |least| least - x);
        over.max(under).clamp(0.0, f64::MAX)
    }
}

/// The units of violations, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Violations {
    units: Vec<Option<f64>>,
}

impl Violations {
    /// The violation of each candidate of an iteration from what it exceeds each limit by.
    ///
    /// All have as many limits; a candidate without a value has none.
    pub fn of(&mut self, excesses: &[Option<Vec<f64>>]) -> Vec<Option<f64>> {
        let limits = excesses.iter().flatten().map(Vec::len).max().unwrap_or(0);
        self.units.resize(limits.max(self.units.len()), None);
        for (limit, unit) in self.units.iter_mut().enumerate().filter(|(_, it)| it.is_none()) {
            let of_limit = excesses.iter().flatten().filter_map(|it| it.get(limit).copied());
            let mut exceeded: Vec<f64> = of_limit.filter(|excess| *excess > 0.0).collect();
            exceeded.sort_by(f64::total_cmp);
            *unit = exceeded.get(exceeded.len() / 2).copied();
        }
        let violation = |excess: &Vec<f64>| {
            let each = excess.iter().zip(&self.units);
            each.map(|(excess, unit)| unit.map_or(0.0, |unit| excess / unit)).sum::<f64>()
        };
        excesses.iter().map(|it| it.as_ref().map(violation).map(|v| v.min(f64::MAX))).collect()
    }
}

/// Every feasible value is at least this; every infeasible one is less.
const FEASIBLE: f64 = -1e100;
/// What a violation of 1 is told as. Its square is a number still.
const UNIT: f64 = -1e125;
/// The least and the largest violation that are told from others.
const TOLD: (f64, f64) = (1e-24, 1e24);
/// What a candidate is told as that cannot be evaluated.
pub const IMPOSSIBLE: f64 = -1e150;

/// `value`, to be maximized, of a candidate with this violation, as what searches is told it.
///
/// A violation of 0 changes no value above −10¹⁰⁰, which is where infeasible ones begin.
pub fn feasible_first(value: f64, violation: f64) -> f64 {
    if violation > 0.0 { UNIT * violation.clamp(TOLD.0, TOLD.1) } else { value.max(FEASIBLE) }
}

/// Whether a value was told of a candidate that is not feasible.
pub(crate) fn is_infeasible(told: f64) -> bool {
    told < FEASIBLE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at_most(most: f64) -> Limit {
        Limit { at_most: Some(most), at_least: None }
    }

    #[test]
    fn limits_are_kept_to_or_exceeded_by_so_much() {
        let both = Limit { at_least: Some(-1.0), at_most: Some(2.0) };
        assert_eq!([-3.0, -1.0, 0.0, 2.0, 2.5].map(|x| both.excess(x)), [2.0, 0.0, 0.0, 0.0, 0.5]);
        assert_eq!(at_most(-f64::MAX).excess(f64::MAX), f64::MAX);
    }

    #[test]
    fn limits_that_are_none_are_refused() {
        let said = |limit: Limit| limit.check().map_err(|it| it.to_string()).unwrap_err();
        assert_eq!(said(Limit::default()), " must have at_most or at_least");
        assert_eq!(said(at_most(f64::NAN)), "at_most must be a finite number, got NaN");
        let crossed = Limit { at_least: Some(3.0), at_most: Some(2.0) };
        assert_eq!(said(crossed), "at_most must be 3, at_least, or more, got 2");
    }

    /// Red when a limit counts by its units, or when the unit moves after its first iteration.
    #[test]
    fn each_limit_counts_in_units_of_its_first_excess() {
        let mut violations = Violations::default();
        let first = [Some(vec![0.0, 2e9]), None, Some(vec![0.0, 0.0])];
        assert_eq!(violations.of(&first), [Some(1.0), None, Some(0.0)]);
        let second = [Some(vec![1e-3, 1e9]), Some(vec![2e-3, 0.0]), Some(vec![2e-3, 0.0])];
        assert_eq!(violations.of(&second), [Some(1.0), Some(1.0), Some(1.0)]);
        assert_eq!(violations.of(&[Some(vec![1e-3, 2e9])]), [Some(1.5)]);
    }

    proptest! {
        #[test]
        fn feasible_ones_come_first_then_smaller_violations(
            value in -1e99..1e300f64, other in -1e300..1e300f64, violation in 1e-20..1e20f64,
            more in 1.0001..2.0f64,
        ) {
            prop_assert_eq!(feasible_first(value, 0.0), value);
            prop_assert!(feasible_first(other, violation) < feasible_first(value, 0.0));
            prop_assert!(feasible_first(other, more * violation) < feasible_first(value, violation));
            prop_assert!(IMPOSSIBLE < feasible_first(value, f64::MAX));
            prop_assert!(is_infeasible(feasible_first(value, f64::MIN_POSITIVE)));
            prop_assert!(!is_infeasible(feasible_first(f64::MIN, 0.0)));
        }
    }
}
