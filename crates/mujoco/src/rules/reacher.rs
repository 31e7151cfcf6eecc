//! Reacher: a two-jointed arm, and a point that its fingertip is to reach.

use esenas::Stream;
use esenas_control::Step;

use super::{Rules, View, distance, paid, shake, squared, uniform};

/// The bodies that are read.
pub(crate) const BODIES: [&str; 2] = ["fingertip", "target"];

/// Its rules.
pub(crate) struct Reacher {
    /// v5 observes no z, and pays for the distance after the step instead of before it.
    v5: bool,
    distance: f64,
}

impl Reacher {
    pub(crate) fn new(v5: bool) -> Self {
        Self { v5, distance: 0.0 }
    }
}

fn gap(view: &View<'_>) -> f64 {
    distance(view.body(0), view.body(1))
}

impl Rules for Reacher {
    fn start(&self, stream: &mut Stream, qpos: &mut [f64], qvel: &mut [f64]) {
        shake(stream, 0.1, qpos);
        let target = loop {
            let target = [(); 2].map(|()| uniform(stream, -0.2, 0.2));
            if target[0].hypot(target[1]) < 0.2 {
                break target;
            }
        };
        qpos[2..].copy_from_slice(&target);
        shake(stream, 0.005, &mut qvel[..2]);
    }

    fn before(&mut self, view: &View<'_>) {
        self.distance = gap(view);
    }

    fn after(&mut self, view: &View<'_>, action: &[f64]) -> Step {
        let distance = if self.v5 { gap(view) } else { self.distance };
        paid(-distance - squared(action))
    }

    fn observe(&self, view: &View<'_>, out: &mut [f64]) {
        let (qpos, qvel) = (view.data.qpos(), view.data.qvel());
        let (tip, target) = (view.body(0), view.body(1));
        let all = [
            qpos[0].cos(),
            qpos[1].cos(),
            qpos[0].sin(),
            qpos[1].sin(),
            qpos[2],
            qpos[3],
            qvel[0],
            qvel[1],
            tip[0] - target[0],
            tip[1] - target[1],
            tip[2] - target[2],
        ];
        out.copy_from_slice(&all[..out.len()]);
    }
}
