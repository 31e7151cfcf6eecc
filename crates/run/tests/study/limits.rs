//! Limits on what evaluations measure: what is best, what is refused, and what a failure says.

use std::collections::BTreeMap;
use std::path::Path;

use esenas::Space;
use esenas_run::spec::{CallableProblem, ProblemConfig};
use esenas_run::{Evaluation, Failure, FailureKind, InProcess, Objective, Outcome, Point, Spec};
use esenas_run::{Report, StoredFront, Study, StudyError};
use esenas_store::Reader;

use crate::{digest, one, parse, run};

/// Answers as it is told to.
struct Says<F>(F);

impl<F: Fn(&[f64]) -> Outcome + Send + Sync> Objective for Says<F> {
    fn evaluate(&self, point: &Point<'_>) -> Outcome {
        (self.0)(point.theta)
    }
}

fn numbers(of: &[(&str, f64)]) -> BTreeMap<String, f64> {
    of.iter().map(|(name, x)| ((*name).to_owned(), *x)).collect()
}

/// Three numbers in [0, 1], of a function of ours.
fn spec(sections: &str) -> Spec {
    let text = format!(
        "seed = 3\n{sections}\n[stop]\nevaluations = 600\n[problem]\nkind = \"callable\"\n\
         dimension = 3\nspace = {{}}\nbounds = [0.0, 1.0]"
    );
    parse(&text)
}

fn study(
    sections: &str,
    directory: &Path,
    says: impl Fn(&[f64]) -> Outcome + Send + Sync,
) -> Report {
    let study = Study::with(spec(sections), InProcess::new(Says(says), one())).unwrap();
    run(study.create(directory, Default::default()).unwrap(), 100_000).unwrap()
}

/// Σ x is best where the limit begins: Σ x² ≤ 0.75, so x = ½ each.
fn sphere(x: &[f64]) -> Outcome {
    let square = x.iter().map(|x| x * x).sum();
    let constraints = numbers(&[("square", square)]);
    Ok(Evaluation { constraints, ..Evaluation::new(x.iter().sum()) })
}

/// Red when the best is the largest value whatever the limits say, or the search does not know.
#[test]
fn the_best_is_the_best_that_keeps_to_all_limits() {
    let directory = tempfile::tempdir().unwrap();
    let limit = "constraints = { square = { at_most = 0.75 } }";
    let report = study(limit, directory.path(), sphere);
    let best = report.best.unwrap();
    assert!(best.theta.iter().map(|x| x * x).sum::<f64>() <= 0.75);
    assert!(best.record.violation.is_none() && best.record.value > 1.4999, "{:?}", best.record);

    let reader = Reader::open(directory.path()).unwrap();
    let (mut feasible, mut last) = (0.0, f64::NEG_INFINITY);
    for record in reader.iterations(0).map(Result::unwrap) {
        feasible += record.statistics["feasible"];
        assert_eq!(record.statistics["total_feasible"], feasible);
        let best = record.best.unwrap_or(f64::NEG_INFINITY);
        assert!(last <= best, "{best} after {last}");
        last = best;
    }
    let evaluations = reader.evaluations(0).flat_map(|page| page.unwrap().1);
    let kept = evaluations.filter(|it| match &it.outcome {
        esenas_store::Outcome::Done { metrics, .. } => metrics.as_ref().unwrap()["square"] <= 0.75,
        esenas_store::Outcome::Failed { .. } => false,
    });
    assert_eq!(kept.count() as f64, feasible);
    assert!(0.0 < feasible && feasible < report.evaluations as f64);
}

/// While nothing keeps to the limits, the best is what exceeds them least, and no record shows it.
#[test]
fn where_nothing_is_feasible_the_best_exceeds_limits_least() {
    let directory = tempfile::tempdir().unwrap();
    let limit = "constraints = { square = { at_most = -1.0 } }";
    let report = study(limit, directory.path(), sphere);
    let best = report.best.unwrap().record;
    assert!(best.violation.unwrap() > 0.0 && best.value < 0.01, "{best:?}");
    let reader = Reader::open(directory.path()).unwrap();
    assert!(reader.iterations(0).all(|record| record.unwrap().best.is_none()));
    assert_eq!(reader.best().unwrap().unwrap().record, best);
}

