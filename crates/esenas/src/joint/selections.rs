//! What a model selects, as a set: what is learned of a model piece by piece is learned of these.

use crate::{Dna, Space};

/// A decision and what was selected there; of sorted choices, whose slots mean nothing, a member.
pub(super) type Selection = (u32, u32);

/// The selections of `dna`, ascending, each once. Branches not taken have none.
pub(super) fn selections(space: &Space, dna: &Dna) -> Vec<Selection> {
    let mut found = Vec::with_capacity(dna.genes().len());
    space.visit(dna, |decision, value| {
        found.push((if decision.sorted { decision.group } else { decision.locus }, value));
    });
    found.sort_unstable();
    found.dedup();
    found
}
