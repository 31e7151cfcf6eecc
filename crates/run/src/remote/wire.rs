//! The bytes that cross the wire.
//!
//! All begin with the same twelve bytes (two letters, the kind, the version of this form, and a
//! hash of the rest that guards against damage, not against malice), followed by postcard. Readers
//! trust nothing: sizes are bounded by the bytes that came, every length is compared with the
//! study's, and nothing in them is ever executed.

use std::collections::BTreeSet;
use std::sync::Arc;

use esenas::{Base, Candidate, Dna, Noise, Probe, Role, Space, Theta};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::WireError;
use crate::{Failure, FailureKind, Outcome};

/// The version of the form of the bytes: raised whenever they would be read differently.
pub(super) const VERSION: u8 = 5;
/// The longest answer that is looked at: a chunk of many thousand evaluations with their moments.
const LARGEST_ANSWER: usize = 1 << 28;
/// What is kept of the reason of a failure, in bytes.
const LONGEST_REASON: usize = 16_384;
/// The most metrics of one evaluation.
const MOST_METRICS: usize = 1000;

/// What driver and worker must have in common.
pub(super) const PROGRAM: &str = concat!("esenas ", env!("CARGO_PKG_VERSION"));

/// Which bytes they are.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Shared = b's' as isize,
    Chunk = b'c' as isize,
    Answer = b'a' as isize,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Shared => "the shared state of an iteration",
            Self::Chunk => "a chunk of candidates",
            Self::Answer => "an answer",
        }
    }
}

/// What the evaluations of an iteration have in common.
#[derive(Serialize, Deserialize)]
pub(super) struct Shared {
    pub(super) program: String,
    pub(super) study: String,
    pub(super) iteration: u32,
    /// What the most candidates share; absent where all bring their own.
    pub(super) base: Option<Arc<Base>>,
    pub(super) objective: Vec<u8>,
}

/// One candidate.
#[derive(Serialize, Deserialize)]
pub(super) struct Address {
    /// Its number in the work.
    pub(super) job: u32,
    /// Its place among the candidates of the iteration.
    pub(super) index: u32,
    dna: Vec<u8>,
    place: Place,
    /// What it is evaluated for.
    role: Role,
}

/// Where θ is.
#[derive(Serialize, Deserialize)]
enum Place {
    Centre,
    Probe { row: u32, scale: f64 },
    Coordinates(Vec<f64>),
}

/// Outcomes by the number of their job.
pub(super) type Answer = Vec<(u32, Outcome)>;

pub(super) fn seal(kind: Kind, content: &impl Serialize) -> Vec<u8> {
    let head = vec![b'E', b'S', kind as u8, VERSION, 0, 0, 0, 0, 0, 0, 0, 0];
    let mut bytes = postcard::to_extend(content, head).expect("memory is all that postcard needs");
    let hash = xxh3_64(&bytes[12..]);
    bytes[4..12].copy_from_slice(&hash.to_le_bytes());
    bytes
}

pub(super) fn unseal<T: DeserializeOwned>(kind: Kind, bytes: &[u8]) -> Result<T, WireError> {
    let damaged =
        |reason: &str| WireError::Damaged { what: kind.name(), reason: reason.to_owned() };
    let Some((head, content)) = bytes.split_first_chunk::<12>() else {
        return Err(damaged("they are cut off"));
    };
    let [b'E', b'S', letter, version, hash @ ..] = *head else {
        return Err(damaged("they begin otherwise"));
    };
    if letter != kind as u8 {
        return Err(damaged("they are something else of ours"));
    }
    if version != VERSION {
        let (there, here) = (format!("form {version}"), format!("form {VERSION}"));
        return Err(WireError::Version { there, here });
    }
    if u64::from_le_bytes(hash) != xxh3_64(content) {
        return Err(damaged("their hash does not agree"));
    }
    match postcard::take_from_bytes(content) {
        Ok((read, [])) => Ok(read),
        Ok(_) => Err(damaged("more follows than belongs to them")),
        Err(error) => Err(damaged(&error.to_string())),
    }
}

