//! Whatever is told, or not told.

use super::*;

#[test]
fn every_ask_of_any_size_is_served_and_partial_answers_are_learned_from() {
    fn check<O: Subject>() {
        let mut o = O::start(vec![1.0; 5], 0.5, None).unwrap();
        for (t, n) in [0, 1, 2, 3, 8, 40, 7].into_iter().enumerate() {
            let points = o.ask(n, &mut stream(t as u32));
            assert_eq!(points.len(), n, "{}", O::NAME);
            assert!(points.iter().all(|p| p.dim() == 5));
            let before = o.centre().to_vec();
            let value = |(i, p): (usize, &esenas::Theta)| {
                (i % 3 != 1).then(|| valley(&p.to_vec(), &[0.0; 5]))
            };
            let values: Vec<_> = points.iter().enumerate().map(value).collect();
            o.tell(&values[..n.saturating_sub(1)]);
            let usable = (0..n.saturating_sub(1)).filter(|i| i % 3 != 1).count();
            assert_eq!(o.centre().to_vec() != before, usable >= 2, "{} {n}", O::NAME);
        }
    }
    for_each!(check());
}

#[test]
fn values_that_say_nothing_teach_nothing() {
    fn check<O: Subject>() {
        let silent: [&[Option<f64>]; 6] = [
            &[],
            &[None; 6],
            &[Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY), None, None, None],
            &[Some(3.0), None, None, None, None, None],
            &[Some(3.0); 6],
            &[Some(0.0), Some(-0.0)],
        ];
        for (t, values) in silent.into_iter().enumerate() {
            let mut o = O::start(vec![1.0; 3], 0.5, None).unwrap();
            o.ask(6, &mut stream(t as u32));
            let (centre, statistics) = (o.centre().to_vec(), o.statistics());
            o.tell(values);
            assert_eq!((o.centre().to_vec(), o.statistics()), (centre, statistics), "{}", O::NAME);
        }
    }
    for_each!(check());
}

#[test]
fn a_missing_value_is_as_if_the_point_had_not_been_asked_for() {
    // The worst of n + 1 points withheld is the same as n asked: rows do not depend on n.
    fn check<O: Subject>() {
        let mut asked = O::start(vec![1.0; 3], 0.5, None).unwrap();
        let mut told = asked.clone();
        let values: Vec<_> = asked
            .ask(8, &mut stream(0))
            .iter()
            .map(|p| Some(valley(&p.to_vec(), &[0.0; 3])))
            .collect();
        told.ask(9, &mut stream(0));
        asked.tell(&values);
        told.tell(&values);
        for (a, b) in asked.centre().to_vec().iter().zip(told.centre().to_vec()) {
            assert!((a - b).abs() < 1e-12, "{}", O::NAME);
        }
    }
    for_each!(check());
}

#[test]
fn telling_twice_teaches_once() {
    fn check<O: Subject>() {
        let mut o = O::start(vec![1.0; 4], 0.5, None).unwrap();
        let values: Vec<_> = o.ask(8, &mut stream(0)).iter().map(|p| Some(p.to_vec()[0])).collect();
        o.tell(&values);
        let once = bytes(&o);
        o.tell(&values);
        assert!(bytes(&o) == once, "{}", O::NAME);
    }
    for_each!(check());
}

#[test]
fn resuming_in_any_phase_is_never_having_stopped() {
    fn check<O: Subject>() {
        let bounds = Bounds::new(vec![-2.0], vec![2.0], 6).unwrap();
        let mut whole = O::start(vec![1.0; 6], 0.5, Some(bounds)).unwrap();
        let mut parted = whole.clone();
        let again = |o: &O| postcard::from_bytes::<O>(&bytes(o)).unwrap();
        for t in 0..60 {
            parted = again(&parted);
            let points = whole.ask(9, &mut stream(t));
            let same = parted.ask(9, &mut stream(t));
            for (a, b) in points.iter().zip(&same) {
                assert_eq!(a.to_vec(), b.to_vec());
            }
            assert!(bytes(&whole) == bytes(&parted), "{} after ask {t}", O::NAME);
            parted = again(&parted);
            let values: Vec<_> =
                points.iter().map(|p| Some(valley(&p.to_vec(), &[3.0; 6]))).collect();
            whole.tell(&values);
            parted.tell(&values);
            assert!(bytes(&whole) == bytes(&parted), "{} after tell {t}", O::NAME);
            assert_eq!(whole, parted);
        }
    }
    for_each!(check());
}

