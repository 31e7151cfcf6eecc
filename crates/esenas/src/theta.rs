//! θ, written out only where it is used.
//!
//! An iteration asks for many points around one centre. They share a [`Base`] and differ in a
//! [`Probe`] of a few bytes: the row of an addressed noise matrix and a signed scale. So 64 pairs
//! at d = 10⁶ hold one centre, not 128 copies, and a candidate crosses a wire as its address.

use std::sync::{Arc, Weak};

use serde::{Deserialize, Serialize};

use crate::noise::{STEP, Take, WIDTH};
use crate::{BLOCK, Base, Bounds, Layout};

/// How one point differs from its centre: by `scale` · direction `row`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The row of the base's noise.
    pub row: u32,
    /// ±σ.
    pub scale: f64,
}

/// A point of ℝᵈ: clip(centre + scale · spread ∘ g), rounded where it is on a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Theta {
    base: Arc<Base>,
    probe: Option<Probe>,
}

impl Theta {
    /// The centre of `base` itself.
    pub fn centre(base: Arc<Base>) -> Self {
        Self { base, probe: None }
    }

    /// A point beside the centre of `base`.
    pub fn probe(base: Arc<Base>, probe: Probe) -> Self {
        Self { base, probe: Some(probe) }
    }

    /// A point given by its coordinates.
    pub fn dense(coordinates: Vec<f64>) -> Self {
        Self::centre(Arc::new(Base::new(coordinates, None, None)))
    }

    /// A point that is where it is evaluated, and knows of the grid it is on.
    pub(crate) fn settled(coordinates: Vec<f64>, bounds: Option<&Bounds>) -> Self {
        Self::centre(Arc::new(Base::new(coordinates, None, Bounds::grid(bounds))))
    }

    /// d
    pub fn dim(&self) -> usize {
        self.base.centre.len()
    }

    /// What this point shares with the others of its ask.
    pub fn base(&self) -> &Arc<Base> {
        &self.base
    }

    /// Where it stands beside the centre.
    pub fn offset(&self) -> Option<Probe> {
        self.probe
    }

    /// Writes the coordinates out.
    ///
    /// A pair ±g written one after the other with the same scratch generates g once.
    pub fn write(&self, out: &mut Vec<f64>, scratch: &mut Scratch) {
        self.write_in(None, out, scratch);
    }

    /// The same, in the units of `layout` if there is one: block by block, so that this costs no
    /// way to memory.
    pub(crate) fn write_in(
        &self,
        layout: Option<&Layout>,
        out: &mut Vec<f64>,
        scratch: &mut Scratch,
    ) {
        match self.probe {
            Some(probe) => self.write_probe(probe, layout, out, scratch),
            None => {
                out.clone_from(&self.base.centre);
                if let Some(bounds) = &self.base.bounds {
                    bounds.place(0, out);
                }
                if let Some(layout) = layout {
                    layout.to_user(out);
                }
            }
        }
    }

    /// The coordinates at these `places`, ascending, in the units of `layout`. Of directions only
    /// the blocks are drawn that they are in.
    pub(crate) fn pick(&self, layout: &Layout, places: &[usize]) -> Vec<f64> {
        let (mut picked, mut room) = (Vec::with_capacity(places.len()), Vec::new());
        for places in places.chunk_by(|one, other| one / BLOCK == other / BLOCK) {
            let block = places[0] / BLOCK;
            let centre = self.base.block(block);
            room.clear();
            room.extend_from_slice(&centre[..centre.len().min(BLOCK)]);
            if let Some(Probe { row, scale }) = self.probe {
                let (len, around) = (room.len(), Around::new(&self.base, block));
                self.base.give(row, block, len, One { out: &mut room, around, scale });
            }
            self.base.place(block, &mut room);
            layout.part_to_user(block * BLOCK, &mut room);
            picked.extend(places.iter().map(|at| room[at % BLOCK]));
        }
        picked
    }

    /// The coordinates, in a vector of their own.
    pub fn to_vec(&self) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.dim());
        self.write(&mut out, &mut Scratch::default());
        out
    }
}

/// The mirror image of the point last written: antithetic points come in pairs, and one pass over
/// centre and direction writes both. One per thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    mirror: Vec<f64>,
    /// Which point that is, until it has been asked for.
    of: Option<Probe>,
    /// Whether it is in a layout's units.
    in_units: bool,
    /// And of which base. One that someone points to never changes, so its address tells.
    base: Weak<Base>,
}

