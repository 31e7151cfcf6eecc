//! Numbers over time. A group is a study, or several that differ in their seed alone.

use super::Along;
use crate::study::Point;
use crate::{Axis, Band, Data, Line, Panel, Stroke};

/// Where the curves of several seeds are compared: so many places.
const PLACES: usize = 200;

/// How long a name in a legend may be.
const NAME: usize = 40;

/// Studies drawn as one.
pub(super) struct Group<'a> {
    pub(super) name: String,
    pub(super) seeds: Vec<&'a Data>,
    pub(super) along: Along,
    /// What a time is divided by, and what it then is called.
    unit: (f64, &'static str),
}

/// A number of a point, if it has it.
pub(super) type Number<'a> = &'a dyn Fn(&Point) -> Option<f64>;

/// How a curve goes on between its points.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// Straight.
    Straight,
    /// As before, until the next point.
    Steps,
}

impl<'a> Group<'a> {
    /// The groups of `studies`, in the order of their first members.
    pub(super) fn all(studies: &'a [Data], along: Along) -> Vec<Self> {
        let unit = unit(studies);
        let mut groups: Vec<(String, Self)> = Vec::new();
        for data in studies {
            let setting = data.setting();
            match groups.iter_mut().find(|(of, _)| *of == setting) {
                Some((_, group)) => group.seeds.push(data),
                None => {
                    let name = data.name.clone();
                    groups.push((setting, Self { name, seeds: vec![data], along, unit }));
                }
            }
        }
        let named = |(_, mut group): (String, Self)| {
            group.name = short(&group.name);
            let more = match group.seeds.len() {
                2 => "1 more seed".to_owned(),
                n => format!("{} more seeds", n - 1),
            };
            if group.seeds.len() > 1 {
                group.name = format!("{} and {more}", group.name);
            }
            group
        };
        groups.into_iter().map(named).collect()
    }

    /// The axis across.
    pub(super) fn axis(&self) -> Axis {
        Axis::new(match self.along {
            Along::Iterations => "iterations",
            Along::Evaluations => "evaluations",
            Along::Time => self.unit.1,
        })
    }

    pub(super) fn x(&self, point: &Point) -> f64 {
        match self.along {
            Along::Iterations => (point.record.iteration + 1) as f64,
            Along::Evaluations => point.record.total_evaluations as f64,
            Along::Time => point.elapsed() / self.unit.0,
        }
    }

    /// The curve of a number of each study.
    fn curves(&self, of: Number<'_>) -> Vec<Vec<(f64, f64)>> {
        let curve = |data: &&Data| {
            let known = |point| Some((self.x(point), of(point).filter(|y| y.is_finite())?));
            data.points.iter().filter_map(known).collect::<Vec<_>>()
        };
        self.seeds.iter().map(curve).filter(|curve| !curve.is_empty()).collect()
    }

    /// Draws a number into a panel: the curve of one study, or the mean of several with a band of
    /// one deviation. `spread` is the deviation that a single study knows of.
    pub(super) fn draw(
        &self,
        panel: &mut Panel,
        label: &str,
        stroke: Stroke,
        (of, spread): (Number<'_>, Option<Number<'_>>),
        between: Between,
    ) {
        let curves = self.curves(of);
        let (points, band) = match &curves[..] {
            [] => return,
            [one] => {
                let around = |point: &Point| {
                    let (y, s) = (of(point)?, spread?(point)?);
                    (y.is_finite() && s.is_finite()).then(|| (self.x(point), y - s, y + s))
                };
                let band = self.seeds.iter().flat_map(|data| &data.points).filter_map(around);
                (one.clone(), band.collect())
            }
            several => mean(several, between),
        };
        let points = if between == Between::Steps { steps(&points) } else { points };
        panel.bands.push(Band { colour: stroke.colour, opacity: 0.2, points: band });
        panel.lines.push(Line { label: label.to_owned(), stroke, points });
    }
}

