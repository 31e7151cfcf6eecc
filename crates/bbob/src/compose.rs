//! The functions: each is an arm of [`compose`], and a formula of [`raw`].

use crate::Function;
use crate::gallagher::Peaks;
use crate::lanes::inner;
use crate::pipeline::{Builder, Pipeline};
use crate::raw;
use crate::rotation::Rotation;
use crate::transforms::{lambda, ramp};

/// The raw formulas, with their constants.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Sphere,
    Rastrigin,
    BuecheRastrigin { skew: Vec<f64> },
    Linear { slope: Vec<f64>, top: f64 },
    AttractiveSector,
    StepEllipsoidal { first: Vec<f64>, weights: Vec<f64> },
    Rosenbrock,
    Discus,
    BentCigar,
    SharpRidge,
    DifferentPowers { exponents: Vec<f64> },
    Weierstrass,
    Schaffers,
    GriewankRosenbrock,
    Schwefel { lambda: Vec<f64> },
    Katsuura,
    Lunacek,
    Gallagher(Peaks),
}

/// Rosenbrock's c.
fn widening(dim: usize) -> f64 {
    ((dim as f64).sqrt() / 8.0).max(1.0)
}

/// (1, −1, 1, …)
fn alternating(dim: usize) -> impl Iterator<Item = f64> {
    (0..dim).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 })
}

/// sᵢ = 10^tᵢ, and Rᵀs.
fn slope(dim: usize, r: Option<&Rotation>) -> (Vec<f64>, Vec<f64>) {
    let s: Vec<f64> = ramp(dim).map(|t| 10.0_f64.powf(t)).collect();
    let along = r.map_or_else(|| s.clone(), |r| r.matrix.transposed(&s));
    (s, along)
}

/// Each function: how z comes from x (read from first to last), the formula, and the weight of the
/// penalty.
pub(crate) fn compose(
    function: Function,
    dim: usize,
    r: Option<&Rotation>,
    q: Option<&Rotation>,
) -> (Pipeline, Formula, f64) {
    let x = Builder::new(dim);
    let diagonal = |alpha| lambda(alpha, dim);
    let (z, formula, penalty) = match function {
        Function::Sphere => (x, Formula::Sphere, 0.0),
        Function::Rastrigin => {
            let z = x.rotate(r).osz().asy(0.2).rotate(q).scale(diagonal(10.0)).rotate(r);
            (z, Formula::Rastrigin, 0.0)
        }
        Function::BuecheRastrigin => {
            let skew = alternating(dim).map(|sign| if sign > 0.0 { 10.0 } else { 1.0 }).collect();
            (x.osz().scale(diagonal(10.0)), Formula::BuecheRastrigin { skew }, 100.0)
        }
        Function::LinearSlope => {
            let (s, slope) = slope(dim, r);
            let reach = |row: &[f64]| 5.0 * row.iter().map(|entry| entry.abs()).sum::<f64>();
            let top = match r {
                None => inner(&s, &vec![5.0; dim]),
                Some(r) => inner(&s, &r.rows().map(reach).collect::<Vec<_>>()),
            };
            (x, Formula::Linear { slope, top }, 0.0)
        }
        Function::AttractiveSector => {
            let apart = x.offset(alternating(dim).map(|o| -o).collect());
            (apart.rotate(r).scale(diagonal(10.0)).rotate(q), Formula::AttractiveSector, 0.0)
        }
        Function::StepEllipsoidal => {
            let mut axis = diagonal(10.0);
            axis[1..].fill(0.0);
            let first = r.map_or(axis.clone(), |r| r.matrix.transposed(&axis));
            let weights = ramp(dim).map(|t| 100.0_f64.powf(t)).collect();
            let z = x.rotate(r).scale(diagonal(10.0)).round().rotate(q);
            (z, Formula::StepEllipsoidal { first, weights }, 1.0)
        }
        Function::RosenbrockRotated => {
            let z = x.rotate(r).scale(vec![widening(dim); dim]).offset(vec![0.5; dim]);
            (z, Formula::Rosenbrock, 0.0)
        }
        Function::Discus => (x.rotate(r).osz(), Formula::Discus, 0.0),
        Function::BentCigar => (x.rotate(r).asy(0.5).rotate(r), Formula::BentCigar, 0.0),
        Function::SharpRidge => {
            (x.rotate(r).scale(diagonal(10.0)).rotate(q), Formula::SharpRidge, 0.0)
        }
        Function::DifferentPowers => {
            let exponents = ramp(dim).map(|t| 2.0 + 4.0 * t).collect();
            (x.rotate(r), Formula::DifferentPowers { exponents }, 0.0)
        }
        Function::Weierstrass => {
            let z = x.rotate(r).osz().rotate(q).scale(diagonal(0.01));
            (z, Formula::Weierstrass, 10.0 / dim as f64)
        }
        Function::SchaffersF7 => {
            (x.rotate(r).asy(0.5).rotate(q).scale(diagonal(10.0)), Formula::Schaffers, 10.0)
        }
        Function::SchaffersF7IllConditioned => {
            (x.rotate(r).asy(0.5).rotate(q).scale(diagonal(1000.0)), Formula::Schaffers, 10.0)
        }
        Function::GriewankRosenbrock => {
            let z = x.rotate(r).scale(vec![widening(dim); dim]).offset(vec![1.0; dim]);
            (z, Formula::GriewankRosenbrock, 0.0)
        }
        Function::Schwefel => (x, Formula::Schwefel { lambda: diagonal(10.0) }, 0.0),
        Function::Katsuura => {
            (x.rotate(r).scale(diagonal(100.0)).rotate(q), Formula::Katsuura, 1.0)
        }
        Function::Lunacek => {
            let apart = x.scale(vec![2.0; dim]).offset(vec![-raw::LUNACEK; dim]);
            (apart.rotate(r).scale(diagonal(100.0)).rotate(q), Formula::Lunacek, 1e4)
        }
        Function::Gallagher101 => (x.rotate(r), Formula::Gallagher(Peaks::new(dim, r)), 1.0),
    };
    (z.build(), formula, penalty)
}

