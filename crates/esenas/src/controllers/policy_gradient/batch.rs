//! Episodes side by side, decision by decision.

use std::ops::Range;

use super::episode::Episode;

/// Episodes of any lengths, the longest first, so that at every time those that go on are the first
/// ones. Rows are numbered time by time.
pub(super) struct Batch<'a> {
    episodes: Vec<(usize, &'a Episode)>,
    /// The first row of each time, and the number of rows.
    starts: Vec<usize>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(episodes: &[&'a Episode]) -> Self {
        let mut episodes: Vec<_> = episodes.iter().copied().enumerate().collect();
        episodes.sort_by_key(|(_, episode)| std::cmp::Reverse(episode.0.len()));
        let longest = episodes.first().map_or(0, |(_, episode)| episode.0.len());
        let (mut starts, mut open) = (vec![0], episodes.len());
        for t in 0..longest {
            while episodes[open - 1].1.0.len() <= t {
                open -= 1;
            }
            starts.push(starts[t] + open);
        }
        Self { episodes, starts }
    }

    /// How many episodes.
    pub(super) fn len(&self) -> usize {
        self.episodes.len()
    }

    /// How many decisions, all together.
    pub(super) fn steps(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The episode of the `at`-th row of any time.
    pub(super) fn episode(&self, at: usize) -> &'a Episode {
        self.episodes[at].1
    }

    /// The rows of each time.
    pub(super) fn times(
        &self,
    ) -> impl DoubleEndedIterator<Item = (usize, Range<usize>)> + ExactSizeIterator + '_ {
        (0..self.starts.len() - 1).map(|t| (t, self.starts[t]..self.starts[t + 1]))
    }

    /// Of the time before `t`, the rows of the episodes that have not ended.
    pub(super) fn before(&self, t: usize) -> Range<usize> {
        let start = if t > 0 { self.starts[t - 1] } else { 0 };
        start..start + self.starts[t + 1] - self.starts[t]
    }

    /// The episode of each row, by number, and its time.
    pub(super) fn places(&self) -> Vec<(usize, usize)> {
        let of = |(t, rows): (usize, Range<usize>)| {
            (0..rows.len()).map(move |at| (self.episodes[at].0, t))
        };
        self.times().flat_map(of).collect()
    }

    /// For every episode, by number, one thing per decision.
    pub(super) fn per_step<T: Clone>(&self, one: T) -> Vec<Vec<T>> {
        let mut all = vec![Vec::new(); self.len()];
        for (number, episode) in &self.episodes {
            all[*number] = vec![one.clone(); episode.0.len()];
        }
        all
    }
}
