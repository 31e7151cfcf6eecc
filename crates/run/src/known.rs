//! Designs that are known before they are proposed: evaluated next, or learned from where their
//! value is known.
//!
//! None is taken twice: the state remembers which were, so that a program that is run again may
//! give the same ones.

use std::collections::VecDeque;

use esenas::{Candidate, Dna, Layout, Role, Theta};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Spec;
use crate::spec::Fault;

/// A design, and its value where that is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The design, with the numbers that it has; beside a flat θ, the model.
    pub design: Value,
    /// A flat θ. Left out, it is where the search stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theta: Option<Vec<f64>>,
    /// Its value. Left out, the design is evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

/// One that was found in the space.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given {
    dna: Dna,
    /// In the coordinates of the optimizer; NaN where the design says nothing.
    numbers: Vec<f64>,
    pub(crate) value: Option<f64>,
}

impl Known {
    /// A design to be evaluated.
    pub fn new(design: Value) -> Self {
        Self { design, theta: None, value: None }
    }

    /// Finds it in the space, or says at `key` what of it is not there.
    pub(crate) fn found(&self, key: &str, spec: &Spec, layout: &Layout) -> Result<Given, Fault> {
        let found = self.found_in(layout);
        let mut found = found.map_err(|what| Fault::new(format!("{key}.design"), what))?;
        if let Some(theta) = &self.theta {
            let wrong = |what: String| Err(Fault::new(format!("{key}.theta"), what));
            if layout.is_declared() {
                return wrong("stands beside a design that has its numbers itself".to_owned());
            }
            if theta.len() != layout.dim() {
                return wrong(format!("has {} numbers, θ has {}", theta.len(), layout.dim()));
            }
            let region = spec.problem.kind().region()?;
            let inside = |at: usize, x: f64| {
                let side = region.as_ref().map(|region| region.interval(at));
                x.is_finite() && side.is_none_or(|(low, high)| (low..=high).contains(&x))
            };
            if let Some(at) = (0..theta.len()).find(|at| !inside(*at, theta[*at])) {
                let x = theta[at];
                return wrong(format!("is {x} at coordinate {at}, which is not in its bounds"));
            }
            found.numbers.clone_from(theta);
            layout.to_optimizer(&mut found.numbers);
        }
        if self.value.is_some() && (spec.is_ordered() || !spec.objectives.is_empty()) {
            let what = "says nothing of limits and of other goals: have the design evaluated";
            return Err(Fault::new(format!("{key}.value"), what));
        }
        if self.value.is_some_and(|value| !value.is_finite()) {
            return Err(Fault::new(format!("{key}.value"), "must be finite"));
        }
        Ok(found)
    }

    /// Finds the design, or says what of it is not in the space.
    pub(crate) fn found_in(&self, layout: &Layout) -> Result<Given, String> {
        let mut numbers = vec![f64::NAN; layout.dim()];
        let dna = layout.encode(&self.design, &mut numbers).map_err(|error| error.to_string())?;
        layout.to_optimizer(&mut numbers);
        Ok(Given { dna, numbers, value: self.value })
    }
}

impl Given {
    /// A model where the search stands.
    pub(crate) fn model(dna: Dna, layout: &Layout) -> Self {
        Self { dna, numbers: vec![f64::NAN; layout.dim()], value: None }
    }

    /// Its numbers, and what stands in `theta` where it has none.
    pub(crate) fn complete(&self, theta: &mut [f64]) {
        let known = theta.iter_mut().zip(&self.numbers).filter(|(_, x)| !x.is_nan());
        known.for_each(|(theta, x)| *theta = *x);
    }

    /// To be evaluated.
    pub(crate) fn candidate(&self, centre: Option<&Theta>) -> Candidate {
        let mut theta = centre.map_or_else(|| vec![0.0; self.numbers.len()], Theta::to_vec);
        self.complete(&mut theta);
        Candidate { dna: self.dna.clone(), theta: Theta::dense(theta), role: Role::Given }
    }

    /// What it is remembered by. FNV-1a, of what was given.
    fn mark(&self) -> u64 {
        let value = self.value.map_or(u64::MAX, f64::to_bits);
        let numbers = self.numbers.iter().map(|x| x.to_bits()).chain([value]);
        let bytes = self.dna.to_bytes().into_iter().chain(numbers.flat_map(u64::to_le_bytes));
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        bytes.fold(0xcbf2_9ce4_8422_2325, step)
    }
}

/// Those that wait for the next iteration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting(VecDeque<Given>);

impl Waiting {
    pub(crate) fn push(&mut self, given: Given) {
        self.0.push_back(given);
    }

    /// Those that were not taken before, once each, in their order; `taken` remembers them.
    pub(crate) fn take(&mut self, taken: &mut Vec<u64>) -> Vec<Given> {
        let fresh = |given: &Given| {
            let mark = given.mark();
            let fresh = !taken.contains(&mark);
            taken.extend(fresh.then_some(mark));
            fresh
        };
        let mut all = std::mem::take(&mut self.0);
        all.make_contiguous();
        all.into_iter().filter(fresh).collect()
    }
}
