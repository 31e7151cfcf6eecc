//! Evaluations to reach f ≤ 1e-9 where half of the coordinates are on a grid, beside those of `CMAwM` of cmaes 0.13.1,
//! its authors' own: medians over seeds 1 … 15, by `bench/peers/margin_reference.py`, which states the setting.

use super::*;

#[derive(Clone, Copy, Debug)]
enum Function {
    Sphere,
    Ellipsoid,
    /// The ellipsoid with its coordinates in reverse: those on the grid have the smaller weights.
    Reversed,
    Tablet,
    OneMax,
}
use Function::{Ellipsoid, OneMax, Reversed, Sphere, Tablet};

impl Function {
    fn at(self, x: &[f64]) -> f64 {
        let (half, last) = (x.len() / 2, x.len() as f64 - 1.0);
        let squares = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let term =
            |(i, x): (usize, &f64)| (1000f64.powf(i as f64 / last) * x).powi(2);
        match self {
            Sphere => squares(x),
            Ellipsoid => x.iter().enumerate().map(term).sum(),
            Reversed => x.iter().rev().enumerate().map(term).sum(),
            Tablet => squares(&x[..half]) + 1e4 * squares(&x[half..]),
            OneMax => squares(&x[..half]) + x[half..].iter().map(|x| 1.0 - x).sum::<f64>(),
        }
    }

    /// The grid's ends, and where coordinates on it start.
    fn grid(self) -> ([f64; 2], f64) {
        if matches!(self, OneMax) { ([0.0, 1.0], 0.0) } else { ([-10.0, 10.0], 3.0) }
    }
}

/// `all` in the first half, `grid` in the second.
fn halves(dim: usize, all: f64, grid: f64) -> Vec<f64> {
    (0..dim).map(|j| if j < dim / 2 { all } else { grid }).collect()
}

/// Evaluations up to the first point that is good enough; without margins the objective rounds.
fn evaluations<O: Subject>(f: Function, dim: usize, seed: u64, margins: bool) -> Option<usize> {
    let ([low, high], start) = f.grid();
    let bounds = Bounds::new(halves(dim, -100.0, low), halves(dim, 100.0, high), dim).unwrap();
    let gridded = bounds.clone().with_steps(halves(dim, 0.0, 1.0), dim).unwrap();
    let used = if margins { gridded.clone() } else { bounds };
    let mut o = O::start(halves(dim, 3.0, start), 1.0, Some(used)).unwrap();
    let mut count = 0;
    for t in 0.. {
        let points = o.ask(o.population(), &mut stream(seed, t));
        let mut values = Vec::new();
        for point in points {
            let mut x = point.to_vec();
            gridded.place(0, &mut x);
            count += 1;
            let value = f.at(&x);
            if value <= 1e-9 {
                return Some(count);
            }
            values.push(Some(-value));
        }
        if count >= 10_000 * dim {
            return None;
        }
        o.tell(&values);
    }
    None
}

/// The median over seeds 1 … 15 of those that arrive, and how many do.
fn median<O: Subject>(f: Function, dim: usize, margins: bool) -> (f64, usize) {
    let mut all: Vec<usize> =
        (1..=15).filter_map(|seed| evaluations::<O>(f, dim, seed, margins)).collect();
    all.sort_unstable();
    (all.get(all.len() / 2).map_or(f64::INFINITY, |n| *n as f64), all.len())
}

#[test]
fn probe() {
    for f in [Sphere, Ellipsoid, Reversed, Tablet, OneMax] {
        eprintln!("{f:?} cma margin {:?} plain {:?}", median::<CmaEs>(f, 20, true), median::<CmaEs>(f, 20, false));
        eprintln!("{f:?} sep margin {:?} plain {:?}", median::<SepCmaEs>(f, 20, true), median::<SepCmaEs>(f, 20, false));
        eprintln!("{f:?} snes margin {:?} plain {:?}", median::<Snes>(f, 20, true), median::<Snes>(f, 20, false));
    }
}
