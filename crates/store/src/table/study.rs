//! `study`: one row, written when the study is created, and again when its limits move.

use rusqlite::{Connection, params};

use crate::Header;
use crate::encode::Encode;
use crate::error::Fault;

pub(crate) fn write(conn: &Connection, header: &Header) -> Result<(), Fault> {
    let Header { spec, fingerprint, program, created } = header;
    let sql = "REPLACE INTO study (id, spec, fingerprint, program, created, crc) \
               VALUES (1, ?1, ?2, ?3, ?4, ?5)";
    conn.execute(sql, params![spec, fingerprint, program, created, header.checksum()])?;
    Ok(())
}

pub(crate) fn read(conn: &Connection) -> Result<Header, Fault> {
    let sql = "SELECT spec, fingerprint, program, created, crc FROM study";
    let (header, crc) = conn.query_one(sql, [], |row| {
        let header = Header {
            spec: row.get(0)?,
            fingerprint: row.get(1)?,
            program: row.get(2)?,
            created: row.get(3)?,
        };
        Ok((header, row.get::<_, u32>(4)?))
    })?;
    if header.checksum() != crc {
        return Err(Fault::Damaged("the checksum of the stored study differs".into()));
    }
    Ok(header)
}
