//! The paper's uniform mutation (A.2.1): one decision, chosen uniformly among those of the DNA that
//! can change, takes a value chosen "uniformly over all possible choices". The old one is among
//! them, as in PyGlove's mutator: one in v mutants of a decision with v values keeps it. A
//! [neighbour](Space::neighbour) is a mutant whose decision takes another value.
//!
//! The selection's own decisions are sampled. Where slots depend on each other the rest follows:
//!
//! - a sorted set keeps the member or swaps it for one of the unused candidates,
//! - a distinct list is an order: it is changed by a [`Move`], drawn uniformly if not given,
//! - a sorted list with repetition takes any candidate and is sorted again.
//!
//! What a member decides travels with it.

use serde::{Deserialize, Serialize};

use super::members::{Member, split};
use super::{Choice, Dna, Kind, Space};
use crate::Stream;

/// How an order changes, at a slot. Each of them alone reaches every permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Move {
    /// The slot takes another candidate; where that sits in another slot, the two are exchanged.
    Exchange,
    /// The member goes to another slot, and those between move up.
    Insert,
    /// The stretch from the slot to another one is reversed: of a tour, that changes two edges.
    Reverse,
}

impl Move {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Exchange, Self::Insert, Self::Reverse];

    fn draw(stream: &mut Stream) -> Self {
        Self::ALL[stream.index(Self::ALL.len())]
    }
}

impl Space {
    /// A mutant of `dna`, which may be its equal.
    pub fn mutate(&self, dna: &Dna, stream: &mut Stream) -> Dna {
        self.vary(dna, Values::All, stream)
    }

    /// A mutant of `dna` that differs from it, unless |𝓜| = 1.
    pub fn neighbour(&self, dna: &Dna, stream: &mut Stream) -> Dna {
        self.vary(dna, Values::Others, stream)
    }

    /// How many decisions of `dna` can change.
    pub fn changeable(&self, dna: &Dna) -> u32 {
        self.extent(dna.genes()).changeable
    }

    /// A [neighbour](Self::neighbour) by its `index`-th decision that can change, and what move
    /// that was if the decision is a slot of an order: `how` says which.
    pub fn change(
        &self,
        dna: &Dna,
        index: u32,
        how: impl FnOnce(&mut Stream) -> Move,
        stream: &mut Stream,
    ) -> (Dna, Option<Move>) {
        let genes = dna.genes();
        let Some(site) = self.locate(genes, 0, index) else { return (dna.clone(), None) };
        let by = site.choice.is_order().then(|| how(stream));
        (site.change(genes, Values::Others, by, stream), by)
    }

    fn vary(&self, dna: &Dna, values: Values, stream: &mut Stream) -> Dna {
        let genes = dna.genes();
        let changeable = self.extent(genes).changeable;
        if changeable == 0 {
            return dna.clone();
        }
        let Some(site) = self.locate(genes, 0, stream.below(changeable)) else {
            return dna.clone();
        };
        let by = site.choice.is_order().then(|| Move::draw(stream));
        site.change(genes, values, by, stream)
    }

    /// The `index`-th decision that can change, in genes of which this node begins at `start`.
    fn locate(&self, genes: &[u32], mut start: usize, mut index: u32) -> Option<Site<'_>> {
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => None,
            Kind::Product(product) => {
                for part in &product.parts {
                    let extent = part.extent(genes.get(start..)?);
                    if index < extent.changeable {
                        return part.locate(genes, start, index);
                    }
                    index -= extent.changeable;
                    start += extent.genes as usize;
                }
                None
            }
            Kind::Choice(choice) => choice.locate(genes, start, index),
        }
    }
}

/// What a decision that is drawn may become.
#[derive(Clone, Copy)]
enum Values {
    /// Whatever it can be.
    All,
    /// Whatever it is not.
    Others,
}

/// A decision of a DNA that can change.
struct Site<'a> {
    choice: &'a Choice,
    /// Where the genes of the choice begin.
    start: usize,
    /// Which slot is meant, and where its gene is.
    slot: usize,
    at: usize,
}

impl Choice {
    fn locate(&self, genes: &[u32], start: usize, mut index: u32) -> Option<Site<'_>> {
        if !self.nested() {
            let slot = index as usize;
            return Some(Site { choice: self, start, slot, at: start + slot });
        }
        let own = u32::from(self.changeable());
        for (slot, member) in self.members(genes.get(start..)?).enumerate() {
            let at = start + member.at as usize;
            if index < own {
                return Some(Site { choice: self, start, slot, at });
            }
            index -= own;
            if let Some(branch) = self.branch(member.value) {
                let below = branch.extent(member.part).changeable;
                if index < below {
                    return branch.locate(genes, at + 1, index);
                }
                index -= below;
            }
        }
        None
    }

    /// Whether there is an order to change: of two slots there is but an exchange.
    pub(super) fn is_order(&self) -> bool {
        self.distinct && !self.sorted && self.slots > 2
    }
}

