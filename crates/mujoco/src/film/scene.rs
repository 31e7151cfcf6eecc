//! What there is to see, and what a ray sees of it.

use super::shape::{Shape, V, add, dot, unit};
use crate::ffi::Data;

/// Everything that is drawn.
pub(super) struct Scene {
    things: Vec<Thing>,
    /// Where the first body is.
    pub(super) root: V,
}

struct Thing {
    shape: Shape,
    bound: f64,
    colour: V,
    place: V,
    /// Rows; its columns are the shape's axes.
    rotation: [f64; 9],
}

const SKY: V = [0.80, 0.88, 0.96];
/// Towards the light.
const SUN: V = [-0.34, -0.46, 0.82];
/// Where the ground begins to vanish in the haze.
const HAZE: f64 = 12.0;
/// The side of the ground's squares.
const SQUARE: f64 = 0.5;

impl Scene {
    /// The simulation as it stands.
    pub(super) fn of(data: &Data) -> Self {
        let things = (0..).map_while(|i| data.model().geom(i).map(|geom| (i, geom)));
        let visible = things.filter(|(_, (_, _, rgba))| rgba[3] > 0.05);
        let things = visible.filter_map(|(i, (kind, size, rgba))| {
            let (place, rotation) = data.geom_pose(i);
            let shape = Shape::of(kind, size)?;
            let colour = [0, 1, 2].map(|c| f64::from(rgba[c]));
            Some(Thing { shape, bound: shape.bound(), colour, place, rotation })
        });
        Self { things: things.collect(), root: data.body_position(1) }
    }

    /// The colour seen along a ray, each channel from 0 to 1.
    pub(super) fn seen(&self, o: V, d: V) -> V {
        let Some((t, thing, normal)) = self.first(o, d) else { return SKY };
        let p = add(o, d, t);
        let lit = dot(normal, SUN).max(0.0);
        let shadow = lit > 0.0 && self.first(add(p, normal, 1e-4), SUN).is_some();
        let light = 0.45 + if shadow { 0.0 } else { 0.55 * lit };
        let ground = matches!(thing.shape, Shape::Plane(..));
        let colour = if ground { squares(p) } else { thing.colour };
        let fade = if ground { (t / HAZE).min(1.0).powi(2) } else { 0.0 };
        [0, 1, 2].map(|c| (colour[c] * light).mul_add(1.0 - fade, SKY[c] * fade))
    }

    /// The nearest thing along a ray: how far, what, and the normal there.
    fn first(&self, o: V, d: V) -> Option<(f64, &Thing, V)> {
        let mut nearest: Option<(f64, &Thing, V)> = None;
        for thing in &self.things {
            let to = add(thing.place, o, -1.0);
            let along = dot(to, d);
            // The ray passes the sphere around it, or that lies behind.
            if dot(to, to) - along * along > thing.bound * thing.bound || along < -thing.bound {
                continue;
            }
            let local =
                |v: V| [0, 1, 2].map(|c| (0..3).map(|r| thing.rotation[3 * r + c] * v[r]).sum());
            let Some((t, normal)) = thing.shape.hit(local(to.map(|x| -x)), local(d)) else {
                continue;
            };
            if nearest.is_none_or(|(best, ..)| t < best) {
                let world =
                    [0, 1, 2].map(|r| (0..3).map(|c| thing.rotation[3 * r + c] * normal[c]).sum());
                nearest = Some((t, thing, unit(world)));
            }
        }
        nearest
    }
}

/// The ground's pattern, so that one sees how far something went.
fn squares(p: V) -> V {
    let odd = ((p[0] / SQUARE).floor() + (p[1] / SQUARE).floor()).rem_euclid(2.0) > 0.5;
    if odd { [0.62, 0.66, 0.70] } else { [0.76, 0.79, 0.82] }
}
