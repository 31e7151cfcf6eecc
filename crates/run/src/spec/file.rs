//! The sections as they stand in a study file, and what they amount to.

use esenas::auto::Choice;
use esenas::controllers::ControllerConfig;
use esenas::joint::{Baseline as Subtracted, CentreModels};
use esenas::shaping::{Constraint, View};
use esenas::weights::WeightsConfig;
use esenas::{AlternatingConfig, HybridConfig, JointConfig, Pairing, SearchConfig};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::blame::lookup;
use super::fault::Fault;
use super::preset::{self, AutoConfig, Preset};
use super::settings::{CentreConfig, PairingConfig};
use super::{FailuresConfig, ProblemConfig, RecordConfig, Spec, StopConfig};

/// A study file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    stop: StopConfig,
    problem: ProblemConfig,
    /// Never written: a resolved study says everything itself.
    #[serde(default, skip_serializing)]
    preset: Option<Preset>,
    /// Likewise.
    #[serde(default, skip_serializing)]
    auto: AutoConfig,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<WeightsConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    controller: Option<ControllerConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    centre: Option<CentreConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pairing: Option<PairingConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline: Option<Subtracted>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subsample: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    constraint: Option<Constraint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hybrid: Option<Baseline>,
    #[serde(default)]
    record: RecordConfig,
    #[serde(default)]
    failures: FailuresConfig,
}

/// Evolution over models and weights together: what ES-ENAS is compared with (§3).
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Baseline {
    /// Evaluations per iteration: by default as many as ES asks for.
    population: usize,
    mutation_scale: f64,
    keep_model: f64,
    evolution: ControllerConfig,
}

impl Default for Baseline {
    fn default() -> Self {
        let HybridConfig { mutation_scale, keep_model } = HybridConfig::default();
        Self { population: 128, mutation_scale, keep_model, evolution: Default::default() }
    }
}

/// The sections that only ES-ENAS has.
const ES_ENAS: [&str; 7] =
    ["weights", "controller", "centre", "pairing", "baseline", "subsample", "constraint"];

/// Refuses sections that contradict each other.
pub(super) fn combinations(file: &Value) -> Result<(), Fault> {
    if file.get("pairing").is_some_and(|pairing| pairing == "held") {
        without_effect(file)?;
    }
    if file.get("hybrid").is_none() {
        return Ok(());
    }
    match ES_ENAS.into_iter().find(|key| file.get(*key).is_some()) {
        None => Ok(()),
        Some(key) => {
            let what = "cannot stand beside [hybrid], which evolves models and weights together";
            let help = "remove one of the two: either [hybrid], or [weights] and [controller]";
            Err(Fault::new(key, what).help(help))
        }
    }
}

/// Refuses what makes no difference where all probes have one model, and the centre is for others.
fn without_effect(file: &Value) -> Result<(), Fault> {
    for (key, only) in [
        ("baseline", Value::from("off")),
        ("centre.models", Value::from("drawn")),
        ("centre.teaches", Value::from(true)),
    ] {
        if lookup(file, key).is_some_and(|value| *value != only) {
            let what = format!("must be {only} with pairing \"held\", or left out");
            return Err(Fault::new(key, what));
        }
    }
    Ok(())
}

impl File {
    /// What `auto` chooses, if it is asked: by name, or by saying nothing of how to search.
    fn choose(&self) -> Option<Choice> {
        let silent = self.weights.is_none()
            && self.controller.is_none()
            && self.centre.is_none()
            && self.pairing.is_none()
            && self.baseline.is_none()
            && self.subsample.is_none()
            && self.constraint.is_none();
        let auto = self.preset.map_or(silent, |preset| preset == Preset::Auto);
        if !auto || self.hybrid.is_some() {
            return None;
        }
        preset::choose(&self.problem, &self.stop, self.auto, self.may_alternate())
    }

    /// Whether line-ES and sweeps by turns would go with what the study says itself.
    fn may_alternate(&self) -> bool {
        let weights = self.weights.as_ref().is_none_or(|it| matches!(it, WeightsConfig::LineEs(_)));
        let controller = self.controller.as_ref();
        let controller = controller.is_none_or(|it| matches!(it, ControllerConfig::Sweep(_)));
        let centre = self.centre.as_ref().is_none_or(|it| {
            it.evaluations >= 2 && it.models == CentreModels::Drawn && it.teaches && it.every == 1
        });
        let pairing = self.pairing.is_none_or(|it| it == PairingConfig::Held);
        weights && controller && centre && pairing && self.baseline.is_none()
    }

