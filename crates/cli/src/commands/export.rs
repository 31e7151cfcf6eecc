//! `export`: the records in another format.

use std::fs::File;
use std::io::{BufWriter, Write};

use anyhow::{Context as _, Result};
use esenas_store::Reader;

use crate::Console;
use crate::args::{Export, Format, Rows};
use crate::exit::bad_input;
use crate::export::{csv, jsonl, marginals, tensorboard};
use crate::study::expect_free;

/// Writes records, with or without times, to a stream.
type Writer = fn(&Reader, bool, &mut dyn Write) -> Result<()>;

pub(super) fn export(args: &Export, console: &mut Console<'_>) -> Result<()> {
    let write: Writer = match (args.format, args.rows) {
        (Format::Tensorboard, Rows::Iterations) => return events(args, console),
        (Format::Tensorboard, Rows::Evaluations | Rows::Marginals | Rows::Models) => {
            let what = "TensorBoard shows iterations: leave --rows out, or export csv or jsonl";
            return Err(bad_input(what));
        }
        (_, Rows::Evaluations | Rows::Marginals | Rows::Models) if args.timings => {
            let what = "times are kept per iteration: leave --timings or --rows out";
            return Err(bad_input(what));
        }
        (Format::Csv, Rows::Iterations) => csv::iterations,
        (Format::Csv, Rows::Evaluations) => |reader, _, out| csv::evaluations(reader, out),
        (Format::Csv, Rows::Marginals) => |reader, _, out| marginals::csv(reader, out),
        (Format::Jsonl, Rows::Marginals) => |reader, _, out| marginals::jsonl(reader, out),
        (Format::Csv, Rows::Models) => |reader, _, out| marginals::models_csv(reader, out),
        (Format::Jsonl, Rows::Models) => |reader, _, out| marginals::models_jsonl(reader, out),
        (Format::Jsonl, Rows::Iterations) => jsonl::iterations,
        (Format::Jsonl, Rows::Evaluations) => |reader, _, out| jsonl::evaluations(reader, out),
    };
    let reader = Reader::open(&args.dir)?;
    let Some(path) = &args.out else {
        let mut out = BufWriter::new(console.out.raw());
        write(&reader, args.timings, &mut out)?;
        return Ok(out.flush()?);
    };
    expect_free(path)?;
    let context = || format!("cannot write {}", path.display());
    let mut file = BufWriter::new(File::create(path).with_context(context)?);
    write(&reader, args.timings, &mut file).with_context(context)?;
    file.flush().with_context(context)
}

fn events(args: &Export, console: &mut Console<'_>) -> Result<()> {
    let dir = args.out.as_ref().ok_or_else(|| {
        bad_input("TensorBoard reads a directory of event files: name it with --out LOGDIR")
    })?;
    let path = tensorboard::write(&Reader::open(&args.dir)?, args.timings, dir)?;
    writeln!(console.out, "{}: tensorboard --logdir {}", path.display(), dir.display())?;
    Ok(())
}
