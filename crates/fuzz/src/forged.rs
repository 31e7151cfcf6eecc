//! Run directories that are sound in every checksum and mean nothing: whoever writes one can do so
//! with the store itself.

use std::path::Path;

use esenas::Dna;
use esenas_run::Spec;
use esenas_store::{
    Belief, Best, BestRecord, Centre, EvaluationRecord, Header, Iteration, IterationRecord, Named,
    Options, Outcome, Reader, Role, Summary, Timings, Writer,
};

use crate::Target;
use crate::directory::{STUDY, look, place, template};
use crate::input::Input;

pub(crate) fn study() -> Target {
    let known = place();
    template().write(&known.path().join("a"));
    let reader = Reader::open(&known.path().join("a")).expect("the template is a study");
    let (header, state) = (reader.header(), reader.latest_checkpoint());
    let header = header.expect("the template is sound");
    let state = state.expect("the template is sound").expect("it has a state").payload;
    let seeds = vec![vec![0; 4], vec![2; 300], (0..=255).collect(), vec![3, 5, 1, 9, 200, 7, 5, 5]];
    Target::new("forged", seeds, move |bytes| {
        let place = place();
        let mut input = Input::new(bytes);
        forge(&place.path().join("a"), &header, &state, &mut input);
        look(place.path());
    })
}

/// Writes what `input` says, as far as the store takes it.
fn forge(dir: &Path, header: &Header, state: &[u8], input: &mut Input<'_>) {
    let spec = match input.byte() % 4 {
        0 => input.text(),
        1 => STUDY.to_owned() + &input.text(),
        2 => Spec::parse("fuzz", STUDY, Path::new(""), &[input.text()])
            .map_or_else(|_| header.spec.clone(), |spec| spec.to_toml()),
        _ => header.spec.clone(),
    };
    let header = Header { spec, program: input.text(), created: input.bits(), ..header.clone() };
    let Ok(mut writer) = Writer::create(dir, &header, Options::default()) else { return };
    for at in 0..1 + input.below(4) as u64 {
        if commit(&mut writer, at, state, input).is_err() {
            break;
        }
    }
    if input.byte().is_multiple_of(2) {
        let _ = writer.finish(&input.text());
    }
}

/// A model: of the space, of another, or none.
fn dna(input: &mut Input<'_>) -> Vec<u8> {
    match input.byte() % 3 {
        0 => input.bytes().to_vec(),
        1 => Dna::from([0, 1, 1]).to_bytes(),
        _ => Dna::from([input.byte().into(), input.byte().into()]).to_bytes(),
    }
}

fn named(input: &mut Input<'_>) -> Named {
    (0..input.below(4)).map(|_| (input.text(), input.number())).collect()
}

fn maybe<'a, T>(input: &mut Input<'a>, read: impl FnOnce(&mut Input<'a>) -> T) -> Option<T> {
    (!input.byte().is_multiple_of(3)).then(|| read(input))
}

fn evaluation(index: u64, input: &mut Input<'_>) -> EvaluationRecord {
    let role = if input.byte().is_multiple_of(4) { Role::Centre } else { Role::Probe };
    let outcome = match input.byte() % 4 {
        0 => Outcome::Failed { reason: input.text() },
        _ => Outcome::Done {
            value: input.number(),
            score: maybe(input, Input::number),
            metrics: maybe(input, named),
        },
    };
    let numbers = (0..input.below(3)).map(|_| input.number()).collect();
    EvaluationRecord { index, role, dna: dna(input), numbers, outcome }
}

fn best(iteration: u64, input: &mut Input<'_>) -> Best {
    let theta: Vec<f64> = (0..input.below(6)).map(|_| input.number()).collect();
    let record = BestRecord {
        iteration,
        index: input.bits() >> 1,
        value: input.number(),
        score: maybe(input, Input::number),
        violation: maybe(input, Input::number),
        dna: dna(input),
        model: if input.byte().is_multiple_of(2) { "[0,1]".into() } else { input.text() },
        dimension: theta.len() as u64,
    };
    Best { record, theta }
}

fn commit(
    writer: &mut Writer,
    iteration: u64,
    state: &[u8],
    input: &mut Input<'_>,
) -> Result<(), esenas_store::Error> {
    let count = input.below(8) as u64;
    let record = IterationRecord {
        iteration,
        evaluations: count,
        total_evaluations: 0,
        values: maybe(input, |input| {
            let [min, mean, max, std] = std::array::from_fn(|_| input.number());
            Summary { min, mean, max, std }
        }),
        centre: maybe(input, |input| Centre { mean: input.number(), std: input.number() }),
        best: maybe(input, Input::number),
        statistics: named(input),
        ..IterationRecord::default()
    };
    // The store compares the sums with those before.
    let before = writer.next_iteration();
    let record = IterationRecord { total_evaluations: count * (before + 1), ..record };
    let evaluations: Vec<_> = (0..count).map(|index| evaluation(index, input)).collect();
    let mut state = state.to_vec();
    for _ in 0..input.below(4) {
        let at = input.below(state.len());
        state[at] = input.byte();
    }
    let (best, belief) = (maybe(input, |input| best(iteration, input)), maybe(input, belief));
    writer.commit(&Iteration {
        record: &record,
        timings: Timings { ask: input.number(), evaluate: input.number(), ..Timings::default() },
        evaluations: &evaluations,
        checkpoint: &state,
        best: best.as_ref(),
        belief: belief.as_ref(),
    })
}

fn belief(input: &mut Input<'_>) -> Belief {
    let likeliest = dna(input);
    let marginals = (0..input.below(8)).map(|_| input.number() as f32).collect();
    Belief { likeliest, exact: input.byte().is_multiple_of(2), marginals }
}
