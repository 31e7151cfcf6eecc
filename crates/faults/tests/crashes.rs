//! Crashes and failing calls, by the thousand: what was reported is there, and going on gives the
//! same bits.
//!
//! `ESENAS_FAULTS=N` runs N times as many of each, other ones; N may be a part of 1.

mod place;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use esenas_faults::{Crash, Disk, Failure, Random};
use esenas_run::{Control, Spec, Study};
use esenas_store::{
    Best, BestRecord, EvaluationRecord, Header, Iteration, IterationRecord, Options, Outcome, Role,
    Timings, Writer,
};
use place::{copy, digest, durable, place, reboot, rounds};
use tempfile::TempDir;

/// Iterations of a study of these tests.
const LAST: u64 = 14;

fn header() -> Header {
    Header {
        spec: "seed = 7\n".into(),
        fingerprint: "0123".into(),
        program: "esenas".into(),
        created: 1_700_000_000,
    }
}

/// A pure function of the iteration: states long enough for pages of their own, a best model now
/// and then.
fn commit(writer: &mut Writer, at: u64) -> Result<(), esenas_store::Error> {
    let failed = at % 3;
    let record = IterationRecord {
        iteration: at,
        evaluations: 5,
        total_evaluations: 5 * (at + 1),
        failures: u64::from(failed == 1),
        total_failures: (at + 1) / 3 + u64::from(at % 3 == 1),
        best: Some(at as f64),
        ..IterationRecord::default()
    };
    let evaluation = |index: u64| EvaluationRecord {
        index,
        role: Role::Probe,
        dna: vec![at as u8; 40],
        numbers: vec![],
        outcome: match index {
            2 if failed == 1 => Outcome::Failed { reason: format!("reason {}", at % 2) },
            _ => Outcome::Done { value: (at * index) as f64, score: None, metrics: None },
        },
    };
    let evaluations: Vec<_> = (0..5).map(evaluation).collect();
    let best = at.is_multiple_of(4).then(|| Best {
        record: BestRecord {
            iteration: at,
            index: 1,
            value: at as f64,
            score: None,
            violation: None,
            dna: vec![at as u8; 4],
            model: format!("{at}"),
            dimension: 3000,
        },
        theta: (0..3000).map(|i| (i * at) as f64).collect(),
    });
    let state: Vec<u8> = (0..40_000u64).map(|i| (i * 31 + at * 7) as u8).collect();
    writer.commit(&Iteration {
        record: &record,
        timings: Timings::default(),
        evaluations: &evaluations,
        checkpoint: &state,
        best: best.as_ref(),
        belief: None,
    })
}

/// The digests of 0, 1, … iterations.
fn digests() -> Vec<String> {
    let dir = place();
    let mut writer = Writer::create(dir.path(), &header(), Options::default()).unwrap();
    let mut digests = vec![digest(dir.path())];
    for at in 0..LAST {
        commit(&mut writer, at).unwrap();
        digests.push(digest(dir.path()));
    }
    digests
}

/// A study that ran on a watched disk, with what was promised when.
struct Recording {
    disk: Disk,
    base: TempDir,
    _dir: TempDir,
    /// After so many changes so many iterations were reported, and so many of them waited for.
    promised: Vec<(usize, u64, u64)>,
}

impl Recording {
    /// Closed and opened again now and then, with a log that is folded early or not before the end.
    fn new(random: &mut Random) -> Self {
        let (dir, base) = (place(), place());
        let log_bytes = if random.chance(50) { 64 << 10 } else { 32 << 20 };
        let sync_every = if random.chance(50) { Duration::ZERO } else { Duration::MAX };
        let options = Options { log_bytes, sync_every, ..Options::default() };
        drop(Writer::create(dir.path(), &header(), options).unwrap());
        copy(dir.path(), base.path());
        let disk = Disk::watch(dir.path());
        let (mut writer, mut promised) = (None, Vec::new());
        for at in 0..LAST {
            let open = writer.get_or_insert_with(|| {
                let writer = Writer::open(dir.path(), options).unwrap();
                disk.note("esenas.seal", true);
                writer
            });
            commit(open, at).unwrap();
            disk.note("esenas.seal", false);
            promised.push((disk.len(), at + 1, durable(dir.path())));
            if random.chance(15) {
                writer = None;
            }
        }
        if let Some(writer) = writer {
            writer.finish("the end").unwrap();
            disk.note("esenas.seal", false);
        }
        Self { disk, base, _dir: dir, promised }
    }

    /// What was promised before so many changes: reported, and waited for.
    fn promised(&self, count: usize) -> (u64, u64) {
        let known = self.promised.iter().take_while(|(at, ..)| *at <= count);
        known.fold((0, 0), |(_, most), (_, done, durable)| (*done, most.max(*durable)))
    }
}

