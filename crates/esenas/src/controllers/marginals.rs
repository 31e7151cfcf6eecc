//! How often each candidate is selected: the edge frequencies of the paper's figures on
//! convergence.
//!
//! With μ the probability that a choice is met and q that of a candidate where it is, the marginal
//! is μ q. Where choices are independent, q is a number that the distribution holds, and μ the
//! marginal of the selection that leads to the choice: exact, from the top down. Three things have
//! no closed form: a recurrent network; slots that must not repeat each other, in any order; and
//! what lies below a sorted choice. There q is averaged over models that are drawn for this alone.
//! By Rao and Blackwell (1945, 1947) that is never further off in the mean than counting
//! selections.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::space::{Decision, Surveyed};
use crate::{Dna, Space};

/// Spaces have marginals if they have at most this many candidates, over all choices.
pub const MAX_MARGINALS: usize = 1 << 16;

/// For each choice of a space the mean number of times that a model selects each of its candidates:
/// of a single choice the probabilities, of a subset the probability that a candidate is in it. The
/// slots of a sorted choice are taken together, of any other every slot is a choice of its own.
/// Where a choice is conditional, a model without it counts as selecting nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Marginals {
    starts: BTreeMap<u32, Range<usize>>,
    p: Vec<f64>,
    exact: bool,
}

impl Marginals {
    /// The frequencies among `models`. `None` of a space with more than [`MAX_MARGINALS`]
    /// candidates.
    pub fn of(space: &Space, models: &[Dna]) -> Option<Self> {
        let layout = Layout::new(space)?;
        let mut counts = vec![0.0; layout.size];
        for dna in models {
            space.visit(dna, |decision, value| {
                counts[layout.range(key_of(decision)).start + value as usize] += 1.0;
            });
        }
        Some(layout.averaged(counts, models.len()))
    }

    /// Those of `space` that were written down as [`numbers`](Self::numbers); `None` if they are of
    /// another.
    pub fn from_numbers(space: &Space, numbers: &[f32], exact: bool) -> Option<Self> {
        let layout = Layout::new(space).filter(|layout| layout.size == numbers.len())?;
        let p = numbers.iter().copied().map(f64::from).collect();
        Some(Self { starts: layout.starts, p, exact })
    }

    /// All of them, choice by choice in the order of [`Space::survey`]: what is worth writing down.
    pub fn numbers(&self) -> Vec<f32> {
        self.p.iter().map(|p| *p as f32).collect()
    }

    /// Whether they are those of the distribution, and not estimated.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Each choice, by the locus of its slot and of sorted ones of the first, with what its
    /// candidates have.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[f64])> {
        self.starts.iter().map(|(locus, range)| (*locus, &self.p[range.clone()]))
    }

    /// Of one choice, by the same locus.
    pub fn get(&self, locus: u32) -> Option<&[f64]> {
        Some(&self.p[self.starts.get(&locus)?.clone()])
    }

    /// The `n` most frequent candidates: locus, candidate and frequency, of equals the first. What
    /// a figure of a large space has room for.
    pub fn top(&self, n: usize) -> Vec<(u32, u32, f64)> {
        let of = |(locus, of): (u32, &[f64])| {
            (0..).zip(of.to_vec()).map(move |(v, p)| (locus, v, p)).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = self.iter().flat_map(of).collect();
        all.sort_by(|one, two| two.2.total_cmp(&one.2));
        all.truncate(n);
        all
    }
}

/// Where the numbers of each choice are.
pub(super) struct Layout {
    places: Vec<Surveyed>,
    starts: BTreeMap<u32, Range<usize>>,
    pub(super) size: usize,
    /// The slots whose marginals are exact, where choices are independent.
    closed: BTreeSet<u32>,
    /// Whether all choices are as exact.
    all_closed: bool,
}

/// Whether the slots are taken together.
fn is_joint(place: &Surveyed) -> bool {
    place.sorted && place.slots > 1
}

/// What the numbers of a decision are found by.
pub(super) fn key_of(decision: &Decision) -> u32 {
    if decision.sorted && decision.slots > 1 { decision.group } else { decision.locus }
}

impl Layout {
    /// `None` where there is too much to look at.
    pub(super) fn new(space: &Space) -> Option<Self> {
        let places = space.choices(MAX_MARGINALS + 1);
        let mut layout = Self {
            places: Vec::new(),
            starts: BTreeMap::new(),
            size: 0,
            closed: BTreeSet::new(),
            all_closed: true,
        };
        for place in &places {
            let reached = place.parent.is_none_or(|(slot, _)| layout.closed.contains(&slot));
            let closed = reached && (place.sorted || !place.distinct || place.slots == 1);
            layout.all_closed &= closed;
            for locus in keys(place) {
                let end = layout.size.checked_add(place.arity as usize)?;
                if end > MAX_MARGINALS {
                    return None;
                }
                layout.starts.insert(locus, layout.size..end);
                layout.size = end;
                if closed && !is_joint(place) {
                    layout.closed.insert(locus);
                }
            }
        }
        layout.places = places;
        Some(layout)
    }

