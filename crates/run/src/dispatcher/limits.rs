//! How patient a dispatcher is.

use std::num::NonZeroU32;
use std::time::Duration;

/// How often and how long an evaluation is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// How many workers may be lost, or run out of time, over one evaluation.
    pub attempts: NonZeroU32,
    /// The time allowed for one evaluation; a lease of several is allowed the sum.
    ///
    /// Without it an evaluation that hangs on every worker it is given to is waited for forever.
    pub timeout: Option<Duration>,
    /// Whether an evaluation that the objective itself failed is tried again.
    pub retry_failed: bool,
    /// When a slow lease is copied to an idle worker; `None` never does.
    pub speculation: Option<Speculation>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            attempts: const { NonZeroU32::new(3).unwrap() },
            timeout: None,
            retry_failed: false,
            speculation: Some(Speculation::default()),
        }
    }
}

/// When a lease counts as straggling: once it is older than max(`factor` × mean, `floor`).
///
/// Clusters notice a silent network partition after a minute or so; a copy costs an idle worker
/// and finishes the iteration in a fraction of that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speculation {
    /// How many times as long as the mean lease.
    pub factor: f64,
    /// And no sooner than this.
    pub floor: Duration,
    /// The patience while no lease has ever been answered, so that there is no mean yet.
    pub unknown: Duration,
}

impl Default for Speculation {
    fn default() -> Self {
        Self { factor: 5.0, floor: Duration::from_millis(500), unknown: Duration::from_secs(30) }
    }
}

impl Speculation {
    /// The age at which a lease straggles, given the mean time leases take, in seconds.
    pub(super) fn patience(&self, mean: Option<f64>) -> Duration {
        let Some(mean) = mean else { return self.unknown };
        Duration::try_from_secs_f64(self.factor * mean)
            .map_or(Duration::MAX, |patience| patience.max(self.floor))
    }
}
