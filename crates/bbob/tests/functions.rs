//! What must hold of every function, on points no reference file knows: a second implementation,
//! written straight from the definitions, the optimum, modes and batches.

mod plain;

use esenas::{Purpose, Seed, Stream};
use esenas_bbob::{Buffer, Function, Instance, Mode, Rotation};

fn stream(index: u32) -> Stream {
    Seed(11).stream(Purpose::Evaluate, 0, index)
}

fn point(dim: usize, reach: f64, stream: &mut Stream) -> Vec<f64> {
    (0..dim).map(|_| reach * (2.0 * stream.unit() - 1.0)).collect()
}

fn rotation(dim: usize, index: u32) -> Rotation {
    Rotation::haar(dim, &mut stream(index))
}

fn cost(instance: &Instance, x: &[f64]) -> f64 {
    instance.cost(x, &mut Buffer::default())
}

fn rows(rotation: &Rotation) -> plain::Matrix {
    rotation.rows().map(<[f64]>::to_vec).collect()
}

#[test]
fn a_second_implementation_agrees() {
    for function in Function::ALL {
        for dim in [2, 3, 5, 17, 40, 100] {
            let (r, q) = (rotation(dim, 1), rotation(dim, 2));
            let rotated = Instance::rotated(function, dim, Some(&r), Some(&q)).unwrap();
            let straight = Instance::rotated(function, dim, None, None).unwrap();
            let (r, q, id) = (rows(&r), rows(&q), plain::identity(dim));
            for (index, reach) in [5.0, 5.0, 5.0, 7.0, 7.0, 0.1, 1.0].into_iter().enumerate() {
                let x = point(dim, reach, &mut stream(100 + index as u32));
                let pairs = [
                    (cost(&rotated, &x), plain::value(function, &x, &r, &q)),
                    (cost(&straight, &x), plain::value(function, &x, &id, &id)),
                ];
                for (ours, plain) in pairs {
                    let error = (ours - plain).abs() / plain.abs();
                    assert!(error < 1e-9, "{function}, D = {dim}: {ours} {plain}");
                }
            }
        }
    }
}

/// Zero at the optimum (but for a linear slope), as the table of optima says, and less nowhere.
#[test]
fn the_optimum_is_where_it_is_said_to_be() {
    for function in Function::ALL {
        for dim in [2, 10, 40] {
            for mode in [Mode::Raw, Mode::Centered, Mode::Instance] {
                for seed in [0, 3] {
                    let instance = Instance::new(function, dim, 1, mode, Seed(seed)).unwrap();
                    let (best, least) = (instance.optimum(), instance.least());
                    let label = format!("{function}, D = {dim}, {mode:?}, seed {seed}");
                    assert!(best.iter().all(|x| x.abs() <= 5.0), "{label}: {best:?}");
                    let there = cost(&instance, best);
                    assert!((there - least).abs() < 1e-11, "{label}: {there} {least}");
                    if function == Function::LinearSlope {
                        assert!(best.iter().all(|x| x.abs() == 5.0), "{label}: {best:?}");
                    } else {
                        assert_eq!(least, 0.0, "{label}");
                        assert!(
                            mode != Mode::Centered || best.iter().all(|x| *x == 0.0),
                            "{label}"
                        );
                    }
                    for index in 0..40 {
                        let mut stream = stream(index);
                        let x = point(dim, 5.0, &mut stream);
                        assert!(cost(&instance, &x) > least, "{label}: {x:?}");
                        let near = |(x, u): (&f64, f64)| (x + 0.01 * u).clamp(-5.0, 5.0);
                        let beside: Vec<f64> = best.iter().zip(x).map(near).collect();
                        assert!(cost(&instance, &beside) >= least - 1e-11, "{label}: {beside:?}");
                    }
                }
            }
        }
    }
}

/// Facts of the specification that are stated as numbers.
#[test]
fn known_values() {
    let raw = |function, dim| Instance::new(function, dim, 0, Mode::Raw, Seed(0)).unwrap();
    let at = |function, x: &[f64]| cost(&raw(function, x.len()), x);
    for (dim, expected) in [(2, 5521.5), (10, 10337.5), (100, 83184.4)] {
        assert!((at(Function::Schwefel, &vec![0.0; dim]) - expected).abs() < 0.05, "{dim}");
        assert_eq!(at(Function::RosenbrockRotated, &vec![0.0; dim]), 6.5 * (dim - 1) as f64);
        assert_eq!(at(Function::LinearSlope, &vec![5.0; dim]), 0.0);
    }
    assert_eq!(at(Function::Sphere, &[1.0, 2.0, -3.0]), 14.0);
    assert_eq!(at(Function::Discus, &[1.0, 1.0, -1.0]), 1_000_002.0);
    assert_eq!(at(Function::BentCigar, &[-1.0, 1.0, -2.0]), 5_000_001.0);
    assert_eq!(at(Function::SchaffersF7, &[3.0]), 0.0);
    // The ceiling of Gallagher's plain, T_osz(10)².
    let plain = at(Function::Gallagher101, &[5.0, -5.0].repeat(50));
    assert!((plain - 86.5654).abs() < 1e-4, "{plain}");
}

