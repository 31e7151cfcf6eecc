//! Studies run, survive and resume: the same bits whatever happens on the way.

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use esenas::Space;
use esenas_run::spec::{CallableProblem, ProblemConfig};
use esenas_run::{
    Control, End, Evaluation, Failure, FailureKind, InProcess, Objective, Outcome, Point, Report,
    Spec, Study, StudyError,
};
use esenas_store::{Reader, State};

static RUNNING: AtomicBool = AtomicBool::new(false);

fn parse(text: &str) -> Spec {
    Spec::parse("test", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Small, with noise, centre evaluations now and then, and thinned records.
fn tiny() -> Spec {
    parse(
        "seed = 5\nsubsample = 20\n\
         [stop]\niterations = 12\n\
         [problem]\nkind = \"synthetic\"\ndimension = 12\nblocks = 2\nnoise = 0.1\n\
         [weights]\nkind = \"es\"\ndirections = 8\n\
         [controller]\nkind = \"regularized-evolution\"\npopulation = 10\n\
         [centre]\nevaluations = 3\nevery = 2\n\
         [record]\nevery = 3",
    )
}

fn one() -> Option<NonZeroUsize> {
    NonZeroUsize::new(1)
}

fn digest(directory: &Path) -> String {
    let reader = Reader::open(directory).unwrap();
    reader.verify().unwrap();
    reader.content_digest().unwrap().to_string()
}

fn run(study: Study<'_>, iterations: u64) -> Result<Report, StudyError> {
    let mut left = iterations;
    study.run(&RUNNING, |_| {
        left -= 1;
        if left == 0 { Control::Stop } else { Control::Continue }
    })
}

fn straight(spec: &Spec) -> String {
    let directory = tempfile::tempdir().unwrap();
    let study = Study::built_in(spec.clone(), one()).unwrap();
    let report =
        run(study.create(directory.path(), Default::default()).unwrap(), u64::MAX).unwrap();
    assert_eq!(report.end, End::Iterations);
    digest(directory.path())
}

#[test]
fn golden() {
    assert_eq!(straight(&tiny()), "3319f91a1dc2e837182ceeecccdf6dda");
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
        child.args(["--exact", "child"]).env("ESENAS_TEST_DIRECTORY", directory.path());
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

fn callable(iterations: u32) -> Spec {
    let space = Space::list([Space::bool(), Space::bool()]).unwrap();
    let problem = ProblemConfig::Callable(CallableProblem::new(space, 3));
    Spec {
        failures: esenas_run::spec::FailuresConfig { share: 0.9, retries: 2 },
        ..Spec::new(problem, iterations)
    }
}

#[test]
fn every_condition_ends_a_study() {
    let ends = |change: fn(&mut Spec)| {
        let mut spec = callable(20);
        change(&mut spec);
        let objective = |point: &Point<'_>| -point.theta[0].abs().min(1.0);
        let report = Study::new(spec, objective).unwrap().run(&RUNNING, |_| Control::Continue);
        let report = report.unwrap();
        (report.end, report.iterations)
    };
    assert_eq!(ends(|_| {}), (End::Iterations, 20));
    assert_eq!(ends(|spec| spec.stop.evaluations = Some(137)), (End::Evaluations, 2));
    assert_eq!(ends(|spec| spec.stop.target = Some(-2.0)), (End::Target, 1));
    assert_eq!(
        ends(|spec| spec.stop.wall_time = Some(esenas_run::spec::Seconds(1e-9))).0,
        End::WallTime
    );
    let flat = |_: &Point<'_>| 1.0;
    let mut spec = callable(20);
    spec.stop.stagnation = Some(4);
    let report = Study::new(spec, flat).unwrap().run(&RUNNING, |_| Control::Continue).unwrap();
    assert_eq!((report.end, report.iterations), (End::Stagnation, 5));
    let stopped = AtomicBool::new(true);
    let report = Study::new(callable(20), flat).unwrap().run(&stopped, |_| Control::Continue);
    assert_eq!(report.unwrap().end, End::Interrupted);
}

#[test]
fn failures_are_recorded_with_their_reasons_and_counted() {
    let objective = |point: &Point<'_>| match point.seed() % 4 {
        0 => panic!("no such luck"),
        1 => f64::NAN,
        _ => point.theta.iter().sum(),
    };
    let directory = tempfile::tempdir().unwrap();
    let study = Study::with(callable(5), InProcess::new(objective, one())).unwrap();
    let study = study.create(directory.path(), Default::default()).unwrap();
    let report = run(study, 1000).unwrap();
    assert!(report.failures > report.evaluations / 3, "{report:?}");
    let reader = Reader::open(directory.path()).unwrap();
    let reasons = reader.failures(10).unwrap();
    assert_eq!(reasons.len(), 2);
    let counted: u64 = reasons.iter().map(|group| group.count).sum();
    assert_eq!(counted, report.failures);
    assert!(reasons.iter().any(|group| group.reason == "panicked: no such luck"));
    assert!(reasons.iter().any(|group| group.reason == "not finite: the value is NaN"));
}

#[test]
fn too_many_failures_stop_the_study_after_keeping_them() {
    let objective = |point: &Point<'_>| if point.seed() % 4 == 0 { 1.0 } else { f64::INFINITY };
    let directory = tempfile::tempdir().unwrap();
    let mut spec = callable(5);
    spec.failures.share = 0.5;
    let study = Study::with(spec, InProcess::new(objective, one())).unwrap();
    let error = run(study.create(directory.path(), Default::default()).unwrap(), 1000).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("iteration 0: ") && said.contains("failures.share = 0.5"), "{said}");
    assert!(said.contains("× not finite: the value is inf"), "{said}");
    let progress = Reader::open(directory.path()).unwrap().progress().unwrap();
    assert_eq!((progress.iterations, progress.state), (1, State::Stopped));
}

/// Fails for as long as it is told.
struct Flaky<'a>(&'a AtomicU32);

