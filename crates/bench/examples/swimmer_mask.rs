//! Edge probabilities over time, of the runs of `studies/swimmer-mask.toml` (appendix D of the paper):
//!
//! ```sh
//! esenas export RUN --format csv --rows frequencies -o seed0.csv    # for every run
//! cargo run -p esenas-bench --example swimmer_mask -- swimmer-mask seed0.csv seed1.csv seed2.csv
//! ```
//!
//! writes `swimmer-mask.svg` and `.png`: a panel for every edge, a line for every run.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use esenas_report::{Axis, Figure, Line, Panel, Stroke};

/// Gymnasium's documentation of the environment; edges are numbered state by state.
const STATES: [&str; 8] = ["angle 1", "angle 2", "angle 3", "v x", "v y", "ω 1", "ω 2", "ω 3"];
const ACTIONS: [&str; 2] = ["torque 1", "torque 2"];
const COLUMNS: usize = 4;

/// Of each edge, when it was selected how often.
type Edges = Vec<Vec<(f64, f64)>>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (stem, files) = arguments.split_first().ok_or("name the figure, then the files")?;
    let runs: Vec<Edges> = files.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    let edges = STATES.len() * ACTIONS.len();
    let panels: Vec<Panel> = (0..edges).map(|edge| panel(edge, &runs)).collect();
    let title = "Swimmer, linear: how often each edge is selected".to_owned();
    let figure = Figure { title, rows: panels.chunks(COLUMNS).map(<[_]>::to_vec).collect() };
    figure.save(stem)?;
    Ok(())
}

fn panel(edge: usize, runs: &[Edges]) -> Panel {
    let line = |(run, edges): (usize, &Edges)| Line {
        label: format!("run {}", run + 1),
        stroke: Stroke::solid(run),
        points: edges.get(edge).cloned().unwrap_or_default(),
    };
    Panel {
        title: format!("{} → {}", STATES[edge / ACTIONS.len()], ACTIONS[edge % ACTIONS.len()]),
        x: Axis { label: "iteration".to_owned(), ..Axis::default() },
        y: Axis { range: Some((0.0, 1.0)), ..Axis::default() },
        lines: runs.iter().enumerate().map(line).collect(),
    }
}

/// A choice is a slot of a list of yes (candidate 1) and no.
fn read(file: &Path) -> Result<Edges, Box<dyn Error>> {
    let mut edges = BTreeMap::<usize, Vec<(f64, f64)>>::new();
    for line in std::fs::read_to_string(file)?.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [iteration, choice, candidate, frequency] = fields[..] else {
            return Err(format!("{}: `{line}` has not four fields", file.display()).into());
        };
        if candidate == "1" {
            let edge = choice.trim_matches(['"', '[', ']']).parse()?;
            edges.entry(edge).or_default().push((iteration.parse()?, frequency.parse()?));
        }
    }
    Ok(edges.into_values().collect())
}
