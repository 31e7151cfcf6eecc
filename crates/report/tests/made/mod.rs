//! Studies made record by record. Their numbers are made up, and the same everywhere.

use std::path::Path;

use esenas_report::choices::{Decision, Measure};
use esenas_report::{Choices, Data, Models, Real};
use esenas_store::{
    Best, BestRecord, Centre, EvaluationRecord, Header, Iteration, IterationRecord, Options,
    Outcome, Reader, Role, Summary, Timings, Writer,
};
use tempfile::TempDir;

const ITERATIONS: u64 = 30;
const EVALUATIONS: u64 = 12;

/// A number between 0 and 1 that looks random.
fn noise(a: u64, b: u64, c: u64) -> f64 {
    let mut x = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ c;
    for _ in 0..3 {
        x ^= x >> 31;
        x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    }
    (x >> 11) as f64 / (1_u64 << 53) as f64
}

fn header(seed: u64, shift: f64, name: &str) -> Header {
    Header {
        spec: format!("seed = {seed}\nshift = {shift}\n# {name}\n"),
        fingerprint: "f".to_owned(),
        program: "test".to_owned(),
        created: 1_700_000_000,
    }
}

/// A model is three bytes: one of three, and two masks.
struct Three;

impl Models for Three {
    fn decisions(&self) -> Vec<Decision> {
        let decision = |name: &str, options: &[&str], mask| Decision {
            name: name.to_owned(),
            options: options.iter().map(|it| (*it).to_owned()).collect(),
            mask,
        };
        vec![
            decision("shape", &["flat", "ramp", "wave"], false),
            decision("edge 0", &["out", "in"], true),
            decision("edge 1", &["out", "in"], true),
        ]
    }

    fn chosen(&self, dna: &[u8]) -> Option<Vec<(usize, usize)>> {
        Some(dna.iter().enumerate().map(|(at, gene)| (at, usize::from(*gene))).collect())
    }

    fn reals(&self) -> Vec<Real> {
        let flow = Real { name: "flow".to_owned(), interval: (1e-3, 1.0), logarithmic: true };
        let angle = Real { name: "angle".to_owned(), interval: (0.0, 90.0), logarithmic: false };
        vec![flow, angle]
    }

    /// Only waves have an angle.
    fn numbers(&self, record: &EvaluationRecord) -> Vec<(usize, f64)> {
        record.numbers.iter().copied().enumerate().collect()
    }

    fn measure(&self) -> Option<Measure> {
        Some(Measure { name: "edges".to_owned(), target: Some(1.0), minimized: false })
    }

    fn size(&self, dna: &[u8]) -> Option<f64> {
        Some(f64::from(dna[1] + dna[2]))
    }
}

fn evaluation(seed: u64, iteration: u64, index: u64) -> EvaluationRecord {
    let at = |k: u64| noise(seed, iteration * 100 + index, k);
    // More and more of them choose the wave, and the first edge.
    let far = iteration as f64 / ITERATIONS as f64;
    let shape = if at(0) < far { 2 } else { (3.0 * at(1)) as u8 };
    let masks = [u8::from(at(2) < 0.5 + 0.5 * far), u8::from(at(3) < 0.5)];
    let value = far + f64::from(shape) + 0.5 * f64::from(masks[0]) + 0.1 * at(4) + at(5);
    let outcome = match index {
        5 if iteration > 20 => Outcome::Failed { reason: "a b & c".to_owned() },
        _ => Outcome::Done { value, score: None, metrics: None },
    };
    EvaluationRecord {
        index,
        role: Role::Probe,
        dna: vec![shape, masks[0], masks[1]],
        numbers: [10_f64.powf(3.0 * at(5) - 3.0), 90.0 * at(6)][..1 + usize::from(shape == 2)]
            .to_vec(),
        outcome,
    }
}

