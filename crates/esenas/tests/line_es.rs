//! Line-ES: its equations written down a second time, what it looks at, and how fast it arrives.

use esenas::weights::{LineEs, LineEsConfig, SepCmaEs, SepCmaEsConfig};
use esenas::{Bounds, Noise, Optimizer, Purpose, Seed, Stream, WeightOptimizer};

type Vector = Vec<f64>;

const DIM: usize = 6;

fn stream(iteration: u32) -> Stream {
    Seed(21).stream(Purpose::Ask, iteration, 0)
}

fn bowl(x: &[f64]) -> f64 {
    -x.iter().zip(1..).map(|(x, j)| f64::from(j) * (x - 0.3).powi(2)).sum::<f64>()
}

fn start(population: usize, sigma: f64, bounds: Option<Bounds>) -> LineEs {
    let config = LineEsConfig { sigma, population: Some(population) };
    LineEs::new(config, vec![2.0; DIM], bounds).unwrap()
}

/// Asks for all points of an iteration and tells their values; the points.
fn iterate(o: &mut impl WeightOptimizer, t: u32, f: impl Fn(&[f64]) -> f64) -> Vec<Vector> {
    let points: Vec<Vector> =
        o.ask(o.population(), &mut stream(t)).iter().map(|p| p.to_vec()).collect();
    o.tell(&points.iter().map(|x| Some(f(x))).collect::<Vec<_>>());
    points
}

