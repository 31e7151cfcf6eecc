//! Policies: what a model m and weights θ make of an observation (section 4, appendix A.4).
//!
//! | kind | m chooses | θ holds, beside biases |
//! |---|---|---|
//! | `unstructured` | nothing | a weight per edge |
//! | `toeplitz`, `circulant` | nothing | a weight per diagonal |
//! | `masked` | nothing | a weight and a mask entry per edge |
//! | `quantization` | a colour per edge | a weight per colour |
//! | `edge-pruning` | edges | a weight per edge that can be chosen |
//! | `nonlinearity` | edges, and σ of each hidden unit | the same |
//!
//! A [`Policy`] knows 𝓜 and d; [`Policy::decode`] writes (m, θ) into a [`Network`], which acts.
//! θ holds the weights first, then the mask, then the biases, and nothing that no model uses.

mod account;
mod activation;
mod colours;
mod config;
mod layout;
mod network;
mod start;
pub(crate) mod tanh;

pub use account::Account;
pub use activation::Activation;
pub use config::{
    Biases, Edges, MaskedConfig, PlainConfig, PolicyConfig, PruningConfig, QuantizationConfig,
};
pub use layout::{Layout, MAX_EDGES};
pub use network::Network;
pub use start::Initial;

use std::iter::repeat_n;
use std::ops::Range;

use activation::sigmoid;
use colours::Colours;
use esenas::space::Many;
use esenas::{Dna, SettingError, Space};
use network::Wiring;

/// A class of policies for an environment's sizes.
#[derive(Clone, Debug)]
pub struct Policy {
    layout: Layout,
    class: Class,
}

/// How weights get onto edges.
#[derive(Clone, Debug)]
enum Class {
    Unstructured,
    Coloured(Colours, &'static str),
    Masked { alpha: f64, usage: f64 },
    Quantized { colours: u32 },
    Pruned { edges: Edges, nonlinear: bool },
}

impl Policy {
    /// A class of policies from `observation` states to `action` actions.
    pub fn new(
        config: &PolicyConfig,
        observation: usize,
        action: usize,
    ) -> Result<Self, SettingError> {
        let PlainConfig { hidden, biases, residual } = config.plain();
        if hidden.contains(&0) {
            return Err(without_units(&hidden));
        }
        let layout = Layout::new(observation, action, &hidden, residual, biases);
        let layout = layout.ok_or_else(|| {
            let what = format!("makes more than {MAX_EDGES} edges, got {hidden:?}");
            SettingError::new("hidden", what)
        })?;
        let class = Class::new(config, &layout)?;
        Ok(Self { layout, class })
    }

    /// Vertices and possible edges.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// d
    pub fn dimension(&self) -> usize {
        self.weights() + self.mask() + self.layout.biased().len()
    }

    /// Of the weights in θ, how many are on edges, are entries of a mask, are biases: in this
    /// order.
    pub fn parts(&self) -> (usize, usize, usize) {
        (self.weights(), self.mask(), self.layout.biased().len())
    }

    /// Weights in θ.
    fn weights(&self) -> usize {
        match &self.class {
            Class::Unstructured | Class::Masked { .. } | Class::Pruned { .. } => {
                self.layout.edges()
            }
            Class::Coloured(colours, _) => colours.count,
            Class::Quantized { colours } => *colours as usize,
        }
    }

    /// Mask entries in θ, behind the weights.
    fn mask(&self) -> usize {
        if matches!(self.class, Class::Masked { .. }) { self.layout.edges() } else { 0 }
    }

    /// 𝓜
    pub fn space(&self) -> Space {
        let all = self.layout.edges() as u32;
        let each = |k| Many { k, distinct: false, sorted: false };
        let space = match &self.class {
            Class::Unstructured => Ok(Space::constant("unstructured")),
            Class::Coloured(_, name) => Ok(Space::constant(*name)),
            Class::Masked { .. } => Ok(Space::constant("masked")),
            Class::Quantized { colours } => Space::manyof(each(all), 0..=i64::from(*colours) - 1),
            Class::Pruned { edges, nonlinear } => {
                let edges = match edges {
                    Edges::Fixed(count) => Space::subset(*count, 0..=i64::from(all) - 1),
                    Edges::Each(counts) => {
                        let parts = counts.iter().zip(self.layout.parts());
                        let subset = |(count, part): (&u32, Range<usize>)| {
                            Space::subset(*count, part.start as i64..=part.end as i64 - 1)
                        };
                        parts.map(subset).collect::<Result<Vec<_>, _>>().and_then(Space::list)
                    }
                    Edges::Any => Space::manyof(each(all), [false, true]),
                };
                let units = self.layout.hidden().len() as u32;
                let names = || Activation::ALL.map(Activation::name);
                match nonlinear {
                    false => edges,
                    true => edges.and_then(|edges| {
                        let chosen = Space::manyof(each(units), names())?;
                        Space::dict([("edges", edges), ("nonlinearities", chosen)])
                    }),
                }
            }
        };
        space.expect("checked by Policy::new: there are edges, and enough of them")
    }

