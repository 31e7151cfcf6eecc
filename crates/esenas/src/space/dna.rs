//! A point of 𝓜: a plain value.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::MAX_DECISIONS;

/// One point of 𝓜: the chosen candidate of each decision, depth first.
///
/// A DNA means something only beside its [`Space`](super::Space). Its order is lexicographic, the
/// order of enumeration. It reads and writes as a JSON array of integers, and more compactly as
/// bytes: the number of genes and the genes, each in LEB128.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Dna(Box<[u32]>);

/// Bytes or JSON that are no DNA.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DnaFormatError {
    /// The bytes end within a gene, or before the last.
    #[error("DNA bytes end after {0} genes, too early")]
    Truncated(usize),
    /// Not the one way to write a number, or none that fits.
    #[error("DNA bytes, number {0}: not a shortest LEB128 of 32 bits")]
    Malformed(usize),
    /// Bytes after the last gene.
    #[error("{0} bytes after the last gene of the DNA")]
    Trailing(usize),
    /// More genes than any space has decisions.
    #[error("{0} genes; a DNA has at most {MAX_DECISIONS}")]
    TooLong(u64),
    /// Not an array of integers of 32 bits.
    #[error("DNA JSON: {0}")]
    Json(String),
}

impl Dna {
    /// The chosen candidate of each decision.
    pub fn genes(&self) -> &[u32] {
        &self.0
    }

    /// The compact form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(5 + self.0.len());
        write(self.0.len() as u32, &mut bytes);
        self.0.iter().for_each(|&gene| write(gene, &mut bytes));
        bytes
    }

    /// Reads the compact form: all of `bytes`, and nothing but what [`Dna::to_bytes`] writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DnaFormatError> {
        let mut rest = bytes;
        let length = read(&mut rest).ok_or_else(|| fault(rest, 0))?;
        if length > MAX_DECISIONS {
            return Err(DnaFormatError::TooLong(length.into()));
        }
        // A gene takes a byte at least: do not allocate for a length that cannot be true.
        if length as usize > rest.len() {
            return Err(DnaFormatError::Truncated(rest.len()));
        }
        let mut genes = Vec::with_capacity(length as usize);
        for index in 0..length as usize {
            genes.push(read(&mut rest).ok_or_else(|| fault(rest, index))?);
        }
        if !rest.is_empty() {
            return Err(DnaFormatError::Trailing(rest.len()));
        }
        Ok(Self::from(genes))
    }

    /// The JSON form: an array of integers.
    pub fn to_json(&self) -> String {
        let mut json = Vec::with_capacity(2 + 4 * self.0.len());
        for (index, &gene) in self.0.iter().enumerate() {
            decimal(if index == 0 { b'[' } else { b',' }, gene, &mut json);
        }
        json.extend_from_slice(if self.0.is_empty() { b"[]" } else { b"]" });
        String::from_utf8(json).unwrap_or_else(|_| unreachable!("digits are ASCII"))
    }

    /// Reads the JSON form.
    pub fn from_json(json: &str) -> Result<Self, DnaFormatError> {
        serde_json::from_str(json).map_err(|error| DnaFormatError::Json(error.to_string()))
    }
}

/// Why [`read`] found no number at `rest`.
fn fault(rest: &[u8], index: usize) -> DnaFormatError {
    if rest.len() < 5 && rest.iter().all(|byte| byte & 0x80 != 0) {
        DnaFormatError::Truncated(index)
    } else {
        DnaFormatError::Malformed(index)
    }
}

fn write(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes one number off `bytes`, or leaves them alone.
fn read(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u64;
    for (index, &byte) in bytes.iter().take(5).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            if byte == 0 && index > 0 {
                return None; // Not the shortest.
            }
            let number = u32::try_from(number).ok()?;
            *bytes = &bytes[index + 1..];
            return Some(number);
        }
    }
    None
}

/// Writes `before` and a number. Most genes are small, and DNAs cross the wire by the thousand: up
/// to three digits go out at once.
fn decimal(before: u8, number: u32, json: &mut Vec<u8>) {
    let digit = |place: u32| b'0' + (number / place % 10) as u8;
    match number {
        0..10 => json.extend_from_slice(&[before, digit(1)]),
        10..100 => json.extend_from_slice(&[before, digit(10), digit(1)]),
        100..1000 => json.extend_from_slice(&[before, digit(100), digit(10), digit(1)]),
        1000.. => {
            decimal(before, number / 10, json);
            json.push(digit(1));
        }
    }
}

impl fmt::Debug for Dna {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Dna{:?}", self.0)
    }
}

impl From<Vec<u32>> for Dna {
    fn from(genes: Vec<u32>) -> Self {
        Self(genes.into())
    }
}

impl<const N: usize> From<[u32; N]> for Dna {
    fn from(genes: [u32; N]) -> Self {
        Self(Box::new(genes))
    }
}

impl Serialize for Dna {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter())
    }
}

impl<'de> Deserialize<'de> for Dna {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Genes;
        impl<'de> Visitor<'de> for Genes {
            type Value = Dna;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a DNA: an array of integers of 32 bits")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Dna, A::Error> {
                // A claimed length is believed up to a page, then the genes must really come.
                let mut genes = Vec::with_capacity(seq.size_hint().unwrap_or(0).min(1 << 10));
                while let Some(gene) = seq.next_element()? {
                    if genes.len() == MAX_DECISIONS as usize {
                        return Err(A::Error::custom(DnaFormatError::TooLong(
                            u64::from(MAX_DECISIONS) + 1,
                        )));
                    }
                    genes.push(gene);
                }
                Ok(Dna::from(genes))
            }
        }
        deserializer.deserialize_seq(Genes)
    }
}
