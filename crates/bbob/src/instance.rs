//! A function of a given dimension, with everything that can be computed beforehand computed.

use esenas::{Purpose, Seed};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Function;
use crate::compose::{Formula, compose, optimum};
use crate::lanes;
use crate::pipeline::Pipeline;
use crate::rotation::{MAX_ROTATED, Rotation, RotationError};
use crate::transforms::penalty;

/// The largest dimension of a function that is not rotated.
pub const MAX_DIM: usize = 100_000;

/// Points that go through the transforms together.
const BLOCK: usize = 16;

/// Where the optimum is, and what is random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The function as it is defined, for comparison with others.
    Raw,
    /// The paper's: the optimum is zero, at zero. A linear slope keeps its optimum in a corner.
    #[default]
    Centered,
    /// The mode for any claim of quality: random rotations, a random optimum within [−4, 4]
    /// (integers where coordinates are categorical, so that it is on the grid), and shuffled
    /// categories. Whoever starts in, clips to or averages towards the middle gains nothing.
    Instance,
}

/// A function with its rotations and the place of its optimum, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Instance {
    function: Function,
    dim: usize,
    pipeline: Pipeline,
    formula: Formula,
    penalty: f64,
    /// Where penalties are due: where x is, or where it is moved to.
    penalty_moves: bool,
    /// Added to x first.
    offset: Option<Vec<f64>>,
    /// Taken off the value.
    excess: f64,
    optimum: Vec<f64>,
    least: f64,
}

/// Room for intermediate results: kept by the caller, so that evaluating allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    moved: Vec<f64>,
    z: Vec<f64>,
    spare: Vec<f64>,
}

/// Why there is no such instance.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum InstanceError {
    /// Too few or too many coordinates.
    #[error("dimension {dim}: {function} is defined for {least} to {most} coordinates here")]
    Dimension {
        /// The function.
        function: Function,
        /// How many there are.
        dim: usize,
        /// The least it takes.
        least: usize,
        /// The most it takes.
        most: usize,
    },
    /// A rotation of another dimension.
    #[error("rotation `{name}` is of dimension {found}, the point of dimension {dim}")]
    RotationDimension {
        /// `r` or `q`.
        name: char,
        /// Its dimension.
        found: usize,
        /// The function's.
        dim: usize,
    },
    /// A matrix that is no rotation.
    #[error("rotation `{name}`: {error}")]
    Rotation {
        /// `r` or `q`.
        name: char,
        /// What is wrong with it.
        error: RotationError,
    },
}

impl Instance {
    /// The function in a mode, of which the first `d_cat` of `dim` coordinates are categorical.
    ///
    /// In the modes `raw` and `centered`, seed 0 stands for no rotation, any other for random ones.
    pub fn new(
        function: Function,
        dim: usize,
        d_cat: usize,
        mode: Mode,
        seed: Seed,
    ) -> Result<Self, InstanceError> {
        Self::check(function, dim, mode, seed)?;
        let rotated = draws_rotations(function, mode, seed);
        let rotation = |index| {
            rotated.then(|| Rotation::haar(dim, &mut seed.stream(Purpose::Problem, 0, index)))
        };
        let raw = Self::rotated(function, dim, rotation(0).as_ref(), rotation(1).as_ref())?;
        Ok(match mode {
            Mode::Raw => raw,
            Mode::Centered => raw.centered(),
            Mode::Instance => {
                let mut stream = seed.stream(Purpose::Problem, 1, 0);
                let place = |i| match i < d_cat {
                    true => f64::from(stream.below(9)) - 4.0,
                    false => 8.0 * stream.unit() - 4.0,
                };
                raw.moved((0..dim).map(place).collect())
            }
        })
    }

    /// Whether there is such an instance: what [`Instance::new`] would say, without making it.
    pub fn check(
        function: Function,
        dim: usize,
        mode: Mode,
        seed: Seed,
    ) -> Result<(), InstanceError> {
        let rotated = draws_rotations(function, mode, seed);
        admit(function, dim, if rotated { MAX_ROTATED } else { MAX_DIM })
    }