#[test]
fn what_was_not_declared_or_not_answered_is_never_believed() {
    let of = |x: &[f64]| match (8.0 * x[0]) as u32 {
        0 => Ok(Evaluation::new(9.0)),
        1 => {
            let constraints = numbers(&[("square", 0.1), ("mass", 2.0)]);
            Ok(Evaluation { constraints, ..Evaluation::new(9.0) })
        }
        2 => {
            let constraints = numbers(&[("square", f64::NAN)]);
            Ok(Evaluation { constraints, ..Evaluation::new(9.0) })
        }
        _ => sphere(x),
    };
    let directory = tempfile::tempdir().unwrap();
    let sections = "failures = { share = 1.0 }\nconstraints = { square = { at_most = 0.75 } }\n\
                    weights = { kind = \"es\" }\ncontroller = { kind = \"random\" }";
    let report = study(sections, directory.path(), of);
    assert!(report.best.unwrap().record.value < 2.0);
    let reader = Reader::open(directory.path()).unwrap();
    let mut reasons: Vec<_> = reader.failures(9).unwrap().into_iter().map(|it| it.reason).collect();
    reasons.sort();
    let expected = [
        "malformed answer: the answer has a constraint \"mass\" that the study does not declare: \
         [constraints] has square",
        "malformed answer: the answer lacks the constraint \"square\"",
        "not finite: the constraint \"square\" is NaN",
    ];
    assert_eq!(reasons, expected);
}

/// x₀ < ½ cannot be evaluated, and the best value is at its border.
fn half(x: &[f64]) -> Outcome {
    if x[0] < 0.5 {
        return Err(Failure::new(FailureKind::Failed, "no mesh"));
    }
    Ok(Evaluation::new(-x.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>() - x[0]))
}

/// Red when announced failures stop a study, or teach nothing: then the gap is 100 times as large.
#[test]
fn failures_that_were_announced_say_where_not_to_go() {
    let directory = tempfile::tempdir().unwrap();
    let report = study("failures = { infeasible = true }", directory.path(), half);
    assert!(report.failures > 100, "{}", report.failures);
    let best = report.best.unwrap().record.value;
    assert!(-0.5 - best < 1e-4, "{best}");

    let all = Study::with(
        spec("failures = { infeasible = true }"),
        InProcess::new(Says(|_: &[f64]| Err(Failure::new(FailureKind::Failed, "broken"))), one()),
    );
    let error = run(all.unwrap(), 100_000).unwrap_err().to_string();
    assert!(error.contains("all") && error.contains("× failed: broken"), "{error}");
}

/// A worker that is lost says nothing of its candidate.
#[test]
fn only_the_objectives_own_failures_are_announced() {
    let lost = |x: &[f64]| match x[0] < 0.5 {
        true => Err(Failure::new(FailureKind::WorkerLost, "gone")),
        false => half(x),
    };
    let spec = spec("failures = { infeasible = true, share = 0.1 }");
    let study = Study::with(spec, InProcess::new(Says(lost), one())).unwrap();
    let error = run(study, 100_000).unwrap_err().to_string();
    assert!(error.contains("× worker lost: gone"), "{error}");
}

/// The paper's form of a cost that is measured: f · (cost/target)^−1, here of both halves.
#[test]
fn a_measured_cost_counts_against_the_value() {
    let priced = |x: &[f64]| {
        let value = 1.0 + x.iter().sum::<f64>();
        Ok(Evaluation { cost: Some(x[0]), ..Evaluation::new(value) })
    };
    let directory = tempfile::tempdir().unwrap();
    let sections = "constraint = { cost = \"measured\", target = 0.25, exponent = -9.0 }\n\
                    weights = { kind = \"cma-es\", sigma = 0.3 }\ncontroller = { kind = \"random\" }";
    study(sections, directory.path(), priced);
    let nobody = |_: &Spec| Ok::<_, StudyError>(None);
    let kept = Study::open_with(directory.path(), Default::default(), nobody).unwrap();
    let centre = kept.centre().unwrap();
    assert!((centre[0] - 0.25).abs() < 0.02 && centre[1] > 0.9, "{centre:?}");

    let free = Study::with(spec(sections), InProcess::new(Says(sphere), one())).unwrap();
    let error = run(free, 100_000).unwrap_err().to_string();
    assert!(error.contains("the answer has a constraint \"square\""), "{error}");
}

#[test]
fn limits_survive_an_interruption() {
    let limit = "constraints = { square = { at_most = 0.75 } }";
    let whole = tempfile::tempdir().unwrap();
    study(limit, whole.path(), sphere);
    let parts = tempfile::tempdir().unwrap();
    loop {
        let study = Study::with(spec(limit), InProcess::new(Says(sphere), one())).unwrap();
        let study = study.open_or_create(parts.path(), Default::default()).unwrap();
        if run(study, 7).unwrap().end.is_final() {
            break;
        }
    }
    assert_eq!(digest(parts.path()), digest(whole.path()));
}

