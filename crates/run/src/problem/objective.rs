//! What an objective is, and what it gets to see.

use esenas::space::Design;
use esenas::{Dna, Layout, Purpose, Role, Seed, Space, Stream};
use serde_json::Value;

use crate::{Evaluation, Outcome};

/// A black box f(m, θ), to be maximized.
///
/// Any `Fn(&Point) -> f64` is one. Whatever it computes must depend on the [`Point`] alone (and
/// on what it has absorbed): then a study gives the same bits with any number of workers.
pub trait Objective: Send + Sync {
    /// Evaluates one candidate. Called from several threads at once.
    fn evaluate(&self, point: &Point<'_>) -> Outcome;

    /// What the evaluations of an iteration share and learn together, as bytes for the checkpoint.
    fn state(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Goes back to a state.
    fn restore(&mut self, _state: &[u8]) {}

    /// Folds in the [`Evaluation::moments`] of an iteration, which come in the order of the
    /// candidates.
    fn absorb(&mut self, _moments: &[Vec<u8>]) {}
}

impl<F: Fn(&Point<'_>) -> f64 + Send + Sync> Objective for F {
    fn evaluate(&self, point: &Point<'_>) -> Outcome {
        Ok(Evaluation::new(self(point)))
    }
}

impl Objective for Box<dyn Objective + '_> {
    fn evaluate(&self, point: &Point<'_>) -> Outcome {
        (**self).evaluate(point)
    }

    fn state(&self) -> Vec<u8> {
        (**self).state()
    }

    fn restore(&mut self, state: &[u8]) {
        (**self).restore(state);
    }

    fn absorb(&mut self, moments: &[Vec<u8>]) {
        (**self).absorb(moments);
    }
}

/// One candidate, as an objective gets it: everything in the user's units.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// m
    pub model: Model<'a>,
    /// θ
    pub theta: &'a [f64],
    pub(crate) layout: &'a Layout,
    /// What it is evaluated for.
    pub role: Role,
    pub(crate) seed: Seed,
    pub(crate) iteration: u32,
    pub(crate) index: u32,
}

impl<'a> Point<'a> {
    /// The design that m and θ stand for: arrays of it are views of θ.
    pub fn design(&self) -> Design<'a> {
        // A controller only proposes what is in its space.
        self.layout.design(self.model.dna, self.theta)
    }

    /// Where this evaluation's randomness comes from.
    pub fn stream(&self) -> Stream {
        self.seed.stream(Purpose::Evaluate, self.iteration, self.index)
    }

    /// A seed for generators other than ours: the first bits of the stream.
    pub fn seed(&self) -> u64 {
        self.stream().bits()
    }
}

/// m, decoded when it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    /// 𝓜
    pub space: &'a Space,
    /// The decisions.
    pub dna: &'a Dna,
}

impl Model<'_> {
    /// What the decisions stand for.
    pub fn value(&self) -> Value {
        // A controller only proposes what is in its space.
        self.space.decode(self.dna).unwrap_or_default()
    }
}
