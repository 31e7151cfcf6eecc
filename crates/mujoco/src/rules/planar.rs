//! The four that move forward in a plane: Swimmer, HalfCheetah, Hopper, Walker2d.
//!
//! The reward is the velocity along x minus the cost of control; Hopper and Walker2d are paid 1 for
//! each step besides, until they fall.

use std::ops::Range;

use esenas::{Noise, Stream};
use esenas_control::Step;

use super::{Rules, View, paid, shake, squared};

/// How the four differ.
pub(crate) struct Constants {
    /// Positions that are not observed: x, and the swimmer's y.
    hidden: usize,
    /// Observed velocities are clipped to ± this.
    clip: f64,
    control_cost: f64,
    /// How far the start is from the default, positions and velocities.
    noise: f64,
    /// Whether the start's velocities are normal rather than uniform.
    normal: bool,
    /// When it stands, if that matters.
    healthy: Option<Healthy>,
}

/// When a walker stands: every comparison strict, so that NaN is a fall.
struct Healthy {
    height: Range<f64>,
    angle: f64,
    /// The bound on every other coordinate.
    state: f64,
}

pub(crate) const SWIMMER: Constants = Constants {
    hidden: 2,
    clip: f64::INFINITY,
    control_cost: 1e-4,
    noise: 0.1,
    normal: false,
    healthy: None,
};

pub(crate) const HALF_CHEETAH: Constants =
    Constants { hidden: 1, control_cost: 0.1, normal: true, ..SWIMMER };

pub(crate) const HOPPER: Constants = Constants {
    hidden: 1,
    clip: 10.0,
    control_cost: 1e-3,
    noise: 0.005,
    normal: false,
    healthy: Some(Healthy { height: 0.7..f64::INFINITY, angle: 0.2, state: 100.0 }),
};

pub(crate) const WALKER2D: Constants = Constants {
    healthy: Some(Healthy { height: 0.8..2.0, angle: 1.0, state: f64::INFINITY }),
    ..HOPPER
};

impl Healthy {
    fn is_met(&self, qpos: &[f64], qvel: &[f64]) -> bool {
        let (height, angle) = (qpos[1], qpos[2]);
        let inside = |x: &f64| *x > -self.state && *x < self.state;
        height > self.height.start
            && height < self.height.end
            && angle > -self.angle
            && angle < self.angle
            && qpos[2..].iter().chain(qvel).all(inside)
    }
}

/// The rules of one of the four.
pub(crate) struct Planar {
    constants: Constants,
    /// v5 pays the bonus only if the step ended well.
    strict: bool,
    /// Where it was before the step.
    x: f64,
}

impl Planar {
    pub(crate) fn new(constants: Constants, v5: bool) -> Self {
        Self { constants, strict: v5, x: 0.0 }
    }
}

impl Rules for Planar {
    fn start(&self, stream: &mut Stream, qpos: &mut [f64], qvel: &mut [f64]) {
        let noise = self.constants.noise;
        shake(stream, noise, qpos);
        if self.constants.normal {
            let mut drawn = [0.0; 9];
            Noise::Gaussian(stream.bits()).fill_row(0, &mut drawn);
            qvel.iter_mut().zip(drawn).for_each(|(v, g)| *v += noise * f64::from(g));
        } else {
            shake(stream, noise, qvel);
        }
    }

    fn before(&mut self, view: &View<'_>) {
        self.x = view.data.qpos()[0];
    }

    fn after(&mut self, view: &View<'_>, action: &[f64]) -> Step {
        let (qpos, qvel) = (view.data.qpos(), view.data.qvel());
        let forward = (qpos[0] - self.x) / view.dt;
        let reward = forward - self.constants.control_cost * squared(action);
        let Some(healthy) = &self.constants.healthy else { return paid(reward) };
        let healthy = healthy.is_met(qpos, qvel);
        let alive = if healthy || !self.strict { 1.0 } else { 0.0 };
        Step { reward, alive, terminated: !healthy }
    }

    fn observe(&self, view: &View<'_>, out: &mut [f64]) {
        let (qpos, qvel) = (&view.data.qpos()[self.constants.hidden..], view.data.qvel());
        let (positions, velocities) = out.split_at_mut(qpos.len());
        positions.copy_from_slice(qpos);
        let clip = self.constants.clip;
        velocities.iter_mut().zip(qvel).for_each(|(o, v)| *o = v.clamp(-clip, clip));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fall_is_a_fall_by_any_coordinate_and_nan_is_one() {
        let stands = |c: Constants, height, angle, joint, velocity| {
            let (qpos, qvel) = ([0.0, height, angle, joint], [0.0, velocity]);
            c.healthy.unwrap().is_met(&qpos, &qvel)
        };
        assert!(stands(HOPPER, 1.25, 0.1, 99.0, -99.0));
        assert!(stands(HOPPER, 50.0, 0.1, 0.0, 0.0), "it may jump as high as it likes");
        for (height, angle, joint, velocity) in [
            (0.7, 0.0, 0.0, 0.0),
            (1.25, -0.2, 0.0, 0.0),
            (1.25, 0.2, 0.0, 0.0),
            (1.25, 0.0, 100.0, 0.0),
            (1.25, 0.0, 0.0, -100.0),
            (f64::NAN, 0.0, 0.0, 0.0),
            (1.25, f64::NAN, 0.0, 0.0),
            (1.25, 0.0, f64::NAN, 0.0),
        ] {
            assert!(!stands(HOPPER, height, angle, joint, velocity));
        }
        assert!(stands(WALKER2D, 1.25, -0.9, 500.0, 500.0));
        assert!(!stands(WALKER2D, 2.0, 0.0, 0.0, 0.0));
        assert!(!stands(WALKER2D, 0.8, 0.0, 0.0, 0.0));
        assert!(!stands(WALKER2D, 1.25, 1.0, 0.0, 0.0));
    }
}
