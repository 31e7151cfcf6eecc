//! What a value owes to its model, so that θ need not learn from it.
//!
//! The models of a batch differ, and how much f varies with m enters the estimate of ∇_θ as noise:
//! for independent m⁺ and m⁻, Var f(m)/2σ²n in each coordinate of Eq. 4. Any b(m) that does not
//! depend on the directions may be subtracted from the values first, since E[b(m) g] = E[b(m)] E[g]
//! = 0, and the nearer b is to the mean value of m, the less of that noise is left (the baseline of
//! REINFORCE, Williams 1992).
//!
//! Here b(m) = Σ a(s) over what m selects: a main effect for each selection, learned from the (m,
//! v) that the controller is told too, whichever controller it is, and used from the next iteration
//! on: so b never depends on the directions it is used with. With residuals rᵢ = vᵢ − v̄ − (b(mᵢ) −
//! b̄), one selection after the other,
//!
//! ```text
//! a(s) ← a(s) + δ,  δ = Σ rᵢ / (nₛ + D),  rᵢ ← rᵢ − δ,   over the nₛ points i that select s
//! ```
//!
//! D, the mean number of selections, keeps a(s) from learning the noise of the D others. Each step
//! lessens Σ r², so that it cannot diverge, and effects follow θ as it moves. A selection that all
//! points have says nothing: with one model nothing is ever learned, and values reach θ as they
//! are, to the bit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::selections::{Selection, selections};
use crate::optimizer::told;
use crate::{Dna, Space};

/// What is subtracted from values before θ learns from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Baseline {
    /// Nothing (Algorithm 1).
    #[default]
    Off,
    /// What the model's selections are worth on average, each on its own.
    Additive,
}

/// What is known of the selections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Effects {
    /// a(s)
    of: BTreeMap<Selection, f64>,
    /// The models of the last ask, until they are told, each with its b(m).
    asked: Vec<(Dna, f64)>,
}

impl Effects {
    /// Says what the values of `models` will owe to them.
    pub(super) fn ask(&mut self, space: &Space, models: Vec<Dna>) {
        let predicted = self.predict(space, &models);
        self.asked = models.into_iter().zip(predicted).collect();
    }

    /// What is left of the values of the models last asked for; learns from them.
    pub(super) fn subtract(&mut self, space: &Space, values: &[Option<f64>]) -> Vec<Option<f64>> {
        let (models, predicted): (Vec<_>, Vec<_>) = self.asked.drain(..).unzip();
        let rest = values.iter().zip(&predicted).map(|(v, b)| v.map(|v| v - b)).collect();
        self.learn(space, &models, values, &predicted);
        rest
    }

    /// b(m) of each model, less their mean.
    fn predict(&self, space: &Space, models: &[Dna]) -> Vec<f64> {
        if self.of.is_empty() {
            return vec![0.0; models.len()];
        }
        let effect = |it: Selection| self.of.get(&it).copied().unwrap_or(0.0);
        let sum = |dna| selections(space, dna).into_iter().map(effect).sum::<f64>();
        let mut predicted: Vec<f64> = models.iter().map(sum).collect();
        centre(&mut predicted);
        predicted
    }

    /// Learns from the values of `models`, of which b was `predicted`. Points without a value say
    /// nothing.
    fn learn(&mut self, space: &Space, models: &[Dna], values: &[Option<f64>], predicted: &[f64]) {
        let known = models.iter().zip(predicted).enumerate();
        let known = known.filter_map(|(at, (dna, b))| Some((dna, told(values, at)?, *b)));
        let (models, mut residuals): (Vec<&Dna>, Vec<f64>) =
            known.map(|(dna, value, b)| (dna, value - b)).unzip();
        centre(&mut residuals);
        if residuals.iter().any(|r| !r.is_finite()) {
            return;
        }
        let mut points: BTreeMap<Selection, Vec<usize>> = BTreeMap::new();
        for (at, dna) in models.iter().enumerate() {
            for selection in selections(space, dna) {
                points.entry(selection).or_default().push(at);
            }
        }
        let selected = points.values().map(Vec::len).sum::<usize>() as f64;
        let decisions = selected / models.len().max(1) as f64; // D
        for (selection, points) in points {
            if points.len() == models.len() {
                continue;
            }
            let sum: f64 = points.iter().map(|&at| residuals[at]).sum();
            let change = sum / (points.len() as f64 + decisions);
            let effect = self.of.entry(selection).or_insert(0.0);
            if (*effect + change).is_finite() {
                *effect += change;
                points.iter().for_each(|&at| residuals[at] -= change);
            }
        }
    }
}

fn centre(values: &mut [f64]) {
    let n = values.len().max(1) as f64;
    let mean: f64 = values.iter().map(|v| v / n).sum();
    values.iter_mut().for_each(|v| *v -= mean);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Seed};

    /// Two digits and a subset of 2 of 4; the second digit is there only if the first is 2.
    fn space() -> Space {
        Space::from_value(&serde_json::json!({
            "first": { "oneof": [0, 1, { "second": { "oneof": [0, 1, 2] } }] },
            "members": { "manyof": [0, 1, 2, 3], "k": 2, "sorted": true },
        }))
        .unwrap()
    }

    /// Of a sum of effects all is learned, nested decisions and members too. Red when effects are
    /// learned of genes instead of selections, or residuals are not passed on.
    #[test]
    fn a_sum_of_effects_is_learned() {
        let (space, mut effects) = (space(), Effects::default());
        let worth =
            |dna: &Dna| selections(&space, dna).iter().map(|s| (7 * s.0 + 3 * s.1) as f64).sum();
        let mut last = f64::INFINITY;
        for iteration in 0..200 {
            let mut stream = Seed(3).stream(Purpose::Ask, iteration, 0);
            let models: Vec<Dna> = (0..30).map(|_| space.sample(&mut stream)).collect();
            let mut values: Vec<f64> = models.iter().map(worth).collect();
            let predicted = effects.predict(&space, &models);
            let told: Vec<_> = values.iter().map(|v| Some(*v)).collect();
            effects.learn(&space, &models, &told, &predicted);
            centre(&mut values);
            last = values.iter().zip(&predicted).map(|(v, b)| (v - b).abs()).fold(0.0, f64::max);
        }
        assert!(last < 1e-3, "{last}");
    }

    #[test]
    fn nothing_is_learned_from_one_model_or_no_value_and_all_stays_finite() {
        let (space, mut effects) = (space(), Effects::default());
        let one = vec![space.first(); 4];
        effects.learn(&space, &one, &[Some(1.0), Some(2.0), Some(0.1), None], &[0.0; 4]);
        assert_eq!(effects, Effects::default());
        let mut stream = Seed(4).stream(Purpose::Ask, 0, 0);
        let models: Vec<Dna> = (0..4).map(|_| space.sample(&mut stream)).collect();
        effects.learn(&space, &models, &[None, Some(f64::NAN), None, None], &[0.0; 4]);
        assert_eq!(effects.predict(&space, &models), [0.0; 4]);
        for extreme in [f64::MAX, f64::MIN, 1e300] {
            let values = [Some(extreme), Some(-extreme), Some(0.0), Some(extreme)];
            effects.learn(&space, &models, &values, &[0.0; 4]);
            assert!(effects.predict(&space, &models).iter().all(|b| b.is_finite()));
        }
    }
}
