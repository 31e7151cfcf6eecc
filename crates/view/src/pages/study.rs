//! One study, or several compared: figures, numbers, best model, settings, failures.

use std::fmt::Write;
use std::thread;

use esenas_report::choices::MOMENTS;
use esenas_report::page::{details, escape, figure, overview};
use esenas_report::{Along, Data, charts};

use super::{differences, page as around};
use crate::query::{Query, encode};
use crate::shelf::Shelf;

/// At most this many are compared: there are no more colours.
const MOST: usize = 50;

/// What is to be shown.
pub(crate) struct Wanted {
    pub(crate) names: Vec<String>,
    along: Along,
}

impl Wanted {
    pub(crate) fn of(query: &Query) -> Result<Self, &'static str> {
        let mut names: Vec<String> = Vec::new();
        for name in query.all("name") {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        let along = query.get("along").unwrap_or(Along::default().name());
        let along = Along::ALL.into_iter().find(|(_, name)| *name == along);
        let (along, _) = along.ok_or("along is iterations, evaluations or time")?;
        match names.len() {
            0 => Err("select at least one study: /study?name=…"),
            1..=MOST => Ok(Self { names, along }),
            _ => Err("at most 50 studies are compared at a time"),
        }
    }

    /// The address of the same, along another axis.
    fn address(&self, path: &str, along: Along) -> String {
        let mut text = format!("{path}?along={}", along.name());
        for name in &self.names {
            let _ = write!(text, "&name={}", encode(name));
        }
        text
    }
}

/// The whole page.
pub(crate) fn page(wanted: &Wanted, shelf: &Shelf) -> String {
    let title = match &wanted.names[..] {
        [one] => one.clone(),
        several => format!("{} studies compared", several.len()),
    };
    let mut header = format!(
        "<a href=\"/\" accesskey=\"l\">Studies</a><h1>{}</h1><nav aria-label=\"horizontal axis\">against ",
        escape(&title)
    );
    for (along, name) in Along::ALL {
        let current = if along == wanted.along { " aria-current=\"true\"" } else { "" };
        let address = escape(&wanted.address("/study", along));
        let _ = write!(header, "<a class=\"axis\" href=\"{address}\"{current}>{name}</a> ");
    }
    header += "</nav><a href=\"#details-0\">best model, settings, failures</a>";
    let revision = shelf.revision(&wanted.names);
    let live = wanted.address("/api/study", wanted.along);
    around(&title, &header, (&live, revision), &content(wanted, shelf))
}

/// What changes while a study runs. Children with an id are replaced one by one.
pub(crate) fn content(wanted: &Wanted, shelf: &Shelf) -> String {
    let (mut studies, mut troubles) = (Vec::new(), Vec::new());
    for (data, trouble) in read(&wanted.names, shelf) {
        studies.extend(data);
        troubles.extend(trouble);
    }
    let mut text = "<div id=\"notice\" role=\"alert\">".to_owned();
    for said in troubles {
        let _ = write!(text, "<p class=\"notice\">{}</p>", escape(&said));
    }
    text += "</div>\n";
    let _ = writeln!(text, "<div id=\"overview\">{}</div>", overview(&studies));
    text += &figures(wanted, &studies);
    if studies.len() > 1 {
        let _ = writeln!(text, "<div id=\"differences\">{}</div>", differences::table(&studies));
    }
    for (at, data) in studies.iter().enumerate() {
        if shelf.knows.films(data) {
            text += &film(at, &data.name);
        }
        let _ = writeln!(text, "<div id=\"details-{at}\">{}</div>", details(data));
    }
    text
}

/// At how many moments the models of each study are looked at: all that a picture has room for,
/// unless there are so many studies that nobody could see them.
fn moments(studies: usize) -> usize {
    (4 * MOMENTS / studies.max(1)).clamp(8, MOMENTS)
}

/// The studies of these names, on as many threads.
fn read(names: &[String], shelf: &Shelf) -> Vec<(Option<Data>, Option<String>)> {
    thread::scope(|scope| {
        let moments = moments(names.len());
        let one = |name| scope.spawn(move || shelf.study(name, moments));
        let started = names.iter().map(|name| (name, one(name)));
        // All of them, before the first is waited for.
        let threads: Vec<_> = started.collect();
        let failed = |name: &String| (None, Some(format!("{name} cannot be shown")));
        threads.into_iter().map(|(name, it)| it.join().unwrap_or_else(|_| failed(name))).collect()
    })
}

fn figures(wanted: &Wanted, studies: &[Data]) -> String {
    let mut text = "<section class=\"figures\" id=\"figures\" data-parts>\n".to_owned();
    for chart in charts(studies, wanted.along) {
        match figure(&chart, None) {
            Ok(drawn) => text += &format!("<div id=\"{}\">\n{drawn}</div>\n", chart.name),
            Err(error) => {
                let said = escape(&format!("{}: {error}", chart.title));
                let _ = writeln!(text, "<p id=\"{}\" class=\"notice\">{said}</p>", chart.name);
            }
        }
    }
    text + "</section>\n"
}

/// An episode of what was found, made when it is unfolded.
fn film(at: usize, name: &str) -> String {
    format!(
        "<details id=\"film-{at}\" class=\"film\" data-film=\"/film?name={}\">\
         <summary>watch an episode of {}</summary></details>\n",
        encode(name),
        escape(name)
    )
}
