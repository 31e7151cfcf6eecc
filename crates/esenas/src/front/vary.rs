//! θ of a child from those of others.

use crate::{Bounds, Stream};

/// η of simulated binary crossover.
const SPREAD: f64 = 15.0;
/// η of polynomial mutation.
const REACH: f64 = 20.0;
/// F
const FACTOR: f64 = 0.5;

type Pair<'a> = (&'a [f64], &'a [f64]);

/// Uniform in the box; beside `theta` where there is none.
pub(super) fn initial(theta: &[f64], bounds: Option<&Bounds>, stream: &mut Stream) -> Vec<f64> {
    let draw = |(at, x): (usize, &f64)| match interval(bounds, at) {
        Some((low, high)) => {
            let u = stream.unit();
            (1.0 - u) * low + u * high
        }
        // Twelve uniform numbers: near enough to a Gaussian for a beginning.
        None => x + (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0,
    };
    theta.iter().enumerate().map(draw).collect()
}

/// Crossed or stepped, then mutated.
pub(super) fn child(
    (one, other): Pair<'_>,
    others: Pair<'_>,
    bounds: Option<&Bounds>,
    stream: &mut Stream,
) -> Vec<f64> {
    let mut theta = match stream.chance(0.5) {
        true => crossed(one, other, bounds, stream),
        false => stepped(one, others, stream),
    };
    let often = 1.0 / theta.len().max(1) as f64;
    clip(&mut theta, bounds);
    mutate(&mut theta, often, bounds, others, stream);
    theta
}

/// Simulated binary crossover: each coordinate with probability ½ about as far from one parent as
/// the other parent is, seldom farther.
fn crossed(one: &[f64], other: &[f64], bounds: Option<&Bounds>, stream: &mut Stream) -> Vec<f64> {
    let cross = |(at, (&x, &y)): (usize, (&f64, &f64))| {
        if x == y || stream.chance(0.5) {
            return x;
        }
        let (low, high, gap) = (x.min(y), x.max(y), (x - y).abs());
        let room = |free: f64| 2.0 - (1.0 + 2.0 * free.max(0.0) / gap).powf(-(SPREAD + 1.0));
        let near = interval(bounds, at);
        let alpha = match (x < y, near) {
            (true, Some((least, _))) => room(low - least),
            (false, Some((_, most))) => room(most - high),
            (_, None) => 2.0,
        };
        let u = stream.unit();
        let beta = if u <= 1.0 / alpha {
            (u * alpha).powf(1.0 / (SPREAD + 1.0))
        } else {
            (1.0 / (2.0 - u * alpha)).powf(1.0 / (SPREAD + 1.0))
        };
        0.5 * (x + y) + 0.5 * beta * (x - y)
    };
    one.iter().zip(other).enumerate().map(cross).collect()
}

/// x + F (y − z), in all coordinates or in half of them.
fn stepped(one: &[f64], (y, z): Pair<'_>, stream: &mut Stream) -> Vec<f64> {
    let all = stream.chance(0.5);
    let step = |(x, (y, z)): (&f64, (&f64, &f64))| {
        if all || stream.chance(0.5) { x + FACTOR * (y - z) } else { *x }
    };
    one.iter().zip(y.iter().zip(z)).map(step).collect()
}

/// Polynomial mutation of each coordinate with probability `often`. Where there is no box, it has
/// the width of what two others are apart.
pub(super) fn mutate(
    theta: &mut [f64],
    often: f64,
    bounds: Option<&Bounds>,
    (y, z): Pair<'_>,
    stream: &mut Stream,
) {
    for (at, x) in theta.iter_mut().enumerate() {
        if !stream.chance(often) {
            continue;
        }
        let u = stream.unit();
        let (low, high) = interval(bounds, at).unwrap_or_else(|| {
            let width = (y[at] - z[at]).abs().max(f64::MIN_POSITIVE);
            (*x - width, *x + width)
        });
        let (width, power) = (high - low, REACH + 1.0);
        if width <= 0.0 {
            continue;
        }
        let delta = if u < 0.5 {
            let kept = 1.0 - (*x - low) / width;
            (2.0 * u + (1.0 - 2.0 * u) * kept.powf(power)).powf(1.0 / power) - 1.0
        } else {
            let kept = 1.0 - (high - *x) / width;
            1.0 - (2.0 * (1.0 - u) + (2.0 * u - 1.0) * kept.powf(power)).powf(1.0 / power)
        };
        *x = (*x + delta * width).clamp(low, high);
    }
    clip(theta, bounds);
}

fn interval(bounds: Option<&Bounds>, at: usize) -> Option<(f64, f64)> {
    bounds.filter(|bounds| bounds.is_bounded(at)).map(|bounds| bounds.interval(at))
}

/// Into the box, and among the numbers.
fn clip(theta: &mut [f64], bounds: Option<&Bounds>) {
    theta.iter_mut().for_each(|x| *x = x.clamp(-1e100, 1e100));
    if let Some(bounds) = bounds {
        bounds.clip(0, theta);
    }
}
