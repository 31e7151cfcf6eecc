//! `bench`: the experiments.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::TableFormat;

/// `bench`
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Hybrid BBOB problems: Figure 2, Appendix B, tables, sign tests, ECDF (section 3.1)
    Bbob(BenchBbob),
    /// Theorem 1: one step of ES against one of hill climbing, over d, B and condition numbers
    Theory(BenchTheory),
    /// `auto` beside the paper's algorithms and, where they were run, other people's optimizers
    Peers(BenchPeers),
    /// Policies in environments: the tables of section 4 and appendix C, any selection of them
    Rl(BenchRl),
    /// Every claim of the paper, and what the kept results say of it, as Markdown
    Claims(BenchClaims),
}

/// What all experiments take.
#[derive(Debug, Args)]
pub struct Experiment {
    /// How much of it
    #[arg(long, value_enum, default_value_t = BenchPreset::Smoke)]
    pub preset: BenchPreset,
    /// Where cells, tables and figures go; what is there is not run again [default:
    /// runs/bench-NAME-PRESET]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// How many runs at a time [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub workers: Option<u32>,
    /// Print nothing but the report
    #[arg(long, short)]
    pub quiet: bool,
}

/// `bench bbob`
#[derive(Debug, Args)]
pub struct BenchBbob {
    /// How it runs.
    #[command(flatten)]
    pub experiment: Experiment,
    /// Where the optima are
    #[arg(long, value_enum, default_value_t = BenchMode::Centered)]
    pub mode: BenchMode,
    /// Compare ES-ENAS with shared pairs, ranks, orthogonal directions, a subsampled controller
    #[arg(long)]
    pub ablations: bool,
    /// Compare ES and CMA-ES with three populations, alone and in ES-ENAS, to ten times as many
    /// evaluations (appendix B)
    #[arg(long, conflicts_with = "ablations")]
    pub cma: bool,
    /// Which algorithms, separated by commas [default: the preset's]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// How many seeds [default: the preset's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub seeds: Option<u64>,
    /// The budget of each algorithm [default: the preset's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub evaluations: Option<u32>,
    /// Which functions, separated by commas [default: the preset's]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub functions: Vec<String>,
}

/// `bench peers`
#[derive(Debug, Args)]
pub struct BenchPeers {
    /// How it runs.
    #[command(flatten)]
    pub experiment: Experiment,
    /// Which algorithms of ours, separated by commas: auto, auto-middle, paper, cma-enas [default:
    /// all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// How many seeds [default: the preset's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub seeds: Option<u64>,
    /// Which budgets, separated by commas [default: the preset's]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..=1_000_000_000))]
    pub budgets: Vec<u32>,
    /// Which sizes, as categories x weights, separated by commas, e.g. 10x20 [default: the
    /// preset's]
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub sizes: Vec<String>,
    /// Which functions, separated by commas [default: the preset's]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub functions: Vec<String>,
}

/// `bench theory`
#[derive(Debug, Args)]
pub struct BenchTheory {
    /// How it runs.
    #[command(flatten)]
    pub experiment: Experiment,
}

/// `bench claims`
#[derive(Debug, Args)]
pub struct BenchClaims {
    /// Where results are kept
    #[arg(long, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath)]
    pub results: PathBuf,
}

/// `bench rl`
#[derive(Debug, Args)]
pub struct BenchRl {
    /// Which groups, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub groups: Vec<String>,
    /// Which environments, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub envs: Vec<String>,
    /// Which controllers, separated by commas; auto leaves the search to the rules [default: all of
    /// the paper's]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub controllers: Vec<String>,
    /// Which seeds, separated by commas
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "0,1,2")]
    pub seeds: Vec<u64>,
    /// Everything the paper has, in the order of studies/rl/paper.toml
    #[arg(long, conflicts_with_all = ["groups", "envs", "controllers", "seeds", "iterations", "tables"])]
    pub queue: bool,
    /// How long each study runs [default: 100 iterations, and on to 300 while it gains]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: Option<u32>,
    /// Episodes that a finished policy is judged by
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub episodes: u32,
    /// Name what would run, and nothing more
    #[arg(long, conflicts_with = "tables")]
    pub list: bool,
    /// Print the paper's tables with the results beside, and run nothing
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub tables: Option<TableFormat>,
    /// Write the page and the figures of the results, and run nothing
    #[arg(long, conflicts_with_all = ["list", "tables", "queue"])]
    pub page: bool,
    /// Where the studies run; those that are there go on
    #[arg(long, short, value_name = "DIR", default_value = "runs/bench-rl", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Where results and curves go, as CSV
    #[arg(long, value_name = "DIR", default_value = "results/rl", value_hint = ValueHint::DirPath)]
    pub results: PathBuf,
    /// Which build the results are of, as the tables name it: `$(git rev-parse --short HEAD)`, say
    #[arg(long, value_name = "NAME", default_value = env!("CARGO_PKG_VERSION"))]
    pub commit: String,
    /// How many studies at a time
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub jobs: u32,
    /// How many evaluations of a study at a time [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub workers: Option<u32>,
    /// Print nothing but the table
    #[arg(long, short)]
    pub quiet: bool,
}

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchPreset {
    /// What the paper has: up to an hour on two cores
    Paper,
    /// Less than a minute, to see that everything works
    Smoke,
}

/// Where the optima are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchMode {
    /// At zero, not rotated, as in the paper
    Centered,
    /// Random rotations, optima and labels, others for each seed
    Instance,
}
