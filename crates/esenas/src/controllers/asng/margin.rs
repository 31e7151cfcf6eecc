//! Keeping probabilities off zero and one.

/// Brings `p` to the nearest point between `low` and `high` whose sum is 1: all are shifted alike
/// and then clamped. The shift is the least whose sum is not below 1, to the last bit.
///
/// Halving would find it alone, in a hundred steps, most of them to tell apart shifts that round to
/// the same probabilities; Newton's method says where to begin, and the probabilities when to end.
pub(super) fn confine(p: &mut [f64], (low, high): (f64, f64)) {
    let moved = |p: f64, shift: f64| (p + shift).clamp(low, high);
    let narrowed = |(least, most): (f64, f64), shift: f64| {
        if shift <= least || most <= shift {
            return (least, most);
        }
        let sum: f64 = p.iter().map(|p| moved(*p, shift)).sum();
        if sum < 1.0 { (shift, most) } else { (least, shift) }
    };
    let largest = p.iter().copied().fold(f64::MIN, f64::max);
    let smallest = p.iter().copied().fold(f64::MAX, f64::min);
    let near = newton(p, (low, high));
    let mut sides = (low - largest, high - smallest);
    sides = narrowed(narrowed(sides, near - 1e-15), near + 1e-15);
    while !settled(p, |p| (moved(p, sides.0), moved(p, sides.1))) {
        let closer = narrowed(sides, 0.5 * (sides.0 + sides.1));
        if closer == sides {
            break;
        }
        sides = closer;
    }
    p.iter_mut().for_each(|p| *p = moved(*p, sides.1));
}

/// The shift, but for rounding: the sum is linear in it as long as none of `p` meets a margin.
fn newton(p: &[f64], (low, high): (f64, f64)) -> f64 {
    let mut shift = 0.0;
    for _ in 0..8 {
        let (mut missing, mut free) = (1.0, 0.0);
        for p in p {
            let moved = p + shift;
            missing -= moved.clamp(low, high);
            free += f64::from(u8::from(low < moved && moved < high));
        }
        if free == 0.0 || missing == 0.0 {
            break;
        }
        shift += missing / free;
    }
    shift
}

/// Whether shifts between two lead nowhere but where one of the two does: what these make of `p`
/// differs for one value, and by one bit.
fn settled(p: &[f64], ends: impl Fn(f64) -> (f64, f64)) -> bool {
    let mut differing = p.iter().filter(|p| ends(**p).0 != ends(**p).1);
    let Some(&first) = differing.next() else { return false };
    let (less, more) = ends(first);
    less.next_up() == more && differing.all(|p| *p == first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Of subsets of k among n.
    fn margins(n: usize, k: usize, stray: f64) -> (f64, f64) {
        (stray / (n - k) as f64, (1.0 - stray) / k as f64)
    }

    fn halved(p: &mut [f64], (low, high): (f64, f64)) {
        let largest = p.iter().copied().fold(f64::MIN, f64::max);
        let smallest = p.iter().copied().fold(f64::MAX, f64::min);
        let (mut least, mut most) = (low - largest, high - smallest);
        loop {
            let shift = 0.5 * (least + most);
            if shift <= least || most <= shift {
                break;
            }
            let sum: f64 = p.iter().map(|p| (p + shift).clamp(low, high)).sum();
            if sum < 1.0 { least = shift } else { most = shift }
        }
        p.iter_mut().for_each(|p| *p = (*p + most).clamp(low, high));
    }

    proptest! {
        /// Red when it begins beside the shift or ends a bit too early. Steps are small and large,
        /// and some values are equal.
        #[test]
        fn the_short_way_leads_where_halving_alone_does(
            raw in prop::collection::vec((-1.0..1.0f64, 0usize..20), 3..20), scale in -17.0..0.5f64,
            k in 1usize..3, stray in 1e-9..0.1,
        ) {
            let n = raw.len();
            let step = |at: usize| 10f64.powf(scale) * raw[raw[at].1.min(at)].0;
            let mut p: Vec<_> = (0..n).map(|at| 1.0 / n as f64 + step(at)).collect();
            let mut other = p.clone();
            confine(&mut p, margins(n, k, stray));
            halved(&mut other, margins(n, k, stray));
            prop_assert_eq!(p, other);
        }

        /// The nearest point: no other within the margins is nearer (the projection's inequality).
        #[test]
        fn confined_is_nearest_within_the_margins(
            raw in prop::collection::vec(-3.0..3.0f64, 3..20), other in prop::collection::vec(0.0..1.0f64, 20),
            k in 1usize..3, stray in 1e-9..0.1,
        ) {
            let (low, high) = margins(raw.len(), k, stray);
            let confined = |raw: &[f64]| {
                let mut p = raw.to_vec();
                confine(&mut p, (low, high));
                p
            };
            let (p, q) = (confined(&raw), confined(&other[..raw.len()]));
            for p in [&p, &q] {
                prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-13);
                prop_assert!(p.iter().all(|p| low <= *p && *p <= high));
            }
            let across: f64 =
                raw.iter().zip(&p).zip(&q).map(|((raw, p), q)| (raw - p) * (q - p)).sum();
            prop_assert!(across < 1e-9, "{across}");
        }
    }
}
