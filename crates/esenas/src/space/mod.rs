//! Search spaces 𝓜 and their points (appendix A.1, A.4).
//!
//! The vocabulary is PyGlove's, which the paper uses: a [`Space`] is a constant, a product of
//! spaces (a named map or a list), or a *choice* of k slots among candidates, each of which may be
//! a space itself and then brings decisions of its own where it is chosen. `oneof` is a choice of
//! one slot, `manyof` of k, `permutation` of all candidates in any order. Everything else is sugar.
//! Beside them there are leaves that hold numbers, which are no decisions.
//!
//! | operation | where |
//! |---|---|
//! | construct, with all validation | [`construct`](Space::oneof), [`SpaceError`] |
//! | the JSON and TOML form | `docs/spaces.md`; serde |
//! | a point of the space | [`Dna`] |
//! | a point decision by decision | [`Space::build`], [`Space::visit`], [`Decision`] |
//! | count | [`Space::size`], [`Space::loci`] |
//! | draw, enumerate | [`Space::sample`], [`Space::first`], [`Space::next`] |
//! | list the choices there are, with names | [`Space::survey`] |
//! | validate, decode | [`Space::check`], [`Space::decode`] |
//! | vary | [`Space::mutate`], [`Space::neighbour`], [`Space::change`], [`Space::crossover`] |
//! | compare | [`Space::distance`] |
//! | price | [`Cost`], [`Price`] |
//! | numbers, of which a [`Layout`](crate::Layout) makes θ | [`Space::real`], [`Space::weights`] |
//!
//! A DNA lists one candidate index per decision, depth first: what a chosen candidate decides
//! follows its choice immediately. A *locus* numbers a decision statically, in the depth-first
//! order of all decisions that could exist: slot s of a choice and everything below each of its
//! candidates in that slot have loci of their own.
//!
//! Operators take a DNA that has passed [`Space::check`] and always give back a valid one. For a
//! DNA of another space the result is unspecified, but they do not panic.

mod candidates;
mod check;
mod construct;
mod cost;
mod crossover;
mod decode;
mod design;
mod distance;
mod dna;
mod enumerate;
mod error;
mod fit;
mod form;
mod members;
mod mutate;
mod nearest;
mod numbers;
mod path;
mod places;
mod sample;
mod serial;
mod size;
mod survey;
mod used;
mod variation;
mod walk;

pub use candidates::Candidates;
pub use check::{DnaError, DnaFault};
pub use construct::Many;
pub use cost::{Cost, CostError, Price};
pub use crossover::Crossover;
pub use design::Design;
pub use dna::{Dna, DnaFormatError};
pub use error::{SpaceError, SpaceFault};
pub use fit::DesignError;
pub use mutate::Move;
pub use numbers::{First, MAX_NUMBERS, MAX_PLACES, Numbers, Real, Tensor};
pub use size::Size;
pub use survey::Surveyed;
pub use walk::Decision;

use members::Extent;
use serde_json::Value;

/// The most decisions a space may describe, and so the most a DNA may hold.
pub const MAX_DECISIONS: u32 = 1 << 24;

/// The most candidates one choice may have.
pub const MAX_CANDIDATES: u32 = 1 << 31;

/// How deep the JSON form of a space may nest. JSON readers stop at 128 levels, and a space is
/// written inside other documents.
pub const MAX_DEPTH: u32 = 100;

/// A combinatorial search space 𝓜.
///
/// ```
/// use esenas::space::Space;
/// use serde_json::json;
///
/// let layer = Space::dict([
///     ("units", Space::oneof([16, 32, 64])?),
///     ("activation", Space::oneof(["relu", "tanh"])?),
/// ])?;
/// let space = Space::oneof([Space::from(json!(null)), layer])?;
/// assert_eq!(space.size().exact, Some(7));
/// assert_eq!(space.decode(&[1, 0, 2].into())?, json!({"activation": "relu", "units": 64}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    kind: Kind,
    shape: Shape,
}

/// The kinds of node.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Constant(Value),
    Numbers(Box<Numbers>),
    Product(Product),
    Choice(Choice),
}

/// All parts together: a map when named (in the order of the names), else a list.
#[derive(Clone, Debug, PartialEq)]
struct Product {
    names: Option<Box<[String]>>,
    parts: Box<[Space]>,
}

/// `slots` selections among candidates.
#[derive(Clone, Debug, PartialEq)]
struct Choice {
    slots: u32,
    /// Decodes to the chosen value itself, not to a list of one.
    bare: bool,
    distinct: bool,
    sorted: bool,
    candidates: Candidates,
    arity: u32,
    /// Where the loci below each candidate begin, counted from its slot's first; empty when no
    /// candidate decides anything.
    offsets: Box<[u32]>,
    /// Loci of one slot: its own and those below all candidates.
    width: u32,
    /// Where the places of numbers below each candidate begin, counted from its slot's first; empty
    /// when no candidate has any.
    places: Box<[u32]>,
    /// Places of one slot.
    place_width: u32,
}

/// What is known of a node without a DNA.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shape {
    loci: u32,
    /// How often numbers stand in it.
    places: u32,
    /// Fewest and most genes.
    min: u32,
    max: u32,
    /// The extent in any DNA, when it is the same in all.
    fixed: Option<Extent>,
    /// Levels of the JSON form.
    depth: u32,
}

impl Space {
    /// How many decisions could exist. [`Space::build`] numbers them `0..loci`.
    pub fn loci(&self) -> u32 {
        self.shape.loci
    }

    /// How many of them are slots of an order: a selection of three or more without repetition.
    pub fn slots_of_orders(&self) -> u32 {
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => 0,
            Kind::Product(product) => product.parts.iter().map(Self::slots_of_orders).sum(),
            Kind::Choice(choice) => {
                let below = choice.candidates.listed().iter().map(Self::slots_of_orders);
                choice.slots * (u32::from(choice.is_order()) + below.sum::<u32>())
            }
        }
    }

    /// The length of the shortest DNA.
    pub fn min_len(&self) -> u32 {
        self.shape.min
    }

    /// The length of the longest DNA.
    pub fn max_len(&self) -> u32 {
        self.shape.max
    }
}

impl Choice {
    /// The candidate `value` if it may have decisions of its own.
    fn branch(&self, value: u32) -> Option<&Space> {
        match &self.candidates {
            Candidates::List(list) if !self.offsets.is_empty() => list.get(value as usize),
            _ => None,
        }
    }

    /// Whether any candidate decides something.
    fn nested(&self) -> bool {
        !self.offsets.is_empty()
    }

    /// Whether its slots are free of each other.
    fn independent(&self) -> bool {
        self.slots == 1 || !(self.distinct || self.sorted)
    }

    /// Whether its own decisions can change at all: not with a single candidate, nor when a set
    /// takes every candidate.
    fn changeable(&self) -> bool {
        if self.distinct && self.sorted { self.slots < self.arity } else { self.arity > 1 }
    }

    /// The first locus below candidate `value`, in the slot whose own locus is `locus`.
    fn branch_locus(&self, locus: u32, value: u32) -> u32 {
        locus + 1 + self.offsets.get(value as usize).copied().unwrap_or(0)
    }
}
