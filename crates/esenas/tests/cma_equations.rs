//! CMA-ES, sep-CMA-ES, SNES and LM-MA-ES against their equations, written down a second time as
//! plainly as they are published: dense, unblocked, in small dimensions.

use esenas::weights::{
    CmaEs, CmaEsConfig, LmMaEs, LmMaEsConfig, SepCmaEs, SepCmaEsConfig, Snes, SnesConfig,
};
use esenas::{Noise, Purpose, Seed, WeightOptimizer};

type Vector = Vec<f64>;

const DIM: usize = 4;
const D: f64 = DIM as f64;

fn rosenbrock(x: &[f64]) -> f64 {
    -x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum::<f64>()
}

/// Asks for `n` points and tells their values; the points best first, each with its row.
fn iterate(o: &mut impl WeightOptimizer, t: u32, n: usize) -> Vec<(usize, Vector)> {
    let points: Vec<Vector> =
        o.ask(n, &mut Seed(11).stream(Purpose::Ask, t, 0)).iter().map(|p| p.to_vec()).collect();
    let values: Vec<f64> = points.iter().map(|x| rosenbrock(x)).collect();
    o.tell(&values.iter().copied().map(Some).collect::<Vec<_>>());
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    order.into_iter().map(|i| (i, points[i].clone())).collect()
}

fn assert_close(what: &str, t: u32, a: &[f64], b: &[f64]) {
    let close =
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-7 * a.abs().max(b.abs()).max(1e-3));
    assert!(close && a.len() == b.len(), "{what} in iteration {t}: {a:?} {b:?}");
}

