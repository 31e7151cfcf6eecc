//! What can be said of a run directory by its records alone.
//!
//! Read loosely: a study of another version, or of a problem this program does not know, is listed
//! and shown all the same.

use std::path::Path;

use anyhow::Result;
use esenas::Dna;
pub(crate) use esenas_report::page::state;
pub(crate) use esenas_report::study::wanted;
use esenas_store::BestRecord;
use serde_json::Value;

use crate::draw::{cut, short, tree};
use crate::exit::bad_input;

/// The genes of a recorded model, as JSON; in hexadecimal where they are nobody's we know.
pub(crate) fn dna(bytes: &[u8]) -> Value {
    match Dna::from_bytes(bytes) {
        Ok(dna) => dna.genes().into(),
        Err(_) => bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into(),
    }
}

/// The decoded model.
pub(crate) fn model(best: &BestRecord) -> Value {
    serde_json::from_str(&best.model).unwrap_or_else(|_| best.model.clone().into())
}

/// The best model: how good, where it was found, and what it is.
pub(crate) fn describe(best: &BestRecord, width: usize) -> String {
    let value = match best.score {
        Some(_) => format!(", value {}", short(best.value)),
        None => String::new(),
    };
    let place = format!("iteration {}, index {}", best.iteration, best.index);
    let mut text =
        format!("best  {}{value}  ({place}; d = {})\n", short(best.reported()), best.dimension);
    if let Some(violation) = best.violation {
        let by = short(violation);
        text +=
            &format!("  not feasible: nothing is yet, and this exceeds limits least, by {by}\n");
    }
    text += &cut(&format!("  dna {}", dna(&best.dna)), width);
    text.push('\n');
    let model = tree(&model(best), width - 2);
    text.extend(model.lines().map(|line| format!("  {line}\n")));
    text
}

/// `3.2 %`
pub(crate) fn percent(part: u64, whole: u64) -> String {
    match part as f64 / whole.max(1) as f64 * 100.0 {
        share if part > 0 && share < 0.1 => "< 0.1 %".to_owned(),
        share => format!("{share:.1} %"),
    }
}

/// Refuses to write where a study is kept: its records would be gone.
pub(crate) fn expect_free(path: &Path) -> Result<()> {
    if esenas_store::is_of_study(path) {
        let what = "belongs to a study, which would be destroyed: name another file";
        return Err(bad_input(format_args!("{} {what}", path.display())));
    }
    Ok(())
}
