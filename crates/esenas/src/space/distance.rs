//! NEAT's compatibility distance (Stanley and Miikkulainen 2002, Eq. 1), on DNA (A.2.1).
//!
//! δ = c₁·E/N + c₂·D/N + c₃·W̄, where NEAT's words mean here:
//!
//! - *Gene*: one decision of the DNA.
//! - *Innovation number*: what makes genes of two DNAs the same gene. It is the decision's locus;
//!   for a member of a sorted set, as for NEAT's connections, it is the set and the candidate,
//!   whichever slot it sits in, and what that member decides is numbered by the candidate too.
//!   Numbers ascend along every DNA.
//! - *Matching* genes are in both DNAs; *excess* genes E lie beyond the last number of the other
//!   DNA, all other unmatched genes are *disjoint*, D.
//! - *Weight difference* of matching genes is 0 if both chose the same candidate, else 1; W̄ is its
//!   mean over matching genes, 0 if there are none.
//! - N is the number of genes of the larger DNA, or 1 if both have fewer than 20.
//!
//! Symmetric, and with positive coefficients zero exactly for equal DNAs.

use super::members::split;
use super::{Choice, Dna, Kind, Space};
use crate::Compatibility;

/// Genomes below this many genes are small: NEAT then does not normalize.
const SMALL: usize = 20;

impl Space {
    /// How different two DNAs are.
    pub fn distance(&self, one: &Dna, other: &Dna, by: &Compatibility) -> f64 {
        let [one, other] = [one, other].map(|dna| {
            let mut genes = Vec::with_capacity(dna.genes().len());
            self.innovations(dna.genes(), 0, &mut genes);
            genes
        });
        let larger = one.len().max(other.len());
        let n = if larger < SMALL { 1.0 } else { larger as f64 };
        let Comparison { matching, differing, disjoint, excess } = compare(&one, &other);
        let mean = differing as f64 / matching.max(1) as f64;
        by.excess * excess as f64 / n + by.disjoint * disjoint as f64 / n + by.weight * mean
    }

    /// Appends the genes of this node, which begins at `locus`, with their innovation numbers.
    fn innovations(&self, genes: &[u32], locus: u32, into: &mut Vec<(u64, u32)>) {
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => {}
            Kind::Product(product) => {
                let (mut locus, mut rest) = (locus, genes);
                for part in &product.parts {
                    part.innovations(rest, locus, into);
                    locus += part.loci();
                    rest = split(rest, part.extent(rest).genes).1;
                }
            }
            Kind::Choice(choice) => choice.innovations(genes, locus, into),
        }
    }
}

impl Choice {
    fn innovations(&self, genes: &[u32], group: u32, into: &mut Vec<(u64, u32)>) {
        let set = self.distinct && self.sorted;
        for (member, slot) in self.members(genes).zip(0..) {
            // A set is numbered as if all its members sat in slot 0.
            let locus = if set { group } else { group + slot * self.width };
            let below = self.branch_locus(locus, member.value);
            if set {
                // A member comes before what it decides, after the candidates before it.
                into.push((number(below, member.value), member.value));
            } else {
                into.push((number(locus, u32::MAX), member.value));
            }
            if let Some(branch) = self.branch(member.value) {
                branch.innovations(member.part, below, into);
            }
        }
    }
}

/// The innovation number of a decision (`candidate` = MAX), or of a member of a set.
fn number(locus: u32, candidate: u32) -> u64 {
    u64::from(locus) << 32 | u64::from(candidate)
}

struct Comparison {
    matching: usize,
    differing: usize,
    disjoint: usize,
    excess: usize,
}

fn compare(one: &[(u64, u32)], other: &[(u64, u32)]) -> Comparison {
    let mut found = Comparison { matching: 0, differing: 0, disjoint: 0, excess: 0 };
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        if a.0 == b.0 {
            found.matching += 1;
            found.differing += usize::from(a.1 != b.1);
        } else {
            found.disjoint += 1;
        }
        i += usize::from(a.0 <= b.0);
        j += usize::from(b.0 <= a.0);
    }
    found.excess = one.len() - i + other.len() - j;
    found
}
