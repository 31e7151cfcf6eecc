//! Going back to an older checkpoint, by decision.

use rusqlite::Connection;

use crate::error::Fault;
use crate::state::Tally;
use crate::{Error, Writer, table};

impl Writer {
    /// Forgets what came after `iteration`, so that the study goes on from the checkpoint of it.
    ///
    /// Refused unless that checkpoint is there and sound.
    pub fn rewind_to(&mut self, iteration: u64) -> Result<(), Error> {
        let path = self.layout.database.clone();
        let checkpoint = table::checkpoints::read(&self.conn, iteration);
        if let Err(reason) = checkpoint.map_err(|fault| fault.at(&path))? {
            let kept = table::checkpoints::iterations(&self.conn);
            let kept = kept.map_err(|fault| fault.at(&path))?;
            return Err(Error::NotKept { path, iteration, reason, kept });
        }
        let commits = self.tally.commits + 1;
        self.transact(commits, |conn| {
            forget_after(conn, iteration)?;
            let bests = conn.query_one("SELECT count(*) FROM best", [], |row| row.get(0))?;
            let failures = table::failures::rebuild(conn)?;
            let iterations = iteration + 1;
            let beliefs = table::beliefs::count(conn)?;
            let tally = Tally { commits, iterations, bests, failures, beliefs, finished: None };
            tally.write(conn)?;
            let last = table::iterations::one(conn, iteration)?.record;
            Ok((tally, (last.total_evaluations, last.total_failures)))
        })
    }
}

fn forget_after(conn: &Connection, iteration: u64) -> Result<(), Fault> {
    let tables = [
        "iterations",
        "timings",
        "evaluations",
        "best",
        "theta",
        "beliefs",
        "checkpoints",
        "pieces",
    ];
    for table in tables {
        conn.execute(&format!("DELETE FROM {table} WHERE ?1 < iteration"), [iteration])?;
    }
    Ok(())
}
