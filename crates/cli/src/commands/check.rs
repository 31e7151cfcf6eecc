//! `check`: what a study amounts to, without running it.

use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::{Result, anyhow};
use esenas_run::{Attempt, Evaluation, Plan, Spec};
use serde_json::json;

use crate::Console;
use crate::args::Check;
use crate::draw::{counted, models};

pub(super) fn check(args: &Check, console: &mut Console<'_>) -> Result<()> {
    let plan = Spec::load(&args.study, &args.set)?.plan()?;
    let (spec, overview) = (plan.spec(), plan.overview());
    let models = models(overview.size);
    let decisions = counted(overview.decisions.into(), "possible decision");
    let weights = counted(overview.dimension as u64, "weight");
    let evaluations = counted(overview.evaluations as u64, "evaluation");
    let centre = overview.centre;
    // As comments, so that what is printed is a study file again.
    writeln!(console.out, "# {} can run", args.study.display())?;
    writeln!(console.out, "# |M|  {models}, of {decisions}")?;
    writeln!(console.out, "# d    {weights}")?;
    writeln!(console.out, "# n    {evaluations} per iteration, {centre} of the centre")?;
    if overview.is_rescaled {
        let share = "of each interval, or of the scale of weights: all sides are searched as 1";
        writeln!(console.out, "# σ    a share {share}")?;
    }
    if let Some(reason) = &spec.choice {
        writeln!(console.out, "# auto {reason}")?;
    }
    let attempt = args.attempt.then(|| attempt(&plan, console)).transpose()?;
    write!(console.out, "\n{}", spec.to_toml())?;
    match attempt {
        Some(Attempt { outcome: Err(failure), elapsed, .. }) => {
            Err(anyhow!("the candidate was not evaluated, after {}: {failure}", took(elapsed)))
        }
        _ => Ok(()),
    }
}

/// Evaluates one candidate, and says what came back.
fn attempt(plan: &Plan, console: &mut Console<'_>) -> Result<Attempt> {
    let mut evaluator = plan.spec().evaluator(Some(NonZeroUsize::MIN))?;
    let done = plan.attempt(&mut evaluator)?;
    writeln!(console.out, "# try  {}", done.design)?;
    let time = took(done.elapsed);
    match &done.outcome {
        Ok(evaluation) => writeln!(console.out, "#      {}  in {time}", answered(evaluation))?,
        Err(failure) => writeln!(console.out, "#      {}  in {time}", first_line(failure))?,
    }
    Ok(done)
}

fn first_line(failure: &impl ToString) -> String {
    failure.to_string().lines().next().unwrap_or_default().to_owned()
}

/// What an evaluation said, as an answer is written.
fn answered(evaluation: &Evaluation) -> String {
    let Evaluation { value, score, metrics, constraints, cost, .. } = evaluation;
    let mut said = json!({ "value": value });
    let numbers = [("score", *score), ("cost", *cost)];
    for (name, x) in numbers.into_iter().filter_map(|(name, x)| Some((name, x?))) {
        said[name] = json!(x);
    }
    for (name, of) in [("constraints", constraints), ("metrics", metrics)] {
        if !of.is_empty() {
            said[name] = json!(of);
        }
    }
    said.to_string()
}

fn took(elapsed: Duration) -> String {
    format!("{:.3} s", elapsed.as_secs_f64())
}
