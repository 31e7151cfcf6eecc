//! Constructors: every space that exists is valid, and knows its shape.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::members::Extent;
use super::nearest::resembles;
use super::{
    Candidates, Choice, Kind, MAX_CANDIDATES, MAX_DECISIONS, MAX_DEPTH, MAX_PLACES, Product, Shape,
    Space, SpaceError, SpaceFault,
};

/// How [`Space::manyof`] selects. `Many::from(k)` has PyGlove's defaults: distinct, in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Many {
    /// How many are selected.
    pub k: u32,
    /// No candidate more than once.
    pub distinct: bool,
    /// Only in ascending order of candidates, so that order carries no meaning.
    pub sorted: bool,
}

impl From<u32> for Many {
    fn from(k: u32) -> Self {
        Self { k, distinct: true, sorted: false }
    }
}

impl Space {
    /// The space of one point, a value.
    pub fn constant(value: impl Into<Value>) -> Self {
        let value = value.into();
        let fixed = Some(Extent::default());
        let shape = Shape { loci: 0, places: 0, min: 0, max: 0, fixed, depth: 1 + depth(&value) };
        Self { kind: Kind::Constant(value), shape }
    }

    /// Named parts, all of them. Decisions follow the order of the names, so that the order in
    /// which a map is written never matters.
    pub fn dict<N: Into<String>, S: Into<Space>>(
        parts: impl IntoIterator<Item = (N, S)>,
    ) -> Result<Self, SpaceError> {
        let mut parts: Vec<(String, Space)> =
            parts.into_iter().map(|(name, part)| (name.into(), part.into())).collect();
        parts.sort_by(|(one, _), (other, _)| one.cmp(other));
        if let Some(pair) = parts.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(SpaceFault::DuplicateName(pair[0].0.clone()).into());
        }
        for (name, _) in &parts {
            if let Some(reserved) = resembles(name) {
                return Err(SpaceFault::ReservedName { name: name.clone(), reserved }.into());
            }
        }
        let (names, parts): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Self::product(Some(names.into()), parts.into())
    }

    /// Parts in a row, all of them.
    pub fn list<S: Into<Space>>(parts: impl IntoIterator<Item = S>) -> Result<Self, SpaceError> {
        Self::product(None, parts.into_iter().map(Into::into).collect())
    }

    /// One of the candidates.
    pub fn oneof(candidates: impl Into<Candidates>) -> Result<Self, SpaceError> {
        let one = Many { k: 1, distinct: false, sorted: false };
        Self::choice(one, true, candidates.into())
    }

    /// A list of `many.k` candidates.
    pub fn manyof(
        many: impl Into<Many>,
        candidates: impl Into<Candidates>,
    ) -> Result<Self, SpaceError> {
        Self::choice(many.into(), false, candidates.into())
    }

    /// A set of `k` distinct candidates, in ascending order: the paper's edge pruning (A.4).
    pub fn subset(k: u32, candidates: impl Into<Candidates>) -> Result<Self, SpaceError> {
        Self::manyof(Many { k, distinct: true, sorted: true }, candidates)
    }

    /// All candidates, in any order.
    pub fn permutation(candidates: impl Into<Candidates>) -> Result<Self, SpaceError> {
        let candidates = candidates.into();
        if candidates.is_empty() {
            return Err(SpaceFault::NoCandidates.into());
        }
        Self::manyof(u32::try_from(candidates.len()).unwrap_or(u32::MAX), candidates)
    }

    /// An integer of `range`.
    pub fn int(range: RangeInclusive<i64>) -> Result<Self, SpaceError> {
        Self::oneof(range)
    }

    /// `false` or `true`.
    pub fn bool() -> Self {
        Self::oneof([false, true]).expect("two candidates make a choice")
    }

    fn product(names: Option<Box<[String]>>, parts: Box<[Space]>) -> Result<Self, SpaceError> {
        let parts = match collapse(&names, parts) {
            Ok(value) => {
                let space = Self::constant(value);
                return space.shape.admit().map(|_| space);
            }
            Err(parts) => parts,
        };
        let mut sum = Sum::default();
        let mut fixed = Some(Extent::default());
        for part in &parts {
            sum.add(&part.shape);
            fixed = fixed.zip(part.shape.fixed).and_then(|(one, other)| one.plus(other));
        }
        let shape = sum.shape(fixed, 1)?;
        Ok(Self { kind: Kind::Product(Product { names, parts }), shape })
    }

    fn choice(many: Many, bare: bool, candidates: Candidates) -> Result<Self, SpaceError> {
        let arity = many.admit(&candidates)?;
        let Many { k, distinct, sorted } = many;
        let list = candidates.listed();
        let mut below = Sum::default();
        let (mut offsets, mut places) = (Vec::new(), Vec::new());
        for candidate in list {
            offsets.push(below.loci);
            places.push(below.places);
            below.add(&candidate.shape);
        }
        if below.loci == 0 {
            offsets.clear();
        }
        if below.places == 0 {
            places.clear();
        }
        let width = 1 + below.loci;
        let sum = Sum {
            loci: width.saturating_mul(k.into()),
            places: below.places.saturating_mul(k.into()),
            min: u64::from(k) + many.genes(list.iter().map(|space| space.shape.min), false),
            max: u64::from(k) + many.genes(list.iter().map(|space| space.shape.max), true),
            depth: below.depth,
        };
        let levels = if list.is_empty() { 3 } else { 2 };
        let mut shape = sum.shape(None, levels)?;
        // No offset exceeds the number of loci or of places, which have just been admitted.
        let [offsets, places] = [offsets, places].map(narrowed);
        let (width, place_width) = (width as u32, below.places as u32);
        let choice = Choice {
            slots: k,
            bare,
            distinct,
            sorted,
            arity,
            candidates,
            offsets,
            width,
            places,
            place_width,
        };
        shape.fixed = choice.fixed();
        Ok(Self { kind: Kind::Choice(choice), shape })
    }
}

