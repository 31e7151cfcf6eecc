//! The lines: what is sent, and what is made of what comes back.
//!
//! Whatever comes back comes from a program that we did not write: [`decode`] takes any bytes.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::outcome::admit;
use crate::{Evaluation, Failure, FailureKind, Outcome};

/// One candidate, as a program gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The decoded model.
    pub model: Value,
    /// θ
    pub theta: Vec<f64>,
    /// Where the program's own randomness, if any, is to come from.
    pub seed: u64,
}

#[derive(Serialize)]
struct Line<'a> {
    id: u64,
    model: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    theta: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theta_file: Option<std::borrow::Cow<'a, str>>,
    seed: u64,
}

/// The line that asks for this candidate, with θ inline unless it lies in a file.
pub fn encode(id: u64, request: &Request, theta_file: Option<&Path>) -> Vec<u8> {
    let Request { model, theta, seed } = request;
    let line = Line {
        id,
        model,
        theta: theta_file.is_none().then_some(theta),
        theta_file: theta_file.map(Path::to_string_lossy),
        seed: *seed,
    };
    let mut bytes = serde_json::to_vec(&line).expect("strings, numbers and JSON are JSON");
    bytes.push(b'\n');
    bytes
}

/// What a line on standard output means.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// An answer.
    Answer {
        /// To which question.
        id: u64,
        /// What became of it.
        outcome: Outcome,
    },
    /// Something meant as an answer, and what is wrong with it.
    Malformed(String),
    /// Nothing that concerns us.
    Chatter,
}

/// Reads a line.
pub fn decode(line: &[u8]) -> Said {
    let parsed = serde_json::from_slice(line)
        .or_else(|error| serde_json::from_str(&quote_non_finite(line)).map_err(|_| error));
    match parsed {
        Ok(Value::Object(reply)) => answer(&reply, line),
        Ok(_) => malformed("an answer is a JSON object", line),
        Err(error) if line.trim_ascii_start().starts_with(b"{") => {
            malformed(&format!("not JSON: {error}"), line)
        }
        Err(_) => Said::Chatter,
    }
}

fn answer(reply: &Map<String, Value>, line: &[u8]) -> Said {
    let claims = ["id", "value", "error"].iter().any(|key| reply.contains_key(*key));
    match reply.get("id").map(Value::as_u64) {
        // Someone's structured log.
        None if !claims => Said::Chatter,
        None => malformed("it lacks the id of the question", line),
        Some(None) => malformed("the id is not the one that was asked for", line),
        Some(Some(id)) => Said::Answer { id, outcome: outcome(reply, line) },
    }
}

fn outcome(reply: &Map<String, Value>, line: &[u8]) -> Outcome {
    let wrong = |why: String| Failure::new(FailureKind::Malformed, quoted(&why, line));
    match reply.get("error") {
        None | Some(Value::Null) => {}
        Some(Value::String(error)) => return Err(Failure::new(FailureKind::Failed, error)),
        Some(other) => return Err(Failure::new(FailureKind::Failed, other.to_string())),
    }
    let number = |key: &str, value: &Value| {
        number(value).map_err(|()| wrong(format!("{key} is not a number")))
    };
    let value = reply.get("value").ok_or_else(|| wrong("neither value nor error".to_owned()))?;
    // Languages that obey JSON to the letter write NaN as null.
    let null = || Failure::new(FailureKind::NonFinite, "the value is null");
    let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let values = values.iter().map(|value| number("value", value)?.ok_or_else(null));
    let mut values = values.collect::<Result<Vec<f64>, Failure>>()?.into_iter();
    let value = values.next().ok_or_else(|| wrong("value is an empty list".to_owned()))?;
    let others = values.collect();
    let score = reply.get("score").map_or(Ok(None), |score| number("score", score))?;
    let cost = reply.get("cost").map_or(Ok(None), |cost| number("cost", cost))?;
    let named = |group: &str, one: &str| {
        let mut numbers = BTreeMap::new();
        match reply.get(group) {
            None | Some(Value::Null) => {}
            Some(Value::Object(entries)) => {
                for (key, value) in entries {
                    let value = number(&format!("{one} {key:?}"), value)?;
                    numbers.insert(key.clone(), value);
                }
            }
            Some(_) => return Err(wrong(format!("{group} is not an object"))),
        }
        Ok(numbers)
    };
    let metrics = named("metrics", "metric")?.into_iter();
    let metrics = metrics.filter_map(|(name, x)| Some((name, x?))).collect();
    // A limit that is null was not measured, like a value.
    let constraints = named("constraints", "constraint")?.into_iter();
    let constraints = constraints.map(|(name, x)| (name, x.unwrap_or(f64::NAN))).collect();
    admit(Ok(Evaluation { value, others, score, metrics, constraints, cost, moments: None }))
}

