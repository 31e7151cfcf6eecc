use super::*;
use crate::{Purpose, Seed};

/// Φ⁻¹(i/16), from tables.
const SIXTEENTHS: [f32; 15] = [
    -1.534_121, -1.150_349, -0.887_147, -0.674_490, -0.488_776, -0.318_639, -0.157_311, 0.0,
    0.157_311, 0.318_639, 0.488_776, 0.674_490, 0.887_147, 1.150_349, 1.534_121,
];

fn sample(rows: u32, dim: usize) -> Vec<f32> {
    (0..rows).flat_map(|row| Noise::Gaussian(11).row(row, dim)).collect()
}

#[test]
fn draws_fall_into_equal_shares_of_the_normal_distribution() {
    let draws = sample(64, 16_384);
    let mut counts = [0.0; 16];
    draws.iter().for_each(|g| counts[SIXTEENTHS.partition_point(|q| q <= g)] += 1.0);
    let expected = draws.len() as f64 / 16.0;
    let chi2: f64 = counts.iter().map(|c: &f64| (c - expected).powi(2) / expected).sum();
    assert!(chi2 < 37.7, "χ² with 15 degrees of freedom at 0.1 %: {chi2}");
}

#[test]
fn moments_are_those_of_the_normal_distribution() {
    let draws = sample(64, 16_384);
    let n = draws.len() as f64;
    for (power, moment, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)]
    {
        let mean = draws.iter().map(|g| f64::from(*g).powi(power)).sum::<f64>() / n;
        let error: f64 = (mean - moment) / (f64::sqrt(variance / n));
        assert!(error.abs() < 4.0, "moment {power}: {mean}, {error} standard errors off");
    }
    let tail = draws.iter().filter(|g| g.abs() > 4.0).count() as f64;
    assert!((tail - n * 6.334e-5).abs() < 4.0 * (n * 6.334e-5).sqrt(), "{tail} beyond 4σ");
}

#[test]
fn rows_blocks_and_halves_of_a_pair_are_uncorrelated() {
    let (a, b) = (Noise::Gaussian(1).row(0, 65_536), Noise::Gaussian(1).row(1, 65_536));
    let pairs = |x: &[f32], y: &[f32]| -> f64 {
        let sum: f64 = x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
        sum / (x.len() as f64).sqrt()
    };
    for (x, y) in
        [(&a[..], &b[..]), (&a[..64_512], &a[1024..]), (&a[..65_520], &a[16..]), (&a[1..], &a)]
    {
        assert!(pairs(x, y).abs() < 4.0, "{}", pairs(x, y));
    }
    let square = |x: &[f32]| x.iter().map(|x| x * x - 1.0).collect::<Vec<_>>();
    assert!(pairs(&square(&a)[..65_520], &square(&a)[16..]).abs() < 8.0);
}

#[test]
fn values_are_stable() {
    let row = Noise::Gaussian(42).row(3, 2000);
    let bits: Vec<u32> = [0, 1, 16, 999, 1024, 1999].iter().map(|&i| row[i].to_bits()).collect();
    assert_eq!(bits, STABLE, "{:?}", bits);
    let mut short = [0.0; 7];
    Noise::Gaussian(42).fill(3, 1, &mut short);
    assert_eq!(short, row[BLOCK..BLOCK + 7], "a short block is the start of a long one");
}

const STABLE: [u32; 6] = [3213704242, 3185671082, 1034702650, 1066281870, 3210063676, 1058522045];

#[test]
fn every_width_of_vector_gives_the_same_bits() {
    let (mut wide, mut scalar) = ([0.0; BLOCK], [0.0; BLOCK]);
    Noise::Gaussian(5).fill(2, 1, &mut wide);
    let operation = Gaussian { lanes: lanes(5, 2, 1), len: BLOCK, taker: Fill(&mut scalar) };
    pulp::WithSimd::with_simd(operation, pulp::Scalar);
    assert_eq!(wide.map(f32::to_bits), scalar.map(f32::to_bits));
}

