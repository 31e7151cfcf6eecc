//! Numbers that begin with a line of the cache: then no vector of sixteen lies across two of them,
//! which takes twice as long to read.

use std::ops::{Deref, DerefMut};

use super::kernel::LINE;

/// Numbers, the first of them at a multiple of 64 bytes.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// With as many more as it may take to get there.
    all: Vec<f32>,
    start: usize,
}

impl Lines {
    pub(super) fn zeros(n: usize) -> Self {
        let mut lines = Self::default();
        lines.reset(n);
        lines
    }

    /// Makes it `n` zeros.
    pub(super) fn reset(&mut self, n: usize) -> &mut [f32] {
        self.all.clear();
        self.all.resize(n + LINE, 0.0);
        self.start = self.all.as_ptr().align_offset(size_of::<[f32; LINE]>()).min(LINE);
        self.all.truncate(self.start + n);
        self
    }

    /// Makes it at least `n` long, whatever it holds.
    pub(super) fn at_least(&mut self, n: usize) -> &mut [f32] {
        if self.len() < n { self.reset(n) } else { self }
    }
}

impl Deref for Lines {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.all[self.start..]
    }
}

impl DerefMut for Lines {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.all[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_begin_where_those_of_the_cache_do() {
        let mut lines = Lines::default();
        assert!(lines.is_empty());
        for n in [0, 1, 16, 100, 7] {
            lines.reset(n).fill(1.0);
            assert_eq!((lines.len(), lines.as_ptr().addr() % 64), (n, 0));
            assert!(lines.at_least(n + 1).iter().all(|x| *x == 0.0) && lines.len() == n + 1);
        }
    }
}