#[test]
fn only_the_order_of_values_matters_and_all_scales_are_alike() {
    fn check<O: Subject>() {
        let start = |scale: f64| O::start(vec![scale; 4], 0.5 * scale, None).unwrap();
        let (mut plain, mut bent, mut scaled) = (start(1.0), start(1.0), start(4.0));
        for t in 0..60 {
            let f = |x: &[f64]| valley(x, &[0.0; 4]);
            let points = iterate(&mut plain, t, f);
            assert_eq!(points, iterate(&mut bent, t, |x| -(-f(x)).sqrt()), "{}", O::NAME);
            let large = iterate(&mut scaled, t, |x| valley(x, &[0.0; 4]));
            for (x, large) in points.iter().flatten().zip(large.iter().flatten()) {
                assert_eq!(4.0 * x, *large, "{}", O::NAME);
            }
        }
    }
    for_each!(check());
}

#[test]
fn step_sizes_reach_their_limits_and_stay_finite() {
    fn check<O: Subject>() {
        // Upwards without end; then everything that is small is good.
        let mut o = O::start(vec![1.0; 3], 1e-3, None).unwrap();
        for t in 0..3000 {
            iterate(&mut o, t, |x| x[0] + 0.1 * x[1]);
        }
        assert_finite(&o);
        let mut o = O::start(vec![1.0; 2], 1.0, None).unwrap();
        for t in 0..3000 {
            let n = o.population();
            let points = o.ask(n, &mut stream(t));
            let centre = o.centre().to_vec();
            let near = |x: Vec<f64>| x.iter().zip(&centre).map(|(x, c)| (x - c).abs()).sum::<f64>();
            o.tell(&points.iter().map(|p| Some(-near(p.to_vec()))).collect::<Vec<_>>());
        }
        assert_finite(&o);
    }
    for_each!(check());
}

fn value() -> impl Strategy<Value = Option<f64>> {
    let special = prop::sample::select(vec![
        None,
        Some(f64::NAN),
        Some(f64::INFINITY),
        Some(f64::MAX),
        Some(f64::MIN),
        Some(0.0),
        Some(-0.0),
    ]);
    prop_oneof![special, any::<f64>().prop_map(Some), (-1.0..1.0).prop_map(Some)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_sequence_of_values_leaves_the_state_finite(
        dim in 1_usize..6,
        sigma in prop::sample::select(vec![1e-100, 1e-6, 1.0, 1e100]),
        boxed in any::<bool>(),
        told in prop::collection::vec((0_usize..14, prop::collection::vec(value(), 0..14)), 1..25),
    ) {
        fn check<O: Subject>(dim: usize, sigma: f64, boxed: bool, told: &[(usize, Vec<Option<f64>>)]) {
            let bounds = boxed.then(|| Bounds::new(vec![-1.0], vec![2.0], dim).unwrap());
            let mut o = O::start(vec![1.0; dim], sigma, bounds).unwrap();
            for (t, (n, values)) in told.iter().enumerate() {
                let points = o.ask(*n, &mut stream(t as u32));
                assert_eq!(points.len(), *n);
                let inside = |x: &f64| x.is_finite() && (!boxed || (-1.0..=2.0).contains(x));
                assert!(points.iter().all(|p| p.to_vec().iter().all(inside)));
                o.tell(values);
                assert_finite(&o);
            }
        }
        for_each!(check(dim, sigma, boxed, &told));
    }
}
