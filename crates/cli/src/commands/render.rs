//! `policy render`: a film of an episode.

use std::fs::File;
use std::io::{BufWriter, Write};

use anyhow::{Context, Result};
use esenas_control::{Stage, classic};
use esenas_mujoco::{Engine, Filmed, Places};

use super::policy::load;
use crate::Console;
use crate::args::PolicyRender;
use crate::console::shell;
use crate::exit::bad_input;

pub(super) fn render(args: &PolicyRender, console: &mut Console<'_>) -> Result<()> {
    if args.out.extension().is_none_or(|extension| extension != "gif") {
        return Err(bad_input(format!("--out {}: films are GIFs: name it .gif", shell(&args.out))));
    }
    let trained = load(&args.of)?;
    let env = &trained.config.env;
    if classic::NAMES.contains(&env.as_str()) {
        let said = format!("{env} has no bodies to draw: only MuJoCo's environments are filmed");
        return Err(bad_input(said));
    }
    let err = &mut *console.err;
    let mut say = |line: &str| drop(writeln!(err, "{line}"));
    let places = Places::from_env().with_library(args.library.mujoco.clone());
    let task = Engine::find(places, &mut say)?.task(env, &mut say)?;
    let (width, height) = (args.width, args.width / 4 * 3);
    let filmed = Filmed::new(task, width, height, args.frames as usize);
    let film = filmed.film();
    let mut stage = Stage::new(Box::new(filmed), trained.config.actions);
    let episode = trained.episode(&mut stage, &mut trained.network(), 0, args.seed)?;
    let cannot = || format!("cannot write the film to {}", args.out.display());
    let mut file = BufWriter::new(File::create(&args.out).with_context(cannot)?);
    film.write_gif(&mut file).with_context(cannot)?;
    file.flush().with_context(cannot)?;
    let (steps, paid) = (episode.steps, episode.reward + episode.alive);
    let frames = film.frames().len();
    writeln!(
        console.out,
        "{}: {frames} pictures; {steps} steps, return {paid:.1}",
        shell(&args.out)
    )?;
    Ok(())
}
