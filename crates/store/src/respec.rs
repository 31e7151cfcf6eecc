//! Another text for a study: when it ends may change.

use crate::record::Header;
use crate::state::Tally;
use crate::{Error, Writer, create, table};

impl Writer {
    /// Has the study be described by `spec` from now on. Whether that is still the same study is
    /// the caller's to know. It is not finished any more.
    ///
    /// A crash on the way leaves the one text or the other, whole: while `study.toml` is not there
    /// the database decides, and it is written again.
    pub fn set_spec(&mut self, spec: String) -> Result<(), Error> {
        let header = Header { spec, ..self.header.clone() };
        create::remove(&self.layout.spec())?;
        let commits = self.tally.commits + 1;
        let (tally, totals) =
            (Tally { commits, finished: None, ..self.tally.clone() }, self.totals);
        self.synced = None;
        self.transact(commits, |conn| {
            table::study::write(conn, &header)?;
            tally.write(conn)?;
            Ok((tally, totals))
        })?;
        create::write_spec(&self.layout, &header)?;
        self.header = header;
        Ok(())
    }
}
