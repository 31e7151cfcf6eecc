//! What the store costs: `cargo bench -p esenas-store [-- DIR [D]]`, in a temporary directory
//! unless named.
//!
//! A commit of 136 evaluations (the paper's batch for policies is of that order) at several
//! dimensions or at D alone, then 10⁶ recorded evaluations and how long the questions of a `show`
//! take.

use std::path::{Path, PathBuf};
use std::time::Instant;

use esenas_store::{
    Best, BestRecord, EvaluationRecord, Header, Iteration, IterationRecord, Named, Options,
    Outcome, Reader, Role, Summary, Timings, Writer,
};

const BATCH: u64 = 136;

fn main() {
    let mut words = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    let temporary = tempfile::tempdir().unwrap();
    let root = words.next().map_or_else(|| temporary.path().to_path_buf(), PathBuf::from);
    let only: Option<usize> = words.next().map(|d| d.parse().expect("D is a dimension"));
    println!("commit of {BATCH} evaluations, checkpoint of 3 d numbers, a new best every 4th time");
    for (d, commits) in [(100, 2000), (1000, 2000), (10_000, 500), (100_000, 200), (1_000_000, 40)]
    {
        if only.is_none_or(|only| only == d) {
            commit(&root.join(format!("d{d}")), d, commits);
        }
    }
    if only.is_none() {
        million(&root.join("million"));
    }
}

fn commit(dir: &Path, d: usize, commits: u64) {
    let mut writer = create(dir, d);
    let state = &mut State::new(d);
    let (mut seconds, start) = (Vec::new(), [on_cpu(), whole_cpu()]);
    for i in 0..commits {
        seconds.push(write(&mut writer, i, state));
    }
    let cpu = [on_cpu() - start[0], whole_cpu() - start[1]].map(|s| 1e3 * s / commits as f64);
    let mean = seconds.iter().sum::<f64>() / commits as f64;
    seconds.sort_by(f64::total_cmp);
    let at = |share: f64| 1e3 * seconds[((commits - 1) as f64 * share) as usize];
    println!(
        "d = {d:>7}: mean {:8.3} ms  median {:8.3}  p99 {:8.3}  max {:8.3}  cpu {:8.3}, with folding {:8.3}  {:>7.0} evaluations/s",
        1e3 * mean,
        at(0.5),
        at(0.99),
        at(1.0),
        cpu[0],
        cpu[1],
        BATCH as f64 / mean,
    );
}

fn million(dir: &Path) {
    let commits = 1_000_000 / BATCH + 1;
    let mut writer = create(dir, 100);
    let before = resident();
    let state = &mut State::new(100);
    let seconds: f64 = (0..commits).map(|i| write(&mut writer, i, state)).sum();
    drop(writer);
    let bytes = std::fs::metadata(dir.join("esenas.db")).unwrap().len();
    println!("{} evaluations: written in {seconds:.2} s, {bytes} bytes", commits * BATCH);
    time("open for reading", || Reader::open(dir).unwrap());
    let reader = Reader::open(dir).unwrap();
    time("progress", || reader.progress().unwrap());
    time("best", || reader.best().unwrap());
    time("curve of 200 points", || reader.curve(200).unwrap());
    time("failures", || reader.failures(10).unwrap());
    time("every iteration", || reader.iterations(0).count());
    time("every evaluation", || reader.evaluations(0).map(|e| e.unwrap().1.len()).sum::<usize>());
    time("content digest", || reader.content_digest().unwrap());
    time("open for writing", || Writer::open(dir, Options::default()).unwrap());
    println!("resident memory: {before} kB before, {} kB after", resident());
}

fn time<T>(what: &str, work: impl FnOnce() -> T) {
    let start = Instant::now();
    let _ = work();
    println!("  {what:<20} {:9.3} ms", 1e3 * start.elapsed().as_secs_f64());
}

fn create(dir: &Path, d: usize) -> Writer {
    let header = Header {
        spec: "seed = 7\n".repeat(20),
        fingerprint: "f".into(),
        program: "bench".into(),
        created: 0,
    };
    let options = Options { checkpoint_bytes: 3 * 8 * d, ..Options::default() };
    Writer::create(dir, &header, options).unwrap()
}

/// What is as long as θ, made once: making it anew would cost as much as committing it.
struct State {
    checkpoint: Vec<u8>,
    best: Best,
}

impl State {
    fn new(d: usize) -> Self {
        let record = BestRecord {
            iteration: 0,
            index: 3,
            value: 0.0,
            score: None,
            violation: None,
            dna: vec![1; 24],
            model: "{\"kind\":\"edge-pruning\"}".into(),
            dimension: d as u64,
        };
        let best = Best { record, theta: vec![0.5; d] };
        Self { checkpoint: vec![7; 3 * 8 * d], best }
    }
}

fn write(writer: &mut Writer, i: u64, state: &mut State) -> f64 {
    let value = |k: u64| ((i * BATCH + k) as f64).sin();
    let evaluations: Vec<EvaluationRecord> = (0..BATCH)
        .map(|k| EvaluationRecord {
            index: k,
            role: Role::Probe,
            dna: (0..24).map(|j| (j * k + i) as u8).collect(),
            numbers: vec![],
            outcome: match (i * BATCH + k) % 1000 {
                0 => Outcome::Failed { reason: "timed out after 30 s".into() },
                _ => Outcome::Done { value: value(k), score: Some(value(k) + 1.0), metrics: None },
            },
        })
        .collect();
    let failed = |n: u64| n.div_ceil(1000);
    let record = IterationRecord {
        iteration: i,
        evaluations: BATCH,
        total_evaluations: (i + 1) * BATCH,
        failures: failed((i + 1) * BATCH) - failed(i * BATCH),
        total_failures: failed((i + 1) * BATCH),
        values: Some(Summary { min: -1.0, mean: value(0), max: 1.0, std: 0.7 }),
        best: Some(1.0),
        statistics: Named::from([("entropy".into(), value(1)), ("sigma".into(), 0.1)]),
        ..IterationRecord::default()
    };
    state.checkpoint[0] = i as u8;
    state.best.record.iteration = i;
    state.best.theta[0] = i as f64;
    let start = Instant::now();
    writer
        .commit(&Iteration {
            record: &record,
            timings: Timings::default(),
            evaluations: &evaluations,
            checkpoint: &state.checkpoint,
            best: i.is_multiple_of(4).then_some(&state.best),
            belief: None,
        })
        .unwrap();
    start.elapsed().as_secs_f64()
}

/// Seconds the writing thread was on a processor, where the system tells: what remains comparable
/// when others keep the machine busy. It includes making up the records.
fn on_cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e9
}

/// Seconds of all threads, the one that folds the log among them, in hundredths.
fn whole_cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Kilobytes of this process in memory, where the system tells.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