    /// Where the numbers of `key` are.
    pub(super) fn range(&self, key: u32) -> Range<usize> {
        self.starts.get(&key).cloned().unwrap_or(0..0)
    }

    /// What sums over `n` models come to.
    pub(super) fn averaged(self, mut sums: Vec<f64>, n: usize) -> Marginals {
        sums.iter_mut().for_each(|sum| *sum /= n.max(1) as f64);
        Marginals { starts: self.starts, p: sums, exact: false }
    }

    /// Of choices that are independent of each other. `own` says what a choice selects where it is
    /// met, at a locus of its; `lean` averages over models where that is not enough.
    pub(super) fn independent(
        self,
        own: impl Fn(&Surveyed, u32) -> Vec<f64>,
        lean: impl FnOnce(&Self) -> Vec<f64>,
    ) -> Marginals {
        let mut p = if self.all_closed { vec![0.0; self.size] } else { lean(&self) };
        for place in &self.places {
            let met = match place.parent {
                None => 1.0,
                Some((slot, value)) if self.closed.contains(&slot) => {
                    p[self.range(slot).start + value as usize]
                }
                Some(_) => continue,
            };
            if place.distinct && !place.sorted && place.slots > 1 {
                continue;
            }
            for locus in keys(place) {
                let all = p[self.range(locus)].iter_mut().zip(own(place, locus));
                all.for_each(|(p, own)| *p = met * own);
            }
        }
        Marginals { starts: self.starts, p, exact: self.all_closed }
    }
}

/// The loci of a choice that have numbers.
fn keys(place: &Surveyed) -> impl Iterator<Item = u32> + use<> {
    let (group, width) = (place.group, place.width);
    let count = if is_joint(place) { 1 } else { place.slots };
    (0..count).map(move |slot| group + slot * width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::testing::many;

    #[test]
    fn frequencies_are_of_the_models_given() {
        let space = Space::list([many(2, 4, true, true), Space::bool()]).unwrap();
        let models = [[0, 2, 1], [0, 3, 1], [0, 2, 0], [1, 2, 1]].map(|m| Dna::from(m.to_vec()));
        let marginals = Marginals::of(&space, &models).unwrap();
        let all: Vec<_> = marginals.iter().map(|(_, of)| of.to_vec()).collect();
        assert_eq!(all, [vec![0.75, 0.25, 0.75, 0.25], vec![0.25, 0.75]]);
        let mask = Space::list([many(2, 2, false, false)]).unwrap();
        let models = [[0, 1], [1, 1], [0, 1], [0, 0]].map(|m| Dna::from(m.to_vec()));
        let slots = Marginals::of(&mask, &models).unwrap();
        let all: Vec<_> = slots.iter().map(|(locus, of)| (locus, of.to_vec())).collect();
        assert_eq!(all, [(0, vec![0.75, 0.25]), (1, vec![0.25, 0.75])]);
        let top: Vec<_> = marginals.top(3).into_iter().map(|(_, v, p)| (v, p)).collect();
        assert_eq!(top, [(0, 0.75), (2, 0.75), (1, 0.75)]);
    }

    /// Red when what was written down is read into another space.
    #[test]
    fn numbers_come_back_and_only_to_their_space() {
        let space = Space::list([many(2, 4, true, true), Space::bool()]).unwrap();
        let models = [[0, 2, 1], [0, 3, 1]].map(|m| Dna::from(m.to_vec()));
        let marginals = Marginals::of(&space, &models).unwrap();
        let numbers = marginals.numbers();
        assert_eq!(numbers.len(), 6);
        assert_eq!(Marginals::from_numbers(&space, &numbers, false), Some(marginals));
        assert_eq!(Marginals::from_numbers(&many(2, 4, true, true), &numbers, false), None);
    }

    #[test]
    fn what_is_too_much_is_not_looked_at() {
        let one = |n: u32| Space::oneof(0..=i64::from(n) - 1).unwrap();
        assert!(Layout::new(&one(MAX_MARGINALS as u32)).is_some());
        assert!(Layout::new(&one(MAX_MARGINALS as u32 + 1)).is_none());
        assert!(Layout::new(&many(3, 30_000, false, false)).is_none());
        assert!(Layout::new(&many(3, 30_000, true, true)).is_some());
    }
}
