//! How studies stand: one as a row of figures at the top of its page, several as a table.

use std::fmt::Write;
use std::time::Duration;

use esenas_store::State;

use super::escape;
use crate::Data;
use crate::number::{count, duration, short};
use crate::study::wanted;

/// What is said of a study: a name that scripts and tests find it by, and words for people.
type Facts = Vec<(&'static str, String)>;

/// How `studies` stand.
pub fn overview(studies: &[Data]) -> String {
    match studies {
        [one] => cards(&facts(one)),
        several => table(several),
    }
}

fn cards(facts: &Facts) -> String {
    let mut text = "<section class=\"wide\"><dl class=\"cards\">\n".to_owned();
    for (name, said) in facts {
        let _ = writeln!(
            text,
            "<div><dt>{name}</dt><dd data-of=\"{name}\">{}</dd></div>",
            escape(said)
        );
    }
    text + "</dl></section>\n"
}

fn table(studies: &[Data]) -> String {
    let columns = ["state", "iterations", "evaluations", "failed", "best", "centre"];
    let heads = columns.map(|name| format!("<th>{name}</th>")).concat();
    let mut text = format!(
        "<section class=\"wide\"><table><thead><tr><th>study</th>{heads}</tr></thead><tbody>\n"
    );
    for data in studies {
        let _ = write!(text, "<tr><td>{}</td>", escape(&data.name));
        let facts = facts(data);
        for column in columns {
            let said =
                facts.iter().find(|(name, _)| *name == column).map_or("–", |(_, said)| said);
            let _ = write!(text, "<td data-of=\"{column}\">{}</td>", escape(said));
        }
        text += "</tr>\n";
    }
    text + "</tbody></table></section>\n"
}

fn facts(data: &Data) -> Facts {
    let it = &data.progress;
    let of = |done: u64, wanted: Option<u64>| match wanted {
        Some(wanted) => format!("{} of {}", count(done), count(wanted)),
        None => count(done),
    };
    let best = it.best.as_ref().map_or_else(|| "–".to_owned(), |best| short(best.reported()));
    let mut facts = vec![
        ("state", state(&it.state)),
        ("best", best),
        ("iterations", of(it.iterations, wanted(&data.header.spec, "iterations"))),
        ("evaluations", of(it.evaluations, wanted(&data.header.spec, "evaluations"))),
        ("failed", failed(it.failures, it.evaluations)),
    ];
    let known = data.points.iter().rev().find_map(|point| point.record.centre);
    if let Some(centre) = known {
        facts.insert(2, ("centre", format!("{} ± {}", short(centre.mean), short(centre.std))));
    }
    if let Some(point) = data.points.last() {
        facts.push(("time", seconds(point.elapsed())));
        if let Some(left) = left(data, point.elapsed()) {
            facts.push(("time left", seconds(left)));
        }
    }
    facts
}

/// `3 (1.5 %)`
fn failed(failures: u64, evaluations: u64) -> String {
    match failures {
        0 => "0".to_owned(),
        _ => {
            let share = 100.0 * failures as f64 / evaluations.max(1) as f64;
            format!("{} ({share:.1} %)", count(failures))
        }
    }
}

/// How long a running study still takes at the pace it has had, if it says when it ends.
fn left(data: &Data, elapsed: f64) -> Option<f64> {
    if data.progress.state != State::Running {
        return None;
    }
    let done =
        [("iterations", data.progress.iterations), ("evaluations", data.progress.evaluations)];
    let share = |(key, done): (&str, u64)| {
        let wanted = wanted(&data.header.spec, key).filter(|&it| it > 0)?;
        Some(done as f64 / wanted as f64)
    };
    let nearest = done.into_iter().filter_map(share).fold(0.0_f64, f64::max).min(1.0);
    (nearest > 0.0).then(|| elapsed * (1.0 - nearest) / nearest)
}

fn seconds(time: f64) -> String {
    Duration::try_from_secs_f64(time).map_or_else(|_| "–".to_owned(), duration)
}

/// `running`, `stopped`, `finished: …`
pub fn state(state: &State) -> String {
    match state {
        State::Running => "running".to_owned(),
        State::Stopped => "stopped".to_owned(),
        State::Finished { why } => format!("finished: {why}"),
    }
}
