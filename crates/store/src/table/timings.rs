//! `timings`: one row per iteration, apart from everything that two equal runs share.

use rusqlite::{Connection, params};

use crate::Timings;
use crate::encode::Encode;
use crate::error::Fault;

pub(crate) fn insert(conn: &Connection, iteration: u64, timings: Timings) -> Result<(), Fault> {
    let Timings { ask, evaluate, tell, store } = timings;
    let sql = "INSERT INTO timings (iteration, ask, evaluate, tell, store, crc) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let crc = (iteration, timings).checksum();
    conn.prepare_cached(sql)?.execute(params![iteration, ask, evaluate, tell, store, crc])?;
    Ok(())
}

/// Up to `limit` rows from iteration `from` on; a gap is an error.
pub(crate) fn page(conn: &Connection, from: u64, limit: u64) -> Result<Vec<(u64, Timings)>, Fault> {
    let sql = "SELECT iteration, ask, evaluate, tell, store, crc FROM timings \
               WHERE ?1 <= iteration ORDER BY iteration LIMIT ?2";
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params![from, limit])?;
    let mut page = Vec::new();
    while let Some(row) = rows.next()? {
        let seconds = |i| Ok::<f64, Fault>(row.get::<_, Option<f64>>(i)?.unwrap_or(f64::NAN));
        let timings = Timings {
            ask: seconds(1)?,
            evaluate: seconds(2)?,
            tell: seconds(3)?,
            store: seconds(4)?,
        };
        let iteration: u64 = row.get(0)?;
        let sound = (iteration, timings).checksum() == row.get::<_, u32>(5)?;
        if !sound || iteration != from + page.len() as u64 {
            return Err(Fault::Damaged(format!("timings of iteration {iteration} are unsound")));
        }
        page.push((iteration, timings));
    }
    Ok(page)
}