#[test]
fn limits_that_cannot_be_are_refused_by_their_key() {
    let refused = |sections: &str| {
        let text = format!(
            "{sections}\n[stop]\niterations = 1\n[problem]\nkind = \"synthetic\"\ndimension = 3"
        );
        Spec::parse("test", &text, Path::new(""), &[]).unwrap_err().to_string()
    };
    for (sections, said) in [
        ("constraints = { a = {} }", "constraints.a` = {}: must have at_most or at_least"),
        ("constraints = { a = { at_most = \"x\" } }", "`constraints.a.at_most` = \"x\": must be a"),
        ("constraints = { a = { at_mots = 1 } }", "did you mean `at_most`"),
        ("constraints = { a = 5 }", "`constraints.a` = 5: must be a table"),
        (
            "constraints = { a = { at_most = 1.0, at_least = 2.0 } }",
            "`constraints.a.at_most` = 1.0: must be 2, at_least, or more",
        ),
        (
            "baseline = \"additive\"\nconstraints = { a = { at_most = 1.0 } }",
            "cannot be \"additive\" beside [constraints]",
        ),
        (
            "controller = { kind = \"policy-gradient\" }\nfailures = { infeasible = true }",
            "cannot be a policy gradient beside failures.infeasible",
        ),
    ] {
        let error = refused(sections);
        assert!(error.contains(said), "{error}");
    }
}

