//! `evaluations`: one row per recorded evaluation, keyed by (iteration, index).
//!
//! Rows, not one packed blob per iteration: a commit of 136 of them measured 0.2 ms
//! (`benches/commit.rs`), a sixth of what 10⁵ evaluations per second allow, and anyone can query
//! rows with plain SQL.

use rusqlite::{Connection, Row, params};

use crate::encode::{Encode, known};
use crate::error::Fault;
use crate::numbers;
use crate::record::{EvaluationRecord, Outcome, Role};
use crate::table::iterations;

/// The first version of a database that has numbers.
const WITH_NUMBERS: u32 = 7;

pub(crate) fn insert(
    conn: &Connection,
    iteration: u64,
    evaluations: &[EvaluationRecord],
) -> Result<(), Fault> {
    let sql = "INSERT INTO evaluations \
               (iteration, idx, role, dna, value, score, metrics, reason, numbers) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let mut statement = conn.prepare_cached(sql)?;
    for evaluation in evaluations {
        let EvaluationRecord { index, role, dna, numbers, outcome } = evaluation;
        let (value, score, metrics, reason) = match outcome {
            Outcome::Done { value, score, metrics } => {
                (Some(value), *score, metrics.as_ref(), None)
            }
            Outcome::Failed { reason } => (None, None, None, Some(reason)),
        };
        let (score, metrics) = (known(score), metrics.map(numbers::to_json));
        let role = *role as u8;
        let bytes = |x: &f64| x.to_le_bytes();
        let numbers: Vec<u8> = numbers.iter().flat_map(bytes).collect();
        let numbers = Some(numbers).filter(|bytes| !bytes.is_empty());
        statement.execute(params![
            iteration, index, role, dna, value, score, metrics, reason, numbers
        ])?;
    }
    Ok(())
}

/// All recorded evaluations of one iteration.
pub(crate) fn of(conn: &Connection, iteration: u64) -> Result<Vec<EvaluationRecord>, Fault> {
    let expected = iterations::one(conn, iteration)?.evaluations_crc;
    let version: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let numbers = if version < WITH_NUMBERS { "NULL" } else { "numbers" };
    let sql = format!(
        "SELECT idx, role, dna, value, score, metrics, reason, {numbers} FROM evaluations \
         WHERE iteration = ?1 ORDER BY idx"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query([iteration])?;
    let mut evaluations = Vec::new();
    while let Some(row) = rows.next()? {
        let evaluation = read(row).map_err(|fault| match fault {
            Fault::Damaged(what) => {
                Fault::Damaged(format!("an evaluation of iteration {iteration}: {what}"))
            }
            sql => sql,
        })?;
        evaluations.push(evaluation);
    }
    if evaluations.checksum() != expected {
        let what = format!("the checksum of the evaluations of iteration {iteration} differs");
        return Err(Fault::Damaged(what));
    }
    Ok(evaluations)
}

fn read(row: &Row<'_>) -> Result<EvaluationRecord, Fault> {
    let role = match row.get::<_, i64>(1)? {
        0 => Role::Probe,
        1 => Role::Centre,
        2 => Role::Given,
        other => return Err(Fault::Damaged(format!("there is no role {other}"))),
    };
    let metrics = row.get_ref(5)?.as_str_or_null().map_err(rusqlite::Error::from)?;
    let metrics = metrics.map(numbers::from_json).transpose().map_err(Fault::Damaged)?;
    let outcome = match (row.get(3)?, row.get(6)?) {
        (Some(value), None) => Outcome::Done { value, score: row.get(4)?, metrics },
        (None, Some(reason)) => Outcome::Failed { reason },
        _ => return Err(Fault::Damaged("neither a value nor a reason, or both".into())),
    };
    let bytes: Vec<u8> = row.get::<_, Option<_>>(7)?.unwrap_or_default();
    let (numbers, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return Err(Fault::Damaged("its numbers are cut off".into()));
    }
    let numbers = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    Ok(EvaluationRecord { index: row.get(0)?, role, dna: row.get(2)?, numbers, outcome })
}
