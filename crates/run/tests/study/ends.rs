//! When a study ends, and what it cannot begin with.

use std::sync::atomic::AtomicBool;

use esenas_run::{Control, End, Point, Spec, Study};

use crate::{RUNNING, callable, tiny};

#[test]
fn every_condition_ends_a_study() {
    let ends = |change: fn(&mut Spec)| {
        let mut spec = callable(20);
        change(&mut spec);
        let objective = |point: &Point<'_>| -point.theta[0].abs().min(1.0);
        let report = Study::new(spec, objective).unwrap().run(&RUNNING, |_| Control::Continue);
        let report = report.unwrap();
        (report.end, report.iterations)
    };
    assert_eq!(ends(|_| {}), (End::Iterations, 20));
    assert_eq!(ends(|spec| spec.stop.evaluations = Some(137)), (End::Evaluations, 2));
    assert_eq!(ends(|spec| spec.stop.target = Some(-2.0)), (End::Target, 1));
    assert_eq!(
        ends(|spec| spec.stop.wall_time = Some(esenas_run::spec::Seconds(1e-9))).0,
        End::WallTime
    );
    let flat = |_: &Point<'_>| 1.0;
    let mut spec = callable(20);
    spec.stop.stagnation = Some(4);
    let report = Study::new(spec, flat).unwrap().run(&RUNNING, |_| Control::Continue).unwrap();
    assert_eq!((report.end, report.iterations), (End::Stagnation, 5));
    let stopped = AtomicBool::new(true);
    let report = Study::new(callable(20), flat).unwrap().run(&stopped, |_| Control::Continue);
    assert_eq!(report.unwrap().end, End::Interrupted);
}

#[test]
fn an_objective_must_be_given_where_it_is_missing_and_only_there() {
    let missing = Study::built_in(callable(1), None).err().unwrap();
    assert!(missing.to_string().contains("run it from there"));
    let extra = Study::new(tiny(), |_: &Point<'_>| 0.0).err().unwrap();
    assert!(extra.to_string().contains("brings its own objective"));
}
