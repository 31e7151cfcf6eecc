//! Rests: coordinates that every step would push out of the box are probed less and less often.
//!
//! Where the optimum lies on sides of the box, most coordinates soon stand there, and a probe can
//! only pull them back in: half of what probes change is known to be worse, and hides what the
//! other coordinates have to say. So a coordinate that was pushed out is probed in the iterations
//! 1, 2, 4, 8, … from then on and left where it is in those between, until a step takes it back in.
//! Where the others have nothing to say, all rests are over.

use serde::{Deserialize, Serialize};

use crate::Bounds;

/// For each coordinate the iterations since it was first pushed out; 0 within the box. Empty until
/// something was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rests(Vec<u32>);

impl Rests {
    /// Clips `m`, to where a step has taken it, and says by `spread`, which is 0 there, which
    /// coordinates rest. Those on a grid never do.
    pub(super) fn clip(&mut self, bounds: &Bounds, m: &mut [f64], spread: &mut [f64]) {
        self.0.resize(m.len(), 0);
        for (j, (at, (m, s))) in self.0.iter_mut().zip(m.iter_mut().zip(spread)).enumerate() {
            if bounds.step(j) > 0.0 {
                continue;
            }
            let (low, high) = bounds.interval(j);
            let out = *m < low || high < *m;
            *at = if out || rests(*at) { at.saturating_add(1) } else { 0 };
            *m = m.clamp(low, high);
            *s = if rests(*at) { 0.0 } else { 1.0 };
        }
    }

    /// Ends all rests: nothing is learned from the coordinates that are awake.
    pub(super) fn end(&mut self, spread: &mut [f64]) {
        for (at, s) in self.0.iter_mut().zip(spread).filter(|(at, _)| rests(**at)) {
            (*at, *s) = (0, 1.0);
        }
    }

    /// Ends the rests of coordinates that stand within the box, wherever `m` has gone.
    pub(super) fn wake(&mut self, bounds: &Bounds, m: &[f64], spread: &mut [f64]) {
        for (j, (at, (m, s))) in self.0.iter_mut().zip(m.iter().zip(spread)).enumerate() {
            let (low, high) = bounds.interval(j);
            if bounds.step(j) == 0.0 && low < *m && *m < high {
                (*at, *s) = (0, 1.0);
            }
        }
    }
}

/// Makes 0 of the coordinates of `way` that rest: it does not lead there.
pub(super) fn pass_over(spread: &[f64], way: &mut [f64]) {
    way.iter_mut().zip(spread).filter(|(_, s)| **s == 0.0).for_each(|(x, _)| *x = 0.0);
}

fn rests(iterations: u32) -> bool {
    iterations > 0 && !iterations.is_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A coordinate that is pushed out, one that is not, and one on a grid.
    fn three() -> Bounds {
        Bounds::new(vec![-1.0], vec![1.0], 3).unwrap().with_steps(vec![0.0, 0.0, 0.5], 3).unwrap()
    }

    /// Red when a coordinate rests at other times, that of another does, or one on a grid.
    #[test]
    fn what_is_pushed_out_is_probed_less_and_less() {
        let (mut it, mut spread) = (Rests::default(), vec![1.0, 1.0, 3.0]);
        let mut probed = vec![];
        for iteration in 1..40 {
            // What rests is moved by nothing.
            let mut m = vec![if spread[0] > 0.0 { 1.5 } else { 1.0 }, 0.9, 1.5];
            it.clip(&three(), &mut m, &mut spread);
            assert_eq!((&m[..], &spread[1..]), (&[1.0, 0.9, 1.5][..], &[1.0, 3.0][..]));
            if spread[0] > 0.0 {
                probed.push(iteration);
            }
        }
        assert_eq!(probed, [1, 2, 4, 8, 16, 32]);
    }

    /// Red when a coordinate sleeps on where nothing else is left to learn from, or one on a grid
    /// is touched.
    #[test]
    fn rests_can_be_ended() {
        let (mut it, mut spread) = (Rests::default(), vec![1.0, 1.0, 3.0]);
        for _ in 0..3 {
            it.clip(&three(), &mut [2.0, 0.5, 2.0], &mut spread);
        }
        assert_eq!(spread, [0.0, 1.0, 3.0]);
        it.end(&mut spread);
        assert_eq!((&it.0[..], &spread[..]), (&[0, 0, 0][..], &[1.0, 1.0, 3.0][..]));
    }

    /// Red when a coordinate that came back goes on resting, or one that stands at a side is woken.
    #[test]
    fn what_is_back_within_is_probed_again() {
        let (mut it, mut spread) = (Rests::default(), vec![1.0; 3]);
        for _ in 0..3 {
            it.clip(&three(), &mut [-2.0, 2.0, 0.0], &mut spread);
        }
        assert_eq!(spread, [0.0, 0.0, 1.0]);
        it.wake(&three(), &[0.5, 1.0, 1.0], &mut spread);
        assert_eq!((&it.0[..], &spread[..]), (&[0, 3, 0][..], &[1.0, 0.0, 1.0][..]));
        it.clip(&three(), &mut [0.5, 1.0, 0.0], &mut spread);
        it.clip(&three(), &mut [0.5, 0.7, 0.0], &mut spread);
        assert_eq!((&it.0[..], &spread[..]), (&[0, 0, 0][..], &[1.0; 3][..]), "it was its turn");
    }
}