/// A number, or null, or one of the non-finite numbers that [`quote_non_finite`] quoted.
fn number(value: &Value) -> Result<Option<f64>, ()> {
    let non_finite = |text: &String| text.parse().ok().filter(|x: &f64| !x.is_finite());
    match value {
        Value::Null => Ok(None),
        Value::Bool(flag) => Ok(Some(f64::from(u8::from(*flag)))),
        Value::Number(number) => number.as_f64().map(Some).ok_or(()),
        Value::String(text) => non_finite(text).map(Some).ok_or(()),
        Value::Array(_) | Value::Object(_) => Err(()),
    }
}

/// Puts quotes around `NaN`, `-Infinity`, `inf`, `1e999` and the like, which many languages print
/// and JSON cannot say, so that a diverged evaluation is called that and not a syntax error.
fn quote_non_finite(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    let mut quoted = String::with_capacity(line.len() + 16);
    let mut rest = &*line;
    while let Some(first) = rest.chars().next() {
        let part = match first {
            '"' => &rest[..string_length(rest)],
            _ if is_word(first) => &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())],
            _ => &rest[..first.len_utf8()],
        };
        let non_finite = part.parse().is_ok_and(|x: f64| !x.is_finite());
        quoted.push_str(&if non_finite { format!("{part:?}") } else { part.to_owned() });
        rest = &rest[part.len()..];
    }
    quoted
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')
}

/// The length of the JSON string that `text` starts with, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn malformed(why: &str, line: &[u8]) -> Said {
    Said::Malformed(quoted(why, line))
}