fn crashes(crash: Crash, seed: u64) {
    let (digests, mut random) = (digests(), Random::new(seed));
    let mut lost = 0;
    for round in 0..rounds(10.0) {
        let recording = Recording::new(&mut random);
        for _ in 0..100 {
            let count = random.below(recording.disk.len() + 1);
            let dir = place();
            recording.disk.image(recording.base.path(), dir.path(), count, crash, &mut random);
            if crash == Crash::Power {
                reboot(dir.path());
            }
            let (reported, waited) = recording.promised(count);
            let least = if crash == Crash::Kill { reported } else { waited };
            let what = format!("{crash:?}, seed {seed}, round {round}, after {count} changes");
            let mut writer = Writer::open(dir.path(), Options::default())
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            let there = writer.next_iteration();
            assert!(least <= there, "{what}: {least} were promised, {there} are there");
            lost += reported.saturating_sub(there);
            assert_eq!(digest(dir.path()), digests[there as usize], "{what}");
            for at in there..LAST {
                commit(&mut writer, at).unwrap();
            }
            assert_eq!(digest(dir.path()), digests[LAST as usize], "{what}");
        }
    }
    // Otherwise nothing was dropped that had not been waited for.
    assert_eq!(crash == Crash::Power, 0 < lost, "{lost} iterations were computed again");
}

#[test]
fn a_killed_process_loses_nothing_it_reported() {
    crashes(Crash::Kill, 1);
}

/// Red when a call that waits for the disk is left out: what was promised would be missing.
#[test]
fn power_loss_takes_nothing_that_was_waited_for() {
    crashes(Crash::Power, 2);
}

/// Any call fails, once, a few times or for good: no commit that was reported is lost, and a writer
/// that goes on, or the next one, ends with the same bits.
#[test]
fn failing_calls_cost_nothing_that_was_reported() {
    let (digests, mut random) = (digests(), Random::new(3));
    let mut refused = 0;
    for round in 0..rounds(400.0) {
        let dir = place();
        let options = Options { log_bytes: 64 << 10, ..Options::default() };
        drop(Writer::create(dir.path(), &header(), options).unwrap());
        let disk = Disk::watch(dir.path());
        let how = [Failure::Full, Failure::Broken, Failure::Short][random.below(3)];
        let count = [1, 3, usize::MAX / 2][random.below(3)];
        let call = random.below(400);
        disk.fail(call, how, count);
        let what = format!("round {round}: {how:?} from call {call} on, {count} of them");
        let mut reported = 0;
        if let Ok(mut writer) = Writer::open(dir.path(), options) {
            for _ in 0..3 * LAST {
                match commit(&mut writer, reported) {
                    Ok(()) => reported += 1,
                    Err(_) => refused += 1,
                }
                if reported == LAST {
                    break;
                }
            }
        }
        disk.fail(0, how, 0);
        let mut writer =
            Writer::open(dir.path(), options).unwrap_or_else(|error| panic!("{what}: {error}"));
        let there = writer.next_iteration();
        // One more may have been written although its commit was refused.
        assert!((reported..=reported + 1).contains(&there), "{what}: {reported}, {there}");
        assert_eq!(digest(dir.path()), digests[there as usize], "{what}");
        for at in there..LAST {
            commit(&mut writer, at).unwrap();
        }
        assert_eq!(digest(dir.path()), digests[LAST as usize], "{what}");
    }
    assert!(0 < refused, "no commit was refused");
}

const STUDY: &str = "seed = 5\n[stop]\niterations = 14\n\
    [problem]\nkind = \"synthetic\"\ndimension = 4000\nblocks = 2\nnoise = 0.1\n\
    [weights]\nkind = \"es\"\ndirections = 4\n\
    [controller]\nkind = \"regularized-evolution\"\npopulation = 5\n";

fn study() -> Study<'static> {
    let spec = Spec::parse("faults", STUDY, Path::new(""), &[]).unwrap();
    Study::built_in(spec, std::num::NonZeroUsize::new(1)).unwrap()
}

/// The whole loop: asked, evaluated, told, saved, on a disk that fails, and again where it stopped.
#[test]
fn a_study_on_a_failing_disk_ends_with_the_same_bits() {
    static RUNNING: AtomicBool = AtomicBool::new(false);
    let options = Options { log_bytes: 64 << 10, ..Options::default() };
    let run = |dir: &PathBuf| -> Result<(), esenas_run::StudyError> {
        let study = study().open_or_create(dir, options)?;
        study.run(&RUNNING, |_| Control::Continue).map(drop)
    };
    let straight = place();
    let straight = straight.path().join("study");
    run(&straight).unwrap();
    let (expected, mut random, mut failed) = (digest(&straight), Random::new(4), 0);
    for round in 0..rounds(60.0) {
        let dir = place();
        let dir = dir.path().join("study");
        std::fs::create_dir(&dir).unwrap();
        let disk = Disk::watch(&dir);
        let mut said = Vec::new();
        loop {
            let how = [Failure::Full, Failure::Broken, Failure::Short][random.below(3)];
            disk.fail(disk.calls() + random.below(150), how, 1 + random.below(4));
            match run(&dir) {
                Ok(()) => break,
                Err(error) => said.push(error.to_string()),
            }
            failed += 1;
            assert!(said.len() < 100, "round {round} never ends: {:?}", &said[95..]);
        }
        assert_eq!(digest(&dir), expected, "round {round}");
    }
    assert!(0 < failed, "no run failed");
}
