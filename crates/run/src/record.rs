//! From an iteration to what is written down about it.

use esenas::{Purpose, Role, Search, Seed, Statistics};
use esenas_store as store;
use esenas_store::{Belief, Centre, EvaluationRecord, IterationRecord, Named, Summary};

use crate::asked::{Asked, Told};
use crate::spec::RecordConfig;
use crate::{Evaluation, Outcome};

/// The summary of the outcomes of candidates of these `roles`; totals and the best are the driver's
/// to fill in.
pub(crate) fn summary(
    iteration: u32,
    roles: &[Role],
    outcomes: &[Outcome],
    statistics: Statistics,
) -> IterationRecord {
    let done = || outcomes.iter().flatten();
    let values: Vec<f64> = done().map(|evaluation| evaluation.value).collect();
    let centre: Vec<f64> = roles
        .iter()
        .zip(outcomes)
        .filter(|(role, _)| **role == Role::Centre)
        .filter_map(|(_, outcome)| outcome.as_ref().ok())
        .map(|evaluation| evaluation.score.unwrap_or(evaluation.value))
        .collect();
    IterationRecord {
        iteration: iteration.into(),
        evaluations: outcomes.len() as u64,
        failures: (outcomes.len() - values.len()) as u64,
        values: summarize(&values),
        centre: summarize(&centre).map(|Summary { mean, std, .. }| Centre { mean, std }),
        statistics: statistics.into_iter().map(|(name, x)| (name.to_owned(), x)).collect(),
        ..IterationRecord::default()
    }
}

fn summarize(values: &[f64]) -> Option<Summary> {
    let (first, n) = (*values.first()?, values.len() as f64);
    // Divided before they are added: sums of huge values overflow.
    let mean = values.iter().map(|v| v / n).sum::<f64>();
    let variance = values.iter().map(|v| (v - mean) * (v - mean) / n).sum::<f64>();
    Some(Summary {
        min: values.iter().copied().fold(first, f64::min),
        mean,
        max: values.iter().copied().fold(first, f64::max),
        std: variance.sqrt(),
    })
}

/// How many models are drawn to estimate marginals that have no closed form.
const LOOKED_AT: usize = 128;

/// What the search holds likely now, in the iterations whose evaluations are all written down.
pub(crate) fn belief(
    config: RecordConfig,
    iteration: u32,
    search: &Search,
    seed: Seed,
) -> Option<Belief> {
    if !is_recorded(config, iteration) {
        return None;
    }
    let likeliest = search.likeliest()?.to_bytes();
    let marginals = search.marginals(LOOKED_AT, &mut seed.stream(Purpose::Look, iteration, 0));
    Some(Belief {
        likeliest,
        exact: marginals.as_ref().is_some_and(|found| found.is_exact()),
        marginals: marginals.map(|found| found.numbers()).unwrap_or_default(),
    })
}

fn is_recorded(config: RecordConfig, iteration: u32) -> bool {
    config.every != 0 && iteration.is_multiple_of(config.every)
}

/// The evaluations to be written down one by one, by their places.
pub(crate) fn evaluations(
    config: RecordConfig,
    asked: &Asked,
    told: Vec<Told<'_>>,
) -> Vec<EvaluationRecord> {
    let (all, layout) = (is_recorded(config, asked.iteration()), asked.layout());
    let kept = |it: &Told<'_>| {
        let role = it.candidate.role;
        all || it.outcome.is_err() || role == Role::Given || (config.centre && role == Role::Centre)
    };
    let record = |Told { index, candidate, outcome, .. }| EvaluationRecord {
        index: index as u64,
        role: match candidate.role {
            Role::Probe => store::Role::Probe,
            Role::Centre => store::Role::Centre,
            Role::Given => store::Role::Given,
        },
        dna: candidate.dna.to_bytes(),
        numbers: layout.real_numbers(&candidate.dna, &candidate.theta),
        outcome: stored(outcome),
    };
    let mut records: Vec<_> = told.into_iter().filter(kept).map(record).collect();
    records.sort_by_key(|record| record.index);
    records
}

fn stored(outcome: Outcome) -> store::Outcome {
    match outcome {
        Ok(evaluation) => store::Outcome::Done {
            value: evaluation.value,
            score: evaluation.score,
            metrics: Some(measured(evaluation)).filter(|metrics| !metrics.is_empty()),
        },
        Err(failure) => store::Outcome::Failed { reason: failure.to_string() },
    }
}

/// All that was measured beside the value: a limit's number is a metric like others.
fn measured(evaluation: Evaluation) -> Named {
    let Evaluation { mut metrics, constraints, cost, .. } = evaluation;
    metrics.extend(cost.map(|cost| ("cost".to_owned(), cost)));
    metrics.extend(constraints);
    metrics
}

/// The most frequent reasons of failure, one per line; those that differ in numbers alone as one.
pub(crate) fn reasons(outcomes: &[Outcome]) -> String {
    let mut groups = std::collections::BTreeMap::<String, (String, usize)>::new();
    for failure in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        let reason = failure.to_string();
        groups.entry(store::without_numbers(&reason)).or_insert((reason, 0)).1 += 1;
    }
    let mut counts: Vec<_> = groups.into_values().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let lines = counts.iter().take(3).map(|(reason, count)| format!("  {count} × {reason}"));
    lines.collect::<Vec<_>>().join("\n")
}
