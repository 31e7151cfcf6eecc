//! The first θ.
//!
//! From zero nothing is learned: a tanh network without biases of its actions does the same for θ
//! and −θ, so the halves of a pair are worth the same. The authors' code draws weights and biases
//! of pruned networks from U(−1, 1). A full network would start saturated so, and U(−a, a) with a²
//! = 3 / fan-in keeps the input of a unit at a variance of about 1; with one or two edges per unit
//! that is U(−1, 1) again. The authors draw the weights of quantized networks from N(0, 1):
//! [`Initial::Normal`].

use esenas::{Noise, Stream};
use serde::{Deserialize, Serialize};

use super::{Class, Edges, Policy};

/// What the first weights are drawn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Initial {
    /// U(−scale, scale), biases too.
    #[default]
    Uniform,
    /// N(0, scale²), and biases from U(−1, 1): the authors' quantized networks.
    Normal,
}

impl Policy {
    /// The width of the distribution, unless a study says otherwise.
    pub fn scale(&self, initial: Initial) -> f64 {
        match initial {
            Initial::Uniform => self.width(),
            Initial::Normal => 1.0,
        }
    }

    /// a
    fn width(&self) -> f64 {
        let edges = match &self.class {
            Class::Pruned { edges: Edges::Any, .. } => 0.5 * self.layout.edges() as f64,
            Class::Pruned { edges, .. } => edges.decisions(&self.layout) as f64,
            Class::Masked { usage, .. } => usage * self.layout.edges() as f64,
            _ => self.layout.edges() as f64,
        };
        let targets = (self.layout.vertices() - self.layout.observation()) as f64;
        (3.0 * targets / edges.max(1.0)).sqrt().min(1.0)
    }

    /// Weights from `initial`, biases beside them, and a mask that leaves its share of edges in
    /// use.
    pub fn start(&self, initial: Initial, scale: f64, stream: &mut Stream) -> Vec<f64> {
        let uniform = if initial == Initial::Uniform { scale } else { 1.0 };
        let mut theta: Vec<f64> =
            (0..self.dimension()).map(|_| uniform * (2.0 * stream.unit() - 1.0)).collect();
        if initial == Initial::Normal {
            let normal = Noise::Gaussian(stream.bits()).row(0, self.weights());
            theta.iter_mut().zip(normal).for_each(|(w, x)| *w = scale * f64::from(x));
        }
        if let Class::Masked { usage, alpha } = self.class {
            let mask = &mut theta[self.weights()..][..self.layout.edges()];
            let open = (usage * mask.len() as f64).round() as usize;
            let mut signs: Vec<f64> =
                (0..mask.len()).map(|at| if at < open { 1.0 } else { -1.0 }).collect();
            stream.shuffle(&mut signs);
            // Far from the threshold an entry feels no reward for closing: only perturbations that
            // cross it are told apart. At 10 α an entry is open or closed to five digits.
            let within = 10.0 * alpha;
            let magnitude = |gamma: &f64| within * (gamma / uniform).abs();
            mask.iter_mut()
                .zip(signs)
                .for_each(|(gamma, sign)| *gamma = magnitude(gamma).copysign(sign));
        }
        theta
    }
}
