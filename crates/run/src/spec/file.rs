//! The sections as they stand in a study file, and what they amount to.

use std::path::PathBuf;

use esenas::controllers::ControllerConfig;
use esenas::joint::{Baseline, CentreModels};
use esenas::shaping::{Constraint, View};
use esenas::weights::WeightsConfig;
use esenas::{
    AlternatingConfig, FrontConfig, HybridConfig, JointConfig, NextConfig, Pairing, SearchConfig,
};
use serde::{Deserialize, Serialize};

use super::preset::{self, AutoConfig, Preset, Section};
use super::settings::{CentreConfig, PairingConfig};
use super::{
    Constraints, Direction, FailuresConfig, Goal, ProblemConfig, RecordConfig, Source, Spec,
    StopConfig,
};
use crate::Known;

/// A study file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    seed: u64,
    #[serde(default, skip_serializing_if = "Direction::is_usual")]
    direction: Direction,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    objectives: Vec<String>,
    #[serde(default, skip_serializing_if = "Constraints::is_empty")]
    constraints: Constraints,
    #[serde(default)]
    stop: StopConfig,
    problem: ProblemConfig,
    /// Never written: a resolved study says everything itself.
    #[serde(default, skip_serializing)]
    preset: Option<Preset>,
    /// Written once the rules have chosen.
    #[serde(default, skip_serializing_if = "AutoConfig::chose_nothing")]
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
    next: Option<NextConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline: Option<Baseline>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subsample: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    constraint: Option<Constraint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hybrid: Option<HybridSection>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    front: Option<FrontConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    warm_start: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    designs: Vec<Known>,
    #[serde(default)]
    record: RecordConfig,
    #[serde(default)]
    failures: FailuresConfig,
}

/// Evolution over models and weights together: what ES-ENAS is compared with (§3).
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct HybridSection {
    /// Evaluations per iteration: by default as many as ES asks for.
    population: usize,
    mutation_scale: f64,
    evolution: ControllerConfig,
}

impl Default for HybridSection {
    fn default() -> Self {
        let HybridConfig { mutation_scale } = HybridConfig::default();
        Self { population: 128, mutation_scale, evolution: Default::default() }
    }
}

impl File {
    /// The sections that are left to the rules of `auto`: where the study asks for them by name, or
    /// does not say what searches.
    fn left_open(&self) -> Vec<Section> {
        let named = self.weights.is_some() && self.controller.is_some();
        let auto = self.preset.map_or(!named, |preset| preset == Preset::Auto);
        let baseline = self.hybrid.is_some() || !self.objectives.is_empty();
        if !auto || baseline || !self.auto.chose.is_empty() {
            return Vec::new();
        }
        let open = [
            (Section::Weights, self.weights.is_none()),
            (Section::Controller, self.controller.is_none()),
            (Section::Centre, self.centre.is_none()),
            (Section::Pairing, self.pairing.is_none()),
        ];
        open.into_iter().filter(|(_, is_open)| *is_open).map(|(section, _)| section).collect()
    }

    /// Fills in what the rules choose, and says why.
    fn choose(&mut self) -> Option<String> {
        let open = self.left_open();
        if open.is_empty() {
            return None;
        }
        let may_alternate = self.may_alternate();
        let chosen = preset::choose(&self.problem, &self.stop, &self.auto, may_alternate)?;
        let said = self.next.is_some();
        self.complete(chosen.search);
        self.auto.chose = open;
        self.auto.chose.extend((!said && self.next.is_some()).then_some(Section::Next));
        Some(chosen.reason)
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
        // A resolved study says that nothing is subtracted.
        let baseline = self.baseline.unwrap_or_default() == Baseline::default();
        weights && controller && centre && pairing && baseline
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
                if self.next.is_none() {
                    self.next = alternating.next;
                }
                (weights, controller, centre, Some(PairingConfig::Held))
            }
            SearchConfig::Hybrid { .. } | SearchConfig::Front(_) => return,
        };
        self.pairing = self.pairing.or(pairing);
        self.weights.get_or_insert(weights);
        self.controller.get_or_insert(controller);
        self.centre.get_or_insert(centre);
    }

    /// Leaves open what the rules chose.
    pub(super) fn forget_chosen(&mut self) {
        for section in std::mem::take(&mut self.auto.chose) {
            match section {
                Section::Weights => self.weights = None,
                Section::Controller => self.controller = None,
                Section::Centre => self.centre = None,
                Section::Pairing => self.pairing = None,
                Section::Next => self.next = None,
            }
        }
    }

    /// Has what is chosen here as it is `there`.
    pub(super) fn take_chosen(&mut self, there: Self) {
        for section in &self.auto.chose {
            match section {
                Section::Weights => self.weights.clone_from(&there.weights),
                Section::Controller => self.controller.clone_from(&there.controller),
                Section::Centre => self.centre = there.centre,
                Section::Pairing => self.pairing = there.pairing,
                Section::Next => self.next.clone_from(&there.next),
            }
        }
    }
}

