//! Layouts: which coordinates of θ are which numbers of a [`Space`], and in which units.
//!
//! A space says what numbers a design has; its layout gives each of them a range of one θ, of which
//! a model uses its part. Units must not matter to an optimizer, whose σ is the same in all
//! coordinates. So it sees sides of 1, x, and a user sees u:
//!
//! | numbers | u |
//! |---|---|
//! | real | low + x (high − low) |
//! | real, `log` | low (high/low)ˣ |
//! | real with a step | the nearest of its grid |
//! | weights | scale · x |
//! | flat θ in a box with sides of one length, or in none | x |
//! | flat θ in any other box | low + x (high − low), coordinate by coordinate |
//!
//! Multiplying an interval or a scale by a power of two multiplies u by it, to the bit.
//!
//! ```
//! use std::sync::Arc;
//! use esenas::space::{Real, Space, Tensor};
//! use esenas::{Layout, Purpose, Seed};
//!
//! let log = Real { log: true, ..Real::from(1e-5..=10.0) };
//! let space = Space::dict([
//!     ("flow", Space::real(log)?),
//!     ("head", Space::weights(Tensor { scale: Some(0.1), ..Tensor::from([3, 2]) })?),
//!     ("size", Space::int(1..=8)?),
//! ])?;
//! let layout = Layout::new(Arc::new(space))?;
//! let mut theta = layout.start(&mut Seed(1).stream(Purpose::Start, 0, 0));
//! layout.to_user(&mut theta);
//! let design = layout.decode(&[3].into(), &theta)?;
//! assert!((design.get("flow").unwrap().number().unwrap() - 0.01).abs() < 1e-15);
//! assert_eq!(design.get("head").unwrap().array().unwrap().len(), 6);
//! assert_eq!(design.get("size").unwrap().integer(), Some(4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod activity;
mod start;
mod units;
mod used;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use crate::space::{Design, DesignError, DnaError, MAX_NUMBERS, Numbers, SpaceError, SpaceFault};
use crate::{Bounds, Dna, Purpose, Scratch, Seed, Space, Theta};
use units::Units;

pub(crate) use activity::Activity;
pub use used::Used;

/// The coordinates of θ, as blocks of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    space: Arc<Space>,
    blocks: Vec<Block>,
    /// The block that each place of the space has; none where θ is flat.
    of_place: Vec<u32>,
    dim: usize,
    bounds: Option<Bounds>,
    width: f64,
    /// Whether two places may have the same block.
    shares: bool,
    /// Whether the space says which numbers there are.
    declared: bool,
}

/// Coordinates of θ that are one number, or one array of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Where it stands in the space, first of all places; `$` if θ is flat.
    pub path: String,
    /// Which coordinates.
    pub range: Range<usize>,
    /// What the space says of it; none if θ is flat.
    pub numbers: Option<Numbers>,
    /// The slots it hangs on, by locus, each with what it must have selected: one for each place.
    /// Empty where every model has it.
    pub parents: Vec<(u32, u32)>,
    units: Units,
}

impl Layout {
    /// The layout of the numbers of `space`.
    pub fn new(space: Arc<Space>) -> Result<Self, SpaceError> {
        let mut build = Build::default();
        let mut fault = None;
        space.survey_places(&mut |place| {
            if fault.is_none() {
                fault = build.add(place.path, place.numbers, place.parent).err();
            }
        });
        if let Some(fault) = fault {
            return Err(fault);
        }
        let Build { blocks, of_place, dim, .. } = build;
        let bounds = units::bounds(&blocks, dim);
        let shares = blocks.len() < of_place.len();
        Ok(Self { space, blocks, of_place, dim, bounds, width: 1.0, shares, declared: true })
    }

    /// A flat θ of `dim` coordinates beside the models of `space`, whose own numbers are not asked
    /// for.
    pub fn flat(space: Arc<Space>, dim: usize, bounds: Option<Bounds>) -> Self {
        let (units, bounds, width) = units::flat(dim, bounds);
        let path = "$".to_owned();
        let block = Block { path, range: 0..dim, numbers: None, parents: Vec::new(), units };
        let blocks = if dim > 0 { vec![block] } else { Vec::new() };
        let (of_place, shares, declared) = (Vec::new(), false, false);
        Self { space, blocks, of_place, dim, bounds, width, shares, declared }
    }

