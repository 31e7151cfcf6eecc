//! Enumeration, in lexicographic order of the genes.

use std::iter::successors;

use super::{Decision, Dna, Space};

impl Space {
    /// The first DNA: every decision at its lowest.
    pub fn first(&self) -> Dna {
        // In a list of distinct members the lowest that is left is the slot's own number.
        let exclusive = |decision: &Decision| decision.distinct && !decision.sorted;
        self.build(|decision| if exclusive(decision) { decision.slot } else { decision.low })
    }

    /// The DNA after `dna`, if there is one.
    ///
    /// It keeps the longest prefix it can: the last decision that can rise does so, and everything
    /// after it falls to its lowest.
    pub fn next(&self, dna: &Dna) -> Option<Dna> {
        let mut rise = None;
        self.visit(dna, |decision, value| {
            if let Some(next) = decision.after(value) {
                rise = Some((decision.position, next));
            }
        });
        let (at, next) = rise?;
        Some(self.build(|decision| match decision.position {
            position if position < at => dna.genes().get(position as usize).copied().unwrap_or(0),
            position if position == at => next,
            _ => decision.low,
        }))
    }

    /// Every DNA, in order.
    pub fn enumerate(&self) -> impl Iterator<Item = Dna> {
        successors(Some(self.first()), |dna| self.next(dna))
    }
}
