//! `policy render`: a film of an episode.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use esenas_control::{Episode, Stage, classic};
use esenas_mujoco::{Engine, Film, Filmed, Places, VideoError};
use esenas_run::Spec;
use esenas_run::problem::rl::Trained;
use esenas_run::spec::ProblemConfig;

use super::policy::load;
use crate::Console;
use crate::args::PolicyRender;
use crate::console::shell;
use crate::exit::bad_input;

/// How large a film is.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// The most pictures.
    pub(super) frames: u32,
    /// Pixels; it is three quarters as high.
    pub(super) width: u16,
}

pub(super) fn render(args: &PolicyRender, console: &mut Console<'_>) -> Result<()> {
    let mp4 = match args.out.extension().and_then(|extension| extension.to_str()) {
        Some("gif") => false,
        Some("mp4") => true,
        _ => {
            let said = format!("--out {}: films are .gif or .mp4", shell(&args.out));
            return Err(bad_input(said));
        }
    };
    let err = &mut console.err;
    let mut say = |line: &str| drop(writeln!(err, "{line}"));
    let size = Size { frames: args.frames, width: args.width };
    let library = args.library.mujoco.clone();
    let (film, episode) = film(&load(&args.of)?, size, args.seed, library, &mut say)?;
    if mp4 {
        film.write_mp4(&args.out).map_err(|error| match error {
            VideoError::Missing { .. } => bad_input(error),
            VideoError::Failed { .. } => error.into(),
        })?;
    } else {
        let cannot = || format!("cannot write the film to {}", args.out.display());
        let mut file = BufWriter::new(File::create(&args.out).with_context(cannot)?);
        film.write_gif(&mut file).with_context(cannot)?;
        file.flush().with_context(cannot)?;
    }
    let (steps, paid) = (episode.steps, episode.reward + episode.alive);
    let frames = film.frames().len();
    writeln!(
        console.out,
        "{}: {frames} pictures; {steps} steps, return {paid:.1}",
        shell(&args.out)
    )?;
    Ok(())
}

/// Whether an episode of the study can be filmed.
pub(super) fn has_bodies(spec: &Spec) -> bool {
    let classic = |env: &str| classic::NAMES.contains(&env);
    matches!(&spec.problem, ProblemConfig::Rl(rl) if !classic(&rl.env))
}

/// An episode, and what came of it.
pub(super) fn film(
    trained: &Trained,
    size: Size,
    seed: u64,
    library: Option<PathBuf>,
    say: &mut dyn FnMut(&str),
) -> Result<(Film, Episode)> {
    let env = &trained.config.env;
    if classic::NAMES.contains(&env.as_str()) {
        let said = format!("{env} has no bodies to draw: only MuJoCo's environments are filmed");
        return Err(bad_input(said));
    }
    let places = Places::from_env().with_library(library);
    let mut say = |line: &str| say(line);
    let task = Engine::find(places, &mut say)?.task(env, &mut say)?;
    let filmed = Filmed::new(task, size.width, size.width / 4 * 3, size.frames as usize);
    let film = filmed.film();
    let mut stage = Stage::new(Box::new(filmed), trained.config.actions);
    let episode = trained.episode(&mut stage, &mut trained.network(), 0, seed)?;
    Ok((film, episode))
}
