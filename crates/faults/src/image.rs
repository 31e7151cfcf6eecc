//! What a crash leaves.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Random;
use crate::disk::{Disk, Op};

/// What is kept or lost as one.
const SECTOR: usize = 512;

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// The process was killed: the system writes what it was given.
    Kill,
    /// The machine stopped: what was not waited for may be lost, or torn, in any order.
    Power,
}

type Files = BTreeMap<String, Vec<u8>>;

impl Disk {
    /// Makes in `to` what a crash after `count` changes leaves of `base`, a copy from before the
    /// first of them.
    ///
    /// # Panics
    ///
    /// If files cannot be read or written.
    pub fn image(&self, base: &Path, to: &Path, count: usize, crash: Crash, random: &mut Random) {
        let ops = self.inner.lock().expect("nobody panicked").ops[..count].to_vec();
        let mut files = read(base);
        match crash {
            Crash::Kill => kill(&mut files, &ops, random),
            Crash::Power => power(&mut files, &ops, random),
        }
        std::fs::create_dir_all(to).expect("a directory can be made");
        for (name, bytes) in files {
            std::fs::write(to.join(name), bytes).expect("a file can be written");
        }
    }
}

fn read(dir: &Path) -> Files {
    let entries = std::fs::read_dir(dir).expect("the copy is there");
    let file = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, std::fs::read(entry.path()).expect("a file can be read"))
    };
    // The index of the log is memory that is shared: nobody finds it after a crash of the machine,
    // and after that of a process the next one makes it anew.
    let entries = entries.map(|entry| file(entry.expect("an entry")));
    entries.filter(|(name, _)| !name.ends_with("-shm")).collect()
}

fn put(file: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let (start, end) = (at as usize, at as usize + bytes.len());
    if file.len() < end {
        file.resize(end, 0);
    }
    file[start..end].copy_from_slice(bytes);
}

fn apply(files: &mut Files, op: &Op) {
    match op {
        Op::Write { file, at, bytes } => put(files.entry(file.clone()).or_default(), *at, bytes),
        Op::Truncate { file, len } => {
            files.entry(file.clone()).or_default().resize(*len as usize, 0);
        }
        Op::Delete { file } => drop(files.remove(file)),
        Op::Note { file, bytes, .. } => drop(files.insert(file.clone(), bytes.clone())),
        Op::Sync { .. } => {}
    }
}

/// All of it, the last write perhaps in part.
fn kill(files: &mut Files, ops: &[Op], random: &mut Random) {
    let (last, before) = match ops.split_last() {
        Some((Op::Write { file, at, bytes }, before)) if random.chance(50) => {
            let bytes = bytes[..random.below(bytes.len() + 1)].to_vec();
            (Some(Op::Write { file: file.clone(), at: *at, bytes }), before)
        }
        _ => (None, ops),
    };
    before.iter().chain(&last).for_each(|op| apply(files, op));
}

/// Of each file what was waited for, and of the rest anything.
fn power(files: &mut Files, ops: &[Op], random: &mut Random) {
    let names: std::collections::BTreeSet<&String> = ops.iter().map(name).collect();
    for file in names {
        let own: Vec<&Op> = ops.iter().filter(|op| name(op) == file).collect();
        let waited = |op: &&Op| matches!(op, Op::Sync { .. } | Op::Note { synced: true, .. });
        // A name that is gone may come back, with what was under it. One that was waited for stays.
        let safe = own.iter().rposition(waited).map_or(0, |at| at + 1);
        let (safe, rest) = own.split_at(safe);
        safe.iter().for_each(|op| apply(files, op));
        let kept = random.below(101);
        let mut pieces: Vec<Op> = rest.iter().flat_map(|op| torn(op)).collect();
        if random.chance(50) {
            shuffle(&mut pieces, random);
        }
        let pieces = pieces.into_iter().filter(|op| {
            // A file comes and goes as a whole: what is within it is kept by the sector.
            let percent = if matches!(op, Op::Delete { .. } | Op::Note { .. }) { 50 } else { kept };
            random.chance(percent)
        });
        pieces.collect::<Vec<_>>().iter().for_each(|op| apply(files, op));
    }
}

fn name(op: &Op) -> &String {
    match op {
        Op::Write { file, .. }
        | Op::Truncate { file, .. }
        | Op::Sync { file }
        | Op::Delete { file }
        | Op::Note { file, .. } => file,
    }
}

/// A write as its sectors.
fn torn(op: &Op) -> Vec<Op> {
    let Op::Write { file, at, bytes } = op else { return vec![op.clone()] };
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let here = *at as usize + start;
        let end = bytes.len().min(start + SECTOR - here % SECTOR);
        let bytes = bytes[start..end].to_vec();
        pieces.push(Op::Write { file: file.clone(), at: here as u64, bytes });
        start = end;
    }
    pieces
}

fn shuffle(ops: &mut [Op], random: &mut Random) {
    for at in (1..ops.len()).rev() {
        ops.swap(at, random.below(at + 1));
    }
}