    /// 𝓜
    pub fn space(&self) -> &Arc<Space> {
        &self.space
    }

    /// d
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The blocks, in the order of their coordinates.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The box of the optimizer, if any coordinate has an interval.
    pub fn bounds(&self) -> Option<&Bounds> {
        self.bounds.as_ref()
    }

    /// What a σ is measured by: the length of the sides that all coordinates have, 1 but for a flat
    /// box that has sides of one length already.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Whether θ are the numbers of the space, instead of a flat one beside it.
    pub fn is_declared(&self) -> bool {
        self.declared
    }

    /// Whether the optimizer sees other units than the user: a σ is then a share of an interval, or
    /// of the scale of weights.
    pub fn is_rescaled(&self) -> bool {
        self.blocks.iter().any(|block| block.units != Units::Same)
    }

    /// Whether it depends on the model which coordinates are used.
    pub fn is_conditional(&self) -> bool {
        self.blocks.iter().any(|block| !block.parents.is_empty())
    }

    /// From the optimizer's coordinates to the user's units, in place.
    pub fn to_user(&self, theta: &mut [f64]) {
        self.part_to_user(0, theta);
    }

    /// The same of coordinates `start..` alone.
    pub(crate) fn part_to_user(&self, start: usize, part: &mut [f64]) {
        let end = start + part.len();
        let first = self.blocks.partition_point(|block| block.range.end <= start);
        for block in self.blocks[first..].iter().take_while(|block| block.range.start < end) {
            let (from, to) = (block.range.start.max(start), block.range.end.min(end));
            block.units.to_user(from - block.range.start, &mut part[from - start..to - start]);
        }
    }

    /// Writes a point out, in the user's units. As with [`Theta::write`], a pair ±g costs one
    /// direction.
    pub fn write(&self, theta: &Theta, out: &mut Vec<f64>, scratch: &mut Scratch) {
        theta.write_in(Some(self), out, scratch);
    }

    /// Back again.
    pub fn to_optimizer(&self, theta: &mut [f64]) {
        self.blocks
            .iter()
            .for_each(|block| block.units.to_optimizer(&mut theta[block.range.clone()]));
    }

