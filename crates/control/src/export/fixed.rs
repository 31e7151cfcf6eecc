//! A policy in 8-bit fixed point, for machines without floating point.
//!
//! Weights are 8 bits with one power of two for all. Normalized observations are cut off at ±8 and
//! have 8 bits, steps of 1/16; values of hidden units have steps of 1/128. Sums have 32 bits and
//! the functions are tables of 1024 steps over [−8, 8). What that costs is measured when it is
//! made.

use super::ExportError;
use crate::policy::Activation;
use crate::{Actor, Document};

/// Steps of a normalized observation in one.
const OBSERVATION: f64 = 16.0;
/// Steps of a hidden unit's value, or an action's, in one.
const VALUE: f64 = 128.0;
/// Entries of a table, and of one unit of its argument.
pub(super) const ENTRIES: usize = 1024;
const PER_ONE: f64 = 64.0;

/// The policy, in integers.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// Source, target, weight · 2^`shift`.
    pub(super) edges: Vec<(usize, usize, i8)>,
    /// In steps of 2^−`shift` / 128.
    pub(super) biases: Vec<i32>,
    pub(super) shift: u32,
    /// One for each function that is used, and which of them each hidden unit has.
    pub(super) tables: Vec<(Activation, Vec<i8>)>,
    pub(super) of_unit: Vec<usize>,
    inputs: usize,
    error: FixedError,
}

/// How far its actions, from −1 to 1, are from those of the policy, over 10,000 observations drawn
/// from a Gaussian with the deviations of the normalizer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedError {
    /// The greatest difference.
    pub greatest: f64,
    /// The root of the mean squared difference.
    pub deviation: f64,
}

impl Fixed {
    /// The policy of a document, rounded.
    pub fn new(document: &Document) -> Result<Self, ExportError> {
        let unbounded = |kind: &&Activation| {
            !matches!(kind, Activation::Tanh | Activation::Sigmoid | Activation::Step)
        };
        if let Some(kind) = document.nonlinearities.iter().find(unbounded) {
            return Err(ExportError::Unbounded(kind.name()));
        }
        let largest = document.edges.iter().map(|edge| edge.2.abs()).fold(0.0, f64::max);
        let fits = |shift: &u32| largest * f64::from(1_u32 << shift) <= 127.0;
        let shift = (0..=12).rev().find(fits).unwrap_or(0);
        let step = f64::from(1_u32 << shift);
        let round = |weight: f64| (weight * step).round().clamp(-127.0, 127.0) as i8;
        let edges = document.edges.iter().map(|(from, to, w)| (*from, *to, round(*w))).collect();
        let most = f64::from(1_u32 << 30);
        let bias = |b: &f64| (b * step * VALUE).round().clamp(-most, most) as i32;
        let kinds = document.nonlinearities.iter().copied().chain([Activation::Tanh]);
        let mut tables: Vec<(Activation, Vec<i8>)> = Vec::new();
        let mut of_unit = Vec::new();
        for kind in kinds {
            let known = tables.iter().position(|(of, _)| *of == kind);
            of_unit.push(known.unwrap_or_else(|| {
                tables.push((kind, table(kind)));
                tables.len() - 1
            }));
        }
        let (biases, inputs) = (document.biases.iter().map(bias).collect(), document.observation);
        let error = FixedError::default();
        let mut fixed = Self { edges, biases, shift, tables, of_unit, inputs, error };
        fixed.edges.sort_by_key(|(source, ..)| *source);
        fixed.error = fixed.measured(document)?;
        Ok(fixed)
    }

    /// How far it is from the policy it was made of.
    pub fn error(&self) -> FixedError {
        self.error
    }

    /// Actions of a normalized observation, in steps of 1/128.
    fn act(&self, observation: &[f64]) -> Vec<i8> {
        let mut sums = self.biases.clone();
        let mut values: Vec<i32> = observation
            .iter()
            .map(|x| (x * OBSERVATION).round().clamp(-128.0, 127.0) as i32)
            .collect();
        let mut edges = self.edges.iter().peekable();
        let hidden = self.of_unit.len() - 1;
        for source in 0..self.inputs + hidden {
            if let Some(unit) = source.checked_sub(self.inputs) {
                values.push(self.of(self.of_unit[unit], sums[unit]).into());
            }
            // Both kinds of values end up in steps of 2^−shift / 128.
            let factor = if source < self.inputs { 8 } else { 1 };
            while let Some((_, target, weight)) = edges.next_if(|(from, ..)| *from == source) {
                let to = &mut sums[target - self.inputs];
                *to = to.saturating_add(values[source] * i32::from(*weight) * factor);
            }
        }
        sums[hidden..].iter().map(|sum| self.of(self.of_unit[hidden], *sum)).collect()
    }

    /// The function of a sum. There are 64 entries to one, and 128 · 2^shift steps.
    fn of(&self, table: usize, sum: i32) -> i8 {
        let at = (sum >> (self.shift + 1)) + ENTRIES as i32 / 2;
        self.tables[table].1[at.clamp(0, ENTRIES as i32 - 1) as usize]
    }

    fn measured(&self, document: &Document) -> Result<FixedError, ExportError> {
        let mut plain = Document { low: None, high: None, ..document.clone() };
        plain.normalizer.mean.fill(0.0);
        plain.normalizer.scale.fill(1.0);
        plain.actions = crate::Outputs::Unit;
        let (inputs, outputs) = (plain.observation, plain.action);
        let mut actor = Actor::try_from(plain).map_err(ExportError::Document)?;
        let (mut action, mut error, mut count) = (vec![0.0; outputs], FixedError::default(), 0.0);
        for row in 0..10_000 {
            let seen = esenas::Noise::Gaussian(0x8b17).row(row, inputs);
            let seen: Vec<f64> = seen.into_iter().map(f64::from).collect();
            actor.act(&seen, &mut action);
            for (exact, rounded) in action.iter().zip(self.act(&seen)) {
                let gap = (exact - f64::from(rounded) / VALUE).abs();
                error.greatest = error.greatest.max(gap);
                error.deviation += gap * gap;
                count += 1.0;
            }
        }
        error.deviation = (error.deviation / count).sqrt();
        Ok(error)
    }
}

/// The function in the middle of each entry.
fn table(kind: Activation) -> Vec<i8> {
    let entry = |at: usize| {
        let x = (at as f64 + 0.5 - ENTRIES as f64 / 2.0) / PER_ONE;
        (kind.apply(x) * VALUE).round().clamp(-128.0, 127.0) as i8
    };
    (0..ENTRIES).map(entry).collect()
}
