//! When a study ends, and what it cannot begin with.

use std::sync::atomic::AtomicBool;

use esenas_run::spec::{Direction, StopConfig};
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

/// Red when a minus sign is forgotten, or is at two places: what is recorded, and the best, are as
/// they were given, and all else is as if the negated values had been maximized.
#[test]
fn minimizing_is_maximizing_what_is_negated() {
    let cost = |point: &Point<'_>| {
        let theta = point.theta.iter().map(|x| (x - 0.3).powi(2)).sum::<f64>();
        theta + f64::from(point.model.dna.genes().iter().sum::<u32>())
    };
    let run = |direction, sign: f64, target| {
        let stop = StopConfig { target, ..StopConfig::iterations(20) };
        let spec = Spec { direction, stop, ..callable(20) };
        let mut seen = Vec::new();
        let study = Study::new(spec, move |point: &Point<'_>| sign * cost(point)).unwrap();
        let report = study.run(&RUNNING, |report| {
            let values = report.record.values.unwrap();
            seen.push((values.min, values.mean, values.max, report.record.best.unwrap()));
            Control::Continue
        });
        (report.unwrap(), seen)
    };
    let (given, values) = run(Direction::Minimize, 1.0, None);
    let (negated, others) = run(Direction::Maximize, -1.0, None);
    let (best, other) = (given.best.unwrap(), negated.best.unwrap());
    assert_eq!((&best.theta, &best.record.dna), (&other.theta, &other.record.dna));
    assert_eq!(best.record.value, -other.record.value);
    let negate = |(min, mean, max, best): (f64, f64, f64, f64)| (-max, -mean, -min, -best);
    assert_eq!(values, others.into_iter().map(negate).collect::<Vec<_>>());
    assert!(values.last().unwrap().3 < values[0].3, "it went down");
    let (ended, _) = run(Direction::Minimize, 1.0, Some(best.record.value));
    assert_eq!(ended.end, End::Target);
    let built_in = Spec { direction: Direction::Minimize, ..tiny() };
    let refused = built_in.plan().unwrap_err().to_string();
    assert!(refused.contains("`direction` = \"minimize\": must be \"maximize\""), "{refused}");
}