impl Many {
    /// How many candidates there are, if it can select among them.
    fn admit(self, candidates: &Candidates) -> Result<u32, SpaceFault> {
        let count = candidates.len();
        let arity = u32::try_from(count).ok().filter(|&arity| arity <= MAX_CANDIDATES);
        let arity = arity.ok_or(SpaceFault::TooManyCandidates(count))?;
        let k = u64::from(self.k);
        if arity == 0 {
            Err(SpaceFault::NoCandidates)
        } else if k == 0 {
            Err(SpaceFault::NoSlots)
        } else if self.distinct && self.k > arity {
            Err(SpaceFault::NotEnoughCandidates { k, candidates: count })
        } else if self.k > MAX_DECISIONS {
            Err(SpaceFault::TooManyDecisions(k))
        } else {
            Ok(arity)
        }
    }

    /// The genes below all selections, given those below each candidate: the fewest there can be,
    /// or the most.
    fn genes(self, each: impl Iterator<Item = u32>, most: bool) -> u64 {
        let mut each: Vec<u64> = each.map(u64::from).collect();
        each.sort_unstable();
        if most {
            each.reverse();
        }
        if self.distinct {
            each.iter().take(self.k as usize).sum()
        } else {
            each.first().copied().unwrap_or(0).saturating_mul(self.k.into())
        }
    }
}

impl Choice {
    /// The extent in any DNA, if it does not depend on what is chosen.
    fn fixed(&self) -> Option<Extent> {
        let own = Extent { genes: 1, changeable: u32::from(self.changeable()) };
        let mut below = Extent::default();
        if self.nested() {
            let mut all = self.candidates.listed().iter().map(|candidate| candidate.shape.fixed);
            below = all.next()??;
            if all.any(|extent| extent != Some(below)) {
                return None;
            }
        }
        own.plus(below)?.times(self.slots)
    }
}

/// Offsets in 32 bits.
fn narrowed(offsets: Vec<u64>) -> Box<[u32]> {
    offsets.into_iter().map(|offset| offset as u32).collect()
}

/// A product of constants is itself a constant: one way to say one thing.
fn collapse(names: &Option<Box<[String]>>, parts: Box<[Space]>) -> Result<Value, Box<[Space]>> {
    if parts.iter().any(|part| !matches!(part.kind, Kind::Constant(_))) {
        return Err(parts);
    }
    let values = parts.into_iter().filter_map(|part| match part.kind {
        Kind::Constant(value) => Some(value),
        _ => None,
    });
    Ok(match names {
        Some(names) => Value::Object(names.iter().cloned().zip(values).collect::<Map<_, _>>()),
        None => Value::Array(values.collect()),
    })
}

/// Shapes being added up, without overflow.
#[derive(Default)]
struct Sum {
    loci: u64,
    places: u64,
    min: u64,
    max: u64,
    depth: u32,
}

impl Sum {
    fn add(&mut self, shape: &Shape) {
        self.loci += u64::from(shape.loci);
        self.places += u64::from(shape.places);
        self.min += u64::from(shape.min);
        self.max += u64::from(shape.max);
        self.depth = self.depth.max(shape.depth);
    }

    /// The shape of a node over this, whose form adds `levels`.
    fn shape(&self, fixed: Option<Extent>, levels: u32) -> Result<Shape, SpaceError> {
        if self.loci > u64::from(MAX_DECISIONS) {
            return Err(SpaceFault::TooManyDecisions(self.loci).into());
        }
        if self.places > u64::from(MAX_PLACES) {
            return Err(SpaceFault::TooManyPlaces(self.places).into());
        }
        // No DNA has more genes than there are loci, so none of these is cut short.
        let [loci, places, min, max] =
            [self.loci, self.places, self.min, self.max].map(|count| count as u32);
        Shape { loci, places, min, max, fixed, depth: self.depth + levels }.admit()
    }
}

impl Shape {
    /// Refuses what nests too deep.
    pub(super) fn admit(self) -> Result<Self, SpaceError> {
        if self.depth > MAX_DEPTH { Err(SpaceFault::TooDeep(self.depth).into()) } else { Ok(self) }
    }
}

/// Levels of a JSON value, none for a scalar.
fn depth(value: &Value) -> u32 {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
