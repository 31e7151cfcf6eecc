//! Crossover of two DNAs, aligned by structure.
//!
//! One walk over both parents, driven by one question: from which parent is the next decision that
//! they made differently? Uniform crossover tosses a coin, k-point crossover changes sides at k
//! cuts.
//!
//! - Both chose the same candidate: the child does too, and what it decides is crossed in turn.
//! - They differ: the child takes the one parent's selection with all that it decides.
//! - Sets keep the common members; the others are paired in order, and of each pair one is taken.
//! - Distinct lists keep the slots that agree. In the others a selection that the child has already
//!   gives way to the other parent's, and where that is taken too, to an unused one of the first
//!   parent (which has enough of them).
//! - Sorted lists with repetition are crossed slot by slot and sorted again.
//!
//! Every selection of the child is one of a parent's, and a DNA crossed with itself is itself.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::members::{Member, split};
use super::sample::subset;
use super::used::Used;
use super::{Choice, Dna, Kind, Space};
use crate::Stream;

/// From which parent each decision comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crossover {
    /// From either, by a coin each.
    Uniform,
    /// From the first parent up to a cut, then from the other up to the next: this many cuts, at
    /// distinct places among the first parent's genes.
    Points(u32),
}

impl Space {
    /// A child of two parents.
    pub fn crossover(&self, one: &Dna, other: &Dna, how: Crossover, stream: &mut Stream) -> Dna {
        let (one, other) = (one.genes(), other.genes());
        let mut child = Vec::with_capacity(one.len());
        match how {
            Crossover::Uniform => {
                self.cross(0, one, other, &mut |_| stream.below(2) == 1, &mut child)
            }
            Crossover::Points(points) => {
                let places = (one.len() as u32).saturating_sub(1);
                let cuts = subset(places, points.min(places), stream);
                // Cut c lies between genes c and c + 1.
                let mut second = |at| cuts.partition_point(|&cut| cut < at) % 2 == 1;
                self.cross(0, one, other, &mut second, &mut child);
            }
        }
        Dna::from(child)
    }
}

/// Answers whether the decision at a position of the first parent is to be the second parent's.
trait Second: FnMut(u32) -> bool {}
impl<F: FnMut(u32) -> bool> Second for F {}

/// Where a selection of the child is from.
#[derive(Clone, Copy)]
enum Origin<'a> {
    /// From one parent, with all that it decides.
    One(Member<'a>),
    /// From both, which may differ below.
    Both(Member<'a>, Member<'a>),
}

impl Origin<'_> {
    fn value(&self) -> u32 {
        match self {
            Origin::One(member) | Origin::Both(member, _) => member.value,
        }
    }
}

impl Space {
    /// Appends the child of genes that begin with this node, at `start` in the first parent.
    fn cross(
        &self,
        start: u32,
        one: &[u32],
        other: &[u32],
        second: &mut impl Second,
        child: &mut Vec<u32>,
    ) {
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => {}
            Kind::Product(product) => {
                let (mut start, mut one, mut other) = (start, one, other);
                for part in &product.parts {
                    part.cross(start, one, other, second, child);
                    let genes = part.extent(one).genes;
                    start += genes;
                    one = split(one, genes).1;
                    other = split(other, part.extent(other).genes).1;
                }
            }
            Kind::Choice(choice) => choice.cross(start, one, other, second, child),
        }
    }
}

impl Choice {
    fn cross(
        &self,
        start: u32,
        one: &[u32],
        other: &[u32],
        second: &mut impl Second,
        child: &mut Vec<u32>,
    ) {
        let pairs = self.members(one).zip(self.members(other));
        if self.independent() {
            for (one, other) in pairs {
                self.write(start, either(start, one, other, second), second, child);
            }
            return;
        }
        let mut origins: Vec<Origin> = match (self.distinct, self.sorted) {
            (true, true) => self.cross_sets(start, one, other, second),
            (true, false) => self.cross_distinct(start, pairs.collect(), second),
            _ => pairs.map(|(one, other)| either(start, one, other, second)).collect(),
        };
        if self.sorted {
            origins.sort_by_key(Origin::value);
        }
        origins.into_iter().for_each(|origin| self.write(start, origin, second, child));
    }

    /// Common members, and one of each pair of the others.
    fn cross_sets<'a>(
        &'a self,
        start: u32,
        one: &'a [u32],
        other: &'a [u32],
        second: &mut impl Second,
    ) -> Vec<Origin<'a>> {
        let mut ones = self.members(one).peekable();
        let mut others = self.members(other).peekable();
        let (mut origins, mut only_one, mut only_other) = (Vec::new(), Vec::new(), Vec::new());
        while let (Some(a), Some(b)) = (ones.peek(), others.peek()) {
            match a.value.cmp(&b.value) {
                Ordering::Less => only_one.extend(ones.next()),
                Ordering::Greater => only_other.extend(others.next()),
                Ordering::Equal => {
                    origins.push(Origin::Both(*a, *b));
                    ones.next();
                    others.next();
                }
            }
        }
        only_one.extend(ones);
        only_other.extend(others);
        let pairs = only_one.into_iter().zip(only_other);
        origins.extend(pairs.map(|(one, other)| either(start, one, other, second)));
        origins
    }

    /// Slots that agree, then for the others what is not there yet.
    fn cross_distinct<'a>(
        &self,
        start: u32,
        pairs: Vec<(Member<'a>, Member<'a>)>,
        second: &mut impl Second,
    ) -> Vec<Origin<'a>> {
        let mut used = Used::new(self.arity, self.slots);
        let agreed = pairs.iter().filter(|(one, other)| one.value == other.value);
        agreed.for_each(|(one, _)| _ = used.insert(one.value));
        let mut origins: Vec<Option<Origin>> = Vec::with_capacity(pairs.len());
        for &(one, other) in &pairs {
            origins.push(match either(start, one, other, second) {
                Origin::Both(one, other) => Some(Origin::Both(one, other)),
                Origin::One(first) => {
                    let instead = if first.value == one.value { other } else { one };
                    let free = [first, instead].into_iter().find(|m| used.insert(m.value));
                    free.map(Origin::One)
                }
            });
        }
        let mut spare = pairs.iter().map(|(one, _)| *one);
        let mut next = || spare.find(|member| used.insert(member.value)).map(Origin::One);
        origins.into_iter().filter_map(|origin| origin.or_else(&mut next)).collect()
    }

    fn write(&self, start: u32, origin: Origin, second: &mut impl Second, child: &mut Vec<u32>) {
        child.push(origin.value());
        match origin {
            Origin::One(member) => child.extend_from_slice(member.part),
            Origin::Both(one, other) => {
                if let Some(branch) = self.branch(one.value) {
                    branch.cross(start + one.at + 1, one.part, other.part, second, child);
                }
            }
        }
    }
}

/// The selection of either parent, or of both where they agree.
fn either<'a>(
    start: u32,
    one: Member<'a>,
    other: Member<'a>,
    second: &mut impl Second,
) -> Origin<'a> {
    if one.value == other.value {
        Origin::Both(one, other)
    } else {
        Origin::One(if second(start + one.at) { other } else { one })
    }
}
