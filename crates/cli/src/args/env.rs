//! The flags of `env`, `mujoco` and `policy render`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::PolicyOf;

/// `env`
#[derive(Debug, Subcommand)]
pub enum Env {
    /// Read a start and actions as JSON from standard input, print what came of them
    ///
    /// The input is {"env": "HalfCheetah-v4", "qpos": [...], "qvel": [...], "actions": [[...],
    /// ...]}. The output has the lists "obs", "reward" and "terminated", one entry per action;
    /// every action is applied, also past termination.
    Replay(Library),
    /// Name the environments, with dimensions and versions
    List,
}

/// `mujoco`
#[derive(Debug, Subcommand)]
pub enum Mujoco {
    /// Fetch MuJoCo 2.3.7 and the models into the cache, if they are not there
    Install(Library),
    /// Say what is found, what is wrong and what to do
    Doctor(Library),
}

/// Which MuJoCo.
#[derive(Debug, Args)]
pub struct Library {
    /// The library, or its folder [default: an installed package, or the cache]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub mujoco: Option<PathBuf>,
}

/// `policy render`
#[derive(Debug, Args)]
pub struct PolicyRender {
    /// Which.
    #[command(flatten)]
    pub of: PolicyOf,
    /// The film: an animated GIF, or an MP4 where ffmpeg is installed
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,
    /// What the start is drawn from: that of the first episode of `policy eval` with this seed
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// The most pictures; one is 40 or 50 ms
    #[arg(long, value_name = "N", default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub frames: u32,
    /// The width of the film; it is three quarters as high
    #[arg(long, value_name = "PIXELS", default_value_t = 320, value_parser = clap::value_parser!(u16).range(16..=4096))]
    pub width: u16,
    /// Which MuJoCo.
    #[command(flatten)]
    pub library: Library,
}
