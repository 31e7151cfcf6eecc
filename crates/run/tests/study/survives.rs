//! Stopped, killed, on other workers: the same bits.

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use esenas_run::spec::StopConfig;
use esenas_run::{Control, End, Evaluation, Objective, Outcome, Point, Spec, Study, StudyError};
use esenas_store::{Options, Reader, State};

use crate::{RUNNING, callable, digest, one, parse, run, straight, tiny};

#[test]
fn golden() {
    assert_eq!(straight(&tiny()), "386c3f12093c7992b1926cc4d0f65870");
}

#[test]
fn resuming_at_every_iteration_equals_never_stopping() {
    let kinds = [
        tiny(),
        parse(
            "seed = 1\npairing = \"shared\"\n[stop]\niterations = 8\n\
             [problem]\nkind = \"synthetic\"\ndimension = 9\nblocks = 3\n\
             [controller]\nkind = \"neat\"\npopulation = 12\n\
             [weights]\nkind = \"es\"\ndirections = 6\nrule = { adam = {} }\n\
             [constraint]\ncost = \"decisions\"\ntarget = 3.0",
        ),
        parse(
            "seed = 2\n[stop]\niterations = 8\n\
             [problem]\nkind = \"synthetic\"\ndimension = 9\nfunction = \"rastrigin\"\n\
             [hybrid]\npopulation = 15\nevolution = { kind = \"hill-climb\" }",
        ),
        parse(
            "[stop]\niterations = 8\n[problem]\nkind = \"synthetic\"\ndimension = 9\n\
             [weights]\nkind = \"cma-es\"\n[controller]\nkind = \"random\"",
        ),
        // What `auto` chooses: held models, with coordinates that come to rest in a corner.
        parse(
            "seed = 3\n[stop]\niterations = 12\nevaluations = 1000\n\
             [problem]\nkind = \"bbob\"\nfunction = \"LinearSlope\"\nd_cat = 3\nd_con = 8",
        ),
    ];
    for spec in kinds {
        let expected = straight(&spec);
        let directory = tempfile::tempdir().unwrap();
        let study = Study::built_in(spec.clone(), one()).unwrap();
        let study = study.create(directory.path(), Default::default()).unwrap();
        let mut report = run(study, 1).unwrap();
        while report.end == End::Interrupted {
            assert_eq!(
                Reader::open(directory.path()).unwrap().progress().unwrap().state,
                State::Stopped
            );
            let workers = NonZeroUsize::new(1 + report.iterations as usize % 3);
            let study = Study::open(directory.path(), workers, Default::default()).unwrap();
            assert_eq!(study.iterations(), report.iterations);
            report = run(study, 1).unwrap();
        }
        assert_eq!(digest(directory.path()), expected);
        let best = Reader::open(directory.path()).unwrap().best().unwrap();
        assert_eq!(report.best, best);
        // Once more: it is over, and stays as it is.
        let over = Study::open(directory.path(), None, Default::default()).unwrap();
        assert_eq!(run(over, 1).unwrap().end, End::Iterations);
        assert_eq!(digest(directory.path()), expected);
        let state = Reader::open(directory.path()).unwrap().progress().unwrap().state;
        assert_eq!(state, State::Finished { why: "all iterations are done".to_owned() });
    }
}

#[test]
fn eight_workers_give_the_bits_of_one() {
    let directory = tempfile::tempdir().unwrap();
    let study = Study::built_in(tiny(), NonZeroUsize::new(8)).unwrap();
    run(study.create(directory.path(), Default::default()).unwrap(), 1000).unwrap();
    assert_eq!(digest(directory.path()), straight(&tiny()));
}

/// Not a test by itself: what [`kill_9_at_any_instant_loses_nothing`] runs, and kills.
#[test]
fn child() {
    let Some(directory) = std::env::var_os("ESENAS_TEST_DIRECTORY") else { return };
    let study = Study::built_in(killed(), one()).unwrap();
    let study = study.open_or_create(Path::new(&directory), Default::default()).unwrap();
    study.run(&RUNNING, |_| Control::Continue).unwrap();
}

fn killed() -> Spec {
    let mut spec = tiny();
    spec.stop.iterations = Some(3000);
    spec
}

