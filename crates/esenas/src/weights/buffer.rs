//! Memory that is kept between iterations and is no part of a state.

use std::mem::MaybeUninit;
use std::sync::Arc;

use super::mirror::Boundary;
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

/// Room for what linear algebra needs on the way.
#[derive(Debug, Default)]
pub(super) struct Workspace(Vec<MaybeUninit<u8>>);

impl Workspace {
    /// So many bytes.
    pub(super) fn room(&mut self, bytes: usize) -> &mut [MaybeUninit<u8>] {
        self.0.resize(bytes, MaybeUninit::uninit());
        &mut self.0
    }
}

/// Points written out, in memory that is used again once nobody holds them.
#[derive(Debug, Default)]
pub(super) struct Points(Vec<Arc<Base>>);

impl Points {
    /// The points m + σ A y for each y in `steps`, in the box; `first` of them were made before. A
    /// is the identity where `factors` are none.
    pub(super) fn write<'a>(
        &'a mut self,
        first: usize,
        mean: &'a [f64],
        sigma: f64,
        steps: &'a [f64],
        (boundary, bounds, factors): (Boundary, Option<&'a Bounds>, &'a [f64]),
    ) -> impl Iterator<Item = Theta> + 'a {
        let steps = steps.chunks_exact(mean.len());
        let blank = move || Arc::new(Base::new(Vec::new(), None, Bounds::grid(bounds)));
        self.0.resize_with(first + steps.len(), blank);
        self.0[first..].iter_mut().zip(steps).map(move |(base, step)| {
            if Arc::strong_count(base) > 1 {
                *base = blank();
            }
            let x = &mut Arc::make_mut(base).centre;
            x.clear();
            x.extend(mean.iter().zip(step).map(|(m, y)| m + sigma * y));
            for (((x, m), y), a) in x.iter_mut().zip(mean).zip(step).zip(factors) {
                *x = m + sigma * (a * y);
            }
            boundary.settle(bounds, x);
            Theta::centre(Arc::clone(base))
        })
    }
}

/// A copy of a state needs no room yet, and states that differ only in their room are equal.
macro_rules! no_state {
    ($($name:ident),*) => {$(
        impl Clone for $name {
            fn clone(&self) -> Self {
                Self::default()
            }
        }

        impl PartialEq for $name {
            fn eq(&self, _: &Self) -> bool {
                true
            }
        }
    )*};
}

no_state!(Buffer, Workspace, Points);
