//! The file of finished cells: a line of settings, then one line of JSON per cell, only ever
//! appended to.
//!
//! A cell is one write, so a process that is killed leaves whole lines; should a machine die in the
//! middle of one, the torn last line is dropped when the file is opened again, and its cell is run
//! again. Numbers are written in the shortest form that reads back to the same bits.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::BenchError;

/// The cells of one experiment, by what was run.
#[derive(Debug)]
pub struct Cells<K, V> {
    path: PathBuf,
    file: File,
    done: BTreeMap<K, V>,
}

impl<K, V> Cells<K, V>
where
    K: Ord + Serialize + DeserializeOwned,
    V: Serialize + DeserializeOwned,
{
    /// Opens `name` in `folder`, or begins it; `settings` are all that a cell's result depends on
    /// beside what was run, and must be those of the file.
    pub fn open(folder: &Path, name: &str, settings: &impl Serialize) -> Result<Self, BenchError> {
        std::fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
        let path = folder.join(name);
        let failed = BenchError::file(&path);
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(&path).map_err(&failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BenchError::Busy(path)),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(&failed)?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if whole < text.len() {
            text.truncate(whole);
            file.set_len(whole as u64).map_err(&failed)?;
            file.seek(SeekFrom::End(0)).map_err(&failed)?;
        }
        let here = line(settings);
        let mut lines = text.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
        match lines.next() {
            None => file.write_all(here.as_bytes()).map_err(&failed)?,
            Some(there) if there == here.trim_end().as_bytes() => {}
            Some(there) => {
                let there = String::from_utf8_lossy(there).into_owned();
                return Err(BenchError::Differs { path, there, here: here.trim_end().to_owned() });
            }
        }
        let damaged = |line: usize, error: serde_json::Error| {
            let (path, reason) = (path.clone(), error.to_string());
            BenchError::Damaged { path, line, reason }
        };
        let cell = |(number, line): (usize, &[u8])| {
            serde_json::from_slice(line).map_err(|error| damaged(number + 2, error))
        };
        let done = lines.enumerate().map(cell).collect::<Result<_, _>>()?;
        Ok(Self { path, file, done })
    }

    /// What came of `key`, if it was run.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.done.get(key)
    }

    /// Keeps what came of `key`.
    pub fn add(&mut self, key: K, value: V) -> Result<(), BenchError> {
        let text = line(&(&key, &value));
        self.file.write_all(text.as_bytes()).map_err(BenchError::file(&self.path))?;
        self.done.insert(key, value);
        Ok(())
    }
}

/// Plain data with text for keys always has a JSON form.
fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("cells and settings have a JSON form") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    type Numbers = Cells<(String, u32), Vec<f64>>;

    fn open(folder: &Path, settings: &str) -> Result<Numbers, BenchError> {
        Cells::open(folder, "cells.jsonl", &settings)
    }

    fn key(name: &str) -> (String, u32) {
        (name.to_owned(), 1)
    }

    #[test]
    fn cells_are_there_again_bit_for_bit() {
        let place = tempfile::tempdir().unwrap();
        let values = vec![0.1 + 0.2, 1e-300, 5e-324, 12_345.678_9];
        let mut cells = open(place.path(), "a").unwrap();
        cells.add(key("x"), values.clone()).unwrap();
        drop(cells);
        let cells = open(place.path(), "a").unwrap();
        assert_eq!(cells.get(&key("x")), Some(&values));
        assert_eq!(cells.get(&key("y")), None);
    }

    #[test]
    fn a_torn_line_is_dropped_wherever_it_is_torn() {
        let place = tempfile::tempdir().unwrap();
        let mut cells = open(place.path(), "a").unwrap();
        cells.add(key("x"), vec![1.0]).unwrap();
        cells.add(key("y"), vec![2.0]).unwrap();
        drop(cells);
        let path = place.path().join("cells.jsonl");
        let whole = std::fs::read(&path).unwrap();
        let second = whole.len() - whole.iter().rev().skip(1).position(|b| *b == b'\n').unwrap();
        for length in second - 1..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let mut cells = open(place.path(), "a").unwrap();
            assert!(cells.get(&key("x")).is_some() && cells.get(&key("y")).is_none(), "{length}");
            cells.add(key("y"), vec![2.0]).unwrap();
            drop(cells);
            assert_eq!(std::fs::read(&path).unwrap(), whole, "{length}");
        }
    }

    #[test]
    fn other_settings_damage_and_company_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let cells = open(place.path(), "a").unwrap();
        assert!(matches!(open(place.path(), "a"), Err(BenchError::Busy(_))));
        drop(cells);
        assert!(matches!(open(place.path(), "b"), Err(BenchError::Differs { .. })));
        let path = place.path().join("cells.jsonl");
        std::fs::write(&path, "\"a\"\n[[\"x\",1],[1.0]]\nnonsense\n[[\"y\",1],[1.0]]\n").unwrap();
        let damaged = open(place.path(), "a").unwrap_err();
        assert!(matches!(damaged, BenchError::Damaged { line: 3, .. }), "{damaged}");
    }
}
