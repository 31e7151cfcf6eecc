//! Weights that depend on the model: offsets of θ owned by what a model selects.
//!
//! Algorithm 1 draws m and θ independently, and one θ has to serve all models: the paper names this as its
//! limitation (§5). Here a model is evaluated at θ + o(m), o(m) = Σ oₛ over what m selects, and oₛ is
//! updated only by points that select s. To θ's own optimizer nothing changes but the objective, which is
//! f(m, θ + o(m)); so this goes with any of them.
//!
//! With δᵢ the step of point i away from θ and uᵢ its rank among those it is compared with, centred and
//! scaled to variance one, S all points and Sₛ those that select s,
//!
//! ```text
//! oₛ ← oₛ + ρ nₛ/(nₛ + D) (1/nₛ Σ_{i ∈ Sₛ} uᵢ δᵢ − 1/n Σ_{i ∈ S} uᵢ δᵢ)
//! ```
//!
//! On a slope each mean is a step of about σ uphill: of those who select s, less what θ itself does. D, the mean
//! number of selections, is there as in [`Baseline`](super::Baseline). A selection that all points have moves with
//! θ: with one model there are no offsets, and points are as without, to the bit. Every oₛ is as large as
//! θ, and its estimate as noisy as one of θ from nₛ points: where models agree on θ, or d is large beside the
//! batch, offsets only add noise.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::selections::{Selection, selections};
use crate::optimizer::told;
use crate::shaping::Normalize;
use crate::{Dna, Scratch, Space, Theta};

/// The most numbers that offsets may have.
pub const MAX_OFFSETS: u64 = 1 << 26;

/// The settings of offsets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OffsetsConfig {
    /// ρ
    pub rate: f64,
}

impl Default for OffsetsConfig {
    fn default() -> Self {
        Self { rate: 0.3 }
    }
}

/// oₛ
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Offsets {
    config: OffsetsConfig,
    owned: BTreeMap<Selection, Vec<f64>>,
}

impl Offsets {
    pub(super) fn new(config: OffsetsConfig) -> Self {
        Self { config, owned: BTreeMap::new() }
    }

    pub(super) fn restart(&mut self) {
        self.owned.clear();
    }

    /// θ + o(m), in the box and on its grid; θ itself where o(m) is nothing yet.
    pub(super) fn at(&self, space: &Space, dna: &Dna, theta: &Theta) -> Theta {
        let found = selections(space, dna);
        let mut owned = found.iter().filter_map(|it| self.owned.get(it)).peekable();
        if owned.peek().is_none() {
            return theta.clone();
        }
        let mut point = theta.to_vec();
        owned.for_each(|offset| add(&mut point, 1.0, offset));
        if let Some(bounds) = &theta.base().bounds {
            bounds.place(0, &mut point);
        }
        Theta::dense(point)
    }

    /// Learns from the values of `models` at `thetas` (before offsets), which lie around `centre`.
    pub(super) fn learn(
        &mut self,
        space: &Space,
        models: &[Dna],
        thetas: &[Theta],
        centre: &Theta,
        values: &[Option<f64>],
    ) {
        let known: Vec<(usize, f64)> =
            (0..thetas.len()).filter_map(|at| Some((at, told(values, at)?))).collect();
        let mut points: BTreeMap<Selection, Vec<(usize, f64)>> = BTreeMap::new();
        for &(at, value) in &known {
            for selection in selections(space, &models[at]) {
                points.entry(selection).or_default().push((at, value));
            }
        }
        points.retain(|_, points| 1 < points.len() && points.len() < known.len());
        if points.is_empty() {
            return;
        }
        let steps = steps(thetas, centre);
        let common = ascent(&steps, &known);
        let decisions =
            points.values().map(Vec::len).sum::<usize>() as f64 / known.len().max(1) as f64; // D
        for (selection, points) in points {
            let n = points.len() as f64;
            let scale = self.config.rate * n / (n + decisions);
            let own = ascent(&steps, &points);
            let offset = self.owned.entry(selection).or_insert_with(|| vec![0.0; own.len()]);
            add(offset, scale, &own);
            add(offset, -scale, &common);
        }
    }
}

/// δᵢ = θᵢ − θ
fn steps(thetas: &[Theta], centre: &Theta) -> Vec<Vec<f64>> {
    let (centre, mut scratch) = (centre.to_vec(), Scratch::default());
    let step = |theta: &Theta| {
        let mut step = Vec::new();
        theta.write(&mut step, &mut scratch);
        add(&mut step, -1.0, &centre);
        step
    };
    thetas.iter().map(step).collect()
}

/// 1/n Σ uᵢ δᵢ over `points`, each the number of its step and its value.
fn ascent(steps: &[Vec<f64>], points: &[(usize, f64)]) -> Vec<f64> {
    let mut ranks: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    Normalize::Ranks.apply(&mut ranks);
    Normalize::Deviation.apply(&mut ranks);
    let mut sum = vec![0.0; steps.first().map_or(0, Vec::len)];
    for (&(at, _), u) in points.iter().zip(ranks) {
        add(&mut sum, u / points.len() as f64, &steps[at]);
    }
    sum
}

/// Steps are bounded by σ, and σ by its limits: no sum of them leaves the numbers.
fn add(to: &mut [f64], scale: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, x)| *to += scale * x);
}