/// How often it went back to its best point.
fn returns(o: &LineEs) -> f64 {
    o.statistics().iter().find(|(name, _)| *name == "returns").unwrap().1
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A bowl with ripples: what is better near m says little of the way to the bottom.
fn rippled(x: &[f64]) -> f64 {
    bowl(x) + 0.3 * x.iter().map(|x| (20.0 * x).cos()).sum::<f64>()
}

/// Where between the first and the second point the parabola through three of them is highest, from
/// Lagrange's form of it: Σ yᵢ (x − xⱼ)(x − xₖ)/Dᵢ, whose slope is Σ yᵢ (2x − xⱼ − xₖ)/Dᵢ.
fn highest([(x0, y0), (x1, y1), (x2, y2)]: [(f64, f64); 3]) -> f64 {
    let [t0, t1, t2] =
        [y0 / ((x0 - x1) * (x0 - x2)), y1 / ((x1 - x0) * (x1 - x2)), y2 / ((x2 - x0) * (x2 - x1))];
    match t0 + t1 + t2 {
        bend if bend < 0.0 => {
            let top = (t0 * (x1 + x2) + t1 * (x0 + x2) + t2 * (x0 + x1)) / (2.0 * bend);
            top.clamp(x0, x1)
        }
        _ if y0 > y1 => x0,
        _ => x1,
    }
}

/// The equations at the top of `line_es.rs`, in plain loops. Red when a sign or a constant changes,
/// a weight goes to another rank, the steps looked at are not those of the last direction,
/// directions are drawn anew, or it goes back at another time, to another point or with other
/// steps.
#[test]
fn an_iteration_is_its_equations() {
    const PROBES: usize = 7;
    let mut o = start(PROBES + 3, 0.4, None);
    let (mut m, mut sigma, mut u) = (vec![2.0; DIM], 0.4, None::<Vector>);
    let (mut used, mut best, mut age) = (0, (Vec::new(), f64::NEG_INFINITY), 0);
    let mut met = [false; 4];
    for t in 0..60 {
        let points = iterate(&mut o, t, rippled);
        let length = |sigma: f64| sigma * (DIM as f64).sqrt() / 1.7; // Eq. 2
        let noise = Noise::Cosine { key: stream(0).bits(), dim: DIM as u32, first: used };
        let probes = if u.is_none() { PROBES + 2 } else { PROBES };
        used += probes as u64;
        let draw = |row: usize| noise.row(row as u32, DIM).into_iter().map(f64::from).collect();
        let z: Vec<Vector> = (0..probes).map(draw).collect();
        for (z, x) in z.iter().zip(&points) {
            for j in 0..DIM {
                assert!((m[j] + sigma * z[j] - x[j]).abs() < 1e-9, "Eq. 1 in iteration {t}");
            }
        }
        for x in &points {
            if rippled(x) > best.1 {
                (best, age) = ((x.clone(), rippled(x)), 0);
            }
        }
        age += 1;
        let mut a = 1.0;
        if let Some(u) = &u {
            let along = |a: f64| -> Vector {
                (0..DIM).map(|j| m[j] + (a - 1.0) * length(sigma) * u[j]).collect()
            };
            let lengths = [1.0 / 1.45, 1.45, 1.0];
            for (at, a) in (PROBES..).zip(lengths) {
                let apart: Vector = along(a).iter().zip(&points[at]).map(|(a, b)| a - b).collect();
                assert!(norm(&apart) < 1e-9, "Eq. 3 in iteration {t}: {apart:?}");
            }
            a = highest(lengths.map(|a| (a, rippled(&along(a)))));
            let within = 1.0 / 1.45 < a && a < 1.45;
            met[if within {
                1
            } else if a < 1.0 {
                0
            } else {
                2
            }] = true;
            if age <= 5 {
                m = along(a); // Eq. 4
            }
        } else {
            assert_eq!(points[PROBES + 2], m);
        }
        if age > 5 {
            (m, u, age) = (best.0.clone(), None, 0); // Eq. 7
            sigma *= 0.3;
            met[3] = true;
        } else {
            sigma *= 0.96 * f64::powf(a, 0.4);
            let mut order: Vec<usize> = (0..probes).collect();
            order.sort_by(|i, j| rippled(&points[*j]).total_cmp(&rippled(&points[*i])));
            let mut g = vec![0.0; DIM];
            for i in 0..probes / 2 {
                let w = ((probes / 2) as f64 + 1.0).ln() - (i as f64 + 1.0).ln();
                for (j, g) in g.iter_mut().enumerate() {
                    *g += w * (z[order[i]][j] - z[order[probes - 1 - i]][j]); // Eq. 5
                }
            }
            let unit: Vector = g.iter().map(|x| x / norm(&g)).collect();
            m.iter_mut().zip(&unit).for_each(|(m, u)| *m += length(sigma) * u); // Eq. 6
            u = Some(unit);
        }
        assert!((o.sigma() / sigma - 1.0).abs() < 1e-6);
        let apart: Vector = o.centre().to_vec().iter().zip(&m).map(|(a, b)| a - b).collect();
        assert!(norm(&apart) < 1e-5, "iteration {t}: {apart:?}");
        // What rounds differently must not add up.
        (m, sigma) = (o.centre().to_vec(), o.sigma());
    }
    assert_eq!(
        met, [true; 4],
        "no step was ever as short as can be, between, or as long, or nothing sent it back"
    );
}

/// On a sphere of 80 dimensions 25 d evaluations leave less than 10⁻⁸ of the cost, where sep-CMA-ES
/// leaves more than 10⁻³ and directions that are independent of one another would leave 3 · 10⁻⁷.
/// Red when the length of steps is learned as slowly as in the former, or directions ask again for
/// what is settled.
#[test]
fn few_evaluations_take_it_far() {
    let sphere = |x: &[f64]| -x.iter().map(|x| x * x).sum::<f64>();
    fn left(mut o: impl WeightOptimizer, f: impl Fn(&[f64]) -> f64) -> f64 {
        let (mut done, mut t, mut best) = (0, 0, f64::NEG_INFINITY);
        while done < 2000 {
            let points = iterate(&mut o, t, &f);
            best = points.iter().map(|x| f(x)).fold(best, f64::max);
            (done, t) = (done + points.len(), t + 1);
        }
        -best
    }
    let theta: Vector = (0..80).map(|j| 3.0 * f64::from(j + 1).sin()).collect();
    let cost = -sphere(&theta);
    let line = LineEsConfig { sigma: 0.8, ..Default::default() };
    let line = left(LineEs::new(line, theta.clone(), None).unwrap(), sphere) / cost;
    let sep = SepCmaEsConfig { sigma: 1.0, mirrored: true, ..Default::default() };
    let sep = left(SepCmaEs::new(sep, theta, None).unwrap(), sphere) / cost;
    assert!(line < 1e-8 && sep > 1e-3, "{line} and {sep}");
}

/// Where hollows are narrow beside the steps that the trend asks for. Red when it never goes back,
/// or not to the best point.
#[test]
fn it_ends_at_the_bottom_of_a_hollow() {
    let mut o = start(12, 0.4, None);
    let mut best = f64::NEG_INFINITY;
    for t in 0..150 {
        best = iterate(&mut o, t, rippled).iter().map(|x| rippled(x)).fold(best, f64::max);
    }
    assert!(returns(&o) >= 3.0, "{}", returns(&o));
    let centre = o.centre().to_vec();
    let value = rippled(&centre);
    assert!(value > best - 1e-3, "{value} of {best}");
    for j in 0..DIM {
        for step in [-0.05, 0.05] {
            let mut beside = centre.clone();
            beside[j] += step;
            assert!(rippled(&beside) < value, "coordinate {j}");
        }
    }
}

/// It is led onto a plateau. Red when it stays where nothing can be learned though it was somewhere
/// better, when it goes back where all is as good, or when iterations without any value count.
#[test]
fn it_comes_back_from_a_plateau() {
    let mut o = start(10, 0.4, None);
    iterate(&mut o, 0, bowl);
    let (before, sigma) = (o.centre().to_vec(), o.sigma());
    let fails = |o: &mut LineEs, t| {
        let n = o.ask(10, &mut stream(t)).len();
        o.tell(&vec![None; n]);
    };
    (1..20).for_each(|t| fails(&mut o, t));
    assert_eq!((returns(&o), o.centre().to_vec()), (0.0, before));
    (20..25).for_each(|t| drop(iterate(&mut o, t, |_| -1e9)));
    assert_eq!((returns(&o), o.sigma()), (1.0, sigma * 0.3));
    let mut flat = start(10, 0.4, None);
    (0..20).for_each(|t| drop(iterate(&mut flat, t, |_| 1.0)));
    assert_eq!((returns(&flat), flat.sigma()), (0.0, 0.4));
}

/// Red when going back is no part of the state.
#[test]
fn a_state_that_has_gone_back_resumes() {
    let mut o = start(10, 0.4, None);
    for t in 0..60 {
        let bytes = postcard::to_allocvec(&o).unwrap();
        let mut again: LineEs = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(iterate(&mut again, t, rippled), iterate(&mut o, t, rippled), "iteration {t}");
        assert_eq!(again, o);
    }
    assert!(returns(&o) > 0.0);
}

/// Red when the probes of a batch are the same point over and over.
#[test]
fn few_dimensions_have_directions_too() {
    for dim in 1..4 {
        let mut o = LineEs::new(LineEsConfig::default(), vec![0.0; dim], None).unwrap();
        let points = o.ask(8, &mut stream(0));
        let points: std::collections::BTreeSet<_> = points
            .iter()
            .map(|p| p.to_vec().into_iter().map(f64::to_bits).collect::<Vec<_>>())
            .collect();
        assert!(points.len() >= 6, "{} in {dim} dimensions", points.len());
    }
}

/// Red when a missing value counts for anything, or keeps the others from counting.
#[test]
fn what_has_no_value_is_passed_over() {
    let told = |missing: &[usize], instead: Option<f64>| {
        let mut o = start(10, 0.4, None);
        iterate(&mut o, 0, bowl);
        let points = o.ask(10, &mut stream(1));
        let value = |(at, p): (usize, &esenas::Theta)| match at {
            at if missing.contains(&at) => instead,
            8 => Some(1e9),
            _ => Some(bowl(&p.to_vec())),
        };
        o.tell(&points.iter().enumerate().map(value).collect::<Vec<_>>());
        o
    };
    let known = |missing: &[usize]| told(missing, None);
    let (longer, shorter) = (known(&[]).sigma(), known(&[8]).sigma());
    assert!(longer > 0.96 * 0.4 && shorter < longer, "{shorter} {longer}");
    assert_eq!(known(&[7, 8, 9]).sigma(), 0.96 * (0.96 * 0.4), "nothing was looked at");
    let centre = |o: LineEs| o.centre().to_vec();
    for instead in [-1e9, 0.0, 1e9] {
        let taken = centre(told(&[0, 1], Some(instead)));
        assert_ne!(centre(known(&[0, 1])), taken, "as if it were worth {instead}");
    }
    let (probes, before) = (known(&[0, 1, 2, 3, 4, 5, 6]), {
        let mut o = start(10, 0.4, None);
        iterate(&mut o, 0, bowl);
        o
    });
    assert_eq!(probes.centre().to_vec(), before.centre().to_vec(), "no probe has a value");
}

/// Slopes differ by a factor of a thousand, and without rests 3 % of the way are left. Red when
/// coordinates that stand at a side hide what the others say, or rest when they should move: it
/// starts in the wrong corner.
#[test]
fn corners_are_reached_by_all_coordinates() {
    const MANY: usize = 40;
    let bounds = Bounds::new(vec![-1.0], vec![1.0], MANY).unwrap();
    let config = LineEsConfig { sigma: 0.3, ..Default::default() };
    let mut o = LineEs::new(config, vec![-1.0; MANY], Some(bounds)).unwrap();
    let slope = |j: usize| 1000f64.powf(j as f64 / (MANY - 1) as f64);
    let f = |x: &[f64]| x.iter().enumerate().map(|(j, x)| slope(j) * x).sum::<f64>();
    (0..120).for_each(|t| drop(iterate(&mut o, t, f)));
    let left = 1.0 - f(&o.centre().to_vec()) / f(&[1.0; MANY]);
    assert!(left < 5e-3, "{left}");
}

/// All coordinates rest in a corner when the optimum moves inside, as it may with another model.
/// Red when nothing wakes them.
#[test]
fn it_leaves_a_corner_that_is_no_optimum_any_more() {
    for dim in [1, 2, 3, 10, 40] {
        let bounds = Bounds::new(vec![-1.0], vec![1.0], dim).unwrap();
        let config = LineEsConfig { sigma: 0.3, ..Default::default() };
        let mut o = LineEs::new(config, vec![0.0; dim], Some(bounds)).unwrap();
        (0..100).for_each(|t| drop(iterate(&mut o, t, |x| x.iter().sum())));
        assert_eq!(o.centre().to_vec(), vec![1.0; dim]);
        let inside = |x: &[f64]| 1e3 - x.iter().map(|x| (x - 0.3).powi(2)).sum::<f64>();
        (100..400).for_each(|t| drop(iterate(&mut o, t, inside)));
        let left = 1e3 - inside(&o.centre().to_vec());
        assert!(left < 1e-6 * dim as f64, "{left} in {dim} dimensions");
    }
}

/// The best point is inside, and steps lead out of the box until it goes back there. Red when what
/// came to rest on the way rests on.
#[test]
fn what_rested_at_a_side_is_probed_where_it_goes_back_to() {
    const MANY: usize = 12;
    let bounds = Bounds::new(vec![-1.0], vec![1.0], MANY).unwrap();
    let config = LineEsConfig { sigma: 0.8, population: Some(20) };
    let mut o = LineEs::new(config, vec![0.0; MANY], Some(bounds)).unwrap();
    // All are as good, and the first counts as the best.
    let best = iterate(&mut o, 0, |_| 1e3).remove(0);
    let out: Vec<_> = (1..6).map(|t| iterate(&mut o, t, |x| x.iter().sum())).collect();
    assert_eq!((returns(&o), o.centre().to_vec()), (1.0, best.clone()));
    let points = iterate(&mut o, 6, bowl);
    let moves = |points: &[Vector], j: usize| points.iter().any(|x| x[j] != points[0][j]);
    let inside: Vec<usize> = (0..MANY).filter(|j| best[*j].abs() < 1.0).collect();
    assert!(inside.iter().any(|j| !moves(&out[4], *j)), "nothing rested");
    assert!(inside.iter().all(|j| moves(&points, *j)));
}

/// Half of the coordinates have their optimum beyond the box. Red when what rests is moved along
/// the last step, back in, and held there.
#[test]
fn what_rests_stays_at_its_side() {
    const MANY: usize = 20;
    let bounds = Bounds::new(vec![-1.0], vec![1.0], MANY).unwrap();
    let config = LineEsConfig { sigma: 0.3, ..Default::default() };
    let mut o = LineEs::new(config, vec![0.0; MANY], Some(bounds)).unwrap();
    let target = |j: usize| if j.is_multiple_of(2) { 1.05 } else { 0.5 };
    let f = |x: &[f64]| -x.iter().enumerate().map(|(j, x)| (x - target(j)).powi(2)).sum::<f64>();
    let best = -(0.05f64.powi(2) * MANY as f64 / 2.0);
    let mut rested = 0;
    for t in 0..60 {
        let points = iterate(&mut o, t, f);
        let still = |j: &usize| points.iter().all(|x| x[*j] == points[0][*j]);
        for j in (0..MANY).filter(still) {
            assert_eq!(points[0][j].abs(), 1.0, "coordinate {j} in iteration {t}");
            rested += 1;
        }
    }
    let left = best - f(&o.centre().to_vec());
    assert!(rested > 100 && left < 1e-7, "{left} with {rested} rests");
}

/// The optimum is a corner. Red when a point or the mean leaves the box, or clipped steps stall.
#[test]
fn it_stays_in_the_box_and_reaches_its_corner() {
    let bounds = Bounds::new(vec![-1.0], vec![1.0], DIM).unwrap();
    let config = LineEsConfig { sigma: 0.2, ..Default::default() };
    let mut o = LineEs::new(config, vec![0.0; DIM], Some(bounds)).unwrap();
    for t in 0..150 {
        for x in iterate(&mut o, t, |x| x.iter().zip(1..).map(|(x, j)| x * f64::from(j)).sum()) {
            assert!(x.iter().all(|x| (-1.0..=1.0).contains(x)), "{x:?}");
        }
    }
    assert!(o.centre().to_vec().iter().all(|x| *x > 0.99), "{:?}", o.centre().to_vec());
}

#[test]
fn golden_trace() {
    let mut o = start(9, 0.5, None);
    (0..10).for_each(|t| drop(iterate(&mut o, t, bowl)));
    let centre = o.centre().to_vec();
    let golden = [0.1952475744576781, 0.4130824767780942, 0.1295925147205424];
    assert!(centre.iter().zip(golden).all(|(x, g)| (x - g).abs() < 1e-9), "{centre:?}");
}

/// Red when a population is accepted that leaves too few probes to tell a direction.
#[test]
fn every_population_that_is_accepted_moves() {
    let config = LineEsConfig { population: Some(4), ..Default::default() };
    let refused = LineEs::new(config, vec![0.0; DIM], None).unwrap_err();
    assert_eq!(refused.to_string(), "population must be at least 5, got 4");
    let mut o = start(5, 0.4, None);
    for t in 0..6 {
        let before = o.centre().to_vec();
        iterate(&mut o, t, bowl);
        assert_ne!(o.centre().to_vec(), before, "iteration {t}");
    }
}

/// Red when coordinates on a grid, which are drawn wider the smaller σ is, take the steps of the
/// others.
#[test]
fn a_grid_does_not_hold_up_the_other_coordinates() {
    let bounds = Bounds::new(vec![-5.0], vec![5.0], DIM).unwrap();
    let bounds = bounds.with_steps(vec![1.0, 1.0, 1.0, 0.0, 0.0, 0.0], DIM).unwrap();
    let mut o = start(12, 0.8, Some(bounds));
    (0..150).for_each(|t| drop(iterate(&mut o, t, bowl)));
    let centre = o.centre().to_vec();
    assert!(centre[3..].iter().all(|x| (x - 0.3).abs() < 1e-4), "{centre:?}");
}
