//! A study with its curves, kept and brought up to date.

use std::path::Path;
use std::time::{Duration, Instant};

use esenas_report::Data;
use esenas_store::{Error, Glance, Reader, glance};

use super::Knows;

/// Looking at the models of a running study takes at most this share of the time: it has better use
/// for the machine.
const SHARE: u32 = 10;

/// A study with its curves.
#[derive(Default)]
pub(super) struct Shown {
    seen: Option<Glance>,
    data: Option<Data>,
    /// When its models were looked at, and how long that took.
    models: Option<(Instant, Duration)>,
}

impl Shown {
    pub(super) fn data(&self) -> Option<&Data> {
        self.data.as_ref()
    }

    /// Reads what is new, if anything is. Its models are looked at as many moments as were ever
    /// wanted.
    pub(super) fn refresh(
        &mut self,
        (name, dir): (&str, &Path),
        knows: &dyn Knows,
        moments: usize,
    ) -> Result<(), Error> {
        // Before anything is read: what is written meanwhile is new the next time.
        let seen = glance(dir)?;
        let before = self.data.as_ref().map_or(0, |data| data.moments);
        if self.seen == Some(seen) && moments <= before {
            return Ok(());
        }
        let reader = Reader::open(dir)?;
        let header = reader.header()?;
        let known = self.data.take().filter(|data| data.header == header);
        let mut data = match known {
            Some(mut data) => {
                data.update(&reader)?;
                data
            }
            None => {
                self.models = None;
                Data::read(name, &reader)?
            }
        };
        data.moments = moments.max(before);
        let recent = |(at, took): (Instant, Duration)| at.elapsed() < took * SHARE;
        let enough = moments <= before && self.models.is_some_and(recent);
        if !(seen.running && enough) {
            let start = Instant::now();
            knows.complete(&mut data, &reader)?;
            self.models = Some((Instant::now(), start.elapsed()));
        }
        (self.data, self.seen) = (Some(data), Some(seen));
        Ok(())
    }
}
