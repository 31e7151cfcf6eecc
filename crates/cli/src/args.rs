//! The flags.
//!
//! What is written here is what `--help`, the manual pages and the completions show.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use esenas_store::Options;

mod bench;
mod best;
mod env;
mod report;
mod view;

pub use bench::{
    Bench, BenchBbob, BenchClaims, BenchMode, BenchPeers, BenchPreset, BenchRl, BenchTheory,
    Experiment,
};
pub use best::{Answer, Best, Front, FrontFormat};
pub use env::{Env, Library, Mujoco, PolicyRender};
pub use report::{Report, TableFormat};
pub use view::View;

/// Optimizes black boxes over models and weights together: ES-ENAS.
#[derive(Debug, Parser)]
#[command(
    name = "esenas",
    version,
    max_term_width = 100,
    propagate_version = true,
    after_help = "Exit codes: 0 done, 1 the objective or the engine failed, 2 bad input, 130 interrupted."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a study, or go on with it where it stopped
    Run(Run),
    /// Go on with the study in a run directory
    Resume(Resume),
    /// Validate a study and print what it resolves to, without running anything
    Check(Check),
    /// Print the JSON Schema of the study file
    Schema,
    /// List the studies in a folder, with progress and best
    List(List),
    /// Show a study: settings, curve, best model, failures
    Show(Show),
    /// Print where a study stands: the likeliest model with the centre, and how good that is
    Answer(Answer),
    /// Print the best model and its weights
    Best(Best),
    /// Print the designs that nobody dominates, of a study with several objectives
    Front(Front),
    /// Write the records in another format
    Export(Export),
    /// Write figures, tables and a page of studies, or of a comparison of them
    Report(Report),
    /// Show studies in the browser, live
    View(View),
    /// Read a search space: its size, its decisions, samples of it
    Space(Space),
    /// Evaluate or list the functions of the BBOB benchmark
    #[command(subcommand)]
    Bbob(Bbob),
    /// Replay or list environments
    #[command(subcommand)]
    Env(Env),
    /// Fetch MuJoCo, or explain what is found of it
    #[command(subcommand)]
    Mujoco(Mujoco),
    /// Use the policy that a study found
    #[command(subcommand)]
    Policy(Policy),
    /// Run the experiments of the paper and write tables and figures
    #[command(subcommand)]
    Bench(Bench),
    /// Print completions for a shell
    Completions(Completions),
    /// Print the manual page, or write one per command
    Man(Man),
}

/// `run`
#[derive(Debug, Args)]
pub struct Run {
    /// The study file (TOML)
    #[arg(value_name = "STUDY.toml", value_hint = ValueHint::FilePath)]
    pub study: PathBuf,
    /// Override a setting, e.g. weights.sigma=0.2 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The run directory [default: runs/NAME]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Discard the run that is there and begin anew
    #[arg(long)]
    pub fresh: bool,
    /// How it runs.
    #[command(flatten)]
    pub how: How,
}

/// `resume`
#[derive(Debug, Args)]
pub struct Resume {
    /// The run directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Forget what came after ITERATION and go on from its checkpoint, which must be there still
    #[arg(long, value_name = "ITERATION")]
    pub rewind: Option<u64>,
    /// Go on although the directory has lost iterations that were saved; they are computed again
    #[arg(long)]
    pub accept_loss: bool,
    /// Go on until N iterations are done, or with +N for N more, in place of the study's limits
    #[arg(long, value_name = "[+]N", value_parser = limit)]
    pub iterations: Option<Limit>,
    /// Go on until N evaluations are done, or with +N for N more, in place of the study's limits
    #[arg(long, value_name = "[+]N", value_parser = limit)]
    pub evaluations: Option<Limit>,
    /// How it runs.
    #[command(flatten)]
    pub how: How,
}

/// How long a study goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many in all.
    Total(u64),
    /// So many more.
    More(u64),
}

fn limit(text: &str) -> Result<Limit, &'static str> {
    let wrong = "it is a number, in all, or with a + one of how many more: 5000 or +3000";
    let (number, make) = match text.strip_prefix('+') {
        Some(number) => (number, Limit::More as fn(u64) -> Limit),
        None => (text, Limit::Total as fn(u64) -> Limit),
    };
    let digits = number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse().ok().filter(|n| digits && *n > 0).map(make).ok_or(wrong)
}

/// What cannot change a result.
#[derive(Debug, Args)]
pub struct How {
    /// How many evaluations at a time [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub workers: Option<u32>,
    /// Who evaluates: inline, threads, or ray[=ADDRESS] where the Python package is installed
    #[arg(long, value_parser = executor)]
    pub executor: Option<ExecutorKind>,
    /// Allow a Ray cluster on other machines that has no token
    #[arg(long)]
    pub insecure: bool,
    /// Print one JSON object per iteration
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// How often a commit waits for the disk, in seconds: what power loss can cost; 0 for each one
    /// [default: 1]
    #[arg(long, value_name = "SECONDS")]
    pub sync_every: Option<u32>,
    /// Fill the terminal with curve, choices, statistics and throughput while it runs
    #[arg(long, conflicts_with_all = ["quiet", "json"])]
    pub tui: bool,
    /// Write an event file for TensorBoard while it runs
    #[arg(long, value_name = "LOGDIR", value_hint = ValueHint::DirPath)]
    pub tensorboard: Option<PathBuf>,
}

impl How {
    /// How the run directory is written.
    pub(crate) fn options(&self) -> Options {
        let default = Options::default();
        let given = self.sync_every.map(|seconds| Duration::from_secs(seconds.into()));
        Options { sync_every: given.unwrap_or(default.sync_every), ..default }
    }
}

