//! The tables, as the sequence of changes that led to them.
//!
//! `PRAGMA user_version` counts the changes a database has seen; opening it for writing applies the
//! rest in one transaction. A published change is never edited, only followed by another.
//!
//! Columns of numbers have no type (`ANY`): a `REAL` column stores integral numbers as integers and
//! makes −0.0 into 0.0.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::encode::Encode;
use crate::error::Fault;
use crate::numbers;
use crate::state::Tally;
use crate::table::failures;
use crate::{Error, Named};

/// `ESNA`: marks the file as ours.
pub(crate) const APPLICATION_ID: u32 = 0x4553_4e41;

type Change = fn(&Connection) -> Result<(), Fault>;

/// Version n is what the first n changes make.
const CHANGES: [Change; 7] = [
    tables,
    count_failures,
    keep_beliefs,
    name_statistics,
    keep_pieces,
    keep_violations,
    keep_numbers,
];

/// The oldest version that can be read as it is: what came after only added to it.
pub(crate) const READABLE: u32 = 4;

/// The version this program writes.
pub(crate) const VERSION: u32 = CHANGES.len() as u32;

/// 1: the tables.
fn tables(conn: &Connection) -> Result<(), Fault> {
    let sql = "
        CREATE TABLE study (
            id INTEGER PRIMARY KEY, spec TEXT NOT NULL, fingerprint TEXT NOT NULL,
            program TEXT NOT NULL, created INTEGER NOT NULL, crc INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE state (
            id INTEGER PRIMARY KEY, commits INTEGER NOT NULL, iterations INTEGER NOT NULL,
            bests INTEGER NOT NULL, finished TEXT, crc INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE iterations (
            iteration INTEGER PRIMARY KEY,
            evaluations INTEGER NOT NULL, total_evaluations INTEGER NOT NULL,
            failures INTEGER NOT NULL, total_failures INTEGER NOT NULL,
            value_min ANY, value_mean ANY, value_max ANY, value_std ANY,
            centre_mean ANY, centre_std ANY, best ANY,
            sigma ANY, step_norm ANY, gradient_norm ANY, statistics TEXT NOT NULL,
            evaluations_crc INTEGER NOT NULL, crc INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE timings (
            iteration INTEGER PRIMARY KEY,
            ask ANY, evaluate ANY, tell ANY, store ANY, crc INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE evaluations (
            iteration INTEGER NOT NULL, idx INTEGER NOT NULL, role INTEGER NOT NULL,
            dna BLOB NOT NULL, value ANY, score ANY, metrics TEXT, reason TEXT,
            PRIMARY KEY (iteration, idx)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE best (
            iteration INTEGER PRIMARY KEY, idx INTEGER NOT NULL, value ANY NOT NULL, score ANY,
            dna BLOB NOT NULL, model TEXT NOT NULL, dimension INTEGER NOT NULL,
            theta_crc INTEGER NOT NULL, crc INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE theta (iteration INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
        CREATE TABLE checkpoints (iteration INTEGER PRIMARY KEY, frame BLOB NOT NULL) STRICT;
    ";
    Ok(conn.execute_batch(sql)?)
}

/// 2: failures counted by reason, so that the answer does not read every evaluation.
fn count_failures(conn: &Connection) -> Result<(), Fault> {
    let sql = "
        CREATE TABLE failures (
            reason TEXT PRIMARY KEY, count INTEGER NOT NULL,
            first INTEGER NOT NULL, last INTEGER NOT NULL, crc INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
    ";
    conn.execute_batch(sql)?;
    let mut tally = None;
    let mut statement =
        conn.prepare("SELECT commits, iterations, bests, finished, crc FROM state")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let finished: Option<String> = row.get(3)?;
        let counts: [u64; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
        let covered = ((counts[0], counts[1]), (counts[2], finished.as_deref()));
        if covered.checksum() != row.get::<_, u32>(4)? {
            return Err(Fault::Damaged("the checksum of its state differs".into()));
        }
        let [commits, iterations, bests] = counts;
        tally = Some(Tally { commits, iterations, bests, failures: 0, beliefs: 0, finished });
    }
    drop(rows);
    conn.execute_batch("ALTER TABLE state ADD COLUMN failures INTEGER NOT NULL DEFAULT 0")?;
    // None in a database that is being created.
    if let Some(mut tally) = tally {
        tally.failures = failures::rebuild(conn)?;
        let sql = "UPDATE state SET failures = ?1, crc = ?2";
        conn.execute(sql, (tally.failures, tally.checksum()))?;
    }
    Ok(())
}

/// 3: what the search held likely, by iteration. The checksum of the state stays what it is until
/// there is one.
fn keep_beliefs(conn: &Connection) -> Result<(), Fault> {
    let sql = "
        CREATE TABLE beliefs (
            iteration INTEGER PRIMARY KEY, likeliest BLOB NOT NULL, exact INTEGER NOT NULL,
            marginals BLOB NOT NULL, crc INTEGER NOT NULL
        ) STRICT;
        ALTER TABLE state ADD COLUMN beliefs INTEGER NOT NULL DEFAULT 0;
    ";
    Ok(conn.execute_batch(sql)?)
}

/// 4: every statistic is a name and a number. Three of them had columns.
fn name_statistics(conn: &Connection) -> Result<(), Fault> {
    let sql = "SELECT iteration, evaluations, total_evaluations, failures, total_failures, \
               value_min, value_mean, value_max, value_std, centre_mean, centre_std, best, \
               sigma, step_norm, gradient_norm, statistics, evaluations_crc, crc FROM iterations";
    let mut read = conn.prepare(sql)?;
    let mut rows = read.query([])?;
    let mut changed = Vec::new();
    while let Some(row) = rows.next()? {
        let iteration: u64 = row.get(0)?;
        let damaged = |what: String| Fault::Damaged(format!("iteration {iteration}: {what}"));
        let number = |column| row.get::<_, Option<f64>>(column);
        let known = |column| Ok::<f64, Fault>(number(column)?.unwrap_or(f64::NAN));
        let mut head = Vec::new();
        for column in 0..5 {
            row.get::<_, u64>(column)?.encode(&mut head);
        }
        let (mean, max, std) = (known(6)?, known(7)?, known(8)?);
        number(5)?.map(|min| ((min, mean), (max, std))).encode(&mut head);
        let std = known(10)?;
        number(9)?.map(|mean| (mean, std)).encode(&mut head);
        number(11)?.encode(&mut head);
        let columns = [number(12)?, number(13)?, number(14)?];
        let mut statistics = numbers::from_json(&row.get::<_, String>(15)?).map_err(damaged)?;
        let evaluations: u32 = row.get(16)?;
        let checksum = |columns: &[Option<f64>], statistics: &Named| {
            let mut bytes = head.clone();
            columns.iter().for_each(|x| x.encode(&mut bytes));
            statistics.encode(&mut bytes);
            u64::from(evaluations).encode(&mut bytes);
            crc32fast::hash(&bytes)
        };
        if checksum(&columns, &statistics) != row.get::<_, u32>(17)? {
            return Err(damaged("its checksum differs".into()));
        }
        for (name, x) in ["sigma", "step_norm", "gradient_norm"].into_iter().zip(columns) {
            statistics.extend(x.map(|x| (name.to_owned(), x)));
        }
        let crc = checksum(&[], &statistics);
        changed.push((iteration, numbers::to_json(&statistics), crc));
    }
    let mut write =
        conn.prepare("UPDATE iterations SET statistics = ?2, crc = ?3 WHERE iteration = ?1")?;
    for row in changed {
        write.execute(row)?;
    }
    let sql = "
        ALTER TABLE iterations DROP COLUMN sigma;
        ALTER TABLE iterations DROP COLUMN step_norm;
        ALTER TABLE iterations DROP COLUMN gradient_norm;
    ";
    Ok(conn.execute_batch(sql)?)
}

/// 5: what is longer than a piece goes on here.
fn keep_pieces(conn: &Connection) -> Result<(), Fault> {
    // With row ids, by which long values are written piece by piece.
    let sql = "
        CREATE TABLE pieces (
            owner INTEGER NOT NULL, iteration INTEGER NOT NULL, piece INTEGER NOT NULL,
            data BLOB NOT NULL, UNIQUE (owner, iteration, piece)
        ) STRICT;
    ";
    Ok(conn.execute_batch(sql)?)
}

/// 6: by how much the best model exceeds limits.
fn keep_violations(conn: &Connection) -> Result<(), Fault> {
    Ok(conn.execute_batch("ALTER TABLE best ADD COLUMN violation ANY")?)
}

/// 7: numbers of the models that were evaluated.
fn keep_numbers(conn: &Connection) -> Result<(), Fault> {
    Ok(conn.execute_batch("ALTER TABLE evaluations ADD COLUMN numbers BLOB")?)
}

/// Makes the tables of a new database.
pub(crate) fn create(conn: &Connection) -> Result<(), Fault> {
    conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    apply(conn, 0)
}

fn apply(conn: &Connection, seen: u32) -> Result<(), Fault> {
    for change in &CHANGES[seen as usize..] {
        change(conn)?;
    }
    Ok(conn.pragma_update(None, "user_version", VERSION)?)
}

/// The version of a database of ours, if this program can deal with it.
pub(crate) fn version(conn: &Connection, path: &Path) -> Result<u32, Error> {
    let pragma = |name| conn.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let path_buf = || path.to_path_buf();
    let found = pragma("application_id").map_err(|e| Fault::from(e).at(path))?;
    if found != APPLICATION_ID {
        return Err(Error::WrongFile { path: path_buf(), found });
    }
    expect_tables(conn).map_err(|fault| fault.at(path))?;
    let found = pragma("user_version").map_err(|e| Fault::from(e).at(path))?;
    match found {
        0 => Err(Error::Damaged { path: path_buf(), what: "it has no schema version".into() }),
        _ if VERSION < found => {
            Err(Error::NewerVersion { path: path_buf(), found, known: VERSION })
        }
        _ => Ok(found),
    }
}

/// Refuses what no study has and what could make a short question long: views, triggers, tables
/// that some code makes up, and columns that are computed.
fn expect_tables(conn: &Connection) -> Result<(), Fault> {
    // Only tables and indexes have pages of their own.
    let sql = "SELECT name FROM sqlite_schema WHERE rootpage = 0 OR type NOT IN ('table', 'index') \
               UNION ALL SELECT s.name || '.' || c.name \
               FROM sqlite_schema s JOIN pragma_table_xinfo(s.name) c \
               WHERE s.type = 'table' AND c.hidden <> 0 LIMIT 1";
    let found: Option<String> = conn.query_row(sql, [], |row| row.get(0)).optional()?;
    let strange = |name| Fault::Damaged(format!("{name:?} is no table or column of a study"));
    found.map_or(Ok(()), |name| Err(strange(name)))
}

/// Brings an older database up to date: all of it or, should it fail, nothing.
pub(crate) fn migrate(conn: &mut Connection, seen: u32) -> Result<(), Fault> {
    if seen == VERSION {
        return Ok(());
    }
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    apply(&transaction, seen)?;
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_leads_to_the_same_tables() {
        let shape = |conn: &Connection| -> Vec<String> {
            let sql = "SELECT m.name || '.' || c.name || ' ' || c.type || ' ' || c.pk \
                       FROM sqlite_schema m JOIN pragma_table_info(m.name) c \
                       WHERE m.type = 'table' ORDER BY 1";
            let mut statement = conn.prepare(sql).unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        let fresh = Connection::open_in_memory().unwrap();
        create(&fresh).unwrap();
        assert!(40 < shape(&fresh).len());
        for seen in 1..VERSION {
            let mut old = Connection::open_in_memory().unwrap();
            for change in &CHANGES[..seen as usize] {
                change(&old).unwrap();
            }
            migrate(&mut old, seen).unwrap();
            assert_eq!(shape(&old), shape(&fresh), "from version {seen}");
        }
    }
}
