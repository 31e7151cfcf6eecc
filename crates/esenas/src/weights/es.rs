//! Antithetic evolution strategies, §2.1.1, and their refinement ARS (Mania et al. 2018).
//!
//! θ ← θ + η_w · (1/n) Σᵢ (f(θ + σgᵢ) − f(θ − σgᵢ)) / 2σ · gᵢ    (Eq. 4, with m held fixed)
//!
//! Points come in pairs θ + σg₁, θ − σg₁, θ + σg₂, …, and share a centre. While they fit into a few
//! megabytes the gᵢ are kept for the update; beyond, nothing of size n·d is ever held and the update
//! draws each gᵢ again from its address, block by block.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::WeightOptimizer;
use super::buffer::Buffer;
use super::schedule::Schedule;
use super::start::{self, StartError};
use super::step::{Memory, StepRule, norm};
use super::turn::Turn;
use crate::base::Shared;
use crate::optimizer::{Statistics, told};
use crate::shaping::Normalize;
use crate::{BLOCK, Base, Bounds, Noise, Optimizer, Probe, Stream, Theta, simd};

/// Hyperparameters; the defaults are the paper's for BBOB (Appendix A.2.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EsConfig {
    /// σ
    pub sigma: Schedule,
    /// η_w
    pub step_size: Schedule,
    /// n, the number of pairs an iteration asks for.
    pub directions: u32,
    /// How gᵢ are drawn.
    pub sampling: Sampling,
    /// How values are normalized.
    pub normalize: Normalize,
    /// Learn from the best pairs only, by their better value (ARS's b); from all when `None`.
    pub top: Option<u32>,
    /// How the gradient becomes a step.
    pub rule: StepRule,
    /// Decoupled weight decay: θ shrinks by η_w times this before each step.
    pub weight_decay: f64,
}

impl Default for EsConfig {
    fn default() -> Self {
        Self {
            sigma: 0.5.into(),
            step_size: 0.5.into(),
            directions: 64,
            sampling: Sampling::default(),
            normalize: Normalize::default(),
            top: None,
            rule: StepRule::default(),
            weight_decay: 0.0,
        }
    }
}

impl EsConfig {
    /// The paper's settings for reinforcement learning (Appendix A.2.2).
    pub fn reinforcement_learning() -> Self {
        Self { sigma: 0.1.into(), step_size: 0.01.into(), directions: 75, ..Self::default() }
    }
}

/// The distribution of the directions; each has covariance I.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// Independent Gaussians (Algorithm 1).
    #[default]
    Gaussian,
    /// Gaussians made orthogonal: less variance, but O(n·d) memory and O(n²·d) time.
    Orthogonal,
    /// Rows of a randomly signed Hadamard matrix: orthogonal if d is a power of two, and cheap.
    Hadamard,
}

/// The state of the algorithm: all of it, and nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Es {
    config: EsConfig,
    /// θ, and the directions of the last `ask`.
    base: Shared,
    memory: Memory,
    /// How many times it was told.
    iteration: u32,
    /// Points asked for and not yet told of.
    pending: usize,
    gradient_norm: f64,
    step_norm: f64,
    turn: Turn,
    /// Space for a gradient; means nothing between calls.
    #[serde(skip)]
    gradient: Buffer,
}

impl Es {
    /// Starts at `theta`.
    pub fn new(
        config: EsConfig,
        theta: Vec<f64>,
        bounds: Option<Bounds>,
    ) -> Result<Self, StartError> {
        check(&config)?;
        start::check_point(&theta, bounds.as_ref())?;
        Ok(Self {
            config,
            base: Shared::new(Base::new(theta, None, bounds)),
            memory: Memory::default(),
            iteration: 0,
            pending: 0,
            gradient_norm: 0.0,
            step_norm: 0.0,
            turn: Turn::default(),
            gradient: Buffer::default(),
        })
    }

