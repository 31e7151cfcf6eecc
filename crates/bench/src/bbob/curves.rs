//! Mean curves: what claims are decided by, and what is kept of a run in `results/bbob`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::{Algorithm, Results};
use crate::BenchError;

/// (d_cat, d_con)
pub(crate) type Size = (usize, usize);

/// The mean gap over functions and seeds of every setting and algorithm, at each checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curves {
    /// Evaluations, ascending; the first is that of the start, which all share.
    pub(crate) checkpoints: Vec<u32>,
    rows: BTreeMap<(Size, Algorithm), Vec<f64>>,
}

impl Curves {
    /// Of a run; of settings and algorithms that it has not run there is nothing.
    pub(crate) fn of(results: &Results) -> Self {
        let mut rows = BTreeMap::new();
        for &size in &results.plan().sizes {
            for algorithm in results.algorithms(size) {
                let gaps: Vec<f64> =
                    results.curve(algorithm, size).into_iter().map(|point| point.1).collect();
                if !gaps.is_empty() {
                    rows.insert((size, algorithm), gaps);
                }
            }
        }
        Self { checkpoints: results.plan().checkpoints(), rows }
    }

    /// What `csv` wrote.
    pub(crate) fn read(path: &Path) -> Result<Self, BenchError> {
        let text = std::fs::read_to_string(path).map_err(BenchError::file(path))?;
        let damaged = |line: usize| {
            let reason = "not a line of mean gaps".to_owned();
            BenchError::Damaged { path: path.to_owned(), line, reason }
        };
        let mut lines = text.lines().enumerate();
        let header = lines.next().map_or("", |(_, header)| header);
        let checkpoints: Result<Vec<u32>, _> = header.split(',').skip(3).map(str::parse).collect();
        let checkpoints = checkpoints.map_err(|_| damaged(1))?;
        let row = |line: &str| {
            let mut cells = line.split(',');
            let size = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
            let name = serde_json::Value::from(cells.next()?);
            let algorithm: Algorithm = serde_json::from_value(name).ok()?;
            let gaps: Vec<f64> = cells.map(str::parse).collect::<Result<_, _>>().ok()?;
            (gaps.len() == checkpoints.len()).then_some(((size, algorithm), gaps))
        };
        let rows = lines.map(|(at, line)| row(line).ok_or_else(|| damaged(at + 1)));
        Ok(Self { rows: rows.collect::<Result<_, _>>()?, checkpoints })
    }

    /// One line for each setting and algorithm, one column for each checkpoint.
    pub(crate) fn csv(&self) -> String {
        let mut text = "d_cat,d_con,algorithm".to_owned();
        for checkpoint in &self.checkpoints {
            let _ = write!(text, ",{checkpoint}");
        }
        for (((d_cat, d_con), algorithm), gaps) in &self.rows {
            let _ = write!(text, "\n{d_cat},{d_con},{}", algorithm.id());
            for gap in gaps {
                let _ = write!(text, ",{gap:.3e}");
            }
        }
        text + "\n"
    }

    /// The settings with so many categories, or with any.
    pub(crate) fn sizes(&self, meant: impl Fn(usize) -> bool) -> Vec<Size> {
        let mut sizes: Vec<Size> = self.rows.keys().map(|(size, _)| *size).collect();
        sizes.dedup();
        sizes.retain(|size| meant(size.0));
        sizes
    }

    /// The algorithms of a setting.
    pub(crate) fn algorithms(&self, size: Size) -> Vec<Algorithm> {
        self.rows.keys().filter(|(of, _)| *of == size).map(|(_, algorithm)| *algorithm).collect()
    }

    /// All of a curve.
    pub(crate) fn gaps(&self, algorithm: Algorithm, size: Size) -> Option<&[f64]> {
        self.rows.get(&(size, algorithm)).map(Vec::as_slice)
    }

    /// The end of a curve.
    pub(crate) fn last(&self, algorithm: Algorithm, size: Size) -> Option<f64> {
        self.gaps(algorithm, size)?.last().copied()
    }
}
