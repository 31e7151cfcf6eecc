//! A population of the pyramid, and how its members are mixed into a model.

use serde::{Deserialize, Serialize};

use super::linkage::{ABSENT, clusters};
use crate::{Dna, Purpose, Seed, Space, Stream};

/// A population without duplicates.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Level {
    members: Vec<Dna>,
    /// Decides between decisions that are equally close.
    ties: u64,
    #[serde(skip)]
    linkage: Cache,
}

/// What follows from the members, once it was asked for.
#[derive(Clone, Debug, Default)]
struct Cache(Option<Linkage>);

impl PartialEq for Cache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[derive(Clone, Debug)]
struct Linkage {
    /// The members, value by locus.
    rows: Vec<Vec<u32>>,
    clusters: Vec<Vec<u32>>,
}

impl Level {
    pub(super) fn members(&self) -> &[Dna] {
        &self.members
    }

    pub(super) fn push(&mut self, dna: Dna, stream: &mut Stream) {
        self.members.push(dna);
        self.ties = stream.bits();
        self.linkage = Cache(None);
    }

    fn linkage(&mut self, space: &Space) -> &Linkage {
        let (members, ties) = (&self.members, self.ties);
        self.linkage.0.get_or_insert_with(|| {
            let rows: Vec<_> = members.iter().map(|dna| row(space, dna)).collect();
            let clusters = clusters(&rows, &mut Seed(ties).stream(Purpose::Ask, 0, 0));
            Linkage { rows, clusters }
        })
    }

    /// How many clusters there are to mix by.
    pub(super) fn clusters(&mut self, space: &Space) -> usize {
        self.linkage(space).clusters.len()
    }

    /// `dna` with the decisions of a cluster as a random member has them that has others there:
    /// none if nobody has.
    pub(super) fn mix(
        &mut self,
        dna: &Dna,
        cluster: usize,
        space: &Space,
        stream: &mut Stream,
    ) -> Option<Dna> {
        let Linkage { rows, clusters } = self.linkage(space);
        let mut own = row(space, dna);
        let cluster = clusters.get(cluster)?;
        let differs = |row: &&Vec<u32>| {
            cluster.iter().map(|&locus| locus as usize).any(|at| row[at] != own[at])
        };
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let draw = |at: usize| {
            let (other, last) = (at + stream.index(rows.len() - at), at);
            order.swap(last, other);
            &rows[order[last]]
        };
        let donor = (0..rows.len()).map(draw).find(differs)?;
        for at in cluster.iter().map(|&locus| locus as usize).filter(|at| donor[*at] != ABSENT) {
            own[at] = donor[at];
        }
        let child = space.build(|decision| match decision.locus as usize {
            at if own[at] != ABSENT => own[at],
            at if donor[at] != ABSENT => donor[at],
            _ => decision.nth(stream.below(decision.options())),
        });
        (child != *dna).then_some(child)
    }
}

fn row(space: &Space, dna: &Dna) -> Vec<u32> {
    let mut row = vec![ABSENT; space.loci() as usize];
    space.visit(dna, |decision, value| row[decision.locus as usize] = value);
    row
}
