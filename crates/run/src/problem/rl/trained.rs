//! A policy that a study found, to be used: evaluated, exported, drawn.

use std::path::{Path, PathBuf};

use esenas::{Dna, Optimizer, Purpose, Seed};
use esenas_control::policy::Account;
use esenas_control::{
    Actor, Document, Episode, Network, Normalizer, Outputs, Policy, RolloutError, Stage,
};
use esenas_store::{EvaluationRecord, Outcome, Reader, Role};
use thiserror::Error;

use super::shared::Shared;
use super::{EVALUATION, EnvError, RlConfig, Starts};
use crate::StudyError;
use crate::problem::Kind;
use crate::spec::{Fault, ProblemConfig, Spec, SpecError};
use crate::state::State;

/// Which (m, θ) of a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// The candidate with the best value.
    #[default]
    Best,
    /// θ where the search stands, with the likeliest model where the controller is a distribution,
    /// or else with the best of the models that were last evaluated at the centre. The best model
    /// that the controller remembers would not do: it was good for the weights of its time.
    Centre,
}

/// A policy with the filter that belongs to it.
pub struct Trained {
    /// The problem it is for.
    pub config: RlConfig,
    /// m
    pub dna: Dna,
    /// θ
    pub theta: Vec<f64>,
    /// The filter.
    pub normalizer: Normalizer,
    policy: Policy,
}

/// Why there is no such policy.
#[derive(Debug, Error)]
pub enum TrainedError {
    /// The directory.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// Another kind of problem.
    #[error("{}: its problem is neither of kind \"rl\" nor \"gymnasium\"", .0.display())]
    Kind(PathBuf),
    /// Too early.
    #[error("{}: no policy was evaluated yet", .0.display())]
    Nothing(PathBuf),
    /// The environment.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// An episode.
    #[error("episode {episode}, {source}")]
    Episode {
        /// Which.
        episode: u32,
        /// What happened.
        source: RolloutError,
    },
}

impl From<esenas_store::Error> for TrainedError {
    fn from(error: esenas_store::Error) -> Self {
        Self::Study(error.into())
    }
}

impl Trained {
    /// The policy that the study in `directory` found.
    pub fn load(directory: &Path, which: Which) -> Result<Self, TrainedError> {
        let spec = Spec::stored(directory)?;
        let Some(config) = spec.problem.policy() else {
            return Err(TrainedError::Kind(directory.to_path_buf()));
        };
        let nothing = || TrainedError::Nothing(directory.to_path_buf());
        let reader = Reader::open(directory)?;
        let state = State::stored(&reader, directory)?.ok_or_else(nothing)?;
        let policy = config.checked();
        let size = policy.layout().observation();
        let shared = Shared::from_bytes(&state.objective, size).ok_or_else(nothing)?;
        let (dna, theta, filter) = match which {
            Which::Best => {
                let best = reader.best()?.ok_or_else(nothing)?;
                let dna = Dna::from_bytes(&best.record.dna).map_err(|_| nothing())?;
                let (_, filter) = shared.best.ok_or_else(nothing)?;
                (dna, best.theta, filter)
            }
            Which::Centre => {
                let mut search = state.search;
                let theta = search.centre().ok_or_else(nothing)?.to_vec();
                let judged = best_at_centre(&reader, spec.centre_every)?;
                let known = search.likeliest().or(judged);
                let known = known.or_else(|| search.best_model().map(|(dna, ..)| dna.clone()));
                // A controller that remembers no model is asked for one.
                let stream = &mut Seed(spec.seed).stream(Purpose::Ask, state.iteration, 0);
                let dna = known.or_else(|| search.ask(1, stream).pop().map(|it| it.dna));
                (dna.ok_or_else(nothing)?, theta, shared.filter)
            }
        };
        let normalizer = match config.normalize {
            true => Normalizer::new(&filter),
            false => Normalizer::identity(size),
        };
        Ok(Self { config, dna, theta, normalizer, policy })
    }

    /// The policy that `dna` and `theta` make in the problem of these settings, which sees
    /// observations as they are.
    pub fn decoded(config: RlConfig, dna: Dna, theta: Vec<f64>) -> Result<Self, SpecError> {
        let spec = Spec::new(ProblemConfig::Rl(config.clone()), 1);
        let fault = |fault: Fault| spec.locate(fault);
        config.check().map_err(fault)?;
        let policy = config.checked();
        policy
            .space()
            .check(&dna)
            .map_err(|error| fault(Fault::new("problem.policy", error.to_string())))?;
        if theta.len() != policy.dimension() {
            let what = format!("has {} weights, got {}", policy.dimension(), theta.len());
            return Err(fault(Fault::new("problem.policy", what)));
        }
        let normalizer = Normalizer::identity(policy.layout().observation());
        Ok(Self { config, dna, theta, normalizer, policy })
    }

