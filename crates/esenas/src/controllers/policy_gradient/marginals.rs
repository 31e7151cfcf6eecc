//! How often each candidate is selected: the edge frequencies of the paper's figures on convergence.

use std::collections::BTreeMap;

use crate::{Dna, Space};

/// For each choice of a space the mean number of times that a model selects each of its candidates: of
/// a single choice the probabilities, of a subset the probability that a candidate is in it. Of a
/// `manyof` that may repeat itself, in any order, every slot is a choice of its own. Where a choice is
/// conditional, a model without it counts as selecting nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Marginals(BTreeMap<u32, Vec<f64>>);

impl Marginals {
    /// The frequencies among `models`.
    pub fn of(space: &Space, models: &[Dna]) -> Self {
        let mut all = BTreeMap::<u32, Vec<f64>>::new();
        for dna in models {
            space.visit(dna, |decision, value| {
                let new = || vec![0.0; decision.arity as usize];
                let joint = decision.distinct || decision.sorted;
                let key = if joint { decision.group } else { decision.locus };
                let of = all.entry(key).or_insert_with(new);
                of[value as usize] += 1.0;
            });
        }
        all.values_mut().flatten().for_each(|count| *count /= models.len() as f64);
        Self(all)
    }

    /// Each choice that was met, by the locus of its first slot, with its candidates' frequencies.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[f64])> {
        self.0.iter().map(|(locus, of)| (*locus, &of[..]))
    }

    /// The `n` most frequent candidates: locus, candidate and frequency, of equals the first. What a
    /// figure of a large space has room for.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::testing::many;

    #[test]
    fn frequencies_are_of_the_models_given() {
        let space = Space::list([many(2, 4, true, true), Space::bool()]).unwrap();
        let models = [[0, 2, 1], [0, 3, 1], [0, 2, 0], [1, 2, 1]].map(|m| Dna::from(m.to_vec()));
        let marginals = Marginals::of(&space, &models);
        let all: Vec<_> = marginals.iter().map(|(_, of)| of.to_vec()).collect();
        assert_eq!(all, [vec![0.75, 0.25, 0.75, 0.25], vec![0.25, 0.75]]);
        let mask = Space::list([many(2, 2, false, false)]).unwrap();
        let models = [[0, 1], [1, 1], [0, 1], [0, 0]].map(|m| Dna::from(m.to_vec()));
        let slots = Marginals::of(&mask, &models);
        let all: Vec<_> = slots.iter().map(|(locus, of)| (locus, of.to_vec())).collect();
        assert_eq!(all, [(0, vec![0.75, 0.25]), (1, vec![0.25, 0.75])]);
        let top: Vec<_> = marginals.top(3).into_iter().map(|(_, v, p)| (v, p)).collect();
        assert_eq!(top, [(0, 0.75), (2, 0.75), (1, 0.75)]);
    }
}