    /// Takes over what the rules chose, where the study is silent.
    fn complete(&mut self, chosen: SearchConfig) {
        let (weights, controller, centre, pairing) = match chosen {
            SearchConfig::EsEnas { weights, controller, joint } => {
                let pairing = PairingConfig::from(joint.pairing);
                // Whether points come in pairs is known of the chosen weights only.
                let pairing = self.weights.is_none().then_some(pairing);
                (weights, controller, CentreConfig::of(&joint), pairing)
            }
            SearchConfig::Alternating { weights, controller, alternating } => {
                let centre = CentreConfig { evaluations: alternating.centre, ..Default::default() };
                (weights, controller, centre, Some(PairingConfig::Held))
            }
            SearchConfig::Hybrid { .. } => return,
        };
        self.pairing = self.pairing.or(pairing);
        self.weights.get_or_insert(weights);
        self.controller.get_or_insert(controller);
        self.centre.get_or_insert(centre);
    }
}

impl From<File> for Spec {
    fn from(mut file: File) -> Self {
        let choice = file.choose().map(|Choice { search, reason }| {
            file.complete(search);
            reason
        });
        let centre = file.centre.unwrap_or_else(|| CentreConfig {
            evaluations: file.problem.kind().centre(),
            ..CentreConfig::default()
        });
        let search = match file.hybrid {
            Some(Baseline { population, mutation_scale, keep_model, evolution }) => {
                let hybrid = HybridConfig { mutation_scale, keep_model };
                SearchConfig::Hybrid { evolution, hybrid, population }
            }
            None => {
                let weights = file.weights.unwrap_or_else(|| file.problem.kind().weights());
                let controller = file.controller;
                let controller = controller.unwrap_or_else(|| file.problem.kind().controller());
                let view = View { subsample: file.subsample, constraint: file.constraint };
                let pairing = match file.pairing.unwrap_or_default() {
                    PairingConfig::Independent => Some(Pairing::Independent),
                    PairingConfig::Shared => Some(Pairing::Shared),
                    PairingConfig::Held => None,
                };
                if let Some(pairing) = pairing {
                    let joint = JointConfig {
                        pairing,
                        centre: centre.evaluations,
                        centre_models: centre.models,
                        centre_teaches: centre.teaches,
                        view,
                        baseline: file.baseline.unwrap_or_default(),
                    };
                    SearchConfig::EsEnas { weights, controller, joint }
                } else {
                    let alternating = AlternatingConfig { centre: centre.evaluations, view };
                    SearchConfig::Alternating { weights, controller, alternating }
                }
            }
        };
        let File { seed, stop, problem, record, failures, .. } = file;
        let centre_every = centre.every;
        Self { seed, stop, problem, search, centre_every, record, failures, choice }
    }
}

impl From<Spec> for File {
    fn from(spec: Spec) -> Self {
        let Spec { seed, stop, problem, search, centre_every, record, failures, choice: _ } = spec;
        let mut file = Self {
            seed,
            stop,
            problem,
            preset: None,
            auto: AutoConfig::default(),
            weights: None,
            controller: None,
            centre: None,
            pairing: None,
            baseline: None,
            subsample: None,
            constraint: None,
            hybrid: None,
            record,
            failures,
        };
        match search {
            SearchConfig::Hybrid { evolution, hybrid, population } => {
                let HybridConfig { mutation_scale, keep_model } = hybrid;
                let baseline = Baseline { population, mutation_scale, keep_model, evolution };
                file.hybrid = Some(baseline);
            }
            SearchConfig::EsEnas { weights, controller, joint } => {
                file.weights = Some(weights);
                file.controller = Some(controller);
                file.centre =
                    Some(CentreConfig { every: centre_every, ..CentreConfig::of(&joint) });
                file.pairing = Some(joint.pairing.into());
                file.baseline = Some(joint.baseline);
                file.subsample = joint.view.subsample;
                file.constraint = joint.view.constraint;
            }
            SearchConfig::Alternating { weights, controller, alternating } => {
                file.weights = Some(weights);
                file.controller = Some(controller);
                let evaluations = alternating.centre;
                let every = centre_every;
                file.centre = Some(CentreConfig { evaluations, every, ..Default::default() });
                file.pairing = Some(PairingConfig::Held);
                file.baseline = Some(Subtracted::Off);
                file.subsample = alternating.view.subsample;
                file.constraint = alternating.view.constraint;
            }
        }
        file
    }
}
