//! The picture, from numbers alone.

mod choices;
mod curve;
mod work;

use esenas_report::{Data, FIRST};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Gauge, Paragraph, Row, Table};

use super::numbers::Numbers;
use crate::draw::{count, counted, cut, duration, short, sparkline};

/// Everything.
pub(super) fn all(frame: &mut Frame<'_>, numbers: &Numbers, data: Option<&Data>) {
    let rows =
        [Constraint::Length(2), Constraint::Fill(3), Constraint::Fill(2), Constraint::Length(1)];
    let [top, upper, lower, bottom] = Layout::vertical(rows).areas(frame.area());
    let wide = frame.area().width >= 80;
    let columns = if wide {
        [Constraint::Fill(2), Constraint::Length(38)]
    } else {
        [Constraint::Fill(1), Constraint::Length(0)]
    };
    let [left, right] = Layout::horizontal(columns).areas(upper);
    let [below, corner] = Layout::horizontal(columns).areas(lower);
    progress(frame, top, numbers);
    let boxed = |title: &'static str| Block::bordered().border_style(dim()).title(title);
    curve::draw(frame, left, boxed(" score "), data);
    choices::draw(frame, below, boxed(" choices "), data);
    if wide {
        statistics(frame, right, boxed(" search "), numbers, data);
        work::draw(frame, corner, boxed(" work "), numbers);
    }
    let (said, style) = match numbers.stopping {
        true => ("finishing the iteration; Ctrl-C again stops at once", Style::from(Color::Yellow)),
        false => ("q or Ctrl-C finishes the iteration and stops; the study can be resumed", dim()),
    };
    frame.render_widget(Paragraph::new(said).style(style), bottom);
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// How far it is and how good.
fn progress(frame: &mut Frame<'_>, area: Rect, numbers: &Numbers) {
    let [line, gauge] = Layout::vertical([Constraint::Length(1); 2]).areas(area);
    let mut parts = vec![Span::styled(numbers.dir.clone(), Modifier::BOLD)];
    if let Some(record) = &numbers.record {
        let best = record.best.map(|best| format!("  best {}", short(best)));
        parts.extend(best.map(|best| Span::styled(best, Color::Cyan)));
        parts.extend(numbers.centre.map(|centre| Span::raw(format!("  centre {}", short(centre)))));
        let evaluations = counted(record.total_evaluations, "evaluation");
        parts.push(Span::raw(format!("  {evaluations}")));
        if record.total_failures > 0 {
            let failed = format!("  {} failed", count(record.total_failures));
            parts.push(Span::styled(failed, Color::Red));
        }
    }
    frame.render_widget(Line::from(parts), line);
    let done = numbers.record.as_ref().map_or(0, |record| record.iteration + 1);
    let of = numbers.wanted.map_or_else(String::new, |wanted| format!(" of {}", count(wanted)));
    let left = numbers.left.map_or_else(String::new, |left| format!(", {} left", duration(left)));
    let label = match &numbers.record {
        Some(_) => format!("{}{of} iterations in {}{left}", count(done), duration(numbers.elapsed)),
        None => "first iteration".to_owned(),
    };
    let bar = Gauge::default().ratio(numbers.share.unwrap_or(0.0)).label(label);
    frame.render_widget(bar.gauge_style(Style::new().fg(Color::Blue).bg(Color::DarkGray)), gauge);
}

/// What weights and controller say of themselves.
fn statistics(
    frame: &mut Frame<'_>,
    area: Rect,
    block: Block<'_>,
    numbers: &Numbers,
    data: Option<&Data>,
) {
    let Some(record) = &numbers.record else { return frame.render_widget(block, area) };
    let points = data.map_or(&[][..], |data| &data.points);
    let history = |name: &str| -> Vec<Option<f64>> {
        points.iter().map(|point| point.record.statistics.get(name).copied()).collect()
    };
    let row = |(name, x): (&String, &f64)| {
        let words = cut(&name.replace('_', " "), 16);
        Row::new([words, short(*x), sparkline(&history(name), 8)])
    };
    let (first, others): (Vec<_>, Vec<_>) =
        record.statistics.iter().partition(|(name, _)| FIRST.contains(&name.as_str()));
    let widths = [Constraint::Length(16), Constraint::Length(10), Constraint::Length(8)];
    frame.render_widget(
        Table::new(first.into_iter().chain(others).map(row), widths).block(block),
        area,
    );
}

#[cfg(test)]
mod tests;
