//! Speed, where the time goes, and what each worker does.

use esenas_run::Member;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Row, Sparkline, Table};

use super::super::numbers::Numbers;
use super::dim;
use crate::draw::{count, counted};

/// Three lines of text, a row for each worker that there is room for, and the rates below.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, block: Block<'_>, numbers: &Numbers) {
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let crew = &numbers.crew.0;
    let wanted = if crew.is_empty() { 0 } else { 1 + crew.len() as u16 };
    // One line is left for the rates.
    let rows = wanted.min(inner.height.saturating_sub(4));
    let heights = [Constraint::Length(3), Constraint::Length(rows), Constraint::Fill(1)];
    let [text, workers, rates] = Layout::vertical(heights).areas(inner);
    frame.render_widget(Paragraph::new(words(numbers)), text);
    frame.render_widget(table(numbers, rows.into()), workers);
    let shown = numbers.rates.len().saturating_sub(rates.width.into());
    let recent: Vec<u64> = numbers.rates.iter().skip(shown).copied().collect();
    frame.render_widget(Sparkline::default().data(recent).style(Color::Green), rates);
}

fn words(numbers: &Numbers) -> Vec<Line<'static>> {
    let it = &numbers.spent;
    let whole = (it.ask + it.evaluate + it.tell + it.store).max(f64::MIN_POSITIVE);
    let part = |name: &str, x: f64| format!("{name} {:.0} %", 100.0 * x / whole);
    let parts =
        [("evaluate", it.evaluate), ("ask", it.ask), ("tell", it.tell), ("store", it.store)];
    let [first, second] = [&parts[..2], &parts[2..]]
        .map(|two| two.iter().map(|(name, x)| part(name, *x)).collect::<Vec<_>>().join(", "));
    let (workers, rate) = (counted(numbers.workers as u64, "worker"), count(numbers.rate as u64));
    [format!("{workers}, {rate} evaluations/s"), first, second].map(Line::from).to_vec()
}

/// As many workers as fit below their heads; of more, the last row counts the rest.
fn table(numbers: &Numbers, rows: usize) -> Table<'static> {
    let (crew, watched) = &numbers.crew;
    let room = rows.saturating_sub(1);
    let shown = if crew.len() > room { room.saturating_sub(1) } else { crew.len() };
    let row = |(at, member): (usize, &Member)| {
        let share = member.busy.as_secs_f64() / watched.as_secs_f64().max(f64::MIN_POSITIVE);
        let (now, colour) = match member.since {
            Some(_) => ("busy", Color::Green),
            None => ("idle", Color::DarkGray),
        };
        let colour = if member.failures > 0 { Color::Red } else { colour };
        let cells = [
            format!("{at}"),
            now.to_owned(),
            format!("{:.0} %", 100.0 * share.min(1.0)),
            count(member.evaluations),
            count(member.failures),
            count(member.restarts),
        ];
        Row::new(cells).style(Style::from(colour))
    };
    let mut all: Vec<Row<'static>> = crew.iter().enumerate().take(shown).map(row).collect();
    if shown < crew.len() && room > 0 {
        let rest = &crew[shown..];
        let busy = rest.iter().filter(|member| member.since.is_some()).count();
        let sum = |of: fn(&Member) -> u64| count(rest.iter().map(of).sum::<u64>());
        let cells = [
            format!("+{}", rest.len()),
            format!("{busy} busy"),
            String::new(),
            sum(|member| member.evaluations),
            sum(|member| member.failures),
            sum(|member| member.restarts),
        ];
        all.push(Row::new(cells).style(dim()));
    }
    let widths = [4, 8, 6, 8, 7, 4].map(Constraint::Length);
    let head = Row::new(["#", "now", "busy", "done", "failed", "new"]).style(dim());
    Table::new(all, widths).header(head).column_spacing(0)
}
