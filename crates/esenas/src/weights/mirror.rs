//! A box as a change of variables: what is learned lives in ℝᵈ, what is evaluated in the box.
//!
//! Per coordinate with the interval [l, h], u ↦ x is the identity inside, a parabola within a margin
//! a of each side that reaches the side at u = l − a and u = h + a, and from there on repeats itself
//! as in a mirror:
//!
//! ```text
//! x = l + (u − l + a)²/4a   for l − a ≤ u ≤ l + a,   x = u beyond,   likewise at h
//! ```
//!
//! An optimum on the boundary thus becomes a smooth one, and the optimizer is the unbounded one: it
//! needs no repair, of which its step-size control would know nothing. This is the default of pycma
//! (`BoundTransform`, with its margin), where clipped steps told back stall CMA-ES as soon as many
//! coordinates end on a boundary.

use crate::Bounds;

/// pycma's margin: (1 + |side|)/20, and no more than half the interval.
fn margins((low, high): (f64, f64)) -> (f64, f64) {
    let most = 0.5 * (high - low);
    (most.min((1.0 + low.abs()) / 20.0), most.min((1.0 + high.abs()) / 20.0))
}

/// u ↦ x
fn image((low, high): (f64, f64), u: f64) -> f64 {
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
pub(super) fn into_box(bounds: Option<&Bounds>, coordinates: &mut [f64]) {
    if let Some(bounds) = bounds {
        let each = coordinates.iter_mut().enumerate();
        each.for_each(|(j, u)| *u = image(bounds.interval(j), *u));
    }
}

/// Replaces each x by its u.
pub(super) fn out_of_box(bounds: Option<&Bounds>, coordinates: &mut [f64]) {
    if let Some(bounds) = bounds {
        let each = coordinates.iter_mut().enumerate();
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
}
