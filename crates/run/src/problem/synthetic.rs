//! Hybrid problems with a known optimum, for trying things out.
//!
//! θ is cut into blocks. The model chooses for each block the *shape* its coordinates should take:
//! flat, a ramp with a slope, or a wave with a height and a period; which of those are to be chosen
//! depends on the shape, so the space is nested. With p(m) the shapes of all blocks and m* a hidden
//! model drawn from `instance`,
//!
//! f(m, θ) = −F(θ − p(m)) − w · mismatch(m, m*) + noise · N(0, 1)
//!
//! where F is one of the usual functions, zero at zero, and mismatch counts for each block 1 for
//! a wrong shape and ½ for its right settings missed (½ shared among them); w is half the size of
//! a block. So f ≤ 0, with equality at (m*, p(m*)) only: θ has to take the shapes that the model
//! chooses, and the model has to be found.

use std::f64::consts::TAU;
use std::num::NonZeroUsize;
use std::ops::Range;

use esenas::{Dna, Noise, Purpose, Seed, Space};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Kind, Objective, Point};
use crate::evaluator::{Evaluator, InProcess};
use crate::spec::{Fault, LARGEST, StartConfig};
use crate::study::StudyError;
use crate::{Evaluation, Outcome};

const SLOPES: [f64; 4] = [-1.0, -0.5, 0.5, 1.0];
const HEIGHTS: [f64; 2] = [0.5, 1.0];
const PERIODS: [u32; 4] = [4, 8, 16, 32];

/// The settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SyntheticConfig {
    /// F
    pub function: Function,
    /// d
    pub dimension: usize,
    /// How many blocks; 13 models each.
    pub blocks: usize,
    /// Which hidden model.
    pub instance: u64,
    /// The deviation of the noise.
    pub noise: f64,
    /// The first θ.
    pub start: StartConfig,
}

impl Default for SyntheticConfig {
    fn default() -> Self {
        Self {
            function: Function::Sphere,
            dimension: 200,
            blocks: 4,
            instance: 0,
            noise: 0.0,
            start: StartConfig::Gaussian(1.0),
        }
    }
}

/// Functions of ℝᵈ, least at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Function {
    /// Σ xᵢ²
    Sphere,
    /// Σ 10^(6 i/(d−1)) xᵢ²
    Ellipsoid,
    /// Σ (xᵢ² + 10 − 10 cos 2π xᵢ)
    Rastrigin,
}

impl SyntheticConfig {
    /// 𝓜: one choice of shape per block.
    pub fn space(&self) -> Space {
        let block = json!({ "oneof": [
            { "shape": "flat" },
            { "shape": "ramp", "slope": { "oneof": SLOPES } },
            { "shape": "wave", "height": { "oneof": HEIGHTS }, "period": { "oneof": PERIODS } },
        ] });
        Space::from_value(&json!({ "blocks": vec![block; self.blocks] }))
            .expect("three shapes per block are a space, with any number of blocks that is checked")
    }

    /// The problem itself.
    pub fn build(&self) -> Synthetic {
        let mut stream = Seed(self.instance).stream(Purpose::Problem, 0, 0);
        let hidden = self.space().sample(&mut stream);
        let ratio = 1e6_f64.powf(1.0 / self.dimension.saturating_sub(1).max(1) as f64);
        Synthetic { config: self.clone(), hidden, ratio }
    }
}

impl Kind for SyntheticConfig {
    fn flat(&self) -> Option<usize> {
        Some(self.dimension)
    }

    fn space(&self) -> Space {
        self.space()
    }

    fn start(&self) -> StartConfig {
        self.start.clone()
    }

    fn check(&self) -> Result<(), Fault> {
        let most = 100_000.min(self.dimension);
        // A dimension of 0 is refused next, by its own name.
        if self.dimension > 0 && !(1..=most).contains(&self.blocks) {
            let what = format!("must be from 1 to {most}");
            return Err(Fault::new("problem.blocks", what).help("no block may be empty"));
        }
        if !(self.noise.is_finite() && self.noise >= 0.0) {
            return Err(Fault::new("problem.noise", "must be zero or positive"));
        }
        if self.instance > LARGEST {
            return Err(Fault::new("problem.instance", format!("must be at most {LARGEST}")));
        }
        Ok(())
    }

    fn evaluator(&self, workers: Option<NonZeroUsize>) -> Result<Box<dyn Evaluator>, StudyError> {
        Ok(Box::new(InProcess::new(self.build(), workers)))
    }
}

/// The problem: an [`Objective`] that needs no decoding.
#[derive(Clone, Debug)]
pub struct Synthetic {
    config: SyntheticConfig,
    hidden: Dna,
    /// The ratio of neighbouring axes of the ellipsoid.
    ratio: f64,
}

/// What a block's genes say.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Flat,
    Ramp { slope: f64 },
    Wave { height: f64, period: u32 },
}

impl Shape {
    /// Takes the genes of one block off the front. Settings come in the order of their names.
    fn take(genes: &mut impl Iterator<Item = u32>) -> Self {
        let mut next = || genes.next().unwrap_or(0) as usize;
        match next() {
            1 => Self::Ramp { slope: SLOPES[next() % 4] },
            2 => {
                let (height, period) = (HEIGHTS[next() % 2], PERIODS[next() % 4]);
                Self::Wave { height, period }
            }
            _ => Self::Flat,
        }
    }

    /// Where coordinate `at` of a block of `size` should be.
    fn at(self, at: usize, size: usize) -> f64 {
        match self {
            Self::Flat => 0.0,
            Self::Ramp { slope } => slope * (2.0 * at as f64 / size as f64 - 1.0),
            // A triangle, which unlike a sine is the same on every machine.
            Self::Wave { height, period } => {
                let phase = (at as u32 % period) as f64 / f64::from(period);
                height * (4.0 * (phase - 0.5).abs() - 1.0)
            }
        }
    }

