//! Files of weights: raw, NumPy's and safetensors'.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::exit::bad_input;

/// A file of weights, by the end of its name.
#[derive(Clone, Debug)]
pub(crate) struct ThetaFile {
    path: PathBuf,
    format: Format,
}

#[derive(Clone, Copy, Debug)]
enum Format {
    Raw,
    Npy,
    Safetensors,
}

impl ThetaFile {
    pub(crate) fn new(path: &Path) -> Result<Self> {
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("f64") => Format::Raw,
            Some("npy") => Format::Npy,
            Some("safetensors") => Format::Safetensors,
            _ => {
                let accepted = "end its name in .f64 (raw, little-endian), .npy or .safetensors";
                let path = path.display();
                return Err(bad_input(format_args!("--theta {path}: unknown format; {accepted}")));
            }
        };
        Ok(Self { path: path.to_owned(), format })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `theta`, and where there is room `metadata`, whose values are text.
    pub(crate) fn write(&self, theta: &[f64], metadata: Value) -> Result<()> {
        let mut bytes = match self.format {
            Format::Raw => Vec::new(),
            Format::Npy => npy(theta.len()),
            Format::Safetensors => safetensors(theta.len(), metadata),
        };
        bytes.extend(theta.iter().flat_map(|x| x.to_le_bytes()));
        fs::write(&self.path, bytes)
            .with_context(|| format!("cannot write the weights to {}", self.path.display()))
    }
}

/// The header of a vector: magic, version 1.0, its length, a Python literal padded to 64 bytes.
fn npy(dimension: usize) -> Vec<u8> {
    let dict = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({dimension},), }}");
    let before = 10;
    let length = (before + dict.len() + 1).next_multiple_of(64) - before;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(dict.bytes());
    header.resize(before + length - 1, b' ');
    header.push(b'\n');
    header
}

/// The length of the header and the header, padded so that the numbers are aligned.
fn safetensors(dimension: usize, metadata: Value) -> Vec<u8> {
    let tensor = json!({
        "dtype": "F64", "shape": [dimension], "data_offsets": [0, 8 * dimension],
    });
    let mut header = json!({ "__metadata__": metadata, "theta": tensor }).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header);
    bytes
}
