//! The functions once more: slow, without anything shared or multiplied out, as they are written.

use std::f64::consts::PI;

use esenas_bbob::Function;

pub(crate) type Matrix = Vec<Vec<f64>>;

pub(crate) fn identity(dim: usize) -> Matrix {
    (0..dim).map(|i| (0..dim).map(|j| f64::from(i == j)).collect()).collect()
}

fn times(matrix: &Matrix, x: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| (0..x.len()).map(|j| row[j] * x[j]).sum()).collect()
}

fn t(i: usize, dim: usize) -> f64 {
    i as f64 / (dim as f64 - 1.0)
}

fn map(x: &[f64], f: impl Fn(usize, f64) -> f64) -> Vec<f64> {
    x.iter().enumerate().map(|(i, &x)| f(i, x)).collect()
}

fn lambda(alpha: f64, x: &[f64]) -> Vec<f64> {
    map(x, |i, x_i| alpha.powf(t(i, x.len()) / 2.0) * x_i)
}

fn osz_one(u: f64) -> f64 {
    let h = if u == 0.0 { 0.0 } else { u.abs().ln() };
    let c1 = if u > 0.0 { 10.0 } else { 5.5 };
    let c2 = if u > 0.0 { 7.9 } else { 3.1 };
    let sign = if u == 0.0 { 0.0 } else { u.signum() };
    sign * (h + 0.049 * ((c1 * h).sin() + (c2 * h).sin())).exp()
}

fn osz(x: &[f64]) -> Vec<f64> {
    map(x, |_, u| osz_one(u))
}

fn asy(beta: f64, x: &[f64]) -> Vec<f64> {
    map(x, |i, u| if u > 0.0 { u.powf(1.0 + beta * t(i, x.len()) * u.sqrt()) } else { u })
}

fn pen(x: &[f64]) -> f64 {
    x.iter().map(|x| f64::max(0.0, x.abs() - 5.0).powi(2)).sum()
}

fn sum(dim: usize, term: impl Fn(usize) -> f64) -> f64 {
    (0..dim).map(term).sum()
}

fn rastrigin(z: &[f64]) -> f64 {
    let d = z.len();
    10.0 * (d as f64 - sum(d, |i| (2.0 * PI * z[i]).cos())) + sum(d, |i| z[i] * z[i])
}

fn schaffers(alpha: f64, x: &[f64], r: &Matrix, q: &Matrix) -> f64 {
    let z = lambda(alpha, &times(q, &asy(0.5, &times(r, x))));
    let s = |i: usize| (z[i] * z[i] + z[i + 1] * z[i + 1]).sqrt();
    let term = |i| s(i).sqrt() * (1.0 + (50.0 * s(i).powf(0.2)).sin().powi(2));
    (sum(x.len() - 1, term) / (x.len() as f64 - 1.0)).powi(2) + 10.0 * pen(x)
}

fn gallagher(x: &[f64], r: &Matrix) -> f64 {
    let d = x.len();
    let mut highest = 0.0;
    for k in 0..101_usize {
        let i = k as f64 - 1.0;
        let alpha = if k == 0 { 1000.0 } else { 1000_f64.powf(2.0 * i / 99.0) };
        let divisor = if k == 0 { 1.0 } else { alpha.powf(0.25) };
        let weight = if k == 0 { 10.0 } else { 1.1 + 8.0 * i / 99.0 };
        let at =
            |j: usize| -5.0 + 10.0 * (i * d as f64 + j as f64 + 1.0) / (101.0 * d as f64 + 2.0);
        let apart = map(x, |j, x| if k == 0 { x } else { x - at(j) });
        let z = times(r, &apart);
        let e = sum(d, |j| z[j] * z[j] * alpha.powf(t(j, d) / 2.0) / divisor);
        highest = f64::max(highest, weight * (-e / (2.0 * d as f64)).exp());
    }
    osz_one(10.0 - highest).powi(2) + pen(x)
}

