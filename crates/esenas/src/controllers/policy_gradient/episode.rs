//! A DNA as the sequence of decisions that made it, and many of them made side by side.

use std::collections::BTreeMap;

use crate::space::{Decision, Surveyed};
use crate::{Dna, Space};

/// What a decision is, whatever was decided before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Form {
    pub(super) locus: u32,
    pub(super) group: u32,
    pub(super) arity: u32,
    slot: u32,
    pub(super) slots: u32,
    pub(super) distinct: bool,
    pub(super) sorted: bool,
}

impl Form {
    fn of(decision: &Decision) -> Self {
        let Decision { locus, group, arity, slot, slots, distinct, sorted, .. } = *decision;
        Self { locus, group, arity, slot, slots, distinct, sorted: sorted && slots > 1 }
    }

    /// Of the first slot of a choice.
    pub(super) fn first(place: &Surveyed) -> Self {
        let Surveyed { group, arity, slots, distinct, sorted, .. } = *place;
        let sorted = sorted && slots > 1;
        Self { locus: group, group, arity, slot: 0, slots, distinct, sorted }
    }

    /// What the numbers of a decision are found by: the slots of a sorted choice share theirs.
    pub(super) fn key(&self) -> u32 {
        if self.sorted { self.group } else { self.locus }
    }

    /// Whether candidates are masked one by one.
    fn exclusive(&self) -> bool {
        self.distinct && !self.sorted && self.slots > 1
    }

    /// How many slots come after this one.
    pub(super) fn rest(&self) -> u32 {
        self.slots - self.slot - 1
    }
}

/// One decision made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) form: Form,
    /// The lowest candidate that may be chosen.
    pub(super) low: u32,
    /// The highest.
    pub(super) high: u32,
    /// Where in the episode the slot before this one was decided.
    previous: Option<u32>,
    pub(super) choice: u32,
}

impl Step {
    /// How many candidates may be chosen; never zero.
    pub(super) fn options(&self) -> u32 {
        let taken = if self.form.exclusive() { self.form.slot } else { 0 };
        self.high - self.low + 1 - taken
    }

    /// The candidates that may be chosen, but for those taken, as a range.
    pub(super) fn window(&self) -> std::ops::Range<usize> {
        self.low as usize..self.high as usize + 1
    }
}

/// The decisions of one DNA, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Episode(pub(super) Vec<Step>);

impl Episode {
    /// The decisions of `dna`.
    pub(super) fn replay(space: &Space, dna: &Dna) -> Self {
        let mut episode = Self(Vec::with_capacity(dna.genes().len()));
        space.visit(dna, |decision, value| {
            episode.push(Form::of(decision));
            episode.choose(value);
        });
        episode
    }

    /// Presents the next decision. What may be chosen follows from the choices so far, as in
    /// [`Space::build`].
    pub(super) fn push(&mut self, form: Form) -> &Step {
        let before = |step: &Step| step.form.group == form.group && step.form.slot + 1 == form.slot;
        let previous =
            if form.slot > 0 { self.0.iter().rposition(before).map(|at| at as u32) } else { None };
        let low = match previous {
            Some(at) if form.sorted => self.0[at as usize].choice + u32::from(form.distinct),
            _ => 0,
        };
        let set = form.distinct && form.sorted;
        let high = if set { form.arity - form.slots + form.slot } else { form.arity - 1 };
        let at = self.0.len();
        self.0.push(Step { form, low, high, previous, choice: low });
        &self.0[at]
    }

    /// [`push`](Self::push), from within [`Space::build`].
    pub(super) fn present(&mut self, decision: &Decision) -> &Step {
        self.push(Form::of(decision))
    }

    /// Decides what was presented last.
    pub(super) fn choose(&mut self, value: u32) {
        if let Some(step) = self.0.last_mut() {
            step.choice = value;
        }
    }

    /// Where in the window of step `at` candidates are masked, because they were taken before.
    pub(super) fn taken(&self, at: usize, into: &mut Vec<usize>) {
        into.clear();
        if !self.0[at].form.exclusive() {
            return;
        }
        let mut step = &self.0[at];
        while let Some(previous) = step.previous {
            step = &self.0[previous as usize];
            into.push(step.choice as usize);
        }
    }

    /// The DNA.
    pub(super) fn dna(&self) -> Dna {
        Dna::from(self.0.iter().map(|step| step.choice).collect::<Vec<_>>())
    }
}

/// Tells which decision comes next, for walks that stop at every decision.
///
/// A locus says where in the space a decision is, so what follows it depends on its choice alone:
/// every (locus, choice) is looked up by one whole walk, once.
pub(super) struct Walker<'a> {
    space: &'a Space,
    /// The decisions of the first DNA.
    first: Vec<Form>,
    /// Whether every DNA has these decisions.
    unconditional: bool,
    next: BTreeMap<(u32, u32), Option<Form>>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(space: &'a Space) -> Self {
        let mut first = Vec::new();
        space.visit(&space.first(), |decision, _| first.push(Form::of(decision)));
        let unconditional = space.loci() == space.min_len();
        Self { space, first, unconditional, next: BTreeMap::new() }
    }

    /// The decision after those of `episode`, if there is one.
    pub(super) fn after(&mut self, episode: &Episode) -> Option<Form> {
        let at = episode.0.len();
        let Some(last) = episode.0.last() else { return self.first.first().copied() };
        if self.unconditional {
            return self.first.get(at).copied();
        }
        let key = (last.form.locus, last.choice);
        if !self.next.contains_key(&key) {
            self.learn(episode);
        }
        self.next.get(&key).copied().flatten()
    }

    fn learn(&mut self, episode: &Episode) {
        let mut before = None;
        let next = &mut self.next;
        self.space.build(|decision| {
            if let Some(key) = before {
                next.insert(key, Some(Form::of(decision)));
            }
            let made = episode.0.get(decision.position as usize);
            let value = decision.nearest(made.map_or(decision.low, |step| step.choice));
            before = Some((decision.locus, value));
            value
        });
        if let Some(key) = before {
            next.insert(key, None);
        }
    }
}
