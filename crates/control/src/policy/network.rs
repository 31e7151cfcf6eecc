//! The one forward pass: for j in order, v_j = σ_j(b_j + Σ_i v_i w_ij) (appendix A.4).
//!
//! Values are pushed along edges: once v_i is known it is added, times the weight, to its targets,
//! which are consecutive vertices. So a full matrix is a row of vector additions, a pruned one a
//! list of edges, and both sum the inputs of a vertex in the order of its sources. Nothing is
//! allocated.
//!
//! All of it runs with the widest vectors the machine has; nothing is fused or reordered, so the
//! bits are the same on every machine.

use std::sync::LazyLock;

use pulp::{Arch, Simd, WithSimd};

use super::tanh::tanh;
use super::{Activation, Layout};
use crate::Normalizer;

static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);

/// A decoded policy: what runs in an episode. Its buffers are reused by the next decoding.
#[derive(Clone, Debug)]
pub struct Network {
    pub(super) layout: Layout,
    /// v, all vertices.
    values: Vec<f64>,
    /// b, of all vertices but the states; zero where there is none.
    pub(super) biases: Vec<f64>,
    /// σ of the hidden units; actions always have tanh.
    pub(super) activations: Vec<Activation>,
    pub(super) wiring: Wiring,
}

/// The weights.
#[derive(Clone, Debug)]
pub(super) enum Wiring {
    /// Of every edge of the layout.
    Full(Vec<f64>),
    /// Of some edges, with their targets, source by source; and how many there are up to and with
    /// each source.
    Some { edges: Vec<(u32, f64)>, ends: Vec<u32> },
}

impl Network {
    pub(super) fn new(layout: Layout, wiring: Wiring) -> Self {
        let (vertices, inputs) = (layout.vertices(), layout.observation());
        let activations = vec![Activation::Tanh; layout.hidden().len()];
        let biases = vec![0.0; vertices - inputs];
        Self { layout, values: vec![0.0; vertices], biases, activations, wiring }
    }

    /// The network with these edges (source, target, weight), in which every vertex comes after its
    /// sources; `None` if they are not so. There are as many hidden units as activations.
    pub fn of_edges(
        observation: usize,
        action: usize,
        biases: Vec<f64>,
        activations: Vec<Activation>,
        mut edges: Vec<(usize, usize, f64)>,
    ) -> Option<Self> {
        edges.sort_by_key(|(source, ..)| *source);
        let sources = observation + activations.len();
        let fits = |&(source, target, _): &(usize, usize, f64)| {
            source < sources
                && source < target
                && observation <= target
                && target < sources + action
        };
        if biases.len() != activations.len() + action || !edges.iter().all(fits) {
            return None;
        }
        let mut ends = vec![0_u32; sources];
        edges.iter().for_each(|(source, ..)| ends[*source] += 1);
        let mut total = 0;
        for end in &mut ends {
            total += *end;
            *end = total;
        }
        let layout = Layout::of_edges(observation, activations.len(), action, &edges);
        let edges = edges.into_iter().map(|(_, target, weight)| (target as u32, weight)).collect();
        let values = vec![0.0; sources + action];
        let wiring = Wiring::Some { edges, ends };
        Some(Self { layout, values, biases, activations, wiring })
    }

    /// Vertices and possible edges.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Where the (normalized) observation goes.
    pub fn input(&mut self) -> &mut [f64] {
        &mut self.values[..self.layout.observation()]
    }

    /// From the input to an action, each coordinate in [−1, 1].
    pub fn forward(&mut self, action: &mut [f64]) {
        ARCH.dispatch(Forward { network: self, action });
    }

    /// The same of as many observations as there are, one after the other, each [`WIDTH`] of them
    /// side by side: every one of them gets the bits that `forward` gives it alone.
    pub(crate) fn forward_all(
        &self,
        normalizer: &Normalizer,
        observations: &[f64],
        actions: &mut [f64],
    ) {
        ARCH.dispatch(ForwardAll { network: self, normalizer, observations, actions });
    }

    /// The edges in use: source, target, weight.
    pub fn edges(&self) -> Vec<(usize, usize, f64)> {
        match &self.wiring {
            Wiring::Full(weights) => {
                let edge = |(at, weight): (usize, &f64)| {
                    let (source, target) = self.layout.ends(at);
                    (source, target, *weight)
                };
                weights.iter().enumerate().map(edge).collect()
            }
            Wiring::Some { edges, ends } => {
                let edge = |(at, (target, weight)): (usize, &(u32, f64))| {
                    let source = ends.partition_point(|end| *end as usize <= at);
                    (source, *target as usize, *weight)
                };
                edges.iter().enumerate().map(edge).collect()
            }
        }
    }

