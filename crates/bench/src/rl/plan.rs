//! The description, and the cells it stands for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use esenas_run::spec::ProblemConfig;
use esenas_run::{Spec, StudyError};
use serde::Deserialize;

use super::Length;
use crate::BenchError;

/// `studies/rl/paper.toml`
const PAPER: &str = include_str!("../../../../studies/rl/paper.toml");
/// What stands for a controller where everything is left to the rules of [`esenas::auto`].
const AUTO: &str = "auto";

/// All groups.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// How long each runs.
    length: Length,
    /// What every study has.
    study: toml::Table,
    /// What every problem has.
    #[serde(default)]
    problem: toml::Table,
    /// Settings of controllers, by their name.
    #[serde(default)]
    controller: BTreeMap<String, toml::Table>,
    /// The environments of a group that does not name its own.
    environments: Vec<String>,
    group: Vec<Group>,
    #[serde(default)]
    queue: Vec<Queued>,
}

/// Cells that are run before others.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Queued {
    /// What for, for people.
    what: String,
    seeds: Vec<u64>,
    cells: Vec<String>,
}

/// The seeds of the paper's tables.
const SEEDS: [u64; 3] = [0, 1, 2];

/// Studies that differ in environment and controller only.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    name: String,
    /// Where the paper has it.
    source: String,
    policy: toml::Table,
    controllers: Vec<String>,
    #[serde(default)]
    environments: Vec<String>,
    /// How long each runs, if not like the others.
    length: Option<Length>,
    /// What else its studies have.
    #[serde(default)]
    study: toml::Table,
    /// What else their problems have.
    #[serde(default)]
    problem: toml::Table,
    /// For each environment, mean and deviation (if stated) for each controller.
    #[serde(default)]
    paper: BTreeMap<String, Vec<Vec<f64>>>,
}

/// A number of the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paper {
    /// Over three seeds.
    pub mean: f64,
    /// Where it is stated.
    pub deviation: Option<f64>,
}

impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.mean)?;
        self.deviation.map_or(Ok(()), |deviation| write!(f, " ± {deviation}"))
    }
}

/// One study.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its file below `studies/rl/`, without the ending.
    pub name: String,
    /// Its text.
    pub study: String,
    /// What the paper has there.
    pub paper: Option<Paper>,
    /// How long it runs.
    pub length: Length,
    pub(super) group: String,
    pub(super) env: String,
    pub(super) controller: String,
    /// Whether its network is masked, and judged by what it earns when pruned.
    pub(super) masked: bool,
    /// Evaluations in an iteration of the paper's, of a study that does not name its own.
    like: Option<usize>,
}

impl Cell {
    /// The setting that ends it after so many iterations of the paper's size, at most.
    pub(super) fn lasting(&self, length: Length) -> String {
        match self.like {
            None => format!("stop.iterations={}", length.most),
            Some(size) => {
                // An iteration of its own size cannot be told to gain by one of the paper's.
                format!("stop.evaluations={}", size as u64 * u64::from(length.first))
            }
        }
    }

    /// Whether it may go on for as long as it gains.
    pub(super) fn is_of_paper(&self) -> bool {
        self.like.is_none()
    }

    /// Its problem.
    pub(super) fn problem(&self) -> Result<ProblemConfig, BenchError> {
        let spec = Spec::parse(&self.name, &self.study, Path::new(""), &[]);
        Ok(spec.map_err(StudyError::from)?.problem)
    }

    /// A hash of what the study says, in eight hexadecimal digits.
    pub(super) fn settings(&self) -> String {
        let said = self.study.lines().filter(|line| !line.starts_with('#'));
        // FNV-1a: it names settings, and guards against nothing.
        let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        format!("{:08x}", said.flat_map(str::bytes).fold(0x811c_9dc5, step))
    }
}

/// Which cells; an empty list is all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Of these groups.
    pub groups: Vec<String>,
    /// Of these environments.
    pub envs: Vec<String>,
    /// With these controllers; `auto`, which is in no table of the paper, only if it is named.
    pub controllers: Vec<String>,
}

impl Plan {
    /// The paper's.
    pub fn paper() -> Self {
        Self::parse(PAPER).expect("a test reads it")
    }

    /// Reads a description.
    pub fn parse(text: &str) -> Result<Self, BenchError> {
        toml::from_str(text).map_err(|error| BenchError::Description(error.to_string()))
    }

