//! What of a study may change: its limits.
//!
//! When a study ends is no part of what it is. The rules of `auto` look at the limits while nothing
//! was asked for; what they chose then stays chosen, however long the study goes on.

use super::file::File;
use super::write::Difference;
use super::{Spec, StopConfig};

impl Spec {
    /// The same study with other limits, before anything was asked for: the rules choose again.
    pub(crate) fn chosen_for(&self, stop: StopConfig) -> Self {
        let mut file = File::from(Self { stop, ..self.clone() });
        file.forget_chosen();
        Self { source: self.source.clone(), ..file.into() }
    }

    /// This study, as it goes on where it is stored as `there`: with its own limits, if it has any,
    /// and with what was chosen there. Refused with the keys in which the two differ.
    pub(crate) fn going_on(self, there: &Self) -> Result<Self, Vec<Difference>> {
        let source = self.source.clone();
        let mut file = File::from(self);
        file.take_chosen(File::from(there.clone()));
        let here = Self { source, choice: None, ..file.into() };
        let told = |key: &str| key.starts_with("stop.") || key.starts_with("auto.");
        let differences = here.differences(there);
        let differences: Vec<_> = differences.into_iter().filter(|it| !told(&it.key)).collect();
        if !differences.is_empty() {
            return Err(differences);
        }
        let stop = if here.stop.ends() { here.stop.clone() } else { there.stop.clone() };
        Ok(Self { stop, ..here })
    }
}
