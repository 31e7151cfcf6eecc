//! Long columns, written piece by piece.
//!
//! Bound to a statement, a checkpoint is copied three times before it reaches a page, 24 MB each at
//! d = 10⁶. So its row is made with room for it, and the pages are filled from where the bytes are.

use rusqlite::blob::Blob;
use rusqlite::{Connection, MAIN_DB};

use crate::error::Fault;

/// Numbers made into bytes at a time.
const PIECE: usize = 4096;

/// A column of a row that was inserted with a `zeroblob` of the right length, to be filled.
pub(crate) struct Room<'a> {
    blob: Blob<'a>,
    at: usize,
}

impl<'a> Room<'a> {
    pub(crate) fn open(
        conn: &'a Connection,
        table: &str,
        column: &str,
        row: u64,
    ) -> Result<Self, Fault> {
        // Iterations are of 63 bits wherever they are bound to a statement, as the row just was.
        let blob = conn.blob_open(MAIN_DB, table, column, row as i64, false)?;
        Ok(Self { blob, at: 0 })
    }

    /// Writes bytes behind those before.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.blob.write_at(bytes, self.at)?;
        self.at += bytes.len();
        Ok(())
    }

    /// Writes numbers, little-endian; the checksum of their bytes.
    pub(crate) fn numbers(&mut self, numbers: &[f64]) -> Result<u32, Fault> {
        let mut crc = crc32fast::Hasher::new();
        let mut piece = Vec::with_capacity(8 * PIECE.min(numbers.len()));
        for numbers in numbers.chunks(PIECE) {
            piece.clear();
            for x in numbers {
                piece.extend_from_slice(&x.to_le_bytes());
            }
            crc.update(&piece);
            self.bytes(&piece)?;
        }
        Ok(crc.finalize())
    }
}