#[test]
fn kill_9_at_any_instant_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mut kills = 0;
    loop {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "survives::child"]).env("ESENAS_TEST_DIRECTORY", directory.path());
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Ever later, so that it gets done at last.
        let patience = Duration::from_millis(5 + 37 * kills % 90 + 10 * kills);
        let start = std::time::Instant::now();
        let ended = loop {
            match child.try_wait().unwrap() {
                Some(status) => break Some(status),
                None if start.elapsed() > patience => break None,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        if let Some(status) = ended {
            assert!(status.success());
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        assert!(kills < 200, "it never gets done");
    }
    assert!(kills > 0, "it was never killed");
    assert_eq!(digest(directory.path()), straight(&killed()));
}

#[test]
fn another_study_in_the_directory_is_refused_with_the_differences() {
    let directory = tempfile::tempdir().unwrap();
    let open = |spec: Spec| {
        Study::built_in(spec, one()).unwrap().open_or_create(directory.path(), Default::default())
    };
    run(open(tiny()).unwrap(), 2).unwrap();
    let mut other = tiny();
    other.seed = 6;
    let refusal = open(other).err().unwrap().to_string();
    assert!(refusal.contains("differs from this one in\n  seed: 6 here, 5 there\n"), "{refusal}");
    assert_eq!(run(open(tiny()).unwrap(), 2).unwrap().iterations, 4);
    let again =
        Study::built_in(tiny(), one()).unwrap().create(directory.path(), Default::default());
    assert!(matches!(again, Err(StudyError::Store(esenas_store::Error::AlreadyExists { .. }))));
}

/// Red when a study that was made longer is another one than a study that was long from the start.
#[test]
fn a_study_goes_on_to_other_limits() {
    let directory = tempfile::tempdir().unwrap();
    let shorter = Spec { stop: StopConfig::iterations(5), ..tiny() };
    for spec in [shorter, tiny()] {
        let study = Study::built_in(spec, one()).unwrap();
        let study = study.open_or_create(directory.path(), Default::default()).unwrap();
        assert_eq!(run(study, u64::MAX).unwrap().end, End::Iterations);
    }
    assert_eq!(digest(directory.path()), straight(&tiny()));
    // The rules look at the limits until somebody is asked.
    let silent = "[auto]\nnoise = true\n[problem]\nkind = \"bbob\"\nd_con = 20\nd_cat = 2\n\
                  [stop]\nevaluations = ";
    let mut late = Study::built_in(parse(&format!("{silent}9000000")), one()).unwrap();
    let early = parse(&format!("{silent}300"));
    assert_ne!(late.spec().search, early.search);
    late.stop_at(early.stop.clone()).unwrap();
    assert_eq!(late.spec(), &early);
    // The same by its directory alone, and while it runs.
    let kept = tempfile::tempdir().unwrap();
    let mut running = Study::built_in(tiny(), one()).unwrap().start();
    running.stop_at(StopConfig::iterations(2)).unwrap();
    running.keep_in(kept.path(), Default::default()).unwrap();
    while running.step(|_| Control::Continue).unwrap().is_some() {}
    running.close(End::Iterations).unwrap();
    running.stop_at(StopConfig::iterations(4)).unwrap();
    while running.step(|_| Control::Continue).unwrap().is_some() {}
    drop(running);
    let mut study = Study::open(kept.path(), one(), Default::default()).unwrap();
    assert_eq!((study.iterations(), study.ended()), (4, Some(End::Iterations)));
    study.stop_at(tiny().stop).unwrap();
    run(study, u64::MAX).unwrap();
    assert_eq!(digest(kept.path()), straight(&tiny()));
}

/// Counts its evaluations, and its values depend on the count.
#[derive(Default)]
struct Counting {
    seen: u64,
}

impl Objective for Counting {
    fn evaluate(&self, point: &Point<'_>) -> Outcome {
        let value = point.theta[0] + self.seen as f64;
        Ok(Evaluation { moments: Some(vec![1, 2]), ..Evaluation::new(value) })
    }

    fn state(&self) -> Vec<u8> {
        self.seen.to_le_bytes().to_vec()
    }

    fn restore(&mut self, state: &[u8]) {
        self.seen = u64::from_le_bytes(state.try_into().unwrap());
    }

    fn absorb(&mut self, moments: &[Vec<u8>]) {
        self.seen += moments.iter().map(|m| u64::from(m[1])).sum::<u64>();
    }
}

#[test]
fn what_an_objective_absorbs_is_kept_and_restored() {
    let digest_by = |at_a_time: u64| {
        let directory = tempfile::tempdir().unwrap();
        let mut end = End::Interrupted;
        while end == End::Interrupted {
            let objective: Box<dyn Objective> = Box::new(Counting::default());
            let study = Study::new(callable(4), objective).unwrap();
            let study = study.open_or_create(directory.path(), Default::default()).unwrap();
            end = run(study, at_a_time).unwrap().end;
        }
        (digest(directory.path()), Reader::open(directory.path()).unwrap().best().unwrap())
    };
    let (digest, best) = digest_by(1);
    assert!(best.as_ref().unwrap().record.value > 3.0 * 272.0);
    assert_eq!((digest, best), digest_by(1000));
}

/// Red when a study with a loss can only be opened after something else has accepted it.
#[test]
fn a_loss_can_be_accepted_by_whoever_opens_the_study() {
    let (directory, crashed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let study = Study::built_in(tiny(), one()).unwrap();
    let study = study.create(directory.path(), Options::default()).unwrap();
    // What `kill -9` leaves in the middle, without the log.
    let stopped = study.run(&RUNNING, |report| {
        if report.record.iteration == 5 {
            for file in ["esenas.db", "esenas.seal", "study.toml"] {
                std::fs::copy(directory.path().join(file), crashed.path().join(file)).unwrap();
            }
        }
        Control::Continue
    });
    assert_eq!(stopped.unwrap().end, End::Iterations);
    let lost = Study::open(crashed.path(), one(), Options::default()).err().unwrap();
    assert!(matches!(lost, StudyError::Store(esenas_store::Error::CommitsLost { .. })), "{lost}");
    let accepting = Options { accept_lost_commits: true, ..Options::default() };
    run(Study::open(crashed.path(), one(), accepting).unwrap(), u64::MAX).unwrap();
    assert_eq!(digest(crashed.path()), digest(directory.path()));
}
