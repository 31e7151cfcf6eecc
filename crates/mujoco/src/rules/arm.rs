//! The three with a seven-jointed arm: Pusher, Striker, Thrower.
//!
//! Striker and Thrower seem to keep the hand's place at the first hit, and the ball's at its first
//! touch of the ground. Their source does store those positions, but what mujoco-py hands out is a
//! live view, so that the stored place keeps moving: what runs is the distance to where things are
//! *now*, and that is what is paid here.

use esenas::Stream;
use esenas_control::Step;

use super::{Rules, View, distance, paid, shake, squared, uniform};

/// How the three differ.
#[derive(Clone, Copy)]
pub(crate) struct Constants {
    task: Task,
    control_cost: f64,
    /// How fast the arm's joints may move at the start.
    noise: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    Push,
    Strike,
    Throw,
}

pub(crate) const PUSHER: Constants =
    Constants { task: Task::Push, control_cost: 0.1, noise: 0.005 };
pub(crate) const STRIKER: Constants =
    Constants { task: Task::Strike, control_cost: 0.1, noise: 0.1 };
pub(crate) const THROWER: Constants =
    Constants { task: Task::Throw, control_cost: 0.002, noise: 0.005 };

/// The arm's joints come first.
const JOINTS: usize = 7;

/// The rules of one of the three. Bodies: the hand, the thing, the goal.
pub(crate) struct Arm {
    constants: Constants,
    /// Pusher v5 pays for distances after the step instead of before it.
    pays_after: bool,
    /// The least distance of thing and goal in this episode.
    nearest: f64,
    reward: f64,
}

impl Arm {
    pub(crate) fn new(constants: Constants, v5: bool) -> Self {
        Self { constants, pays_after: v5, nearest: f64::INFINITY, reward: 0.0 }
    }

    /// What distances pay.
    fn distances(&mut self, view: &View<'_>) -> f64 {
        let (hand, thing, goal) = (view.body(0), view.body(1), view.body(2));
        match self.constants.task {
            Task::Push => -distance(thing, goal) - 0.5 * distance(thing, hand),
            Task::Strike => {
                self.nearest = self.nearest.min(distance(thing, goal));
                -3.0 * self.nearest - 0.5 * distance(thing, hand)
            }
            Task::Throw => -(thing[0] - goal[0]).hypot(thing[1] - goal[1]),
        }
    }
}

impl Rules for Arm {
    fn start(&self, stream: &mut Stream, qpos: &mut [f64], qvel: &mut [f64]) {
        match self.constants.task {
            Task::Push => {
                let thing = loop {
                    let (u, v) = (uniform(stream, -0.3, 0.0), uniform(stream, -0.2, 0.2));
                    if u.hypot(v) > 0.17 {
                        break [u, v];
                    }
                };
                qpos[7..9].copy_from_slice(&thing);
                qpos[9..].fill(0.0);
            }
            Task::Strike => {
                let ball = [0.5, -0.175];
                let goal = [uniform(stream, 0.15, 0.7), uniform(stream, 0.1, 1.0)];
                qpos[7..9].copy_from_slice(&[ball[1], ball[0]]);
                qpos[9..11].copy_from_slice(&goal);
                // Their angle, which is none: part of the task all the same.
                let slope = (ball[0] - goal[0]) / (ball[1] - goal[1] + 1e-8);
                #[expect(clippy::approx_constant, reason = "gym's source divides by this")]
                let turned = -slope.atan() / 3.14;
                qpos[15] = turned;
            }
            Task::Throw => qpos[7..9].fill_with(|| uniform(stream, -0.3, 0.3)),
        }
        qpos[..JOINTS].fill(0.0);
        shake(stream, self.constants.noise, &mut qvel[..JOINTS]);
    }

    fn forget(&mut self) {
        self.nearest = f64::INFINITY;
    }

    fn before(&mut self, view: &View<'_>) {
        if !self.pays_after {
            self.reward = self.distances(view);
        }
    }

    fn after(&mut self, view: &View<'_>, action: &[f64]) -> Step {
        if self.pays_after {
            self.reward = self.distances(view);
        }
        paid(self.reward - self.constants.control_cost * squared(action))
    }

    fn observe(&self, view: &View<'_>, out: &mut [f64]) {
        out[..JOINTS].copy_from_slice(&view.data.qpos()[..JOINTS]);
        out[JOINTS..2 * JOINTS].copy_from_slice(&view.data.qvel()[..JOINTS]);
        for (i, place) in out[2 * JOINTS..].chunks_exact_mut(3).enumerate() {
            place.copy_from_slice(&view.body(i));
        }
    }
}