#[test]
fn logarithm_and_circle_are_accurate_to_single_precision() {
    let mut stream = Seed(1).stream(Purpose::Start, 0, 0);
    for _ in 0..10_000 {
        let x = (stream.bits() >> (33 + stream.below(20))) as u32;
        let exact = -2.0 * ((f64::from(x) + 0.5) / f64::from(1u32 << 31)).ln();
        let error = f64::from(minus_two_ln(x)) - exact;
        assert!(error.abs() < 4e-7 * exact.max(0.5), "x = {x}: off by {error}");
        let angle = (stream.bits() as i32) as f32 * QUARTER;
        let (cos, sin) = cos_sin(angle);
        assert!((f64::from(cos) - f64::from(angle).cos()).abs() < 2e-7);
        assert!((f64::from(sin) - f64::from(angle).sin()).abs() < 1.2e-7);
    }
}

#[test]
fn hadamard_rows_are_orthogonal_signs() {
    let noise = Noise::hadamard(9, 64);
    let rows: Vec<_> = (0..8).map(|row| noise.row(row, 64)).collect();
    for (i, a) in rows.iter().enumerate() {
        assert!(a.iter().all(|x| x.abs() == 1.0));
        for (j, b) in rows.iter().enumerate() {
            let dot: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
            assert_eq!(dot, if i == j { 64.0 } else { 0.0 }, "rows {i} and {j}");
        }
    }
    assert_ne!(noise.row(0, 64), Noise::hadamard(10, 64).row(0, 64));
    assert_ne!(noise.row(0, 64), noise.row(64, 64), "a second matrix has its own signs");
}

#[test]
fn orthogonal_rows_are_orthogonal_within_a_group_and_keep_their_lengths() {
    let Noise::Orthogonal(rows) = Noise::orthogonal(3, 12, 8) else { unreachable!() };
    let rows: Vec<Vec<f64>> =
        rows.iter().map(|row| row.iter().map(|x| f64::from(*x)).collect()).collect();
    for i in 0..12 {
        let plain = Noise::Gaussian(3).row(i, 8).into_iter().map(f64::from).collect::<Vec<_>>();
        assert!((norm(&rows[i as usize]) - norm(&plain)).abs() < 1e-5);
        for j in 0..i {
            let cosine = dot(&rows[i as usize], &rows[j as usize]);
            assert!(cosine.abs() < 1e-4 || i / 8 != j / 8, "rows {i} and {j}: {cosine}");
        }
    }
}

/// Across blocks and where a group ends too. Red when a phase, a length or a sign is another one
/// than the formula's.
#[test]
fn cosines_are_orthogonal_in_any_dimension() {
    for dim in [1_u32, 2, 7, 80, 1500] {
        let noise = Noise::Cosine { key: 4, dim, first: 0 };
        let rows = u64::from(dim).min(90) as u32;
        let rows: Vec<Vec<f64>> = (dim - rows..dim)
            .map(|row| noise.row(row, dim as usize).into_iter().map(f64::from).collect())
            .collect();
        for (i, a) in rows.iter().enumerate() {
            for (j, b) in rows.iter().enumerate() {
                let expected = if i == j { f64::from(dim) } else { 0.0 };
                let off = (dot(a, b) - expected).abs() / f64::from(dim);
                assert!(off < 1e-6, "d = {dim}, rows {i} and {j} from the end: {off}");
            }
        }
    }
    let exact = |i: f64, j: f64| (std::f64::consts::PI * i * (2.0 * j + 1.0) / 160.0).cos();
    let noise = Noise::Cosine { key: 5, dim: 80, first: 3 };
    for (j, x) in noise.row(20, 80).into_iter().enumerate() {
        let value = 2_f64.sqrt() * exact(23.0, j as f64);
        assert!((f64::from(x).abs() - value.abs()).abs() < 1e-6, "column {j}");
    }
}

/// Red when directions do not go on where others ended, groups share their signs, or all rows begin
/// with the same one.
#[test]
fn cosines_go_on_from_any_row() {
    let from = |first| Noise::Cosine { key: 6, dim: 40, first };
    assert_eq!(from(0).row(57, 40), from(50).row(7, 40));
    assert_ne!(from(0).row(3, 40), from(40).row(3, 40));
    assert_ne!(from(0).row(3, 40), Noise::Cosine { key: 7, dim: 40, first: 0 }.row(3, 40));
    let positive = (0..40).filter(|row| from(0).row(*row, 40)[0] > 0.0).count();
    assert!((10..=30).contains(&positive), "{positive} of 40 begin with a positive number");
    let mut short = [0.0; 7];
    let long = Noise::Cosine { key: 6, dim: 2000, first: 0 };
    long.fill(1234, 1, &mut short);
    assert_eq!(short, long.row(1234, 2000)[BLOCK..BLOCK + 7]);
}
