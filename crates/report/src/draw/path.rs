//! Paths: cut at the border, cut into dashes.

/// A point of a path.
pub(super) type At = (f64, f64);

/// Whether a point is in the unit square.
pub(super) fn inside((x, y): At) -> bool {
    (-1e-9..=1.0 + 1e-9).contains(&x) && (-1e-9..=1.0 + 1e-9).contains(&y)
}

/// The runs of a path within the unit square, cut where they leave it (Liang and Barsky, 1984).
pub(super) fn clipped(points: &[At]) -> Vec<Vec<At>> {
    let mut runs: Vec<Vec<At>> = Vec::new();
    for pair in points.windows(2) {
        let ((x, y), (dx, dy)) = (pair[0], (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1));
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for (p, q) in [(-dx, x), (dx, 1.0 - x), (-dy, y), (dy, 1.0 - y)] {
            match p {
                _ if p < 0.0 => enter = enter.max(q / p),
                _ if p > 0.0 => leave = leave.min(q / p),
                _ if q < 0.0 => leave = f64::NEG_INFINITY,
                _ => {}
            }
        }
        if enter > leave {
            continue;
        }
        let at = |t: f64| (x + t * dx, y + t * dy);
        // Exactly, so that a run goes on with the next pair.
        let from = if enter == 0.0 { pair[0] } else { at(enter) };
        let to = if leave == 1.0 { pair[1] } else { at(leave) };
        match runs.last_mut() {
            Some(run) if enter == 0.0 && run.last() == Some(&pair[0]) => run.push(to),
            _ => runs.push(vec![from, to]),
        }
    }
    runs
}

/// Cuts a path into pieces `on` long, `off` apart.
pub(super) fn dashes(points: &[At], on: f64, off: f64) -> Vec<Vec<At>> {
    let mut parts: Vec<Vec<At>> = points.first().map(|p| vec![vec![*p]]).unwrap_or_default();
    let (mut drawing, mut left) = (true, on);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut rest = (to.0 - from.0).hypot(to.1 - from.1);
        while rest > left {
            let share = left / rest;
            from = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            rest -= left;
            match drawing {
                true => parts.last_mut().expect("a dash has begun").push(from),
                false => parts.push(vec![from]),
            }
            drawing = !drawing;
            left = if drawing { on } else { off };
        }
        left -= rest;
        if drawing {
            parts.last_mut().expect("a dash has begun").push(to);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_have_their_length_whatever_the_points() {
        let straight = dashes(&[(0.0, 0.0), (25.0, 0.0)], 6.0, 4.0);
        assert_eq!(straight.len(), 3);
        let long = |points: &[At]| -> f64 {
            let step = |p: &[At]| (p[1].0 - p[0].0).hypot(p[1].1 - p[0].1);
            points.windows(2).map(step).sum()
        };
        let many: Vec<At> = (0..=250).map(|i| (0.1 * f64::from(i), 0.0)).collect();
        let cut = dashes(&many, 6.0, 4.0);
        let lengths: Vec<f64> = cut.iter().map(|part| long(part)).collect();
        assert_eq!(lengths.len(), 3);
        let close = |(a, b): (&f64, f64)| (a - b).abs() < 1e-9;
        assert!(lengths.iter().zip([6.0, 6.0, 5.0]).all(close), "{lengths:?}");
    }

    #[test]
    fn what_leaves_the_panel_is_cut_at_its_border() {
        let runs = clipped(&[(0.5, 0.5), (0.5, 1.5), (0.5, 0.5)]);
        assert_eq!(runs, [vec![(0.5, 0.5), (0.5, 1.0)], vec![(0.5, 1.0), (0.5, 0.5)]]);
        assert_eq!(clipped(&[(2.0, 2.0), (3.0, 3.0)]), Vec::<Vec<_>>::new());
        let within = [(0.1, 0.1), (0.2, 0.9), (0.9, 0.3)];
        assert_eq!(clipped(&within), [within.to_vec()]);
    }
}
