//! Units do not matter: the search that `auto` chooses is the same whatever numbers are measured
//! in.

use std::sync::Arc;

use esenas::auto::Facts;
use esenas::space::{First, Real, Space, Tensor};
use esenas::{Bounds, Dna, Layout, Optimizer, Purpose, Search, Seed, Start};
use proptest::prelude::*;

/// Everything that was evaluated: model, numbers in the user's units, value.
type Trace = Vec<(Dna, Vec<f64>, f64)>;

/// What `auto` makes of an objective on the user's units.
fn search(layout: &Layout, evaluations: u64, f: impl Fn(&Dna, &[f64]) -> f64) -> Trace {
    let theta = layout.start(&mut Seed(5).stream(Purpose::Start, 0, 0));
    let (space, bounds) = (layout.space().clone(), layout.bounds().cloned());
    let start = Start { space, theta, bounds };
    let config = Facts::of(layout, Some(evaluations)).choose().search;
    let mut search = Search::new(config, start).unwrap();
    let mut trace = Trace::new();
    for iteration in 0.. {
        if trace.len() as u64 >= evaluations {
            break;
        }
        let mut stream = Seed(5).stream(Purpose::Ask, iteration, 0);
        let points = search.ask(search.population(), &mut stream);
        let mut values = Vec::new();
        for point in points {
            let mut theta = point.theta.to_vec();
            layout.to_user(&mut theta);
            let value = f(&point.dna, &theta);
            trace.push((point.dna, theta, value));
            values.push(Some(value));
        }
        search.tell(&values);
    }
    trace
}

const INTERVALS: [(f64, f64); 6] =
    [(-0.3, 1.7), (0.0, 90.0), (-5.0, -1.0), (1e-3, 1.0), (10.0, 30.0), (2.0, 3.0)];

/// A flat box, or a space with reals, logarithms, a grid and weights; its numbers measured in units
/// of `factors`.
fn layout(flat: bool, factors: &[f64; 6]) -> Layout {
    let scaled = |at: usize| (INTERVALS[at].0 * factors[at], INTERVALS[at].1 * factors[at]);
    if flat {
        let (low, high) = (0..6).map(scaled).unzip();
        let bounds = Bounds::new(low, high, 6).unwrap();
        let steps = vec![0.0, 0.0, 0.0, 0.0, factors[4] * 0.5, 0.0];
        let bounds = bounds.with_steps(steps, 6).unwrap();
        return Layout::flat(Arc::new(Space::int(0..=4).unwrap()), 6, Some(bounds));
    }
    let real = |at: usize| Real::from(scaled(at).0..=scaled(at).1);
    let weights =
        Tensor { scale: Some(0.3 * factors[5]), first: First::Zeros, ..Tensor::from([1]) };
    let space = Space::dict([
        ("a", Space::real(real(0)).unwrap()),
        ("b", Space::real(real(1)).unwrap()),
        ("c", Space::real(real(2)).unwrap()),
        ("d", Space::real(Real { log: true, ..real(3) }).unwrap()),
        ("e", Space::real(Real { step: Some(0.5 * factors[4]), ..real(4) }).unwrap()),
        ("f", Space::weights(weights).unwrap()),
        ("m", Space::int(0..=4).unwrap()),
    ]);
    Layout::new(Arc::new(space.unwrap())).unwrap()
}

