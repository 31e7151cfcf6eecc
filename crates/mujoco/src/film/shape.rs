//! Where a ray meets a shape, in the shape's own coordinates.

/// A vector.
pub(super) type V = [f64; 3];

pub(super) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn add(a: V, b: V, scale: f64) -> V {
    [0, 1, 2].map(|i| a[i] + scale * b[i])
}

pub(super) fn unit(a: V) -> V {
    let length = dot(a, a).sqrt().max(1e-300);
    a.map(|x| x / length)
}

pub(super) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The shapes MuJoCo's models are made of, around the origin; axes along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// z = 0, seen from above; half sizes along x and y, infinite if zero.
    Plane(f64, f64),
    /// Half axes: a sphere if they are equal.
    Ellipsoid(V),
    /// Radius and half length of the axis.
    Capsule(f64, f64),
    /// Radius and half length.
    Cylinder(f64, f64),
    /// Half sizes.
    Box(V),
}

/// Rays that begin on a surface must not meet it at once.
const NEAR: f64 = 1e-6;

impl Shape {
    /// MuJoCo's `geom_type` and `geom_size`; nothing for what is not drawn (meshes, height fields).
    pub(super) fn of(kind: i32, size: V) -> Option<Self> {
        match kind {
            0 => Some(Self::Plane(size[0], size[1])),
            2 => Some(Self::Ellipsoid([size[0]; 3])),
            3 => Some(Self::Capsule(size[0], size[1])),
            4 => Some(Self::Ellipsoid(size)),
            5 => Some(Self::Cylinder(size[0], size[1])),
            6 => Some(Self::Box(size)),
            _ => None,
        }
    }

    /// The radius of a sphere around it.
    pub(super) fn bound(self) -> f64 {
        match self {
            Self::Plane(..) => f64::INFINITY,
            Self::Ellipsoid(r) => r[0].max(r[1]).max(r[2]),
            Self::Capsule(r, h) => r + h,
            Self::Cylinder(r, h) => r.hypot(h),
            Self::Box(s) => dot(s, s).sqrt(),
        }
    }

    /// How far along `o + t d` the ray enters it, and the normal there. `d` has length 1.
    pub(super) fn hit(self, o: V, d: V) -> Option<(f64, V)> {
        match self {
            Self::Plane(x, y) => {
                let t = -o[2] / d[2];
                let p = add(o, d, t);
                let inside = (x == 0.0 || p[0].abs() <= x) && (y == 0.0 || p[1].abs() <= y);
                (d[2] < 0.0 && t > NEAR && inside).then_some((t, [0.0, 0.0, 1.0]))
            }
            Self::Ellipsoid(r) => {
                let (o, d) = ([0, 1, 2].map(|i| o[i] / r[i]), [0, 1, 2].map(|i| d[i] / r[i]));
                let t = entry(dot(d, d), dot(o, d), dot(o, o) - 1.0)?;
                let p = add(o, d, t);
                Some((t, unit([0, 1, 2].map(|i| p[i] / r[i]))))
            }
            Self::Capsule(r, h) => {
                let side = tube(o, d, r, h);
                let end = |z: f64| {
                    let o = [o[0], o[1], o[2] - z];
                    let t = entry(1.0, dot(o, d), dot(o, o) - r * r)?;
                    Some((t, unit(add(o, d, t))))
                };
                nearest([side, end(h), end(-h)])
            }
            Self::Cylinder(r, h) => {
                let cap = |z: f64| {
                    let t = (z - o[2]) / d[2];
                    let p = add(o, d, t);
                    let inside = p[0] * p[0] + p[1] * p[1] <= r * r && d[2] * z < 0.0;
                    (t > NEAR && inside).then_some((t, [0.0, 0.0, z.signum()]))
                };
                nearest([tube(o, d, r, h), cap(h), cap(-h)])
            }
            Self::Box(s) => slabs(o, d, s),
        }
    }
}

fn nearest(hits: [Option<(f64, V)>; 3]) -> Option<(f64, V)> {
    hits.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0))
}

/// The smaller root of a t² + 2 b t + c, if it lies ahead.
fn entry(a: f64, b: f64, c: f64) -> Option<f64> {
    let discriminant = b * b - a * c;
    let t = (-b - discriminant.max(0.0).sqrt()) / a;
    (discriminant >= 0.0 && t > NEAR).then_some(t)
}

/// The side of a cylinder.
fn tube(o: V, d: V, r: f64, h: f64) -> Option<(f64, V)> {
    let a = d[0] * d[0] + d[1] * d[1];
    let t = entry(a, o[0] * d[0] + o[1] * d[1], o[0] * o[0] + o[1] * o[1] - r * r)?;
    let p = add(o, d, t);
    (p[2].abs() <= h).then_some((t, [p[0] / r, p[1] / r, 0.0]))
}

