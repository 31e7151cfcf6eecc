//! What the candidates of a study share and learn together: the observation filter.
//!
//! Every candidate returns what it counted and what it was worth. Both are folded in the order of
//! the candidates. The filter that the best candidate saw is kept beside the current one, since a
//! policy is only what it was together with its filter.

use esenas_control::Moments;

/// The state of the problem.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shared {
    /// The moments of all observations so far.
    pub(super) filter: Moments,
    /// As it was when the best candidate was evaluated, and that candidate's value.
    pub(super) best: Option<(f64, Moments)>,
    /// Of the last iteration's returns, and shares of edges that a mask leaves out.
    pub(super) worth: Moments,
}

/// What one candidate adds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counted {
    pub(super) value: f64,
    pub(super) filter: Moments,
    pub(super) worth: Moments,
}

const WORTH: usize = 2;

impl Shared {
    pub(super) fn new(size: usize) -> Self {
        Self { filter: Moments::new(size), best: None, worth: Moments::new(WORTH) }
    }

    /// Folds in the candidates of an iteration.
    pub(super) fn absorb(&mut self, counted: impl Iterator<Item = Counted>) {
        let seen = self.filter.clone();
        self.worth.clear();
        for Counted { value, filter, worth } in counted {
            if self.best.as_ref().is_none_or(|(best, _)| *best < value) {
                self.best = Some((value, seen.clone()));
            }
            self.filter.merge(&filter);
            self.worth.merge(&worth);
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.filter.to_bytes();
        bytes.extend(self.worth.to_bytes());
        if let Some((value, filter)) = &self.best {
            bytes.extend(value.to_le_bytes());
            bytes.extend(filter.to_bytes());
        }
        bytes
    }

    /// From bytes, if they are of an environment with observations of `size` entries.
    pub(super) fn from_bytes(bytes: &[u8], size: usize) -> Option<Self> {
        let (filter, rest) = bytes.split_at_checked(length(size))?;
        let (worth, rest) = rest.split_at_checked(length(WORTH))?;
        let best = match rest.split_first_chunk() {
            None => None,
            Some((value, filter)) => {
                Some((f64::from_le_bytes(*value), Moments::from_bytes(filter, size)?))
            }
        };
        let filter = Moments::from_bytes(filter, size)?;
        Some(Self { filter, best, worth: Moments::from_bytes(worth, WORTH)? })
    }
}

impl Counted {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        [&self.value.to_le_bytes()[..], &self.filter.to_bytes(), &self.worth.to_bytes()].concat()
    }

    pub(super) fn from_bytes(bytes: &[u8], size: usize) -> Option<Self> {
        let (value, rest) = bytes.split_first_chunk()?;
        let (filter, worth) = rest.split_at_checked(length(size))?;
        let filter = Moments::from_bytes(filter, size)?;
        let worth = Moments::from_bytes(worth, WORTH)?;
        Some(Self { value: f64::from_le_bytes(*value), filter, worth })
    }
}

/// Bytes of moments.
fn length(size: usize) -> usize {
    8 + 16 * size
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(value: f64, observation: f64) -> Counted {
        let (mut filter, mut worth) = (Moments::new(1), Moments::new(WORTH));
        filter.add(&[observation]);
        worth.add(&[value, 0.5]);
        Counted { value, filter, worth }
    }

    /// Red when the best candidate's filter is one that it never saw.
    #[test]
    fn the_filter_of_the_best_is_the_one_it_saw() {
        let mut shared = Shared::new(1);
        shared.absorb([counted(1.0, 4.0), counted(3.0, 8.0)].into_iter());
        assert_eq!(shared.best, Some((3.0, Moments::new(1))));
        let before = shared.filter.clone();
        shared.absorb([counted(2.0, 0.0), counted(5.0, 1.0), counted(5.0, 2.0)].into_iter());
        assert_eq!(shared.best, Some((5.0, before)));
        assert_eq!((shared.filter.count(), shared.filter.mean()), (5, &[3.0][..]));
        assert_eq!(shared.worth.count(), 3, "of the last iteration");
    }

    #[test]
    fn bytes_are_read_back_and_others_refused() {
        let mut shared = Shared::new(1);
        assert_eq!(Shared::from_bytes(&shared.to_bytes(), 1), Some(shared.clone()));
        shared.absorb([counted(1.0, 4.0)].into_iter());
        let bytes = shared.to_bytes();
        assert_eq!(Shared::from_bytes(&bytes, 1), Some(shared));
        assert_eq!(Shared::from_bytes(&bytes, 2), None);
        assert_eq!(Shared::from_bytes(&bytes[..bytes.len() - 1], 1), None);
        let one = counted(2.5, -1.0);
        assert_eq!(Counted::from_bytes(&one.to_bytes(), 1), Some(one));
    }
}
