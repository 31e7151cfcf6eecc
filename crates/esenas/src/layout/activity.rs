//! Which coordinates of θ each point uses, where that depends on its model: what a product tells
//! its weights.

use std::sync::Arc;

use super::{Layout, Used};
use crate::{Dna, Space};

/// The layout of the space's own numbers, if models differ in what they use. It follows from the
/// space, so it is no part of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity(Option<Option<Arc<Layout>>>);

impl PartialEq for Activity {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Activity {
    /// What each of `models` uses; none if all use all, or θ is not made of the space's numbers.
    pub(crate) fn of<'a>(
        &mut self,
        space: &Arc<Space>,
        dim: usize,
        models: impl ExactSizeIterator<Item = &'a Dna>,
    ) -> Option<Used> {
        // Where nothing was asked for there is nothing to find out from.
        if space.places() == 0 || dim == 0 {
            return None;
        }
        let found = || {
            let layout = Layout::new(Arc::clone(space)).ok()?;
            (layout.dim() == dim && layout.is_conditional()).then(|| Arc::new(layout))
        };
        let layout = self.0.get_or_insert_with(found).as_ref()?;
        Some(layout.used(models))
    }
}