    /// θ
    pub fn theta(&self) -> &[f64] {
        &self.base.centre
    }

    /// σ, as of now.
    pub fn sigma(&self) -> f64 {
        self.config.sigma.at(self.iteration)
    }

    /// Pairs that came back whole: row and vᵢ = ½(vᵢ⁺ − vᵢ⁻), normalized.
    ///
    /// A pair missing either value says nothing about its direction and is left out.
    fn differences(&self, values: &[Option<f64>]) -> Vec<(u32, f64)> {
        let pair =
            |row: usize| Some((row as u32, told(values, 2 * row)?, told(values, 2 * row + 1)?));
        let mut pairs: Vec<_> = (0..self.pending / 2).filter_map(pair).collect();
        if let Some(top) = self.config.top {
            pairs.sort_by(|a, b| b.1.max(b.2).total_cmp(&a.1.max(a.2)));
            pairs.truncate(top as usize);
            pairs.sort_by_key(|(row, ..)| *row);
        }
        let mut values: Vec<f64> =
            pairs.iter().flat_map(|&(_, plus, minus)| [plus, minus]).collect();
        self.config.normalize.apply(&mut values);
        let halves = values.chunks_exact(2).map(|v| 0.5 * v[0] - 0.5 * v[1]);
        pairs.iter().zip(halves).map(|((row, ..), v)| (*row, v)).collect()
    }

    /// ĝ = (1/σn) Σᵢ vᵢ gᵢ
    fn estimate(&self, differences: &[(u32, f64)], gradient: &mut [f64]) {
        let scale = 1.0 / (self.sigma() * differences.len() as f64);
        let block = |(block, sum): (usize, &mut [f64])| {
            let mut rooms = [[0.0; BLOCK]; 4];
            let mut rooms = rooms.each_mut().map(|room| &mut room[..sum.len()]);
            sum.fill(0.0);
            let (fours, rest) = differences.as_chunks::<4>();
            for four in fours {
                let mut pairs = four.iter();
                let rows = rooms.each_mut().map(|room| match pairs.next() {
                    Some(&(row, _)) => self.base.direction(row, block, room),
                    None => room,
                });
                simd::add_scaled(sum, four.map(|(_, v)| scale * v), rows);
            }
            for &(row, v) in rest {
                let row = self.base.direction(row, block, rooms[0]);
                simd::add_scaled(sum, [scale * v], [row]);
            }
        };
        // Each coordinate is summed in the order of the pairs, whichever thread does it; waking
        // threads for a few blocks would cost more than the blocks.
        if gradient.len() <= 8 * BLOCK {
            gradient.chunks_mut(BLOCK).enumerate().for_each(block);
        } else {
            gradient.par_chunks_mut(BLOCK).enumerate().for_each(block);
        }
    }
}

fn check(config: &EsConfig) -> Result<(), StartError> {
    for sigma in config.sigma.ends() {
        start::check_sigma(sigma)?;
    }
    let setting = |name, value: f64, fits, accepted| {
        if fits { Ok(()) } else { Err(StartError::Setting { name, accepted, value }) }
    };
    for step in config.step_size.ends() {
        setting("step_size", step, step.is_finite() && step > 0.0, "be positive and finite")?;
    }
    let (directions, decay) = (config.directions, config.weight_decay);
    setting("directions", directions.into(), directions > 0, "be at least 1")?;
    let fits = decay.is_finite() && decay >= 0.0;
    setting("weight_decay", decay, fits, "be zero or positive, and finite")?;
    if let Some(top) = config.top {
        let fits = (1..=directions).contains(&top);
        setting("top", top.into(), fits, "be from 1 to the number of directions")?;
    }
    config.rule.check()
}

impl Optimizer for Es {
    type Point = Theta;

