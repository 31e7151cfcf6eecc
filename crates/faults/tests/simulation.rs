//! A study from its first iteration to its last in a world where everything fails: workers that
//! crash, hang, lie and answer late under a clock that jumps, a disk whose calls fail, and a
//! machine that stops after any write, again and again. Driver, store and dispatcher are those of
//! the product; the disk, the workers and their clock are simulated.
//!
//! After every crash what was reported is there, and the study ends with the bits of one that
//! nobody disturbed. `ESENAS_FAULTS=N` runs N times as many, other ones.

mod place;
// The workers and their clock, as the dispatcher alone is tested with.
#[allow(dead_code)]
#[path = "../../run/tests/dispatcher_model/world.rs"]
mod world;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use esenas_faults::{Crash, Disk, Failure, Random};
use esenas_run::dispatcher::Workers;
use esenas_run::evaluator::{Batch, EvaluateError, Evaluator};
use esenas_run::{Control, Evaluation, FailureKind, Outcome, Point, Spec, Study, StudyError};
use esenas_store::{Options, Reader};
use place::{copy, digest, durable, place, reboot, rounds};
use tempfile::TempDir;
use world::{Nature, World};

const ITERATIONS: u64 = 12;

/// Every so-manieth candidate kills whoever evaluates it, in some of the studies.
const POISON: usize = 4;

const STUDY: &str = "seed = 5\n[stop]\niterations = 12\n\
    [problem]\nkind = \"synthetic\"\ndimension = 60\nblocks = 2\n\
    [weights]\nkind = \"es\"\ndirections = 4\n\
    [controller]\nkind = \"regularized-evolution\"\npopulation = 5\n\
    [failures]\nshare = 0.9\n[centre]\nevaluations = 1\n";

/// A function of the candidate alone: some cannot be evaluated, some are not numbers.
fn objective(point: &Point<'_>) -> Outcome {
    let sum: f64 = point.theta.iter().map(|x| (x - 0.1) * (x - 0.1)).sum();
    match (sum.to_bits() >> 13) % 9 {
        0 => {
            Err(esenas_run::Failure::new(FailureKind::Failed, format!("bad {}", point.seed() % 3)))
        }
        1 => Ok(Evaluation::new(f64::NAN)),
        _ => Ok(Evaluation::new(-sum)),
    }
}

/// Evaluates in a world of its own.
struct Simulated {
    world: World,
    workers: Workers,
}

impl Simulated {
    fn new(seed: u64, nature: Nature) -> Self {
        let (world, workers) = World::new(seed, nature);
        Self { world, workers }
    }
}

impl Evaluator for Simulated {
    fn evaluate(&mut self, batch: &Batch<'_>) -> Result<Vec<Outcome>, EvaluateError> {
        let truths: Vec<Outcome> = (0..batch.len()).map(|job| batch.with(job, objective)).collect();
        let workers = std::mem::take(&mut self.workers);
        let (outcomes, workers) = self.world.iterate(&truths, workers);
        self.workers = workers;
        self.world.admit(&mut self.workers);
        Ok(outcomes)
    }
}

/// Everybody is honest.
const CALM: Nature = Nature {
    jobs: 0,
    workers: 1,
    chunk: 1,
    leases: 1,
    attempts: 2,
    timeout: Some(Duration::from_secs(10)),
    speculation: false,
    faults: 0,
    replaces: true,
    poison: None,
};

/// Workers whose vices cannot be seen in the outcomes: whoever is patient enough gets an answer,
/// and who is killed by what they evaluate fails by that, whoever they are.
fn nature(random: &mut Random, poison: Option<usize>) -> Nature {
    let crowd = Nature {
        workers: 1 + random.below(6),
        chunk: 1 + random.below(5),
        leases: 1 + random.below(3),
        speculation: random.chance(70),
        poison,
        ..CALM
    };
    match poison {
        Some(_) => crowd,
        None => Nature { attempts: 10_000, faults: [0, 5, 30, 90][random.below(4)], ..crowd },
    }
}

fn study(nature: Nature, seed: u64) -> Study<'static> {
    let spec = Spec::parse("simulation", STUDY, Path::new(""), &[]).unwrap();
    Study::with(spec, Simulated::new(seed, nature)).unwrap()
}

fn undisturbed(poison: Option<usize>) -> String {
    static RUNNING: AtomicBool = AtomicBool::new(false);
    let dir = place();
    let study = study(Nature { poison, ..CALM }, 0).create(dir.path(), Options::default()).unwrap();
    study.run(&RUNNING, |_| Control::Continue).unwrap();
    digest(dir.path())
}

