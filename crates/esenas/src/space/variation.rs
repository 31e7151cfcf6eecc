//! What evolution needs of a space: its operators, behind the trait that all evolution is written
//! over.

use std::sync::Arc;

use super::{Crossover, Dna, Space};
use crate::{Compatibility, Stream, Variation};

impl Variation for Arc<Space> {
    type Genome = Dna;

    fn sample(&self, stream: &mut Stream) -> Dna {
        Space::sample(self, stream)
    }

    fn mutate(&self, parent: &Dna, stream: &mut Stream) -> Dna {
        Space::mutate(self, parent, stream)
    }

    fn crossover(&self, one: &Dna, other: &Dna, stream: &mut Stream) -> Dna {
        Space::crossover(self, one, other, Crossover::Uniform, stream)
    }

    fn distance(&self, one: &Dna, other: &Dna, by: &Compatibility) -> f64 {
        Space::distance(self, one, other, by)
    }
}