/// Who evaluates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutorKind {
    /// This process, one after the other
    Inline,
    /// This process, on several threads
    Threads,
    /// The nodes of a Ray cluster: the one at this address, or one that is started here
    Ray(Option<String>),
}

fn executor(text: &str) -> Result<ExecutorKind, &'static str> {
    match text.split_once('=') {
        None if text == "inline" => Ok(ExecutorKind::Inline),
        None if text == "threads" => Ok(ExecutorKind::Threads),
        None if text == "ray" => Ok(ExecutorKind::Ray(None)),
        Some(("ray", address)) if !address.is_empty() => {
            Ok(ExecutorKind::Ray(Some(address.into())))
        }
        _ => Err("it is inline, threads or ray, which may have an address: ray=10.0.0.1:6379"),
    }
}

/// `check`
#[derive(Debug, Args)]
pub struct Check {
    /// The study file (TOML)
    #[arg(value_name = "STUDY.toml", value_hint = ValueHint::FilePath)]
    pub study: PathBuf,
    /// Override a setting, e.g. weights.sigma=0.2 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Evaluate one candidate, and say what came back and how long it took
    #[arg(long = "try")]
    pub attempt: bool,
}

/// `list`
#[derive(Debug, Args)]
pub struct List {
    /// The folder of run directories
    #[arg(value_name = "FOLDER", default_value = "runs", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}

/// `show`
#[derive(Debug, Args)]
pub struct Show {
    /// The run directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
}

/// `export`
#[derive(Debug, Args)]
pub struct Export {
    /// The run directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// The format
    #[arg(long, short, value_enum)]
    pub format: Format,
    /// Which records (TensorBoard shows iterations)
    #[arg(long, value_enum, default_value_t = Rows::Iterations)]
    pub rows: Rows,
    /// Add where the time went, which differs from run to run
    #[arg(long)]
    pub timings: bool,
    /// A file, or the log directory of TensorBoard [default: the standard output]
    #[arg(long, short, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub out: Option<PathBuf>,
}

/// What `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Comma-separated values with a header
    Csv,
    /// One JSON object per line
    Jsonl,
    /// An event file for TensorBoard; needs --out
    Tensorboard,
}

/// Which records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rows {
    /// One row per iteration
    Iterations,
    /// One row per recorded evaluation
    Evaluations,
    /// How often each option is chosen, at a hundred moments
    Marginals,
    /// The likeliest model over time, where the controller is a distribution
    Models,
}

/// `space`
#[derive(Debug, Args)]
pub struct Space {
    /// The space, as JSON or (by its name) TOML; - reads JSON from the standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Print only the number of models: exactly if it fits 128 bits, else as a power of ten
    #[arg(long, group = "what")]
    pub size: bool,
    /// Print N random models, one JSON object per line
    #[arg(long, value_name = "N", group = "what")]
    pub sample: Option<u32>,
    /// The seed of --sample
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Check a DNA (a JSON array of integers) and draw the model it stands for
    #[arg(long, value_name = "DNA", group = "what")]
    pub validate: Option<String>,
}

/// `bbob`
#[derive(Debug, Subcommand)]
pub enum Bbob {
    /// Read one JSON object per line from standard input, print one value per line
    ///
    /// An object is {"function": "Rastrigin", "x": [...]}, with "mode" ("raw", "centered",
    /// "instance"), "seed", and the rotations "r" and "q" if wanted. With "d_cat" and "d_con"
    /// instead of "x" it is a hybrid problem, and one of "points" ([[category, ..., weight, ...],
    /// ...]), "start" (a seed) or "scale" ([budget, seed]) is answered by a list of numbers.
    Value,
    /// Name the functions, with optimum and description
    List,
}

/// `policy`
#[derive(Debug, Subcommand)]
pub enum Policy {
    /// Play episodes with it: mean and deviation of its return
    Eval(PolicyEval),
    /// Write it as JSON that needs nothing else: edges, weights, nonlinearities, normalizer
    Export(PolicyExport),
    /// Film an episode of it, without any graphics library
    Render(PolicyRender),
}

/// Which policy.
#[derive(Debug, Args)]
pub struct PolicyOf {
    /// The run directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Which policy of the study
    #[arg(long, value_enum, default_value_t = PolicyWhich::Best)]
    pub which: PolicyWhich,
}

/// Which policy of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PolicyWhich {
    /// The candidate with the best value
    Best,
    /// The weights where the search stands, with the likeliest model of the controller if it is a
    /// distribution, else with the best of those last evaluated there
    Centre,
}

/// `policy eval`
#[derive(Debug, Args)]
pub struct PolicyEval {
    /// Which.
    #[command(flatten)]
    pub of: PolicyOf,
    /// How many episodes
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub episodes: u32,
    /// What the starts are drawn from
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON object, with every episode
    #[arg(long)]
    pub json: bool,
}

/// `policy export`
#[derive(Debug, Args)]
pub struct PolicyExport {
    /// Which.
    #[command(flatten)]
    pub of: PolicyOf,
    /// A file, in the form that the end of its name says: .json, .h (C), .onnx or .safetensors
    /// [default: JSON on the standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// The numbers of a header of C [default: single]
    #[arg(long, value_enum, requires = "out")]
    pub precision: Option<PolicyPrecision>,
}

/// The numbers of a policy in C.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PolicyPrecision {
    /// `double`
    Double,
    /// `float`
    Single,
    /// 8-bit fixed point; the header says what that costs
    Fixed,
}

/// `completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `man`
#[derive(Debug, Args)]
pub struct Man {
    /// Write esenas.1, esenas-run.1, … into a directory
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_flags_do_not_contradict_each_other() {
        super::Cli::command().debug_assert();
    }
}
