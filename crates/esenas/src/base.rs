//! What the points of one ask have in common, and how it is changed while they are looked at.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::noise::{Given, Take};
use crate::{BLOCK, Bounds, Noise, simd};

/// Directions are kept for the update while they are at most this many numbers, which is 4 MB:
/// whatever n and d are, memory is O(d) and this. Beyond, they are drawn again.
const KEPT: usize = 1 << 20;

/// A centre, and the directions that lead away from it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Base {
    /// θ, where the optimizer stands.
    pub centre: Vec<f64>,
    /// How far each coordinate spreads, relative to the others; all alike when `None`.
    pub spread: Option<Vec<f64>>,
    /// The box all points are clipped to, and the grid they are rounded to.
    pub bounds: Option<Bounds>,
    /// Whether each direction is probed both ways: then the mirror image of a point is written with
    /// it.
    pub pairs: bool,
    /// The directions, by row.
    noise: Noise,
    /// The first of them, written out. They follow from `noise`, so they are no part of the state.
    #[serde(skip)]
    kept: Kept,
}

#[derive(Debug, Default)]
struct Kept {
    rows: u32,
    numbers: Vec<f32>,
}

impl PartialEq for Kept {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Clone for Base {
    fn clone(&self) -> Self {
        let mut clone = Self::new(Vec::new(), None, None);
        clone.clone_from(self);
        clone
    }

    /// Without a new allocation where there is room; what is kept is left behind.
    fn clone_from(&mut self, other: &Self) {
        self.centre.clone_from(&other.centre);
        self.spread.clone_from(&other.spread);
        self.bounds.clone_from(&other.bounds);
        self.pairs = other.pairs;
        self.noise.clone_from(&other.noise);
        self.kept.rows = 0;
    }
}

impl Base {
    /// A base that has no directions yet.
    pub fn new(centre: Vec<f64>, spread: Option<Vec<f64>>, bounds: Option<Bounds>) -> Self {
        let (noise, kept) = (Noise::default(), Kept::default());
        Self { centre, spread, bounds, pairs: false, noise, kept }
    }

    /// Directions are probed both ways.
    #[must_use]
    pub fn in_pairs(self) -> Self {
        Self { pairs: true, ..self }
    }

    /// The directions.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// Takes new directions, of which `rows` will be used.
    pub fn redirect(&mut self, noise: Noise, rows: usize) {
        let dim = self.centre.len();
        self.noise = noise;
        let size = rows.saturating_mul(dim);
        if size == 0 || KEPT < size || matches!(self.noise, Noise::Orthogonal(_)) {
            self.kept = Kept::default();
            return;
        }
        self.kept.rows = rows as u32;
        self.kept.numbers.resize(size, 0.0);
        let draw = |(row, out): (usize, &mut [f32])| self.noise.fill_row(row as u32, out);
        self.kept.numbers.chunks_mut(dim).enumerate().for_each(draw);
    }

    /// Gives `len` coordinates from `block · BLOCK` of direction `row` to `taker`, drawn or kept.
    pub(crate) fn give(&self, row: u32, block: usize, len: usize, taker: impl Take) {
        match self.kept(row, block, len) {
            Some(numbers) => simd::run(Given { numbers, taker }),
            None => self.noise.give(row, block, len, taker),
        }
    }

    /// Whether to share out work on the directions, block by block. Waking threads for a few blocks
    /// would cost more than the blocks; and what is kept is near the thread that drew it, and twice
    /// as far from any other.
    pub(crate) fn is_worth_sharing(&self) -> bool {
        self.kept.rows == 0 && self.centre.len() > 8 * BLOCK
    }

    /// `len` coordinates from `block · BLOCK` of direction `row`, if it is kept.
    pub(crate) fn kept(&self, row: u32, block: usize, len: usize) -> Option<&[f32]> {
        let start = row as usize * self.centre.len() + block * BLOCK;
        (row < self.kept.rows).then(|| &self.kept.numbers[start..start + len])
    }

    /// `len` coordinates from `block · BLOCK` of these directions, one after the other.
    pub(crate) fn directions(&self, rows: &[u32], block: usize, len: usize) -> Vec<f32> {
        let mut numbers = vec![0.0; rows.len() * len];
        for (&row, out) in rows.iter().zip(numbers.chunks_mut(len.max(1))) {
            match self.kept(row, block, len) {
                Some(kept) => out.copy_from_slice(kept),
                None => self.noise.fill(row, block, out),
            }
        }
        numbers
    }

