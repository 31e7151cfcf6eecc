//! Who looks from where.

use rayon::prelude::*;

use super::scene::Scene;
use super::shape::{V, add, cross, unit};
use crate::catalog::Family;

/// A camera that keeps its distance from what it follows.
pub(super) struct Camera {
    width: usize,
    height: usize,
    /// From what it looks at to the eye.
    offset: V,
    /// What it looks at, before it follows.
    target: V,
    /// Which coordinates of the first body it follows.
    follows: [bool; 3],
}

/// Half the picture's height at distance 1: an angle of 45°.
const LENS: f64 = 0.414;

impl Camera {
    /// A good place to watch an environment from.
    pub(super) fn of(family: Family, width: u16, height: u16) -> Self {
        let (offset, target, follows) = match family {
            Family::Swimmer => ([0.0, -1.8, 4.2], [0.0, 0.0, 0.0], [true, true, false]),
            Family::Reacher => ([0.0, -0.25, 0.70], [0.0, 0.0, 0.0], [false; 3]),
            Family::HalfCheetah => ([0.5, -3.0, 0.7], [0.0, 0.0, 0.55], [true, false, false]),
            Family::Hopper | Family::Walker2d => {
                ([0.6, -3.6, 0.5], [0.0, 0.0, 0.85], [true, false, false])
            }
            Family::Pusher => ([1.3, -1.5, 1.2], [0.3, -0.2, -0.2], [false; 3]),
            Family::Striker | Family::Thrower => ([2.2, -1.4, 1.7], [0.3, 0.3, -0.2], [false; 3]),
        };
        Self { width: width.into(), height: height.into(), offset, target, follows }
    }

    /// Turns to the first body.
    pub(super) fn follow(&mut self, scene: &Scene) {
        for i in (0..3).filter(|&i| self.follows[i]) {
            self.target[i] = scene.root[i];
        }
    }

    /// What it sees: rows of red, green, blue. Rows are drawn in parallel.
    pub(super) fn picture(&self, scene: &Scene) -> Vec<u8> {
        let eye = add(self.target, self.offset, 1.0);
        let forward = unit(self.offset.map(|x| -x));
        let right = unit(cross(forward, [0.0, 0.0, 1.0]));
        let up = cross(right, forward);
        let scale = 2.0 * LENS / self.height as f64;
        let seen = |x: f64, y: f64| {
            let (x, y) = (x - self.width as f64 / 2.0, self.height as f64 / 2.0 - y);
            let ray = add(add(forward, right, x * scale), up, y * scale);
            scene.seen(eye, unit(ray))
        };
        let row = |y: usize| {
            (0..self.width).flat_map(move |x| {
                let mut sum = [0.0; 3];
                for (dx, dy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                    sum = add(sum, seen(x as f64 + dx, y as f64 + dy), 0.25);
                }
                // As screens expect it: about the square root.
                sum.map(|c| (255.0 * c.clamp(0.0, 1.0).powf(1.0 / 1.4)).round() as u8)
            })
        };
        let rows: Vec<Vec<u8>> =
            (0..self.height).into_par_iter().map(|y| row(y).collect()).collect();
        rows.concat()
    }
}
