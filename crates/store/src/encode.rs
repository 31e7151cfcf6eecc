//! The canonical bytes of a record: what checksums and the content digest are taken of.
//!
//! Equal records have equal bytes and unequal ones unequal bytes: numbers by their bits, everything
//! of variable length behind its length. Nothing is ever read from these bytes.

use crate::Named;
use crate::record::{
    Belief, BestRecord, Centre, EvaluationRecord, Header, IterationRecord, Outcome, Summary,
    Timings,
};

/// The number as it will come back from the database, which stores NaN as absent.
pub(crate) fn known(x: Option<f64>) -> Option<f64> {
    x.filter(|x| !x.is_nan())
}

/// The parts of a record that can be absent, as they will come back.
pub(crate) fn known_parts(record: &IterationRecord) -> (Option<Summary>, Option<Centre>) {
    (record.values.filter(|v| !v.min.is_nan()), record.centre.filter(|c| !c.mean.is_nan()))
}

/// Appends its canonical bytes.
pub(crate) trait Encode {
    fn encode(&self, out: &mut Vec<u8>);

    /// The checksum stored beside it.
    fn checksum(&self) -> u32 {
        let mut bytes = Vec::with_capacity(256);
        self.encode(&mut bytes);
        crc32fast::hash(&bytes)
    }
}

impl Encode for u64 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
}

impl Encode for f64 {
    fn encode(&self, out: &mut Vec<u8>) {
        let x = if self.is_nan() { f64::NAN } else { *self };
        x.to_bits().encode(out);
    }
}

impl Encode for [u8] {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u64).encode(out);
        out.extend_from_slice(self);
    }
}

impl Encode for str {
    fn encode(&self, out: &mut Vec<u8>) {
        self.as_bytes().encode(out);
    }
}

impl Encode for [f64] {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u64).encode(out);
        out.extend(self.iter().flat_map(|x| x.to_le_bytes()));
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_some()));
        if let Some(x) = self {
            x.encode(out);
        }
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    fn encode(&self, out: &mut Vec<u8>) {
        (**self).encode(out);
    }
}

impl<A: Encode, B: Encode> Encode for (A, B) {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
        self.1.encode(out);
    }
}

impl Encode for Named {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u64).encode(out);
        for (name, x) in self {
            name.as_str().encode(out);
            x.encode(out);
        }
    }
}

impl Encode for Header {
    fn encode(&self, out: &mut Vec<u8>) {
        self.spec.as_str().encode(out);
        self.fingerprint.as_str().encode(out);
        self.program.as_str().encode(out);
        self.created.encode(out);
    }
}

impl Encode for IterationRecord {
    fn encode(&self, out: &mut Vec<u8>) {
        self.iteration.encode(out);
        self.evaluations.encode(out);
        self.total_evaluations.encode(out);
        self.failures.encode(out);
        self.total_failures.encode(out);
        let (values, centre) = known_parts(self);
        values.map(|v| ((v.min, v.mean), (v.max, v.std))).encode(out);
        centre.map(|c| (c.mean, c.std)).encode(out);
        known(self.best).encode(out);
        self.statistics.encode(out);
    }
}

impl Encode for Timings {
    fn encode(&self, out: &mut Vec<u8>) {
        for x in [self.ask, self.evaluate, self.tell, self.store] {
            x.encode(out);
        }
    }
}

impl Encode for EvaluationRecord {
    fn encode(&self, out: &mut Vec<u8>) {
        self.index.encode(out);
        out.push(self.role as u8);
        self.dna.as_slice().encode(out);
        // Records without numbers have the bytes that they had before there were any.
        if !self.numbers.is_empty() {
            out.push(2);
            self.numbers.as_slice().encode(out);
        }
        match &self.outcome {
            Outcome::Done { value, score, metrics } => {
                out.push(0);
                value.encode(out);
                known(*score).encode(out);
                metrics.as_ref().encode(out);
            }
            Outcome::Failed { reason } => {
                out.push(1);
                reason.as_str().encode(out);
            }
        }
    }
}

impl Encode for [EvaluationRecord] {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u64).encode(out);
        for evaluation in self {
            evaluation.encode(out);
        }
    }
}

impl Encode for Belief {
    fn encode(&self, out: &mut Vec<u8>) {
        self.likeliest.as_slice().encode(out);
        out.push(u8::from(self.exact));
        (self.marginals.len() as u64).encode(out);
        out.extend(self.marginals.iter().flat_map(|p| p.to_le_bytes()));
    }
}

impl Encode for BestRecord {
    fn encode(&self, out: &mut Vec<u8>) {
        self.iteration.encode(out);
        self.index.encode(out);
        self.value.encode(out);
        known(self.score).encode(out);
        self.dna.as_slice().encode(out);
        self.model.as_str().encode(out);
        self.dimension.encode(out);
        // Where there is none, the bytes are those from before there were any.
        if let Some(violation) = known(self.violation) {
            violation.encode(out);
        }
    }
}
