//! What of the paper holds here: its claims, each decided by data in `results`.
//!
//! The page `docs/evidence/paper.md` is made of them by `esenas bench claims`, and compared by a
//! test.

use std::fmt::Write;
use std::path::Path;

use esenas_report::Table;

use crate::bbob::claims as bbob;
use crate::bbob::curves::Curves;
use crate::{BenchError, rl, theory};

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is so.
    Holds,
    /// Under a condition that the evidence names.
    InPart,
    /// It is not.
    Fails,
    /// There is nothing yet to decide it by.
    Open,
}

impl Verdict {
    pub(crate) fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }

    /// For people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::InPart => "holds in part",
            Self::Fails => "does not hold",
            Self::Open => "not measured yet",
        }
    }
}

/// A claim of the paper, and what the results say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Where the paper has it.
    pub(crate) place: &'static str,
    /// In the paper's sense.
    pub(crate) statement: String,
    /// Whether it is so here.
    pub(crate) verdict: Verdict,
    /// The numbers.
    pub(crate) evidence: String,
}

/// The first few of them.
pub(crate) fn listed(names: &[String]) -> String {
    match names {
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second}, {third} and {} more", rest.len())
        }
        names => names.join(", "),
    }
}

/// Claims with the data that decide them.
struct Part {
    title: &'static str,
    /// What is kept below `results`, if it is that which decides.
    data: Option<&'static str>,
    /// How it is made.
    command: &'static str,
    claims: Vec<Claim>,
}

const INTRODUCTION: &str = "# What of the paper holds here

Every claim that the paper makes of its method, where it makes it, and what the data in this repository say of it.
`esenas bench claims` writes this page from `results`; a test compares.

A claim about an end goes by the last mean over functions and seeds. One about a race goes by the whole curve:
\"asymptotically\" is at more than half of the checkpoints of the last fifth, \"initially\" at more than half of those before the
other is ahead for good, or of the first fifth if it never is. \"Usually\" is in more than half of the settings.

What has less than half of its cells is open, and says what they are so far; else those there are decide. Why, and what else was seen:
[the BBOB experiments](../bbob.md), [policies](../rl.md).
";

/// The page, from the folder `results`.
pub fn page(results: &Path) -> Result<String, BenchError> {
    let mut text = INTRODUCTION.to_owned();
    for Part { title, data, command, claims } in parts(results)? {
        if claims.is_empty() {
            let _ = write!(text, "\n## {title}\n\nNot run yet:\n\n```sh\n{command}\n```\n");
            continue;
        }
        let mut table = Table::new(["claim", "where", "here", "by what"]);
        for claim in claims {
            let verdict = format!("**{}**", claim.verdict.name());
            table.row([claim.statement, claim.place.to_owned(), verdict, claim.evidence]);
        }
        let data = match data {
            Some(data) => format!("Data: [{data}](../../results/{data}). Made by:"),
            None => "Compared by tests:".to_owned(),
        };
        let _ =
            write!(text, "\n## {title}\n\n{data}\n\n```sh\n{command}\n```\n\n{}", table.markdown());
    }
    Ok(text)
}

/// What tests compare with the paper, number by number.
fn counts() -> Vec<Claim> {
    let claim = |place, statement: &str, evidence: &str| Claim {
        place,
        statement: statement.to_owned(),
        verdict: Verdict::Holds,
        evidence: evidence.to_owned(),
    };
    vec![
        claim(
            "table 1",
            "numbers of weights and bits, and compression",
            "All 24 rows, but two compressions of edge pruning that do not fit the others.",
        ),
        claim("4.1, A.4", "|M| > 10^68, and the sizes of the spaces", "Counted exactly."),
    ]
}

fn parts(results: &Path) -> Result<Vec<Part>, BenchError> {
    let curves = |name: &str| -> Result<Vec<Claim>, BenchError> {
        let path = results.join(name);
        // Not run yet.
        if !path.exists() {
            return Ok(Vec::new());
        }
        Ok(bbob::claims(&Curves::read(&path)?))
    };
    // Races are for the longer runs to decide.
    let ends = |name: &str| -> Result<Vec<Claim>, BenchError> {
        let claims = curves(name)?;
        Ok(claims.into_iter().filter(|claim| claim.place != bbob::RACE).collect())
    };
    Ok(vec![
        Part {
            title: "BBOB, optimum in the middle",
            data: Some("bbob/centered.csv"),
            command: "esenas bench bbob --preset paper",
            claims: ends("bbob/centered.csv")?,
        },
        Part {
            title: "BBOB, random instances",
            data: Some("bbob/instance.csv"),
            command: "esenas bench bbob --preset paper --mode instance",
            claims: ends("bbob/instance.csv")?,
        },
        Part {
            title: "CMA-ES in place of ES, optimum in the middle",
            data: Some("bbob/cma-centered.csv"),
            command: "esenas bench bbob --preset paper --cma",
            claims: curves("bbob/cma-centered.csv")?,
        },
        Part {
            title: "CMA-ES in place of ES, random instances",
            data: Some("bbob/cma-instance.csv"),
            command: "esenas bench bbob --preset paper --cma --mode instance",
            claims: curves("bbob/cma-instance.csv")?,
        },
        Part {
            title: "Theory",
            data: Some("theory"),
            command: "esenas bench theory --preset paper",
            claims: theory::claims(&theory::read(&results.join("theory"))?),
        },
        Part {
            title: "Policies",
            data: Some("rl"),
            command: "esenas bench rl",
            claims: rl::claims(&results.join("rl"))?,
        },
        Part {
            title: "Counts",
            data: None,
            command: "cargo test -p esenas-control --test policy",
            claims: counts(),
        },
    ])
}
