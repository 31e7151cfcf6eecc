//! Leaves that hold numbers: a real, and a block of weights.
//!
//! They are coordinates of θ and no decisions: a [`Dna`](super::Dna) knows nothing of them, nor
//! does anything that works on it. Which coordinates they are, and in which units, is the business
//! of a [`Layout`](crate::Layout).

use std::ops::RangeInclusive;

use super::members::Extent;
use super::{Kind, Shape, Space, SpaceError, SpaceFault};

/// The most numbers all leaves together may hold: 8 GB of them.
pub const MAX_NUMBERS: u64 = 1 << 30;

/// The most leaves with numbers a space may have.
pub const MAX_PLACES: u32 = 1 << 20;

/// The most axes a block of weights may have, which is NumPy's limit.
const MAX_AXES: usize = 64;

/// The most steps between the ends of an interval: finer grids are rounding noise.
const MAX_STEPS: f64 = 1e12;

/// Numbers that a design brings along.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// A single number of an interval.
    Real(Real),
    /// A block of weights.
    Weights(Tensor),
}

/// A number from `low` to `high`. `Real::from(low..=high)` is linear and continuous.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Real {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// Whether its logarithm is what is searched: for numbers whose order of magnitude is unknown.
    pub log: bool,
    /// It is low, low + step, … only, if given; then steps divide the interval.
    pub step: Option<f64>,
}

impl From<RangeInclusive<f64>> for Real {
    fn from(range: RangeInclusive<f64>) -> Self {
        Self { low: *range.start(), high: *range.end(), log: false, step: None }
    }
}

/// Weights, as many as `shape` has entries. `Tensor::from(shape)` starts at Gaussian numbers of
/// scale 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// How many there are along each axis.
    pub shape: Vec<usize>,
    /// How large a weight is, about: θ is searched in multiples of it. The width of the bounds when
    /// left out, or else 1.
    pub scale: Option<f64>,
    /// What they begin with.
    pub first: First,
    /// The interval they must lie in, if there is one.
    pub bounds: Option<(f64, f64)>,
    /// Blocks of one name are one block, wherever it appears. Without a name each place owns its
    /// own.
    pub name: Option<String>,
}

impl<const N: usize> From<[usize; N]> for Tensor {
    fn from(shape: [usize; N]) -> Self {
        Self::from(shape.to_vec())
    }
}

impl From<Vec<usize>> for Tensor {
    fn from(shape: Vec<usize>) -> Self {
        Self { shape, scale: None, first: First::default(), bounds: None, name: None }
    }
}

/// What weights begin with.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum First {
    /// 0, or the end of the bounds nearest to it.
    Zeros,
    /// Uniform in the bounds, or within ±scale where there are none.
    Uniform,
    /// Gaussian with the scale as deviation, cut off at the bounds.
    #[default]
    Gaussian,
    /// These, in the order of the shape, the last axis fastest.
    Given(Vec<f64>),
}

impl Space {
    /// A real number: `Space::real(0.0..=90.0)`.
    pub fn real(real: impl Into<Real>) -> Result<Self, SpaceError> {
        let real = real.into();
        real.check()?;
        Ok(Self::of_numbers(Numbers::Real(real)))
    }

    /// A block of weights: `Space::weights([64, 10])`.
    pub fn weights(tensor: impl Into<Tensor>) -> Result<Self, SpaceError> {
        let tensor = tensor.into();
        tensor.check()?;
        Ok(Self::of_numbers(Numbers::Weights(tensor)))
    }

    /// In how many places numbers stand.
    pub fn places(&self) -> u32 {
        self.shape.places
    }

    /// Whether there is nothing to search: one model, and no numbers.
    pub fn is_constant(&self) -> bool {
        self.places() == 0 && self.size().exact == Some(1)
    }

    fn of_numbers(numbers: Numbers) -> Self {
        let fixed = Some(Extent::default());
        let shape = Shape { loci: 0, places: 1, min: 0, max: 0, fixed, depth: 3 };
        Self { kind: Kind::Numbers(Box::new(numbers)), shape }
    }
}

