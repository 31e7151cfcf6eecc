//! Memory that is kept between iterations and is no part of a state.

use std::sync::Arc;

use super::mirror::into_box;
use crate::{Base, Bounds, Theta};

/// Room to compute in.
#[derive(Debug, Default)]
pub(super) struct Buffer(Vec<f64>);

impl Buffer {
    /// `len` numbers of no particular value.
    pub(super) fn room(&mut self, len: usize) -> &mut [f64] {
        self.0.resize(len, 0.0);
        &mut self.0
    }
}

/// Points written out, in memory that is used again once nobody holds them.
#[derive(Debug, Default)]
pub(super) struct Points(Vec<Arc<Base>>);

impl Points {
    /// The points m + σ y for each y in `steps`, in the box; `first` of them were made before.
    pub(super) fn write<'a>(
        &'a mut self,
        first: usize,
        mean: &'a [f64],
        sigma: f64,
        steps: &'a [f64],
        bounds: Option<&'a Bounds>,
    ) -> impl Iterator<Item = Theta> + 'a {
        let steps = steps.chunks_exact(mean.len());
        let blank = || Arc::new(Base::new(Vec::new(), None, None));
        self.0.resize_with(first + steps.len(), blank);
        self.0[first..].iter_mut().zip(steps).map(move |(base, step)| {
            if Arc::strong_count(base) > 1 {
                *base = blank();
            }
            let x = &mut Arc::make_mut(base).centre;
            x.clear();
            x.extend(mean.iter().zip(step).map(|(m, y)| m + sigma * y));
            into_box(bounds, x);
            Theta::centre(Arc::clone(base))
        })
    }
}

/// A copy of a state needs no room yet.
impl Clone for Buffer {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Clone for Points {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// States that differ only in their buffers are equal.
impl PartialEq for Buffer {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl PartialEq for Points {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