impl Values {
    /// Uniform below `n`, or among those other than `old`.
    fn draw(self, old: u32, n: u32, stream: &mut Stream) -> u32 {
        match self {
            Self::All => stream.below(n),
            Self::Others => {
                let value = stream.below(n - 1);
                value + u32::from(value >= old)
            }
        }
    }
}

impl Site<'_> {
    fn change(&self, genes: &[u32], values: Values, by: Option<Move>, stream: &mut Stream) -> Dna {
        let mut child = Vec::with_capacity(genes.len());
        match by {
            Some(by @ (Move::Insert | Move::Reverse)) => {
                self.reorder(genes, by, values, &mut child, stream)
            }
            _ if self.choice.independent() => self.replace(genes, values, &mut child, stream),
            _ => self.rearrange(genes, values, &mut child, stream),
        }
        Dna::from(child)
    }

    /// The same members in another order.
    fn reorder(
        &self,
        genes: &[u32],
        by: Move,
        values: Values,
        child: &mut Vec<u32>,
        stream: &mut Stream,
    ) {
        let (before, group) = split(genes, self.start as u32);
        let mut reader = self.choice.members(group);
        let mut members: Vec<Member> = reader.by_ref().collect();
        if self.slot >= members.len() {
            return child.extend_from_slice(genes);
        }
        let to = values.draw(self.slot as u32, members.len() as u32, stream) as usize;
        let stretch = &mut members[self.slot.min(to)..=self.slot.max(to)];
        match by {
            Move::Reverse => stretch.reverse(),
            _ if self.slot < to => stretch.rotate_left(1),
            _ => stretch.rotate_right(1),
        }
        child.extend_from_slice(before);
        write(&members, child);
        child.extend_from_slice(reader.rest());
    }

    /// A slot that is free of the others.
    fn replace(&self, genes: &[u32], values: Values, child: &mut Vec<u32>, stream: &mut Stream) {
        let (before, rest) = split(genes, self.at as u32);
        child.extend_from_slice(before);
        let Some((&old, below)) = rest.split_first() else { return };
        let length = self.choice.branch(old).map_or(0, |branch| branch.extent(below).genes);
        let value = values.draw(old, self.choice.arity, stream);
        self.choice.take(value, child, stream);
        child.extend_from_slice(split(below, length).1);
    }

    /// A slot that the others must make room for.
    fn rearrange(&self, genes: &[u32], values: Values, child: &mut Vec<u32>, stream: &mut Stream) {
        let choice = self.choice;
        let (before, group) = split(genes, self.start as u32);
        let mut reader = choice.members(group);
        let mut members: Vec<Member> = reader.by_ref().collect();
        let Some(&old) = members.get(self.slot) else { return child.extend_from_slice(genes) };

        let value = match (choice.distinct, choice.sorted) {
            (true, true) => unused(&members, old.value, values, choice.arity, stream),
            _ => values.draw(old.value, choice.arity, stream),
        };
        let holder = members.iter().position(|member| member.value == value);
        let holder = holder.filter(|_| value != old.value);
        let mut fresh = Vec::new();
        match (choice.sorted, holder) {
            (false, Some(holder)) => members.swap(self.slot, holder),
            (sorted, _) => {
                if let Some(branch) = choice.branch(value) {
                    branch.sample_into(&mut fresh, stream);
                }
                members.remove(self.slot);
                let order = |member: &Member| member.value <= value;
                let to = if sorted { members.partition_point(order) } else { self.slot };
                members.insert(to, Member { value, at: 0, part: &fresh });
            }
        }

        child.extend_from_slice(before);
        write(&members, child);
        child.extend_from_slice(reader.rest());
    }
}

fn write(members: &[Member], child: &mut Vec<u32>) {
    for member in members {
        child.push(member.value);
        child.extend_from_slice(member.part);
    }
}

/// Uniform among the candidates that ascending `members` leave unused, and `old` where it may stay.
fn unused(members: &[Member], old: u32, values: Values, arity: u32, stream: &mut Stream) -> u32 {
    let free = arity - members.len() as u32;
    let index = match values {
        Values::All => stream.below(free + 1),
        Values::Others => stream.below(free),
    };
    if index == free {
        return old;
    }
    members.iter().fold(index, |value, member| value + u32::from(member.value <= value))
}
