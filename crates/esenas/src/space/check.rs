//! Validation: is this DNA of this space, and if not, which decision is wrong?

use super::{Decision, Dna, Space};

/// A DNA that is not of the space: which decision, and what it accepts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("DNA, gene {position}{}: {fault}", path.as_ref().map_or(String::new(), |path| format!(" (`{path}`)")))]
pub struct DnaError {
    /// The gene at fault.
    pub position: u32,
    /// The path of its decision; none past the last.
    pub path: Option<String>,
    /// What is wrong with it.
    #[source]
    pub fault: DnaFault,
}

/// What is wrong with a gene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DnaFault {
    /// The DNA ends too early.
    #[error("missing, the DNA has {0} genes")]
    Missing(usize),
    /// The DNA goes on after the last decision.
    #[error("superfluous, the DNA has {found} genes where its decisions are {expected}")]
    Trailing {
        /// Genes there are.
        found: usize,
        /// Decisions there are.
        expected: u32,
    },
    /// There is no such candidate.
    #[error("candidate {value} of {arity}; accepted is 0 to {}", arity - 1)]
    OutOfRange {
        /// The gene.
        value: u32,
        /// How many candidates there are.
        arity: u32,
    },
    /// A distinct choice has it already.
    #[error("candidate {0} again; selections are distinct")]
    Repeated(u32),
    /// A sorted choice needs another one here.
    #[error("candidate {value} out of order; accepted in this slot is {low} to {high}")]
    Unsorted {
        /// The gene.
        value: u32,
        /// The lowest accepted.
        low: u32,
        /// The highest accepted.
        high: u32,
    },
}

impl Space {
    /// Whether `dna` is a point of this space.
    pub fn check(&self, dna: &Dna) -> Result<(), DnaError> {
        let genes = dna.genes();
        let mut decisions = 0;
        self.walk(&mut |decision| {
            decisions = decision.position + 1;
            let value = genes.get(decision.position as usize).copied();
            let value = value.ok_or(DnaFault::Missing(genes.len()));
            value.and_then(|value| judge(decision, value)).map_err(|fault| DnaError {
                position: decision.position,
                path: Some(self.path(decision.locus)),
                fault,
            })
        })?;
        if genes.len() > decisions as usize {
            let fault = DnaFault::Trailing { found: genes.len(), expected: decisions };
            return Err(DnaError { position: decisions, path: None, fault });
        }
        Ok(())
    }
}

fn judge(decision: &Decision, value: u32) -> Result<u32, DnaFault> {
    let Decision { arity, low, high, .. } = *decision;
    if decision.allows(value) {
        Ok(value)
    } else if value >= arity {
        Err(DnaFault::OutOfRange { value, arity })
    } else if decision.distinct && decision.taken.contains(&value) {
        Err(DnaFault::Repeated(value))
    } else {
        Err(DnaFault::Unsorted { value, low, high })
    }
}