/// From here on a direction is drawn twice instead: memory of θ's size for each thread costs more.
const MIRRORED: usize = 1 << 22;

impl Scratch {
    fn knows(&self, base: &Arc<Base>) -> bool {
        Weak::as_ptr(&self.base) == Arc::as_ptr(base)
    }
}

impl Theta {
    /// Block by block, so that a direction is used while it is still near.
    fn write_probe(
        &self,
        probe: Probe,
        layout: Option<&Layout>,
        out: &mut Vec<f64>,
        scratch: &mut Scratch,
    ) {
        let same = scratch.of == Some(probe) && scratch.in_units == layout.is_some();
        if same && scratch.knows(&self.base) {
            std::mem::swap(out, &mut scratch.mirror);
            scratch.of = None;
            return;
        }
        let (base, dim, Probe { row, scale }) = (&*self.base, self.dim(), probe);
        let finish = |block: usize, coordinates: &mut [f64]| {
            base.place(block, coordinates);
            if let Some(layout) = layout {
                layout.part_to_user(block * BLOCK, coordinates);
            }
        };
        out.resize(dim, 0.0);
        if !base.pairs || MIRRORED < dim {
            for (block, out) in out.chunks_mut(BLOCK).enumerate() {
                base.give(
                    row,
                    block,
                    out.len(),
                    One { out, around: Around::new(base, block), scale },
                );
                finish(block, out);
            }
            return;
        }
        scratch.mirror.resize(dim, 0.0);
        scratch.of = Some(Probe { row, scale: -scale });
        scratch.in_units = layout.is_some();
        if !scratch.knows(&self.base) {
            scratch.base = Arc::downgrade(&self.base);
        }
        let both = out.chunks_mut(BLOCK).zip(scratch.mirror.chunks_mut(BLOCK));
        for (block, (out, mirror)) in both.enumerate() {
            let (around, len) = (Around::new(base, block), out.len());
            base.give(row, block, len, Pair { out, mirror, around, scale });
            finish(block, out);
            finish(block, mirror);
        }
    }
}

/// What points of one block lie around.
#[derive(Clone, Copy)]
struct Around<'a> {
    centre: &'a [f64],
    spread: Option<&'a [f64]>,
}

impl<'a> Around<'a> {
    fn new(base: &'a Base, block: usize) -> Self {
        let spread = base.spread.as_deref().map(|spread| &spread[block * BLOCK..]);
        Self { centre: base.block(block), spread }
    }

    /// The centre and scale · spread ∘ g, at the [`WIDTH`] coordinates from `at` + [`WIDTH`] · i.
    #[inline(always)]
    fn points(
        &self,
        at: usize,
        scale: f64,
        numbers: &[f32; STEP],
    ) -> impl Fn(usize) -> ([f64; WIDTH], [f64; WIDTH]) {
        let here = at..at + STEP;
        let centre = self.centre[here.clone()].as_chunks().0;
        let spread = self.spread.map(|spread| spread[here].as_chunks::<WIDTH>().0);
        let numbers = numbers.as_chunks::<WIDTH>().0;
        move |i| {
            let mut step = numbers[i].map(f64::from);
            if let Some(spread) = spread {
                step.iter_mut().zip(spread[i]).for_each(|(g, s)| *g *= s);
            }
            step.iter_mut().for_each(|g| *g *= scale);
            (centre[i], step)
        }
    }
}

/// centre + scale · spread ∘ g, as g comes.
struct One<'a> {
    out: &'a mut [f64],
    around: Around<'a>,
    scale: f64,
}

impl Take for One<'_> {
    #[inline(always)]
    fn take(&mut self, at: usize, numbers: &[f32]) {
        let here = at..at + numbers.len();
        let (centre, scale) = (&self.around.centre[here.clone()], self.scale);
        let points = self.out[here.clone()].iter_mut().zip(centre).zip(numbers);
        match self.around.spread {
            None => points.for_each(|((out, c), &g)| *out = c + scale * f64::from(g)),
            Some(spread) => points
                .zip(&spread[here])
                .for_each(|(((out, c), &g), s)| *out = c + scale * (s * f64::from(g))),
        }
    }
}

/// centre ± scale · spread ∘ g, as g comes.
struct Pair<'a> {
    out: &'a mut [f64],
    mirror: &'a mut [f64],
    around: Around<'a>,
    scale: f64,
}