/// z, and with it f, depends on R x alone where no second basis is involved.
#[test]
fn rotated_points_of_rotated_functions() {
    use Function::{DifferentPowers, Discus, GriewankRosenbrock, RosenbrockRotated};
    let dim = 12;
    let r = rotation(dim, 4);
    let x = point(dim, 4.0, &mut stream(5));
    let rx: Vec<f64> = r.rows().map(|row| row.iter().zip(&x).map(|(a, b)| a * b).sum()).collect();
    for function in [Discus, DifferentPowers, RosenbrockRotated, GriewankRosenbrock] {
        let rotated = cost(&Instance::rotated(function, dim, Some(&r), None).unwrap(), &x);
        let straight = cost(&Instance::rotated(function, dim, None, None).unwrap(), &rx);
        assert!((rotated / straight - 1.0).abs() < 1e-9, "{function}: {rotated} {straight}");
        assert_ne!(cost(&Instance::rotated(function, dim, None, None).unwrap(), &x), rotated);
    }
    for function in Function::ALL {
        let (with, without) =
            [Some(&r), None].map(|r| Instance::rotated(function, dim, r, r)).into();
        let same = cost(&with.unwrap(), &x) == cost(&without.unwrap(), &x);
        assert_eq!(same, !function.is_rotated(), "{function}");
    }
}

/// A mode only moves the function; where a penalty is due is all that differs.
#[test]
fn modes_move_the_raw_function() {
    for function in Function::ALL {
        let dim = 7;
        let (r, q) = (rotation(dim, 1), rotation(dim, 2));
        let raw = Instance::rotated(function, dim, Some(&r), Some(&q)).unwrap();
        let place = point(dim, 0.5, &mut stream(3));
        let x = point(dim, 1.0, &mut stream(4));
        let moved = cost(&raw.clone().moved(place.clone()), &x);
        let centered = raw.clone().centered();
        let expected = if function == Function::LinearSlope {
            cost(&raw, &x) - raw.least()
        } else {
            let back: Vec<f64> = x.iter().zip(&place).map(|(x, p)| x - p).collect();
            let raw_point: Vec<f64> = back.iter().zip(raw.optimum()).map(|(x, o)| x + o).collect();
            let shifted = cost(&centered, &back);
            assert!((shifted / cost(&raw, &raw_point) - 1.0).abs() < 1e-9, "{function}");
            shifted
        };
        assert!((moved / expected - 1.0).abs() < 1e-9, "{function}: {moved} {expected}");
    }
    // Inside the box there is no penalty, wherever the optimum is.
    let lunacek = |mode| Instance::new(Function::Lunacek, 2, 0, mode, Seed(1)).unwrap();
    assert!(cost(&lunacek(Mode::Instance), &[5.0, -5.0]) < 1e4);
    assert!(cost(&lunacek(Mode::Centered), &[5.0, -5.0]) > 1e4);
}

#[test]
fn a_batch_gives_the_bits_of_its_points() {
    for function in Function::ALL {
        for (dim, points) in [(2, 1), (9, 21), (33, 35), (100, 16)] {
            let instance = Instance::new(function, dim, 0, Mode::Instance, Seed(9)).unwrap();
            let xs = point(points * dim, 6.0, &mut stream(6));
            let mut costs = vec![f64::NAN; points];
            let mut buffer = Buffer::default();
            instance.costs(&xs, &mut costs, &mut buffer);
            let single: Vec<f64> = xs.chunks(dim).map(|x| cost(&instance, x)).collect();
            assert_eq!(costs, single, "{function}, D = {dim}");
        }
    }
}

#[test]
fn a_coordinate_that_is_no_number_gives_none() {
    for function in Function::ALL {
        let instance = Instance::new(function, 5, 0, Mode::Instance, Seed(2)).unwrap();
        assert!(cost(&instance, &[1.0, f64::NAN, 0.0, 0.0, 0.0]).is_nan(), "{function}");
    }
}

#[test]
fn seeds_and_dimensions_count() {
    let x = [1.0, -2.0, 0.5, 3.0];
    for function in Function::ALL {
        let at = |mode, seed| cost(&Instance::new(function, 4, 0, mode, Seed(seed)).unwrap(), &x);
        assert_eq!(at(Mode::Instance, 1), at(Mode::Instance, 1));
        assert_ne!(at(Mode::Instance, 1), at(Mode::Instance, 2), "{function}");
        assert_eq!(at(Mode::Raw, 1) != at(Mode::Raw, 0), function.is_rotated(), "{function}");
        for dim in [0, 1_000_000] {
            assert!(Instance::new(function, dim, 0, Mode::Raw, Seed(0)).is_err(), "{function}");
        }
    }
}
