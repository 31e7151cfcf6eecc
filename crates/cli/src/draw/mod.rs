//! Text that shows something.

mod number;
mod settings;
mod sparkline;
mod table;
mod tree;

pub(crate) use number::{count, counted, duration, json, models, noun, short, size};
pub(crate) use settings::settings;
pub(crate) use sparkline::sparkline;
pub(crate) use table::Table;
pub(crate) use tree::tree;

/// `text`, cut to `width` characters with an ellipsis.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept + "…"
}