fn sum(weights: &[f64], vectors: &[Vector]) -> Vector {
    (0..DIM).map(|j| weights.iter().zip(vectors).map(|(w, v)| w * v[j]).sum()).collect()
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn chi() -> f64 {
    D.sqrt() * (1.0 - 1.0 / (4.0 * D) + 1.0 / (21.0 * D * D))
}

/// C^(−½), by Jacobi's rotations.
fn inverse_root(c: &[Vector]) -> Vec<Vector> {
    let mut a = c.to_vec();
    let mut v: Vec<Vector> =
        (0..DIM).map(|i| (0..DIM).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..50 {
        for p in 0..DIM {
            for q in p + 1..DIM {
                let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                let (s, c) = angle.sin_cos();
                for row in a.iter_mut().chain(&mut v) {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (above, below) = a.split_at_mut(q);
                for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
    }
    let entry = |i: usize, j: usize| (0..DIM).map(|k| v[i][k] * v[j][k] / a[k][k].sqrt()).sum();
    (0..DIM).map(|i| (0..DIM).map(|j| entry(i, j)).collect()).collect()
}

#[test]
fn cma_es_follows_the_tutorial() {
    // λ = 12 at d = 4 decomposes C in every iteration, as the tutorial does.
    let lambda = 12;
    let raw: Vec<f64> = (1..=lambda).map(|i| 6.5_f64.ln() - (i as f64).ln()).collect();
    let positive: f64 = raw[..6].iter().sum();
    let negative: f64 = -raw[6..].iter().sum::<f64>();
    let squares = |w: &[f64]| w.iter().map(|w| w * w).sum::<f64>();
    let mu_eff = positive * positive / squares(&raw[..6]);
    let mu_eff_minus = negative * negative / squares(&raw[6..]);
    let c_1 = 2.0 / ((D + 1.3).powi(2) + mu_eff);
    let c_mu =
        (2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((D + 2.0).powi(2) + mu_eff)).min(1.0 - c_1);
    let alpha = [
        1.0 + c_1 / c_mu,
        1.0 + 2.0 * mu_eff_minus / (mu_eff + 2.0),
        (1.0 - c_1 - c_mu) / (D * c_mu),
    ];
    let alpha = alpha.into_iter().fold(f64::INFINITY, f64::min);
    let w: Vec<f64> =
        raw.iter().map(|w| if *w > 0.0 { w / positive } else { w * alpha / negative }).collect();
    let c_sigma = (mu_eff + 2.0) / (D + mu_eff + 5.0);
    let d_sigma = 1.0 + 2.0 * (((mu_eff - 1.0) / (D + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
    let c_c = (4.0 + mu_eff / D) / (D + 4.0 + 2.0 * mu_eff / D);
    assert!(D * (c_1 + c_mu) > 0.5);

    let mut o = CmaEs::new(CmaEsConfig::default(), vec![0.0; DIM], None).unwrap();
    let (mut m, mut sigma) = (vec![0.0; DIM], 0.5);
    let (mut p_sigma, mut p_c) = (vec![0.0; DIM], vec![0.0; DIM]);
    let mut c: Vec<Vector> =
        (0..DIM).map(|i| (0..DIM).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for t in 0..120 {
        let points = iterate(&mut o, t, lambda);
        let y: Vec<Vector> = points
            .iter()
            .map(|(_, x)| x.iter().zip(&m).map(|(x, m)| (x - m) / sigma).collect())
            .collect();
        let root = inverse_root(&c);
        let whiten = |y: &[f64]| -> Vector {
            root.iter().map(|row| row.iter().zip(y).map(|(a, b)| a * b).sum()).collect()
        };
        let y_w = sum(&w[..6], &y);
        let z_w = whiten(&y_w);
        for j in 0..DIM {
            m[j] += sigma * y_w[j];
            p_sigma[j] =
                (1.0 - c_sigma) * p_sigma[j] + (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt() * z_w[j];
        }
        let g = f64::from(t + 1);
        let correction = (1.0 - (1.0 - c_sigma).powf(2.0 * (g + 1.0))).sqrt();
        let h = f64::from(u8::from(norm(&p_sigma) / correction < (1.4 + 2.0 / (D + 1.0)) * chi()));
        for j in 0..DIM {
            p_c[j] = (1.0 - c_c) * p_c[j] + h * (c_c * (2.0 - c_c) * mu_eff).sqrt() * y_w[j];
        }
        let weights: Vec<f64> = w
            .iter()
            .zip(&y)
            .map(|(w, y)| if *w < 0.0 { w * D / norm(&whiten(y)).powi(2) } else { *w })
            .collect();
        let keep = 1.0 + c_1 * (1.0 - h) * c_c * (2.0 - c_c) - c_1 - c_mu * w.iter().sum::<f64>();
        for i in 0..DIM {
            for j in 0..DIM {
                let rank_mu: f64 = weights.iter().zip(&y).map(|(w, y)| w * y[i] * y[j]).sum();
                c[i][j] = keep * c[i][j] + c_1 * p_c[i] * p_c[j] + c_mu * rank_mu;
            }
        }
        sigma *= (c_sigma / d_sigma * (norm(&p_sigma) / chi() - 1.0)).exp();
        assert_close("m", t, &o.centre().to_vec(), &m);
        assert_close("sigma", t, &[o.sigma()], &[sigma]);
        let deviations: Vector = (0..DIM).map(|j| sigma * c[j][j].sqrt()).collect();
        assert_close("C", t, &o.deviations().collect::<Vec<_>>(), &deviations);
    }
}

#[test]
fn sep_cma_es_follows_ros_and_hansen() {
    let lambda = 8;
    let raw: Vec<f64> = (1..=4).map(|i| 5_f64.ln() - f64::from(i).ln()).collect();
    let w: Vec<f64> = raw.iter().map(|w| w / raw.iter().sum::<f64>()).collect();
    let mu_eff = 1.0 / w.iter().map(|w| w * w).sum::<f64>();
    let c_sigma = (mu_eff + 2.0) / (D + mu_eff + 3.0);
    let d_sigma = 1.0 + 2.0 * (((mu_eff - 1.0) / (D + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
    let c_c = 4.0 / (D + 4.0);
    let c_cov = 2.0 / (mu_eff * (D + 2_f64.sqrt()).powi(2))
        + (1.0 - 1.0 / mu_eff) * ((2.0 * mu_eff - 1.0) / ((D + 2.0).powi(2) + mu_eff)).min(1.0);
    let c_cov = (D + 2.0) / 3.0 * c_cov;
    assert!(c_cov < 1.0);

    let mut o = SepCmaEs::new(SepCmaEsConfig::default(), vec![0.0; DIM], None).unwrap();
    let (mut m, mut sigma, mut c) = (vec![0.0; DIM], 0.5, vec![1.0; DIM]);
    let (mut p_sigma, mut p_c) = (vec![0.0; DIM], vec![0.0; DIM]);
    for t in 0..120 {
        let points = iterate(&mut o, t, lambda);
        let y: Vec<Vector> = points
            .iter()
            .map(|(_, x)| x.iter().zip(&m).map(|(x, m)| (x - m) / sigma).collect())
            .collect();
        let y_w = sum(&w, &y);
        for j in 0..DIM {
            m[j] += sigma * y_w[j];
            p_sigma[j] = (1.0 - c_sigma) * p_sigma[j]
                + (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt() * y_w[j] / f64::sqrt(c[j]);
        }
        let correction = (1.0 - (1.0 - c_sigma).powf(2.0 * f64::from(t + 2))).sqrt();
        let h = f64::from(u8::from(norm(&p_sigma) / correction < (1.4 + 2.0 / (D + 1.0)) * chi()));
        for j in 0..DIM {
            p_c[j] = (1.0 - c_c) * p_c[j] + h * (c_c * (2.0 - c_c) * mu_eff).sqrt() * y_w[j];
            let rank_mu: f64 = w.iter().zip(&y).map(|(w, y)| w * y[j] * y[j]).sum();
            c[j] = (1.0 - c_cov) * c[j]
                + c_cov / mu_eff * (p_c[j] * p_c[j] + (1.0 - h) * c_c * (2.0 - c_c) * c[j])
                + c_cov * (1.0 - 1.0 / mu_eff) * rank_mu;
        }
        sigma *= (c_sigma / d_sigma * (norm(&p_sigma) / chi() - 1.0)).exp();
        assert_close("m", t, &o.centre().to_vec(), &m);
        assert_close("sigma", t, &[o.sigma()], &[sigma]);
        assert_close("C", t, o.spread(), &c.iter().map(|c| c.sqrt()).collect::<Vec<_>>());
    }
}

#[test]
fn snes_follows_schaul_et_al() {
    let lambda = 8;
    let raw: Vec<f64> = (1..=8).map(|k| (5_f64.ln() - f64::from(k).ln()).max(0.0)).collect();
    let u: Vec<f64> = raw.iter().map(|x| x / raw.iter().sum::<f64>() - 1.0 / 8.0).collect();
    let rate = (3.0 + D.ln()) / (5.0 * D.sqrt());
    let mut o = Snes::new(SnesConfig::default(), vec![0.0; DIM], None).unwrap();
    let (mut m, mut s) = (vec![0.0; DIM], vec![0.5; DIM]);
    for t in 0..120 {
        let points = iterate(&mut o, t, lambda);
        for j in 0..DIM {
            let z: Vec<f64> = points.iter().map(|(_, x)| (x[j] - m[j]) / s[j]).collect();
            m[j] += s[j] * u.iter().zip(&z).map(|(u, z)| u * z).sum::<f64>();
            s[j] *=
                (rate / 2.0 * u.iter().zip(&z).map(|(u, z)| u * (z * z - 1.0)).sum::<f64>()).exp();
        }
        assert_close("m", t, &o.centre().to_vec(), &m);
        assert_close("s", t, o.spread(), &s);
    }
}

#[test]
fn lm_ma_es_follows_loshchilov_et_al() {
    let (lambda, vectors) = (8, 8);
    let raw: Vec<f64> = (1..=4).map(|i| 4.5_f64.ln() - f64::from(i).ln()).collect();
    let w: Vec<f64> = raw.iter().map(|w| w / raw.iter().sum::<f64>()).collect();
    let mu_eff = 1.0 / w.iter().map(|w| w * w).sum::<f64>();
    let c_sigma = (2.0 * lambda as f64 / D).min(0.5);
    let mut o = LmMaEs::new(LmMaEsConfig::default(), vec![0.0; DIM], None).unwrap();
    let (mut m, mut sigma, mut p_sigma) = (vec![0.0; DIM], 0.5, vec![0.0; DIM]);
    let mut v = vec![vec![0.0; DIM]; vectors];
    for t in 0..120 {
        let noise = Noise::Gaussian(Seed(11).stream(Purpose::Ask, t, 0).bits());
        let points = iterate(&mut o, t, lambda);
        let z: Vec<Vector> = points
            .iter()
            .map(|(row, _)| noise.row(*row as u32, DIM).into_iter().map(f64::from).collect())
            .collect();
        let transform = |z: &Vector| {
            let mut y = z.clone();
            for (j, v) in v.iter().enumerate().take(t as usize) {
                let rate = (1.0 / (1.5_f64.powi(j as i32) * D)).min(0.5);
                let along: f64 = v.iter().zip(&y).map(|(v, y)| v * y).sum();
                y = y.iter().zip(v).map(|(y, v)| (1.0 - rate) * y + rate * v * along).collect();
            }
            y
        };
        let y: Vec<Vector> = z.iter().map(transform).collect();
        for ((_, x), y) in points.iter().zip(&y) {
            let expected: Vector = m.iter().zip(y).map(|(m, y)| m + sigma * y).collect();
            assert_close("x", t, x, &expected);
        }
        let (z_w, y_w) = (sum(&w, &z), sum(&w, &y));
        for j in 0..DIM {
            m[j] += sigma * y_w[j];
            p_sigma[j] =
                (1.0 - c_sigma) * p_sigma[j] + (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt() * z_w[j];
        }
        for (k, v) in v.iter_mut().enumerate() {
            let rate = (lambda as f64 / (4_f64.powi(k as i32) * D)).min(1.0);
            for j in 0..DIM {
                v[j] = (1.0 - rate) * v[j] + (rate * (2.0 - rate) * mu_eff).sqrt() * z_w[j];
            }
        }
        sigma *= (c_sigma / 2.0 * (norm(&p_sigma).powi(2) / D - 1.0)).min(1.0).exp();
        assert_close("m", t, &o.centre().to_vec(), &m);
        assert_close("sigma", t, &[o.sigma()], &[sigma]);
    }
}

#[test]
fn coordinates_beyond_the_first_block_are_learned_alike() {
    // d = 2500 takes three blocks of noise, the last one short. The first step of each algorithm
    // is a weighted sum of its points.
    fn check(name: &str, mut o: impl WeightOptimizer, weight: impl Fn(usize) -> f64) {
        let n = 10;
        let before = o.centre().to_vec();
        let points: Vec<Vector> =
            o.ask(n, &mut Seed(5).stream(Purpose::Ask, 0, 0)).iter().map(|p| p.to_vec()).collect();
        o.tell(&(0..n).map(|i| Some(-(i as f64))).collect::<Vec<_>>());
        let after = o.centre().to_vec();
        for (j, (before, after)) in before.iter().zip(after).enumerate() {
            let step: f64 = (0..n).map(|i| weight(i + 1) * (points[i][j] - before)).sum();
            assert!((before + step - after).abs() < 1e-12, "{name} at {j}");
        }
    }
    let logs = |above: f64| {
        let raw = move |i: usize| if i <= 5 { above.ln() - (i as f64).ln() } else { 0.0 };
        let sum: f64 = (1..=5).map(raw).sum();
        move |i: usize| raw(i) / sum
    };
    let x = vec![1.0; 2500];
    check(
        "cma-es",
        CmaEs::new(CmaEsConfig::default(), x[..1100].to_vec(), None).unwrap(),
        logs(5.5),
    );
    check(
        "sep-cma-es",
        SepCmaEs::new(SepCmaEsConfig::default(), x.clone(), None).unwrap(),
        logs(6.0),
    );
    check("lm-ma-es", LmMaEs::new(LmMaEsConfig::default(), x.clone(), None).unwrap(), logs(5.5));
    let (positive, n) = (logs(6.0), 10.0);
    check("snes", Snes::new(SnesConfig::default(), x, None).unwrap(), |i| positive(i) - 1.0 / n);
}
