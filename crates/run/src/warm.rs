//! Going on from another run: from its θ, its controller, and what its objective learned.

use std::path::Path;

use esenas::{Layout, Search};

use crate::known::Given;
use crate::spec::{Fault, Plan};
use crate::state::State;
use crate::{Spec, StudyError};
use esenas_store::Reader;

/// What there is of the other run.
pub(crate) struct Warm {
    search: Search,
    /// Where it stands, in the coordinates of the new optimizer.
    pub(crate) theta: Option<Vec<f64>>,
    objective: Vec<u8>,
    kind: String,
}

impl Warm {
    /// The run in `directory`, which must be of the same designs.
    pub(crate) fn load(directory: &Path, layout: &Layout) -> Result<Self, Fault> {
        let refuse = |what: String| Fault::new("warm_start", what);
        let (spec, there, state) = read(directory).map_err(|error| refuse(error.to_string()))?;
        let state = state.ok_or_else(|| refuse("has no iteration yet".to_owned()))?;
        if there.space() != layout.space() || there.dim() != layout.dim() {
            let (own, other) = (layout.dim(), there.dim());
            let what = match own == other {
                true => "is a run over another space".to_owned(),
                false => {
                    format!("is a run over other designs: its θ has {other} numbers, not {own}")
                }
            };
            return Err(refuse(what).help("give a run with the same space"));
        }
        let theta = state.search.centre().map(|centre| {
            let mut theta = centre.to_vec();
            there.to_user(&mut theta);
            layout.to_optimizer(&mut theta);
            if let Some(bounds) = layout.bounds() {
                bounds.clip(0, &mut theta);
            }
            theta
        });
        let (search, objective) = (state.search, state.objective);
        Ok(Self { search, theta, objective, kind: spec.problem.name() })
    }

    /// Gives `plan` what it can use; a model that its controller cannot go on from is `given` to be
    /// evaluated.
    pub(crate) fn hand_over(self, plan: &mut Plan, given: &mut Vec<Given>) {
        let best = || self.search.best_model().map(|(dna, ..)| dna.clone());
        let stands = self.search.likeliest().or_else(best);
        if !plan.search.take_over(self.search)
            && let Some(dna) = stands
        {
            given.push(Given::model(dna, &plan.layout));
        }
        if self.kind == plan.spec.problem.name() {
            plan.objective = self.objective;
        }
    }
}

fn read(directory: &Path) -> Result<(Spec, Layout, Option<State>), StudyError> {
    let spec = Spec::stored(directory)?;
    let layout = spec.layout()?;
    let state = State::stored(&Reader::open(directory)?, directory)?;
    Ok((spec, layout, state))
}
