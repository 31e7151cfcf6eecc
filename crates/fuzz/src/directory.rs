//! Run directories of strangers: damaged by the byte, and changed with SQL.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use esenas_run::{Control, Spec, Study};
use esenas_store::{Options, Reader, glance};
use rusqlite::Connection;
use rusqlite::limits::Limit;
use rusqlite::types::Value;
use tempfile::TempDir;

use crate::Target;
use crate::input::Input;

pub(crate) const STUDY: &str = "seed = 5\n[stop]\niterations = 4\n\
    [problem]\nkind = \"synthetic\"\ndimension = 3\nblocks = 2\n\
    [weights]\nkind = \"es\"\ndirections = 2\n\
    [controller]\nkind = \"asng\"\n";

/// Whoever looks at one directory must be done by then; it is the list's patience.
const PATIENCE: Duration = Duration::from_secs(10);

/// The files of a study that is over.
pub(crate) struct Template(Vec<(&'static str, Vec<u8>)>);

/// In memory where the system has such a place: a true disk would be waited for.
pub(crate) fn place() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = memory.is_dir().then(|| tempfile::tempdir_in(memory).ok()).flatten();
    made.unwrap_or_else(|| tempfile::tempdir().expect("a directory can be made"))
}

pub(crate) fn template() -> Template {
    let place = place();
    let spec = Spec::parse("fuzz", STUDY, Path::new(""), &[]).expect("the example is a study");
    let study = Study::built_in(spec, std::num::NonZeroUsize::new(1)).expect("it can be run");
    let study = study.create(place.path(), Options::default()).expect("the place is empty");
    study.run(&false.into(), |_| Control::Continue).expect("nothing fails there");
    let read = |name| (name, fs::read(place.path().join(name)).expect("the study is there"));
    Template(["esenas.db", "esenas.seal", "study.toml"].map(read).to_vec())
}

impl Template {
    /// Writes the study to `dir`, which is made.
    pub(crate) fn write(&self, dir: &Path) {
        fs::create_dir_all(dir).expect("a directory can be made");
        for (name, bytes) in &self.0 {
            fs::write(dir.join(name), bytes).expect("a file can be written");
        }
    }
}

/// Everything that only looks at `root/a`: it may refuse, and has to be done in time.
pub(crate) fn look(root: &Path) {
    let (start, dir) = (Instant::now(), root.join("a"));
    let _ = glance(&dir);
    if let Ok(reader) = Reader::open_within(&dir, PATIENCE) {
        let _ = reader.verify();
        let _ = (reader.header(), reader.progress(), reader.best(), reader.first_best());
        let _ = (reader.best_history(), reader.failures(10), reader.latest_checkpoint());
        reader.evaluations(0).take(100).for_each(drop);
        reader.iterations(0).take(100).for_each(drop);
        reader.beliefs(0).take(100).for_each(drop);
    }
    let (at, report) = (dir.to_string_lossy(), root.join("report"));
    for words in [
        vec!["list", &root.to_string_lossy()],
        vec!["show", &at],
        vec!["best", &at, "--json"],
        vec!["answer", &at],
        vec!["export", &at, "--rows", "evaluations"],
        vec!["export", &at, "--rows", "marginals"],
        vec!["report", &at, "-o", &report.to_string_lossy()],
    ] {
        esenas(&words);
    }
    assert!(start.elapsed() < PATIENCE, "it took {:?}", start.elapsed());
}

/// The command line; no word of a study tells a terminal what to do.
fn esenas(words: &[&str]) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = std::iter::once("esenas").chain(words.iter().copied());
    esenas_cli::run(
        words.map(Into::into),
        &mut esenas_cli::Console::new(&mut out, &mut err, false),
    );
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    let said = String::from_utf8_lossy(&err);
    assert!(!said.contains(control), "{said:?}");
}

/// Bytes of its files, changed.
pub(crate) fn damaged() -> Target {
    let template = template();
    Target::new("damaged", vec![vec![0; 8], vec![1, 0, 20, 4, 1, 2, 3, 4]], move |bytes| {
        let place = place();
        let dir = place.path().join("a");
        template.write(&dir);
        let mut input = Input::new(bytes);
        while !input.is_over() {
            let (name, known) = &template.0[input.below(template.0.len())];
            let path = dir.join(name);
            let mut bytes = fs::read(&path).unwrap_or_else(|_| known.clone());
            let at = input.below((bytes.len() + 1).max(257));
            match input.byte() % 4 {
                0 => bytes.truncate(at),
                1 => bytes.extend(input.bytes()),
                2 => bytes.clear(),
                _ => {
                    let new = input.bytes();
                    let end = (at + new.len()).min(bytes.len());
                    if at < end {
                        bytes[at..end].copy_from_slice(&new[..end - at]);
                    }
                }
            }
            fs::write(&path, bytes).expect("a file can be written");
        }
        look(place.path());
    })
}

/// What was changed by somebody who has the tables in their hands, without the checksums.
pub(crate) fn changed() -> Target {
    let template = template();
    let seeds: Vec<Vec<u8>> = [
        "\u{1}UPDATE best SET model = 'x', value = 9e999",
        "\u{1}DROP TABLE state; CREATE VIEW state AS SELECT 1 AS commits, 2 AS iterations",
        "\u{1}UPDATE evaluations SET dna = x'ff', metrics = '{\"a\":1e999}'",
        "\u{1}PRAGMA user_version = 9; DELETE FROM iterations WHERE iteration = 2",
        "\u{1}ALTER TABLE study ADD COLUMN x AS (hex(zeroblob(99999999)))",
        "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    Target::new("changed", seeds, move |bytes| {
        let place = place();
        let dir = place.path().join("a");
        template.write(&dir);
        change(&dir, Input::new(bytes));
        look(place.path());
    })
}

fn change(dir: &Path, mut input: Input<'_>) {
    let mut db = Connection::open(dir.join("esenas.db")).expect("the file is there");
    let start = Instant::now();
    // As the text is anything: it reaches no other file, and ends.
    db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0).expect("less than there is");
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, 10 << 20).expect("less than there is");
    let late = move || start.elapsed() > Duration::from_millis(50);
    db.progress_handler(1000, Some(late)).expect("it is open");
    if input.byte() % 2 == 1 {
        let _ = db.execute_batch(&String::from_utf8_lossy(input.rest()));
        return;
    }
    while !input.is_over() {
        let columns = columns(&db);
        let (table, column) = &columns[input.below(columns.len())];
        let row = input.below(4);
        let value = match input.byte() % 5 {
            0 => Value::Null,
            1 => Value::Integer(input.bits() as i64),
            2 => Value::Real(input.number()),
            3 => Value::Text(input.text()),
            _ => Value::Blob(input.bytes().to_vec()),
        };
        let all = columns.iter().any(|(its, name)| its == table && name == "iteration");
        let which = if all { format!("WHERE iteration = {row}") } else { String::new() };
        let _ = db.execute(&format!("UPDATE {table} SET {column} = ?1 {which}"), [value]);
    }
}

/// Every column of every table.
fn columns(db: &Connection) -> Vec<(String, String)> {
    let sql = "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c \
               WHERE t.type = 'table' ORDER BY 1, 2";
    let mut statement = db.prepare(sql).expect("a study has tables");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.expect("a study has tables").map(|row| row.expect("names are text")).collect()
}