impl From<File> for Spec {
    fn from(mut file: File) -> Self {
        let choice = match file.objectives.len() {
            0 => file.choose(),
            goals if file.front.is_none() => {
                Some(format!("{goals} objectives: a front of designs, by NSGA-II ([front])"))
            }
            _ => None,
        };
        let first = file.objectives.first().map(|first| Goal::read(first).direction);
        file.direction = first.unwrap_or(file.direction);
        let centre = file.centre.unwrap_or_else(|| CentreConfig {
            evaluations: file.problem.kind().centre(),
            teaches: file.problem.kind().centre_teaches(),
            ..CentreConfig::default()
        });
        let search = match file.hybrid {
            _ if !file.objectives.is_empty() => SearchConfig::Front(file.front.unwrap_or_default()),
            Some(HybridSection { population, mutation_scale, evolution }) => {
                let hybrid = HybridConfig { mutation_scale };
                SearchConfig::Hybrid { evolution, hybrid, population }
            }
            None => {
                let weights = file.weights.unwrap_or_else(|| file.problem.kind().weights());
                let controller = file.controller;
                let controller = controller.unwrap_or_else(|| file.problem.kind().controller());
                let view = View { subsample: file.subsample, constraint: file.constraint };
                let pairing = match file.pairing.unwrap_or_default() {
                    _ if file.next.is_some() => None,
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
                    let (centre, next) = (centre.evaluations, file.next);
                    let alternating = AlternatingConfig { centre, view, next };
                    SearchConfig::Alternating { weights, controller, alternating }
                }
            }
        };
        let File {
            seed,
            direction,
            objectives,
            constraints,
            stop,
            problem,
            auto,
            record,
            failures,
            ..
        } = file;
        let (warm_start, designs) = (file.warm_start, file.designs);
        let (centre_every, source) = (centre.every, Source::default());
        Self {
            seed,
            direction,
            objectives,
            constraints,
            stop,
            problem,
            search,
            centre_every,
            warm_start,
            designs,
            record,
            failures,
            auto,
            choice,
            source,
        }
    }
}

impl From<Spec> for File {
    fn from(spec: Spec) -> Self {
        let Spec { seed, direction, objectives, constraints, stop, problem, search, .. } = spec;
        let Spec { centre_every, warm_start, designs, record, failures, auto, .. } = spec;
        let mut file = Self {
            seed,
            direction,
            objectives,
            constraints,
            stop,
            problem,
            preset: None,
            auto,
            weights: None,
            controller: None,
            centre: None,
            pairing: None,
            next: None,
            baseline: None,
            subsample: None,
            constraint: None,
            hybrid: None,
            front: None,
            warm_start,
            designs,
            record,
            failures,
        };
        match search {
            SearchConfig::Front(front) => file.front = Some(front),
            SearchConfig::Hybrid { evolution, hybrid, population } => {
                let HybridConfig { mutation_scale } = hybrid;
                let hybrid = HybridSection { population, mutation_scale, evolution };
                file.hybrid = Some(hybrid);
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
                file.next = alternating.next;
                file.baseline = Some(Baseline::Off);
                file.subsample = alternating.view.subsample;
                file.constraint = alternating.view.constraint;
            }
        }
        file
    }
}