/// A box: the last of the three slabs to be entered, if none is left before.
fn slabs(o: V, d: V, s: V) -> Option<(f64, V)> {
    let (mut enter, mut leave, mut normal) = (f64::NEG_INFINITY, f64::INFINITY, [0.0; 3]);
    for (axis, ((o, d), s)) in o.into_iter().zip(d).zip(s).enumerate() {
        if d == 0.0 {
            // Along the slab: always within it, or never.
            if o.abs() > s {
                return None;
            }
            continue;
        }
        let (near, far) = ((-s * d.signum() - o) / d, (s * d.signum() - o) / d);
        if near > enter {
            enter = near;
            normal = [0.0; 3];
            normal[axis] = -d.signum();
        }
        leave = leave.min(far);
    }
    (enter > NEAR && enter <= leave).then_some((enter, normal))
}

#[cfg(test)]
mod tests {
    use esenas::{Purpose, Seed, Stream};

    use super::*;

    /// Whether a point lies inside, said in another way.
    fn inside(shape: Shape, p: V) -> bool {
        let round = p[0].hypot(p[1]);
        match shape {
            Shape::Plane(x, y) => {
                p[2] < 0.0 && (x == 0.0 || p[0].abs() < x) && (y == 0.0 || p[1].abs() < y)
            }
            Shape::Ellipsoid(r) => (0..3).map(|i| (p[i] / r[i]).powi(2)).sum::<f64>() < 1.0,
            Shape::Capsule(r, h) => round.hypot(p[2] - p[2].clamp(-h, h)) < r,
            Shape::Cylinder(r, h) => round < r && p[2].abs() < h,
            Shape::Box(s) => (0..3).all(|i| p[i].abs() < s[i]),
        }
    }

    fn somewhere(stream: &mut Stream, scale: f64) -> V {
        [(); 3].map(|()| scale * (2.0 * stream.unit() - 1.0))
    }

    #[test]
    fn a_ray_enters_where_the_shape_begins() {
        let shapes = [
            Shape::Ellipsoid([0.5; 3]),
            Shape::Ellipsoid([0.3, 0.6, 0.9]),
            Shape::Capsule(0.3, 0.6),
            Shape::Cylinder(0.4, 0.5),
            Shape::Box([0.3, 0.5, 0.7]),
        ];
        let mut stream = Seed(1).stream(Purpose::Problem, 0, 0);
        for shape in shapes {
            let mut hits = 0;
            for _ in 0..2000 {
                let o = add([0.0; 3], unit(somewhere(&mut stream, 1.0)), 3.0);
                let d = unit(add(somewhere(&mut stream, 1.0), o, -1.0));
                let marched =
                    (0..6000).map(|i| f64::from(i) * 1e-3).find(|&t| inside(shape, add(o, d, t)));
                match (shape.hit(o, d), marched) {
                    (Some((t, normal)), Some(m)) => {
                        hits += 1;
                        assert!((t - m).abs() < 1.1e-3, "{shape:?}: {t}, {m}");
                        assert!((dot(normal, normal) - 1.0).abs() < 1e-9 && dot(normal, d) <= 1e-9);
                        let p = add(o, d, t);
                        assert!(inside(shape, add(p, normal, -1e-7)), "{shape:?}: inwards");
                        assert!(!inside(shape, add(p, normal, 1e-7)), "{shape:?}: outwards");
                    }
                    // The march steps over what is grazed.
                    (Some((t, _)), None) => assert!(!inside(shape, add(o, d, t + 1e-3))),
                    (None, marched) => assert_eq!(marched, None, "{shape:?}"),
                }
            }
            assert!(hits > 300, "{shape:?}: {hits}");
        }
    }

    #[test]
    fn planes_are_seen_from_above_and_may_end() {
        let down = unit([0.1, 0.0, -1.0]);
        let plane = Shape::Plane(0.0, 0.0);
        let (t, normal) = plane.hit([0.0, 0.0, 2.0], down).unwrap();
        assert!((add([0.0, 0.0, 2.0], down, t)[2]).abs() < 1e-12);
        assert_eq!(normal, [0.0, 0.0, 1.0]);
        assert!(plane.hit([0.0, 0.0, -2.0], unit([0.0, 0.1, 1.0])).is_none());
        assert!(Shape::Plane(0.1, 1.0).hit([0.0, 0.0, 2.0], down).is_none());
        assert!(Shape::Plane(0.3, 1.0).hit([0.0, 0.0, 2.0], down).is_some());
    }
}
