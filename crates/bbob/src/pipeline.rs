//! z from x: transforms one after the other, over the points of a batch.
//!
//! Linear maps that follow one another are multiplied out when the pipeline is made, so that
//! Q Λ R x costs one product.

use crate::lanes;
use crate::packed::Packed;
use crate::rotation::{Rotation, Square};
use crate::transforms::{asy, osz, ramp};

/// What turns x into z.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    dim: usize,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    Dense(Packed),
    Diagonal(Vec<f64>),
    Offset(Vec<f64>),
    Osz,
    /// T_asy with βtᵢ for each coordinate.
    Asy(Vec<f64>),
    Round,
}

/// A pipeline in the making: its steps so far, and the linear map they end in.
pub(crate) struct Builder {
    dim: usize,
    steps: Vec<Step>,
    linear: Linear,
}

enum Linear {
    Identity,
    Diagonal(Vec<f64>),
    Dense(Square),
}

impl Builder {
    pub(crate) fn new(dim: usize) -> Self {
        Self { dim, steps: Vec::new(), linear: Linear::Identity }
    }

    /// A rotation; none is the identity.
    pub(crate) fn rotate(mut self, rotation: Option<&Rotation>) -> Self {
        if let Some(Rotation { matrix }) = rotation {
            self.linear = Linear::Dense(match self.linear {
                Linear::Identity => matrix.clone(),
                Linear::Diagonal(scale) => {
                    let mut matrix = matrix.clone();
                    matrix.scale_columns(&scale);
                    matrix
                }
                Linear::Dense(before) => before.then(matrix),
            });
        }
        self
    }

    /// A factor for each coordinate.
    pub(crate) fn scale(mut self, scale: Vec<f64>) -> Self {
        self.linear = match self.linear {
            Linear::Identity => Linear::Diagonal(scale),
            Linear::Diagonal(before) => {
                Linear::Diagonal(before.iter().zip(&scale).map(|(a, b)| a * b).collect())
            }
            Linear::Dense(mut before) => {
                before.scale_rows(&scale);
                Linear::Dense(before)
            }
        };
        self
    }

    pub(crate) fn offset(self, offset: Vec<f64>) -> Self {
        self.step(Step::Offset(offset))
    }

    pub(crate) fn osz(self) -> Self {
        self.step(Step::Osz)
    }

    pub(crate) fn asy(self, beta: f64) -> Self {
        let exponents = ramp(self.dim).map(|t| beta * t).collect();
        self.step(Step::Asy(exponents))
    }

    /// To integers above ½, to tenths below.
    pub(crate) fn round(self) -> Self {
        self.step(Step::Round)
    }

    fn step(mut self, step: Step) -> Self {
        self.flush();
        self.steps.push(step);
        self
    }

    fn flush(&mut self) {
        match std::mem::replace(&mut self.linear, Linear::Identity) {
            Linear::Identity => {}
            Linear::Diagonal(scale) => self.steps.push(Step::Diagonal(scale)),
            Linear::Dense(matrix) => self.steps.push(Step::Dense(Packed::new(&matrix))),
        }
    }

    pub(crate) fn build(mut self) -> Pipeline {
        self.flush();
        Pipeline { dim: self.dim, steps: self.steps }
    }
}

impl Pipeline {
    /// Whether z is x.
    pub(crate) fn is_identity(&self) -> bool {
        self.steps.is_empty()
    }

    /// Replaces `xs` by their z. `spare` has the same length.
    pub(crate) fn apply(&self, xs: &mut Vec<f64>, spare: &mut Vec<f64>) {
        for step in &self.steps {
            match step {
                Step::Dense(matrix) => {
                    matrix.apply(xs, spare);
                    std::mem::swap(xs, spare);
                }
                Step::Diagonal(scale) => self.each(xs, scale, |x, scale| x * scale),
                Step::Offset(offset) => self.each(xs, offset, |x, offset| x + offset),
                Step::Osz => lanes::map(xs, osz),
                Step::Asy(exponents) => self.each(xs, exponents, asy),
                Step::Round => lanes::map(xs, round),
            }
        }
    }

    /// Applies `map` to each coordinate and its constant.
    fn each(&self, xs: &mut [f64], constants: &[f64], map: impl Fn(f64, f64) -> f64) {
        for x in xs.chunks_exact_mut(self.dim) {
            lanes::each(x, constants, &map);
        }
    }
}

#[inline(always)]
fn round(y: f64) -> f64 {
    if y > 0.5 { (0.5 + y).floor() } else { (0.5 + 10.0 * y).floor() / 10.0 }
}

#[cfg(test)]
mod tests {
    use esenas::{Purpose, Seed};

    use super::*;
    use crate::transforms::lambda;

    #[test]
    fn multiplied_out_or_one_by_one_is_the_same_map() {
        let dim = 9;
        let mut stream = Seed(2).stream(Purpose::Problem, 0, 0);
        let (r, q) = (Rotation::haar(dim, &mut stream), Rotation::haar(dim, &mut stream));
        let scale = lambda(100.0, dim);
        let x: Vec<f64> = (0..dim).map(|_| 10.0 * stream.unit() - 5.0).collect();
        let times = |scale: &[f64], x: Vec<f64>| -> Vec<f64> {
            scale.iter().zip(x).map(|(a, b)| a * b).collect()
        };
        let plain = q.matrix.times(&times(&scale, r.matrix.times(&times(&scale, x.clone()))));
        let pipeline = Builder::new(dim)
            .scale(scale.clone())
            .rotate(Some(&r))
            .scale(scale)
            .rotate(Some(&q))
            .build();
        assert_eq!(pipeline.steps.len(), 1);
        let (mut z, mut spare) = (x.clone(), x);
        pipeline.apply(&mut z, &mut spare);
        assert!(z.iter().zip(&plain).all(|(a, b)| (a - b).abs() < 1e-12), "{z:?} {plain:?}");
    }

    #[test]
    fn rounding_is_fine_below_a_half_and_coarse_above() {
        assert_eq!(
            [0.04, 0.06, 0.5, 0.51, 1.4, -0.26, -3.12].map(round),
            [0.0, 0.1, 0.5, 1.0, 1.0, -0.3, -3.1]
        );
    }
}
