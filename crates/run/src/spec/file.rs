//! The sections as they stand in a study file, and what they amount to.

use esenas::auto::Choice;
use esenas::controllers::ControllerConfig;
use esenas::joint::{Baseline as Subtracted, CentreModels, OffsetsConfig};
use esenas::shaping::{Constraint, View};
use esenas::weights::WeightsConfig;
use esenas::{HybridConfig, JointConfig, Pairing, SearchConfig, Then};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::Fault;
use super::preset::{self, AutoConfig, Preset};
use super::settings::CentreConfig;
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
    pairing: Option<Pairing>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline: Option<Subtracted>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offsets: Option<OffsetsConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    then: Option<Then>,
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
    evolution: ControllerConfig,
}

impl Default for Baseline {
    fn default() -> Self {
        let HybridConfig { mutation_scale } = HybridConfig::default();
        Self { population: 128, mutation_scale, evolution: Default::default() }
    }
}

/// The sections that only ES-ENAS has.
const ES_ENAS: [&str; 9] = [
    "weights",
    "controller",
    "centre",
    "pairing",
    "baseline",
    "offsets",
    "then",
    "subsample",
    "constraint",
];

/// Refuses sections that contradict each other.
pub(super) fn combinations(file: &Value) -> Result<(), Fault> {
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

impl File {
    /// What `auto` chooses, if it is asked: by name, or by saying nothing of how to search.
    fn choose(&self) -> Option<Choice> {
        let silent = self.weights.is_none()
            && self.controller.is_none()
            && self.centre.is_none()
            && self.pairing.is_none()
            && self.baseline.is_none()
            && self.offsets.is_none()
            && self.then.is_none()
            && self.subsample.is_none()
            && self.constraint.is_none();
        let auto = self.preset.map_or(silent, |preset| preset == Preset::Auto);
        let auto = auto && self.hybrid.is_none();
        if auto { preset::choose(&self.problem, &self.stop, self.auto) } else { None }
    }
}

impl From<File> for Spec {
    fn from(mut file: File) -> Self {
        let chosen = file.choose();
        let choice = chosen.map(|Choice { weights, controller, joint, reason }| {
            // Whether points come in pairs is known of the chosen weights only, whether models have evaluations of
            // their own of the chosen centre.
            let fits = match joint.pairing {
                Pairing::Held => file.centre.as_ref().is_none_or(|centre| {
                    centre.evaluations >= 2 && centre.models == CentreModels::Drawn
                }),
                Pairing::Shared | Pairing::Independent => file.weights.is_none(),
            };
            if fits {
                file.pairing.get_or_insert(joint.pairing);
            }
            file.weights.get_or_insert(weights);
            file.controller.get_or_insert(controller);
            file.centre.get_or_insert(CentreConfig {
                evaluations: joint.centre,
                models: joint.centre_models,
                teaches: joint.centre_teaches,
                ..CentreConfig::default()
            });
            reason
        });
        let centre = file.centre.unwrap_or_else(|| CentreConfig {
            evaluations: file.problem.kind().centre(),
            teaches: file.problem.kind().centre_teaches(),
            ..CentreConfig::default()
        });
        let search = match file.hybrid {
            Some(Baseline { population, mutation_scale, evolution }) => {
                let hybrid = HybridConfig { mutation_scale };
                SearchConfig::Hybrid { evolution, hybrid, population }
            }
            None => SearchConfig::EsEnas {
                weights: file.weights.unwrap_or_else(|| file.problem.kind().weights()),
                controller: file.controller.unwrap_or_else(|| file.problem.kind().controller()),
                joint: JointConfig {
                    pairing: file.pairing.unwrap_or_default(),
                    centre: centre.evaluations,
                    centre_models: centre.models,
                    centre_teaches: centre.teaches,
                    view: View { subsample: file.subsample, constraint: file.constraint },
                    baseline: file.baseline.unwrap_or_default(),
                    offsets: file.offsets,
                },
                then: file.then.map(Box::new),
            },
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
            offsets: None,
            then: None,
            subsample: None,
            constraint: None,
            hybrid: None,
            record,
            failures,
        };
        match search {
            SearchConfig::Hybrid { evolution, hybrid, population } => {
                let HybridConfig { mutation_scale } = hybrid;
                let baseline = Baseline { population, mutation_scale, evolution };
                file.hybrid = Some(baseline);
            }
            SearchConfig::EsEnas { weights, controller, joint, then } => {
                file.weights = Some(weights);
                file.controller = Some(controller);
                file.centre = Some(CentreConfig {
                    evaluations: joint.centre,
                    every: centre_every,
                    models: joint.centre_models,
                    teaches: joint.centre_teaches,
                });
                file.pairing = Some(joint.pairing);
                file.baseline = Some(joint.baseline);
                file.offsets = joint.offsets;
                file.then = then.map(|then| *then);
                file.subsample = joint.view.subsample;
                file.constraint = joint.view.constraint;
            }
        }
        file
    }
}
