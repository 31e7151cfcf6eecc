//! One file per command.

mod answer;
mod bbob;
mod bench;
mod bench_rl;
mod best;
mod check;
mod completions;
mod env;
mod export;
mod front;
mod list;
mod man;
mod mujoco;
mod policy;
mod render;
mod report;
mod resume;
mod run;
mod schema;
mod session;
mod show;
mod space;
mod view;

use crate::args::Command;
use crate::{Console, Exit};

/// Does what was asked.
pub(crate) fn dispatch(command: Command, console: &mut Console<'_>) -> anyhow::Result<Exit> {
    let done = |done: anyhow::Result<()>| done.map(|()| Exit::Done);
    match command {
        Command::Run(args) => run::run(&args, console),
        Command::Resume(args) => resume::resume(&args, console),
        Command::Check(args) => done(check::check(&args, console)),
        Command::Schema => done(schema::schema(console)),
        Command::List(args) => list::list(&args, console),
        Command::Show(args) => done(show::show(&args, console)),
        Command::Answer(args) => done(answer::answer(&args, console)),
        Command::Best(args) => done(best::best(&args, console)),
        Command::Front(args) => done(front::front(&args, console)),
        Command::Export(args) => done(export::export(&args, console)),
        Command::Report(args) => done(report::report(&args, console)),
        Command::View(args) => done(view::view(&args, console)),
        Command::Space(args) => done(space::space(&args, console)),
        Command::Bbob(args) => done(bbob::bbob(&args, console)),
        Command::Env(args) => done(env::env(args, console)),
        Command::Mujoco(args) => mujoco::mujoco(args, console),
        Command::Policy(args) => done(policy::policy(&args, console)),
        Command::Bench(args) => bench::bench(&args, console),
        Command::Completions(args) => done(completions::completions(&args, console)),
        Command::Man(args) => done(man::man(&args, console)),
    }
}
