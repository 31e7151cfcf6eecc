//! Where θ begins.

use super::Layout;
use crate::space::{First, Numbers};
use crate::{Noise, Stream};

impl Layout {
    /// The first θ, in the optimizer's coordinates: reals and flat boxes in the middle, weights as
    /// their space says, the rest at 0.
    pub fn start(&self, stream: &mut Stream) -> Vec<f64> {
        let mut theta = match &self.bounds {
            Some(bounds) => bounds.middle(self.dim),
            None => vec![0.0; self.dim],
        };
        for block in &self.blocks {
            let Some(Numbers::Weights(tensor)) = &block.numbers else { continue };
            let coordinates = &mut theta[block.range.clone()];
            match &tensor.first {
                First::Zeros => coordinates.fill(0.0),
                First::Given(given) => {
                    coordinates.copy_from_slice(given);
                    block.units.to_optimizer(coordinates);
                }
                First::Gaussian => {
                    let row = Noise::Gaussian(stream.bits()).row(0, coordinates.len());
                    coordinates.iter_mut().zip(row).for_each(|(x, z)| *x = f64::from(z));
                }
                First::Uniform => {
                    let (low, high) = tensor.bounds.map_or((-1.0, 1.0), |(low, high)| {
                        (low / tensor.unit(), high / tensor.unit())
                    });
                    let uniform = |u: f64| (1.0 - u) * low + u * high;
                    coordinates.iter_mut().for_each(|x| *x = uniform(stream.unit()));
                }
            }
        }
        if let Some(bounds) = &self.bounds {
            bounds.clip(0, &mut theta);
        }
        theta
    }
}
