//! A study without an algorithm: iteration i is a pure function of i, so that any prefix can be
//! checked.

use std::path::Path;

use esenas_store::{
    Best, BestRecord, Centre, ContentDigest, EvaluationRecord, Header, Iteration, IterationRecord,
    Named, Options, Outcome, Reader, Role, Summary, Timings, Writer,
};

pub(crate) const BATCH: u64 = 12;

/// Numbers that storages like to change.
pub(crate) const AWKWARD: [f64; 10] = [
    -0.0,
    0.0,
    5e-324,
    -2.2e-308,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    3.0,
    0.1 + 0.2,
];

pub(crate) struct Step {
    pub(crate) record: IterationRecord,
    pub(crate) evaluations: Vec<EvaluationRecord>,
    pub(crate) checkpoint: Vec<u8>,
    pub(crate) best: Option<Best>,
}

impl Step {
    pub(crate) fn iteration(&self) -> Iteration<'_> {
        Iteration {
            record: &self.record,
            timings: Timings {
                ask: 0.25,
                evaluate: f64::from(std::process::id()),
                ..Timings::default()
            },
            evaluations: &self.evaluations,
            checkpoint: &self.checkpoint,
            best: self.best.as_ref(),
            belief: None,
        }
    }
}

pub(crate) fn header() -> Header {
    Header {
        spec: "seed = 7\n[problem]\nkind = \"sphere\"\n".into(),
        fingerprint: "0123abcd".into(),
        program: "esenas 0.1.0".into(),
        created: 1_700_000_000,
    }
}

fn awkward(i: u64) -> f64 {
    match i % 16 {
        k if k < 10 => AWKWARD[k as usize],
        // Nothing transcendental: the numbers must be the same on every platform.
        _ => (i * 2_654_435_761 % 1_000_003) as f64 / 997.0 - 500.0,
    }
}

/// The failing one of every other iteration.
fn failing(i: u64) -> u64 {
    u64::from(i.is_multiple_of(2))
}

fn statistics(i: u64) -> Named {
    let step_norm = i.is_multiple_of(3).then(|| ("step_norm".to_owned(), awkward(i + 4)));
    let others = [("entropy", awkward(i + 5)), ("age ü", 2.0), ("sigma", 0.1)];
    others.into_iter().map(|(name, x)| (name.to_owned(), x)).chain(step_norm).collect()
}

pub(crate) fn step(i: u64) -> Step {
    let evaluation = |k: u64| EvaluationRecord {
        index: k,
        role: if k == 0 { Role::Centre } else { Role::Probe },
        dna: (0..k).map(|j| (i * 31 + j * 7) as u8).collect(),
        // What was kept by version 1 has none.
        numbers: (0..k % 3).filter(|_| i >= 8).map(|j| awkward(i * BATCH + j)).collect(),
        outcome: match k {
            3 if failing(i) == 1 => Outcome::Failed { reason: format!("exit code {}", i % 3) },
            _ => Outcome::Done {
                value: awkward(i * BATCH + k),
                score: k.is_multiple_of(3).then(|| awkward(i + k)),
                metrics: k.is_multiple_of(4).then(|| Named::from([("steps".into(), awkward(k))])),
            },
        },
    };
    let record = IterationRecord {
        iteration: i,
        evaluations: BATCH,
        total_evaluations: (i + 1) * BATCH,
        failures: failing(i),
        total_failures: i / 2 + 1,
        values: Some(Summary { min: awkward(i), mean: -0.0, max: awkward(i + 1), std: 0.5 }),
        centre: i.is_multiple_of(5).then(|| Centre { mean: awkward(i + 2), std: 0.1 }),
        best: Some(awkward(i + 3)),
        statistics: statistics(i),
    };
    let best = i.is_multiple_of(4).then(|| Best {
        record: BestRecord {
            iteration: i,
            index: 2,
            value: i as f64,
            score: Some(awkward(i)),
            violation: None,
            dna: vec![i as u8; 5],
            model: format!("{{\"layer\":{i}}}"),
            dimension: 20,
        },
        theta: (0..20).map(|j| awkward(i + j)).collect(),
    });
    let checkpoint = (0..600).map(|j| (i * 13 + j) as u8).collect();
    Step { record, evaluations: (0..BATCH).map(evaluation).collect(), checkpoint, best }
}

/// The default but for the log, which is folded early: several tests at a time share the disk, and
/// one that kills the writer shall meet it folding too.
pub(crate) fn options() -> Options {
    Options { log_bytes: 2 << 20, ..Options::default() }
}

pub(crate) fn create(dir: &Path) -> Writer {
    Writer::create(dir, &header(), options()).unwrap()
}

pub(crate) fn open(dir: &Path) -> Writer {
    Writer::open(dir, options()).unwrap()
}

/// Commits up to iteration `until`, exclusive.
pub(crate) fn advance(writer: &mut Writer, until: u64) {
    for i in writer.next_iteration()..until {
        writer.commit(&step(i).iteration()).unwrap();
    }
}

/// A study of `iterations`, closed.
pub(crate) fn stopped(dir: &Path, iterations: u64) -> ContentDigest {
    advance(&mut create(dir), iterations);
    Reader::open(dir).unwrap().content_digest().unwrap()
}

/// Bit for bit: −0.0 is not 0.0 here.
pub(crate) fn bits<T: std::fmt::Debug>(x: &T) -> String {
    format!("{x:?}")
}

/// Everything that was committed up to `iterations` is there, to the bit.
pub(crate) fn assert_whole(reader: &Reader, iterations: u64) {
    reader.verify().unwrap();
    let records: Vec<_> = reader.iterations(0).map(Result::unwrap).collect();
    assert_eq!(records.len() as u64, iterations);
    for ((i, record), evaluations) in (0..).zip(&records).zip(reader.evaluations(0)) {
        let expected = step(i);
        assert_eq!(bits(record), bits(&expected.record));
        assert_eq!(bits(&evaluations.unwrap()), bits(&(i, expected.evaluations)));
    }
    if let Some(last) = iterations.checked_sub(1) {
        let checkpoint = reader.latest_checkpoint().unwrap().unwrap();
        assert_eq!((checkpoint.iteration, checkpoint.payload), (last, step(last).checkpoint));
        assert_eq!(bits(&reader.best().unwrap()), bits(&step(last / 4 * 4).best));
    }
    let failed: u64 = reader.failures(99).unwrap().iter().map(|group| group.count).sum();
    assert_eq!(failed, iterations.div_ceil(2));
    assert_eq!(reader.timings(0).map(Result::unwrap).count() as u64, iterations);
}

/// The directory as `kill -9` would leave it now.
pub(crate) fn snapshot(dir: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for file in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}