/// `why`, and the beginning of the line that it is about.
fn quoted(why: &str, line: &[u8]) -> String {
    let shown: String = String::from_utf8_lossy(line).chars().take(200).collect();
    let more = if shown.len() < line.len() { "…" } else { "" };
    format!("{why}; it wrote: {shown}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(line: &str) -> Outcome {
        match decode(line.as_bytes()) {
            Said::Answer { id: 7, outcome } => outcome,
            other => panic!("{line} is {other:?}"),
        }
    }

    #[test]
    fn a_question_is_one_line_and_its_numbers_keep_their_bits() {
        let theta = vec![0.1 + 0.2, -0.0, 5e-324, f64::MAX, 1.0 / 3.0];
        let model = serde_json::json!({ "text": "two\nlines" });
        let request = Request { model, theta: theta.clone(), seed: u64::MAX };
        let line = String::from_utf8(encode(7, &request, None)).unwrap();
        assert_eq!(line.matches('\n').count(), 1);
        assert!(line.starts_with(r#"{"id":7,"model":{"text":"two\nlines"},"theta":[0.30000"#));
        assert!(line.ends_with(",\"seed\":18446744073709551615}\n"), "{line}");
        let back: Value = serde_json::from_str(&line).unwrap();
        for (sent, got) in theta.iter().zip(back["theta"].as_array().unwrap()) {
            assert_eq!(sent.to_bits(), got.as_f64().unwrap().to_bits());
        }
        let line = String::from_utf8(encode(7, &request, Some(Path::new("a.f64")))).unwrap();
        assert!(line.contains(r#""theta_file":"a.f64""#) && !line.contains(r#""theta":"#));
    }

    #[test]
    fn answers_are_read() {
        let plain = value_of(r#"{"id":7,"value":-3}"#);
        assert_eq!(plain, Ok(Evaluation::new(-3.0)));
        let full =
            r#" {"value":0.30000000000000004,"score":2,"metrics":{"a":1,"b":null},"id":7,"x":[]} "#;
        let full = value_of(full).unwrap();
        assert_eq!(full.value.to_bits(), (0.1f64 + 0.2).to_bits());
        assert_eq!((full.score, full.metrics.len()), (Some(2.0), 1));
        let error = value_of(r#"{"id":7,"value":1,"error":"no such layer"}"#).unwrap_err();
        assert_eq!(error, Failure::new(FailureKind::Failed, "no such layer"));
    }

    #[test]
    fn numbers_that_are_not_finite_are_called_that_in_any_language() {
        for x in ["NaN", "nan", "-nan", "Infinity", "-Infinity", "inf", "-inf", "1e999", "null"] {
            let failure = value_of(&format!(r#"{{"id":7,"value":{x}}}"#)).unwrap_err();
            assert_eq!(failure.kind, FailureKind::NonFinite, "{x}");
        }
        let score = value_of(r#"{"id":7,"value":1,"score":NaN}"#).unwrap_err();
        assert_eq!(score.reason, "the score is NaN");
        let metric = value_of(r#"{"id":7,"value":1,"metrics":{"\" NaN":NaN,"b":2}}"#).unwrap();
        assert_eq!(metric.metrics, BTreeMap::from([("b".to_owned(), 2.0)]));
    }

    #[test]
    fn what_was_meant_as_an_answer_is_told_from_chatter() {
        for line in [
            "{\"id\":7,",
            "3.5",
            "[1]",
            r#"{"value":1}"#,
            r#"{"id":"x","value":1}"#,
            r#"{"id":-1,"value":1}"#,
        ] {
            assert!(matches!(decode(line.as_bytes()), Said::Malformed(_)), "{line}");
        }
        for line in ["", "loading…", "[INFO] hello", r#"{"level":"info"}"#, "\u{0}\u{1}"] {
            assert_eq!(decode(line.as_bytes()), Said::Chatter, "{line}");
        }
        assert_eq!(decode(b"\xff\xfe"), Said::Chatter);
        for line in [
            r#"{"id":7}"#,
            r#"{"id":7,"value":"high"}"#,
            r#"{"id":7,"value":1,"metrics":3}"#,
            r#"{"id":7,"value":1,"metrics":{"a":[]}}"#,
        ] {
            let failure = value_of(line).unwrap_err();
            assert_eq!(failure.kind, FailureKind::Malformed);
            assert!(failure.reason.ends_with(&format!("it wrote: {line}")), "{failure}");
        }
    }

    /// Answers with bytes changed, dropped and doubled at random.
    #[test]
    fn any_bytes_are_survived_and_what_is_admitted_is_finite() {
        use rand_core::{Rng, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let whole = br#"{"id":7,"value":-1.5e3,"score":NaN,"metrics":{"a\"b":1e999},"error":null}"#;
        for _ in 0..20_000 {
            let mut line = whole.to_vec();
            for _ in 0..1 + rng.next_u32() % 4 {
                let at = rng.next_u32() as usize % line.len();
                match rng.next_u32() % 3 {
                    0 => line[at] = rng.next_u32() as u8,
                    1 => drop(line.remove(at)),
                    _ => line.insert(at, whole[at % whole.len()]),
                }
            }
            if let Said::Answer { outcome: Ok(evaluation), .. } = decode(&line) {
                let Evaluation { value, score, metrics, .. } = evaluation;
                assert!(value.is_finite() && score.is_none_or(f64::is_finite));
                assert!(metrics.values().all(|x| x.is_finite()));
            }
        }
    }

    #[test]
    fn deep_nesting_and_odd_bytes_are_survived() {
        for line in ["{".repeat(100_000), "[".repeat(100_000), "{\"\\".repeat(999), "\"".into()] {
            decode(line.as_bytes());
        }
    }
}