fn record(seed: u64, shift: f64, iteration: u64) -> IterationRecord {
    let x = (iteration + 1) as f64;
    let value = shift + 3.0 - 5.0 / x + 0.3 * noise(seed, iteration, 9);
    let before = iteration.saturating_sub(20);
    IterationRecord {
        iteration,
        evaluations: EVALUATIONS,
        total_evaluations: EVALUATIONS * (iteration + 1),
        failures: u64::from(iteration > 20),
        total_failures: before,
        values: Some(Summary { min: value - 1.0, mean: value, max: value + 1.0, std: 0.5 }),
        centre: iteration.is_multiple_of(2).then_some(Centre { mean: value, std: 0.3 }),
        best: Some(shift + 4.0 - 5.0 / (x / 4.0).ceil()),
        statistics: [
            ("sigma".to_owned(), 0.9_f64.powf(x)),
            ("step_norm".to_owned(), 1.0 / x),
            ("gradient_norm".to_owned(), 2.0 + noise(seed, iteration, 8)),
            ("entropy".to_owned(), 1.0 / x.sqrt()),
            ("gradient_cosine".to_owned(), 2.0 * noise(seed, iteration, 7) - 1.0),
            ("mean_age".to_owned(), x.min(10.0)),
        ]
        .into(),
    }
}

fn commit(writer: &mut Writer, seed: u64, shift: f64, iteration: u64, model: &str) {
    let evaluations: Vec<_> = (0..EVALUATIONS).map(|i| evaluation(seed, iteration, i)).collect();
    let record = record(seed, shift, iteration);
    let best = Best {
        record: BestRecord {
            iteration,
            index: 0,
            value: record.best.unwrap(),
            score: None,
            violation: None,
            dna: vec![2, 1, 0],
            model: model.to_owned(),
            dimension: 2,
        },
        theta: vec![1.0, 2.0],
    };
    let timings = Timings { ask: 0.01, evaluate: 0.2, tell: 0.02, store: 0.01 };
    let (record, evaluations, checkpoint) = (&record, &evaluations[..], &b"state"[..]);
    let best = iteration.is_multiple_of(4).then_some(&best);
    writer
        .commit(&Iteration {
            record,
            timings,
            evaluations,
            checkpoint: &checkpoint,
            best,
            belief: None,
        })
        .unwrap();
}

fn begin(dir: &Path, header: &Header) -> Writer {
    Writer::create(dir, header, Options::default()).unwrap()
}

fn read(name: &str, dir: &Path) -> Data {
    let reader = Reader::open(dir).unwrap();
    let mut data = Data::read(name, &reader).unwrap();
    data.choices = Choices::read(&data, &reader, &Three).unwrap();
    data
}

/// A whole study.
pub(crate) fn study(name: &str, seed: u64, shift: f64) -> Data {
    let place = tempfile::tempdir().unwrap();
    let mut writer = begin(place.path(), &header(seed, shift, ""));
    (0..ITERATIONS).for_each(|i| commit(&mut writer, seed, shift, i, "{\"shape\": \"wave\"}"));
    writer.finish("all iterations are done").unwrap();
    read(name, place.path())
}

/// A study all of whose words are `text`.
pub(crate) fn hostile(text: &str) -> Data {
    let place = tempfile::tempdir().unwrap();
    let mut writer = begin(place.path(), &header(1, 0.0, text));
    let model = serde_json::json!({ text: text }).to_string();
    (0..4).for_each(|i| commit(&mut writer, 1, 0.0, i, &model));
    writer.finish(text).unwrap();
    let mut data = read(text, place.path());
    for group in &mut data.failures {
        group.reason = text.to_owned();
    }
    let choices = data.choices.as_mut().unwrap();
    for decision in &mut choices.decisions {
        decision.name = text.to_owned();
        decision.options.iter_mut().for_each(|option| *option = text.to_owned());
    }
    choices.reals.iter_mut().for_each(|real| real.name = text.to_owned());
    data
}

/// A study that has not begun.
pub(crate) fn empty() -> Data {
    let place = tempfile::tempdir().unwrap();
    drop(begin(place.path(), &header(1, 0.0, "")));
    read("runs/empty", place.path())
}

/// A study that was read twice on the way, and the same read at the end.
pub(crate) fn growing() -> (TempDir, Data, Data) {
    let place = tempfile::tempdir().unwrap();
    let mut writer = begin(place.path(), &header(1, 0.0, ""));
    let reader = Reader::open(place.path()).unwrap();
    let mut data = Data::read("runs/one", &reader).unwrap();
    for iteration in 0..9 {
        commit(&mut writer, 1, 0.0, iteration, "0");
        if iteration % 4 == 0 {
            data.update(&reader).unwrap();
        }
    }
    data.update(&reader).unwrap();
    let whole = Data::read("runs/one", &reader).unwrap();
    (place, data, whole)
}
