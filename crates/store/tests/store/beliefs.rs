//! What a search held likely, and the weights of the first best model.

use esenas_store::{Belief, Error, Iteration, Options, Reader, Writer};
use tempfile::tempdir;

use crate::study::{header, step};

/// Of every second iteration.
fn belief(iteration: u64) -> Option<Belief> {
    let p = iteration as f32 / 16.0;
    let held = Belief {
        likeliest: vec![iteration as u8, 7],
        exact: true,
        marginals: vec![p, -0.0, 1.0 - p],
    };
    iteration.is_multiple_of(2).then_some(held)
}

fn kept(dir: &std::path::Path, held: impl Fn(u64) -> Option<Belief>) -> Writer {
    let mut writer = Writer::create(dir, &header(), Options::default()).unwrap();
    for at in 0..12 {
        let (step, belief) = (step(at), held(at));
        writer.commit(&Iteration { belief: belief.as_ref(), ..step.iteration() }).unwrap();
    }
    writer
}

fn with_database(dir: &std::path::Path, sql: &str) {
    rusqlite::Connection::open(dir.join("esenas.db")).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn every_bit_comes_back_of_the_iterations_that_have_one() {
    let dir = tempdir().unwrap();
    drop(kept(dir.path(), belief));
    let reader = Reader::open(dir.path()).unwrap();
    reader.verify().unwrap();
    for at in 0..12 {
        assert_eq!(reader.belief(at).unwrap(), belief(at), "{at}");
    }
    let all: Vec<_> = reader.beliefs(3).map(Result::unwrap).collect();
    let expected: Vec<_> = (3..12).filter_map(|at| Some((at, belief(at)?))).collect();
    assert_eq!(all, expected);
    let minus_zero = reader.belief(4).unwrap().unwrap().marginals[1];
    assert!(minus_zero.is_sign_negative());
}

/// Red when equal runs are told apart, or unequal ones are not.
#[test]
fn they_are_part_of_what_runs_are_compared_by() {
    let digest = |held: fn(u64) -> Option<Belief>| {
        let dir = tempdir().unwrap();
        drop(kept(dir.path(), held));
        Reader::open(dir.path()).unwrap().content_digest().unwrap()
    };
    let other = |at| belief(at).map(|held| Belief { exact: false, ..held });
    assert_eq!(digest(belief), digest(belief));
    assert_ne!(digest(belief), digest(other));
    assert_ne!(digest(belief), digest(|_| None));
}

#[test]
fn a_missing_or_changed_one_is_noticed() {
    let changes = [
        "DELETE FROM beliefs WHERE iteration = 4",
        "UPDATE beliefs SET marginals = zeroblob(12) WHERE iteration = 4",
        "UPDATE beliefs SET marginals = zeroblob(11) WHERE iteration = 4",
        "UPDATE beliefs SET exact = 0 WHERE iteration = 4",
        "UPDATE beliefs SET likeliest = x'00' WHERE iteration = 4",
    ];
    for sql in changes {
        let dir = tempdir().unwrap();
        drop(kept(dir.path(), belief));
        with_database(dir.path(), sql);
        let error = Reader::open(dir.path()).unwrap().verify().unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{sql}: {error}");
    }
}

#[test]
fn going_back_forgets_those_that_came_after() {
    let dir = tempdir().unwrap();
    let mut writer = kept(dir.path(), belief);
    writer.rewind_to(10).unwrap();
    writer.rewind_to(9).unwrap();
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.beliefs(0).last().unwrap().unwrap().0, 8);
    reader.verify().unwrap();
}

/// Those in between are dropped, which keeps the size of a study in bounds.
#[test]
fn the_first_best_model_keeps_its_weights() {
    let dir = tempdir().unwrap();
    drop(kept(dir.path(), belief));
    let reader = Reader::open(dir.path()).unwrap();
    let first = (0..12).find_map(|at| step(at).best).unwrap();
    assert_eq!(reader.first_best().unwrap(), Some((first.record, Some(first.theta))));
    assert!(1 < reader.best_history().unwrap().len());
    with_database(
        dir.path(),
        "DELETE FROM theta WHERE iteration = (SELECT min(iteration) FROM best)",
    );
    assert_eq!(reader.first_best().unwrap().unwrap().1, None, "of an older program");
    reader.verify().unwrap();
}
