//! Figure 2, Appendix B, the ECDF and the ablations.

use esenas_report::statistics::ecdf;
use esenas_report::{Axis, Figure, Line, Panel, Stroke};

use super::run::mode_name;
use super::tables::rows;
use super::{Algorithm, Results};

/// Where an ECDF begins: less is as good as solved.
const LEAST: f64 = 1e-9;

/// The figures that the plan has data for, with the names of their files.
pub(crate) fn figures(results: &Results) -> Vec<(&'static str, Figure)> {
    let has = |it: Algorithm| results.plan().algorithms.contains(&it);
    let mut figures = Vec::new();
    if has(Algorithm::Random) {
        let shown = |it: Algorithm| !is_cma(it);
        let title = "Mean gap of the best point: vanilla dashed, ES-ENAS solid";
        figures.push(("figure2", grid(results, title, &shown)));
    }
    if [Algorithm::CmaEnas, Algorithm::CmaEnas64, Algorithm::CmaEnas128].into_iter().any(has) {
        let base = [Algorithm::Es, Algorithm::EsEnasRegularizedEvolution];
        let shown = move |it: Algorithm| is_cma(it) || base.contains(&it);
        let title = "Mean gap: ES-ENAS and CMA-ENAS (Reg-Evo), ES and CMA-ES";
        figures.push(("appendix-b", grid(results, title, &shown)));
    }
    if has(Algorithm::Shared) {
        let title = "Mean gap of ES-ENAS (Reg-Evo), and one thing changed about it";
        figures.push(("ablations", grid(results, title, &|_| true)));
    } else {
        figures.push(("ecdf", steps(results)));
    }
    figures
}

fn is_cma(algorithm: Algorithm) -> bool {
    use Algorithm::{CmaEnas, CmaEnas64, CmaEnas128, CmaEs, CmaEs64, CmaEs128};
    matches!(algorithm, CmaEs | CmaEs64 | CmaEs128 | CmaEnas | CmaEnas64 | CmaEnas128)
}

/// A colour for each controller, dashes for those that mutate weights too.
fn stroke(algorithm: Algorithm) -> Stroke {
    use Algorithm::*;
    match algorithm {
        RegularizedEvolution => Stroke::dashed(0),
        EsEnasRegularizedEvolution => Stroke::solid(0),
        Neat => Stroke::dashed(1),
        EsEnasNeat => Stroke::solid(1),
        HillClimb => Stroke::dashed(2),
        EsEnasHillClimb => Stroke::solid(2),
        Random => Stroke::dashed(6),
        EsEnasRandom => Stroke::solid(6),
        EsEnasPpo => Stroke::solid(3),
        Es => Stroke { width: 3, ..Stroke::solid(5) },
        CmaEs | CmaEnas => Stroke::solid(4),
        CmaEs64 | CmaEnas64 => Stroke::solid(1),
        CmaEs128 | CmaEnas128 => Stroke::solid(2),
        Shared => Stroke::solid(1),
        Ranks => Stroke::solid(2),
        Orthogonal => Stroke::dashed(3),
        Subsampled => Stroke::dashed(6),
    }
}

fn heading(results: &Results, title: &str) -> String {
    let plan = results.plan();
    let (functions, seeds, mode) =
        (plan.functions.len(), plan.seeds, mode_name(plan.settings.mode));
    format!("{title} ({mode}; {functions} functions × {seeds} seeds)")
}

/// One panel for each setting, those of one d_cat in a row.
fn panels(results: &Results, panel: impl Fn((usize, usize)) -> Panel) -> Vec<Vec<Panel>> {
    rows(results).into_iter().map(|sizes| sizes.into_iter().map(&panel).collect()).collect()
}

fn grid(results: &Results, title: &str, shown: &dyn Fn(Algorithm) -> bool) -> Figure {
    let panel = |size: (usize, usize)| {
        let line = |it: Algorithm| Line {
            label: it.name().to_owned(),
            stroke: stroke(it),
            points: results.curve(it, size),
        };
        let algorithms = results.algorithms(size).into_iter().filter(|it| shown(*it));
        Panel {
            title: format!("d_cat = {}, d_con = {}", size.0, size.1),
            x: Axis { label: "evaluations".to_owned(), ..Axis::default() },
            y: Axis { label: "normalized gap".to_owned(), logarithmic: true, ..Axis::default() },
            lines: algorithms.map(line).collect(),
            ..Panel::default()
        }
    };
    Figure { title: heading(results, title), rows: panels(results, panel), size: None }
}

fn steps(results: &Results) -> Figure {
    let panel = |size: (usize, usize)| {
        let line = |it: Algorithm| {
            let gaps: Vec<f64> = results.last(it, size).iter().map(|gap| gap.max(LEAST)).collect();
            let mut points = ecdf(&gaps);
            points.push((1.0, 1.0));
            Line { label: it.name().to_owned(), stroke: stroke(it), points }
        };
        Panel {
            title: format!("d_cat = {}, d_con = {}", size.0, size.1),
            x: Axis {
                label: "normalized gap in the end".to_owned(),
                logarithmic: true,
                range: Some((LEAST, 1.0)),
                ..Axis::default()
            },
            y: Axis {
                label: "share of runs".to_owned(),
                range: Some((0.0, 1.0)),
                ..Axis::default()
            },
            lines: results.algorithms(size).into_iter().map(line).collect(),
            ..Panel::default()
        }
    };
    let title = "Share of runs with a gap below";
    Figure { title: heading(results, title), rows: panels(results, panel), size: None }
}
