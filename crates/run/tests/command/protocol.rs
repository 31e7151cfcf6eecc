//! What goes to a program and comes back.

use std::path::Path;

use esenas_run::command::Request;
use esenas_run::{Executor, Failure, FailureKind, Outcome};

use crate::program::*;

#[test]
fn outcomes_are_the_same_for_any_number_of_workers() {
    let expected: Vec<Outcome> = (0..40).map(value).collect();
    for workers in [1, 2, 8] {
        let program = looping(ANSWER).workers(workers);
        let mut pool = program.pool();
        for _ in 0..3 {
            assert_eq!(pool.evaluate(40, &candidate).unwrap(), expected, "{workers} workers");
        }
        assert_eq!(pool.evaluate(0, &candidate).unwrap(), []);
    }
}

#[test]
fn scores_metrics_and_errors_come_through() {
    let program = looping(
        r#"case $n in
             0) echo "{\"id\":$id,\"value\":0.1,\"score\":7,\"metrics\":{\"steps\":3,\"bad\":NaN}}";;
             *) echo x >> asked; echo "{\"id\":$id,\"error\":\"no such layer\"}";;
           esac"#,
    );
    let answers = program.run(2);
    let full = answers[0].clone().unwrap();
    assert_eq!((full.value, full.score, full.metrics["steps"]), (0.1, Some(7.0), 3.0));
    assert_eq!(full.metrics.len(), 1);
    assert_eq!(answers[1], Err(Failure::new(FailureKind::Failed, "no such layer")));
    assert_eq!(program.lines("asked").len(), 1, "what the objective says is not asked again");
}

#[test]
fn a_long_theta_lies_in_a_file_for_as_long_as_it_is_needed() {
    // The value is the third double of the file, plus its number of bytes.
    let body = r#"f=${line#*\"theta_file\":\"}; f=${f%%\"*}; echo "$f" >> seen
        third=$(od -A n -t fD -j 16 -N 8 "$f"); size=$(wc -c < "$f")
        case $line in *'"theta":'*) third=inline;; esac
        echo "{\"id\":$id,\"value\":$third,\"metrics\":{\"size\":$size}}""#;
    let mut program = looping(body);
    program.config.inline = 3;
    let long = |index: usize| {
        let theta = vec![0.0, 1.0, index as f64 + 0.1, -1.0];
        Request { theta, ..candidate(index) }
    };
    let mut pool = program.pool();
    let outcomes = pool.evaluate(10, &long).unwrap();
    for (index, outcome) in outcomes.iter().enumerate() {
        let evaluation = outcome.as_ref().unwrap();
        assert_eq!((evaluation.value, evaluation.metrics["size"]), (index as f64 + 0.1, 32.0));
    }
    let seen = program.lines("seen");
    assert_eq!(seen.len(), 10);
    assert!(seen.iter().all(|path| !Path::new(path).exists()), "removed once answered");
    let directory = Path::new(&seen[0]).parent().unwrap().to_owned();
    assert!(directory.exists());
    drop(pool);
    assert!(!directory.exists(), "removed with the pool");
}

#[test]
fn a_theta_that_is_not_finite_is_not_sent() {
    let program = looping(ANSWER);
    let mut pool = program.pool();
    let theta = |index| vec![0.0, if index == 2 { f64::INFINITY } else { 1.0 }];
    let job = |index| Request { theta: theta(index), ..candidate(index) };
    let failure = only_failure(&pool.evaluate(5, &job).unwrap());
    assert_eq!(failure, Failure::new(FailureKind::NonFinite, "theta[1] is inf: not sent"));
}