/// f(x), raw.
pub(crate) fn value(function: Function, x: &[f64], r: &Matrix, q: &Matrix) -> f64 {
    let d = x.len();
    let n = d as f64;
    let rx = times(r, x);
    let conditioned = |alpha, y: &[f64]| times(q, &lambda(alpha, &times(r, y)));
    let c = f64::max(1.0, n.sqrt() / 8.0);
    let valley =
        |z: &[f64], i: usize| 100.0 * (z[i] * z[i] - z[i + 1]).powi(2) + (z[i] - 1.0).powi(2);
    match function {
        Function::Sphere => sum(d, |i| x[i] * x[i]),
        Function::Rastrigin => rastrigin(&times(r, &lambda(10.0, &times(q, &asy(0.2, &osz(&rx)))))),
        Function::BuecheRastrigin => {
            let s = |i: usize| {
                10_f64.powf(t(i, d) / 2.0)
                    * if i.is_multiple_of(2) && x[i] > 0.0 { 10.0 } else { 1.0 }
            };
            rastrigin(&map(&osz(x), |i, u| s(i) * u)) + 100.0 * pen(x)
        }
        Function::LinearSlope => {
            let reach = |i: usize| 5.0 * r[i].iter().map(|e| e.abs()).sum::<f64>();
            sum(d, |i| 10_f64.powf(t(i, d)) * (reach(i) - rx[i]))
        }
        Function::AttractiveSector => {
            let o = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
            let z = conditioned(10.0, &map(x, |i, x| x - o(i)));
            let w = |i: usize| if z[i] * o(i) > 0.0 { 100.0 } else { 1.0 };
            osz_one(sum(d, |i| (w(i) * z[i]).powi(2))).powf(0.9)
        }
        Function::StepEllipsoidal => {
            let y = lambda(10.0, &rx);
            let rounded =
                map(
                    &y,
                    |_, y| {
                        if y > 0.5 { (0.5 + y).floor() } else { (0.5 + 10.0 * y).floor() / 10.0 }
                    },
                );
            let z = times(q, &rounded);
            let s = sum(d, |i| 10_f64.powf(2.0 * t(i, d)) * z[i] * z[i]);
            0.1 * f64::max(y[0].abs() / 1000.0, s) + pen(x)
        }
        Function::RosenbrockRotated => {
            let z = map(&rx, |_, x| c * x + 0.5);
            sum(d - 1, |i| valley(&z, i))
        }
        Function::Discus => {
            let z = osz(&rx);
            1e6 * z[0] * z[0] + sum(d - 1, |i| z[i + 1] * z[i + 1])
        }
        Function::BentCigar => {
            let z = times(r, &asy(0.5, &rx));
            z[0] * z[0] + 1e6 * sum(d - 1, |i| z[i + 1] * z[i + 1])
        }
        Function::SharpRidge => {
            let z = conditioned(10.0, x);
            z[0] * z[0] + 100.0 * sum(d - 1, |i| z[i + 1] * z[i + 1]).sqrt()
        }
        Function::DifferentPowers => sum(d, |i| rx[i].abs().powf(2.0 + 4.0 * t(i, d))).sqrt(),
        Function::Weierstrass => {
            let z = lambda(0.01, &times(q, &osz(&rx)));
            let (a, b) = (|k: usize| 0.5_f64.powi(k as i32), |k: usize| 3_f64.powi(k as i32));
            let f0 = sum(12, |k| a(k) * (PI * b(k)).cos());
            let wave = |i: usize| sum(12, |k| a(k) * (2.0 * PI * b(k) * (z[i] + 0.5)).cos());
            10.0 * (sum(d, wave) / n - f0).powi(3) + 10.0 / n * pen(x)
        }
        Function::SchaffersF7 => schaffers(10.0, x, r, q),
        Function::SchaffersF7IllConditioned => schaffers(1000.0, x, r, q),
        Function::GriewankRosenbrock => {
            let z = map(&rx, |_, x| c * x + 1.0);
            let term = |i| valley(&z, i) / 4000.0 - valley(&z, i).cos();
            10.0 / (n - 1.0) * sum(d - 1, term) + 10.0
        }
        Function::Schwefel => {
            let a = 4.2096874633;
            let h = map(x, |i, x| 2.0 * x * if i.is_multiple_of(2) { -1.0 } else { 1.0 });
            let g = map(&h, |i, u| if i == 0 { u } else { u + 0.25 * (h[i - 1] - a) });
            let z = map(&lambda(10.0, &map(&g, |_, g| g - a)), |_, u| 100.0 * (u + a));
            let s = sum(d, |i| z[i] * z[i].abs().sqrt().sin());
            -s / (100.0 * n) + 4.189828872724339 + 100.0 * pen(&map(&z, |_, z| z / 100.0))
        }
        Function::Katsuura => {
            let z = conditioned(100.0, x);
            let s = |i: usize| {
                (1..=32)
                    .map(|j| 2_f64.powi(j))
                    .map(|p| (p * z[i] - (p * z[i]).round()).abs() / p)
                    .sum::<f64>()
            };
            let factor = |i: usize| (1.0 + (i as f64 + 1.0) * s(i)).powf(10.0 / n.powf(1.2));
            10.0 / (n * n) * ((0..d).map(factor).product::<f64>() - 1.0) + pen(x)
        }
        Function::Lunacek => {
            let q_ = 1.0 - 1.0 / (2.0 * (n + 20.0).sqrt() - 8.2);
            let m1 = -((2.5_f64.powi(2) - 1.0) / q_).sqrt();
            let h = map(x, |_, x| 2.0 * x);
            let z = conditioned(100.0, &map(&h, |_, h| h - 2.5));
            let one = sum(d, |i| (h[i] - 2.5).powi(2));
            let other = n + q_ * sum(d, |i| (h[i] - m1).powi(2));
            let waves = 10.0 * (n - sum(d, |i| (2.0 * PI * z[i]).cos()));
            one.min(other) + waves + 1e4 * pen(x)
        }
        Function::Gallagher101 => gallagher(x, r),
    }
}
