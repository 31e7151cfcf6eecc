//! The graph all policies live on: E_max of appendix A.4.
//!
//! Vertices are numbered layer by layer: |S| states, the hidden units, |A| actions. An edge (i, j)
//! leads from a layer to the next one or, with residual edges, to any later one. So the targets of
//! a vertex are consecutive vertices, and edges numbered source by source need no list: edge e of
//! vertex i leads to `targets(i).start + e`.

use std::ops::Range;

use super::Biases;

/// The most edges a policy may have.
pub const MAX_EDGES: usize = 1 << 22;

/// Vertices and edges of a network, none of them stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Vertices of each layer.
    sizes: Vec<usize>,
    /// The first vertex of each layer, and the number of vertices.
    starts: Vec<usize>,
    /// The first edge that leaves each layer, and the number of edges.
    edges: Vec<usize>,
    residual: bool,
    biases: Biases,
}

impl Layout {
    /// From `observation` states over hidden layers to `action` actions; `None` beyond
    /// [`MAX_EDGES`].
    pub(super) fn new(
        observation: usize,
        action: usize,
        hidden: &[u32],
        residual: bool,
        biases: Biases,
    ) -> Option<Self> {
        let hidden = hidden.iter().map(|&units| units as usize);
        let sizes: Vec<usize> = [observation].into_iter().chain(hidden).chain([action]).collect();
        let mut starts = vec![0_usize];
        for size in &sizes {
            starts.push(starts.last()?.checked_add(*size)?);
        }
        let mut layout = Self { sizes, starts, edges: vec![0], residual, biases };
        for layer in 0..layout.sizes.len() - 1 {
            let width = layout.reach(layer).len();
            let count = layout.sizes[layer].checked_mul(width)?;
            let total = layout.edges[layer].checked_add(count).filter(|&all| all <= MAX_EDGES)?;
            layout.edges.push(total);
        }
        Some(layout)
    }

    /// The layers that `edges` allow, as few as there can be: a hidden unit begins a new one if it
    /// has a source in the layer before. `edges` come source by source.
    pub(super) fn of_edges(
        observation: usize,
        hidden: usize,
        action: usize,
        edges: &[(usize, usize, f64)],
    ) -> Self {
        let mut last = vec![0; hidden];
        for &(source, target, _) in edges {
            if let Some(last) = target.checked_sub(observation).and_then(|at| last.get_mut(at)) {
                *last = source;
            }
        }
        let mut starts = vec![0, observation];
        for (at, last) in last.into_iter().enumerate() {
            let first = starts[starts.len() - 1];
            if observation + at > first && last >= first {
                starts.push(observation + at);
            }
        }
        if hidden > 0 {
            starts.push(observation + hidden);
        }
        starts.push(observation + hidden + action);
        let sizes: Vec<usize> = starts.windows(2).map(|ends| ends[1] - ends[0]).collect();
        // Which edges there are is listed: none is found by its number.
        Self { edges: vec![0; sizes.len()], sizes, starts, residual: true, biases: Biases::All }
    }

    /// |S|
    pub fn observation(&self) -> usize {
        self.sizes[0]
    }

    /// |A|
    pub fn action(&self) -> usize {
        self.sizes[self.sizes.len() - 1]
    }

    /// k, the number of vertices.
    pub fn vertices(&self) -> usize {
        self.starts[self.sizes.len()]
    }

    /// The hidden units, as vertices.
    pub fn hidden(&self) -> Range<usize> {
        self.observation()..self.vertices() - self.action()
    }

    /// |E_max|
    pub fn edges(&self) -> usize {
        self.edges[self.sizes.len() - 1]
    }

    /// The vertices that have a bias.
    pub fn biased(&self) -> Range<usize> {
        match self.biases {
            Biases::None => self.observation()..self.observation(),
            Biases::Hidden => self.hidden(),
            Biases::All => self.observation()..self.vertices(),
        }
    }

    /// The layers that have targets: their vertices, the vertices they reach, and their first edge.
    pub(super) fn layers(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>, usize)> + '_ {
        (0..self.sizes.len() - 1)
            .map(|layer| (self.layer(layer), self.reach(layer), self.edges[layer]))
    }

    /// The edges that leave each layer.
    pub(super) fn parts(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.edges.windows(2).map(|ends| ends[0]..ends[1])
    }

    /// The vertices of the layers behind layer `layer` one by one: the columns of its matrices.
    pub(super) fn matrices(&self, layer: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let last = if self.residual { self.sizes.len() } else { layer + 2 };
        (layer + 1..last).map(|to| self.layer(to))
    }

    /// Source and target of edge `edge`.
    pub fn ends(&self, edge: usize) -> (usize, usize) {
        let layer = self.edges.partition_point(|first| *first <= edge) - 1;
        let (at, reach) = (edge - self.edges[layer], self.reach(layer));
        (self.starts[layer] + at / reach.len(), reach.start + at % reach.len())
    }

    fn layer(&self, layer: usize) -> Range<usize> {
        self.starts[layer]..self.starts[layer + 1]
    }

    fn reach(&self, layer: usize) -> Range<usize> {
        let end = if self.residual { self.vertices() } else { self.starts[layer + 2] };
        self.starts[layer + 1]..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(hidden: &[u32], residual: bool) -> Layout {
        Layout::new(3, 2, hidden, residual, Biases::Hidden).unwrap()
    }

    #[test]
    fn edges_are_numbered_source_by_source() {
        let plain = layout(&[2], false);
        let ends: Vec<_> = (0..plain.edges()).map(|e| plain.ends(e)).collect();
        let expected =
            [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4), (3, 5), (3, 6), (4, 5), (4, 6)];
        assert_eq!(ends, expected);
        assert_eq!((plain.vertices(), plain.hidden(), plain.biased()), (7, 3..5, 3..5));
    }

    #[test]
    fn residual_edges_reach_every_later_layer_and_no_vertex_of_the_same() {
        let residual = layout(&[2, 1], true);
        assert_eq!(residual.edges(), 3 * (2 + 1 + 2) + 2 * (1 + 2) + 2);
        let ends: Vec<_> = (0..residual.edges()).map(|e| residual.ends(e)).collect();
        assert!(ends.is_sorted());
        assert!(ends.contains(&(0, 7)) && !ends.contains(&(3, 4)));
        assert_eq!(residual.matrices(0).collect::<Vec<_>>(), [3..5, 5..6, 6..8]);
    }

    #[test]
    fn a_linear_policy_has_no_hidden_units_and_no_biases_there() {
        let linear = layout(&[], false);
        assert_eq!((linear.edges(), linear.hidden().len(), linear.biased().len()), (6, 0, 0));
    }

    #[test]
    fn a_graph_that_nobody_can_hold_is_refused() {
        assert_eq!(Layout::new(100, 100, &[u32::MAX], false, Biases::All), None);
        assert_eq!(Layout::new(usize::MAX, 3, &[1], false, Biases::All), None);
    }
}
