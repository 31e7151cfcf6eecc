//! Answers to lines of JSON, for programs that optimize these functions from outside.
//!
//! Besides single points (see [`parse_query`](crate::parse_query)) there are hybrid problems, named
//! by `d_con`. What is wanted of one is `points`, each its categories as numbers from 0 to 10 and
//! then its weights, which is answered by their costs; or `start`, a seed, answered by the point
//! where all algorithms of that seed begin; or `scale`, `[budget, seed]` of a random search,
//! answered by the largest gap it saw and the least cost there is. The problem of the line before
//! is kept.

use esenas::Seed;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::query::parse;
use crate::{BbobConfig, Hybrid, Mode, PointError, QueryError, Scale};

/// Answers line by line.
#[derive(Debug, Default)]
pub struct Service {
    last: Option<Hybrid>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    function: String,
    #[serde(default)]
    d_cat: usize,
    d_con: usize,
    #[serde(default)]
    mode: Mode,
    #[serde(default)]
    seed: u64,
    points: Option<Vec<Vec<f64>>>,
    start: Option<u64>,
    scale: Option<(std::num::NonZeroU32, u64)>,
}

impl Service {
    /// The answer to a line: a number, or a JSON list of numbers.
    pub fn answer(&mut self, line: &str) -> Result<String, QueryError> {
        let object: Map<String, Value> = serde_json::from_str(line)?;
        if !object.contains_key("d_con") {
            return Ok(format!("{:?}", parse(object)?.value()));
        }
        let request: Request = serde_json::from_value(object.into())?;
        let Request { d_cat, d_con, mode, seed, .. } = request;
        let config = BbobConfig { function: request.function.parse()?, d_cat, d_con, mode, seed };
        // Before anything large is made of it.
        let dim = d_cat.saturating_add(d_con);
        let mut points = request.points.iter().flatten().map(Vec::len).enumerate();
        if let Some((index, found)) = points.find(|(_, found)| *found != dim) {
            return Err(PointError::Dimension { index, found, dim }.into());
        }
        let problem = match self.last.take().filter(|last| *last.config() == config) {
            Some(last) => last,
            None => config.build()?,
        };
        let problem = &*self.last.insert(problem);
        let numbers = match (request.points, request.start, request.scale) {
            (Some(points), None, None) => problem.costs_of(&points)?,
            (None, Some(seed), None) => {
                let (dna, theta) = problem.start(Seed(seed));
                dna.genes().iter().map(|gene| f64::from(*gene)).chain(theta).collect()
            }
            (None, None, Some((budget, seed))) => {
                let scale = Scale::new(problem, budget, Seed(seed));
                vec![scale.largest, scale.least]
            }
            _ => return Err(QueryError::Wanted),
        };
        Ok(serde_json::to_string(&numbers)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(lines: &[&str]) -> Vec<String> {
        let mut service = Service::default();
        let answer = |line: &&str| service.answer(line).unwrap_or_else(|error| error.to_string());
        lines.iter().map(answer).collect()
    }

    #[test]
    fn points_have_costs_and_the_problem_may_change() {
        let said = ask(&[
            r#"{"function":"Sphere","d_cat":1,"d_con":2,"points":[[5,3,4],[0,0,0]]}"#,
            r#"{"function":"Sphere","d_con":2,"points":[[3,4],[9,0]]}"#,
            r#"{"function":"Sphere","x":[3,4]}"#,
            r#"{"function":"Sphere","d_con":2,"points":[]}"#,
        ]);
        // Category 5 is 0, category 0 is −5; and what is outside the box is moved to its border.
        assert_eq!(said, ["[25.0,25.0]", "[25.0,25.0]", "25.0", "[]"]);
    }

    #[test]
    fn starts_and_scales_are_the_benchmarks_own() {
        let config = BbobConfig { d_cat: 2, d_con: 3, ..BbobConfig::default() };
        let problem = config.build().unwrap();
        let said = ask(&[
            r#"{"function":"Sphere","d_cat":2,"d_con":3,"start":7}"#,
            r#"{"function":"Sphere","d_cat":2,"d_con":3,"scale":[50,9]}"#,
        ]);
        let start: Vec<f64> = serde_json::from_str(&said[0]).unwrap();
        let (dna, theta) = problem.start(Seed(7));
        assert_eq!((start[0], &start[2..]), (f64::from(dna.genes()[0]), &theta[..]));
        let scale = Scale::new(&problem, 50.try_into().unwrap(), Seed(9));
        assert_eq!(said[1], format!("[{:?},0.0]", scale.largest));
    }

    #[test]
    fn what_is_no_request_is_refused_with_the_reason() {
        let refused = |rest: &str, reason: &str| {
            let line = format!("{{\"function\":\"Sphere\",\"d_cat\":1,\"d_con\":1{rest}}}");
            let said = ask(&[&line]).remove(0);
            assert!(said.contains(reason), "{rest}: {said}");
        };
        refused("", "`points`");
        refused(r#","points":[],"start":1"#, "`points`");
        refused(r#","points":[[1]]"#, "point 0 has 1 coordinates");
        refused(r#","points":[[1,1],[11,1]]"#, "point 1: category 11");
        refused(r#","points":[[0.5,1]]"#, "category 0.5");
        refused(r#","points":[[-1,1]]"#, "category -1");
        refused(r#","scale":[0,1]"#, "nonzero");
        refused(r#","x":[1]"#, "unknown field `x`");
        assert!(ask(&["[]"])[0].contains("not a query"));
        assert!(ask(&[r#"{"function":"Spere","d_con":1,"start":1}"#])[0].contains("`Sphere`"));
        assert!(ask(&[r#"{"function":"Sphere","d_con":0,"start":1}"#])[0].contains("dimension 0"));
    }
}
