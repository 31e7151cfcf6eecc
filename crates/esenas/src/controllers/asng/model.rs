//! The distributions: where they are kept, how they are drawn from, how they move.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::margin::confine;
use crate::space::Decision;
use crate::{Space, Stream};

/// A distribution for each decision met so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Model {
    /// r, how likely a converged decision is to stray from its mode.
    stray: f64,
    /// By locus, its block; a sorted choice has one for all slots.
    index: Vec<Option<u32>>,
    blocks: Vec<Block>,
    /// Those of each block, one after the other.
    probabilities: Vec<f64>,
}

/// Where one distribution is, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Block {
    /// Its first probability.
    pub(super) start: usize,
    /// n
    pub(super) arity: u32,
    /// k: how many slots share it.
    pub(super) slots: u32,
    /// Whether they select a subset.
    subset: bool,
}

/// How many probabilities there could be at most. Slots that share theirs count once, if the
/// first DNA has them.
pub(super) fn bound(space: &Space) -> u64 {
    let mut total: u64 = space.arities().into_iter().map(u64::from).sum();
    space.visit(&space.first(), |decision, _| {
        if decision.sorted && decision.slot > 0 {
            total -= u64::from(decision.arity);
        }
    });
    total
}

/// Whether there is anything to decide.
fn is_free(decision: &Decision) -> bool {
    let all = decision.sorted && decision.distinct && decision.slots == decision.arity;
    decision.arity > 1 && !all
}

impl Block {
    fn new(decision: &Decision, start: usize) -> Self {
        let slots = if decision.sorted { decision.slots } else { 1 };
        Self { start, arity: decision.arity, slots, subset: decision.distinct && slots > 1 }
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.start + self.arity as usize
    }

    /// How many candidates a selection cannot but have.
    fn members(&self) -> u32 {
        if self.subset { self.slots } else { 1 }
    }

    /// The least and the largest a probability may be.
    fn margins(&self, stray: f64) -> (f64, f64) {
        let members = self.members();
        (stray / f64::from(self.arity - members), (1.0 - stray) / f64::from(members))
    }

    /// The diagonal of F^½ at a probability.
    fn root_fisher(&self, p: f64) -> f64 {
        let k = f64::from(self.slots);
        let spread = if self.subset { p * (1.0 - k * p) } else { p };
        (k / spread).sqrt()
    }
}

impl Model {
    pub(super) fn new(space: &Space, margin: f64) -> Self {
        let decisions = f64::from(space.max_len().max(1));
        let mut model = Self {
            stray: -(margin.ln() / decisions).exp_m1(),
            index: vec![None; space.loci() as usize],
            blocks: Vec::new(),
            probabilities: Vec::new(),
        };
        space.visit(&space.first(), |decision, _| {
            model.meet(decision);
        });
        model
    }

    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// All probabilities, block by block.
    pub(super) fn flat(&self) -> &[f64] {
        &self.probabilities
    }

    pub(super) fn probabilities(&self, locus: u32) -> Option<&[f64]> {
        let index = (*self.index.get(locus as usize)?)?;
        Some(&self.probabilities[self.blocks[index as usize].range()])
    }

    /// How often each of `arity` candidates is expected, where `slots` of them are selected from
    /// one distribution; one that is not met yet is uniform.
    pub(super) fn expected(&self, locus: u32, arity: u32, slots: u32) -> Vec<f64> {
        let uniform = || vec![1.0 / f64::from(arity); arity as usize];
        let mut p = self.probabilities(locus).map_or_else(uniform, <[f64]>::to_vec);
        p.iter_mut().for_each(|p| *p *= f64::from(slots));
        p
    }

    /// The block of `decision`, if it has one yet.
    pub(super) fn index(&self, decision: &Decision) -> Option<usize> {
        self.index[decision.locus as usize].map(|index| index as usize)
    }