    /// Coordinates `block · BLOCK ..` of the centre.
    pub(crate) fn block(&self, block: usize) -> &[f64] {
        &self.centre[block * BLOCK..]
    }

    /// Moves coordinates `block · BLOCK ..` of a point into the box, and onto its grid.
    pub(crate) fn place(&self, block: usize, coordinates: &mut [f64]) {
        if let Some(bounds) = &self.bounds {
            bounds.place(block * BLOCK, coordinates);
        }
    }
}

/// A base that is changed in place, unless points of it are still held: those keep what they were
/// asked with. Two bases then take turns, so that nothing is allocated from one iteration to the
/// next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Shared {
    base: Arc<Base>,
    /// The one before: no part of the state.
    #[serde(skip)]
    spare: Option<Arc<Base>>,
}

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        self.base == other.base
    }
}

impl Shared {
    pub(crate) fn new(base: Base) -> Self {
        Self { base: Arc::new(base), spare: None }
    }

    /// For a point to hold.
    pub(crate) fn share(&self) -> Arc<Base> {
        Arc::clone(&self.base)
    }

    /// To change it.
    pub(crate) fn change(&mut self) -> &mut Base {
        if Arc::strong_count(&self.base) > 1 {
            let mut next = self.spare.take().unwrap_or_else(|| Arc::clone(&self.base));
            Arc::make_mut(&mut next).clone_from(&self.base);
            self.spare = Some(std::mem::replace(&mut self.base, next));
        }
        Arc::make_mut(&mut self.base)
    }
}

impl std::ops::Deref for Shared {
    type Target = Base;

    fn deref(&self) -> &Base {
        &self.base
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Theta;

    /// Coordinates `block · BLOCK ..` of direction `row`, drawn into `room` if they are not kept.
    fn direction<'a>(base: &'a Base, row: u32, block: usize, room: &'a mut [f32]) -> &'a [f32] {
        match base.kept(row, block, room.len()) {
            Some(numbers) => numbers,
            None => {
                base.noise.fill(row, block, room);
                room
            }
        }
    }

    /// A resumed state has nothing kept, one with more rows than fit neither.
    #[test]
    fn kept_directions_are_the_drawn_ones() {
        let dim = 2 * BLOCK + 5;
        let mut base = Base::new(vec![0.0; dim], None, None);
        let (mut room, mut again) = ([9.0; BLOCK], [9.0; BLOCK]);
        for (noise, rows) in [
            (Noise::Gaussian(1), 70),
            (Noise::hadamard(2, dim), 3),
            (Noise::Gaussian(3), KEPT / dim + 1),
            (Noise::orthogonal(4, 2, dim), 2),
        ] {
            base.redirect(noise.clone(), rows);
            for (row, block, len) in [(0, 0, BLOCK), (1, 1, BLOCK), (1, 2, 5)] {
                noise.fill(row, block, &mut again[..len]);
                assert_eq!(direction(&base, row, block, &mut room[..len]), &again[..len]);
            }
        }
        base.redirect(Noise::Gaussian(5), 2);
        Noise::Gaussian(5).fill(2, 0, &mut again);
        assert_eq!(direction(&base, 2, 0, &mut room), again, "a row beyond those announced");
        assert!(room == again, "which was drawn");
        let other = base.clone();
        assert_eq!(base, other);
        assert_eq!(direction(&other, 1, 0, &mut room), Noise::Gaussian(5).row(1, BLOCK));
    }

    #[test]
    fn points_that_are_held_keep_their_centre_and_two_bases_take_turns() {
        let mut shared = Shared::new(Base::new(vec![1.0, 2.0], None, None));
        let first = shared.centre.as_ptr();
        shared.change().centre[0] = 3.0;
        assert_eq!(shared.centre.as_ptr(), first, "nobody looked");
        let mut places = Vec::new();
        for at in [4.0, 5.0, 6.0, 7.0] {
            let held = Theta::centre(shared.share());
            let before = shared.centre.clone();
            shared.change().centre[0] = at;
            assert_eq!((held.to_vec(), shared.centre[0]), (before, at));
            places.push(shared.centre.as_ptr());
        }
        assert_eq!((places[1], places[3]), (first, first));
        assert_eq!(places[0], places[2]);
    }
}