/// Red when what is told by parts, in any order, is another study than what is told whole.
#[test]
fn told_by_parts_is_told() {
    let spec = || {
        let space = Space::list([Space::bool(), Space::bool()]).unwrap();
        Spec::new(ProblemConfig::Callable(CallableProblem::new(space, 3)), 4)
    };
    let value = |asked: &esenas_run::Asked, job: usize| {
        let sum: f64 = asked.job(job).1.theta.to_vec().iter().sum();
        Ok(Evaluation::new(sum.sin()))
    };
    let mut observe = |_: &esenas_run::IterationReport<'_>| esenas_run::Control::Continue;
    let mut ends = Vec::new();
    for parts in [false, true] {
        let mut running = Study::ask_tell(spec()).unwrap().start();
        assert!(running.tell(vec![Ok(Evaluation::new(1.0))], &mut observe).is_err());
        for iteration in 0..4 {
            let asked = running.ask();
            let n = asked.len();
            if !parts {
                let outcomes = (0..n).map(|job| value(&asked, job)).collect();
                running.tell(outcomes, &mut observe).unwrap();
                continue;
            }
            let (_, first, count) = running.give(5);
            assert_eq!((first, count), (0, 5));
            assert_eq!(running.give(n).1, 5);
            for job in (0..n).rev() {
                assert_eq!(running.untold(), Some(job + 1));
                let told = vec![(job, value(&asked, job))];
                let again = told.clone();
                let done = running.tell_some(iteration, told, &mut observe).unwrap();
                assert_eq!(done.is_some(), job == 0);
                assert!(running.tell_some(iteration, again, &mut observe).is_err());
            }
        }
        let best = running.study().best().unwrap().clone();
        ends.push((best, running.study().centre()));
    }
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn what_is_given_up_was_not_evaluated() {
    let mut observe = |_: &esenas_run::IterationReport<'_>| esenas_run::Control::Continue;
    let mut spec = spec("failures = { share = 1.0 }");
    spec.failures.share = 1.0;
    let mut running = Study::ask_tell(spec).unwrap().start();
    assert_eq!(running.give_up(&mut observe).unwrap(), None);
    let asked = running.ask();
    running.tell_some(0, vec![(1, Ok(Evaluation::new(3.0)))], &mut observe).unwrap();
    let stranger = running.tell_some(1, vec![(0, Ok(Evaluation::new(9.0)))], &mut observe);
    let said = stranger.unwrap_err().to_string();
    assert!(said.starts_with("candidate 0 of iteration 1 cannot be told"), "{said}");
    running.give_up(&mut observe).unwrap();
    assert_eq!(running.study().iterations(), 1);
    assert_eq!(running.study().best().unwrap().record.value, 3.0);
    assert_eq!(running.study().evaluations(), asked.len() as u64);
}

/// Two goals of three numbers: x₀ up, and down what the others cost; best at x₁ = x₂ = 0.
fn trade(x: &[f64]) -> Outcome {
    let others = vec![x[0] * x[0] + x[1] + x[2]];
    Ok(Evaluation { others, ..Evaluation::new(x[0]) })
}

/// Red when a minus sign is lost, or a front is not what it was before an interruption.
#[test]
fn a_front_of_two_goals_is_found_kept_and_gone_on_with() {
    let goals = "objectives = [\"speed\", \"-mass\"]\nfront = { population = 20 }";
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    study(goals, whole.path(), trade);
    loop {
        let study = Study::with(spec(goals), InProcess::new(Says(trade), one())).unwrap();
        let study = study.open_or_create(parts.path(), Default::default()).unwrap();
        if run(study, 5).unwrap().end.is_final() {
            break;
        }
    }
    assert_eq!(digest(parts.path()), digest(whole.path()));

    let found = StoredFront::load(whole.path()).unwrap().designs.unwrap();
    assert!(found.len() == 20, "{}", found.len());
    for design in &found {
        let x = &design.theta;
        let mass = x[0] * x[0] + x[1] + x[2];
        assert_eq!(design.values, [x[0], mass]);
        assert!(x[1] + x[2] < 0.05, "{x:?}");
    }
    assert!(found.windows(2).all(|two| two[0].values[1] > two[1].values[1]));
    let reader = Reader::open(whole.path()).unwrap();
    let volumes: Vec<f64> =
        reader.iterations(0).map(|it| it.unwrap().statistics["hypervolume"]).collect();
    let last = volumes[volumes.len() - 1];
    assert!(volumes[0] < 0.95 * last && volumes.iter().all(|it| *it < 1.001 * last), "{volumes:?}");
    let best = reader.best().unwrap().unwrap();
    assert_eq!(best.record.value, best.theta[0]);
    let evaluations = reader.evaluations(0).next().unwrap().unwrap().1;
    let esenas_store::Outcome::Done { value, metrics, .. } = &evaluations[0].outcome else {
        panic!("{evaluations:?}")
    };
    let metrics = metrics.as_ref().unwrap();
    assert!(metrics["speed"] == *value && metrics["mass"] > 0.0);
}

#[test]
fn goals_that_do_not_fit_are_refused() {
    let goals = "objectives = [\"speed\", \"-mass\"]\nfailures = { share = 1.0 }";
    let odd = |x: &[f64]| match (4.0 * x[0]) as u32 {
        0 => Ok(Evaluation::new(9.0)),
        1 => Ok(Evaluation { others: vec![1.0, 2.0], ..Evaluation::new(9.0) }),
        2 => Ok(Evaluation { others: vec![f64::NAN], ..Evaluation::new(9.0) }),
        _ => trade(x),
    };
    let directory = tempfile::tempdir().unwrap();
    let report = study(goals, directory.path(), odd);
    assert!(report.best.unwrap().record.value <= 1.0);
    let mut reasons: Vec<_> = Reader::open(directory.path()).unwrap().failures(9).unwrap();
    reasons.sort_by(|one, two| one.reason.cmp(&two.reason));
    let reasons: Vec<&str> = reasons.iter().map(|it| it.reason.as_str()).collect();
    let said = "malformed answer: the answer has 1 values, not 2: the objectives are speed, -mass \
                (and 1 alike but for numbers)";
    assert_eq!(reasons, [said, "not finite: the value of an objective is NaN"]);

    let refused = |sections: &str| {
        let text = format!(
            "{sections}\n[stop]\niterations = 1\n[problem]\nkind = \"callable\"\n\
             dimension = 3\nspace = {{}}"
        );
        Spec::parse("test", &text, Path::new(""), &[]).unwrap_err().to_string()
    };
    for (sections, said) in [
        ("objectives = [\"a\"]", "must be from 2 to 4 names, got 1"),
        ("objectives = [\"a\", \"-a\"]", "must differ, and \"a\" is there twice"),
        ("objectives = [\"a\", \"\"]", "must be names"),
        ("objectives = [\"a\", 5]", "`objectives`"),
        ("front = {}", "is for several objectives"),
        ("objectives = [\"a\", \"b\"]\nweights = { kind = \"es\" }", "beside objectives"),
        ("objectives = [\"a\", \"b\"]\ndirection = \"minimize\"", "a minus before a name"),
        (
            "objectives = [\"a\", \"b\"]\nconstraints = { a = { at_most = 1.0 } }",
            "must not have the name of a limit",
        ),
    ] {
        let error = refused(sections);
        assert!(error.contains(said), "{error}");
    }
    let mut few = spec("objectives = [\"a\", \"b\"]");
    few.search =
        esenas::SearchConfig::Front(esenas::FrontConfig { population: 2, ..Default::default() });
    let error = few.plan().unwrap_err().to_string();
    assert!(error.contains("`front.population` = 2: must be at least 4"), "{error}");
    let bbob = "objectives = [\"a\", \"b\"]\n[stop]\niterations = 1\n[problem]\nkind = \"bbob\"";
    let error = Spec::parse("test", bbob, Path::new(""), &[]).unwrap_err().to_string();
    assert!(error.contains("need a problem of your own"), "{error}");
}
