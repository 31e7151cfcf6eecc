//! The walk: a space presented as a sequence of decisions, depth first.
//!
//! Building a DNA, replaying one, validating one and finding its successor are all this one walk
//! with different answers. A choice of several slots is presented slot by slot, with the genes
//! below a selection before the next slot. What slot s of k among n candidates may take, given the
//! earlier ones, is
//!
//! | | unsorted | sorted |
//! |---|---|---|
//! | repeating | 0 ..= n − 1 | previous ..= n − 1 |
//! | distinct | 0 ..= n − 1 without those taken | previous + 1 ..= n − k + s |
//!
//! Every prefix that keeps to this can be completed, and every valid DNA is reached exactly once.

use std::convert::Infallible;

use super::used::Used;
use super::{Choice, Dna, Kind, Space};

/// One decision, as it presents itself after those before it.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    /// The gene it fills.
    pub position: u32,
    /// Its static number, below [`Space::loci`].
    pub locus: u32,
    /// The locus of slot 0 of its choice, in the same place: what the slots have in common.
    pub group: u32,
    /// How many candidates there are.
    pub arity: u32,
    /// Which of the slots this is.
    pub slot: u32,
    /// How many slots the choice has.
    pub slots: u32,
    /// Whether no candidate may be selected twice.
    pub distinct: bool,
    /// Whether selections ascend.
    pub sorted: bool,
    /// What the earlier slots have selected, in their order.
    pub taken: &'a [u32],
    /// The lowest value that can be accepted.
    pub low: u32,
    /// The highest value that can be accepted.
    pub high: u32,
    /// The taken ones as a set, where they must not be repeated.
    used: Option<&'a Used>,
}

impl<'a> Decision<'a> {
    /// Whether `value` is accepted.
    pub fn allows(&self, value: u32) -> bool {
        self.low <= value && value <= self.high && !self.is_used(value)
    }

    /// How many values are accepted; never zero.
    pub fn options(&self) -> u32 {
        let taken = if self.used.is_some() { self.taken.len() as u32 } else { 0 };
        self.high - self.low + 1 - taken
    }

    /// The accepted values, ascending.
    pub fn allowed(self) -> impl Iterator<Item = u32> + 'a {
        (self.low..=self.high).filter(move |&value| !self.is_used(value))
    }

    /// The `index`-th accepted value, or the last.
    pub fn nth(&self, index: u32) -> u32 {
        if self.used.is_none() {
            return self.low.saturating_add(index).min(self.high);
        }
        self.allowed().nth(index.min(self.options() - 1) as usize).unwrap_or(self.low)
    }

    /// `value` if accepted, else the next accepted one above it, else the first.
    pub fn nearest(&self, value: u32) -> u32 {
        let value = value.clamp(self.low, self.high);
        if !self.is_used(value) {
            return value;
        }
        self.after(value).unwrap_or_else(|| self.nth(0))
    }

    /// The lowest accepted value above `value`.
    pub fn after(&self, value: u32) -> Option<u32> {
        (value.checked_add(1)?..=self.high).find(|&value| !self.is_used(value))
    }

    fn is_used(&self, value: u32) -> bool {
        self.used.is_some_and(|used| used.contains(value))
    }
}

impl Space {
    /// Builds a DNA by asking for each decision in turn. An answer that is not accepted counts as
    /// [`Decision::nearest`], so the DNA is valid whatever is answered.
    pub fn build(&self, mut answer: impl FnMut(&Decision) -> u32) -> Dna {
        let mut genes = Vec::with_capacity(self.max_len().min(1 << 16) as usize);
        let Ok(()) = self.walk::<Infallible>(&mut |decision| {
            let value = decision.nearest(answer(decision));
            genes.push(value);
            Ok(value)
        });
        Dna::from(genes)
    }

    /// Replays the decisions of `dna`, as [`Space::build`] would have asked for them, each with its
    /// value.
    pub fn visit(&self, dna: &Dna, mut each: impl FnMut(&Decision, u32)) {
        let genes = dna.genes();
        let Ok(()) = self.walk::<Infallible>(&mut |decision| {
            let value = genes.get(decision.position as usize).copied().unwrap_or(0);
            let value = decision.nearest(value);
            each(decision, value);
            Ok(value)
        });
    }

    /// Walks with answers that must be accepted, or stop the walk.
    pub(super) fn walk<E>(
        &self,
        answer: &mut impl FnMut(&Decision) -> Result<u32, E>,
    ) -> Result<(), E> {
        self.walk_from(0, &mut 0, answer)
    }

    fn walk_from<E>(
        &self,
        mut locus: u32,
        position: &mut u32,
        answer: &mut impl FnMut(&Decision) -> Result<u32, E>,
    ) -> Result<(), E> {
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => Ok(()),
            Kind::Product(product) => {
                for part in &product.parts {
                    part.walk_from(locus, position, answer)?;
                    locus += part.loci();
                }
                Ok(())
            }
            Kind::Choice(choice) => choice.walk_from(locus, position, answer),
        }
    }
}

impl Choice {
    fn walk_from<E>(
        &self,
        group: u32,
        position: &mut u32,
        answer: &mut impl FnMut(&Decision) -> Result<u32, E>,
    ) -> Result<(), E> {
        let (n, k) = (self.arity, self.slots);
        let mut taken = Vec::with_capacity(if k > 1 { k as usize } else { 0 });
        let exclusive = self.distinct && !self.sorted && k > 1;
        let mut used = exclusive.then(|| Used::new(n, k));
        let mut low = 0;
        for slot in 0..k {
            let locus = group + slot * self.width;
            let high = if self.distinct && self.sorted { n - k + slot } else { n - 1 };
            let value = answer(&Decision {
                position: *position,
                locus,
                group,
                arity: n,
                slot,
                slots: k,
                distinct: self.distinct,
                sorted: self.sorted,
                taken: &taken,
                low,
                high,
                used: used.as_ref(),
            })?;
            *position += 1;
            if let Some(branch) = self.branch(value) {
                branch.walk_from(self.branch_locus(locus, value), position, answer)?;
            }
            if k > 1 {
                taken.push(value);
            }
            if let Some(used) = &mut used {
                used.insert(value);
            }
            if self.sorted {
                low = value + u32::from(self.distinct);
            }
        }
        Ok(())
    }
}
