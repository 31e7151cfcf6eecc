//! `best`, `front` and `answer`: what a study found, and where it stands.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// `best`
#[derive(Debug, Args)]
pub struct Best {
    /// The run directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Print it as JSON, which depends on the study alone: equal runs print equal bytes
    #[arg(long)]
    pub json: bool,
    /// Write the weights to FILE.f64 (raw, little-endian), FILE.npy or FILE.safetensors
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub theta: Option<PathBuf>,
}

/// `front`
#[derive(Debug, Args)]
pub struct Front {
    /// The run directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// How: csv and jsonl have the designs whole
    #[arg(long, value_enum, default_value_t = FrontFormat::Table)]
    pub format: FrontFormat,
}

/// How a front is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FrontFormat {
    /// For people
    Table,
    /// One row for each design
    Csv,
    /// One object for each design
    Jsonl,
}

/// `answer`
#[derive(Debug, Args)]
pub struct Answer {
    /// The run directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Evaluate it N times: mean and deviation of its score
    #[arg(long, short = 'n', value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub evaluations: Option<u32>,
    /// How many evaluations at a time [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub workers: Option<u32>,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the weights to FILE.f64 (raw, little-endian), FILE.npy or FILE.safetensors
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub theta: Option<PathBuf>,
}