    /// An odd last point has no partner and is left out of the update.
    fn ask(&mut self, n: usize, stream: &mut Stream) -> Vec<Theta> {
        let (key, sigma, rows) = (stream.bits(), self.sigma(), n.div_ceil(2));
        let base = self.base.change();
        let dim = base.centre.len();
        let noise = match self.config.sampling {
            Sampling::Gaussian => Noise::Gaussian(key),
            Sampling::Hadamard => Noise::hadamard(key, dim),
            Sampling::Orthogonal => Noise::orthogonal(key, rows, dim),
        };
        base.redirect(noise, rows);
        self.pending = n;
        let probe = |i: usize| Probe {
            row: (i / 2) as u32,
            scale: if i.is_multiple_of(2) { sigma } else { -sigma },
        };
        (0..n).map(|i| Theta::probe(self.base.share(), probe(i))).collect()
    }

    fn tell(&mut self, values: &[Option<f64>]) {
        let differences = self.differences(values);
        self.pending = 0;
        if differences.is_empty() {
            return;
        }
        let mut gradient = std::mem::take(&mut self.gradient);
        let step = gradient.room(self.base.centre.len());
        self.estimate(&differences, step);
        let length = norm(step);
        // Values too large to square cannot be learned from.
        if length.is_finite() {
            self.turn.follow(step);
            let step_size = self.config.step_size.at(self.iteration);
            self.memory.step(&self.config.rule, step_size, step);
            (self.gradient_norm, self.step_norm) = (length, norm(step));
            let keep = 1.0 - (step_size * self.config.weight_decay).min(1.0);
            let base = self.base.change();
            base.centre.iter_mut().zip(&*step).for_each(|(t, s)| *t = keep * *t + s);
            if let Some(bounds) = &base.bounds {
                bounds.clip(0, &mut base.centre);
            }
            self.iteration = self.iteration.saturating_add(1);
        }
        self.gradient = gradient;
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = vec![
            ("sigma", self.sigma()),
            ("gradient_norm", self.gradient_norm),
            ("step_norm", self.step_norm),
        ];
        statistics.extend(self.turn.cosine().map(|cosine| ("gradient_cosine", cosine)));
        statistics
    }
}

impl WeightOptimizer for Es {
    fn centre(&self) -> Theta {
        Theta::centre(self.base.share())
    }

    fn population(&self) -> usize {
        2 * self.config.directions as usize
    }

    fn antithetic(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Seed};

    fn sphere(theta: &Theta) -> f64 {
        -theta.to_vec().iter().map(|t| t * t).sum::<f64>()
    }

    fn stream(iteration: u32) -> Stream {
        Seed(7).stream(Purpose::Ask, iteration, 0)
    }

    fn es(config: EsConfig, dim: usize) -> Es {
        Es::new(config, vec![1.0; dim], None).unwrap()
    }

    fn run(es: &mut Es, iterations: u32, n: usize, f: impl Fn(&Theta) -> f64) {
        for iteration in 0..iterations {
            let points = es.ask(n, &mut stream(iteration));
            let values: Vec<_> = points.iter().map(|p| Some(f(p))).collect();
            drop(points);
            es.tell(&values);
        }
    }

    fn off() -> EsConfig {
        EsConfig {
            sigma: 0.1.into(),
            step_size: 0.05.into(),
            normalize: Normalize::Off,
            ..EsConfig::default()
        }
    }

    /// On f(θ) = a·θ Eq. 4 gives exactly θ + η/n Σ (a·gᵢ) gᵢ.
    #[test]
    fn one_step_is_equation_4() {
        let a = [3.0, -2.0, 0.5];
        let mut es = es(off(), 3);
        let points = es.ask(8, &mut stream(0));
        let rows: Vec<_> = (0..4).map(|row| points[0].base().noise().row(row, 3)).collect();
        let linear = |p: &Theta| p.to_vec().iter().zip(a).map(|(t, a)| t * a).sum::<f64>();
        es.tell(&points.iter().map(|p| Some(linear(p))).collect::<Vec<_>>());
        for j in 0..3 {
            let expected: f64 = rows
                .iter()
                .map(|g| {
                    g.iter().zip(a).map(|(g, a)| f64::from(*g) * a).sum::<f64>() * f64::from(g[j])
                })
                .sum();
            assert!((es.theta()[j] - (1.0 + 0.05 * expected / 4.0)).abs() < 1e-12);
        }
    }

