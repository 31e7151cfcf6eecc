//! Studies run, survive and resume: the same bits whatever happens on the way.

mod ends;
mod fails;
mod known;
mod limits;
mod survives;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use esenas::Space;
use esenas_run::spec::{CallableProblem, ProblemConfig};
use esenas_run::{Control, End, Report, Spec, Study, StudyError};
use esenas_store::Reader;

pub(crate) static RUNNING: AtomicBool = AtomicBool::new(false);

pub(crate) fn parse(text: &str) -> Spec {
    Spec::parse("test", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Small, with noise, centre evaluations now and then, and thinned records.
pub(crate) fn tiny() -> Spec {
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

pub(crate) fn one() -> Option<NonZeroUsize> {
    NonZeroUsize::new(1)
}

pub(crate) fn digest(directory: &Path) -> String {
    let reader = Reader::open(directory).unwrap();
    reader.verify().unwrap();
    reader.content_digest().unwrap().to_string()
}

pub(crate) fn run(study: Study<'_>, iterations: u64) -> Result<Report, StudyError> {
    let mut left = iterations;
    study.run(&RUNNING, |_| {
        left -= 1;
        if left == 0 { Control::Stop } else { Control::Continue }
    })
}

pub(crate) fn straight(spec: &Spec) -> String {
    let directory = tempfile::tempdir().unwrap();
    let study = Study::built_in(spec.clone(), one()).unwrap();
    let report =
        run(study.create(directory.path(), Default::default()).unwrap(), u64::MAX).unwrap();
    assert_eq!(report.end, End::Iterations);
    digest(directory.path())
}

pub(crate) fn callable(iterations: u32) -> Spec {
    let space = Space::list([Space::bool(), Space::bool()]).unwrap();
    let problem = ProblemConfig::Callable(CallableProblem::new(space, 3));
    Spec {
        failures: esenas_run::spec::FailuresConfig { share: 0.9, ..Default::default() },
        ..Spec::new(problem, iterations)
    }
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
    let error = Study::built_in(parse(text), one()).err().unwrap().to_string();
    assert!(error.contains("`problem.argv` = [\"no-such-program\"]"), "{error}");
}

/// The first study of a newcomer reaches its target.
#[test]
fn the_quick_start_is_solved() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let spec = Spec::load(&root.join("studies/quickstart.toml"), &[]).unwrap();
    let report = Study::built_in(spec, None).unwrap().run(&RUNNING, |_| Control::Continue).unwrap();
    assert_eq!(report.end, End::Target);
}