    /// The block of `decision`, uniform if it is new; none if there is nothing to decide.
    pub(super) fn meet(&mut self, decision: &Decision) -> Option<&Block> {
        let (locus, group) = (decision.locus as usize, decision.group as usize);
        if self.index[locus].is_none() && is_free(decision) {
            // A sorted choice is met at its first slot, whose block the others get.
            let shared = if decision.sorted { self.index[group] } else { None };
            self.index[locus] = shared.or(Some(self.blocks.len() as u32));
            if shared.is_none() {
                let block = Block::new(decision, self.probabilities.len());
                let uniform = 1.0 / f64::from(decision.arity);
                self.probabilities.resize(block.range().end, uniform);
                self.blocks.push(block);
            }
        }
        self.index(decision).map(|index| &self.blocks[index])
    }

    /// Moves so much of the distribution of `decision` to `value`, which is what one of its slots
    /// selects.
    pub(super) fn lean(&mut self, decision: &Decision, value: u32, share: f64) {
        let stray = self.stray;
        let Some(&block) = self.meet(decision) else { return };
        let p = &mut self.probabilities[block.range()];
        let part = share / f64::from(block.slots);
        p.iter_mut().for_each(|p| *p *= 1.0 - part);
        p[value as usize] += part;
        confine(p, block.margins(stray));
    }

    /// Draws a value for `decision`. What the later slots of a sorted choice will select waits in
    /// `pending`, the next one last; choices below them come and go in between.
    pub(super) fn draw(
        &mut self,
        decision: &Decision,
        pending: &mut Vec<u32>,
        stream: &mut Stream,
    ) -> u32 {
        let Some(&block) = self.meet(decision) else { return decision.low };
        let p = &self.probabilities[block.range()];
        if !decision.sorted {
            return among(decision, p, stream);
        }
        if decision.slot == 0 {
            let from = pending.len();
            if block.subset {
                subset(p, block.slots, pending, stream);
            } else {
                pending.extend((0..block.slots).map(|_| select(p, stream.unit())));
            }
            pending[from..].sort_unstable_by(|one, other| other.cmp(one));
        }
        pending.pop().unwrap_or(decision.low)
    }

    /// The most probable value of `decision`; the first of equals. `pending` as for drawing.
    pub(super) fn likeliest(&self, decision: &Decision, pending: &mut Vec<u32>) -> u32 {
        let Some(index) = self.index(decision) else {
            // Not met yet: uniform, and the first will do.
            return decision.low;
        };
        let block = &self.blocks[index];
        let p = &self.probabilities[block.range()];
        if !decision.sorted {
            let better = |best: u32, value: u32| {
                if p[value as usize] > p[best as usize] { value } else { best }
            };
            return decision.allowed().reduce(better).unwrap_or(decision.low);
        }
        if decision.slot == 0 {
            let from = pending.len();
            let counts = block.likeliest(p);
            pending.extend((0..).zip(counts).flat_map(|(v, c)| std::iter::repeat_n(v, c as usize)));
            pending[from..].reverse();
        }
        pending.pop().unwrap_or(decision.low)
    }

    /// S = F^½ G.
    pub(super) fn to_fisher(&self, natural: &[f64]) -> Vec<f64> {
        let mut direction = vec![0.0; natural.len()];
        for block in &self.blocks {
            for at in block.range() {
                direction[at] = natural[at] * block.root_fisher(self.probabilities[at]);
            }
        }
        direction
    }

    /// p ← p + `rate` G, within the margins. Where G is zero nothing changes, to the bit.
    pub(super) fn advance(&mut self, natural: &[f64], rate: f64) {
        for block in &self.blocks {
            let (p, g) = (&mut self.probabilities[block.range()], &natural[block.range()]);
            if g.iter().any(|g| *g != 0.0) {
                p.iter_mut().zip(g).for_each(|(p, g)| *p += rate * g);
                confine(p, block.margins(self.stray));
            }
        }
    }