    /// A network to decode into.
    pub fn network(&self) -> Network {
        let sources = self.layout.vertices() - self.layout.action();
        let wiring = match &self.class {
            Class::Pruned { edges, .. } => {
                let room = edges.decisions(&self.layout);
                Wiring::Some { edges: Vec::with_capacity(room), ends: vec![0; sources] }
            }
            _ => Wiring::Full(vec![0.0; self.layout.edges()]),
        };
        Network::new(self.layout.clone(), wiring)
    }

    /// Writes the policy of m and θ into `network`, which is one of [`Policy::network`]. `dna` is a
    /// point of [`Policy::space`], and `theta` has [`Policy::dimension`] entries.
    pub fn decode(&self, dna: &Dna, theta: &[f64], network: &mut Network) {
        let genes = dna.genes();
        let (weights, rest) = theta.split_at(self.weights());
        let (mask, biases) = rest.split_at(self.mask());
        let biased = self.layout.biased();
        let first = biased.start - self.layout.observation();
        network.biases[first..first + biased.len()].copy_from_slice(biases);
        match (&self.class, &mut network.wiring) {
            (Class::Unstructured, Wiring::Full(out)) => out.copy_from_slice(weights),
            (Class::Coloured(colours, _), Wiring::Full(out)) => paint(out, &colours.of, weights),
            (Class::Quantized { .. }, Wiring::Full(out)) => paint(out, genes, weights),
            (Class::Masked { alpha, .. }, Wiring::Full(out)) => {
                for ((out, w), gamma) in out.iter_mut().zip(weights).zip(mask) {
                    *out = w * sigmoid(gamma / alpha);
                }
            }
            (Class::Pruned { edges, nonlinear }, Wiring::Some { edges: out, ends }) => {
                let used = edges.decisions(&self.layout);
                let (chosen, functions) = genes.split_at(used.min(genes.len()));
                match edges {
                    Edges::Fixed(_) => {
                        let chosen = chosen.iter().map(|e| *e as usize);
                        wire(&self.layout, chosen, weights, out, ends);
                    }
                    Edges::Each(counts) => {
                        // A gene is an index among the edges of its layer, and those ascend.
                        let parts = counts.iter().zip(self.layout.parts());
                        let firsts = parts.flat_map(|(k, part)| repeat_n(part.start, *k as usize));
                        let chosen =
                            chosen.iter().zip(firsts).map(|(e, first)| first + *e as usize);
                        wire(&self.layout, chosen, weights, out, ends);
                    }
                    Edges::Any => {
                        let chosen = chosen.iter().enumerate().filter(|(_, on)| **on == 1);
                        wire(&self.layout, chosen.map(|(e, _)| e), weights, out, ends);
                    }
                }
                if *nonlinear {
                    for (activation, gene) in network.activations.iter_mut().zip(functions) {
                        *activation = Activation::ALL[*gene as usize % Activation::ALL.len()];
                    }
                }
            }
            _ => unreachable!("the network is of this policy"),
        }
    }

    /// Whether the model says yes or no to each edge: its first genes.
    pub fn decides_about_each_edge(&self) -> bool {
        matches!(self.class, Class::Pruned { edges: Edges::Any, .. })
    }

    /// The share of edges that the mask of θ leaves in use, of a masked policy.
    pub fn usage(&self, theta: &[f64]) -> Option<f64> {
        let mask = &theta[self.weights()..][..self.mask()];
        let open = mask.iter().filter(|gamma| **gamma > 0.0).count();
        (!mask.is_empty()).then(|| open as f64 / mask.len() as f64)
    }

    /// What the policy of m and θ amounts to.
    pub fn account(&self, dna: &Dna, theta: &[f64]) -> Account {
        let (edges, biases) = (self.layout.edges(), self.layout.biased().len());
        let (weights, indexed) = match &self.class {
            Class::Unstructured | Class::Coloured(..) => (self.weights(), 0),
            Class::Quantized { colours } => (*colours as usize, edges),
            Class::Masked { .. } => {
                let open = self.usage(theta).unwrap_or(0.0) * edges as f64;
                (open.round() as usize, edges)
            }
            Class::Pruned { edges: Edges::Any, .. } => {
                let genes = &dna.genes()[..edges.min(dna.genes().len())];
                (genes.iter().filter(|gene| **gene == 1).count(), 0)
            }
            Class::Pruned { edges: chosen, .. } => (chosen.decisions(&self.layout), 0),
        };
        Account { weights, biases, indexed }
    }