    #[test]
    fn a_failed_probe_silences_its_pair_only() {
        let (mut whole, mut holed) = (es(off(), 4), es(off(), 4));
        run(&mut whole, 1, 2, sphere);
        for missing in [None, Some(f64::NAN), Some(f64::INFINITY)] {
            let mut holed = holed.clone();
            let mut values: Vec<_> =
                holed.ask(4, &mut stream(0)).iter().map(|t| Some(sphere(t))).collect();
            values[3] = missing;
            holed.tell(&values);
            assert_eq!(whole.theta(), holed.theta());
        }
        let values: Vec<_> = holed.ask(3, &mut stream(0)).iter().map(|t| Some(sphere(t))).collect();
        holed.tell(&values);
        assert_eq!(whole.theta(), holed.theta(), "the odd one out teaches nothing");
    }

    #[test]
    fn equal_values_mean_no_step() {
        for normalize in [Normalize::Off, Normalize::Deviation, Normalize::Ranks] {
            let mut es = es(EsConfig { normalize, ..off() }, 4);
            run(&mut es, 1, 8, |_| 1e9 / 7.0);
            assert_eq!(es.theta(), [1.0; 4], "{normalize:?}");
        }
    }

    /// ARS divides by the deviation of the values it learns from; ranks see only the order.
    #[test]
    fn normalization_takes_out_what_it_promises() {
        let trace = |normalize, f: &dyn Fn(&Theta) -> f64| {
            let mut es = es(EsConfig { normalize, ..off() }, 4);
            run(&mut es, 5, 8, f);
            es.theta().to_vec()
        };
        let close = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9);
        let plain = trace(Normalize::Deviation, &sphere);
        assert!(close(plain, trace(Normalize::Deviation, &|p| 50.0 + 1e3 * sphere(p))));
        let plain = trace(Normalize::Ranks, &sphere);
        assert!(close(plain, trace(Normalize::Ranks, &|p| -(-sphere(p)).powf(0.3))));
        let plain = trace(Normalize::Off, &sphere);
        assert!(!close(plain, trace(Normalize::Off, &|p| 2.0 * sphere(p))));
    }

    #[test]
    fn top_keeps_the_pairs_with_the_best_value() {
        let config = EsConfig { top: Some(1), directions: 2, ..off() };
        let (mut all, mut top) = (es(off(), 3), es(config, 3));
        all.ask(2, &mut stream(0));
        top.ask(4, &mut stream(0));
        all.tell(&[Some(1.0), Some(9.0)]);
        top.tell(&[Some(1.0), Some(9.0), Some(8.0), Some(7.0)]);
        assert_eq!(all.theta(), top.theta());
    }

    #[test]
    fn every_rule_and_sampling_climbs_the_sphere() {
        let rules = [
            StepRule::Plain,
            StepRule::Momentum(Default::default()),
            StepRule::Adam(Default::default()),
            StepRule::ClipUp(Default::default()),
        ];
        for rule in rules {
            for sampling in [Sampling::Gaussian, Sampling::Orthogonal, Sampling::Hadamard] {
                let step_size = match rule {
                    StepRule::Momentum(_) => 0.01,
                    _ => 0.05,
                };
                let mut es =
                    es(EsConfig { rule, sampling, step_size: step_size.into(), ..off() }, 10);
                run(&mut es, 300, 20, sphere);
                let value = sphere(&es.centre());
                assert!(value > -0.05, "{rule:?} {sampling:?}: {value}");
            }
        }
    }

    #[test]
    fn rules_take_the_steps_of_their_papers() {
        let step = |rule, gradients: &[[f64; 2]]| {
            let mut memory = Memory::default();
            let mut last = [0.0; 2];
            for gradient in gradients {
                last = *gradient;
                memory.step(&rule, 0.1, &mut last);
            }
            last
        };
        let near = |a: [f64; 2], b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7);
        let g = [[3.0, 4.0], [3.0, 4.0]];
        assert!(near(step(StepRule::Plain, &g), [0.3, 0.4]));
        assert!(near(step(StepRule::Momentum(Default::default()), &g), [0.57, 0.76]));
        assert!(near(step(StepRule::Adam(Default::default()), &g), [0.1, 0.1]));
        // |v| = 0.1, then 0.9·0.1 + 0.1 = 0.19, then cut at 0.2.
        let clip_up = StepRule::ClipUp(Default::default());
        assert!(near(step(clip_up, &g), [0.6 * 0.19, 0.8 * 0.19]));
        assert!(near(step(clip_up, &[g[0]; 5]), [0.6 * 0.2, 0.8 * 0.2]));
    }

    #[test]
    fn schedules_bounds_and_decay_take_effect() {
        let course = super::super::Course { from: 0.4, to: 0.1, iterations: 3 };
        let config = EsConfig { sigma: Schedule::Linear(course), weight_decay: 2.0, ..off() };
        let bounds = Bounds::new(vec![-0.5], vec![0.95], 2).unwrap();
        let mut es = Es::new(config, vec![0.9; 2], Some(bounds)).unwrap();
        assert_eq!(es.sigma(), 0.4);
        let points = es.ask(4, &mut stream(0));
        assert!(points.iter().flat_map(Theta::to_vec).all(|t| (-0.5..=0.95).contains(&t)));
        es.tell(&[Some(0.0); 4]);
        assert!(es.theta().iter().all(|t| (t - 0.9 * 0.9).abs() < 1e-12), "{:?}", es.theta());
        assert!((es.sigma() - 0.3).abs() < 1e-12);
    }

    #[test]
    fn one_thread_and_eight_give_the_same_bits() {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut es = es(off(), 20_000);
                run(&mut es, 3, 8, sphere);
                es
            })
        };
        assert_eq!(on(1), on(8));
    }

    #[test]
    fn proposals_are_stable() {
        let mut es = es(EsConfig::default(), 3);
        run(&mut es, 3, 6, sphere);
        let bits: Vec<u64> = es.theta().iter().map(|t| t.to_bits()).collect();
        assert_eq!(
            bits,
            [4598822368701194170, 4593219280162135728, 13817069540776767978],
            "{bits:?}"
        );
    }

    #[test]
    fn bad_settings_are_refused_at_the_door() {
        let refused = |config| Es::new(config, vec![0.0], None).unwrap_err().to_string();
        let ok = EsConfig::default;
        assert_eq!(
            refused(EsConfig { sigma: 0.0.into(), ..ok() }),
            "sigma must lie between 1e-100 and 1e100, got 0"
        );
        assert_eq!(
            refused(EsConfig { step_size: f64::NAN.into(), ..ok() }),
            "step_size must be positive and finite, got NaN"
        );
        assert_eq!(
            refused(EsConfig { directions: 0, ..ok() }),
            "directions must be at least 1, got 0"
        );
        assert_eq!(
            refused(EsConfig { top: Some(65), ..ok() }),
            "top must be from 1 to the number of directions, got 65"
        );
        let rule = StepRule::Momentum(super::super::Momentum { beta: 1.0 });
        assert_eq!(
            refused(EsConfig { rule, ..ok() }),
            "rule.momentum.beta must lie in [0, 1), got 1"
        );
        assert_eq!(
            Es::new(ok(), vec![0.0, f64::INFINITY], None).unwrap_err().to_string(),
            "theta must start finite, got inf at coordinate 1"
        );
    }
}