    /// All studies of the paper, group by group.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for (group, env) in self.problems() {
            for (at, controller) in group.controllers.iter().enumerate() {
                cells.push(self.cell(group, env, at, controller));
            }
        }
        cells
    }

    fn problems(&self) -> impl Iterator<Item = (&Group, &String)> {
        self.group.iter().flat_map(|group| {
            let own = &group.environments;
            let envs = if own.is_empty() { &self.environments } else { own };
            envs.iter().map(move |env| (group, env))
        })
    }

    /// The paper's problem, searched with what `auto` chooses, for as many evaluations.
    fn auto(&self, group: &Group, env: &str) -> Result<Cell, BenchError> {
        let mut cell = self.cell(group, env, usize::MAX, AUTO);
        let mut table: toml::Table = toml::from_str(&cell.study).expect("it was just written");
        table.remove("controller");
        table.insert("preset".to_owned(), "paper".into());
        let paper = toml::to_string(&table).expect("tables of TOML values are TOML");
        let paper =
            Spec::parse(&cell.name, &paper, Path::new(""), &[]).map_err(StudyError::from)?;
        let size = paper.plan().map_err(StudyError::from)?.overview().evaluations;
        cell.like = Some(size);
        for section in ["weights", "centre"] {
            table.remove(section);
        }
        table.insert("preset".to_owned(), AUTO.into());
        let evaluations = i64::from(cell.length.first) * size as i64;
        let stop = [("evaluations".to_owned(), evaluations.into())];
        table.insert("stop".to_owned(), toml::Table::from_iter(stop).into());
        cell.study = toml::to_string(&table).expect("tables of TOML values are TOML");
        Ok(cell)
    }

    fn cell(&self, group: &Group, env: &str, at: usize, controller: &str) -> Cell {
        let stated = group.paper.get(env).and_then(|row| row.get(at));
        let paper = stated.and_then(|numbers| {
            Some(Paper { mean: *numbers.first()?, deviation: numbers.get(1).copied() })
        });
        let says = paper.map_or_else(
            || format!("The paper has no number for it ({}).", group.source),
            |paper| format!("The paper has {paper} ({}).", group.source),
        );
        let mut table = self.study.clone();
        table.extend(group.study.clone());
        let length = group.length.unwrap_or(self.length);
        let stop = [("iterations".to_owned(), i64::from(length.most).into())];
        table.insert("stop".to_owned(), toml::Table::from_iter(stop).into());
        let text = |text: &str| toml::Value::String(text.to_owned());
        let own =
            [("kind", text("rl")), ("env", text(env)), ("policy", group.policy.clone().into())];
        let mut problem = self.problem.clone();
        problem.extend(group.problem.clone());
        problem.extend(own.map(|(key, value)| (key.to_owned(), value)));
        table.insert("problem".to_owned(), problem.into());
        let mut settings = self.controller.get(controller).cloned().unwrap_or_default();
        settings.insert("kind".to_owned(), text(controller));
        table.insert("controller".to_owned(), settings.into());
        let body = toml::to_string(&table).expect("tables of TOML values are TOML");
        let header = "# Made from studies/rl/paper.toml, which says how to make it again.";
        Cell {
            name: format!("{}/{}-{controller}", group.name, env.to_lowercase()),
            study: format!("{header}\n# {says}\n\n{body}"),
            paper,
            length,
            group: group.name.clone(),
            env: env.to_owned(),
            controller: controller.to_owned(),
            masked: group.policy.get("kind").and_then(|it| it.as_str()) == Some("masked"),
            like: None,
        }
    }

    /// What is run first, and what for: each with its cells and seeds.
    pub(super) fn aims(&self) -> impl Iterator<Item = (&str, &[String], &[u64])> {
        self.queue.iter().map(|it| (it.what.as_str(), &it.cells[..], &it.seeds[..]))
    }

    /// All cells with their seeds, in the order in which they are run: those that are queued first.
    pub fn queue(&self) -> Result<Vec<(Cell, u64)>, BenchError> {
        let cells = self.cells();
        let mut jobs: Vec<(Cell, u64)> = Vec::new();
        for (_, names, seeds) in self.aims() {
            for seed in seeds {
                for name in names {
                    let cell = cells.iter().find(|cell| cell.name == *name);
                    let unknown = || BenchError::Description(format!("no cell is called {name}"));
                    jobs.push((cell.ok_or_else(unknown)?.clone(), *seed));
                }
            }
        }
        for seed in SEEDS {
            jobs.extend(cells.iter().map(|cell| (cell.clone(), seed)));
        }
        let mut seen = BTreeSet::new();
        jobs.retain(|(cell, seed)| seen.insert((cell.name.clone(), *seed)));
        Ok(jobs)
    }

    /// The studies that are meant; names are told apart by more than case.
    pub fn select(&self, selection: &Selection) -> Result<Vec<Cell>, BenchError> {
        let mut cells = self.cells();
        for (group, env) in self.problems() {
            cells.push(self.auto(group, env)?);
        }
        let all = |of: fn(&Cell) -> &String| cells.iter().map(of).collect::<Vec<_>>();
        known("--groups", &selection.groups, &all(|cell| &cell.group))?;
        known("--envs", &selection.envs, &all(|cell| &cell.env))?;
        known("--controllers", &selection.controllers, &all(|cell| &cell.controller))?;
        let fits = |wanted: &[String], has: &str| {
            wanted.is_empty() || wanted.iter().any(|name| name.eq_ignore_ascii_case(has))
        };
        let meant = |cell: &Cell| {
            fits(&selection.groups, &cell.group)
                && fits(&selection.envs, &cell.env)
                && fits(&selection.controllers, &cell.controller)
                && (cell.controller != AUTO || !selection.controllers.is_empty())
        };
        let selected: Vec<Cell> = cells.into_iter().filter(meant).collect();
        if selected.is_empty() { Err(BenchError::Nothing("the selection")) } else { Ok(selected) }
    }
}

/// Every name must be one of those there are.
fn known(what: &'static str, wanted: &[String], all: &[&String]) -> Result<(), BenchError> {
    let is = |name: &&String| !all.iter().any(|known| known.eq_ignore_ascii_case(name));
    match wanted.iter().find(is) {
        None => Ok(()),
        Some(name) => {
            let mut known: Vec<&str> = all.iter().map(|name| name.as_str()).collect();
            known.sort_unstable();
            known.dedup();
            Err(BenchError::Unknown { what, name: name.clone(), known: known.join(", ") })
        }
    }
}
