//! What an environment observes, pays and ends on, apart from the simulation.
//!
//! The formulas are those of gym 0.17.3 (v2) and Gymnasium 1.4.0 (v4, v5), read from their sources.
//! Two habits of theirs are part of the tasks: the control cost is that of the action as given,
//! although the actuators saturate; and body positions lag the joints by one time step, since
//! nothing recomputes them after the last one.

pub(crate) mod arm;
pub(crate) mod planar;
pub(crate) mod reacher;

use esenas::Stream;
use esenas_control::Step;

use crate::ffi::Data;

/// What the rules see: the simulation, and where the bodies are that they asked for.
pub(crate) struct View<'a> {
    pub(crate) data: &'a Data,
    pub(crate) bodies: &'a [usize],
    /// Seconds per action.
    pub(crate) dt: f64,
}

impl View<'_> {
    /// The position of the `i`-th body of the rules.
    pub(crate) fn body(&self, i: usize) -> [f64; 3] {
        self.data.body_position(self.bodies[i])
    }
}

/// The rules of one environment, and what they remember during an episode.
pub(crate) trait Rules: Send {
    /// Draws the start of an episode: changes the default positions and the zero velocities.
    fn start(&self, stream: &mut Stream, qpos: &mut [f64], qvel: &mut [f64]);

    /// Forgets the last episode.
    fn forget(&mut self) {}

    /// Looks at the state before the action is applied.
    fn before(&mut self, view: &View<'_>);

    /// What the action paid, the state after it now being in view.
    fn after(&mut self, view: &View<'_>, action: &[f64]) -> Step;

    /// Writes the observation.
    fn observe(&self, view: &View<'_>, out: &mut [f64]);
}

fn squared(action: &[f64]) -> f64 {
    action.iter().map(|a| a * a).sum()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// Uniform in `low..high`.
fn uniform(stream: &mut Stream, low: f64, high: f64) -> f64 {
    low + (high - low) * stream.unit()
}

/// Adds a uniform number within ±`scale` to each value.
fn shake(stream: &mut Stream, scale: f64, values: &mut [f64]) {
    values.iter_mut().for_each(|value| *value += uniform(stream, -scale, scale));
}

/// Paid for moving, if no bonus is and nothing ends.
fn paid(reward: f64) -> Step {
    Step { reward, alive: 0.0, terminated: false }
}