/// A sum of squares in the units of `factors`, its optimum in the box.
fn objective(factors: [f64; 6]) -> impl Fn(&Dna, &[f64]) -> f64 {
    move |dna, theta| {
        let term = |at: usize| {
            let (low, high) = INTERVALS[at];
            ((theta[at] / factors[at] - (low + 0.7 * (high - low))) / (high - low)).powi(2)
        };
        -(0..6).map(term).sum::<f64>() - f64::from(dna.genes()[0].abs_diff(3))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Red when a width, a step or a logarithm is taken in the user's units.
    #[test]
    fn powers_of_two_change_no_bit(
        powers in prop::array::uniform6(-30i32..30), flat in any::<bool>(),
        evaluations in prop::sample::select(vec![300u64, 4500]),
    ) {
        let factors = powers.map(|power| 2f64.powi(power));
        let plain = search(&layout(flat, &[1.0; 6]), evaluations, objective([1.0; 6]));
        let scaled = search(&layout(flat, &factors), evaluations, objective(factors));
        prop_assert_eq!(plain.len(), scaled.len());
        for ((dna, theta, value), (other, scaled, same)) in plain.iter().zip(&scaled) {
            let units: Vec<f64> = theta.iter().zip(&factors).map(|(u, factor)| u * factor).collect();
            prop_assert_eq!((dna, &units, value.to_bits()), (other, scaled, same.to_bits()));
        }
    }

    /// Anything else rounds: the same search, until rounding has grown.
    #[test]
    fn other_factors_change_nothing_but_rounding(
        powers in prop::array::uniform6(-2.0f64..2.0), flat in any::<bool>(),
    ) {
        let factors = powers.map(|power| 10f64.powf(power));
        let plain = search(&layout(flat, &[1.0; 6]), 200, objective([1.0; 6]));
        let scaled = search(&layout(flat, &factors), 200, objective(factors));
        for ((dna, theta, value), (other, scaled, same)) in plain.iter().zip(&scaled).take(100) {
            prop_assert_eq!(dna, other);
            prop_assert!((value - same).abs() < 1e-6, "{} {}", value, same);
            for (at, (u, v)) in theta.iter().zip(scaled).enumerate() {
                let width = INTERVALS[at].1 - INTERVALS[at].0;
                prop_assert!((u - v / factors[at]).abs() < 1e-6 * width, "{}: {} {}", at, u, v);
            }
        }
    }
}

/// A flat box of equal sides is searched as it was before there were layouts: in the user's
/// coordinates.
#[test]
fn equal_sides_are_the_search_without_a_layout() {
    let bounds = Bounds::new(vec![-5.0], vec![5.0], 4).unwrap();
    let space = Arc::new(Space::int(0..=4).unwrap());
    let layout = Layout::flat(space.clone(), 4, Some(bounds.clone()));
    let facts = Facts::new(&space, 4, &bounds, Some(500));
    assert_eq!(Facts::of(&layout, Some(500)), facts);
    assert_eq!(
        (layout.bounds(), layout.start(&mut Seed(1).stream(Purpose::Start, 0, 0))),
        (Some(&bounds), vec![0.0; 4])
    );
    let mut theta = [0.1, -0.7, 1e-300, 4.9999];
    let same = theta;
    layout.to_user(&mut theta);
    assert_eq!(theta, same);
}

/// Whatever `auto` may choose copes with weights that have no interval beside reals that do.
#[test]
fn weights_without_bounds_go_beside_reals() {
    let weights = Tensor { scale: Some(2.0), ..Tensor::from([8]) };
    let space = Space::dict([
        ("w", Space::weights(weights).unwrap()),
        ("x", Space::real(1e-3..=10.0).unwrap()),
        ("m", Space::int(0..=4).unwrap()),
    ]);
    let layout = Layout::new(Arc::new(space.unwrap())).unwrap();
    let f = |dna: &Dna, theta: &[f64]| {
        let weights: f64 = theta[..8].iter().map(|w| (w - 7.0).powi(2)).sum();
        -weights - (theta[8] - 4.0).powi(2) - f64::from(dna.genes()[0].abs_diff(2))
    };
    for (evaluations, gap) in [(600, 0.5), (3000, 1e-4), (40_000, 1e-9)] {
        let trace = search(&layout, evaluations, f);
        let best = trace.iter().map(|(.., value)| *value).fold(f64::NEG_INFINITY, f64::max);
        assert!(trace.iter().all(|(_, theta, _)| (1e-3..=10.0).contains(&theta[8])));
        assert!(best > -gap, "{evaluations}: {best}");
    }
}