impl Take for Pair<'_> {
    #[inline(always)]
    fn take_step(&mut self, at: usize, numbers: &[f32; STEP]) {
        let out = self.out[at..at + STEP].as_chunks_mut::<WIDTH>().0;
        let mirror = self.mirror[at..at + STEP].as_chunks_mut::<WIDTH>().0;
        let points = self.around.points(at, self.scale, numbers);
        for (i, (out, mirror)) in out.iter_mut().zip(mirror).enumerate() {
            let (centre, step) = points(i);
            let (mut plus, mut minus) = (centre, centre);
            plus.iter_mut().zip(step).for_each(|(x, step)| *x += step);
            minus.iter_mut().zip(step).for_each(|(x, step)| *x -= step);
            (*out, *mirror) = (plus, minus);
        }
    }

    #[inline(always)]
    fn take_kept(&mut self, numbers: &[f32]) {
        let (steps, rest) = numbers.as_chunks();
        for (i, numbers) in steps.iter().enumerate() {
            self.take_step(STEP * i, numbers);
        }
        self.take(STEP * steps.len(), rest);
    }

    #[inline(always)]
    fn take(&mut self, at: usize, numbers: &[f32]) {
        let here = at..at + numbers.len();
        let (centre, scale) = (&self.around.centre[here.clone()], self.scale);
        let both = self.out[here.clone()].iter_mut().zip(&mut self.mirror[here.clone()]);
        let points = both.zip(centre).zip(numbers);
        match self.around.spread {
            None => points.for_each(|(((out, mirror), c), &g)| {
                let step = scale * f64::from(g);
                (*out, *mirror) = (c + step, c - step);
            }),
            Some(spread) => points.zip(&spread[here]).for_each(|((((out, mirror), c), &g), s)| {
                let step = scale * (s * f64::from(g));
                (*out, *mirror) = (c + step, c - step);
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Noise;

    fn base(key: u64, spread: Option<Vec<f64>>, bounds: Option<Bounds>) -> Arc<Base> {
        let mut base = Base::new(vec![1.0, -2.0, 3.0], spread, bounds);
        base.redirect(Noise::Gaussian(key), 5);
        Arc::new(base)
    }

    #[test]
    fn a_point_is_its_centre_plus_a_scaled_direction() {
        let base = base(7, Some(vec![1.0, 2.0, 0.0]), None);
        let g = base.noise().row(4, 3);
        let point = Theta::probe(base.clone(), Probe { row: 4, scale: -0.5 }).to_vec();
        assert_eq!(point[0], 1.0 - 0.5 * f64::from(g[0]));
        assert_eq!(point[1], -2.0 - 0.5 * (2.0 * f64::from(g[1])));
        assert_eq!(point[2], 3.0);
        assert_eq!(Theta::centre(base).to_vec(), [1.0, -2.0, 3.0]);
        assert_eq!(Theta::dense(vec![0.5]).to_vec(), [0.5]);
    }

    #[test]
    fn scratch_never_changes_what_is_written() {
        let moved = |key: u64| {
            let mut base = (*base(key, None, None)).clone();
            base.centre[0] += 1.0;
            Arc::new(base)
        };
        let (one, other, moved) = (base(7, None, None), base(8, None, None), moved(7));
        let (mut out, mut scratch) = (Vec::new(), Scratch::default());
        for (base, row, scale) in [
            (&one, 0, 1.0),
            (&one, 0, -1.0),
            (&one, 0, -1.0),
            (&other, 0, 1.0),
            (&moved, 0, -1.0),
            (&moved, 1, 1.0),
            (&moved, 1, -2.0),
        ] {
            let theta = Theta::probe(base.clone(), Probe { row, scale });
            theta.write(&mut out, &mut scratch);
            let g = base.noise().row(row, 3);
            let point: Vec<f64> =
                base.centre.iter().zip(g).map(|(c, g)| c + scale * f64::from(g)).collect();
            assert_eq!(out, point);
        }
    }

    #[test]
    fn points_are_clipped_to_their_box() {
        let bounds = Bounds::new(vec![-1.0, -1.0, 2.0], vec![0.5, 1.0, 4.0], 3).unwrap();
        let base = base(7, None, Some(bounds.clone()));
        assert_eq!(Theta::centre(base).to_vec(), [0.5, -1.0, 3.0]);
        let mut tail = [9.0];
        bounds.clip(2, &mut tail);
        assert_eq!(tail, [4.0]);
        assert_eq!(bounds.interval(1), (-1.0, 1.0));
    }
}
