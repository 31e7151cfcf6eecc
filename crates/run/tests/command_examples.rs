//! The programs in `examples/command` do what they say.

use std::num::NonZeroUsize;
use std::path::Path;

use esenas_run::command::{CommandConfig, CommandPool, Request};
use esenas_run::{Evaluation, Executor, FailureKind};
use serde_json::json;

/// Both θ in the line and θ in a file.
const LIMITS: [usize; 2] = [10_000, 0];

fn theta(index: usize) -> Vec<f64> {
    (0..5).map(|i| (index * 5 + i) as f64 * 0.37 - 1.25).collect()
}

fn candidate(index: usize) -> Request {
    let shape = ["sphere", "cone", "blob"][index % 3];
    Request { model: json!({ "shape": shape, "centre": -0.5 }), theta: theta(index), seed: 1 }
}

fn check(interpreter: &str, file: &str, scored: bool) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/command");
    for inline in LIMITS {
        let mut config = CommandConfig::new(vec![interpreter.to_owned(), file.to_owned()]);
        config.directory = Some(examples.clone());
        config.workers = NonZeroUsize::new(2).unwrap();
        config.inline = inline;
        let outcomes = CommandPool::start(config).unwrap().evaluate(9, &candidate).unwrap();
        for (index, outcome) in outcomes.into_iter().enumerate() {
            let cost = |x: f64| if index % 3 == 0 { x * x } else { x.abs() };
            let value = -theta(index).iter().map(|t| cost(t + 0.5)).sum::<f64>();
            match outcome {
                Ok(Evaluation { value: got, score, metrics, .. }) => {
                    assert!((got - value).abs() < 1e-12, "{index}: {got}, not {value}");
                    assert_eq!(score, scored.then_some(-got));
                    assert_eq!(metrics.contains_key("dimension"), scored);
                }
                Err(failure) => {
                    assert_eq!((index % 3, failure.kind), (2, FailureKind::Failed), "{failure}");
                    assert!(failure.reason.contains("blob"), "{failure}");
                }
            }
        }
    }
}

#[test]
fn the_python_example_evaluates() {
    check("python3", "objective.py", true);
}

#[test]
fn the_shell_example_evaluates() {
    check("sh", "objective.sh", false);
}