impl Objective for Flaky<'_> {
    fn evaluate(&self, point: &Point<'_>) -> Outcome {
        // Of each iteration of 136 evaluations.
        let before =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        match before {
            Ok(_) => Err(Failure::new(FailureKind::Failed, "the licence server is down")),
            Err(_) => Ok(Evaluation::new(point.theta[0])),
        }
    }
}

#[test]
fn an_iteration_of_which_nothing_came_back_is_tried_again_with_the_same_candidates() {
    let clean = AtomicU32::new(0);
    let flaky = AtomicU32::new(2 * 136);
    let dead = AtomicU32::new(3 * 136);
    let digest_of = |failures: &AtomicU32| {
        let directory = tempfile::tempdir().unwrap();
        let study = Study::with(callable(3), InProcess::new(Flaky(failures), one())).unwrap();
        let study = study.create(directory.path(), Default::default()).unwrap();
        let report = run(study, 1000);
        report.map(|_| digest(directory.path()))
    };
    let expected = digest_of(&clean).unwrap();
    assert_eq!(digest_of(&flaky).unwrap(), expected);
    let said = digest_of(&dead).unwrap_err().to_string();
    let start = "iteration 0: all 136 evaluations failed, 3 times in a row:\n  \
                 136 × failed: the licence server is down\n";
    assert!(said.starts_with(start), "{said}");
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

#[test]
fn an_objective_must_be_given_where_it_is_missing_and_only_there() {
    let missing = Study::built_in(callable(1), None).err().unwrap();
    assert!(missing.to_string().contains("run it from there"));
    let extra = Study::new(tiny(), |_: &Point<'_>| 0.0).err().unwrap();
    assert!(extra.to_string().contains("brings its own objective"));
}

#[test]
fn programs_are_objectives() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for argv in [["python3", "objective.py"], ["sh", "objective.sh"]] {
        let digest_with = |workers| {
            let mut spec = Spec::load(&root.join("studies/command.toml"), &[]).unwrap();
            spec.stop.iterations = Some(4);
            let ProblemConfig::Command(problem) = &mut spec.problem else { panic!("no command") };
            problem.argv = argv.map(str::to_owned).to_vec();
            problem.directory = Some(root.join("examples/command"));
            let directory = tempfile::tempdir().unwrap();
            let study = Study::built_in(spec, NonZeroUsize::new(workers)).unwrap();
            let study = study.create(directory.path(), Default::default()).unwrap();
            let report = run(study, 1000).unwrap();
            assert_eq!((report.failures, report.iterations), (0, 4));
            digest(directory.path())
        };
        assert_eq!(digest_with(1), digest_with(3));
    }
}

#[test]
fn a_program_that_is_not_there_is_said_so() {
    let text = "problem = { kind = \"command\", argv = [\"no-such-program\"], dimension = 1, space = {} }\n\
                [stop]\niterations = 1";
    let error = run(Study::built_in(parse(text), one()).unwrap(), 1).unwrap_err().to_string();
    assert!(error.starts_with("iteration 0: cannot start \"no-such-program\""), "{error}");
}

/// The first study of a newcomer reaches its target.
#[test]
fn the_quick_start_is_solved() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let spec = Spec::load(&root.join("studies/quickstart.toml"), &[]).unwrap();
    let report = Study::built_in(spec, None).unwrap().run(&RUNNING, |_| Control::Continue).unwrap();
    assert_eq!(report.end, End::Target);
}
