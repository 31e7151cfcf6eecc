//! The report in words and numbers.

use std::fmt::Write;

use esenas_report::Table;
use esenas_report::statistics::{median, sign_test};

use super::claims;
use super::curves::Curves;
use super::run::mode_name;
use super::{Algorithm, Results};

/// Everything, as Markdown.
pub(crate) fn markdown(results: &Results) -> String {
    let plan = results.plan();
    let settings = &plan.settings;
    let mut text = format!(
        "# Hybrid BBOB: {} functions, {} seeds, {} evaluations, mode `{}`\n\n\
         Gaps of the best point, divided by the largest gap of a random search of {} points (seed {}). \
         Mean over functions ± its standard error over seeds; in brackets the mean rank over functions \
         and seeds among the algorithms of that column; bold the best.\n",
        plan.functions.len(),
        plan.seeds,
        settings.evaluations,
        mode_name(settings.mode),
        settings.scale_budget,
        settings.scale_seed,
    );
    for sizes in rows(results) {
        let _ = write!(text, "\n## d_cat = {}\n\n{}", sizes[0].0, gaps(results, &sizes).markdown());
    }
    let signs = signs(results);
    if let Some(signs) = signs {
        let _ = write!(
            text,
            "\n## Sign tests\n\nOver functions and seeds: how often the first was ahead, behind, \
             and how likely that is by chance (two-sided).\n\n{}",
            signs.markdown()
        );
    }
    let claims = claims::claims(&Curves::of(results));
    if !claims.is_empty() {
        text.push_str("\n## The paper's claims\n\n");
        for claim in claims {
            let said = claim.verdict.name();
            let _ = writeln!(text, "- {}: **{said}**. {}", claim.statement, claim.evidence);
        }
    }
    text
}

/// The tables alone, as LaTeX.
pub(crate) fn latex(results: &Results) -> String {
    let sizes = rows(results).into_iter();
    let gaps = sizes.map(|sizes| {
        format!("% Normalized gaps, d_cat = {}\n{}", sizes[0].0, gaps(results, &sizes).latex())
    });
    let signs = signs(results).map(|table| format!("% Sign tests\n{}", table.latex()));
    gaps.chain(signs).collect::<Vec<_>>().join("\n")
}

/// The sizes, those of one d_cat together.
pub(super) fn rows(results: &Results) -> Vec<Vec<(usize, usize)>> {
    let mut sizes = results.plan().sizes.clone();
    sizes.sort_unstable();
    sizes.chunk_by(|a, b| a.0 == b.0).map(<[_]>::to_vec).collect()
}

fn gaps(results: &Results, sizes: &[(usize, usize)]) -> Table {
    let columns = sizes.iter().map(|(_, d_con)| format!("d_con = {d_con}"));
    let mut table = Table::new(std::iter::once("algorithm".to_owned()).chain(columns));
    let ranks: Vec<_> = sizes.iter().map(|size| results.ranks(*size)).collect();
    for algorithm in results.algorithms(sizes[0]) {
        let cell = |(size, ranks): (&(usize, usize), &Vec<(Algorithm, f64)>)| {
            let Some(mean) = results.aggregate(algorithm, *size) else { return String::new() };
            let others = results.algorithms(*size).into_iter();
            let best = others.filter_map(|it| results.aggregate(it, *size)).map(|it| it.mean);
            let best = best.fold(f64::INFINITY, f64::min);
            let rank = ranks.iter().find(|(it, _)| *it == algorithm).map_or(0.0, |it| it.1);
            let number = format!("{:.4} ± {:.4}", mean.mean, mean.error);
            let number = if mean.mean <= best { format!("**{number}**") } else { number };
            format!("{number} ({rank:.1})")
        };
        let cells = sizes.iter().zip(&ranks).map(cell);
        table.row(std::iter::once(algorithm.name().to_owned()).chain(cells));
    }
    table
}

/// Pairs that are compared: ES-ENAS with its vanilla counterpart, or an ablation with the whole.
fn compared(results: &Results) -> Vec<(Algorithm, Algorithm)> {
    let base = Algorithm::EsEnasRegularizedEvolution;
    let algorithms = &results.plan().algorithms;
    let pair = |it: &Algorithm| match it.vanilla() {
        Some(vanilla) => algorithms.contains(&vanilla).then_some((*it, vanilla)),
        None => Algorithm::ABLATIONS.contains(it).then_some((*it, base)),
    };
    algorithms.iter().filter_map(pair).filter(|(one, other)| one != other).collect()
}

fn signs(results: &Results) -> Option<Table> {
    let sizes: Vec<_> = rows(results).concat().into_iter().filter(|size| size.0 > 0).collect();
    let pairs = compared(results);
    if pairs.is_empty() || sizes.is_empty() {
        return None;
    }
    let columns = sizes.iter().map(|(d_cat, d_con)| format!("{d_cat} × {d_con}"));
    let header = std::iter::once("pair".to_owned()).chain(columns).chain(["all".to_owned()]);
    let mut table = Table::new(header);
    let said = |pairs: &[(f64, f64)]| {
        let sign = sign_test(pairs);
        format!("{}–{}, p = {}", sign.wins, sign.losses, probability(sign.p))
    };
    for (one, other) in pairs {
        let of_size: Vec<Vec<(f64, f64)>> =
            sizes.iter().map(|size| results.pairs(one, other, *size)).collect();
        let cells = of_size.iter().map(|pairs| said(pairs)).chain([said(&of_size.concat())]);
        let name = format!("{} / {}", one.name(), other.name());
        table.row(std::iter::once(name).chain(cells));
    }
    Some(table)
}

fn probability(p: f64) -> String {
    if p < 0.001 { format!("{p:.0e}") } else { format!("{p:.3}") }
}

/// One line for each setting and algorithm, with more digits and the median.
pub(crate) fn csv(results: &Results) -> String {
    let header =
        ["d_cat", "d_con", "algorithm", "mean_gap", "standard_error", "median_gap", "mean_rank"];
    let mut table = Table::new(header);
    for size in rows(results).concat() {
        for (algorithm, rank) in results.ranks(size) {
            let Some(mean) = results.aggregate(algorithm, size) else { continue };
            let middle = median(&results.last(algorithm, size)).unwrap_or(f64::NAN);
            table.row([
                size.0.to_string(),
                size.1.to_string(),
                algorithm.name().to_owned(),
                format!("{:e}", mean.mean),
                format!("{:e}", mean.error),
                format!("{middle:e}"),
                format!("{rank}"),
            ]);
        }
    }
    table.csv()
}
