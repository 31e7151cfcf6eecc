//! What was kept of the studies, as claims ask for it.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::curves::{Column, Curves, curves};
use super::super::length::last;
use super::super::plan::Plan;
use super::super::row;
use super::{BASELINES, EVOLUTION, GRADIENT};
use crate::BenchError;
use crate::paper::{Claim, Verdict, listed};

/// How often each edge was chosen, by iteration.
pub(super) type Mask = BTreeMap<u64, Vec<f64>>;

/// All that was kept of studies as they are now.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The reward of each seed, by study.
    rewards: BTreeMap<String, Vec<f64>>,
    /// Every iteration, seed by seed.
    curves: BTreeMap<String, Curves>,
    /// How often each edge of the masks of Swimmer was chosen, by iteration, seed by seed.
    pub(super) masks: Vec<Mask>,
}

pub(super) fn study(class: &str, env: &str, controller: &str) -> String {
    format!("{class}/{}-{controller}", env.to_lowercase())
}

impl Kept {
    pub(super) fn read(plan: &Plan, folder: &Path) -> Result<Self, BenchError> {
        let mut kept = Self::default();
        for cell in plan.cells() {
            let rows = row::read(&folder.join(format!("{}.csv", cell.group)))?;
            let known = rows.iter().filter(|row| row.is_of(&cell, row.seed));
            let rewards: Vec<f64> = known.filter_map(|row| row.reward(&cell)).collect();
            let curves = curves(&cell, folder)?;
            if !curves.is_empty() {
                kept.curves.insert(cell.name.clone(), curves);
            }
            if !rewards.is_empty() {
                kept.rewards.insert(cell.name, rewards);
            }
        }
        kept.masks = masks(folder)?;
        Ok(kept)
    }

    /// The mean over seeds.
    pub(super) fn reward(&self, class: &str, env: &str, controller: &str) -> Option<f64> {
        let rewards = self.rewards.get(&study(class, env, controller))?;
        Some(rewards.iter().sum::<f64>() / rewards.len() as f64)
    }

    /// The better controller's.
    fn best(&self, class: &str, env: &str) -> Option<f64> {
        let both = [GRADIENT, EVOLUTION].map(|controller| self.reward(class, env, controller));
        both.into_iter().flatten().reduce(f64::max)
    }

    /// The better of the paper's own classes in table 1.
    pub(super) fn ours(&self, env: &str) -> Option<f64> {
        let both = ["quantization", "edge-pruning"].map(|class| self.best(class, env));
        both.into_iter().flatten().reduce(f64::max)
    }

    /// The best of table 1's baselines.
    pub(super) fn baselines(&self, env: &str) -> Option<f64> {
        let rewards = BASELINES.map(|class| self.reward(class, env, super::RANDOM));
        rewards.into_iter().flatten().reduce(f64::max)
    }

    /// What `of` makes of every seed's curve, on average over those of which it makes anything.
    fn each(
        &self,
        study: &str,
        of: impl Fn(&BTreeMap<String, Column>) -> Option<f64>,
    ) -> Option<f64> {
        let found: Vec<f64> = self.curves.get(study)?.iter().filter_map(of).collect();
        (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
    }

    /// The centre's mean over a part of the curve, as a share of `length`.
    pub(super) fn part(&self, study: &str, length: usize, from: f64, to: f64) -> Option<f64> {
        let of = |at: f64| (length as f64 * at).round() as usize;
        self.each(study, |curve| {
            let part = curve.get(CENTRE)?.get(of(from)..of(to).max(of(from) + 1))?;
            Some(part.iter().sum::<f64>() / part.len() as f64)
        })
    }

    /// The iterations that all seeds of both have.
    pub(super) fn length(&self, studies: [&str; 2]) -> Option<usize> {
        let length = |curve: &BTreeMap<String, Column>| curve.get(CENTRE).map_or(0, Vec::len);
        let shortest = |study: &str| self.curves.get(study)?.iter().map(length).min();
        Some(shortest(studies[0])?.min(shortest(studies[1])?)).filter(|length| *length > 0)
    }

    /// Edges of the centre's models in the last iterations.
    pub(super) fn edges(&self, study: &str) -> Option<f64> {
        let edges = self.each(study, |curve| curve.get("edges").map(|edges| last(edges)));
        edges.filter(|edges| edges.is_finite())
    }

    /// The centre's best with more than `from` and at most `to` of its edges in use.
    pub(super) fn best_of_usage(&self, study: &str, from: f64, to: f64) -> Option<f64> {
        self.each(study, |curve| {
            let both = curve.get(CENTRE)?.iter().zip(curve.get("usage")?);
            let meant = both.filter(|(_, usage)| **usage > from && **usage <= to);
            meant.map(|(centre, _)| *centre).reduce(f64::max)
        })
    }
}

/// The column of the centre's mean.
const CENTRE: &str = "centre_mean";

fn masks(folder: &Path) -> Result<Vec<Mask>, BenchError> {
    let mut seeds = Vec::new();
    for seed in 0..3 {
        let mut mask = Mask::new();
        for row in table(&folder.join(format!("swimmer-mask/seed{seed}.csv")))? {
            let number = |name: &str| row.get(name)?.parse::<f64>().ok();
            if let (Some("in"), Some(at), Some(share)) =
                (row.get("option").map(String::as_str), number("iteration"), number("frequency"))
            {
                mask.entry(at as u64).or_default().push(share);
            }
        }
        seeds.extend((!mask.is_empty()).then_some(mask));
    }
    Ok(seeds)
}

/// The rows of a CSV file by their columns; none if there is no file. Cells hold no commas but in
/// quotes, which no column that is read has.
fn table(path: &Path) -> Result<Vec<BTreeMap<String, String>>, BenchError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).map_err(BenchError::file(path))?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let row = |line: &str| {
        let cells = header.iter().zip(line.split(','));
        cells.map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    Ok(lines.map(row).collect())
}

/// What is true of some environments or cells, and not of others.
#[derive(Default)]
pub(super) struct Count {
    yes: usize,
    no: Vec<String>,
}

impl Count {
    pub(super) fn add(&mut self, what: &str, is: Option<bool>) {
        match is {
            Some(true) => self.yes += 1,
            Some(false) => self.no.push(what.to_owned()),
            None => {}
        }
    }

    fn all(&self) -> usize {
        self.yes + self.no.len()
    }

    /// Of `cells` that the paper has; undecided before half of them are kept.
    pub(super) fn claim(
        self,
        place: &'static str,
        statement: &str,
        least: f64,
        cells: usize,
    ) -> Claim {
        let all = self.all();
        let but = match self.no.as_slice() {
            [] => String::new(),
            no => format!(", not {}", listed(no)),
        };
        let (verdict, evidence) = match all {
            0 => (Verdict::Open, format!("Of {cells} cells none is kept.")),
            _ if 2 * all < cells => {
                let said = format!("So far true of {} of {all} cells, of {cells}{but}.", self.yes);
                (Verdict::Open, said)
            }
            _ => (
                Verdict::of(self.yes as f64 > least * all as f64),
                format!("True of {} of {all} cells that are kept, of {cells}{but}.", self.yes),
            ),
        };
        Claim { place, statement: statement.to_owned(), verdict, evidence }
    }
}
