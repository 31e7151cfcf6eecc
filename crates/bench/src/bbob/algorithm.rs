//! The algorithms that are compared, as data for the engine.

use esenas::controllers::{
    ControllerConfig, HillClimbConfig, NeatConfig, PolicyGradientConfig, RandomConfig,
    RegularizedEvolutionConfig,
};
use esenas::shaping::{Normalize, View};
use esenas::weights::{CmaEsConfig, EsConfig, Sampling, WeightsConfig};
use esenas::{HybridConfig, JointConfig, Pairing, SearchConfig};
use serde::{Deserialize, Serialize};

/// Evaluations of an ES iteration: 64 pairs and 8 of the centre (Appendix A.2.2). Baselines ask
/// for as many at a time.
const BATCH: usize = 2 * 64 + 8;

/// One algorithm of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Over (m, θ) together: uniform samples.
    Random,
    /// Over (m, θ) together.
    RegularizedEvolution,
    /// Over (m, θ) together.
    Neat,
    /// Over (m, θ) together: gradientless descent, batch hill climbing.
    HillClimb,
    /// Where nothing is categorical.
    Es,
    /// Where nothing is categorical, with Hansen's population.
    CmaEs,
    /// Where nothing is categorical, with λ = 64: ES's directions, as the authors' library calls
    /// pycma.
    CmaEs64,
    /// Where nothing is categorical, with λ = 128: ES's probes.
    CmaEs128,
    /// ES for θ, random models.
    EsEnasRandom,
    /// ES for θ, regularized evolution for m.
    EsEnasRegularizedEvolution,
    /// ES for θ, NEAT for m.
    EsEnasNeat,
    /// ES for θ, hill climbing for m.
    EsEnasHillClimb,
    /// ES for θ, a pointer network trained by PPO for m.
    EsEnasPpo,
    /// CMA-ES with Hansen's population for θ, regularized evolution for m (Appendix B).
    CmaEnas,
    /// The same with λ = 64.
    CmaEnas64,
    /// The same with λ = 128.
    CmaEnas128,
    /// [`Algorithm::EsEnasRegularizedEvolution`], but a pair shares its model.
    Shared,
    /// The same, but θ learns from ranks.
    Ranks,
    /// The same, but directions are orthogonal.
    Orthogonal,
    /// The same, but the controller is shown 10 of the 136 values (section 4.3.2).
    Subsampled,
}

impl Algorithm {
    /// Those of Figure 2 and Appendix B.
    pub const PAPER: [Self; 16] = [
        Self::Random,
        Self::RegularizedEvolution,
        Self::Neat,
        Self::HillClimb,
        Self::Es,
        Self::CmaEs,
        Self::CmaEs64,
        Self::CmaEs128,
        Self::EsEnasRandom,
        Self::EsEnasRegularizedEvolution,
        Self::EsEnasNeat,
        Self::EsEnasHillClimb,
        Self::EsEnasPpo,
        Self::CmaEnas,
        Self::CmaEnas64,
        Self::CmaEnas128,
    ];

    /// ES and CMA-ES with each λ, alone and in ES-ENAS (Appendix B).
    pub const CMA: [Self; 8] = [
        Self::Es,
        Self::CmaEs,
        Self::CmaEs64,
        Self::CmaEs128,
        Self::EsEnasRegularizedEvolution,
        Self::CmaEnas,
        Self::CmaEnas64,
        Self::CmaEnas128,
    ];

    /// ES-ENAS, and what is changed about it.
    pub const ABLATIONS: [Self; 5] = [
        Self::EsEnasRegularizedEvolution,
        Self::Shared,
        Self::Ranks,
        Self::Orthogonal,
        Self::Subsampled,
    ];

    /// As it is written in files and flags.
    pub fn id(self) -> String {
        let id = serde_json::to_value(self).expect("a name has a JSON form");
        id.as_str().unwrap_or_default().to_owned()
    }