    /// The mean entropy per decision, as a share of the largest; the mean probability of the mode.
    pub(super) fn certainty(&self) -> (f64, f64) {
        let (mut entropy, mut mode, mut decisions) = (0.0, 0.0, 0.0);
        for block in &self.blocks {
            let (p, slots) = (&self.probabilities[block.range()], f64::from(block.slots));
            entropy += slots * block.entropy(p);
            mode += slots * block.top(p);
            decisions += slots;
        }
        if decisions > 0.0 { (entropy / decisions, mode / decisions) } else { (0.0, 1.0) }
    }
}

impl Block {
    /// How often the likeliest selection has each candidate: of a subset the k most probable once,
    /// of a multinomial distribution, for which this is exact, one by one the candidate
    /// largest in p / (count + 1).
    fn likeliest(&self, p: &[f64]) -> Vec<u32> {
        let mut counts = vec![0; p.len()];
        if self.subset {
            ranked(p)[..self.slots as usize].iter().for_each(|&at| counts[at] = 1);
            return counts;
        }
        for _ in 0..self.slots {
            let gain = |at: usize| p[at] / f64::from(counts[at] + 1);
            let best =
                (1..p.len()).fold(0, |best, at| if gain(at) > gain(best) { at } else { best });
            counts[best] += 1;
        }
        counts
    }

    /// The entropy, as a share of that of the uniform distribution: of a subset, of its members
    /// as independent.
    fn entropy(&self, p: &[f64]) -> f64 {
        let part = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
        let (k, n) = (f64::from(self.slots), f64::from(self.arity));
        if self.subset {
            let binary = |q: f64| part(q) + part(1.0 - q);
            p.iter().map(|p| binary(k * p)).sum::<f64>() / (n * binary(k / n))
        } else {
            p.iter().copied().map(part).sum::<f64>() / n.ln()
        }
    }

    /// The probability of the likeliest candidate, or the mean of the k likeliest members.
    fn top(&self, p: &[f64]) -> f64 {
        if self.subset {
            ranked(p)[..self.slots as usize].iter().map(|&at| p[at]).sum()
        } else {
            p.iter().copied().fold(0.0, f64::max)
        }
    }
}

/// The candidates, most probable first; of equals the first.
fn ranked(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&one, &other| p[other].total_cmp(&p[one]));
    order
}

/// The candidate at `point` of the probabilities laid end to end.
fn select(p: &[f64], mut point: f64) -> u32 {
    for (value, p) in (0..).zip(p) {
        if point < *p {
            return value;
        }
        point -= p;
    }
    p.len() as u32 - 1
}

/// A value among those allowed.
fn among(decision: &Decision, p: &[f64], stream: &mut Stream) -> u32 {
    if decision.options() == decision.arity {
        return select(p, stream.unit());
    }
    let total: f64 = decision.allowed().map(|value| p[value as usize]).sum();
    let mut point = stream.unit() * total;
    let mut last = decision.low;
    for value in decision.allowed() {
        last = value;
        if point < p[value as usize] {
            break;
        }
        point -= p[value as usize];
    }
    last
}