    fn mismatch(self, hidden: Self) -> f64 {
        let wrong = |share: f64, differ: bool| if differ { share } else { 0.0 };
        match (self, hidden) {
            (Self::Flat, Self::Flat) => 0.0,
            (Self::Ramp { slope: a }, Self::Ramp { slope: b }) => wrong(0.5, a != b),
            (Self::Wave { height: a, period: p }, Self::Wave { height: b, period: q }) => {
                wrong(0.25, a != b) + wrong(0.25, p != q)
            }
            _ => 1.0,
        }
    }
}

impl Synthetic {
    /// The best model there is.
    pub fn best_model(&self) -> &Dna {
        &self.hidden
    }

    /// The best θ for `model`.
    pub fn best_theta(&self, model: &Dna) -> Vec<f64> {
        let mut genes = model.genes().iter().copied();
        let block = |block| {
            let (shape, range) = (Shape::take(&mut genes), self.block(block));
            let size = range.len();
            (0..size).map(move |at| shape.at(at, size))
        };
        (0..self.config.blocks).flat_map(block).collect()
    }

    fn block(&self, block: usize) -> Range<usize> {
        let edge = |block: usize| block * self.config.dimension / self.config.blocks;
        edge(block)..edge(block + 1)
    }

    /// f without its noise.
    pub fn value(&self, model: &Dna, theta: &[f64]) -> f64 {
        let mut genes = model.genes().iter().copied();
        let mut hidden = self.hidden.genes().iter().copied();
        let weight = 0.5 * self.config.dimension as f64 / self.config.blocks as f64;
        let (mut cost, mut axis) = (0.0, 1.0);
        for block in 0..self.config.blocks {
            let (shape, wanted) = (Shape::take(&mut genes), Shape::take(&mut hidden));
            let theta = &theta[self.block(block)];
            let gaps = theta.iter().enumerate().map(|(at, x)| x - shape.at(at, theta.len()));
            cost += weight * shape.mismatch(wanted);
            cost += match self.config.function {
                Function::Sphere => gaps.map(|x| x * x).sum::<f64>(),
                Function::Rastrigin => {
                    gaps.map(|x| x * x + 10.0 - 10.0 * (TAU * x).cos()).sum::<f64>()
                }
                Function::Ellipsoid => {
                    let scaled = |x: f64| {
                        let term = axis * x * x;
                        axis *= self.ratio;
                        term
                    };
                    gaps.map(scaled).sum::<f64>()
                }
            };
        }
        -cost
    }
}

impl Objective for Synthetic {
    fn evaluate(&self, point: &Point<'_>) -> Outcome {
        let value = self.value(point.model.dna, point.theta);
        let noise = match self.config.noise {
            0.0 => 0.0,
            noise => noise * f64::from(Noise::Gaussian(point.seed()).row(0, 1)[0]),
        };
        Ok(Evaluation::new(value + noise))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(function: Function) -> Synthetic {
        SyntheticConfig { function, dimension: 50, ..SyntheticConfig::default() }.build()
    }

    #[test]
    fn the_optimum_is_zero_and_there_only() {
        for function in [Function::Sphere, Function::Ellipsoid, Function::Rastrigin] {
            let problem = problem(function);
            let best = problem.best_model().clone();
            let theta = problem.best_theta(&best);
            assert_eq!(problem.value(&best, &theta), 0.0);
            let mut beside = theta.clone();
            beside[7] += 0.01;
            assert!(problem.value(&best, &beside) < 0.0);
            let space = problem.config.space();
            assert_eq!(space.size().exact, Some(13_u128.pow(4)));
            let worse = |dna: Dna| problem.value(&dna, &problem.best_theta(&dna)) < 0.0;
            assert!(space.enumerate().take(2000).filter(|dna| *dna != best).all(worse));
        }
    }

    /// Red when a shape is read off other genes than decoding reads it off.
    #[test]
    fn genes_mean_what_they_decode_to() {
        let problem = problem(Function::Sphere);
        let space = problem.config.space();
        for dna in space.enumerate().step_by(97) {
            let mut genes = dna.genes().iter().copied();
            for block in space.decode(&dna).unwrap()["blocks"].as_array().unwrap() {
                let expected = match block["shape"].as_str().unwrap() {
                    "flat" => Shape::Flat,
                    "ramp" => Shape::Ramp { slope: block["slope"].as_f64().unwrap() },
                    _ => Shape::Wave {
                        height: block["height"].as_f64().unwrap(),
                        period: block["period"].as_u64().unwrap() as u32,
                    },
                };
                assert_eq!(Shape::take(&mut genes), expected);
            }
            assert_eq!(genes.next(), None);
        }
    }

    #[test]
    fn noise_depends_on_the_address_alone() {
        let config = SyntheticConfig { noise: 1.0, ..SyntheticConfig::default() };
        let (problem, space) = (config.build(), config.space());
        let layout = config.layout().unwrap();
        let dna = problem.best_model();
        let theta = problem.best_theta(dna);
        let value = |index| {
            let model = crate::problem::Model { space: &space, dna };
            let (layout, role, seed) = (&layout, esenas::Role::Probe, Seed(3));
            let theta = &theta;
            let point = Point { model, theta, role, layout, seed, iteration: 1, index };
            problem.evaluate(&point).unwrap().value
        };
        assert_eq!(value(0), value(0));
        assert_ne!(value(0), value(1));
    }
}
