//! The one forward pass: for j in order, v_j = σ_j(b_j + Σ_i v_i w_ij) (appendix A.4).
//!
//! Values are pushed along edges: once v_i is known it is added, times the weight, to its targets,
//! which are consecutive vertices. So a full matrix is a row of vector additions, a pruned one a list
//! of edges, and both sum the inputs of a vertex in the order of its sources. Nothing is allocated.

use super::{Activation, Layout};

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
        let inputs = self.layout.observation();
        self.values[inputs..].copy_from_slice(&self.biases);
        match &self.wiring {
            Wiring::Full(weights) => {
                self.layout.push_all(&mut self.values, &self.activations, weights)
            }
            Wiring::Some { edges, ends } => {
                push_some(&mut self.values, inputs, &self.activations, edges, ends);
            }
        }
        let outputs = &self.values[self.values.len() - action.len()..];
        action.iter_mut().zip(outputs).for_each(|(action, v)| *action = v.tanh());
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

impl Layout {
    fn push_all(&self, values: &mut [f64], activations: &[Activation], weights: &[f64]) {
        let inputs = self.observation();
        for (sources, reach, first) in self.layers() {
            let (done, ahead) = values.split_at_mut(reach.start);
            let targets = &mut ahead[..reach.len()];
            let rows = weights[first..].chunks_exact(reach.len());
            for (source, row) in sources.zip(rows) {
                if source >= inputs {
                    done[source] = activations[source - inputs].apply(done[source]);
                }
                let v = done[source];
                targets.iter_mut().zip(row).for_each(|(target, w)| *target += v * w);
            }
        }
    }
}

/// A unit that nothing depends on is left as it is.
fn push_some(
    values: &mut [f64],
    inputs: usize,
    activations: &[Activation],
    edges: &[(u32, f64)],
    ends: &[u32],
) {
    let mut start = 0;
    for (source, end) in ends.iter().enumerate() {
        let end = *end as usize;
        if start == end {
            continue;
        }
        if source >= inputs {
            values[source] = activations[source - inputs].apply(values[source]);
        }
        let v = values[source];
        for (target, weight) in &edges[start..end] {
            values[*target as usize] += v * weight;
        }
        start = end;
    }
}