    /// The policy by itself. Asks the environment for its limits where actions are stretched to
    /// them.
    pub fn actor(&self) -> Result<Actor, TrainedError> {
        let outputs = self.config.outputs();
        let limits = match outputs {
            Outputs::Limits => {
                let spec = self.config.make()?.spec().clone();
                Some([spec.low, spec.high])
            }
            Outputs::Unit | Outputs::Greedy | Outputs::Sampled => None,
        };
        Ok(Actor::new(self.network(), self.normalizer.clone(), outputs, limits))
    }

    /// Everything it takes to act.
    pub fn document(&self) -> Result<Document, TrainedError> {
        Ok(self.actor()?.document(Some(&self.config.env)))
    }

    /// The network.
    pub fn network(&self) -> Network {
        let mut network = self.policy.network();
        self.policy.decode(&self.dna, &self.theta, &mut network);
        network
    }

    /// What it amounts to, and what the unstructured network on the same vertices does.
    pub fn accounts(&self) -> (Account, Account) {
        (self.policy.account(&self.dna, &self.theta), self.policy.full())
    }

    /// An environment to use it in.
    pub fn stage(&self) -> Result<Stage, TrainedError> {
        Ok(Stage::new(self.config.make()?, self.config.actions))
    }

    /// Plays `episodes` episodes, whose starts `seed` decides: none of them was seen in training.
    pub fn play(&self, episodes: u32, seed: u64) -> Result<Vec<Episode>, TrainedError> {
        let (mut network, mut stage) = (self.network(), self.stage()?);
        (0..episodes).map(|episode| self.episode(&mut stage, &mut network, episode, seed)).collect()
    }

    /// The first observation of the episodes of training, of a study with this seed, if all of them
    /// have one start.
    pub fn start(&self, seed: u64) -> Result<Option<Vec<f64>>, TrainedError> {
        if self.config.starts != Starts::Fixed {
            return Ok(None);
        }
        let mut env = self.config.make()?;
        let mut observation = vec![0.0; env.spec().observation];
        env.reset(&mut Seed(seed).stream(Purpose::Evaluate, 0, 0), &mut observation);
        Ok(Some(observation))
    }

    /// Plays one episode on a stage for this policy's environment.
    pub fn episode(
        &self,
        stage: &mut Stage,
        network: &mut Network,
        episode: u32,
        seed: u64,
    ) -> Result<Episode, TrainedError> {
        let own = stage.env().spec().horizon;
        let horizon = self.config.horizon.map_or(own, |steps| steps as usize);
        let mut stream = Seed(seed).stream(Purpose::Problem, episode, EVALUATION);
        stage
            .play(network, &self.normalizer, horizon, &mut stream, None)
            .map_err(|source| TrainedError::Episode { episode, source })
    }
}

/// The best of the models that were last evaluated at the centre, if those evaluations are on
/// record.
fn best_at_centre(reader: &Reader, every: u32) -> Result<Option<Dna>, esenas_store::Error> {
    let iterations = reader.progress()?.iterations;
    let last = iterations.saturating_sub(1) / u64::from(every) * u64::from(every);
    let Some((_, evaluated)) = reader.evaluations(last).next().transpose()? else {
        return Ok(None);
    };
    let value = |it: &EvaluationRecord| match it.outcome {
        Outcome::Done { value, .. } if it.role == Role::Centre => Some(value),
        Outcome::Done { .. } | Outcome::Failed { .. } => None,
    };
    let known = evaluated.iter().filter_map(|it| Some((value(it)?, &it.dna)));
    let best = known.max_by(|(a, _), (b, _)| a.total_cmp(b));
    Ok(best.and_then(|(_, dna)| Dna::from_bytes(dna).ok()))
}

/// What episodes paid, alive bonuses included.
pub fn returns(episodes: &[Episode]) -> Vec<f64> {
    episodes.iter().map(|episode| episode.reward + episode.alive).collect()
}

/// Mean and standard deviation of all `values`.
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    (mean, variance.sqrt())
}
