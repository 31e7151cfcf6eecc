//! What crosses the wire between a driver and its workers. The hash of the bytes is set right,
//! since it guards against damage alone.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;

use esenas_run::dispatcher::{LeaseId, Limits, WorkerId};
use esenas_run::evaluator::{Batch, EvaluateError, Evaluator};
use esenas_run::remote::{Pool, Work, Worker};
use esenas_run::{Control, Outcome, Spec, Study};
use xxhash_rust::xxh3::xxh3_64;

use crate::Target;

const STUDY: &str = "seed = 3\nstop.iterations = 2\n\
    problem = { kind = \"synthetic\", dimension = 4, blocks = 2 }\n\
    weights = { kind = \"es\", directions = 2, sampling = \"orthogonal\" }\n\
    controller.kind = \"regularized-evolution\"\n";

/// Bytes before those that the hash is of: two letters, the kind, the version, the hash.
const HEAD: usize = 12;

fn spec() -> Spec {
    Spec::parse("fuzz", STUDY, Path::new(""), &[]).expect("the example is a study")
}

/// As the worker is handed it: the resolved study.
fn worker_of() -> Worker {
    let text = spec().plan().expect("the example can be planned").spec().to_toml();
    Worker::new(&text, NonZeroUsize::new(1)).expect("the example is a study")
}

/// Something that crossed the wire.
#[derive(Clone, Debug, Default)]
struct Crossed {
    shared: Vec<u8>,
    chunk: Vec<u8>,
    answer: Vec<u8>,
    /// A work that waits for the answer.
    work: Option<(Work, WorkerId, LeaseId)>,
}

/// Evaluates through the wire, and takes down what crossed it.
struct Tapped<'a>(&'a Mutex<Crossed>, Worker);

impl Evaluator for Tapped<'_> {
    fn evaluate(&mut self, batch: &Batch<'_>) -> Result<Vec<Outcome>, EvaluateError> {
        let mut pool = Pool::new(Limits::default());
        let node = pool.join();
        let fingerprint = spec().plan().expect("it was planned before").spec().fingerprint();
        let mut work = Work::new(batch, &fingerprint, &[], pool);
        let shared = work.shared().to_vec();
        while let Some((lease, chunk)) = work.lease(node, usize::MAX) {
            let waiting = Some((work.clone(), node, lease.id));
            let answer = self.1.evaluate(&shared, &chunk).expect("an honest chunk");
            work.done(node, lease.id, &answer).expect("an honest answer");
            *self.0.lock().expect("nobody panicked") =
                Crossed { shared: shared.clone(), chunk, answer, work: waiting };
        }
        Ok(work.finish().0)
    }
}

fn crossed() -> Crossed {
    let crossed = Mutex::default();
    let study = Study::with(spec(), Tapped(&crossed, worker_of())).expect("the example is a study");
    study.run(&false.into(), |_| Control::Continue).expect("the example runs");
    crossed.into_inner().expect("nobody panicked")
}

/// `content` under the head of `honest` bytes.
fn sealed(honest: &[u8], content: &[u8]) -> Vec<u8> {
    let hash = xxh3_64(content).to_le_bytes();
    [&honest[..4], &hash, content].concat()
}

/// A worker that is sent anything.
pub(crate) fn worker() -> Target {
    let Crossed { shared, chunk, .. } = crossed();
    // The length of the first of both, and both.
    let len = u16::try_from(shared.len() - HEAD).expect("the example is small").to_le_bytes();
    let seed = [&len[..], &shared[HEAD..], &chunk[HEAD..]].concat();
    let worker = Mutex::new(worker_of());
    Target::new("worker", vec![seed], move |bytes| {
        let mut worker = worker.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = worker.evaluate(bytes, bytes);
        let Some((len, rest)) = bytes.split_first_chunk() else { return };
        let (first, second) = rest.split_at(usize::from(u16::from_le_bytes(*len)).min(rest.len()));
        let _ = worker.evaluate(&sealed(&shared, first), &sealed(&chunk, second));
        let _ = worker.evaluate(&shared, &sealed(&chunk, second));
    })
}

/// A driver that is answered anything.
pub(crate) fn driver() -> Target {
    let Crossed { answer, work, .. } = crossed();
    let (work, node, lease) = work.expect("there was a lease");
    Target::new("answer", vec![answer[HEAD..].to_vec()], move |bytes| {
        for bytes in [bytes.to_vec(), sealed(&answer, bytes)] {
            let mut work = work.clone();
            let _ = work.done(node, lease, &bytes);
            let _ = work.done(WorkerId(9), lease, &bytes);
            work.finish();
        }
    })
}
