//! `failures`: how many recorded evaluations failed, by reason.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::encode::Encode;
use crate::error::Fault;
use crate::reader::FailureGroup;
use crate::record::{EvaluationRecord, Outcome};

impl Encode for FailureGroup {
    fn encode(&self, out: &mut Vec<u8>) {
        self.reason.as_str().encode(out);
        for count in [self.count, self.first_iteration, self.last_iteration] {
            count.encode(out);
        }
    }
}

/// Counts the failures among the evaluations of an iteration; how many there were.
pub(crate) fn count(
    conn: &Connection,
    iteration: u64,
    evaluations: &[EvaluationRecord],
) -> Result<u64, Fault> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for evaluation in evaluations {
        if let Outcome::Failed { reason } = &evaluation.outcome {
            *counts.entry(reason).or_default() += 1;
        }
    }
    for (&reason, &count) in &counts {
        add(conn, reason, iteration, count)?;
    }
    Ok(counts.values().sum())
}

fn add(conn: &Connection, reason: &str, iteration: u64, count: u64) -> Result<(), Fault> {
    let select = "SELECT reason, count, first, last, crc FROM failures WHERE reason = ?1";
    let seen = conn.prepare_cached(select)?.query_row([reason], |row| Ok(read(row))).optional()?;
    let seen = seen.transpose()?;
    let group = FailureGroup {
        reason: reason.to_string(),
        count: count + seen.as_ref().map_or(0, |group| group.count),
        first_iteration: seen.as_ref().map_or(iteration, |group| group.first_iteration),
        last_iteration: iteration,
    };
    let replace = "REPLACE INTO failures (reason, count, first, last, crc) \
                   VALUES (?1, ?2, ?3, ?4, ?5)";
    let FailureGroup { count, first_iteration: first, last_iteration: last, .. } = group;
    let crc = group.checksum();
    conn.prepare_cached(replace)?.execute(params![reason, count, first, last, crc])?;
    Ok(())
}

/// Counts all recorded evaluations anew; how many failed.
pub(crate) fn rebuild(conn: &Connection) -> Result<u64, Fault> {
    conn.execute("DELETE FROM failures", [])?;
    let sql = "SELECT iteration, reason, count(*) FROM evaluations WHERE reason IS NOT NULL \
               GROUP BY iteration, reason ORDER BY iteration";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut total = 0;
    while let Some(row) = rows.next()? {
        let count: u64 = row.get(2)?;
        add(conn, &row.get::<_, String>(1)?, row.get(0)?, count)?;
        total += count;
    }
    Ok(total)
}

/// The `limit` most frequent reasons; `recorded` is how many failures all of them make.
pub(crate) fn most_frequent(
    conn: &Connection,
    limit: u64,
    recorded: u64,
) -> Result<Vec<FailureGroup>, Fault> {
    let counted: Option<u64> =
        conn.query_one("SELECT sum(count) FROM failures", [], |row| row.get(0))?;
    if counted.unwrap_or(0) != recorded {
        return Err(Fault::Damaged("the failures counted by reason do not add up".into()));
    }
    let sql = "SELECT reason, count, first, last, crc FROM failures ORDER BY count DESC, reason";
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut groups: BTreeMap<String, (FailureGroup, u64)> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let next = read(row)?;
        match groups.entry(without_numbers(&next.reason)) {
            Entry::Vacant(free) => drop(free.insert((next, 0))),
            Entry::Occupied(mut taken) => {
                let (group, others) = taken.get_mut();
                *others += 1;
                group.count += next.count;
                group.first_iteration = group.first_iteration.min(next.first_iteration);
                group.last_iteration = group.last_iteration.max(next.last_iteration);
            }
        }
    }
    let mut groups: Vec<_> = groups.into_values().map(named).collect();
    groups.sort_by(|one, two| two.count.cmp(&one.count).then(one.reason.cmp(&two.reason)));
    groups.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(groups)
}

/// A group by its most frequent reason, and how many others it has.
fn named((group, others): (FailureGroup, u64)) -> FailureGroup {
    if others == 0 {
        return group;
    }
    let (first, rest) = group.reason.split_once('\n').unwrap_or((&group.reason, ""));
    let line = if rest.is_empty() { "" } else { "\n" };
    let reason = format!("{first} (and {others} alike but for numbers){line}{rest}");
    FailureGroup { reason, ..group }
}

/// What reasons have in common that differ in numbers alone.
pub fn without_numbers(reason: &str) -> String {
    let mut rest = String::with_capacity(reason.len());
    for letter in reason.chars() {
        match letter.is_ascii_digit() {
            true if rest.ends_with('#') => {}
            true => rest.push('#'),
            false => rest.push(letter),
        }
    }
    rest
}

fn read(row: &Row<'_>) -> Result<FailureGroup, Fault> {
    let group = FailureGroup {
        reason: row.get(0)?,
        count: row.get(1)?,
        first_iteration: row.get(2)?,
        last_iteration: row.get(3)?,
    };
    if group.checksum() != row.get::<_, u32>(4)? {
        return Err(Fault::Damaged("the checksum of a count of failures differs".into()));
    }
    Ok(group)
}
