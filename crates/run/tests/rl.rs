//! Policies in environments, as studies: the same bits on any number of threads, resumed or not;
//! and they learn.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use esenas_run::problem::rl::{Trained, TrainedError, Which};
use esenas_run::{Control, Report, Spec, Study};
use esenas_store::{EvaluationRecord, Outcome, Reader, Role};

static RUNNING: AtomicBool = AtomicBool::new(false);

fn parse(text: &str) -> Spec {
    Spec::parse("test", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    Spec::parse("test", text, Path::new(""), &[]).unwrap_err().to_string()
}

/// A few short episodes of `policy`, with whatever else the problem has.
fn tiny(policy: &str, more: &str) -> Spec {
    parse(&format!(
        "seed = 3\nstop = {{ iterations = 5 }}\n\
         weights = {{ kind = \"es\", directions = 4 }}\ncentre = {{ evaluations = 2 }}\n\
         [problem]\nkind = \"rl\"\nenv = \"Pendulum\"\nhorizon = 40\npolicy = {{ {policy} }}\n{more}"
    ))
}

fn run(spec: &Spec, directory: &Path, workers: usize, iterations: u64) -> Report {
    let study = Study::built_in(spec.clone(), NonZeroUsize::new(workers)).unwrap();
    let study = study.open_or_create(directory, Default::default()).unwrap();
    let mut left = iterations;
    let done = study.run(&RUNNING, |_| {
        left -= 1;
        if left == 0 { Control::Stop } else { Control::Continue }
    });
    done.unwrap()
}

fn digest(directory: &Path) -> String {
    Reader::open(directory).unwrap().content_digest().unwrap().to_string()
}

const KINDS: [&str; 8] = [
    "kind = \"unstructured\", hidden = [4]",
    "kind = \"toeplitz\", hidden = [4]",
    "kind = \"circulant\", hidden = [4]",
    "kind = \"masked\", hidden = [4], anneal = 2",
    "kind = \"quantization\", hidden = []",
    "kind = \"edge-pruning\", hidden = [4, 3], edges = 9, residual = true",
    "kind = \"edge-pruning\", hidden = [4], edges = \"any\"",
    "kind = \"nonlinearity\", hidden = [4], edges = 9",
];

/// Red when the filter is merged in the order of the threads, is not checkpointed, or is not
/// restored.
#[test]
fn one_thread_four_threads_and_a_resumption_give_the_same_bits() {
    for kind in KINDS {
        let spec = tiny(kind, "episodes = 2");
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        run(&spec, &at("one"), 1, u64::MAX);
        run(&spec, &at("four"), 4, u64::MAX);
        run(&spec, &at("stopped"), 2, 2);
        run(&spec, &at("stopped"), 1, 1);
        run(&spec, &at("stopped"), 1, u64::MAX);
        assert_eq!(digest(&at("one")), digest(&at("four")), "{kind}");
        assert_eq!(digest(&at("one")), digest(&at("stopped")), "{kind}");
    }
}

/// The candidate that was best in training earns the same again from the same start, filter and
/// all.
#[test]
fn the_best_policy_comes_back_with_the_filter_it_saw() {
    for normalize in [true, false] {
        let more = format!("starts = \"fixed\"\nnormalize = {normalize}");
        let spec = tiny("kind = \"edge-pruning\", hidden = [4], edges = 9", &more);
        let place = tempfile::tempdir().unwrap();
        let report = run(&spec, place.path(), 2, u64::MAX);
        let best = report.best.unwrap().record;
        let trained = Trained::load(place.path(), Which::Best).unwrap();
        let (mut network, mut stage) = (trained.network(), trained.stage().unwrap());
        let mut stream = esenas::Seed(3).stream(esenas::Purpose::Evaluate, 0, 0);
        let again = stage.play(&mut network, &trained.normalizer, 40, &mut stream, None).unwrap();
        assert_eq!(again.reward, best.value, "found in iteration {}", best.iteration);
        assert_eq!(best.score, Some(best.value));
        let (account, full) = trained.accounts();
        assert_eq!((account.weights, account.biases, full.weights), (9, 4, 16));
        let centre = Trained::load(place.path(), Which::Centre).unwrap();
        assert_eq!(centre.play(3, 0).unwrap().len(), 3);
        assert_eq!(centre.play(3, 0).unwrap(), centre.play(3, 0).unwrap());
        assert_ne!(centre.play(3, 0).unwrap(), centre.play(3, 1).unwrap());
    }
}

/// Red when the centre gets a model that was good for other weights.
#[test]
fn the_centre_comes_with_the_model_that_was_best_there() {
    let spec = tiny("kind = \"edge-pruning\", hidden = [4], edges = 9", "starts = \"fixed\"");
    let place = tempfile::tempdir().unwrap();
    run(&spec, place.path(), 2, u64::MAX);
    let reader = Reader::open(place.path()).unwrap();
    let (_, last) = reader.evaluations(0).last().unwrap().unwrap();
    let value = |it: &EvaluationRecord| match it.outcome {
        Outcome::Done { value, .. } if it.role == Role::Centre => value,
        _ => f64::NEG_INFINITY,
    };
    let best = last.iter().max_by(|a, b| value(a).total_cmp(&value(b))).unwrap();
    let centre = Trained::load(place.path(), Which::Centre).unwrap();
    assert_eq!(centre.dna.to_bytes(), best.dna);
}

/// With one start for all, θ unperturbed and one model, all centre evaluations are equal.
#[test]
fn starts_are_shared_as_asked() {
    let centre = |starts: &str| {
        let spec = tiny("kind = \"toeplitz\", hidden = [4]", &format!("starts = \"{starts}\""));
        let place = tempfile::tempdir().unwrap();
        run(&spec, place.path(), 1, u64::MAX);
        let reader = Reader::open(place.path()).unwrap();
        let first = reader.iterations(0).next().unwrap().unwrap();
        first.centre.unwrap().std
    };
    assert_eq!((centre("fixed"), centre("iteration"), centre("pair")), (0.0, 0.0, 0.0));
    assert!(centre("each") > 0.0);
}

#[test]
fn the_papers_settings_are_one_word_away_and_do_not_hide_ones_own() {
    let problem = "preset = \"paper\"\n[problem]\nkind = \"rl\"\nenv = \"HalfCheetah\"\n\
                   policy = { kind = \"quantization\" }\n[stop]\niterations = 1";
    let value = parse(problem).to_value();
    let es = &value["weights"];
    assert_eq!(
        (&es["sigma"], &es["step_size"], &es["directions"]),
        (&0.1.into(), &0.01.into(), &75.into())
    );
    let overview = parse(problem).plan().unwrap().overview();
    assert_eq!((overview.evaluations, overview.centre, overview.dimension), (200, 50, 17 + 32));
    let own = parse(&format!("{problem}\n[weights]\nkind = \"es\"\nsigma = 0.3"));
    let own = own.to_value();
    assert_eq!(
        (&own["weights"]["sigma"], &own["weights"]["directions"]),
        (&0.3.into(), &75.into())
    );
    // The controller sees the 150 values of the pairs, whoever writes a part of it.
    let part =
        format!("{problem}\n[centre]\nevery = 2\n[controller]\nkind = \"regularized-evolution\"");
    for study in [problem.to_owned(), part] {
        let value = parse(&study).to_value();
        let (teaches, population) =
            (&value["centre"]["teaches"], &value["controller"]["population"]);
        assert_eq!((teaches, population), (&false.into(), &150.into()));
    }
    // The resolved study is its own resolution.
    let resolved = parse(problem).to_toml();
    assert_eq!(parse(&resolved).to_toml(), resolved);
}

/// Red when the episodes of the centre are counted by the observation filter.
#[test]
fn centre_evaluations_do_not_teach_the_filter() {
    let filter = |centre: u32| {
        let mut spec = tiny("kind = \"toeplitz\", hidden = [4]", "starts = \"fixed\"");
        let esenas::SearchConfig::EsEnas { joint, .. } = &mut spec.search else { unreachable!() };
        joint.centre = centre;
        let place = tempfile::tempdir().unwrap();
        run(&spec, place.path(), 1, u64::MAX);
        Trained::load(place.path(), Which::Centre).unwrap().normalizer
    };
    assert_eq!(filter(1), filter(9));
}

/// Red when what is said to be the start is not where the episodes of training begin.
#[test]
fn the_one_start_is_known() {
    let place = tempfile::tempdir().unwrap();
    let spec = tiny("kind = \"toeplitz\", hidden = [4]", "starts = \"fixed\"\nnormalize = false");
    let spec = parse(&spec.to_toml().replace("horizon = 40", "horizon = 1"));
    run(&spec, place.path(), 1, u64::MAX);
    let trained = Trained::load(place.path(), Which::Best).unwrap();
    let start = trained.start(3).unwrap().unwrap();
    // Pendulum pays −(angle² + 0.1 speed² + 0.001 torque²), and shows cosine, sine and speed.
    let cost = start[1].atan2(start[0]).powi(2) + 0.1 * start[2].powi(2);
    let best = Reader::open(place.path()).unwrap().best().unwrap().unwrap().record.value;
    assert!(-best - cost >= 0.0 && -best - cost <= 0.004 + 1e-9, "{best} {start:?}");
    let each = tiny("kind = \"toeplitz\", hidden = [4]", "");
    let place = tempfile::tempdir().unwrap();
    run(&each, place.path(), 1, u64::MAX);
    assert_eq!(Trained::load(place.path(), Which::Best).unwrap().start(3).unwrap(), None);
}

#[test]
fn what_cannot_run_is_refused_before_the_run_with_key_and_help() {
    let study = |env: &str, policy: &str| {
        format!(
            "[stop]\niterations = 1\n[problem]\nkind = \"rl\"\nenv = \"{env}\"\npolicy = {{ {policy} }}"
        )
    };
    let pruned = "kind = \"edge-pruning\", hidden = []";
    let error = refused(&study("Halfcheeta", "kind = \"toeplitz\""));
    assert!(error.contains("problem.env") && error.contains("HalfCheetah"), "{error}");
    assert!(refused(&study("Pendulun", "kind = \"toeplitz\"")).contains("\"Pendulum\""));
    let error = refused(&study("Swimmer", &format!("{pruned}, edges = 17")));
    assert!(error.contains("`problem.policy.edges` = 17") && error.contains("1 to 16"), "{error}");
    assert!(refused(&study("Swimmer", "kind = \"toeplits\"")).contains("toeplitz"));
    assert!(refused(&study("Swimmer", "kind = \"toeplitz\", edges = 3")).contains("edges"));
    for (more, key) in
        [("horizon = 0", "horizon"), ("episodes = 0", "episodes"), ("scale = -1.0", "scale")]
    {
        let error = refused(&format!("{}\n{more}", study("Pendulum", "kind = \"toeplitz\"")));
        assert!(error.contains(&format!("problem.{key}")), "{error}");
    }
}

#[test]
fn other_directories_have_no_policy() {
    let place = tempfile::tempdir().unwrap();
    let spec = parse("[stop]\niterations = 1\n[problem]\nkind = \"synthetic\"\ndimension = 8");
    run(&spec, place.path(), 1, u64::MAX);
    assert!(matches!(Trained::load(place.path(), Which::Best), Err(TrainedError::Kind(_))));
    assert!(Trained::load(Path::new("nowhere"), Which::Best).is_err());
}

/// Doing nothing earns about −1200. The bound is where this seed is long past, and where others
/// would be.
#[test]
fn the_pendulum_is_swung_up() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../studies/pendulum.toml");
    let spec = Spec::load(&path, &[]).unwrap();
    let place = tempfile::tempdir().unwrap();
    run(&spec, place.path(), 2, u64::MAX);
    let episodes = Trained::load(place.path(), Which::Best).unwrap().play(50, 1).unwrap();
    let mean = episodes.iter().map(|it| it.reward).sum::<f64>() / 50.0;
    assert!(mean > -900.0, "{mean}");
}
