//! Theorem 1 as a table, a figure, exponents and claims; and the table read again.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use esenas_report::statistics::{Fit, fit};
use esenas_report::{Axis, Figure, Line, Panel, Stroke, Table};

use super::measure::predicted;
use super::needed::rate;
use super::{Batch, Measured, Needed, Row, Rows};
use crate::BenchError;
use crate::paper::{Claim, Verdict};

/// Exponents are fitted from here on: below, √d and √log B are of one size.
const LARGE: u32 = 64;
/// An exponent this far from the bound's is another.
const NEAR: f64 = 0.25;

/// Writes theory.md, theory.csv, needed.csv and the figure; returns what it says, and the files.
pub fn report(rows: &Rows, folder: &Path) -> Result<(String, Vec<PathBuf>), BenchError> {
    std::fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
    let text = markdown(rows);
    let mut files = Vec::new();
    for (name, text) in [
        ("theory.md", &text),
        ("theory.csv", &table(&rows.steps).csv()),
        ("needed.csv", &needed(&rows.needed).csv()),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(BenchError::file(&path))?;
        files.push(path);
    }
    files.extend(figure(&rows.steps).save(&folder.join("theory"))?);
    Ok((text, files))
}

/// What `report` wrote into `folder`.
pub(crate) fn read(folder: &Path) -> Result<Rows, BenchError> {
    let lines = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(BenchError::file(&path))
    };
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let step = |line: &str| {
        let cells = cells(line);
        let number = |at: usize| cells.get(at)?.parse::<f64>().ok();
        let batch = match cells.get(1)?.as_str() {
            "2d" => Batch::Growing,
            _ => Batch::Fixed(cells.get(3)?.parse().ok()?),
        };
        let measured = Measured {
            es: number(4)?,
            step_size: number(5)?,
            mutation: number(6)?,
            mutation_scale: number(7)?,
        };
        Some(Row { condition: number(0)?, batch, dim: cells.get(2)?.parse().ok()?, measured })
    };
    let needed = |line: &str| {
        let cells = cells(line);
        let (dim, es) = (cells.first()?.parse().ok()?, cells.get(1)?.parse().ok()?);
        Some(Needed { dim, es, evaluations: cells.get(2)?.parse().ok() })
    };
    Ok(Rows {
        steps: lines("theory.csv")?.lines().filter_map(step).collect(),
        needed: lines("needed.csv")?.lines().filter_map(needed).collect(),
    })
}

/// What the measurements say of section 3 and appendix E.
pub(crate) fn claims(rows: &Rows) -> Vec<Claim> {
    let mut claims = Vec::new();
    let (mut growing, mut fixed) = (Vec::new(), Vec::new());
    for rows in series(&rows.steps) {
        let measured = exponent(rows, |row| row.measured.ratio());
        if let Some((measured, bound)) = measured.zip(exponent(rows, bound)) {
            let of = if rows[0].batch == Batch::Growing { &mut growing } else { &mut fixed };
            of.push((measured.slope, bound.slope));
        }
    }
    let all_near = |of: &[(f64, f64)]| of.iter().all(|(slope, bound)| bound - slope < NEAR);
    let spread = |of: &[(f64, f64)]| {
        let slopes = || of.iter().map(|(slope, _)| *slope);
        let least = slopes().fold(f64::INFINITY, f64::min);
        format!("d^{least:.2} to d^{:.2}", slopes().fold(f64::NEG_INFINITY, f64::max))
    };
    if !growing.is_empty() && !fixed.is_empty() {
        claims.push(Claim {
            place: "3, theorem 1",
            statement: "Δ_ES/Δ_MUT = Ω((√d − √log B)²/(κ log B))".to_owned(),
            verdict: match (all_near(&growing), all_near(&fixed)) {
                (true, true) => Verdict::Holds,
                (false, false) => Verdict::Fails,
                _ => Verdict::InPart,
            },
            evidence: format!(
                "Grows as {} where B = 2d, but as {} at a fixed B.",
                spread(&growing),
                spread(&fixed)
            ),
        });
    }
    claims.extend(variance(&rows.steps));
    claims.extend(exponential(&rows.needed));
    claims.push(Claim {
        place: "E, first equation",
        statement: "the sum over B/2 pairs is an unbiased estimate of the gradient".to_owned(),
        verdict: Verdict::Fails,
        evidence: "As printed it lacks 1/(B/2), and is B/2 times as long; equation 4 has it."
            .to_owned(),
    });
    claims
}

/// Δ_ES is half of ‖∇f‖²/β, if the variance of the estimate is negligible.
fn variance(rows: &[Row]) -> Option<Claim> {
    let flat = rows.iter().filter(|row| row.condition == 1.0);
    let worst = flat.min_by(|a, b| a.measured.es.total_cmp(&b.measured.es))?;
    let share = worst.measured.es / 0.5;
    Some(Claim {
        place: "E.1",
        statement: "the variance of the estimate is negligible as σ is small".to_owned(),
        verdict: Verdict::of(share > 0.5),
        evidence: format!(
            "Δ_ES is {:.0} % of what it would be at d = {}, {}: it needs B = Ω(d).",
            100.0 * share,
            worst.dim,
            worst.batch.name()
        ),
    })
}

