//! A policy by itself: a network with the filter of its observations and the meaning of its
//! outputs.
//!
//! [`Document`] is all of it as plain data: what `esenas policy export` writes, and what every
//! other form of a policy is made from. Of a document that comes from elsewhere nothing is
//! believed.

use serde::{Deserialize, Serialize};

use crate::policy::Activation;
use crate::rollout::stretch;
use crate::{Actions, Network, Normalizer};

/// The form of documents.
const FORMAT: &str = "esenas-policy-1";
/// The most vertices of a document.
const MOST: usize = 1 << 24;

/// What the outputs of a policy mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outputs {
    /// They are the action, within [−1, 1].
    #[default]
    Unit,
    /// −1 and 1 are the environment's limits.
    Limits,
    /// One for each discrete action: the greatest is taken.
    Greedy,
    /// One for each discrete action, which is drawn with the softmax of what the outputs' tanh is
    /// of.
    Sampled,
}

impl From<Actions> for Outputs {
    fn from(actions: Actions) -> Self {
        match actions {
            Actions::Unit => Self::Unit,
            Actions::Limits => Self::Limits,
        }
    }
}

/// A policy that acts.
#[derive(Clone, Debug)]
pub struct Actor {
    network: Network,
    normalizer: Normalizer,
    outputs: Outputs,
    /// The environment's, where outputs are stretched to them.
    limits: Option<[Vec<f64>; 2]>,
}

/// Everything it takes to act: vertices are numbered states first, then hidden units, then actions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Which form this is.
    pub format: String,
    /// The environment it is for, if it is for one.
    #[serde(default)]
    pub env: Option<String>,
    /// What the outputs mean.
    pub actions: Outputs,
    /// The environment's limits, where outputs are stretched to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Vec<f64>>,
    /// The upper ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Vec<f64>>,
    /// |S|
    pub observation: usize,
    /// |A|
    pub action: usize,
    /// How many hidden units there are.
    pub hidden: usize,
    /// What observations are normalized by.
    pub normalizer: Normalizer,
    /// Source, target, weight.
    pub edges: Vec<(usize, usize, f64)>,
    /// b of every vertex behind the states.
    pub biases: Vec<f64>,
    /// σ of every hidden unit.
    pub nonlinearities: Vec<Activation>,
    /// σ of the outputs.
    #[serde(default)]
    pub output: String,
    /// For people.
    #[serde(default)]
    pub formula: String,
}

impl Actor {
    /// A network and what is around it; `limits` are low and high, one for each output.
    pub fn new(
        network: Network,
        normalizer: Normalizer,
        outputs: Outputs,
        limits: Option<[Vec<f64>; 2]>,
    ) -> Self {
        let limits = limits.filter(|_| outputs == Outputs::Limits);
        Self { network, normalizer, outputs, limits }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// What the outputs mean.
    pub fn outputs(&self) -> Outputs {
        self.outputs
    }

    /// Acts on as many observations as there are, one after the other in `observations`. The bits
    /// are those of an episode.
    pub fn act(&mut self, observations: &[f64], actions: &mut [f64]) {
        let outputs = self.network.layout().action();
        if actions.len() == outputs {
            self.normalizer.apply(observations, self.network.input());
            self.network.forward(actions);
        } else {
            self.network.forward_all(&self.normalizer, observations, actions);
        }
        if let Some([low, high]) = &self.limits {
            actions.chunks_exact_mut(outputs).for_each(|action| stretch(action, low, high));
        }
    }

    /// All of it, as plain data.
    pub fn document(&self, env: Option<&str>) -> Document {
        let layout = self.network.layout();
        let [low, high] = self.limits.clone().map_or([None, None], |limits| limits.map(Some));
        Document {
            format: FORMAT.to_owned(),
            env: env.map(str::to_owned),
            actions: self.outputs,
            low,
            high,
            observation: layout.observation(),
            action: layout.action(),
            hidden: layout.hidden().len(),
            normalizer: self.normalizer.clone(),
            edges: self.network.edges(),
            biases: self.network.biases().to_vec(),
            nonlinearities: self.network.activations().to_vec(),
            output: "tanh".to_owned(),
            formula:
                "v[j] = f[j](biases[j - observation] + sum of v[i] * w over edges [i, j, w]), \
                      v[..observation] = (x - mean) * scale, j ascending"
                    .to_owned(),
        }
    }
}

impl TryFrom<Document> for Actor {
    type Error = String;

    fn try_from(document: Document) -> Result<Self, String> {
        let Document { observation, action, hidden, normalizer, edges, biases, .. } = document;
        if document.format != FORMAT {
            return Err(format!("its format is not {FORMAT:?}"));
        }
        if [observation, action, hidden].iter().any(|n| *n >= MOST)
            || action == 0
            || observation == 0
        {
            return Err("observation, hidden and action must be small integers".to_owned());
        }
        let expect = |numbers: &[f64], name: &str, n: usize| match numbers.len() == n {
            true => Ok(()),
            false => Err(format!("{name} must be {n} numbers, got {}", numbers.len())),
        };
        expect(&normalizer.mean, "normalizer.mean", observation)?;
        expect(&normalizer.scale, "normalizer.scale", observation)?;
        expect(&biases, "biases", hidden + action)?;
        if document.nonlinearities.len() != hidden {
            return Err(format!("nonlinearities must be {hidden}"));
        }
        let limits = match (document.low, document.high) {
            (Some(low), Some(high)) => {
                expect(&low, "low", action)?;
                expect(&high, "high", action)?;
                Some([low, high])
            }
            _ => None,
        };
        let network =
            Network::of_edges(observation, action, biases, document.nonlinearities, edges);
        let network = network.ok_or("edges must be [source, target, weight], source < target")?;
        Ok(Self::new(network, normalizer, document.actions, limits))
    }
}