    /// What the unstructured policy on the same vertices amounts to.
    pub fn full(&self) -> Account {
        let biases = self.layout.biased().len();
        Account { weights: self.layout.edges(), biases, indexed: 0 }
    }
}

impl Class {
    fn new(config: &PolicyConfig, layout: &Layout) -> Result<Self, SettingError> {
        let pool = layout.edges();
        Ok(match config {
            PolicyConfig::Unstructured(_) => Self::Unstructured,
            PolicyConfig::Toeplitz(_) => Self::Coloured(Colours::toeplitz(layout), "toeplitz"),
            PolicyConfig::Circulant(_) => Self::Coloured(Colours::circulant(layout), "circulant"),
            PolicyConfig::Masked(it) => {
                if !(it.alpha.is_finite() && it.alpha > 0.0) {
                    return Err(SettingError::must("alpha", "be positive and finite", it.alpha));
                }
                for (key, share) in [("usage", it.usage), ("beta", it.beta)] {
                    if !(0.0..=1.0).contains(&share) {
                        return Err(SettingError::must(key, "be from 0 to 1", share));
                    }
                }
                Self::Masked { alpha: it.alpha, usage: it.usage }
            }
            PolicyConfig::Quantization(it) => {
                let most = layout.observation().max(layout.action()) as u32;
                let partitions = it.partitions.unwrap_or(most);
                if partitions == 0 || partitions as usize > pool {
                    let what =
                        format!("must be from 1 to {pool}, the number of edges; got {partitions}");
                    return Err(SettingError::new("partitions", what));
                }
                Self::Quantized { colours: partitions }
            }
            PolicyConfig::EdgePruning(it) | PolicyConfig::Nonlinearity(it) => {
                it.edges.check(layout)?;
                let nonlinear = matches!(config, PolicyConfig::Nonlinearity(_));
                if nonlinear && layout.hidden().is_empty() {
                    return Err(without_units(&[]));
                }
                Self::Pruned { edges: it.edges.clone(), nonlinear }
            }
        })
    }
}

impl Edges {
    /// How many decisions choose them: one for each chosen edge, or one for each there is.
    fn decisions(&self, layout: &Layout) -> usize {
        match self {
            Self::Fixed(count) => *count as usize,
            Self::Each(counts) => counts.iter().map(|count| *count as usize).sum(),
            Self::Any => layout.edges(),
        }
    }

    fn check(&self, layout: &Layout) -> Result<(), SettingError> {
        let fits = |count: u32, there: usize| count > 0 && count as usize <= there;
        let refused = |what| Err(SettingError::new("edges", what));
        match self {
            Self::Fixed(edges) if !fits(*edges, layout.edges()) => refused(format!(
                "must be from 1 to {}, the edges there are, or \"any\"; got {edges}",
                layout.edges()
            )),
            Self::Each(each) => {
                let there: Vec<usize> = layout.parts().map(|part| part.len()).collect();
                let mut pairs = each.iter().zip(&there);
                let sound = each.len() == there.len() && pairs.all(|(k, n)| fits(*k, *n));
                if sound {
                    return Ok(());
                }
                refused(format!(
                    "must list at most {there:?}, the edges from each layer on, and at least 1; \
                     got {each:?}"
                ))
            }
            Self::Fixed(_) | Self::Any => Ok(()),
        }
    }
}

fn without_units(hidden: &[u32]) -> SettingError {
    SettingError::must("hidden", "list positive numbers of units", format_args!("{hidden:?}"))
}

/// w_e ← w^(c(e))
fn paint(out: &mut [f64], colours: &[u32], weights: &[f64]) {
    for (out, colour) in out.iter_mut().zip(colours) {
        *out = weights[*colour as usize];
    }
}

/// Lists the chosen edges, which ascend, source by source.
fn wire(
    layout: &Layout,
    chosen: impl Iterator<Item = usize>,
    weights: &[f64],
    edges: &mut Vec<(u32, f64)>,
    ends: &mut [u32],
) {
    edges.clear();
    ends.fill(0);
    for edge in chosen {
        let (source, target) = layout.ends(edge);
        edges.push((target as u32, weights[edge]));
        ends[source] += 1;
    }
    let mut total = 0;
    for end in ends {
        total += *end;
        *end = total;
    }
}
