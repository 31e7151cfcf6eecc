//! The content of a study as one number, to compare two runs by.

use std::fmt;

use rusqlite::Connection;
use xxhash_rust::xxh3::Xxh3;

use crate::encode::Encode;
use crate::error::Fault;
use crate::reader::{belief_from, latest_checkpoint};
use crate::state::Tally;
use crate::table;

/// 128 bits of everything deterministic in a study. Equal content, equal digest; it guards against
/// accidents, not against forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentDigest(pub u128);

impl fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Takes the digest, verifying every checksum on the way.
pub(crate) fn digest(conn: &Connection, tally: &Tally) -> Result<ContentDigest, Fault> {
    let mut hash = Xxh3::new();
    let mut bytes = Vec::new();
    let mut add = |part: &dyn Encode| {
        bytes.clear();
        part.encode(&mut bytes);
        hash.update(&bytes);
    };
    let header = table::study::read(conn)?;
    add(&(header.spec.as_str(), header.fingerprint.as_str()));
    for iteration in 0..tally.iterations {
        add(&table::iterations::one(conn, iteration)?.record);
        add(&table::evaluations::of(conn, iteration)?.as_slice());
    }
    for best in table::best::history(conn, tally.bests)? {
        add(&(&best.record, u64::from(best.theta_crc)));
    }
    let (mut next, mut beliefs) = (0, 0);
    while let Some((iteration, belief)) = belief_from(conn, tally, next)? {
        add(&(iteration, &belief));
        (next, beliefs) = (iteration + 1, beliefs + 1);
    }
    if beliefs != tally.beliefs {
        return Err(Fault::Damaged("rows of beliefs are missing".into()));
    }
    let newest = table::best::newest(conn, tally.bests)?;
    let newest = newest.map(|stored| table::best::with_theta(conn, stored)).transpose()?;
    add(&newest.as_ref().map(|best| best.theta.as_slice()));
    let checkpoint = latest_checkpoint(conn, tally)?;
    add(&checkpoint.as_ref().map(|checkpoint| checkpoint.payload.as_slice()));
    Ok(ContentDigest(hash.digest128()))
}