/// A power of d would grow less and less in logarithm.
fn exponential(rows: &[Needed]) -> Option<Claim> {
    let known: Vec<Needed> = rows.iter().copied().filter(|row| row.evaluations.is_some()).collect();
    let (early, late) = known.split_at(known.len() / 2);
    let (early, late, all) = (rate(early)?, rate(late)?, rate(&known)?);
    let ends = [known.first()?, known.last()?];
    let [one, other] =
        ends.map(|row| format!("{:.0} at d = {}", row.evaluations.unwrap_or(f64::NAN), row.dim));
    Some(Claim {
        place: "3",
        statement: "for ES's improvement mutation must use Ω(exp(d)) evaluations".to_owned(),
        verdict: Verdict::of(late.slope > 0.75 * early.slope && late.slope > 0.0),
        evidence: format!(
            "{one}, {other}: e^({:.2} d), and e^({:.2} d) over the upper half.",
            all.slope, late.slope
        ),
    })
}

fn needed(rows: &[Needed]) -> Table {
    let mut table = Table::new(["d", "delta_es", "evaluations"]);
    for row in rows {
        let evaluations =
            row.evaluations.map_or_else(|| "more".to_owned(), |it| format!("{it:.1}"));
        table.row([row.dim.to_string(), format!("{:.4e}", row.es), evaluations]);
    }
    table
}

/// The rows of one κ and one B, in the order of d.
fn series(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|a, b| a.condition == b.condition && a.batch == b.batch)
}

/// ratio ~ d^slope, of what `of` says.
fn exponent(rows: &[Row], of: impl Fn(&Row) -> f64) -> Option<Fit> {
    let large = rows.iter().filter(|row| row.dim >= LARGE.min(rows[rows.len() - 1].dim / 2));
    fit(&large.map(|row| (f64::from(row.dim).ln(), of(row).ln())).collect::<Vec<_>>())
}

fn bound(row: &Row) -> f64 {
    predicted(row.dim, row.batch.at(row.dim), row.condition)
}

fn markdown(Rows { steps, needed: few }: &Rows) -> String {
    let mut text = "# Theorem 1, measured\n\n\
        The one-step improvement of ES over that of batched hill climbing, both with B evaluations and \
        their best hyperparameter, on quadratics of condition number κ.\n\n\
        ## Growth: ratio ~ d^exponent\n\n"
        .to_owned();
    let mut exponents = Table::new(["series", "measured exponent", "of the bound"]);
    for rows in series(steps) {
        let name = format!("κ = {}, {}", rows[0].condition, rows[0].batch.name());
        let measured = exponent(rows, |row| row.measured.ratio());
        let expected = exponent(rows, bound);
        exponents.row([
            name,
            measured.map_or(String::new(), |fit| format!("{:.2} ± {:.2}", fit.slope, fit.error)),
            expected.map_or(String::new(), |fit| format!("{:.2}", fit.slope)),
        ]);
    }
    let _ = write!(
        text,
        "{}\n## What hill climbing needs for a step of ES\n\nκ = 1, ES with 2d evaluations.\n\n{}\n\
         ## Measurements\n\n{}\n## The paper's claims\n\n",
        exponents.markdown(),
        needed(few).markdown(),
        table(steps).markdown()
    );
    for claim in claims(&Rows { steps: steps.clone(), needed: few.clone() }) {
        let said = claim.verdict.name();
        let _ = writeln!(text, "- {}: **{said}**. {}", claim.statement, claim.evidence);
    }
    text
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new([
        "kappa",
        "batch",
        "d",
        "B",
        "delta_es",
        "eta",
        "delta_mut",
        "sigma_mut",
        "ratio",
        "bound",
    ]);
    for row in rows {
        let it = &row.measured;
        let numbers = [it.es, it.step_size, it.mutation, it.mutation_scale, it.ratio(), bound(row)];
        let batch = if row.batch == Batch::Growing { "2d" } else { "fixed" };
        let whole = [
            row.condition.to_string(),
            batch.to_owned(),
            row.dim.to_string(),
            row.batch.at(row.dim).to_string(),
        ];
        table.row(whole.into_iter().chain(numbers.map(|number| format!("{number:.4e}"))));
    }
    table
}

fn figure(rows: &[Row]) -> Figure {
    let mut batches: Vec<Batch> = rows.iter().map(|row| row.batch).collect();
    batches.sort_unstable();
    batches.dedup();
    let colour = |batch: Batch| batches.iter().position(|it| *it == batch).unwrap_or(0);
    let panel = |rows: &[Row]| {
        let mut lines = Vec::new();
        for rows in series(rows) {
            let (batch, at) = (rows[0].batch, colour(rows[0].batch));
            let measured = |row: &Row| (f64::from(row.dim), row.measured.ratio());
            lines.push(Line {
                label: batch.name(),
                stroke: Stroke { marked: true, ..Stroke::solid(at) },
                points: rows.iter().map(measured).collect(),
            });
            // The bound has no constant: it is drawn through the first measurement that counts.
            let Some(first) = rows.iter().position(|row| row.dim >= LARGE) else { continue };
            let constant = rows[first].measured.ratio() / bound(&rows[first]);
            let expected = |row: &Row| (f64::from(row.dim), constant * bound(row));
            lines.push(Line {
                label: format!("growth of the bound, {}", batch.name()),
                stroke: Stroke { width: 1, ..Stroke::dashed(at) },
                points: rows[first..].iter().map(expected).collect(),
            });
        }
        Panel {
            title: format!("κ = {}", rows[0].condition),
            x: Axis { label: "d".to_owned(), logarithmic: true, ..Axis::default() },
            y: Axis { label: "Δ_ES / Δ_MUT".to_owned(), logarithmic: true, ..Axis::default() },
            lines,
            ..Panel::default()
        }
    };
    let panels = rows.chunk_by(|a, b| a.condition == b.condition).map(panel).collect();
    let title = "One step of ES against one of hill climbing, both tuned (Theorem 1)";
    Figure { title: title.to_owned(), rows: vec![panels], size: None }
}
