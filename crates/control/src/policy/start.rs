//! The first θ.
//!
//! From zero nothing is learned: a tanh network without biases of its actions does the same for θ
//! and −θ, so the halves of a pair are worth the same. The authors' code draws weights and biases
//! of pruned networks from U(−1, 1). A full network would start saturated so, and U(−a, a) with a²
//! = 3 / fan-in keeps the input of a unit at a variance of about 1; with one or two edges per unit
//! that is U(−1, 1) again.

use esenas::Stream;

use super::{Class, Edges, Policy};

impl Policy {
    /// a, unless a study says otherwise.
    pub fn scale(&self) -> f64 {
        let edges = match &self.class {
            Class::Pruned { edges: Edges::Fixed(count), .. } => f64::from(*count),
            Class::Pruned { edges: Edges::Any, .. } => 0.5 * self.layout.edges() as f64,
            Class::Masked { usage, .. } => usage * self.layout.edges() as f64,
            _ => self.layout.edges() as f64,
        };
        let targets = (self.layout.vertices() - self.layout.observation()) as f64;
        (3.0 * targets / edges.max(1.0)).sqrt().min(1.0)
    }

    /// Weights and biases from U(−`scale`, `scale`), and a mask that leaves its share of edges in
    /// use.
    pub fn start(&self, scale: f64, stream: &mut Stream) -> Vec<f64> {
        let mut theta: Vec<f64> =
            (0..self.dimension()).map(|_| scale * (2.0 * stream.unit() - 1.0)).collect();
        if let Class::Masked { usage, .. } = self.class {
            let mask = &mut theta[self.weights()..][..self.layout.edges()];
            let open = (usage * mask.len() as f64).round() as usize;
            let mut signs: Vec<f64> =
                (0..mask.len()).map(|at| if at < open { 1.0 } else { -1.0 }).collect();
            stream.shuffle(&mut signs);
            mask.iter_mut()
                .zip(signs)
                .for_each(|(gamma, sign)| *gamma = gamma.abs().copysign(sign));
        }
        theta
    }
}