impl Address {
    pub(super) fn new(job: usize, index: u32, candidate: &Candidate, base: Option<&Base>) -> Self {
        let theta = &candidate.theta;
        let is_shared = base.is_some_and(|base| std::ptr::eq(base, &**theta.base()));
        let place = match (is_shared, theta.offset()) {
            (true, None) => Place::Centre,
            (true, Some(Probe { row, scale })) => Place::Probe { row, scale },
            (false, _) => Place::Coordinates(theta.to_vec()),
        };
        let dna = candidate.dna.to_bytes();
        Self { job: job as u32, index, dna, place, role: candidate.role }
    }

    /// The candidate at this address, if there is one.
    pub(super) fn candidate(
        self,
        space: &Space,
        base: Option<&Arc<Base>>,
        dimension: usize,
    ) -> Result<Candidate, WireError> {
        let damaged = |reason: String| WireError::Damaged { what: Kind::Chunk.name(), reason };
        let dna = Dna::from_bytes(&self.dna).map_err(|error| damaged(error.to_string()))?;
        space.check(&dna).map_err(|error| damaged(error.to_string()))?;
        let shared = || base.cloned().ok_or_else(|| damaged("there is no centre".to_owned()));
        let theta = match self.place {
            Place::Centre => Theta::centre(shared()?),
            Place::Probe { row, scale } => {
                let base = shared()?;
                if !has_row(base.noise(), row, dimension) {
                    return Err(damaged(format!("there is no direction {row}")));
                }
                Theta::probe(base, Probe { row, scale })
            }
            Place::Coordinates(theta) if theta.len() == dimension => Theta::dense(theta),
            Place::Coordinates(theta) => {
                return Err(damaged(format!("θ has {} of {dimension} coordinates", theta.len())));
            }
        };
        Ok(Candidate { dna, theta, role: self.role })
    }
}

fn has_row(noise: &Noise, row: u32, dimension: usize) -> bool {
    match noise {
        Noise::Orthogonal(rows) => rows.get(row as usize).is_some_and(|row| row.len() == dimension),
        Noise::Gaussian(_) => true,
        Noise::Hadamard { order, .. } => *order < 64,
        Noise::Cosine { dim, .. } => usize::try_from(*dim).is_ok_and(|dim| dim == dimension),
    }
}

/// Reads what came back for `asked`, each exactly once; anything else is refused whole.
pub(super) fn read_answer(bytes: &[u8], asked: &[usize]) -> Result<Answer, WireError> {
    let damaged = |reason: String| Err(WireError::Damaged { what: Kind::Answer.name(), reason });
    if bytes.len() > LARGEST_ANSWER {
        return damaged(format!("there are {} of them, at most {LARGEST_ANSWER}", bytes.len()));
    }
    let mut answer: Answer = unseal(Kind::Answer, bytes)?;
    let jobs: BTreeSet<usize> = answer.iter().map(|(job, _)| *job as usize).collect();
    if answer.len() != asked.len() || jobs != asked.iter().copied().collect() {
        let (came, wanted) = (answer.len(), asked.len());
        return damaged(format!("they answer for {came} evaluations, not for the {wanted} asked"));
    }
    for (_, outcome) in &mut answer {
        match outcome {
            Ok(evaluation)
                if evaluation.metrics.len() + evaluation.constraints.len() > MOST_METRICS =>
            {
                let n = evaluation.metrics.len() + evaluation.constraints.len();
                let most = MOST_METRICS;
                let reason = format!("{n} metrics came back, at most {most} are kept");
                *outcome = Err(Failure::new(FailureKind::Malformed, reason));
            }
            Ok(_) => {}
            Err(failure) => shorten(&mut failure.reason),
        }
    }
    Ok(answer)
}

/// Keeps the end: that is where a traceback says what happened.
pub(crate) fn shorten(reason: &mut String) {
    if reason.len() > LONGEST_REASON {
        let start = reason.ceil_char_boundary(reason.len() - LONGEST_REASON);
        *reason = format!("…{}", &reason[start..]);
    }
}
