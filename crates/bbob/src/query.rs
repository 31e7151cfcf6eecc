//! One evaluation, written as a line of JSON.

use esenas::Seed;
use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::UnknownFunction;
use crate::{Buffer, HybridError, Instance, InstanceError, Mode, PointError, Rotation};

/// A function and a point.
#[derive(Clone, Debug)]
pub struct Query {
    instance: Instance,
    x: Vec<f64>,
}

/// Why a line is no query.
#[derive(Debug, Error)]
pub enum QueryError {
    /// Not JSON, or not the keys.
    #[error("not a query: {0}")]
    Json(#[from] serde_json::Error),
    /// No function has that name.
    #[error(transparent)]
    Function(#[from] UnknownFunction),
    /// No such dimension, or no such rotation.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// No such hybrid problem.
    #[error(transparent)]
    Hybrid(#[from] HybridError),
    /// A point that is not the problem's.
    #[error(transparent)]
    Point(#[from] PointError),
    /// Nothing is wanted, or too much at once.
    #[error("of a problem with `d_con`, give one of `points`, `start`, `scale`")]
    Wanted,
    /// Rotations given that are also drawn.
    #[error("rotations `r`, `q` are given, but {0} draws its own; leave one of them out")]
    TwoRotations(&'static str),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    function: String,
    x: Vec<f64>,
    #[serde(default = "raw")]
    mode: Mode,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    d_cat: usize,
    r: Option<Vec<Vec<f64>>>,
    q: Option<Vec<Vec<f64>>>,
}

fn raw() -> Mode {
    Mode::Raw
}

/// Reads a line such as `{"function": "Rastrigin", "x": [1, 2], "mode": "raw", "r": [[…], […]]}`.
///
/// All but `function` and `x` may be left out: the mode is `raw`, `seed` 0 (see [`Instance::new`]),
/// and `r`, `q` are the identity. With mode `instance`, the first `d_cat` coordinates are
/// categorical, and given by what they stand for.
pub fn parse_query(line: &str) -> Result<Query, QueryError> {
    parse(serde_json::from_str(line)?)
}

/// Reads what a line holds.
pub(crate) fn parse(object: Map<String, Value>) -> Result<Query, QueryError> {
    let written: Written = serde_json::from_value(object.into())?;
    let Written { function, x, mode, seed, d_cat, r, q } = written;
    let function = function.parse()?;
    let given = r.is_some() || q.is_some();
    let instance = match (given, mode, seed) {
        (true, Mode::Instance, _) => return Err(QueryError::TwoRotations("mode `instance`")),
        (true, _, 1..) => return Err(QueryError::TwoRotations("a `seed`")),
        (false, _, _) => Instance::new(function, x.len(), d_cat, mode, Seed(seed))?,
        (true, _, 0) => {
            let (r, q) = (rotation('r', r)?, rotation('q', q)?);
            let raw = Instance::rotated(function, x.len(), r.as_ref(), q.as_ref())?;
            if mode == Mode::Centered { raw.centered() } else { raw }
        }
    };
    Ok(Query { instance, x })
}

fn rotation(name: char, rows: Option<Vec<Vec<f64>>>) -> Result<Option<Rotation>, InstanceError> {
    let new = |rows: Vec<_>| Rotation::new(&rows);
    rows.map(new).transpose().map_err(|error| InstanceError::Rotation { name, error })
}

impl Query {
    /// f(x), as BBOB has it: to be minimized.
    pub fn value(&self) -> f64 {
        self.instance.cost(&self.x, &mut Buffer::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(line: &str) -> Result<f64, String> {
        parse_query(line).map(|query| query.value()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_query_says_what_to_evaluate() {
        assert_eq!(value(r#"{"function":"Sphere","x":[3,4]}"#), Ok(25.0));
        let turned = r#"{"function":"Discus","x":[0,1],"mode":"raw","r":[[0,1],[-1,0]]}"#;
        assert_eq!(value(turned), Ok(1e6));
        assert_eq!(value(r#"{"function":"Lunacek","x":[0,0,0],"mode":"centered"}"#), Ok(0.0));
        let drawn = r#"{"function":"Sphere","x":[0,0],"mode":"instance","seed":3}"#;
        assert!(value(drawn).unwrap() > 0.0);
    }

    #[test]
    fn what_is_no_query_is_refused_with_the_reason() {
        let refused = |line: &str, reason: &str| {
            let error = value(line).unwrap_err();
            assert!(error.contains(reason), "{line}: {error}");
        };
        refused("", "not a query");
        refused(r#"{"function":"Sphere"}"#, "`x`");
        refused(r#"{"function":"Spere","x":[1]}"#, "did you mean `Sphere`?");
        refused(r#"{"function":"Sphere","x":[1],"y":2}"#, "unknown field `y`");
        refused(r#"{"function":"Sphere","x":[]}"#, "dimension 0");
        refused(r#"{"function":"Lunacek","x":[1]}"#, "2 to");
        refused(r#"{"function":"Discus","x":[1,2],"r":[[1]]}"#, "`r` is of dimension 1");
        refused(r#"{"function":"Discus","x":[1,2],"q":[[1,1],[0,1]]}"#, "`q`: rows 0 and 0");
        refused(r#"{"function":"Discus","x":[1],"r":[[1]],"seed":2}"#, "`seed`");
        refused(r#"{"function":"Discus","x":[1],"r":[[1]],"mode":"instance"}"#, "`instance`");
    }
}
