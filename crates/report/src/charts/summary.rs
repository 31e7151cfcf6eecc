//! How far and how good, over seeds, as a table.

use super::Along;
use super::series::Group;
use crate::statistics::{Mean, mean};
use crate::{Data, Table};

/// A row for each study, or for several that differ in their seed alone: mean ± standard error.
pub fn summary(studies: &[Data]) -> Table {
    let mut table =
        Table::new(["study", "seeds", "evaluations each", "best score", "centre in the end"]);
    for group in Group::all(studies, Along::Iterations) {
        let over = |of: &dyn Fn(&Data) -> Option<f64>| {
            let all: Vec<f64> = group.seeds.iter().filter_map(|data| of(data)).collect();
            mean(&all).map_or_else(|| "–".to_owned(), |it| number(it, all.len()))
        };
        let centre = |data: &Data| {
            let last = data.points.iter().rev().find_map(|point| point.record.centre);
            last.map(|centre| centre.mean)
        };
        let evaluations: Vec<u64> =
            group.seeds.iter().map(|data| data.progress.evaluations).collect();
        table.row([
            group.seeds[0].name.clone(),
            group.seeds.len().to_string(),
            evaluations.iter().sum::<u64>().div_ceil(evaluations.len() as u64).to_string(),
            over(&|data| data.progress.best.as_ref().map(|best| best.reported())),
            over(&centre),
        ]);
    }
    table
}

/// With four digits that count.
fn number(Mean { mean, error }: Mean, n: usize) -> String {
    let size = if mean == 0.0 { 0.0 } else { mean.abs().log10().floor() };
    let digits = (3.0 - size).clamp(0.0, 9.0) as usize;
    match n {
        1 => format!("{mean:.digits$}"),
        _ => format!("{mean:.digits$} ± {error:.digits$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_count() {
        let of = |mean, error, n| number(Mean { mean, error }, n);
        assert_eq!(of(-12345.6, 0.0, 1), "-12346");
        assert_eq!(of(0.012_345_6, 0.001, 3), "0.01235 ± 0.00100");
        assert_eq!(of(0.0, 0.0, 1), "0.000");
    }
}