    /// b of every vertex behind the states.
    pub fn biases(&self) -> &[f64] {
        &self.biases
    }

    /// σ of every hidden unit.
    pub fn activations(&self) -> &[Activation] {
        &self.activations
    }
}

struct Forward<'a> {
    network: &'a mut Network,
    action: &'a mut [f64],
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Network { layout, values, biases, activations, wiring } = self.network;
        let inputs = layout.observation();
        values[inputs..].copy_from_slice(biases);
        for (sources, reach, first) in layout.layers() {
            if sources.start >= inputs {
                let at = sources.start - inputs..sources.end - inputs;
                activate(&mut values[sources.clone()], &activations[at]);
            }
            match wiring {
                Wiring::Full(weights) => {
                    let (done, ahead) = values.split_at_mut(reach.start);
                    let targets = &mut ahead[..reach.len()];
                    let rows = weights[first..].chunks_exact(reach.len());
                    for (v, row) in done[sources].iter().zip(rows) {
                        targets.iter_mut().zip(row).for_each(|(target, w)| *target += v * w);
                    }
                }
                Wiring::Some { edges, ends } => {
                    for source in sources {
                        let start = if source == 0 { 0 } else { ends[source - 1] as usize };
                        let v = values[source];
                        for (target, weight) in &edges[start..ends[source] as usize] {
                            values[*target as usize] += v * weight;
                        }
                    }
                }
            }
        }
        let outputs = &values[values.len() - self.action.len()..];
        self.action.iter_mut().zip(outputs).for_each(|(action, v)| *action = tanh(*v));
    }
}

/// Observations that are passed forward side by side: as many doubles as the widest vector has.
const WIDTH: usize = 8;

struct ForwardAll<'a> {
    network: &'a Network,
    normalizer: &'a Normalizer,
    observations: &'a [f64],
    actions: &'a mut [f64],
}

impl WithSimd for ForwardAll<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Network { layout, biases, activations, wiring, .. } = self.network;
        let (inputs, outputs) = (layout.observation(), layout.action());
        let mut values = vec![[0.0; WIDTH]; layout.vertices()];
        let rows = self.observations.chunks(WIDTH * inputs);
        for (seen, acted) in rows.zip(self.actions.chunks_mut(WIDTH * outputs)) {
            for (at, row) in seen.chunks_exact(inputs).enumerate() {
                let parts = row.iter().zip(&self.normalizer.mean).zip(&self.normalizer.scale);
                for (value, ((x, mean), scale)) in values.iter_mut().zip(parts) {
                    value[at] = (x - mean) * scale;
                }
            }
            for (value, bias) in values[inputs..].iter_mut().zip(biases) {
                *value = [*bias; WIDTH];
            }
            for (sources, reach, first) in layout.layers() {
                for source in sources.clone() {
                    if let Some(hidden) = source.checked_sub(inputs) {
                        match activations[hidden] {
                            Activation::Tanh => {
                                values[source].iter_mut().for_each(|v| *v = tanh(*v))
                            }
                            other => values[source].iter_mut().for_each(|v| *v = other.apply(*v)),
                        }
                    }
                    let v = values[source];
                    let mut add = |target: usize, weight: f64| {
                        let sums = &mut values[target];
                        sums.iter_mut().zip(v).for_each(|(sum, v)| *sum += v * weight);
                    };
                    match wiring {
                        Wiring::Full(weights) => {
                            let start = first + (source - sources.start) * reach.len();
                            let row = &weights[start..start + reach.len()];
                            reach.clone().zip(row).for_each(|(target, w)| add(target, *w));
                        }
                        Wiring::Some { edges, ends } => {
                            let start = if source == 0 { 0 } else { ends[source - 1] as usize };
                            let own = &edges[start..ends[source] as usize];
                            own.iter().for_each(|(target, w)| add(*target as usize, *w));
                        }
                    }
                }
            }
            let last = values.len() - outputs;
            for (output, value) in values[last..].iter_mut().enumerate() {
                value.iter_mut().for_each(|v| *v = tanh(*v));
                for (row, v) in acted.chunks_exact_mut(outputs).zip(&*value) {
                    row[output] = *v;
                }
            }
        }
    }
}

/// Side by side, if it is tanh for all.
#[inline(always)]
fn activate(values: &mut [f64], activations: &[Activation]) {
    // Without stopping at the first: that takes a branch for each.
    if activations.iter().fold(true, |all, activation| all & (*activation == Activation::Tanh)) {
        values.iter_mut().for_each(|v| *v = tanh(*v));
    } else {
        values.iter_mut().zip(activations).for_each(|(v, activation)| *v = activation.apply(*v));
    }
}
