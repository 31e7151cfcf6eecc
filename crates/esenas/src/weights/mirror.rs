//! A box as a change of variables: what is learned lives in ℝᵈ, what is evaluated in the box.
//!
//! Per coordinate with the interval [l, h], u ↦ x is the identity inside, a parabola within a
//! margin a of each side that reaches the side at u = l − a and u = h + a, and from there on
//! repeats itself as in a mirror:
//!
//! ```text
//! x = l + (u − l + a)²/4a   for l − a ≤ u ≤ l + a,   x = u beyond,   likewise at h
//! ```
//!
//! An optimum on the boundary thus becomes a smooth one, and the optimizer is the unbounded one: it
//! needs no repair, of which its step-size control would know nothing. This is the default of pycma
//! (`BoundTransform`, with its margin), where clipped steps told back stall CMA-ES as soon as many
//! coordinates end on a boundary.
//!
//! Coordinates on a grid are neither mirrored nor cut off, which would bend its cells: those at the
//! ends of a grid reach as far as there are numbers.

use serde::{Deserialize, Serialize};

use crate::Bounds;

/// What keeps points in the box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boundary {
    /// The change of variables of pycma: best where the optimum may lie on the boundary in many
    /// coordinates.
    #[default]
    Mirror,
    /// Points are cut off, and the steps learned from are those to the points as evaluated: the
    /// faster one while σ is of the order of the box.
    Clip,
}

impl Boundary {
    /// Replaces what is learned in by what is evaluated.
    pub(super) fn settle(self, bounds: Option<&Bounds>, coordinates: &mut [f64]) {
        let Some(bounds) = bounds else { return };
        match self {
            Self::Mirror => into_box(bounds, coordinates),
            Self::Clip => bounds.clip(0, coordinates),
        }
        bounds.round(0, coordinates);
    }

    /// Shortens the step from `mean` to where it meets the box.
    pub(super) fn shorten(
        self,
        bounds: Option<&Bounds>,
        mean: &[f64],
        sigma: f64,
        step: &mut [f64],
    ) {
        let (Self::Clip, Some(bounds)) = (self, bounds) else { return };
        for (j, (y, m)) in
            step.iter_mut().zip(mean).enumerate().filter(|(j, _)| bounds.step(*j) == 0.0)
        {
            let (low, high) = bounds.interval(j);
            let x = m + sigma * *y;
            if !(low..=high).contains(&x) {
                // The mean lies in the box, so the way to its side is the shorter one.
                *y = ((x.clamp(low, high) - m) / sigma).clamp(-y.abs(), y.abs());
            }
        }
    }

    /// Whether a shortened step ends on a side of the box, but for rounding.
    pub(super) fn meets(
        self,
        bounds: Option<&Bounds>,
        mean: &[f64],
        sigma: f64,
        step: &[f64],
    ) -> bool {
        let (Self::Clip, Some(bounds)) = (self, bounds) else { return false };
        step.iter().zip(mean).enumerate().any(|(j, (y, m))| {
            let (low, high) = bounds.interval(j);
            let (x, rounding) = (m + sigma * y, 1e-12 * (high - low));
            let meets = x <= low + rounding || x >= high - rounding;
            meets && bounds.step(j) == 0.0
        })
    }
}

/// pycma's margin: (1 + |side|)/20, and no more than half the interval.
fn margins((low, high): (f64, f64)) -> (f64, f64) {
    let most = 0.5 * (high - low);
    (most.min((1.0 + low.abs()) / 20.0), most.min((1.0 + high.abs()) / 20.0))
}

/// u ↦ x
fn image((low, high): (f64, f64), u: f64) -> f64 {
    if low == f64::NEG_INFINITY {
        return u;
    }
    let (below, above) = margins((low, high));
    if (low + below..=high - above).contains(&u) {
        return u;
    }
    let (start, span) = (low - below, (high + above) - (low - below));
    let way = (u - start).rem_euclid(2.0 * span);
    let u = start + if way > span { 2.0 * span - way } else { way };
    let x = if u < low + below {
        low + (u - start).powi(2) / (4.0 * below)
    } else if u > high - above {
        high - (u - (high + above)).powi(2) / (4.0 * above)
    } else {
        u
    };
    x.clamp(low, high)
}

