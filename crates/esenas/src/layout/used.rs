//! Which points used which coordinates.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Block;

/// For coordinates that not every point used, which points did. Points are those of one ask, in its
/// order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    parts: Vec<Part>,
}

/// Coordinates that the same points used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) range: Range<usize>,
    /// A bit for each point.
    by: Vec<u64>,
}

impl Used {
    /// Whether `point` used coordinate `at`.
    pub fn is_used(&self, at: usize, point: usize) -> bool {
        let next = self.parts.partition_point(|part| part.range.end <= at);
        let part = self.parts.get(next).filter(|part| part.range.contains(&at));
        part.is_none_or(|part| part.is_used_by(point))
    }

    /// Coordinates that not all points used, ascending.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }
}

impl Part {
    pub(crate) fn is_used_by(&self, point: usize) -> bool {
        self.by.get(point / 64).is_some_and(|bits| bits >> (point % 64) & 1 == 1)
    }
}

/// Points on the way.
pub(super) struct Builder {
    points: usize,
    parts: Vec<Part>,
    /// The part that each block is; none if all models have it.
    of_block: Vec<Option<u32>>,
}

impl Builder {
    /// Of so many points, none of which uses any of the blocks that depend on the model yet.
    pub(super) fn new(points: usize, blocks: &[Block]) -> Self {
        let nobody = vec![0; points.div_ceil(64)];
        let mut parts = Vec::new();
        let part = |block: &Block| {
            (!block.parents.is_empty()).then(|| {
                parts.push(Part { range: block.range.clone(), by: nobody.clone() });
                parts.len() as u32 - 1
            })
        };
        let of_block = blocks.iter().map(part).collect();
        Self { points, parts, of_block }
    }

    /// `point` uses the block of this number.
    pub(super) fn mark(&mut self, point: usize, block: usize) {
        if let Some(at) = self.of_block[block] {
            self.parts[at as usize].by[point / 64] |= 1 << (point % 64);
        }
    }

    /// Neighbours that the same points used are put together, and what all used is left out.
    pub(super) fn build(self) -> Used {
        let mut parts: Vec<Part> = Vec::new();
        for part in self.parts {
            match parts.last_mut() {
                Some(last) if last.range.end == part.range.start && last.by == part.by => {
                    last.range.end = part.range.end;
                }
                _ => parts.push(part),
            }
        }
        parts.retain(|part| !(0..self.points).all(|point| part.is_used_by(point)));
        Used { parts }
    }
}
