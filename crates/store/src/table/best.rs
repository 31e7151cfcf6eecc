//! `best`: every model that was the best at its time. `theta`: the weights of those still needed.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::encode::{Encode, known};
use crate::error::Fault;
use crate::long::{self, Column};
use crate::record::{Best, BestRecord};

const THETA: Column = Column { table: "theta", name: "data", owner: 1 };

const COLUMNS: &str =
    "iteration, idx, value, score, dna, model, dimension, theta_crc, crc, violation";

/// A record and the checksum of its weights, which its own checksum covers too.
pub(crate) struct Stored {
    pub(crate) record: BestRecord,
    pub(crate) theta_crc: u32,
}

pub(crate) fn insert(conn: &Connection, best: &Best) -> Result<(), Fault> {
    let BestRecord { iteration, index, value, score, violation, dna, model, dimension } =
        &best.record;
    let theta_crc = long::insert_numbers(conn, THETA, *iteration, &best.theta)?;
    let crc = (&best.record, u64::from(theta_crc)).checksum();
    let sql =
        format!("INSERT INTO best ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
    let (score, violation) = (known(*score), known(*violation));
    conn.prepare_cached(&sql)?.execute(params![
        iteration, index, value, score, dna, model, dimension, theta_crc, crc, violation
    ])?;
    Ok(())
}

/// Drops the weights of models that were no longer the best at `iteration`, the oldest one can go
/// back to; but for the first, which all others are compared with.
pub(crate) fn drop_theta_before(conn: &Connection, iteration: u64) -> Result<(), Fault> {
    let sql = "DELETE FROM theta WHERE iteration < \
               (SELECT max(iteration) FROM best WHERE iteration <= ?1) \
               AND (SELECT min(iteration) FROM best) < iteration";
    conn.prepare_cached(sql)?.execute([iteration])?;
    THETA.drop_orphans(conn)
}

/// The best model without its weights; there is one if any were `recorded`.
pub(crate) fn newest(conn: &Connection, recorded: u64) -> Result<Option<Stored>, Fault> {
    let sql = "SELECT * FROM best ORDER BY iteration DESC LIMIT 1";
    let newest = conn.prepare_cached(sql)?.query_row([], |row| Ok(read(row))).optional()?;
    let rows: u64 =
        conn.prepare_cached("SELECT count(*) FROM best")?.query_one([], |row| row.get(0))?;
    if rows != recorded {
        return Err(Fault::Damaged("rows of best models are missing".into()));
    }
    newest.transpose()
}

/// The weights of the best model.
pub(crate) fn with_theta(conn: &Connection, stored: Stored) -> Result<Best, Fault> {
    let missing = || Fault::Damaged("the best model's weights are missing".into());
    let theta = theta(conn, &stored)?.ok_or_else(missing)?;
    Ok(Best { record: stored.record, theta })
}

/// The weights of a model, if they are still there.
pub(crate) fn theta(conn: &Connection, stored: &Stored) -> Result<Option<Vec<f64>>, Fault> {
    let Stored { record, theta_crc } = stored;
    let Some(first) = THETA.first(conn, record.iteration)? else { return Ok(None) };
    let (mut data, wanted) = (Vec::new(), record.dimension.saturating_mul(8));
    long::append(&first, 0, &mut data)?;
    if (data.len() as u64) < wanted {
        THETA.rest(conn, record.iteration, wanted, &mut data)?;
    }
    if crc32fast::hash(&data) != *theta_crc || data.len() as u64 != wanted {
        return Err(Fault::Damaged("the checksum of the best model's weights differs".into()));
    }
    let number = |x: &[u8; 8]| f64::from_le_bytes(*x);
    Ok(Some(data.as_chunks().0.iter().map(number).collect()))
}

/// All of them, oldest first.
pub(crate) fn history(conn: &Connection, expected: u64) -> Result<Vec<Stored>, Fault> {
    let mut statement = conn.prepare_cached("SELECT * FROM best ORDER BY iteration")?;
    let mut rows = statement.query([])?;
    let mut history = Vec::new();
    while let Some(row) = rows.next()? {
        history.push(read(row)?);
    }
    if history.len() as u64 != expected {
        return Err(Fault::Damaged("rows of best models are missing".into()));
    }
    Ok(history)
}

/// Reads a row of all columns. A database from before there were violations has none.
fn read(row: &Row<'_>) -> Result<Stored, Fault> {
    let violation = row.as_ref().column_index("violation").ok();
    let record = BestRecord {
        iteration: row.get(0)?,
        index: row.get(1)?,
        value: row.get(2)?,
        score: row.get(3)?,
        violation: violation.map_or(Ok(None), |at| row.get(at))?,
        dna: row.get(4)?,
        model: row.get(5)?,
        dimension: row.get(6)?,
    };
    let theta_crc: u32 = row.get(7)?;
    if (&record, u64::from(theta_crc)).checksum() != row.get::<_, u32>(8)? {
        return Err(Fault::Damaged("the checksum of a best model differs".into()));
    }
    Ok(Stored { record, theta_crc })
}