impl Numbers {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Real(_) => 1,
            Self::Weights(tensor) => tensor.count(),
        }
    }

    /// How many along each axis; no axes where it is a single number.
    pub fn shape(&self) -> &[usize] {
        match self {
            Self::Real(_) => &[],
            Self::Weights(tensor) => &tensor.shape,
        }
    }

    /// The name under which they are shared, if they are.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Real(_) => None,
            Self::Weights(tensor) => tensor.name.as_deref(),
        }
    }
}

impl Real {
    fn check(&self) -> Result<(), SpaceFault> {
        let Self { low, high, .. } = *self;
        if !(low < high && (high - low).is_finite()) {
            let (found, accepted) = (format!("[{low}, {high}]"), INTERVAL);
            return Err(SpaceFault::WrongValue { key: "real", found, accepted });
        }
        if self.log && low <= 0.0 {
            return Err(SpaceFault::Log(low.to_string()));
        }
        if self.log && !(high / low > 1.0 && (high / low).is_finite()) {
            let found = format!("[{low}, {high}]");
            let accepted = "an interval whose ends have a ratio between 1 and 1e308";
            return Err(SpaceFault::WrongValue { key: "real", found, accepted });
        }
        match self.step {
            Some(step) => self.check_step(step),
            None => Ok(()),
        }
    }

    fn check_step(&self, step: f64) -> Result<(), SpaceFault> {
        let count = (self.high - self.low) / step;
        if !(step > 0.0 && (1.0 - 1e-9..=MAX_STEPS).contains(&count)) {
            let (found, accepted) = (step.to_string(), STEP);
            return Err(SpaceFault::WrongValue { key: "step", found, accepted });
        }
        if (count - count.round()).abs() > 1e-9 * count.max(1.0) {
            let [step, low, high] = [step, self.low, self.high].map(|x| x.to_string());
            let last = (self.low + count.floor() * self.step.unwrap_or(1.0)).to_string();
            return Err(SpaceFault::Step { step, low, high, last });
        }
        Ok(())
    }
}

/// What a step may be, in messages.
pub(super) const STEP: &str = "a number above 0, at most high - low";
/// What an interval of reals may be.
pub(super) const INTERVAL: &str = "[low, high], finite numbers with low < high";

impl Tensor {
    /// How many weights there are.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// How large a weight is: what θ is a multiple of.
    pub fn unit(&self) -> f64 {
        let width = self.bounds.map_or(1.0, |(low, high)| high - low);
        self.scale.unwrap_or(width)
    }

    fn check(&self) -> Result<(), SpaceFault> {
        let wrong = |key, found: String, accepted| SpaceFault::WrongValue { key, found, accepted };
        let count = self.shape.iter().try_fold(1u64, |n, &axis| n.checked_mul(axis as u64));
        if self.shape.contains(&0) || self.shape.len() > MAX_AXES {
            return Err(wrong("weights", format!("{:?}", self.shape), SHAPE));
        }
        let count =
            count.filter(|&count| count <= MAX_NUMBERS).ok_or(SpaceFault::TooManyNumbers)?;
        if let Some(scale) = self.scale.filter(|scale| !(1e-100..=1e100).contains(scale)) {
            return Err(wrong("scale", scale.to_string(), SCALE));
        }
        if let Some((low, high)) = self.bounds
            && !(low < high && (high - low).is_finite())
        {
            return Err(wrong("bounds", format!("[{low}, {high}]"), INTERVAL));
        }
        if self.name.as_deref() == Some("") {
            return Err(wrong("name", "\"\"".to_owned(), NAME));
        }
        let First::Given(given) = &self.first else { return Ok(()) };
        if given.len() as u64 != count {
            return Err(SpaceFault::First { found: given.len(), expected: count });
        }
        let (low, high) = self.bounds.unwrap_or((f64::MIN, f64::MAX));
        match given.iter().find(|x| !(low..=high).contains(*x)) {
            Some(x) => Err(wrong("first", x.to_string(), "finite numbers within the bounds")),
            None => Ok(()),
        }
    }
}

/// What a shape may be, in messages.
pub(super) const SHAPE: &str = "the shape, an array of up to 64 whole numbers from 1 on";
/// What a scale may be.
pub(super) const SCALE: &str = "a number from 1e-100 to 1e100";
/// What a name may be.
pub(super) const NAME: &str = "a name of at least one character";
