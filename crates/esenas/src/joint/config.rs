//! How the halves are joined.

use serde::{Deserialize, Serialize};

use super::Baseline;
use crate::shaping::View;

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
