//! The one row that says how much there is: what a missing row is noticed by.

use rusqlite::{Connection, params};

use crate::encode::Encode;
use crate::error::Fault;

/// How much the database holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Transactions since the study was created; never goes back.
    pub(crate) commits: u64,
    /// Iterations recorded.
    pub(crate) iterations: u64,
    /// Best models recorded.
    pub(crate) bests: u64,
    /// Failures recorded one by one.
    pub(crate) failures: u64,
    /// Beliefs recorded.
    pub(crate) beliefs: u64,
    /// Why the study ended, if it did.
    pub(crate) finished: Option<String>,
}

impl Encode for Tally {
    fn encode(&self, out: &mut Vec<u8>) {
        for count in [self.commits, self.iterations, self.bests, self.failures] {
            count.encode(out);
        }
        self.finished.as_deref().encode(out);
        // As before there were any, while there are none.
        if self.beliefs > 0 {
            self.beliefs.encode(out);
        }
    }
}

impl Tally {
    /// (commits, iterations) of a database of any version.
    pub(crate) fn peek(conn: &Connection) -> Result<(u64, u64), Fault> {
        let sql = "SELECT commits, iterations FROM state";
        Ok(conn.query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    pub(crate) fn read(conn: &Connection) -> Result<Self, Fault> {
        let sql = "SELECT commits, iterations, bests, failures, finished, crc, beliefs FROM state";
        let mut statement = conn.prepare_cached(sql)?;
        let (tally, crc) = statement.query_one([], |row| {
            let tally = Self {
                commits: row.get(0)?,
                iterations: row.get(1)?,
                bests: row.get(2)?,
                failures: row.get(3)?,
                finished: row.get(4)?,
                beliefs: row.get(6)?,
            };
            Ok((tally, row.get::<_, u32>(5)?))
        })?;
        if tally.checksum() != crc {
            return Err(Fault::Damaged("the checksum of its state differs".into()));
        }
        Ok(tally)
    }

    pub(crate) fn write(&self, conn: &Connection) -> Result<(), Fault> {
        let sql = "REPLACE INTO state (id, commits, iterations, bests, failures, finished, crc, \
                   beliefs) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let Self { commits, iterations, bests, failures, beliefs, finished } = self;
        conn.prepare_cached(sql)?.execute(params![
            commits,
            iterations,
            bests,
            failures,
            finished,
            self.checksum(),
            beliefs
        ])?;
        Ok(())
    }
}
