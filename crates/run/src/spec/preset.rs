//! `preset`: what is searched with where the study does not say.
//!
//! `"paper"` leaves it to the paper: Algorithm 1 with its settings for the kind of problem.
//! `"auto"` chooses by the rules of [`esenas::auto`]. A resolved study names what was chosen, has
//! no preset, and says in `[auto]` which sections the rules chose: so nothing is chosen twice.

use esenas::auto::{Choice, Facts, policy};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check::LARGEST_POPULATION;
use super::fault::Fault;
use super::{ProblemConfig, Spec, StopConfig};

/// Who says what the study does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Preset {
    /// The rules.
    Auto,
    /// The paper.
    Paper,
}

/// What `auto` cannot see of a problem, and what it chose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutoConfig {
    /// Whether a point evaluated again may have another value.
    pub noise: bool,
    /// How many evaluations an iteration should have, at least.
    pub batch: Option<u32>,
    /// The sections that the rules chose; none while they have not been asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chose: Vec<Section>,
}

/// A section that the rules choose where the study leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    /// `[weights]`
    Weights,
    /// `[controller]`
    Controller,
    /// `[centre]`
    Centre,
    /// `pairing`
    Pairing,
    /// `[next]`
    Next,
}

impl AutoConfig {
    /// Whether there is nothing to write down.
    pub(super) fn chose_nothing(&self) -> bool {
        self.chose.is_empty()
    }
}

/// What `auto` makes of a study.
pub(super) fn choose(
    problem: &ProblemConfig,
    stop: &StopConfig,
    told: &AutoConfig,
    may_alternate: bool,
) -> Option<Choice> {
    let kind = problem.kind();
    // What cannot run is refused by whoever builds it.
    kind.check().ok()?;
    let layout = kind.layout().ok()?;
    let batch = told.batch.map(|batch| batch as usize);
    // The values of policies are known to be noisy.
    if kind.is_policy() {
        let choice = policy(layout.dim());
        return Some(match batch {
            Some(batch) => choice.in_batches(batch),
            None => choice,
        });
    }
    let facts = Facts { noise: told.noise, batch, ..Facts::of(&layout, stop.evaluations) };
    Some(match layout.bounds() {
        Some(_) if layout.dim() == 0 => facts.choose_without_box(),
        Some(_) if may_alternate => facts.choose(),
        Some(_) => facts.choose_for_others(),
        None => facts.choose_without_box(),
    })
}

/// Refuses batches that cannot be.
pub(super) fn check_batch(document: &Value) -> Result<(), Fault> {
    let batch = document.pointer("/auto/batch").and_then(Value::as_u64);
    match batch.is_some_and(|batch| !(1..=LARGEST_POPULATION as u64).contains(&batch)) {
        true => Err(Fault::new("auto.batch", format!("must be from 1 to {LARGEST_POPULATION}"))),
        false => Ok(()),
    }
}

/// Refuses to be told what makes no difference.
pub(super) fn check_told(document: &Value, spec: &Spec) -> Result<(), Fault> {
    let Some(told) = document.get("auto") else { return Ok(()) };
    let chose = &spec.auto.chose;
    if chose.is_empty() {
        let help = "leave out what says how to search, or ask for the rest with preset = \"auto\"";
        let what = "tells the rules of `auto`, which choose nothing here";
        return Err(Fault::new("auto", what).help(help));
    }
    if !chose.contains(&Section::Weights) && told.get("batch").is_some_and(|it| !it.is_null()) {
        let help = "leave out one of the two: the population of [weights] says how many \
                    evaluations there are";
        return Err(Fault::new("auto.batch", "has no effect beside [weights]").help(help));
    }
    Ok(())
}
