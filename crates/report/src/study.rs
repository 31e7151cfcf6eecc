//! What is shown of a study: its records, thinned to as many points as a picture has room for.

use std::collections::BTreeSet;

use esenas_store::{Error, FailureGroup, Header, IterationRecord, Progress, Reader, Timings};

use crate::choices::{Choices, MOMENTS};
use crate::goals::Goals;
use crate::model::Portrait;

/// As many points as a curve has at most.
pub const POINTS: usize = 1000;

/// As many reasons of failure as are shown.
const REASONS: u64 = 10;

/// A study, as plain data.
#[derive(Clone, Debug)]
pub struct Data {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub header: Header,
    /// How far it is.
    pub progress: Progress,
    /// The curve, in the order of the iterations.
    pub points: Vec<Point>,
    /// What was measured, if it has several goals.
    pub goals: Option<Goals>,
    /// The most frequent reasons of failure.
    pub failures: Vec<FailureGroup>,
    /// At how many moments its models are looked at, which takes most of the time.
    pub moments: usize,
    /// What its models decided. Left to those who know the models; see [`Choices::read`].
    pub choices: Option<Choices>,
    /// Its models as pictures, likewise.
    pub portraits: Vec<Portrait>,
    /// The time spent up to and with each iteration.
    spent: Vec<Timings>,
}

/// An iteration on the curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its record.
    pub record: IterationRecord,
    /// All the time spent up to and with it, by what it was spent on, in seconds.
    pub spent: Timings,
}

impl Point {
    /// How long the study had run, in seconds.
    pub fn elapsed(&self) -> f64 {
        let Timings { ask, evaluate, tell, store } = self.spent;
        ask + evaluate + tell + store
    }
}

impl Data {
    /// Reads the study that is called `name`.
    pub fn read(name: impl Into<String>, reader: &Reader) -> Result<Self, Error> {
        let mut data = Self {
            name: name.into(),
            header: reader.header()?,
            progress: reader.progress()?,
            points: Vec::new(),
            goals: None,
            failures: Vec::new(),
            moments: MOMENTS,
            choices: None,
            portraits: Vec::new(),
            spent: Vec::new(),
        };
        data.update(reader)?;
        Ok(data)
    }

    /// Reads what is new since. Choices and portraits stay as they are.
    pub fn update(&mut self, reader: &Reader) -> Result<(), Error> {
        let (header, progress) = (reader.header()?, reader.progress()?);
        if header != self.header || progress.iterations < self.spent.len() as u64 {
            // Begun anew, or rewound.
            self.spent.clear();
            self.goals = None;
        }
        (self.header, self.progress) = (header, progress);
        for row in reader.timings(self.spent.len() as u64) {
            let before = self.spent.last().copied().unwrap_or_default();
            self.spent.push(sum(before, row?.1));
        }
        let point = |record: IterationRecord| {
            let spent = self.spent.get(record.iteration as usize).copied().unwrap_or_default();
            Point { record, spent }
        };
        self.points = reader.curve(POINTS)?.into_iter().map(point).collect();
        self.failures = reader.failures(REASONS)?;
        self.goals = self.goals.take().or_else(|| Goals::of(&self.header.spec));
        self.goals.as_mut().map_or(Ok(()), |goals| goals.update(reader))
    }

    /// One iteration, if it is there.
    pub(crate) fn at(&self, iteration: u64, reader: &Reader) -> Result<Option<Point>, Error> {
        let Some(record) = reader.iterations(iteration).next() else { return Ok(None) };
        let spent = self.spent.get(iteration as usize).copied().unwrap_or_default();
        Ok(Some(Point { record: record?, spent }))
    }

    /// The study without its seed: seeds of one study have this in common.
    pub fn setting(&self) -> String {
        let Ok(mut table) = self.header.spec.parse::<toml::Table>() else {
            return self.header.spec.clone();
        };
        table.remove("seed");
        table.to_string()
    }

    /// The names of the numbers that its search recorded of itself.
    pub fn statistics(&self) -> BTreeSet<&str> {
        self.points.iter().flat_map(|it| it.record.statistics.keys().map(String::as_str)).collect()
    }
}

/// How many `iterations` or `evaluations` a study asks for, if it says so.
pub fn wanted(spec: &str, key: &str) -> Option<u64> {
    let table: toml::Table = spec.parse().ok()?;
    table.get("stop")?.get(key)?.as_integer()?.try_into().ok()
}

/// What is not a number counts as nothing.
fn sum(before: Timings, more: Timings) -> Timings {
    let add = |a: f64, b: f64| if b.is_finite() { a + b } else { a };
    Timings {
        ask: add(before.ask, more.ask),
        evaluate: add(before.evaluate, more.evaluate),
        tell: add(before.tell, more.tell),
        store: add(before.store, more.store),
    }
}
