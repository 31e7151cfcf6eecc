//! How a DNA divides among the parts of a space.

use super::{Choice, Kind, Space};

/// What a node takes of a DNA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// How many genes it occupies.
    pub(super) genes: u32,
    /// How many of them can change.
    pub(super) changeable: u32,
}

impl Extent {
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            genes: self.genes.checked_add(other.genes)?,
            changeable: self.changeable.checked_add(other.changeable)?,
        })
    }

    pub(super) fn times(self, k: u32) -> Option<Self> {
        Some(Self {
            genes: self.genes.checked_mul(k)?,
            changeable: self.changeable.checked_mul(k)?,
        })
    }
}

impl Space {
    /// The extent of this node in genes that begin with it.
    pub(super) fn extent(&self, genes: &[u32]) -> Extent {
        if let Some(fixed) = self.shape.fixed {
            return fixed;
        }
        let mut total = Extent::default();
        let mut add = |extent: Extent| {
            total.genes += extent.genes;
            total.changeable += extent.changeable;
        };
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => {}
            Kind::Product(product) => {
                let mut rest = genes;
                for part in &product.parts {
                    let extent = part.extent(rest);
                    rest = split(rest, extent.genes).1;
                    add(extent);
                }
            }
            Kind::Choice(choice) => {
                let own = u32::from(choice.changeable());
                for member in choice.members(genes) {
                    add(Extent { genes: 1, changeable: own });
                    if let Some(branch) = choice.branch(member.value) {
                        add(branch.extent(member.part));
                    }
                }
            }
        }
        total
    }
}

/// `genes` in two at `at`, or at their end.
pub(super) fn split(genes: &[u32], at: u32) -> (&[u32], &[u32]) {
    genes.split_at(genes.len().min(at as usize))
}

/// One selection of a choice, with what it decides further.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    /// The candidate.
    pub(super) value: u32,
    /// Where its gene is, from the first gene of the choice.
    pub(super) at: u32,
    /// The genes below it.
    pub(super) part: &'a [u32],
}

/// The selections of a choice, slot by slot.
pub(super) struct Members<'a> {
    choice: &'a Choice,
    left: u32,
    at: u32,
    rest: &'a [u32],
}

impl Choice {
    /// The selections this choice has made in genes that begin with it.
    pub(super) fn members<'a>(&'a self, genes: &'a [u32]) -> Members<'a> {
        Members { choice: self, left: self.slots, at: 0, rest: genes }
    }
}

impl<'a> Members<'a> {
    /// The genes after those read so far.
    pub(super) fn rest(&self) -> &'a [u32] {
        self.rest
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        self.left = self.left.checked_sub(1)?;
        let (&value, rest) = self.rest.split_first()?;
        let genes = self.choice.branch(value).map_or(0, |branch| branch.extent(rest).genes);
        let (part, rest) = split(rest, genes);
        self.rest = rest;
        let at = self.at;
        self.at += 1 + part.len() as u32;
        Some(Member { value, at, part })
    }
}