/// The mean of several curves with its band, where all of them are known.
#[expect(clippy::type_complexity, reason = "a line and a band")]
fn mean(curves: &[Vec<(f64, f64)>], between: Between) -> (Vec<(f64, f64)>, Vec<(f64, f64, f64)>) {
    let first = curves.iter().map(|curve| curve[0].0).fold(f64::MIN, f64::max);
    let last = curves.iter().map(|curve| curve[curve.len() - 1].0).fold(f64::MAX, f64::min);
    let places = if last > first { PLACES } else { 1 };
    let place = |i: usize| first + (last - first) * i as f64 / (places - 1).max(1) as f64;
    let at = |i: usize| {
        let x = place(i);
        let ys: Vec<f64> = curves.iter().map(|curve| value(curve, x, between)).collect();
        let n = ys.len() as f64;
        let mean = ys.iter().map(|y| y / n).sum::<f64>();
        let deviation = (ys.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n).sqrt();
        (x, mean, deviation)
    };
    let all: Vec<(f64, f64, f64)> = (0..places).map(at).collect();
    let line = all.iter().map(|&(x, y, _)| (x, y)).collect();
    (line, all.iter().map(|&(x, y, s)| (x, y - s, y + s)).collect())
}

/// The curve at `x`; its first or last value beyond its ends.
fn value(curve: &[(f64, f64)], x: f64, between: Between) -> f64 {
    let next = curve.partition_point(|point| point.0 <= x);
    let (Some(&before), after) = (curve.get(next.saturating_sub(1)), curve.get(next)) else {
        return f64::NAN;
    };
    match after {
        Some(&after) if next > 0 && between == Between::Straight => {
            let share = (x - before.0) / (after.0 - before.0);
            before.1 + share * (after.1 - before.1)
        }
        _ => before.1,
    }
}

/// The corners of a curve that goes on as before until the next point.
fn steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::with_capacity(points.len());
    for &(x, y) in points {
        match corners.last() {
            Some(&(_, before)) if before != y => corners.extend([(x, before), (x, y)]),
            _ => corners.push((x, y)),
        }
    }
    corners
}

/// Seconds, minutes or hours, by the longest study.
fn unit(studies: &[Data]) -> (f64, &'static str) {
    let last = studies.iter().filter_map(|data| data.points.last());
    match last.map(Point::elapsed).fold(0.0, f64::max) {
        longest if longest >= 3.0 * 3600.0 => (3600.0, "time (h)"),
        longest if longest >= 3.0 * 60.0 => (60.0, "time (min)"),
        _ => (1.0, "time (s)"),
    }
}

/// The end of a long name, which differs more often than its beginning.
fn short(name: &str) -> String {
    let long = name.chars().count();
    match long > NAME {
        true => "…".chars().chain(name.chars().skip(long - NAME + 1)).collect(),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_curves_have_a_mean_where_all_are_known() {
        let curves = [vec![(0.0, 0.0), (10.0, 10.0)], vec![(2.0, 4.0), (6.0, 4.0)]];
        let (line, band) = mean(&curves, Between::Straight);
        assert_eq!((line[0], line[PLACES - 1]), ((2.0, 3.0), (6.0, 5.0)));
        assert_eq!(band[0], (2.0, 2.0, 4.0));
        let (line, _) = mean(&curves, Between::Steps);
        assert_eq!((line[0], line[PLACES - 1]), ((2.0, 2.0), (6.0, 2.0)));
    }

    #[test]
    fn steps_have_corners_only_where_they_rise() {
        let corners = steps(&[(1.0, 5.0), (2.0, 5.0), (3.0, 7.0)]);
        assert_eq!(corners, [(1.0, 5.0), (2.0, 5.0), (3.0, 5.0), (3.0, 7.0)]);
    }

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(short("runs/a"), "runs/a");
        let cut = short(&"x".repeat(50).replace("xx", "ab"));
        assert!(cut.starts_with('…') && cut.ends_with("ab") && cut.chars().count() == NAME);
    }
}