/// x ↦ the u nearest to the interval that has x as its image.
fn origin((low, high): (f64, f64), x: f64) -> f64 {
    if low == f64::NEG_INFINITY {
        return x;
    }
    let (below, above) = margins((low, high));
    if x < low + below {
        low - below + 2.0 * (below * (x - low)).sqrt()
    } else if x > high - above {
        high + above - 2.0 * (above * (high - x)).sqrt()
    } else {
        x
    }
}

/// Replaces each u by its x.
fn into_box(bounds: &Bounds, coordinates: &mut [f64]) {
    let each = coordinates.iter_mut().enumerate().filter(|(j, _)| bounds.step(*j) == 0.0);
    each.for_each(|(j, u)| *u = image(bounds.interval(j), *u));
}

/// Replaces each x by its u.
pub(super) fn out_of_box(bounds: Option<&Bounds>, coordinates: &mut [f64]) {
    if let Some(bounds) = bounds {
        let each = coordinates.iter_mut().enumerate().filter(|(j, _)| bounds.step(*j) == 0.0);
        each.for_each(|(j, x)| *x = origin(bounds.interval(j), *x));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn images_lie_in_the_interval_and_their_origin_has_them(
            low in -1e3..1e3, width in 1e-3..1e3, at in 0.0..=1.0, anywhere in any::<f64>(),
        ) {
            let interval = (low, low + width);
            let x: f64 = low + at * width;
            let again = image(interval, origin(interval, x));
            prop_assert!((again - x).abs() <= 1e-9 * (1.0 + x.abs()));
            let inside = image(interval, if anywhere.is_finite() { anywhere } else { 0.0 });
            prop_assert!((interval.0..=interval.1).contains(&inside));
        }
    }

    #[test]
    fn the_mirror_is_smooth_where_it_turns() {
        let interval = (-1.0, 2.0);
        let (below, above) = margins(interval);
        for turn in [-1.0 - below, -1.0 + below, 2.0 - above, 2.0 + above, 2.0 + above + 3.0] {
            let slope = |u: f64| (image(interval, u + 1e-6) - image(interval, u - 1e-6)) / 2e-6;
            assert!((slope(turn - 1e-5) - slope(turn + 1e-5)).abs() < 1e-3, "{turn}");
        }
        assert_eq!(image(interval, -1.0 - below), -1.0);
        assert_eq!(image(interval, 2.0 + above), 2.0);
        assert_eq!(image(interval, 0.7), 0.7);
    }

    /// Red when margins of ∞ make NaN of a coordinate.
    #[test]
    fn what_has_no_interval_is_left_alone() {
        let interval = (f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!((image(interval, -7.5), origin(interval, 7.5)), (-7.5, 7.5));
    }

    #[test]
    fn a_clipped_step_ends_where_the_point_does() {
        let bounds = Bounds::new(vec![-1.0], vec![2.0], 3).unwrap();
        let (mean, sigma) = ([0.5, 2.0, -1.0], 0.5);
        let mut step = [1.0, 4.0, -3.0];
        Boundary::Clip.shorten(Some(&bounds), &mean, sigma, &mut step);
        assert_eq!(step, [1.0, 0.0, 0.0]);
        let mut step = [9.0, -9.0, 9.0];
        Boundary::Clip.shorten(Some(&bounds), &mean, sigma, &mut step);
        assert_eq!(step, [3.0, -6.0, 6.0]);
        let meets = |step: &[f64]| Boundary::Clip.meets(Some(&bounds), &mean, sigma, step);
        assert!(meets(&step) && meets(&[0.0, 0.0, 1.0]) && meets(&[-3.0, -1.0, 1.0]));
        assert!(!meets(&[1.0, -1.0, 1.0]));
        assert!(!Boundary::Mirror.meets(Some(&bounds), &mean, sigma, &step));
        let (mut far, mut same) = ([9.0, -9.0, 0.3], [9.0, -9.0]);
        Boundary::Clip.settle(Some(&bounds), &mut far);
        assert_eq!(far, [2.0, -1.0, 0.3]);
        Boundary::Mirror.shorten(Some(&bounds), &[0.0; 2], 1.0, &mut same);
        assert_eq!(same, [9.0, -9.0]);
    }
}