    /// How long a run takes, about, if regularized evolution takes 1.
    pub(crate) fn effort(self) -> usize {
        match self {
            Self::EsEnasPpo => 60,
            Self::CmaEs | Self::CmaEnas => 3,
            _ => 1,
        }
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "Random",
            Self::RegularizedEvolution => "Reg-Evo",
            Self::Neat => "NEAT",
            Self::HillClimb => "Hill-Climb",
            Self::Es => "ES",
            Self::CmaEs => "CMA-ES, Hansen's λ",
            Self::CmaEs64 => "CMA-ES, λ = 64",
            Self::CmaEs128 => "CMA-ES, λ = 128",
            Self::EsEnasRandom => "ES-ENAS (Random)",
            Self::EsEnasRegularizedEvolution => "ES-ENAS (Reg-Evo)",
            Self::EsEnasNeat => "ES-ENAS (NEAT)",
            Self::EsEnasHillClimb => "ES-ENAS (Hill-Climb)",
            Self::EsEnasPpo => "ES-ENAS (PPO)",
            Self::CmaEnas => "CMA-ENAS (Reg-Evo), Hansen's λ",
            Self::CmaEnas64 => "CMA-ENAS (Reg-Evo), λ = 64",
            Self::CmaEnas128 => "CMA-ENAS (Reg-Evo), λ = 128",
            Self::Shared => "shared pairs",
            Self::Ranks => "ranks",
            Self::Orthogonal => "orthogonal directions",
            Self::Subsampled => "controller shown 10 of 136",
        }
    }

    /// Whether it has a place where so many coordinates are categorical: without any, all
    /// controllers are the same.
    pub fn applies(self, d_cat: usize) -> bool {
        match self {
            Self::Random | Self::RegularizedEvolution | Self::Neat | Self::HillClimb => true,
            Self::Es | Self::CmaEs | Self::CmaEs64 | Self::CmaEs128 => d_cat == 0,
            _ => d_cat > 0,
        }
    }

    /// Whether it mutates models and weights together.
    pub fn is_vanilla(self) -> bool {
        matches!(self, Self::Random | Self::RegularizedEvolution | Self::Neat | Self::HillClimb)
    }

    /// The same controller without ES, where the paper compares the two.
    pub fn vanilla(self) -> Option<Self> {
        match self {
            Self::EsEnasRandom => Some(Self::Random),
            Self::EsEnasRegularizedEvolution => Some(Self::RegularizedEvolution),
            Self::EsEnasNeat => Some(Self::Neat),
            Self::EsEnasHillClimb => Some(Self::HillClimb),
            _ => None,
        }
    }

    /// What the engine is to run. σ = η_w = 0.5, 64 directions, 8 evaluations of the centre,
    /// σ_mut = 0.07: Appendices A.2.2 and A.3, and the engine's defaults.
    pub fn search(self) -> SearchConfig {
        // So many live whatever the weights ask for at a time.
        let evolution = || {
            let (population, tournament) = (Some(BATCH), None);
            let config = RegularizedEvolutionConfig { population, tournament };
            ControllerConfig::RegularizedEvolution(config)
        };
        let neat =
            || ControllerConfig::Neat(NeatConfig { population: BATCH, ..NeatConfig::default() });
        let climb = || ControllerConfig::HillClimb(HillClimbConfig::default());
        let random = || ControllerConfig::Random(RandomConfig {});
        let alone = |evolution| SearchConfig::Hybrid {
            evolution,
            hybrid: HybridConfig::default(),
            population: BATCH,
        };
        let es = EsConfig::default;
        let joined = |weights, controller| (weights, controller, JointConfig::default());
        let with = |controller| joined(WeightsConfig::Es(es()), controller);
        // η_w = 0.5 (A.2.2) has no meaning for CMA-ES, whose mean moves to that of the better half.
        let cma = |population| {
            let weights =
                WeightsConfig::CmaEs(CmaEsConfig { population, ..CmaEsConfig::default() });
            // It reports its own points, and needs no centre evaluated.
            (weights, evolution(), JointConfig { centre: 0, ..JointConfig::default() })
        };
        let (weights, controller, joint) = match self {
            Self::Random => return alone(random()),
            Self::RegularizedEvolution => return alone(evolution()),
            Self::Neat => return alone(neat()),
            Self::HillClimb => return alone(climb()),
            Self::Es | Self::EsEnasRandom => with(random()),
            Self::EsEnasRegularizedEvolution => with(evolution()),
            Self::EsEnasNeat => with(neat()),
            Self::EsEnasHillClimb => with(climb()),
            Self::EsEnasPpo => {
                with(ControllerConfig::PolicyGradient(PolicyGradientConfig::default()))
            }
            Self::CmaEs | Self::CmaEnas => cma(None),
            Self::CmaEs64 | Self::CmaEnas64 => cma(Some(64)),
            Self::CmaEs128 | Self::CmaEnas128 => cma(Some(128)),
            Self::Shared => {
                let joint = JointConfig { pairing: Pairing::Shared, ..JointConfig::default() };
                (WeightsConfig::Es(es()), evolution(), joint)
            }
            Self::Ranks => {
                let weights = EsConfig { normalize: Normalize::Ranks, ..es() };
                joined(WeightsConfig::Es(weights), evolution())
            }
            Self::Orthogonal => {
                let weights = EsConfig { sampling: Sampling::Orthogonal, ..es() };
                joined(WeightsConfig::Es(weights), evolution())
            }
            Self::Subsampled => {
                let view = View { subsample: Some(10), ..View::default() };
                (
                    WeightsConfig::Es(es()),
                    evolution(),
                    JointConfig { view, ..JointConfig::default() },
                )
            }
        };
        SearchConfig::EsEnas { weights, controller, joint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red when a setting of the paper is no longer the engine's default.
    #[test]
    fn the_settings_are_the_papers() {
        let SearchConfig::EsEnas { weights: WeightsConfig::Es(es), joint, .. } =
            Algorithm::EsEnasRegularizedEvolution.search()
        else {
            panic!("it is ES-ENAS")
        };
        assert_eq!((es.sigma, es.step_size), (0.5.into(), 0.5.into()));
        assert_eq!((es.directions, joint.centre, joint.pairing), (64, 8, Pairing::Independent));
        let SearchConfig::Hybrid { hybrid, population, .. } = Algorithm::Neat.search() else {
            panic!("it is a baseline")
        };
        assert_eq!((hybrid.mutation_scale, population), (0.07, 136));
    }

    /// Red when n follows the λ of CMA-ES, which makes CMA-ENAS worse and another comparison.
    #[test]
    fn the_controllers_population_is_the_same_whatever_the_weights_ask_for() {
        use Algorithm::{CmaEnas, CmaEnas64, CmaEnas128, EsEnasRegularizedEvolution};
        let of = |algorithm: Algorithm| match algorithm.search() {
            SearchConfig::EsEnas { controller, weights: WeightsConfig::CmaEs(cma), .. } => {
                (controller, cma.population)
            }
            SearchConfig::EsEnas { controller, .. } => (controller, None),
            other => panic!("{other:?} is not ES-ENAS"),
        };
        let (controller, _) = of(EsEnasRegularizedEvolution);
        for (algorithm, lambda) in [(CmaEnas, None), (CmaEnas64, Some(64)), (CmaEnas128, Some(128))]
        {
            assert_eq!(of(algorithm), (controller.clone(), lambda));
        }
    }

    #[test]
    fn every_ablation_changes_one_thing_and_every_algorithm_has_a_place() {
        let [whole, changed @ ..] = Algorithm::ABLATIONS;
        assert!(changed.iter().all(|it| it.search() != whole.search()));
        for algorithm in Algorithm::PAPER.into_iter().chain(changed) {
            assert!(algorithm.applies(0) || algorithm.applies(10), "{}", algorithm.name());
        }
        assert_eq!(Algorithm::PAPER.iter().filter(|it| it.vanilla().is_some()).count(), 4);
    }
}
