//! θ on disk, for as long as someone may read it.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::CommandError;
use crate::ExecutorError;

/// A directory of our own, gone when this is.
#[derive(Debug)]
pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn new() -> Result<Self, CommandError> {
        let created = tempfile::Builder::new().prefix("esenas-theta-").tempdir();
        let failed = |source| CommandError::Scratch { parent: std::env::temp_dir(), source };
        created.map(Self).map_err(failed)
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes θ as little-endian doubles.
    pub(super) fn write(&self, id: u64, theta: &[f64]) -> Result<ThetaFile, ExecutorError> {
        let file = ThetaFile(self.0.path().join(format!("{id}.f64")));
        match write(&file.0, theta) {
            Ok(()) => Ok(file),
            Err(source) => Err(ExecutorError::Scratch { path: file.0.clone(), source }),
        }
    }
}

fn write(path: &Path, theta: &[f64]) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create_new(path)?);
    theta.iter().try_for_each(|x| file.write_all(&x.to_le_bytes()))?;
    file.flush()
}

/// One θ on disk, removed when this is dropped.
#[derive(Debug)]
pub(super) struct ThetaFile(PathBuf);

impl ThetaFile {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ThetaFile {
    fn drop(&mut self) {
        // If it cannot be removed now, it goes with its directory.
        let _ = fs::remove_file(&self.0);
    }
}
