//! Several goals: fronts that are found, and what they are made of.

use std::sync::Arc;

use esenas::front::hypervolume;
use esenas::{Bounds, Candidate, Front, FrontConfig, Goals, Purpose, Seed, Space};
use proptest::prelude::*;

fn goals(values: &[f64], violation: f64) -> Goals {
    Goals { values: values.to_vec(), violation }
}

fn front(dim: usize) -> Front {
    let bounds = Bounds::new(vec![0.0], vec![1.0], dim).unwrap();
    let space = Arc::new(Space::oneof(["a", "b"]).unwrap());
    Front::new(FrontConfig::default(), space, vec![0.5; dim], Some(bounds)).unwrap()
}

fn run(front: &mut Front, evaluations: usize, f: impl Fn(&Candidate) -> Option<Goals>) {
    let (mut done, mut iteration) = (0, 0);
    while done < evaluations {
        let stream = &mut Seed(4).stream(Purpose::Ask, iteration, 0);
        let points = front.ask(front.population(), stream);
        let told: Vec<_> = points.iter().map(&f).collect();
        front.tell(&told);
        (done, iteration) = (done + points.len(), iteration + 1);
    }
}

/// ZDT1 (Zitzler, Deb and Thiele 2000), turned to be maximized; "b" is worse by 1 in both goals.
fn zdt1(candidate: &Candidate) -> Option<Goals> {
    let x = candidate.theta.to_vec();
    let g = 1.0 + 9.0 * x[1..].iter().sum::<f64>() / (x.len() - 1) as f64;
    let worse = f64::from(candidate.dna.genes()[0]);
    Some(goals(&[-x[0] - worse, -g * (1.0 - (x[0] / g).sqrt()) - worse], 0.0))
}

/// The front of ZDT1 dominates 1 − 1/3 of the unit square, and (1.1, 1.1) 0.21 more. Red when a
/// sign of a goal is wrong, or models are not searched.
#[test]
fn a_front_is_found_over_models_and_weights() {
    let mut search = front(10);
    run(&mut search, 6000, zdt1);
    let members = search.members();
    assert!(members.iter().all(|it| it.dna.genes() == [0]));
    let points: Vec<&[f64]> = members.iter().map(|it| it.goals.values.as_slice()).collect();
    let found = hypervolume(&points, &[-1.1, -1.1]).unwrap();
    assert!(0.83 < found && found < 0.8767, "{found}");
    assert!(members.windows(2).all(|two| two[0].goals.values[0] > two[1].goals.values[0]));
}

/// x₀ ≥ ½ by a limit: the front is what keeps to it.
#[test]
fn limits_come_before_goals() {
    let mut search = front(4);
    let limited = |candidate: &Candidate| {
        let x = candidate.theta.to_vec();
        let violation = (0.5 - x[0]).max(0.0);
        zdt1(candidate).map(|found| Goals { violation, ..found })
    };
    run(&mut search, 3000, limited);
    let members = search.members();
    assert!(members.len() > 50 && members.iter().all(|it| it.goals.violation == 0.0));
    assert!(members.iter().all(|it| search.theta_of(it)[0] >= 0.5));
}

#[test]
fn whatever_is_told_the_state_stays_finite_and_of_bounded_size() {
    let mut search = front(3);
    let mut turn = 0_u32;
    for iteration in 0..40 {
        let n = search.population();
        let points = search.ask(n, &mut Seed(1).stream(Purpose::Ask, iteration, 0));
        let odd = [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN, -0.0, 1.0];
        let told: Vec<Option<Goals>> = points
            .iter()
            .map(|_| {
                turn += 1;
                let at = |k: u32| odd[(turn.wrapping_mul(k) % 6) as usize];
                (!turn.is_multiple_of(5)).then(|| goals(&[at(1), at(7)], f64::from(turn % 3)))
            })
            .collect();
        search.tell(&told);
        search.tell(&told);
        assert!(search.statistics()[0].1 <= 100.0);
        assert!(search.statistics().iter().all(|(_, x)| x.is_finite()));
        let all = points.iter().flat_map(|it| it.theta.to_vec());
        assert!(all.clone().all(|x| (0.0..=1.0).contains(&x)), "{:?}", all.collect::<Vec<_>>());
    }
    search.ask(5, &mut Seed(1).stream(Purpose::Ask, 99, 0));
    search.tell(&[]);
}

