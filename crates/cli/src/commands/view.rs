//! `view`: studies in a browser.

use std::path::Path;

use anyhow::Result;
use esenas_report::Data;
use esenas_run::Spec;
use esenas_run::problem::rl::{Trained, Which};
use esenas_store::{Error, Reader};
use esenas_view::{Access, Knows, Server};

use super::render;
use crate::args::View;
use crate::exit::bad_input;
use crate::{Console, interrupt, models};

/// Pictures of a film, and how wide they are: to look at, not to keep.
const FILM: render::Size = render::Size { frames: 250, width: 320 };

pub(super) fn view(args: &View, console: &mut Console<'_>) -> Result<()> {
    if !args.dir.is_dir() {
        let dir = args.dir.display();
        let what = "name a folder of run directories, or run a study first";
        return Err(bad_input(format_args!("{dir} is no directory; {what}")));
    }
    let access = Access::new(args.bind, args.token.clone())
        .map_err(|error| bad_input(format_args!("--token: {error}")))?;
    let place = (args.bind, args.port);
    let server =
        Server::bind(place, access, args.dir.clone(), Box::new(Models)).map_err(bad_input)?;
    writeln!(console.out, "{}", server.url())?;
    if !args.bind.is_loopback() {
        writeln!(console.out, "from elsewhere with the name of this machine, and unencrypted")?;
    }
    writeln!(console.out, "Ctrl-C ends it; studies go on without it")?;
    console.flush()?;
    let stop = interrupt::listen(server.waker());
    server.run(stop);
    Ok(())
}

/// What the page has to be told about models and environments.
struct Models;

impl Knows for Models {
    fn complete(&self, data: &mut Data, reader: &Reader) -> Result<(), Error> {
        models::complete(data, reader)
    }

    fn films(&self, data: &Data) -> bool {
        let spec = Spec::of(&data.header, data.name.as_ref());
        data.progress.best.is_some() && spec.is_ok_and(|spec| render::has_bodies(&spec))
    }

    fn film(&self, dir: &Path) -> Result<Vec<u8>, String> {
        let make = || {
            let trained = Trained::load(dir, Which::Best)?;
            let (film, _) = render::film(&trained, FILM, 0, None, &mut |_| ())?;
            let mut bytes = Vec::new();
            film.write_gif(&mut bytes)?;
            anyhow::Ok(bytes)
        };
        make().map_err(|error| format!("there is no film: {error:#}"))
    }
}
