//! Units: how a block's coordinates and its numbers follow from each other.

use super::Block;
use crate::Bounds;
use crate::space::{Numbers, Real};

/// From the optimizer's x to the user's u.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Units {
    /// u = x
    Same,
    /// u = scale · x, within low to high.
    Multiples { scale: f64, low: f64, high: f64 },
    /// u = low + x (high − low)
    Linear(Grid),
    /// u = low · exp(x · ratio), ratio = ln(high/low)
    Log { grid: Grid, ratio: f64 },
    /// As linear, each coordinate from its own side to the other.
    Sides(Bounds),
}

/// An interval, and the step of the grid in it, or 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    low: f64,
    high: f64,
    step: f64,
}

impl Grid {
    /// A number of the interval: the nearest of its grid.
    fn place(self, u: f64) -> f64 {
        let Self { low, high, step } = self;
        if step == 0.0 {
            return u.clamp(low, high);
        }
        let last = ((high - low) / step + 1e-9).floor();
        let at = ((u - low) / step).round().clamp(0.0, last);
        (low + at * step).min(high)
    }

    fn linear(self, x: f64) -> f64 {
        self.between(x, self.low + x * (self.high - self.low))
    }

    /// The ends themselves where x is 0 or 1, whatever rounding makes of `u`.
    fn between(self, x: f64, u: f64) -> f64 {
        self.place(if x >= 1.0 { self.high } else { u })
    }

    fn share(self, u: f64) -> f64 {
        ((u - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

impl Units {
    pub(super) fn of(numbers: &Numbers) -> Self {
        match numbers {
            Numbers::Real(Real { low, high, log, step }) => {
                let grid = Grid { low: *low, high: *high, step: step.unwrap_or(0.0) };
                match log {
                    true => Self::Log { grid, ratio: libm::log(high / low) },
                    false => Self::Linear(grid),
                }
            }
            Numbers::Weights(tensor) => {
                let (scale, bounds) = (tensor.unit(), tensor.bounds);
                let (low, high) = bounds.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
                match (scale, bounds) {
                    (1.0, None) => Self::Same,
                    _ => Self::Multiples { scale, low, high },
                }
            }
        }
    }

    /// Of coordinates `start..` of the block.
    pub(super) fn to_user(&self, start: usize, theta: &mut [f64]) {
        match self {
            Self::Same => {}
            &Self::Multiples { scale, low, high } => {
                theta.iter_mut().for_each(|x| *x = (scale * *x).clamp(low, high));
            }
            Self::Linear(grid) => theta.iter_mut().for_each(|x| *x = grid.linear(*x)),
            Self::Log { grid, ratio } => {
                theta
                    .iter_mut()
                    .for_each(|x| *x = grid.between(*x, grid.low * libm::exp(*x * ratio)));
            }
            Self::Sides(bounds) => {
                let linear = |(at, x): (usize, &mut f64)| *x = side(bounds, at).linear(*x);
                (start..).zip(theta).for_each(linear);
            }
        }
    }

    pub(super) fn to_optimizer(&self, theta: &mut [f64]) {
        match self {
            Self::Same => {}
            &Self::Multiples { scale, .. } => theta.iter_mut().for_each(|u| *u /= scale),
            Self::Linear(grid) => theta.iter_mut().for_each(|u| *u = grid.share(*u)),
            Self::Log { grid: Grid { low, .. }, ratio } => {
                let share = |u: f64| (libm::log(u / low) / ratio).clamp(0.0, 1.0);
                theta.iter_mut().for_each(|u| *u = share(*u));
            }
            Self::Sides(bounds) => {
                theta.iter_mut().enumerate().for_each(|(at, u)| *u = side(bounds, at).share(*u));
            }
        }
    }

    /// The interval of x, and the step of the grid it is on, or 0. A grid of logarithms is none: it
    /// has no step.
    fn interval(&self) -> Option<(f64, f64, f64)> {
        match *self {
            Self::Multiples { scale, low, high } if low.is_finite() => {
                Some((low / scale, high / scale, 0.0))
            }
            Self::Linear(Grid { low, high, step }) => Some((0.0, 1.0, step / (high - low))),
            Self::Log { .. } => Some((0.0, 1.0, 0.0)),
            Self::Same | Self::Multiples { .. } | Self::Sides(_) => None,
        }
    }
}

fn side(bounds: &Bounds, at: usize) -> Grid {
    let ((low, high), step) = (bounds.interval(at), bounds.step(at));
    Grid { low, high, step }
}

/// The optimizer's box of `blocks`, if any has one.
pub(super) fn bounds(blocks: &[Block], dim: usize) -> Option<Bounds> {
    let all = (f64::NEG_INFINITY, f64::INFINITY, 0.0);
    let intervals = || blocks.iter().map(|block| (block, block.units.interval().unwrap_or(all)));
    if intervals().all(|(_, interval)| interval == all) {
        return None;
    }
    let mut sides = [vec![all.0; dim], vec![all.1; dim], vec![all.2; dim]];
    for (block, (low, high, step)) in intervals() {
        for (side, x) in sides.iter_mut().zip([low, high, step]) {
            side[block.range.clone()].fill(x);
        }
    }
    let [low, high, steps] = sides.map(common);
    let bounds = Bounds::partly(low, high, dim).and_then(|bounds| bounds.with_steps(steps, dim));
    Some(bounds.expect("intervals and steps were checked by the space"))
}

/// One entry, where all are alike.
fn common(mut side: Vec<f64>) -> Vec<f64> {
    if side.windows(2).all(|pair| pair[0] == pair[1]) {
        side.truncate(1);
    }
    side
}

/// The units of a flat θ, the optimizer's box, and the length of its sides.
pub(super) fn flat(dim: usize, bounds: Option<Bounds>) -> (Units, Option<Bounds>, f64) {
    let Some(bounds) = bounds else { return (Units::Same, None, 1.0) };
    let widths = || (0..dim).map(|at| bounds.interval(at)).map(|(low, high)| high - low);
    let (least, most) = widths().fold((f64::INFINITY, 0.0_f64), |(a, b), w| (a.min(w), b.max(w)));
    // Sides that differ by rounding alone are alike.
    if dim == 0 || most <= least * (1.0 + 1e-12) {
        let width = if least.is_finite() { least } else { 1.0 };
        return (Units::Same, Some(bounds), width);
    }
    let steps = (0..dim).zip(widths()).map(|(at, width)| bounds.step(at) / width).collect();
    let unit = Bounds::new(vec![0.0], vec![1.0], dim)
        .and_then(|unit| unit.with_steps(common(steps), dim))
        .expect("steps of the user's box divided by its sides are steps of this one");
    (Units::Sides(bounds), Some(unit), 1.0)
}
