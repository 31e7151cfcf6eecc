//! Several goals: the designs that nobody dominates, of a study that runs or of one in a directory.

use std::path::Path;

use esenas::space::Design;
use esenas::{Dna, Layout, Search};
use esenas_store::Reader;
use serde_json::Value;

use crate::spec::Goal;
use crate::state::State;
use crate::{Spec, Study, StudyError};

/// A design of a front.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontDesign {
    /// Its value in each objective, as it was given.
    pub values: Vec<f64>,
    /// By how much it exceeds limits: 0 unless nothing is feasible yet.
    pub violation: f64,
    /// How many evaluations came back before it.
    pub evaluation: u64,
    /// Its model.
    pub dna: Dna,
    /// Its numbers, in the user's units.
    pub theta: Vec<f64>,
}

impl FrontDesign {
    /// The design with all its numbers; without those that stand beside the models.
    pub fn design<'a>(&'a self, layout: &'a Layout) -> Design<'a> {
        layout.design(&self.dna, &self.theta)
    }

    /// The same as JSON.
    pub fn to_value(&self, layout: &Layout) -> Value {
        self.design(layout).to_value(usize::MAX)
    }
}

fn of(search: &Search, layout: &Layout, objectives: &[Goal]) -> Option<Vec<FrontDesign>> {
    let front = search.front()?;
    let design = |member: &esenas::front::Member| {
        let mut theta = front.theta_of(member);
        layout.to_user(&mut theta);
        let values = member.goals.values.iter().zip(objectives);
        FrontDesign {
            values: values.map(|(value, it)| it.direction.maximized(*value)).collect(),
            violation: member.goals.violation,
            evaluation: member.evaluation,
            dna: member.dna.clone(),
            theta,
        }
    };
    Some(front.members().into_iter().map(design).collect())
}

impl Study<'_> {
    /// The designs that nobody dominates, the best of the first objective first; `None` of a study
    /// with one objective.
    pub fn front(&self) -> Option<Vec<FrontDesign>> {
        of(&self.state.search, &self.layout, &self.spec.objectives())
    }
}

/// The front of a study in a directory, which may be running.
#[derive(Clone, Debug)]
pub struct StoredFront {
    /// What the study is.
    pub spec: Spec,
    /// Which coordinates of θ are which numbers of a design.
    pub layout: Layout,
    /// The designs, as [`Study::front`] has them; `None` of a study with one objective.
    pub designs: Option<Vec<FrontDesign>>,
}

impl StoredFront {
    /// That of the study in `directory`; empty before its first iteration.
    pub fn load(directory: &Path) -> Result<Self, StudyError> {
        let spec = Spec::stored(directory)?;
        let layout = spec.layout()?;
        let objectives = spec.objectives();
        let designs = match State::stored(&Reader::open(directory)?, directory)? {
            Some(state) => of(&state.search, &layout, &objectives),
            None => (!objectives.is_empty()).then(Vec::new),
        };
        Ok(Self { spec, layout, designs })
    }
}
