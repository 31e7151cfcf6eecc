//! Learning from what was active: coordinates that only some of the points used.
//!
//! A model with branches uses a part of θ ([`Layout`](crate::Layout)); what it does not use only
//! adds noise to what its value says. So each coordinate is learned from the points that used it,
//! as if these had been all: ranked among themselves, with the weights of so many. What fewer than
//! two of them used stays where it is. Coordinates that all points used are learned as ever, to the
//! bit.
//!
//! A sum over few points is longer than one over many, by chance alone. It is shortened as if it
//! were as long: by the root of what μ_eff of the users is of μ_eff of all. Without that, blocks
//! that are rarely used take steps too long for what is known of them, and diverge; in proportion
//! to μ_eff itself they are learned too slowly once a controller has concentrated on some models
//! (`examples/supernet.rs`).

use std::ops::Range;

use super::recombination::informs;
use crate::Used;

/// Neighbouring coordinates that the same points used.
pub(super) struct Segment {
    pub(super) range: Range<usize>,
    /// Which of the points told, by their position among these; in their order.
    pub(super) users: Vec<usize>,
}

/// All of `dim` coordinates, cut where the users change; `told` are the numbers of the points that
/// have values.
pub(super) fn segments(used: &Used, dim: usize, told: &[u32]) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let all = |range| Segment { range, users: (0..told.len()).collect() };
    let mut end = 0;
    for part in used.parts().iter().filter(|part| part.range.end <= dim) {
        if end < part.range.start {
            segments.push(all(end..part.range.start));
        }
        let users = |at: &usize| part.is_used_by(told[*at] as usize);
        let (range, users) = (part.range.clone(), (0..told.len()).filter(users).collect());
        segments.push(Segment { range, users });
        end = part.range.end;
    }
    if end < dim {
        segments.push(all(end..dim));
    }
    segments
}

impl Segment {
    /// Its users among the `ranked`, best first, if they say anything.
    pub(super) fn ranked(&self, ranked: &[(u32, f64)]) -> Option<Vec<(u32, f64)>> {
        let users: Vec<_> = self.users.iter().map(|at| ranked[*at]).collect();
        informs(&users).then_some(users)
    }
}