    /// The raw function with rotations R and Q; the identity where there is none.
    pub fn rotated(
        function: Function,
        dim: usize,
        r: Option<&Rotation>,
        q: Option<&Rotation>,
    ) -> Result<Self, InstanceError> {
        admit(function, dim, MAX_DIM)?;
        for (name, rotation) in [('r', r), ('q', q)] {
            if let Some(found) = rotation.map(Rotation::dim).filter(|&found| found != dim) {
                return Err(InstanceError::RotationDimension { name, found, dim });
            }
        }
        let (pipeline, formula, penalty) = compose(function, dim, r, q);
        let (optimum, least) = optimum(function, dim, r);
        Ok(Self {
            function,
            dim,
            pipeline,
            formula,
            penalty,
            penalty_moves: true,
            offset: None,
            excess: 0.0,
            optimum,
            least,
        })
    }

    /// With the optimum zero and at zero: f(x + x*) − f*. A penalty is due where x is moved to.
    ///
    /// A linear function has no other optimum than in a corner, and keeps it.
    pub fn centered(self) -> Self {
        let zero = vec![0.0; self.dim];
        self.shifted(zero, true)
    }

    /// With the optimum zero and at `place`: f(x − place + x*) − f*. A penalty is due outside the
    /// box, as in COCO: it must not lead to where the optimum is.
    pub fn moved(self, place: Vec<f64>) -> Self {
        assert_eq!(place.len(), self.dim, "the optimum's place has the function's dimension");
        self.shifted(place, false)
    }

    fn shifted(mut self, place: Vec<f64>, penalty_moves: bool) -> Self {
        self.excess = self.least;
        self.least = 0.0;
        if self.function != Function::LinearSlope {
            let offset = self.optimum.iter().zip(&place).map(|(from, to)| from - to);
            self.offset = Some(offset.collect());
            self.optimum = place;
        }
        self.penalty_moves = penalty_moves;
        self
    }

    /// Which function.
    pub fn function(&self) -> Function {
        self.function
    }

    /// D
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Where it is least within the box.
    pub fn optimum(&self) -> &[f64] {
        &self.optimum
    }

    /// The least cost within the box.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// f(x), to be minimized.
    ///
    /// # Panics
    ///
    /// Unless `x` has as many coordinates as the function.
    pub fn cost(&self, x: &[f64], buffer: &mut Buffer) -> f64 {
        let mut cost = [0.0];
        self.costs(x, &mut cost, buffer);
        cost[0]
    }

    /// f of many points, one after the other in `xs`: the same bits as one by one, but faster.
    ///
    /// # Panics
    ///
    /// Unless `xs` has D coordinates for each of `costs`.
    pub fn costs(&self, xs: &[f64], costs: &mut [f64], buffer: &mut Buffer) {
        assert_eq!(xs.len(), costs.len() * self.dim, "coordinates of {} points", costs.len());
        for (xs, costs) in xs.chunks(BLOCK * self.dim).zip(costs.chunks_mut(BLOCK)) {
            self.block(xs, costs, buffer);
        }
    }

    fn block(&self, xs: &[f64], costs: &mut [f64], buffer: &mut Buffer) {
        let Buffer { moved, z, spare } = buffer;
        let moved: &[f64] = match &self.offset {
            None => xs,
            Some(offset) => {
                moved.clear();
                moved.extend_from_slice(xs);
                for x in moved.chunks_mut(self.dim) {
                    lanes::each(x, offset, |x, offset| x + offset);
                }
                moved
            }
        };
        let z: &[f64] = if self.pipeline.is_identity() {
            moved
        } else {
            z.clear();
            z.extend_from_slice(moved);
            spare.resize(z.len(), 0.0);
            self.pipeline.apply(z, spare);
            z
        };
        let points = xs.chunks(self.dim).zip(moved.chunks(self.dim)).zip(z.chunks(self.dim));
        for (((x, moved), z), cost) in points.zip(costs) {
            *cost = self.formula.value(moved, z) - self.excess;
            if self.penalty > 0.0 {
                *cost += self.penalty * penalty(if self.penalty_moves { moved } else { x });
            }
        }
    }
}

fn draws_rotations(function: Function, mode: Mode, seed: Seed) -> bool {
    function.is_rotated() && (mode == Mode::Instance || seed != Seed(0))
}

fn admit(function: Function, dim: usize, most: usize) -> Result<(), InstanceError> {
    let least = function.least_dimension();
    if (least..=most).contains(&dim) {
        Ok(())
    } else {
        Err(InstanceError::Dimension { function, dim, least, most })
    }
}
