//! What the evaluations of a study with several objectives measured: the points that fronts are
//! drawn through.

use std::collections::BTreeMap;

use esenas_store::{Error, Named, Outcome, Reader};

/// What a measured number may be.
#[derive(Clone, Copy, Debug)]
struct Limit {
    at_least: Option<f64>,
    at_most: Option<f64>,
}

impl Limit {
    fn read(limit: &toml::Value) -> Self {
        let number = |key: &str| {
            let value = limit.get(key)?;
            value.as_float().or_else(|| value.as_integer().map(|x| x as f64))
        };
        Self { at_least: number("at_least"), at_most: number("at_most") }
    }

    fn holds(self, x: f64) -> bool {
        self.at_least.is_none_or(|least| least <= x) && self.at_most.is_none_or(|most| x <= most)
    }
}

/// The first two goals of a study, and what was measured of them.
#[derive(Clone, Debug)]
pub struct Goals {
    /// What they are called, and whether lower values are better.
    pub names: [(String, bool); 2],
    /// Of each feasible evaluation, in their order.
    pub points: Vec<(f64, f64)>,
    limits: BTreeMap<String, Limit>,
    next: u64,
}

impl Goals {
    /// Those that a study file declares, if it has several.
    pub(crate) fn of(spec: &str) -> Option<Self> {
        let declared: toml::Table = spec.parse().ok()?;
        let read = |text: &str| match text.strip_prefix('-') {
            Some(name) => (name.to_owned(), true),
            None => (text.to_owned(), false),
        };
        let [one, two, ..] = &declared.get("objectives")?.as_array()?[..] else { return None };
        let (names, points) = ([read(one.as_str()?), read(two.as_str()?)], Vec::new());
        let limits = declared.get("constraints").and_then(toml::Value::as_table);
        let limits = limits.into_iter().flatten();
        let limits = limits.map(|(name, limit)| (name.clone(), Limit::read(limit))).collect();
        Some(Self { names, points, limits, next: 0 })
    }

    /// Reads what is new since.
    pub(crate) fn update(&mut self, reader: &Reader) -> Result<(), Error> {
        for page in reader.evaluations(self.next) {
            let (iteration, records) = page?;
            self.next = iteration + 1;
            for record in records {
                if let Outcome::Done { metrics: Some(metrics), .. } = &record.outcome {
                    self.points.extend(self.point(metrics));
                }
            }
        }
        Ok(())
    }

    fn point(&self, metrics: &Named) -> Option<(f64, f64)> {
        let of = |name: &str| metrics.get(name).copied();
        let kept = self.limits.iter().all(|(name, limit)| of(name).is_some_and(|x| limit.holds(x)));
        let [one, two] = &self.names;
        Some((of(&one.0)?, of(&two.0)?)).filter(|_| kept)
    }

    /// The front of the first `count` evaluations, from left to right.
    pub fn front(&self, count: usize) -> Vec<(f64, f64)> {
        let sign = |goal: usize| if self.names[goal].1 { -1.0 } else { 1.0 };
        let mut points = self.points[..count.min(self.points.len())].to_vec();
        // The best of the first goal first; then each that is better in the second.
        points.sort_by(|a, b| {
            let first = (sign(0) * b.0).total_cmp(&(sign(0) * a.0));
            first.then((sign(1) * b.1).total_cmp(&(sign(1) * a.1)))
        });
        let mut best = f64::NEG_INFINITY;
        points.retain(|point| {
            let leads = best < sign(1) * point.1;
            best = best.max(sign(1) * point.1);
            leads
        });
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    }
}