impl Formula {
    /// f but for its penalty; `x` is what `z` came from.
    pub(crate) fn value(&self, x: &[f64], z: &[f64]) -> f64 {
        match self {
            Self::Sphere => raw::sphere(z),
            Self::Rastrigin => raw::rastrigin(z),
            Self::BuecheRastrigin { skew } => raw::bueche_rastrigin(skew, z),
            Self::Linear { slope, top } => top - inner(slope, x),
            Self::AttractiveSector => raw::attractive_sector(z),
            Self::StepEllipsoidal { first, weights } => {
                raw::step_ellipsoidal(inner(first, x), weights, z)
            }
            Self::Rosenbrock => raw::rosenbrock(z),
            Self::Discus => raw::discus(z),
            Self::BentCigar => raw::bent_cigar(z),
            Self::SharpRidge => raw::sharp_ridge(z),
            Self::DifferentPowers { exponents } => raw::different_powers(exponents, z),
            Self::Weierstrass => raw::weierstrass(z),
            Self::Schaffers => raw::schaffers(z),
            Self::GriewankRosenbrock => raw::griewank_rosenbrock(z),
            Self::Schwefel { lambda } => raw::schwefel(lambda, x),
            Self::Katsuura => raw::katsuura(z),
            Self::Lunacek => raw::lunacek(x, z),
            Self::Gallagher(peaks) => peaks.value(z),
        }
    }
}

/// Where the raw function is least within the box, and its value there.
pub(crate) fn optimum(function: Function, dim: usize, r: Option<&Rotation>) -> (Vec<f64>, f64) {
    match function {
        Function::LinearSlope => {
            let (_, slope) = slope(dim, r);
            let corner: Vec<f64> =
                slope.iter().map(|s| if *s < 0.0 { -5.0 } else { 5.0 }).collect();
            let (_, formula, _) = compose(function, dim, r, None);
            let least = formula.value(&corner, &corner);
            (corner, least)
        }
        Function::AttractiveSector => (alternating(dim).collect(), 0.0),
        Function::RosenbrockRotated => {
            let along = vec![0.5 / widening(dim); dim];
            (r.map_or(along.clone(), |r| r.matrix.transposed(&along)), 0.0)
        }
        Function::Schwefel => (alternating(dim).map(|e| -0.5 * e * raw::SCHWEFEL).collect(), 0.0),
        Function::Lunacek => (vec![0.5 * raw::LUNACEK; dim], 0.0),
        _ => (vec![0.0; dim], 0.0),
    }
}
