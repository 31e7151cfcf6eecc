//! Long columns, in pieces.
//!
//! SQLite holds no value of more than 10⁹ bytes, and binding one to a statement copies it three
//! times. So a row is made with room for its bytes, which are written to its pages from where they
//! are; and what is longer than a piece goes on in rows of the table `pieces`. The first piece
//! stands where all of it stood before there were pieces: a short value is one row.

use std::io::{self, Write};

use rusqlite::blob::Blob;
use rusqlite::{Connection, MAIN_DB, params};

use crate::error::Fault;

/// Bytes of a piece. A reader of strangers' directories accepts rows of a few times this length.
pub(crate) const PIECE: usize = 8 << 20;

/// Numbers made into bytes at a time.
const NUMBERS: usize = 4096;

/// A column whose values may be long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) table: &'static str,
    pub(crate) name: &'static str,
    /// What its rows in `pieces` are known by.
    pub(crate) owner: u8,
}

impl Column {
    /// Makes room for `len` bytes in a new row, or in a further piece of it.
    fn room<'a>(
        self,
        conn: &'a Connection,
        iteration: u64,
        piece: u64,
        len: usize,
    ) -> Result<Blob<'a>, Fault> {
        let Self { table, name, owner } = self;
        if piece == 0 {
            let sql = format!("INSERT INTO {table} (iteration, {name}) VALUES (?1, zeroblob(?2))");
            conn.prepare_cached(&sql)?.execute(params![iteration, len])?;
            return self.open(conn, table, name, iteration as i64, false);
        }
        let sql = "INSERT INTO pieces (owner, iteration, piece, data) \
                   VALUES (?1, ?2, ?3, zeroblob(?4))";
        conn.prepare_cached(sql)?.execute(params![owner, iteration, piece, len])?;
        self.open(conn, "pieces", "data", conn.last_insert_rowid(), false)
    }

    fn open<'a>(
        self,
        conn: &'a Connection,
        table: &str,
        name: &str,
        row: i64,
        read_only: bool,
    ) -> Result<Blob<'a>, Fault> {
        Ok(conn.blob_open(MAIN_DB, table, name, row, read_only)?)
    }

    /// The first piece of the value of `iteration`, if there is one.
    pub(crate) fn first<'a>(
        self,
        conn: &'a Connection,
        iteration: u64,
    ) -> Result<Option<Blob<'a>>, Fault> {
        let sql = format!("SELECT count(*) FROM {} WHERE iteration = ?1", self.table);
        let rows: u64 = conn.prepare_cached(&sql)?.query_one([iteration], |row| row.get(0))?;
        let open = || self.open(conn, self.table, self.name, iteration as i64, true);
        (0 < rows).then(open).transpose()
    }

    /// Appends the pieces after the first to `out`, as long as that has at most `most` bytes with
    /// them.
    pub(crate) fn rest(
        self,
        conn: &Connection,
        iteration: u64,
        most: u64,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        // Asked for only where the value goes on: a database of before may have no such table.
        let sql =
            "SELECT rowid, piece FROM pieces WHERE owner = ?1 AND iteration = ?2 ORDER BY piece";
        let mut statement = conn.prepare_cached(sql)?;
        let mut rows = statement.query(params![self.owner, iteration])?;
        let mut expected: u64 = 1;
        while let Some(row) = rows.next()? {
            let blob = self.open(conn, "pieces", "data", row.get(0)?, true)?;
            if row.get::<_, u64>(1)? != expected || most < (out.len() + blob.len()) as u64 {
                break;
            }
            append(&blob, 0, out)?;
            expected += 1;
        }
        Ok(())
    }

    /// Drops the pieces of values that are gone.
    pub(crate) fn drop_orphans(self, conn: &Connection) -> Result<(), Fault> {
        let Self { table, owner, .. } = self;
        let sql = format!(
            "DELETE FROM pieces WHERE owner = ?1 AND iteration NOT IN (SELECT iteration FROM {table})"
        );
        conn.prepare_cached(&sql)?.execute([owner])?;
        Ok(())
    }
}

