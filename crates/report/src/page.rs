//! One HTML file that needs nothing else: figures, numbers, settings, failures.
//!
//! Figures are the same SVG as in files, with the colours of paper, ink and lines as variables, so
//! that they follow the reader's choice of dark or light. Beside each stands its data, from which
//! the script makes one to look into. Every word of a study is escaped; the script is part of this
//! program and puts words of a study into the page as text alone.

mod overview;

use std::fmt::Write;

use crate::charts::{Along, Chart, charts};
use crate::draw::{GREY, INK};
use crate::palette::COLOURS;
use crate::{Data, FigureError, plot};
pub use overview::{overview, state};

/// The style of figures, tables and text.
pub const STYLE: &str = include_str!("page/style.css");
/// The script that makes figures to look into of drawings and their data.
pub const PLOT: &str = include_str!("page/plot.js");
const SCRIPT: &str = include_str!("page/script.js");

/// The page of `studies`: of one, or of several compared.
pub fn html(title: &str, studies: &[Data]) -> Result<String, FigureError> {
    let mut text = head(title);
    let _ = write!(text, "<body>\n<header><h1>{}</h1>", escape(title));
    text += "<nav aria-label=\"axis\">against ";
    for (along, name) in Along::ALL {
        let on = along == Along::default();
        let _ = write!(text, "<button data-along=\"{name}\" aria-pressed=\"{on}\">{name}</button>");
    }
    text += "</nav>";
    let drawn = figures(studies)?;
    text += &contents(&drawn);
    text += "</header>\n<main>\n";
    text += &overview(studies);
    text += "<section class=\"figures\">\n";
    text.extend(drawn.into_iter().map(|(_, _, html)| html));
    text += "</section>\n";
    for data in studies {
        text += &details(data);
    }
    let _ = write!(text, "</main>\n<script>\n{PLOT}{SCRIPT}</script>\n</body>\n</html>\n");
    Ok(text)
}

/// `<!doctype html>` to `</head>`, with the style.
pub fn head(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n",
        escape(title)
    )
}

/// A figure: its name, what it shows, and its HTML.
type Drawn = (&'static str, &'static str, String);

/// Links to the figures.
fn contents(drawn: &[Drawn]) -> String {
    let link = |(name, title, _): &Drawn| format!("<a href=\"#{name}\">{}</a>", brief(title));
    let links: Vec<String> = drawn.iter().map(link).collect();
    format!("<nav aria-label=\"figures\" class=\"contents\">{}</nav>", links.join(" "))
}

/// What comes before the colon.
fn brief(title: &str) -> String {
    escape(title.split(':').next().unwrap_or(title))
}

/// All figures, against each axis; the script shows one axis at a time.
fn figures(studies: &[Data]) -> Result<Vec<Drawn>, FigureError> {
    let all: Vec<(Along, Vec<Chart>)> =
        Along::ALL.iter().map(|(along, _)| (*along, charts(studies, *along))).collect();
    let mut drawn = Vec::new();
    for (at, first) in all[0].1.iter().enumerate() {
        let mut html = format!("<div id=\"{}\">\n", first.name);
        match first.timed {
            true => {
                for (along, charts) in &all {
                    if let Some(chart) = charts.get(at) {
                        html += &figure(chart, Some(*along))?;
                    }
                }
            }
            false => html += &figure(first, None)?,
        }
        drawn.push((first.name, first.title, html + "</div>\n"));
    }
    Ok(drawn)
}

/// One figure, shown when its axis is chosen if it has one.
pub fn figure(chart: &Chart, along: Option<Along>) -> Result<String, FigureError> {
    let svg = themed(&chart.svg()?);
    let hidden = if along.is_some_and(|along| along != Along::default()) { " hidden" } else { "" };
    let along = along.map_or_else(String::new, |it| format!(" data-shown=\"{}\"", it.name()));
    let title = escape(chart.title);
    let data = plot::data(&chart.figure).map_or_else(String::new, |it| {
        // Within a script only `<` could end it.
        let json = it.to_string().replace('<', "\\u003c");
        format!("<script type=\"application/json\" class=\"data\">{json}</script>\n")
    });
    Ok(format!(
        "<figure data-name=\"{name}\" role=\"img\" aria-label=\"{title}\"{along}{hidden}>\n{svg}{data}</figure>\n",
        name = chart.name,
    ))
}

/// A drawing whose colours follow the page: `var(--paper)`, `--ink`, `--grid`, `--c0` and so on.
pub fn themed(svg: &str) -> String {
    let hex = |(r, g, b): (u8, u8, u8)| format!("\"#{r:02X}{g:02X}{b:02X}\"");
    let mut text = svg.replace("\"#FFFFFF\"", "\"var(--paper)\"");
    for (colour, name) in [(INK, "ink"), (GREY, "grid")] {
        text = text.replace(&hex((colour.0, colour.1, colour.2)), &format!("\"var(--{name})\""));
    }
    for (index, colour) in COLOURS.into_iter().enumerate() {
        text = text.replace(&hex(colour), &format!("\"var(--c{index})\""));
    }
    text
}

/// The best model, the settings and the failures of one study, to be unfolded.
pub fn details(data: &Data) -> String {
    let mut text = format!("<section class=\"wide\"><h2>{}</h2>\n", escape(&data.name));
    if let Some(best) = &data.progress.best {
        let _ = writeln!(
            text,
            "<details open><summary>best model: score {}, iteration {}</summary><pre>{}</pre></details>",
            best.reported(),
            best.iteration,
            escape(&pretty(&best.model)),
        );
    }
    let spec = escape(&data.header.spec);
    let _ = writeln!(text, "<details><summary>settings</summary><pre>{spec}</pre></details>");
    if !data.failures.is_empty() {
        text += "<details open><summary>failures</summary><table><thead><tr><th>count</th>\
                 <th>iterations</th><th>reason</th></tr></thead><tbody>\n";
        for group in &data.failures {
            let _ = writeln!(
                text,
                "<tr><td>{}</td><td>{}–{}</td><td>{}</td></tr>",
                group.count,
                group.first_iteration,
                group.last_iteration,
                escape(&group.reason)
            );
        }
        text += "</tbody></table></details>\n";
    }
    text + "</section>\n"
}

fn pretty(model: &str) -> String {
    let value = serde_json::from_str::<serde_json::Value>(model);
    value.ok().and_then(|it| serde_json::to_string_pretty(&it).ok()).unwrap_or(model.to_owned())
}

/// Text as HTML, within elements and within quoted attributes.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '&' => safe += "&amp;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            '\0' => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}