/// Appends `k` candidates, each with probability k·p of being among them.
///
/// The pivotal method: of two candidates with probabilities a and b, one is decided and the other
/// takes on what is left, a + b or a + b − 1, each keeping its own on average. The order is
/// random, lest neighbours never meet; so equal probabilities give every subset alike.
fn subset(p: &[f64], k: u32, members: &mut Vec<u32>, stream: &mut Stream) {
    let full = members.len() + k as usize;
    let mut order: Vec<u32> = (0..p.len() as u32).collect();
    stream.shuffle(&mut order);
    let of = |candidate: u32| f64::from(k) * p[candidate as usize];
    let mut open = order[0];
    let mut a = of(open);
    for &next in &order[1..] {
        let b = of(next);
        let unit = stream.unit();
        if a + b < 1.0 {
            if unit * (a + b) < b {
                open = next;
            }
            a += b;
        } else {
            let first = unit * (2.0 - a - b) < 1.0 - b;
            members.push(if first { open } else { next });
            if first {
                open = next;
            }
            a += b - 1.0;
        }
        if members.len() == full {
            return;
        }
    }
    // What is left of a sum of k is 1, but for rounding.
    members.push(open);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::controllers::testing::stream;

    fn block(arity: u32, slots: u32, subset: bool) -> Block {
        Block { start: 0, arity, slots, subset }
    }

    /// Red when the pivot keeps the wrong one, or what is left of two is off.
    #[test]
    fn members_have_the_probabilities_asked_for() {
        let p = [0.32, 0.02, 0.1, 0.16, 0.3, 0.1];
        let (mut counts, mut stream) = ([0.0; 6], stream(0));
        for _ in 0..20_000 {
            let mut members = vec![9];
            subset(&p, 3, &mut members, &mut stream);
            assert_eq!((members.len(), members[0]), (4, 9));
            members[1..].iter().for_each(|&at| counts[at as usize] += 1.0);
            assert_eq!(members[1..].iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
        }
        for (count, p) in counts.iter().zip(p) {
            let (expected, member) = (20_000.0 * 3.0 * p, 3.0 * p);
            let deviation = (expected * (1.0 - member)).sqrt();
            assert!((count - expected).abs() < 4.0 * deviation, "{counts:?}");
        }
    }

    /// Red when candidates are taken in a fixed order: neighbours would not meet.
    #[test]
    fn equal_probabilities_give_every_subset_alike() {
        let (mut counts, mut stream) = (BTreeMap::new(), stream(1));
        for _ in 0..20_000 {
            let mut members = vec![];
            subset(&[0.2; 5], 2, &mut members, &mut stream);
            members.sort_unstable();
            *counts.entry(members).or_insert(0.0) += 1.0;
        }
        assert_eq!(counts.len(), 10);
        let chi2: f64 = counts.values().map(|c: &f64| (c - 2000.0).powi(2) / 2000.0).sum();
        assert!(chi2 < 27.9, "χ² with 9 degrees of freedom at 0.1 %: {chi2}");
    }

    #[test]
    fn a_point_of_the_line_selects_what_lies_there() {
        let p = [0.25, 0.5, 0.25];
        assert_eq!([0.0, 0.24, 0.25, 0.74, 0.75, 1.0].map(|at| select(&p, at)), [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn the_margins_are_what_a_converged_distribution_keeps() {
        let (low, high) = block(5, 1, false).margins(0.1);
        assert!((high + 4.0 * low - 1.0).abs() < 1e-15 && (high - 0.9).abs() < 1e-15);
        let (low, high) = block(10, 4, true).margins(0.1);
        assert!((4.0 * high + 6.0 * low - 1.0).abs() < 1e-15 && (4.0 * high - 0.9).abs() < 1e-15);
    }

    proptest! {
        /// The likeliest multiset against all of them. Red when it is the largest p, k times.
        #[test]
        fn the_likeliest_multiset_is(raw in prop::collection::vec(0.01..1.0f64, 3), k in 1u32..6) {
            let likelihood = |counts: &[u32]| -> f64 {
                let factorial = |c: u32| (1..=c).map(f64::from).product::<f64>();
                counts.iter().zip(&raw).map(|(c, p)| p.powi(*c as i32) / factorial(*c)).product()
            };
            let mode = block(3, k, false).likeliest(&raw);
            prop_assert_eq!(mode.iter().sum::<u32>(), k);
            for a in 0..=k {
                for b in 0..=k - a {
                    let other = likelihood(&[a, b, k - a - b]);
                    prop_assert!(other <= likelihood(&mode) * (1.0 + 1e-12));
                }
            }
        }
    }
}