#[test]
fn a_state_goes_on_from_its_bytes() {
    let (mut straight, mut resumed) = (front(3), front(3));
    for _ in 0..4 {
        run(&mut straight, 130, zdt1);
        run(&mut resumed, 130, zdt1);
        resumed = postcard::from_bytes(&postcard::to_allocvec(&resumed).unwrap()).unwrap();
    }
    assert_eq!(straight, resumed);
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let refused = |config: FrontConfig| {
        let space = Arc::new(Space::bool());
        Front::new(config, space, vec![], None).unwrap_err().to_string()
    };
    let usual = FrontConfig::default();
    assert_eq!(
        refused(FrontConfig { population: 3, ..usual }),
        "population must be at least 4, got 3"
    );
    assert_eq!(
        refused(FrontConfig { children: Some(0), ..usual }),
        "children must be at least 1, got 0"
    );
    assert_eq!(
        refused(FrontConfig { mutation: 1.5, ..usual }),
        "mutation must be from 0 to 1, got 1.5"
    );
}

/// The grid of points below 20, counted one by one.
fn counted(points: &[Vec<f64>]) -> f64 {
    let dim = points[0].len() as u32;
    let cells = (0..20_u32.pow(dim)).filter(|cell| {
        let at = |goal: u32| f64::from(cell / 20_u32.pow(goal) % 20) + 0.5;
        points.iter().any(|p| p.iter().zip(0..).all(|(x, goal)| at(goal) < *x))
    });
    cells.count() as f64
}

proptest! {
    #[test]
    fn volumes_are_what_counting_says(
        dim in 2..4_usize, all in proptest::collection::vec(0..20_u32, 3..30),
    ) {
        let points: Vec<Vec<f64>> = all
            .chunks_exact(dim)
            .map(|p| p.iter().map(|x| f64::from(*x)).collect())
            .collect();
        let views: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
        let found = hypervolume(&views, &vec![0.0; dim]).unwrap();
        prop_assert!((found - counted(&points)).abs() < 1e-9);
    }

    /// Against the definition, one by one.
    #[test]
    fn a_front_is_what_nobody_dominates(
        all in proptest::collection::vec((0..6_u32, 0..6_u32, 0..4_u32), 1..60),
    ) {
        let of = |(a, b, v): &(u32, u32, u32)| {
            goals(&[f64::from(*a), f64::from(*b)], f64::from(v / 2))
        };
        let all: Vec<Goals> = all.iter().map(of).collect();
        let mut search = front(2);
        search.ask(all.len(), &mut Seed(1).stream(Purpose::Ask, 0, 0));
        search.tell(&all.iter().cloned().map(Some).collect::<Vec<_>>());
        let least = all.iter().map(|it| it.violation).fold(f64::INFINITY, f64::min);
        let better = |one: &Goals, two: &Goals| {
            let pairs = || one.values.iter().zip(&two.values);
            pairs().all(|(a, b)| a >= b) && pairs().any(|(a, b)| a > b)
        };
        let kept: Vec<&Goals> = all.iter().filter(|it| it.violation == least).collect();
        let first = kept.iter().filter(|it| {
            least > 0.0 || !kept.iter().any(|other| better(other, it))
        });
        let sorted = |mut them: Vec<Vec<f64>>| {
            them.sort_by(|a, b| a.partial_cmp(b).unwrap());
            them
        };
        let expected = sorted(first.map(|it| it.values.clone()).collect());
        let members = search.members();
        let found = sorted(members.iter().map(|it| it.goals.values.clone()).collect());
        prop_assert_eq!(found, expected);
    }
}
