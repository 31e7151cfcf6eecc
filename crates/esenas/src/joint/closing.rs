//! The neighbours of the likeliest model, looked at one by one where there is no time to learn more.
//!
//! A distribution that learns from few points is nearly right: of many decisions some are wrong when the evaluations
//! end, and each batch says little of any one of them, because all vary together. So the last of the evaluations may
//! go to something simpler. θ stays where it is, and what is evaluated there is the likeliest model m (of a
//! controller without one, the best by its values), its neighbours, which are m with one decision changed by the
//! paper's mutation, and from then on the neighbours of the best model so far:
//!
//! ```text
//! ask   m once, all that was better in the last batch together, then mutants of m that were not seen yet
//! tell  m ← the best of the batch, if it is better than m
//! ```
//!
//! Hill climbing on f(·, θ): nothing in it can make the best point worse, but it learns nothing of θ, and every
//! comparison is believed, so it is not for noisy values. Afterwards the search goes on as it was.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::optimizer::told;
use crate::{Dna, Space, Stream};

/// How often another mutant is drawn in place of one that was seen.
const REDRAWS: u32 = 32;

/// When neighbours are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosingConfig {
    /// Once so many evaluations are done,
    pub after: u64,
    /// for so many; the batch that gets there is finished.
    pub evaluations: u64,
}

/// The state of the climb.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Closing {
    config: ClosingConfig,
    /// Evaluations told so far.
    spent: u64,
    /// m, and its value once that is known.
    best: Option<(Dna, Option<f64>)>,
    /// What was better than m, together.
    merged: Option<Dna>,
    /// Models that were evaluated.
    seen: BTreeSet<Dna>,
    /// Those of the last ask.
    asked: Vec<Dna>,
}

impl Closing {
    pub(super) fn new(config: ClosingConfig) -> Self {
        let (best, merged, seen, asked) = (None, None, BTreeSet::new(), vec![]);
        Self { config, spent: 0, best, merged, seen, asked }
    }

    /// Whether it is time.
    pub(super) fn is_on(&self) -> bool {
        let ClosingConfig { after, evaluations } = self.config;
        (after..after.saturating_add(evaluations)).contains(&self.spent)
    }

    /// Counts the points of a batch of the search itself.
    pub(super) fn count(&mut self, points: usize) {
        self.spent += points as u64;
    }

    /// `n` models; the first of all is `likeliest`.
    pub(super) fn ask(
        &mut self,
        n: usize,
        space: &Space,
        likeliest: impl FnOnce(&mut Stream) -> Dna,
        stream: &mut Stream,
    ) -> &[Dna] {
        self.asked.clear();
        let (best, value) = self.best.get_or_insert_with(|| (likeliest(stream), None));
        let first = self.merged.take().or_else(|| value.is_none().then(|| best.clone()));
        self.asked.extend(first.filter(|_| n > 0));
        while self.asked.len() < n {
            let fresh = |dna: &Dna| !self.seen.contains(dna) && !self.asked.contains(dna);
            let found = (0..REDRAWS).map(|_| space.mutate(best, stream)).find(fresh);
            // Where all neighbours were seen, theirs are left.
            let further = |stream: &mut Stream| space.mutate(&space.mutate(best, stream), stream);
            self.asked.push(found.unwrap_or_else(|| further(stream)));
        }
        &self.asked
    }

    /// Moves on to the best of the batch as they are viewed, and returns the models with their values so.
    pub(super) fn tell(
        &mut self,
        space: &Space,
        values: &[Option<f64>],
        view: impl Fn((&Dna, f64)) -> f64,
    ) -> Vec<(Dna, f64)> {
        let asked = std::mem::take(&mut self.asked);
        self.spent += asked.len() as u64;
        self.seen.extend(asked.iter().cloned());
        let known = asked.into_iter().enumerate();
        let value = |(at, dna): (usize, Dna)| Some((view((&dna, told(values, at)?)), dna));
        let known: Vec<(Dna, f64)> =
            known.filter_map(value).map(|(value, dna)| (dna, value)).collect();
        let Some((parent, before)) = self.best.take() else { return known };
        let own = || known.iter().find(|(dna, _)| *dna == parent).map(|(_, value)| *value);
        let before = before.or_else(own);
        let is_better = |(_, value): &&(Dna, f64)| before.is_none_or(|before| *value > before);
        let mut better: Vec<&(Dna, f64)> = known.iter().filter(is_better).collect();
        better.sort_by(|a, b| b.1.total_cmp(&a.1));
        if before.is_some() && better.len() > 1 {
            self.merged = merge(space, &parent, &better).filter(|dna| !self.seen.contains(dna));
        }
        let best = better.first().map(|(dna, value)| (dna.clone(), Some(*value)));
        self.best = Some(best.unwrap_or((parent, before)));
        known
    }
}

/// `parent` with what each of `better`, the best first, has changed, where that is a model.
fn merge(space: &Space, parent: &Dna, better: &[&(Dna, f64)]) -> Option<Dna> {
    let mut genes = parent.genes().to_vec();
    for (dna, _) in better.iter().rev() {
        if dna.genes().len() != genes.len() {
            return None;
        }
        for ((gene, of_parent), own) in genes.iter_mut().zip(parent.genes()).zip(dna.genes()) {
            if own != of_parent {
                *gene = *own;
            }
        }
    }
    let merged = Dna::from(genes);
    space.check(&merged).is_ok().then_some(merged)
}
