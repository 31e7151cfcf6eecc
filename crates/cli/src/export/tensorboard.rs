//! TensorBoard event files.
//!
//! A file is a sequence of TFRecords, each
//!
//! ```text
//! u64 length · u32 masked CRC-32C of the length · bytes · u32 masked CRC-32C of the bytes
//! ```
//!
//! in little-endian order, holding a protobuf `Event`. Of that message we need four fields, so they
//! are written by hand: 1 `wall_time` (double), 2 `step` (int64), 3 `file_version` (string, in the
//! first event) and 5 `summary`, whose field 1 is repeated: a `Value` with 1 `tag` (string) and 2
//! `simple_value` (float).

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use esenas_store::{IterationRecord, Reader, Timings};

use super::{scalars, seconds};

/// Writes an event file into `dir`, which is made if need be, and says which.
pub(crate) fn write(reader: &Reader, timings: bool, dir: &Path) -> Result<PathBuf> {
    let mut events = Events::create(reader, timings, dir)?;
    events.catch_up(reader)?;
    Ok(events.path)
}

/// An event file that grows.
pub(crate) struct Events {
    path: PathBuf,
    file: BufWriter<fs::File>,
    timings: bool,
    /// The time of the next event, in seconds since 1970.
    time: f64,
    /// The iteration to be written next.
    next: u64,
}

impl Events {
    /// Begins the file of the study, without its iterations.
    pub(crate) fn create(reader: &Reader, timings: bool, dir: &Path) -> Result<Self> {
        let created = reader.header()?.created;
        // TensorBoard takes any file with this in its name. No host and no process: one study, one
        // name.
        let path = dir.join(format!("events.out.tfevents.{created}.esenas"));
        let context = || format!("cannot write {}", path.display());
        fs::create_dir_all(dir).with_context(context)?;
        let mut file = BufWriter::new(fs::File::create(&path).with_context(context)?);
        let time = created as f64;
        record(&mut file, &first_event(time)).with_context(context)?;
        Ok(Self { path, file, timings, time, next: 0 })
    }

    /// Writes the iterations that are recorded and not yet written.
    pub(crate) fn catch_up(&mut self, reader: &Reader) -> Result<()> {
        let mut times = reader.timings(self.next);
        for iteration in reader.iterations(self.next) {
            let spent = times.next().transpose()?.map(|(_, spent)| spent);
            self.iteration(&iteration?, spent.unwrap_or_default())?;
        }
        self.file.flush().with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Writes an iteration, and lets whoever reads along see it.
    pub(crate) fn append(&mut self, iteration: &IterationRecord, spent: Timings) -> Result<()> {
        self.iteration(iteration, spent)?;
        self.file.flush().with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn iteration(&mut self, iteration: &IterationRecord, spent: Timings) -> Result<()> {
        let (mut tags, spent) = (tags(iteration), seconds(spent));
        self.time += spent.iter().map(|(_, x)| x).sum::<f64>();
        let shown = spent.into_iter().filter(|_| self.timings);
        tags.extend(shown.map(|(name, x)| (name.replacen('_', "/", 1), x)));
        let event = event(self.time, iteration.iteration, &tags);
        self.next = iteration.iteration + 1;
        record(&mut self.file, &event)
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Groups are what comes before the slash.
fn tags(iteration: &IterationRecord) -> Vec<(String, f64)> {
    let mut tags: Vec<(String, f64)> = Vec::new();
    for (name, x) in scalars(iteration) {
        let name = match name {
            "best" => "value/best".to_owned(),
            name => name.replacen('_', "/", 1),
        };
        tags.extend(x.map(|x| (name, x)));
    }
    tags.push(("evaluations/total".to_owned(), iteration.total_evaluations as f64));
    tags.push(("evaluations/failures".to_owned(), iteration.failures as f64));
    let statistics = iteration.statistics.iter();
    tags.extend(statistics.map(|(name, &x)| (format!("search/{name}"), x)));
    tags
}

fn first_event(time: f64) -> Vec<u8> {
    let mut event = Vec::new();
    double(1, time, &mut event);
    bytes(3, b"brain.Event:2", &mut event);
    event
}

fn event(time: f64, step: u64, tags: &[(String, f64)]) -> Vec<u8> {
    let mut summary = Vec::new();
    for (tag, x) in tags {
        let mut value = Vec::new();
        bytes(1, tag.as_bytes(), &mut value);
        float(2, *x as f32, &mut value);
        bytes(1, &value, &mut summary);
    }
    let mut event = Vec::new();
    double(1, time, &mut event);
    key(2, 0, &mut event);
    varint(step, &mut event);
    bytes(5, &summary, &mut event);
    event
}

fn record(out: &mut dyn Write, data: &[u8]) -> io::Result<()> {
    let length = (data.len() as u64).to_le_bytes();
    out.write_all(&length)?;
    out.write_all(&masked_crc(&length).to_le_bytes())?;
    out.write_all(data)?;
    out.write_all(&masked_crc(data).to_le_bytes())
}

/// The field's number and its wire type: 0 varint, 1 of 64 bits, 2 with a length, 5 of 32 bits.
fn key(field: u64, wire: u64, out: &mut Vec<u8>) {
    varint(field << 3 | wire, out);
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn double(field: u64, x: f64, out: &mut Vec<u8>) {
    key(field, 1, out);
    out.extend(x.to_le_bytes());
}

fn float(field: u64, x: f32, out: &mut Vec<u8>) {
    key(field, 5, out);
    out.extend(x.to_le_bytes());
}

fn bytes(field: u64, data: &[u8], out: &mut Vec<u8>) {
    key(field, 2, out);
    varint(data.len() as u64, out);
    out.extend(data);
}

/// Masked, because a checksum of data that holds checksums is a weak one.
fn masked_crc(data: &[u8]) -> u32 {
    crc32c(data).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32C (Castagnoli), bit by bit: an event file is small, and this needs no table and no crate.
fn crc32c(data: &[u8]) -> u32 {
    let mut crc = !0u32;
    for &byte in data {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0x82f6_3b78 } else { 0 };
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3720, appendix B.4, and the check value of the polynomial.
    #[test]
    fn the_checksum_is_castagnolis() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
    }

    #[test]
    fn an_event_has_the_fields_of_the_message() {
        let event = event(1.0, 300, &[("a".to_owned(), 0.5)]);
        let summary = [0x0a, 8, 0x0a, 1, b'a', 0x15, 0, 0, 0, 0x3f];
        let mut expected = vec![0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x10, 0xac, 0x02, 0x2a, 10];
        expected.extend(summary);
        assert_eq!(event, expected);
    }
}