/// Appends the bytes of `blob` from `start` on to `out`.
pub(crate) fn append(blob: &Blob<'_>, start: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    let (from, more) = (out.len(), blob.len().saturating_sub(start));
    out.resize(from + more, 0);
    Ok(blob.read_at_exact(&mut out[from..], start)?)
}

/// Writes a value whose length is not known before its end. Nothing is there until [`Pieces::end`].
pub(crate) struct Pieces<'a> {
    conn: &'a Connection,
    column: Column,
    iteration: u64,
    /// Bytes to leave free at the beginning of the first piece.
    head: usize,
    /// The piece to come.
    piece: u64,
    buffer: Vec<u8>,
    /// Bytes so far, those in the buffer among them, and their checksum.
    len: u64,
    crc: crc32fast::Hasher,
    /// Why it went wrong, where a writer can only say that it did.
    fault: Option<Fault>,
}

/// What was written.
pub(crate) struct Written {
    pub(crate) len: u64,
    pub(crate) crc: crc32fast::Hasher,
}

impl<'a> Pieces<'a> {
    /// A value of `column` for `iteration` that begins with `head` bytes, which are written last.
    /// `buffer` is memory to use.
    pub(crate) fn new(
        conn: &'a Connection,
        column: Column,
        iteration: u64,
        head: usize,
        mut buffer: Vec<u8>,
    ) -> Self {
        buffer.clear();
        let crc = crc32fast::Hasher::new();
        Self { conn, column, iteration, head, piece: 0, buffer, len: 0, crc, fault: None }
    }

    /// Writes out what is in the buffer.
    fn flush_piece(&mut self) -> Result<(), Fault> {
        let head = if self.piece == 0 { self.head } else { 0 };
        let len = head + self.buffer.len();
        let mut blob = self.column.room(self.conn, self.iteration, self.piece, len)?;
        blob.write_all_at(&self.buffer, head)?;
        self.buffer.clear();
        self.piece += 1;
        Ok(())
    }

    /// The end: `head` says what stands at the beginning. Gives the memory back.
    pub(crate) fn end(mut self, head: impl FnOnce(Written) -> Vec<u8>) -> Result<Vec<u8>, Fault> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if !self.buffer.is_empty() || self.piece == 0 {
            self.flush_piece()?;
        }
        let head = head(Written { len: self.len, crc: self.crc });
        if !head.is_empty() {
            let Column { table, name, .. } = self.column;
            let row = self.iteration as i64;
            self.column.open(self.conn, table, name, row, false)?.write_all_at(&head, 0)?;
        }
        Ok(self.buffer)
    }
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(PIECE - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..count]);
        self.crc.update(&bytes[..count]);
        self.len += count as u64;
        if self.buffer.len() == PIECE {
            self.flush_piece().map_err(|fault| {
                self.fault = Some(fault);
                io::Error::other("the database refused it")
            })?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes `numbers` as a value, little-endian; the checksum of their bytes.
pub(crate) fn insert_numbers(
    conn: &Connection,
    column: Column,
    iteration: u64,
    numbers: &[f64],
) -> Result<u32, Fault> {
    let mut crc = crc32fast::Hasher::new();
    let mut bytes = Vec::with_capacity(8 * NUMBERS.min(numbers.len()));
    let empty: &[f64] = &[];
    let pieces = numbers.chunks(PIECE / 8).chain(numbers.is_empty().then_some(empty));
    for (piece, numbers) in (0..).zip(pieces) {
        let mut blob = column.room(conn, iteration, piece, 8 * numbers.len())?;
        for (at, numbers) in numbers.chunks(NUMBERS).enumerate() {
            bytes.clear();
            bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
            crc.update(&bytes);
            blob.write_all_at(&bytes, 8 * NUMBERS * at)?;
        }
    }
    Ok(crc.finalize())
}
