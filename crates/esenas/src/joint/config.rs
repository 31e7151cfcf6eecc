//! How the halves are joined, and what is refused.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Baseline;
use crate::shaping::{View, ViewError};
use crate::space::CostError;

/// Which models the probes get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// m⁺ and m⁻, drawn independently (Algorithm 1).
    #[default]
    Independent,
    /// One m for both, so that their difference is due to θ alone. The controller, asked once,
    /// is told the mean of the two.
    Shared,
    /// The model where the controller stands, for all of them: its likeliest, or the best on the evidence. What it proposes is
    /// evaluated at the centre, and each half compares what it alone has changed.
    Held,
}

/// Which models are evaluated at θ itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CentreModels {
    /// Fresh draws, like those of the probes.
    #[default]
    Drawn,
    /// The first gets the controller's likeliest model, if it has one, and teaches nobody: it is
    /// better than a probe by what the noise costs, and says what the search would answer now.
    Mode,
}

/// How the halves are joined; the defaults are the paper's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JointConfig {
    /// Models of the probes.
    pub pairing: Pairing,
    /// Centre evaluations in each iteration, beside the probes.
    pub centre: u32,
    /// Their models.
    pub centre_models: CentreModels,
    /// Whether centre evaluations teach the controller.
    pub centre_teaches: bool,
    /// What the controller is shown.
    pub view: View,
    /// What is subtracted from values before θ learns from them.
    pub baseline: Baseline,
}

impl Default for JointConfig {
    fn default() -> Self {
        Self {
            pairing: Pairing::default(),
            centre: 8,
            centre_models: CentreModels::default(),
            centre_teaches: true,
            view: View::default(),
            baseline: Baseline::default(),
        }
    }
}

impl JointConfig {
    /// Whether models can be dealt out so, to weights whose points come in pairs or do not.
    pub(super) fn check_pairing(&self, antithetic: bool) -> Result<(), JointError> {
        match self.pairing {
            Pairing::Shared if !antithetic => Err(JointError::Pairing),
            Pairing::Held if self.centre < 2 => Err(JointError::Held(self.centre)),
            Pairing::Held if self.centre_models != CentreModels::Drawn => Err(JointError::Guest),
            _ => Ok(()),
        }
    }
}

/// Why [`EsEnas::new`](super::EsEnas::new) refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum JointError {
    /// Only antithetic probes come in pairs.
    #[error(
        "pairing must be \"independent\" or \"held\" with these weights: their points come in no pairs"
    )]
    Pairing,
    /// Models must be evaluated somewhere.
    #[error(
        "pairing \"held\" evaluates models at the centre alone: centre.evaluations must be at least 2, \
         got {0}"
    )]
    Held(u32),
    /// And they have all of those evaluations.
    #[error(
        "centre.models must be \"drawn\" with pairing \"held\", which evaluates the model that leads anyway"
    )]
    Guest,
    /// The controller's view.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The cost within it.
    #[error("constraint.cost: {0}")]
    Cost(#[from] CostError),
}
