//! The report in numbers.

use std::collections::BTreeSet;
use std::fmt::Write;

use esenas_report::Table;
use esenas_report::statistics::{median, ranks, sign_test};

use super::bootstrap::interval;
use super::{Ours, Place, Results};

/// Everything, as Markdown.
pub(super) fn markdown(results: &Results) -> String {
    let Some(plan) = &results.plan else { return String::new() };
    let mut text = format!(
        "# Peers on random instances: {} functions, up to {} seeds\n\n\
         Gaps of the best point, divided by the largest gap of a random search of {} points; below \
         1e-8 of cost they count as 1e-8. Mean rank and median gap [95 % bootstrap interval] are over \
         the runs (function, seed) that all ranked made; who made fewer than half as many as the most is \
         not ranked. *Against auto* is over those both made: how often the peer was behind and ahead, the two-sided sign test, \
         and its median gap over auto's.\n",
        plan.functions.len(),
        plan.seeds,
        plan.scale_budget,
    );
    for &budget in &plan.budgets {
        for &size in &plan.sizes {
            if let Some((table, runs)) = setting(results, size, budget) {
                let (d_cat, d_con) = size;
                let _ = write!(
                    text,
                    "\n## {d_cat} × {d_con}, {budget} evaluations ({runs} runs)\n\n{}",
                    table.markdown()
                );
            }
        }
    }
    text
}

/// The gaps of one algorithm in a setting, by function and seed.
fn places(results: &Results, name: &str, size: (usize, usize), budget: u32) -> BTreeSet<Place> {
    let fits = |place: &&Place| place.1 == size && place.3 == budget;
    results.gaps.get(name).into_iter().flat_map(|gaps| gaps.keys().filter(fits).copied()).collect()
}

fn setting(results: &Results, size: (usize, usize), budget: u32) -> Option<(Table, usize)> {
    let plan = results.plan.as_ref()?;
    // Who has made a run on every function.
    let whole = |name: &&String| {
        let functions: BTreeSet<_> =
            places(results, name, size, budget).into_iter().map(|place| place.0).collect();
        functions.len() == plan.functions.len()
    };
    let of = |name: &String| places(results, name, size, budget);
    let all: Vec<&String> = results.gaps.keys().filter(whole).collect();
    let most = all.iter().map(|name| of(name).len()).max()?;
    let (names, few): (Vec<&String>, Vec<&String>) =
        all.into_iter().partition(|name| 2 * of(name).len() >= most);
    let common = names.iter().map(|name| of(name)).reduce(|a, b| &a & &b)?;
    let common: Vec<Place> = common.into_iter().collect();
    let mut sums = vec![0.0; names.len()];
    for place in &common {
        let gaps: Vec<f64> = names.iter().map(|name| results.gaps[*name][place]).collect();
        sums.iter_mut().zip(ranks(&gaps)).for_each(|(sum, rank)| *sum += rank);
    }
    let mut rows: Vec<(f64, &String)> =
        sums.iter().map(|sum| sum / common.len().max(1) as f64).zip(names).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut table =
        Table::new(["algorithm", "mean rank", "median gap", "against auto", "µs per evaluation"]);
    let micros = |name: &String| {
        let of = |budget| results.seconds.get(&(name.clone(), size, budget));
        let each = of(Some(budget)).or_else(|| of(None)).and_then(|it| median(it));
        each.map_or_else(String::new, |it| format!("{:.1}", it * 1e6))
    };
    for (rank, name) in rows {
        let gaps: Vec<f64> = common.iter().map(|place| results.gaps[name][place]).collect();
        let middle = interval(&gaps).map_or_else(String::new, |(middle, low, high)| {
            format!("{middle:.1e} [{low:.1e}, {high:.1e}]")
        });
        let (against, micros) = (against(results, name, size, budget), micros(name));
        table.row([name.clone(), format!("{rank:.2}"), middle, against, micros]);
    }
    for name in few {
        let against = against(results, name, size, budget);
        table.row([name.clone(), String::new(), String::new(), against, micros(name)]);
    }
    Some((table, common.len()))
}

/// A peer beside auto, over the runs that both made.
fn against(results: &Results, name: &str, size: (usize, usize), budget: u32) -> String {
    let auto = Ours::Auto.name();
    if name == auto {
        return String::new();
    }
    let both = &places(results, auto, size, budget) & &places(results, name, size, budget);
    let pair = |place: &Place| (results.gaps[auto][place], results.gaps[name][place]);
    let pairs: Vec<(f64, f64)> = both.iter().map(pair).collect();
    let (ours, theirs): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (Some(ours), Some(theirs)) = (median(&ours), median(&theirs)) else { return String::new() };
    let sign = sign_test(&pairs);
    let p = if sign.p < 0.001 { format!("{:.0e}", sign.p) } else { format!("{:.3}", sign.p) };
    format!("{}–{}, p = {p}, × {:.2}", sign.wins, sign.losses, theirs / ours)
}

/// The median gap over seeds of each algorithm on each function.
pub(super) fn csv(results: &Results) -> String {
    let header = ["d_cat", "d_con", "evaluations", "function", "algorithm", "seeds", "median_gap"];
    let mut table = Table::new(header);
    let Some(plan) = &results.plan else { return table.csv() };
    for &budget in &plan.budgets {
        for &size in &plan.sizes {
            for &function in &plan.functions {
                for (name, gaps) in &results.gaps {
                    let fits =
                        |place: &Place| place.0 == function && place.1 == size && place.3 == budget;
                    let found: Vec<f64> =
                        gaps.iter().filter(|(place, _)| fits(place)).map(|(_, gap)| *gap).collect();
                    let Some(middle) = median(&found) else { continue };
                    table.row([
                        size.0.to_string(),
                        size.1.to_string(),
                        budget.to_string(),
                        format!("{function:?}"),
                        name.clone(),
                        found.len().to_string(),
                        format!("{middle:e}"),
                    ]);
                }
            }
        }
    }
    table.csv()
}