    /// The coordinates that the model of `dna` uses, ascending, those of neighbours together. What
    /// was in `ranges` is replaced.
    pub fn active(&self, dna: &Dna, ranges: &mut Vec<Range<usize>>) {
        ranges.clear();
        if self.of_place.is_empty() {
            ranges.extend(self.blocks.iter().map(|block| block.range.clone()));
            return;
        }
        self.visit_blocks(dna, |block| {
            let range = &self.blocks[block].range;
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range.clone()),
            }
        });
    }

    /// The number of each block of a model once, in order.
    fn visit_blocks(&self, dna: &Dna, mut each: impl FnMut(usize)) {
        if !self.shares {
            return self.space.visit_places(dna.genes(), 0, &mut |place| each(place as usize));
        }
        let mut found = Vec::new();
        let block = &mut |place: u32| found.push(self.of_place[place as usize]);
        self.space.visit_places(dna.genes(), 0, block);
        found.sort_unstable();
        found.dedup();
        found.into_iter().for_each(|block| each(block as usize));
    }

    /// How many coordinates a model uses, in the mean of some at random.
    pub(crate) fn mean_active(&self) -> usize {
        if !self.is_conditional() {
            return self.dim;
        }
        let (mut stream, mut ranges) = (Seed(0).stream(Purpose::Look, 0, 0), Vec::new());
        let count = |_| {
            self.active(&self.space.sample(&mut stream), &mut ranges);
            ranges.iter().map(Range::len).sum::<usize>()
        };
        (0..64).map(count).sum::<usize>() / 64
    }

    /// Which coordinates each of these models uses.
    pub fn used<'a>(&self, models: impl ExactSizeIterator<Item = &'a Dna>) -> Used {
        let mut used = used::Builder::new(models.len(), &self.blocks);
        for (point, dna) in models.enumerate() {
            self.visit_blocks(dna, |block| used.mark(point, block));
        }
        used.build()
    }

    /// The reals that the model of `dna` has, in the order of their coordinates.
    pub fn reals(&self, dna: &Dna) -> Vec<&Block> {
        let mut reals = Vec::new();
        if self.declared {
            self.visit_blocks(dna, |block| reals.push(&self.blocks[block]));
        }
        reals.retain(|block| matches!(block.numbers, Some(Numbers::Real(_))));
        reals
    }

    /// What these are at `theta`, in the user's units: without writing out all of it.
    pub fn real_numbers(&self, dna: &Dna, theta: &Theta) -> Vec<f64> {
        let places: Vec<usize> = self.reals(dna).iter().map(|block| block.range.start).collect();
        theta.pick(self, &places)
    }

    /// The design that `dna` and `theta` stand for, which is in the user's units.
    pub fn decode<'a>(&'a self, dna: &Dna, theta: &'a [f64]) -> Result<Design<'a>, DnaError> {
        self.space.check(dna)?;
        Ok(self.design(dna, theta))
    }

    /// The same, of a `dna` that is one of the space's.
    pub fn design<'a>(&'a self, dna: &Dna, theta: &'a [f64]) -> Design<'a> {
        let numbers = |place: u32| {
            let block = self.of_place.get(place as usize).map(|at| &self.blocks[*at as usize]);
            block.map_or((0, &[][..]), |it| (it.range.start, &theta[it.range.clone()]))
        };
        self.space.design(dna.genes(), &numbers)
    }

    /// The DNA of `design`, whose numbers are written into `theta`, in the user's units. Those it
    /// does not have are left as they are.
    pub fn encode(&self, design: &Value, theta: &mut [f64]) -> Result<Dna, DesignError> {
        let (dna, found) = self.space.fit(design)?;
        // Which place has written a block already.
        let mut written: BTreeMap<u32, String> = BTreeMap::new();
        for number in found {
            let Some(&at) = self.of_place.get(number.place as usize) else { continue };
            let range = self.blocks[at as usize].range.clone();
            if let Some(other) = written.get(&at)
                && theta[range.clone()] != number.values
            {
                return Err(DesignError::shared(number.path, other));
            }
            theta[range].copy_from_slice(&number.values);
            if self.shares {
                written.insert(at, number.path);
            }
        }
        Ok(dna)
    }
}

/// Blocks on the way.
#[derive(Default)]
struct Build {
    blocks: Vec<Block>,
    of_place: Vec<u32>,
    dim: usize,
    named: BTreeMap<String, u32>,
}

impl Build {
    fn add(
        &mut self,
        path: String,
        numbers: &Numbers,
        parent: Option<(u32, u32)>,
    ) -> Result<(), SpaceError> {
        if let Some(at) = numbers.name().and_then(|name| self.named.get(name)) {
            let block = &mut self.blocks[*at as usize];
            if block.numbers.as_ref() != Some(numbers) {
                let name = numbers.name().unwrap_or_default().to_owned();
                let fault = SpaceFault::Shared { name, other: block.path.clone() };
                return Err(SpaceError::at(path, fault));
            }
            match parent {
                Some(parent) if !block.parents.is_empty() => block.parents.push(parent),
                _ => block.parents.clear(),
            }
            self.of_place.push(*at);
            return Ok(());
        }
        let at = self.blocks.len() as u32;
        let end = self.dim.saturating_add(numbers.count());
        if end as u64 > MAX_NUMBERS {
            return Err(SpaceError::at(path, SpaceFault::TooManyNumbers));
        }
        if let Some(name) = numbers.name() {
            self.named.insert(name.to_owned(), at);
        }
        let (range, units) = (self.dim..end, Units::of(numbers));
        let (numbers, parents) = (Some(numbers.clone()), parent.into_iter().collect());
        self.blocks.push(Block { path, range, numbers, parents, units });
        self.of_place.push(at);
        self.dim = end;
        Ok(())
    }
}
