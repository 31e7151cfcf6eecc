//! `iterations`: one row per iteration, from 0 without gaps.

use rusqlite::{Connection, Row, params};

use crate::encode::{Encode, known, known_parts};
use crate::error::Fault;
use crate::numbers;
use crate::record::{Centre, IterationRecord, Summary};

const COLUMNS: &str = "iteration, evaluations, total_evaluations, failures, total_failures, \
    value_min, value_mean, value_max, value_std, centre_mean, centre_std, best, statistics, \
    evaluations_crc, crc";

/// A record and the checksum of its evaluations, which its own checksum covers too.
pub(crate) struct Stored {
    pub(crate) record: IterationRecord,
    pub(crate) evaluations_crc: u32,
}

fn checksum(record: &IterationRecord, evaluations_crc: u32) -> u32 {
    (record, u64::from(evaluations_crc)).checksum()
}

pub(crate) fn insert(
    conn: &Connection,
    record: &IterationRecord,
    evaluations_crc: u32,
) -> Result<(), Fault> {
    let sql = format!(
        "INSERT INTO iterations ({COLUMNS}) VALUES \
         (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
    );
    let (values, centre) = known_parts(record);
    conn.prepare_cached(&sql)?.execute(params![
        record.iteration,
        record.evaluations,
        record.total_evaluations,
        record.failures,
        record.total_failures,
        values.map(|v| v.min),
        values.map(|v| v.mean),
        values.map(|v| v.max),
        values.map(|v| v.std),
        centre.map(|c| c.mean),
        centre.map(|c| c.std),
        known(record.best),
        numbers::to_json(&record.statistics),
        evaluations_crc,
        checksum(record, evaluations_crc),
    ])?;
    Ok(())
}

/// Up to `limit` rows from iteration `from` on; a gap is an error.
pub(crate) fn page(conn: &Connection, from: u64, limit: u64) -> Result<Vec<Stored>, Fault> {
    let sql = format!(
        "SELECT {COLUMNS} FROM iterations WHERE ?1 <= iteration ORDER BY iteration LIMIT ?2"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query(params![from, limit])?;
    let mut page = Vec::new();
    while let Some(row) = rows.next()? {
        let stored = read(row)?;
        let expected = from + page.len() as u64;
        if stored.record.iteration != expected {
            return Err(Fault::Damaged(format!("iteration {expected} is missing")));
        }
        page.push(stored);
    }
    Ok(page)
}

/// The row of one iteration, which must be there.
pub(crate) fn one(conn: &Connection, iteration: u64) -> Result<Stored, Fault> {
    let missing = || Fault::Damaged(format!("iteration {iteration} is missing"));
    page(conn, iteration, 1)?.pop().ok_or_else(missing)
}

fn read(row: &Row<'_>) -> Result<Stored, Fault> {
    // Written together: present by the first of them, and NaN was stored as absent.
    let number = |i| Ok::<f64, Fault>(row.get::<_, Option<f64>>(i)?.unwrap_or(f64::NAN));
    let values = Summary { min: number(5)?, mean: number(6)?, max: number(7)?, std: number(8)? };
    let centre = Centre { mean: number(9)?, std: number(10)? };
    let iteration = row.get(0)?;
    let damaged = |what| Fault::Damaged(format!("iteration {iteration}: {what}"));
    let statistics: String = row.get(12)?;
    let record = IterationRecord {
        iteration,
        evaluations: row.get(1)?,
        total_evaluations: row.get(2)?,
        failures: row.get(3)?,
        total_failures: row.get(4)?,
        values: (!values.min.is_nan()).then_some(values),
        centre: (!centre.mean.is_nan()).then_some(centre),
        best: row.get(11)?,
        statistics: numbers::from_json(&statistics).map_err(damaged)?,
    };
    let evaluations_crc = row.get(13)?;
    if checksum(&record, evaluations_crc) != row.get::<_, u32>(14)? {
        return Err(damaged("its checksum differs".into()));
    }
    Ok(Stored { record, evaluations_crc })
}
