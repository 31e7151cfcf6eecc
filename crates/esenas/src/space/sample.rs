//! Uniform sampling: each choice uniform over its own selections, then what they decide further.
//!
//! This is not uniform over the points of a nested space: a large branch is as likely as a small
//! one beside it, as in PyGlove.

use super::used::Used;
use super::{Choice, Dna, Kind, Space};
use crate::Stream;

impl Space {
    /// A random DNA.
    pub fn sample(&self, stream: &mut Stream) -> Dna {
        let known = self.shape.fixed.map_or(0, |extent| extent.genes as usize);
        let mut genes = Vec::with_capacity(known);
        self.sample_into(&mut genes, stream);
        Dna::from(genes)
    }

    /// Appends random genes for this node.
    pub(super) fn sample_into(&self, genes: &mut Vec<u32>, stream: &mut Stream) {
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => {}
            Kind::Product(product) => {
                product.parts.iter().for_each(|part| part.sample_into(genes, stream));
            }
            Kind::Choice(choice) if choice.independent() => {
                for _ in 0..choice.slots {
                    choice.take(stream.below(choice.arity), genes, stream);
                }
            }
            Kind::Choice(choice) => {
                for value in choice.selection(stream) {
                    choice.take(value, genes, stream);
                }
            }
        }
    }
}

impl Choice {
    /// Appends `value` and random genes below it.
    pub(super) fn take(&self, value: u32, genes: &mut Vec<u32>, stream: &mut Stream) {
        genes.push(value);
        if let Some(branch) = self.branch(value) {
            branch.sample_into(genes, stream);
        }
    }

    /// What slots that depend on each other select.
    fn selection(&self, stream: &mut Stream) -> Vec<u32> {
        let (n, k) = (self.arity, self.slots);
        match (self.distinct, self.sorted) {
            (true, true) => subset(n, k, stream),
            (true, false) => {
                let mut values = if k == n { (0..n).collect() } else { subset(n, k, stream) };
                stream.shuffle(&mut values);
                values
            }
            // Multisets of k among n are the subsets of k among n + k − 1, pushed together.
            _ => {
                let mut values = subset(n + k - 1, k, stream);
                values.iter_mut().zip(0..).for_each(|(value, slot)| *value -= slot);
                values
            }
        }
    }
}

/// A uniform subset of `k` among `0..n`, ascending: Floyd's algorithm, one draw per member.
pub(super) fn subset(n: u32, k: u32, stream: &mut Stream) -> Vec<u32> {
    let mut used = Used::new(n, k);
    for last in n - k..n {
        if !used.insert(stream.below(last + 1)) {
            used.insert(last);
        }
    }
    let mut values = Vec::with_capacity(k as usize);
    used.ascending(|value| values.push(value));
    values
}
