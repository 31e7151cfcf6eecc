//! Policies for elsewhere: each form is made from a [`Document`], with the normalizer inside.
//!
//! | form | what runs it |
//! |---|---|
//! | [`c_header`] | any C compiler, and nothing beside it; double, single, or 8-bit fixed point |
//! | [`onnx`] | any runtime of ONNX, on batches, in single precision |
//! | [`safetensors`] | whoever reads tensors: all of it as arrays, by name |

mod c;
mod fixed;
mod onnx;
mod protobuf;
mod tensors;

use thiserror::Error;

pub use c::{Precision, c_header};
pub use fixed::{Fixed, FixedError};
pub use onnx::onnx;
pub use tensors::safetensors;

use crate::Document;

/// Why a policy has no such form.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ExportError {
    /// A function of a hidden unit.
    #[error(
        "8-bit fixed point needs functions within [-1, 1]: tanh, sigmoid or step; a hidden unit has {0}"
    )]
    Unbounded(&'static str),
    /// The document itself.
    #[error("{0}")]
    Document(String),
}

impl Document {
    /// The edges that leave each source, in the order in which the engine adds them.
    fn by_source(&self) -> Vec<Vec<(usize, f64)>> {
        let mut rows = vec![Vec::new(); self.observation + self.hidden];
        for (source, target, weight) in &self.edges {
            if let Some(row) = rows.get_mut(*source) {
                row.push((*target, *weight));
            }
        }
        rows
    }

    /// Low and high of each output, where they are stretched.
    fn limits(&self) -> Option<(&[f64], &[f64])> {
        self.low.as_deref().zip(self.high.as_deref())
    }
}
