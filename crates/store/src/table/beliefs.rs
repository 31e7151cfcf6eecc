//! `beliefs`: what the search held likely after the iterations whose evaluations were recorded.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::encode::Encode;
use crate::error::Fault;
use crate::record::Belief;

const COLUMNS: &str = "iteration, likeliest, exact, marginals, crc";

pub(crate) fn insert(conn: &Connection, iteration: u64, belief: &Belief) -> Result<(), Fault> {
    let numbers: Vec<u8> = belief.marginals.iter().flat_map(|p| p.to_le_bytes()).collect();
    let sql = format!("INSERT INTO beliefs ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5)");
    let crc = (iteration, belief).checksum();
    let values = params![iteration, belief.likeliest, belief.exact, numbers, crc];
    conn.prepare_cached(&sql)?.execute(values)?;
    Ok(())
}

/// The first from iteration `from` on.
pub(crate) fn from(conn: &Connection, from: u64) -> Result<Option<(u64, Belief)>, Fault> {
    let sql =
        format!("SELECT {COLUMNS} FROM beliefs WHERE ?1 <= iteration ORDER BY iteration LIMIT 1");
    conn.prepare_cached(&sql)?.query_row([from], |row| Ok(read(row))).optional()?.transpose()
}

/// How many there are.
pub(crate) fn count(conn: &Connection) -> Result<u64, Fault> {
    Ok(conn.query_one("SELECT count(*) FROM beliefs", [], |row| row.get(0))?)
}

fn read(row: &Row<'_>) -> Result<(u64, Belief), Fault> {
    let iteration: u64 = row.get(0)?;
    let damaged =
        || Fault::Damaged(format!("the checksum of the belief of iteration {iteration} differs"));
    let bytes: Vec<u8> = row.get(3)?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    let marginals = numbers.iter().map(|x| f32::from_le_bytes(*x)).collect();
    let belief = Belief { likeliest: row.get(1)?, exact: row.get(2)?, marginals };
    if !rest.is_empty() || (iteration, &belief).checksum() != row.get::<_, u32>(4)? {
        return Err(damaged());
    }
    Ok((iteration, belief))
}
