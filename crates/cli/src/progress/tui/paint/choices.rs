//! What the controller decides, over time: for each decision how settled it is, and on what.
//!
//! A mask is coloured by 2·|p − ½| as in the paper's figures, other decisions by the share of the
//! commonest option, from chance to certainty.

use esenas_report::Data;
use esenas_report::choices::{Choices, Decision};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};

use crate::draw::cut;

/// Columns of the names, and of what was chosen.
const NAME: usize = 18;
const CHOSEN: usize = 16;

/// Without colours the density says the same.
const SHADES: [(char, Color); 5] = [
    (' ', Color::Black),
    ('░', Color::Blue),
    ('▒', Color::Blue),
    ('▓', Color::LightBlue),
    ('█', Color::LightCyan),
];

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, block: Block<'_>, data: Option<&Data>) {
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let lines = match data.and_then(|data| data.choices.as_ref()) {
        Some(choices) => heat(choices, inner.width.into(), inner.height.into()),
        None => vec![Line::from("no models are recorded yet")],
    };
    frame.render_widget(Paragraph::new(lines), inner);
}

/// A line for each decision; of more than fit, those that matter most.
fn heat(choices: &Choices, width: usize, height: usize) -> Vec<Line<'static>> {
    let columns = width.saturating_sub(NAME + CHOSEN + 2).max(1);
    let mut shown: Vec<usize> = (0..choices.decisions.len()).collect();
    if height < shown.len() {
        let importance = |at: &usize| choices.importance.get(*at).copied().unwrap_or(0.0);
        shown.sort_by(|a, b| importance(b).total_cmp(&importance(a)));
        shown.truncate(height);
        shown.sort_unstable();
    }
    shown.into_iter().map(|at| line(choices, at, columns)).collect()
}

fn line(choices: &Choices, at: usize, columns: usize) -> Line<'static> {
    let decision = &choices.decisions[at];
    let moments = &choices.moments;
    let mut parts = vec![Span::raw(format!("{:<NAME$} ", cut(&decision.name, NAME)))];
    for column in 0..columns {
        let Some(moment) = moments.get(column * moments.len() / columns) else { break };
        let settled = settled(decision, &moment.shares[at]);
        let (shade, colour) = SHADES[(settled * (SHADES.len() - 1) as f64).round() as usize];
        parts.push(Span::styled(shade.to_string(), colour));
    }
    let last = moments.last().map_or(&[][..], |moment| &moment.shares[at]);
    let commonest = (0..last.len()).max_by(|a, b| last[*a].total_cmp(&last[*b]));
    // A decision that no model has at present is settled on nothing.
    let commonest = commonest.filter(|option| last[*option] > 0.0);
    let option = commonest.map_or("", |option| &decision.options[option]);
    parts.push(Span::raw(format!(" {}", cut(option, CHOSEN))));
    Line::from(parts)
}

/// From 0, chance, to 1, certainty.
fn settled(decision: &Decision, shares: &[f64]) -> f64 {
    let most = shares.iter().copied().fold(0.0, f64::max);
    let chance = 1.0 / decision.options.len().max(2) as f64;
    let settled = match decision.mask {
        true => 2.0 * (shares.last().copied().unwrap_or(0.5) - 0.5).abs(),
        false => (most - chance) / (1.0 - chance),
    };
    if settled.is_finite() { settled.clamp(0.0, 1.0) } else { 0.0 }
}
