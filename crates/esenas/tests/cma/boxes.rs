//! Points in a box.

use super::*;

#[test]
fn points_stay_in_the_box_and_find_an_optimum_on_its_boundary() {
    fn check<O: Subject>() {
        let target = [2.0, -3.0, 0.3, -0.2, 1.5, 0.0];
        let bounds = Bounds::new(vec![-1.0], vec![1.0], 6).unwrap();
        let mut o = O::start(vec![0.5; 6], 0.5, Some(bounds)).unwrap();
        for t in 0..1200 {
            for x in iterate(&mut o, t, |x| valley(x, &target)) {
                assert!(x.iter().all(|x| (-1.0..=1.0).contains(x)), "{} {x:?}", O::NAME);
            }
            assert!(o.centre().to_vec().iter().all(|x| (-1.0..=1.0).contains(x)));
        }
        for (x, t) in o.centre().to_vec().iter().zip(target) {
            assert!((x - t.clamp(-1.0, 1.0)).abs() < 1e-4, "{} {:?}", O::NAME, o.centre().to_vec());
        }
        assert_finite(&o);
    }
    for_each!(check());
}

#[test]
fn the_boundary_is_followed_where_the_best_step_runs_along_it() {
    // A narrow diagonal valley that leaves the box: the best point is where it does.
    let bounds = Bounds::new(vec![-1.0, -2.0], vec![1.0, 2.0], 2).unwrap();
    let mut o = CmaEs::start(vec![-0.5, 0.0], 0.3, Some(bounds)).unwrap();
    for t in 0..200 {
        iterate(&mut o, t, |x| -(x[0] - 2.0).powi(2) - 1000.0 * (x[1] - x[0]).powi(2));
    }
    assert!(o.centre().to_vec().iter().all(|x| (x - 1.0).abs() < 1e-6), "{o:?}");
}

/// Red when points that the box cut off count against their directions: then σ collapses on the
/// first sides that are met, anywhere in the box.
#[test]
fn clipped_steps_find_a_corner() {
    const DIM: usize = 12;
    let slope = |x: &[f64]| x.iter().zip(1..).map(|(x, j)| x * f64::from(j)).sum::<f64>();
    for seed in 0..5 {
        let bounds = Bounds::new(vec![-5.0], vec![5.0], DIM).unwrap();
        let config = CmaEsConfig { sigma: 2.0, boundary: Boundary::Clip, ..Default::default() };
        let mut o = CmaEs::new(config, vec![0.0; DIM], Some(bounds)).unwrap();
        for t in 0..400 {
            iterate(&mut o, 1000 * seed + t, slope);
        }
        let share = slope(&o.centre().to_vec()) / slope(&[5.0; DIM]);
        assert!(share > 0.97, "{seed}: {share}");
    }
}

#[test]
fn a_box_never_reached_changes_nothing() {
    fn check<O: Subject>() {
        let bounds = Bounds::new(vec![-1e6], vec![1e6], 4).unwrap();
        let mut free = O::start(vec![1.0; 4], 0.5, None).unwrap();
        let mut boxed = O::start(vec![1.0; 4], 0.5, Some(bounds)).unwrap();
        for t in 0..80 {
            let f = |x: &[f64]| valley(x, &[0.0; 4]);
            assert_eq!(iterate(&mut free, t, f), iterate(&mut boxed, t, f), "{}", O::NAME);
        }
    }
    for_each!(check());
}
