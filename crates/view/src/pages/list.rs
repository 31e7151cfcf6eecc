//! The list of studies. Searching, filtering, sorting and choosing happen in the browser: they are
//! few.

use std::fmt::Write;

use esenas_report::number::{count, short};
use esenas_report::page::escape;
use esenas_store::{Progress, State};

use super::{fingerprint, page as around};
use crate::query::encode;
use crate::shelf::Row;

/// A column: what it is called, and what it is sorted by first.
const COLUMNS: [(&str, &str); 7] = [
    ("study", "up"),
    ("state", "up"),
    ("progress", "down"),
    ("evaluations", "down"),
    ("failed", "down"),
    ("best", "down"),
    ("changed", "down"),
];

/// The whole page.
pub(crate) fn page(all: &[Row]) -> String {
    let body = rows(all);
    let mut text = "<form action=\"/study\" class=\"wide\">\n<div class=\"tools\">\
         <label>search <input type=\"search\" id=\"search\" autocomplete=\"off\" placeholder=\"name\"></label>\
         <label>state <select id=\"state\"><option value=\"\">any</option><option>running</option>\
         <option>stopped</option><option>done</option><option>unreadable</option></select></label>\
         <button id=\"compare\">Compare selected</button>\
         <span id=\"count\" role=\"status\"></span></div>\n\
         <table id=\"studies\"><thead><tr><td></td>"
        .to_owned();
    for (at, (name, first)) in COLUMNS.into_iter().enumerate() {
        let _ = write!(
            text,
            "<th scope=\"col\"><button type=\"button\" data-column=\"{}\" data-first=\"{first}\">{name}</button></th>",
            at + 1
        );
    }
    let _ = write!(text, "</tr></thead><tbody id=\"rows\">\n{body}</tbody></table></form>\n");
    if all.is_empty() {
        text += "<p id=\"empty\">No studies here yet. Run one: <code>esenas run study.toml</code>; \
                 it appears by itself.</p>\n";
    }
    let live = ("/api/list", fingerprint(&body));
    around("Studies", "<h1>Studies</h1>", live, &text)
}

/// The rows of the table.
pub(crate) fn rows(all: &[Row]) -> String {
    all.iter().map(row).collect()
}

fn row(row: &Row) -> String {
    let (name, link) = (escape(&row.name), encode(&row.name));
    let mut text = format!(
        "<tr data-name=\"{name}\"><td><input type=\"checkbox\" name=\"name\" value=\"{name}\" \
         aria-label=\"select {name}\"></td>\
         <th scope=\"row\" data-key=\"{name}\"><a href=\"/study?name={link}\">{name}</a></th>"
    );
    match &row.progress {
        Ok(progress) => text += &cells(row, progress),
        Err(said) => {
            let _ = write!(
                text,
                "<td data-key=\"unreadable\" colspan=\"6\"><span class=\"state unreadable\">\
                 unreadable</span> <small>{}</small></td>",
                escape(said)
            );
        }
    }
    text + "</tr>\n"
}

fn cells(row: &Row, progress: &Progress) -> String {
    let (state, why) = match &progress.state {
        State::Running => ("running", ""),
        State::Stopped => ("stopped", ""),
        State::Finished { why } => ("done", why.as_str()),
    };
    let mut text = format!(
        "<td data-key=\"{state}\"><span class=\"state {state}\">{state}</span> <small>{}</small></td>",
        escape(why)
    );
    let done = progress.iterations;
    let _ = match row.wanted {
        Some(wanted) => write!(
            text,
            "<td data-key=\"{}\"><progress max=\"{}\" value=\"{done}\" aria-hidden=\"true\"></progress> \
             {} of {}</td>",
            done as f64 / wanted.max(1) as f64,
            wanted.max(1),
            count(done),
            count(wanted)
        ),
        None => write!(text, "<td data-key=\"{done}\">{} iterations</td>", count(done)),
    };
    for number in [progress.evaluations, progress.failures] {
        let _ = write!(text, "<td class=\"number\" data-key=\"{number}\">{}</td>", count(number));
    }
    let best = progress.best.as_ref().map(|best| best.reported());
    let _ = match best {
        Some(best) => write!(text, "<td class=\"number\" data-key=\"{best}\">{}</td>", short(best)),
        None => write!(text, "<td class=\"number\" data-key=\"\">–</td>"),
    };
    let at = row.changed.or(row.created).unwrap_or_default();
    let _ = write!(text, "<td data-key=\"{at}\"><time data-at=\"{at}\"></time></td>");
    text
}
