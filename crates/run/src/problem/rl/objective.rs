//! The objective: decode, play, count.

use std::sync::{Mutex, PoisonError};

use esenas::{Purpose, Role, Stream};
use esenas_control::{Episode, Moments, Network, Normalizer, Policy, PolicyConfig, Stage};

use super::shared::{Counted, Shared};
use super::{EnvError, RlConfig, Starts};
use crate::problem::{Objective, Point};
use crate::{Evaluation, Failure, FailureKind, Outcome};

/// The problem: an [`Objective`] that keeps an environment and a network for each thread that ever
/// evaluated.
pub struct Rl {
    config: RlConfig,
    policy: Policy,
    horizon: usize,
    shared: Shared,
    normalizer: Normalizer,
    /// Those not in use. One that panics is not put back.
    workers: Mutex<Vec<Worker>>,
}

/// What a thread needs for an evaluation.
struct Worker {
    stage: Stage,
    network: Network,
    counted: Moments,
}

impl Rl {
    /// The problem of settings that were checked. Makes the first environment, so that one that
    /// cannot be made is noticed now.
    pub(crate) fn new(config: &RlConfig) -> Result<Self, EnvError> {
        let policy = config.checked();
        let first = Worker::new(config, &policy)?;
        let spec = first.stage.env().spec();
        let (size, own) = (spec.observation, spec.horizon);
        Ok(Self {
            horizon: config.horizon.map_or(own, |steps| steps as usize),
            policy,
            shared: Shared::new(size),
            normalizer: Normalizer::identity(size),
            workers: Mutex::new(vec![first]),
            config: config.clone(),
        })
    }

    fn play(&self, worker: &mut Worker, point: &Point<'_>) -> Outcome {
        let Worker { stage, network, counted } = worker;
        self.policy.decode(point.model.dna, point.theta, network);
        counted.clear();
        let mut stream = self.starts(point);
        // What reports how good the centre is teaches nothing, the filter neither.
        let counts = self.config.normalize && point.role == Role::Probe;
        let mut sum = Episode::default();
        for episode in 0..self.config.episodes {
            let count = counts.then_some(&mut *counted);
            let played = stage.play(network, &self.normalizer, self.horizon, &mut stream, count);
            let played = played.map_err(|error| {
                let reason = format!("episode {episode}, {error}");
                Failure::new(FailureKind::Failed, reason)
            })?;
            sum.reward += played.reward;
            sum.alive += played.alive;
            sum.steps += played.steps;
        }
        let episodes = f64::from(self.config.episodes);
        let (reward, alive) = (sum.reward / episodes, sum.alive / episodes);
        let mut value = if self.config.alive { reward + alive } else { reward };
        let mut evaluation = Evaluation::new(value);
        let mut worth = Moments::new(2);
        if let Some(usage) = self.policy.usage(point.theta) {
            if point.role == Role::Probe {
                worth.add(&[value, 1.0 - usage]);
            }
            value = self.sparse(value, 1.0 - usage, point.iteration);
            evaluation.metrics.insert("usage".to_owned(), usage);
        }
        evaluation.value = value;
        evaluation.score = Some(reward + alive);
        evaluation.metrics.insert("steps".to_owned(), sum.steps as f64 / episodes);
        let counted = Counted { value, filter: counted.clone(), worth };
        evaluation.moments = Some(counted.to_bytes());
        Ok(evaluation)
    }

    /// f′ = β f + (1 − β)(1 − λ) of a masked policy (A.4.2), both terms over their deviations in
    /// the iteration before, and all of it in units of f. β and these change: such values are
    /// compared within an iteration, and networks by their score and usage.
    fn sparse(&self, value: f64, pruned: f64, iteration: u32) -> f64 {
        let PolicyConfig::Masked(masked) = &self.config.policy else { return value };
        let progress = f64::from(iteration) / f64::from(masked.anneal.max(1));
        let beta = 1.0 - (1.0 - masked.beta) * progress.min(1.0);
        let mut deviations = self.shared.worth.variance().map(f64::sqrt);
        let (of_value, of_pruned) =
            (deviations.next().unwrap_or(0.0), deviations.next().unwrap_or(0.0));
        // Two candidates with the same mask say nothing of its worth.
        let rate = if of_pruned > 1e-9 { of_value / of_pruned } else { 0.0 };
        beta * value + (1.0 - beta) * rate * pruned
    }

    /// Where the starts of a candidate's episodes come from.
    fn starts(&self, point: &Point<'_>) -> Stream {
        let (iteration, index) = match self.config.starts {
            Starts::Each => (point.iteration, point.index),
            Starts::Pair => (point.iteration, point.index / 2),
            Starts::Iteration => (point.iteration, 0),
            Starts::Fixed => (0, 0),
        };
        point.seed.stream(Purpose::Evaluate, iteration, index)
    }

    fn renormalize(&mut self) {
        if self.config.normalize {
            self.normalizer = Normalizer::new(&self.shared.filter);
        }
    }
}

impl Worker {
    fn new(config: &RlConfig, policy: &Policy) -> Result<Self, EnvError> {
        let stage = Stage::new(config.make()?, config.actions);
        let counted = Moments::new(stage.env().spec().observation);
        Ok(Self { stage, network: policy.network(), counted })
    }
}

impl Objective for Rl {
    fn evaluate(&self, point: &Point<'_>) -> Outcome {
        let workers = || self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = workers().pop();
        let made = idle.map_or_else(|| Worker::new(&self.config, &self.policy), Ok);
        let failed = |error: EnvError| Failure::new(FailureKind::Failed, error.to_string());
        let mut worker = made.map_err(failed)?;
        let outcome = self.play(&mut worker, point);
        workers().push(worker);
        outcome
    }

    fn state(&self) -> Vec<u8> {
        self.shared.to_bytes()
    }

    fn restore(&mut self, state: &[u8]) {
        let size = self.policy.layout().observation();
        // Nothing was absorbed yet where there are no bytes.
        self.shared = Shared::from_bytes(state, size).unwrap_or_else(|| Shared::new(size));
        self.renormalize();
    }

    fn absorb(&mut self, moments: &[Vec<u8>]) {
        let size = self.policy.layout().observation();
        self.shared.absorb(moments.iter().filter_map(|bytes| Counted::from_bytes(bytes, size)));
        self.renormalize();
    }
}