/// What one life of a study did to its disk, and what it had promised when.
struct Life {
    disk: Disk,
    base: TempDir,
    /// After so many changes so many iterations were reported, and so many commits waited for.
    promised: Vec<(usize, u64, u64)>,
    ended: Result<(), StudyError>,
}

/// Opens the study in `dir` and goes on with it until it is over, a call fails, or it is stopped.
fn live(dir: &Path, random: &mut Random, poison: Option<usize>) -> Life {
    static RUNNING: AtomicBool = AtomicBool::new(false);
    let base = place();
    copy(dir, base.path());
    let disk = Disk::watch(dir);
    if random.chance(40) {
        let how = [Failure::Full, Failure::Broken, Failure::Short][random.below(3)];
        disk.fail(random.below(200), how, [1, 3, usize::MAX / 2][random.below(3)]);
    }
    let options = Options {
        log_bytes: if random.chance(50) { 64 << 10 } else { 32 << 20 },
        sync_every: if random.chance(50) { Duration::ZERO } else { Duration::MAX },
        ..Options::default()
    };
    let last = if random.chance(20) { ITERATIONS } else { random.bits() % ITERATIONS };
    let mut promised = Vec::new();
    let study = study(nature(random, poison), random.bits()).resume(dir, options);
    let ended = study.and_then(|study| {
        disk.note("esenas.seal", true);
        let ran = study.run(&RUNNING, |report| {
            let iteration = report.record.iteration;
            disk.note("esenas.seal", false);
            promised.push((disk.len(), iteration + 1, durable(dir)));
            if iteration < last { Control::Continue } else { Control::Stop }
        });
        disk.note("esenas.seal", false);
        ran.map(drop)
    });
    Life { disk, base, promised, ended }
}

/// Lives one after the other, each ended by a crash, until nothing is left to do.
fn simulate(seed: u64, expected: &[String; 2]) -> (usize, usize) {
    let mut random = Random::new(seed);
    let poison = random.chance(30).then_some(POISON);
    let expected = &expected[usize::from(poison.is_some())];
    let mut dir = place();
    let first = study(nature(&mut random, poison), seed);
    drop(first.create(dir.path(), Options::default()).unwrap().start());
    let (mut lives, mut failed) = (0, 0);
    loop {
        lives += 1;
        let what = format!("seed {seed}, life {lives}");
        assert!(lives < 200, "{what}: it does not end");
        let Life { disk, base, promised, ended } = live(dir.path(), &mut random, poison);
        failed += usize::from(ended.is_err());
        if let Err(error) = &ended {
            let disk = ["disk", "SQLite", "I/O", "space", "full"];
            assert!(disk.iter().any(|word| error.to_string().contains(word)), "{what}: {error}");
        }
        let crash = if random.chance(50) { Crash::Kill } else { Crash::Power };
        let whole = random.chance(30);
        let count = if whole { disk.len() } else { random.below(disk.len() + 1) };
        let next = place();
        disk.image(base.path(), next.path(), count, crash, &mut random);
        if crash == Crash::Power {
            reboot(next.path());
        }
        let known = promised.iter().take_while(|(at, ..)| *at <= count);
        let least = known.map(|(_, done, durable)| match crash {
            Crash::Kill => *done,
            // Finishing is a commit, but no iteration.
            Crash::Power => (*durable).min(ITERATIONS),
        });
        let least = least.max().unwrap_or(0);
        dir = next;
        // Whoever opens it next says whether it is sound: a reader may find that power was lost.
        let there = {
            let study = study(CALM, 0).resume(dir.path(), Options::default());
            study.unwrap_or_else(|error| panic!("{what}, {crash:?}: {error}")).iterations()
        };
        assert!(least <= there, "{what}, {crash:?}: {least} were promised, {there} are there");
        if there == ITERATIONS {
            break;
        }
    }
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.progress().unwrap().iterations, ITERATIONS);
    assert_eq!(&digest(dir.path()), expected, "seed {seed}");
    (lives, failed)
}

/// Red when a commit is lost or half there, when a state goes on otherwise than it would have, or
/// when an outcome depends on who evaluated it.
#[test]
fn whatever_fails_the_study_ends_with_the_same_bits() {
    let (asked, expected) = (rounds(200.0), [None, Some(POISON)].map(undisturbed));
    // Other seeds than those that are run always.
    let first = if asked > 200 { 200 } else { 0 };
    let (mut lives, mut failed) = (0, 0);
    for seed in first..first + asked {
        let (more, errors) = simulate(seed, &expected);
        lives += more;
        failed += errors;
    }
    println!("{asked} studies, {lives} lives, {failed} of them ended by a failing call");
    assert!(asked as usize * 2 < lives && asked as usize / 10 < failed, "{lives} {failed}");
}
