//! Numbers, for people and for JSON.

pub(crate) use esenas_report::number::{count, counted, duration, noun, short};

use esenas::space::Size;
use serde_json::Value;

/// `1 model`, `28,561 models`, `10^40 models`
pub(crate) fn models(space: Size) -> String {
    let noun = noun(if space.exact == Some(1) { 1 } else { 2 }, "model");
    format!("{} {noun}", size(space))
}

/// |𝓜|, exactly where that is readable.
pub(crate) fn size(size: Size) -> String {
    let readable = size.exact.filter(|_| size.log10 < 21.0);
    readable.map_or_else(|| size.to_string(), count)
}

/// A JSON number; JSON has no NaN and no infinities, which become strings.
pub(crate) fn json(x: f64) -> Value {
    serde_json::Number::from_f64(x).map_or_else(|| x.to_string().into(), Value::Number)
}
