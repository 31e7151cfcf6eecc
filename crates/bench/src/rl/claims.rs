//! What the paper says of policies, looked up in `results/rl`: rewards by the authors' statistic
//! (`final_mean`; of masked networks `pruned_mean`), and curves of the centre.
//!
//! A claim with no cell to decide it is open. What has a part of its cells is decided by that part,
//! which is named.

use std::collections::BTreeMap;
use std::path::Path;

use crate::BenchError;
use crate::paper::{Claim, Verdict, listed};

/// What the paper compares policies in.
const ENVS: [&str; 8] =
    ["Swimmer", "Reacher", "Hopper", "HalfCheetah", "Walker2d", "Pusher", "Striker", "Thrower"];
/// Its three tables of controllers, and the search for nonlinearities.
const CLASSES: [&str; 4] = ["quantization-linear", "quantization", "edge-pruning", "nonlinearity"];
const BASELINES: [&str; 4] = ["masked", "toeplitz", "circulant", "unstructured"];
const TABLE_1: [&str; 4] = ["Striker", "HalfCheetah", "Hopper", "Walker2d"];
const GRADIENT: &str = "policy-gradient";
const EVOLUTION: &str = "regularized-evolution";
const RANDOM: &str = "random";

/// All that was kept.
#[derive(Debug, Default)]
struct Kept {
    /// The reward of each seed, by study.
    rewards: BTreeMap<String, Vec<f64>>,
    /// The centre's mean in every iteration, seed by seed.
    curves: BTreeMap<String, Vec<Vec<f64>>>,
    /// Of the masks of Swimmer: how settled the least settled edge was, at best, in each seed.
    settled: Vec<f64>,
}

fn study(class: &str, env: &str, controller: &str) -> String {
    format!("{class}/{}-{controller}", env.to_lowercase())
}

impl Kept {
    fn read(folder: &Path) -> Result<Self, BenchError> {
        let mut kept = Self::default();
        for class in CLASSES.into_iter().chain(BASELINES).chain(["samples"]) {
            let table = table(&folder.join(format!("{class}.csv")))?;
            for row in &table {
                let number = |name: &str| row.get(name)?.parse::<f64>().ok();
                let reward = number("pruned_mean").or(number("final_mean"));
                if let (Some(study), Some(reward)) = (row.get("study"), reward) {
                    let seed = row.get("seed").map_or("", String::as_str);
                    let curve = self::table(&folder.join(format!("{study}-seed{seed}.csv")))?;
                    let centres =
                        curve.iter().filter_map(|row| row.get("centre_mean")?.parse().ok());
                    kept.rewards.entry(study.clone()).or_default().push(reward);
                    kept.curves.entry(study.clone()).or_default().push(centres.collect());
                }
            }
        }
        for seed in 0..3 {
            let table = table(&folder.join(format!("swimmer-mask/seed{seed}.csv")))?;
            let mut least = BTreeMap::<&str, f64>::new();
            for row in table.iter().filter(|row| row.get("option").is_some_and(|it| it == "in")) {
                let share = row.get("frequency").and_then(|it| it.parse::<f64>().ok());
                if let (Some(share), Some(at)) = (share, row.get("iteration")) {
                    let settled = 2.0 * (share - 0.5).abs();
                    let least = least.entry(at).or_insert(settled);
                    *least = least.min(settled);
                }
            }
            kept.settled.extend(least.into_values().reduce(f64::max));
        }
        Ok(kept)
    }

    /// The mean over seeds.
    fn reward(&self, class: &str, env: &str, controller: &str) -> Option<f64> {
        let rewards = self.rewards.get(&study(class, env, controller))?;
        Some(rewards.iter().sum::<f64>() / rewards.len() as f64)
    }

    /// The better controller's.
    fn best(&self, class: &str, env: &str) -> Option<f64> {
        let both = [GRADIENT, EVOLUTION].map(|controller| self.reward(class, env, controller));
        both.into_iter().flatten().reduce(f64::max)
    }

    /// The better of the paper's own classes in table 1.
    fn ours(&self, env: &str) -> Option<f64> {
        let both = ["quantization", "edge-pruning"].map(|class| self.best(class, env));
        both.into_iter().flatten().reduce(f64::max)
    }

    /// The centre's mean over a part of the curve, as a share of the length that both curves have.
    fn part(&self, study: &str, length: usize, from: f64, to: f64) -> Option<f64> {
        let of = |at: f64| (length as f64 * at).round() as usize;
        let curves = self.curves.get(study)?;
        let means = curves.iter().filter_map(|curve| {
            let part = curve.get(of(from)..of(to).max(of(from) + 1))?;
            Some(part.iter().sum::<f64>() / part.len() as f64)
        });
        let means: Vec<f64> = means.collect();
        (!means.is_empty()).then(|| means.iter().sum::<f64>() / means.len() as f64)
    }

    /// The iterations that all seeds of both have.
    fn length(&self, studies: [&str; 2]) -> Option<usize> {
        let shortest = |study: &str| self.curves.get(study)?.iter().map(Vec::len).min();
        Some(shortest(studies[0])?.min(shortest(studies[1])?)).filter(|length| *length > 0)
    }
}

/// The rows of a CSV file by their columns; none if there is no file. Cells hold no commas but in
/// quotes, which no column that is read has.
fn table(path: &Path) -> Result<Vec<BTreeMap<String, String>>, BenchError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).map_err(BenchError::file(path))?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let row = |line: &str| {
        let cells = header.iter().zip(line.split(','));
        cells.map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    Ok(lines.map(row).collect())
}

/// What is true of some environments or cells, and not of others.
#[derive(Default)]
struct Count {
    yes: usize,
    no: Vec<String>,
}

impl Count {
    fn add(&mut self, what: &str, is: Option<bool>) {
        match is {
            Some(true) => self.yes += 1,
            Some(false) => self.no.push(what.to_owned()),
            None => {}
        }
    }

    fn all(&self) -> usize {
        self.yes + self.no.len()
    }

    /// Of `cells` that the paper has.
    fn claim(self, place: &'static str, statement: &str, least: f64, cells: usize) -> Claim {
        let all = self.all();
        let but = match self.no.as_slice() {
            [] => String::new(),
            no => format!(", not {}", listed(no)),
        };
        let (verdict, evidence) = match all {
            0 => (Verdict::Open, format!("Of {cells} cells none is kept.")),
            _ => (
                Verdict::of(self.yes as f64 > least * all as f64),
                format!("True of {} of {all} cells that are kept, of {cells}{but}.", self.yes),
            ),
        };
        Claim { place, statement: statement.to_owned(), verdict, evidence }
    }
}

/// More than this share of cells is "most" of them.
const MOST: f64 = 0.5;
/// From this share on it is nearly all.
const NEARLY_ALL: f64 = 0.8;
/// At least one.
const SOME: f64 = 0.0;

/// All claims about policies that rewards and curves can decide, and those that nothing kept can.
pub(crate) fn claims(results: &Path) -> Result<Vec<Claim>, BenchError> {
    let kept = Kept::read(results)?;
    let mut claims = table_1(&kept);
    claims.extend(controllers(&kept));
    claims.extend(classes(&kept));
    claims.push(masks(&kept));
    for (place, statement) in [
        ("4.3.3, figure", "edges fall below the target of 64 while reward stays competitive"),
        ("C.1, figure", "masked policies lose much at 80 to 90 % of pruning"),
        ("A.2.1", "5·10⁻⁴ is the best of four learning rates of PPO"),
        ("A.2.1", "tournaments of √n work best"),
    ] {
        let (statement, evidence) = (statement.to_owned(), "Nothing that is kept says.".to_owned());
        claims.push(Claim { place, statement, verdict: Verdict::Open, evidence });
    }
    Ok(claims)
}

/// Within a tenth is competitive; a tenth of it is failure.
fn table_1(kept: &Kept) -> Vec<Claim> {
    let (mut competitive, mut fail, mut masked) =
        (Count::default(), Count::default(), Count::default());
    for env in TABLE_1 {
        let ours = kept.ours(env);
        let baseline = |class: &str| kept.reward(class, env, RANDOM);
        let best = BASELINES.into_iter().filter_map(baseline).reduce(f64::max);
        let near = ours.zip(best).map(|(ours, best)| ours >= best - 0.1 * best.abs());
        competitive.add(env, near);
        masked.add(env, ours.zip(baseline("masked")).map(|(ours, masked)| masked < ours));
    }
    for class in ["toeplitz", "circulant"] {
        let pair = kept.ours("Walker2d").zip(kept.reward(class, "Walker2d", RANDOM));
        fail.add(class, pair.map(|(ours, fixed)| fixed < 0.1 * ours));
    }
    vec![
        competitive.claim(
            "4.2, table 1",
            "competitive or better rewards than all baselines",
            MOST,
            4,
        ),
        fail.claim(
            "4.2, table 1",
            "Toeplitz and circulant patterns fail at Walker2d",
            NEARLY_ALL,
            2,
        ),
        masked.claim("4.2, table 1", "masking is behind in most environments", MOST, 4),
    ]
}

/// 4.3.1 and 4.3.2.
fn controllers(kept: &Kept) -> Vec<Claim> {
    let mut easy = Count::default();
    let (mut faster, mut overtakes, mut untrained, mut fewer) =
        (Count::default(), Count::default(), Count::default(), Count::default());
    let (mut gradient, mut evolution) = (Vec::new(), Vec::new());
    for class in CLASSES {
        for env in ENVS {
            let cell = format!("{class} {env}");
            let [pg, re, random] = [GRADIENT, EVOLUTION, RANDOM].map(|it| study(class, env, it));
            let early = kept.length([&pg, &re]).and_then(|length| {
                let part = |study| kept.part(study, length, 0.0, 0.2);
                Some(part(&re)? > part(&pg)?)
            });
            faster.add(&cell, early);
            let ends = kept.reward(class, env, GRADIENT).zip(kept.reward(class, env, EVOLUTION));
            overtakes.add(&cell, ends.map(|(pg, re)| pg > re));
            let gains = [&pg, &re].into_iter().filter_map(|other| {
                let length = kept.length([&random, other])?;
                let gain = |study| {
                    Some(kept.part(study, length, 0.8, 1.0)? - kept.part(study, length, 0.0, 0.0)?)
                };
                Some((gain(&random)?, gain(other)?))
            });
            let gains = gains.max_by(|a, b| a.1.total_cmp(&b.1));
            let fails = gains.map(|(random, best)| random < 0.25 * best);
            untrained.add(&cell, fails);
            if matches!(env, "Striker" | "Reacher") {
                easy.add(&cell, fails.map(|fails| !fails));
            }
        }
    }
    for env in ["Swimmer", "Hopper", "HalfCheetah", "Walker2d"] {
        for (controller, lost) in [(GRADIENT, &mut gradient), (EVOLUTION, &mut evolution)] {
            let pair = kept.reward("edge-pruning", env, controller);
            let pair = pair.zip(kept.reward("samples", env, controller));
            lost.extend(pair.map(|(all, few)| (all - few) / all.abs()));
            fewer.add(&format!("{controller} {env}"), pair.map(|(all, few)| few < all));
        }
    }
    let mut more = Count::default();
    let mean = |lost: &[f64]| lost.iter().sum::<f64>() / lost.len() as f64;
    let both = !gradient.is_empty() && !evolution.is_empty();
    more.add("on average", both.then(|| mean(&gradient) > mean(&evolution)));
    vec![
        faster.claim("4.3.1", "Reg-Evo converges faster than PG at first", NEARLY_ALL, 28),
        overtakes.claim("4.3.1", "PG eventually may outperform Reg-Evo", SOME, 28),
        untrained.claim("4.3.1", "random search is unable to train in most environments", MOST, 28),
        easy.claim("4.3.1", "random search does well on Striker and Reacher", MOST, 6),
        fewer.claim(
            "4.3.2",
            "10 of 150 values reduce the performance of both controllers",
            MOST,
            8,
        ),
        more.claim("4.3.2", "PG suffers most", SOME, 1),
    ]
}

/// C.2 and C.3.
fn classes(kept: &Kept) -> Vec<Claim> {
    let (mut hidden, mut gain, mut others) = (Count::default(), Count::default(), Count::default());
    for env in ENVS {
        for controller in [GRADIENT, EVOLUTION] {
            let reward = |class: &str| kept.reward(class, env, controller);
            let cell = format!("{env} {controller}");
            let pair = reward("quantization").zip(reward("quantization-linear"));
            hidden.add(&cell, pair.map(|(hidden, linear)| hidden > linear));
            let more = reward("nonlinearity").zip(reward("edge-pruning")).map(|(a, b)| a > b);
            match env {
                "HalfCheetah" | "Swimmer" => gain.add(&cell, more),
                "Hopper" | "Walker2d" => others.add(&cell, more.map(|more| !more)),
                _ => {}
            }
        }
    }
    vec![
        hidden.claim(
            "C.3",
            "a hidden layer near-universally beats linear policies",
            NEARLY_ALL,
            16,
        ),
        gain.claim("C.3", "choosing nonlinearities helps HalfCheetah and Swimmer", NEARLY_ALL, 4),
        others.claim("C.3", "but not all environments", SOME, 4),
    ]
}

/// Appendix D: settled is nine tenths in or out.
fn masks(kept: &Kept) -> Claim {
    let (verdict, evidence) = match kept.settled.as_slice() {
        [] => (Verdict::Open, "Of 3 runs none is kept.".to_owned()),
        settled => {
            let least = settled.iter().copied().fold(f64::INFINITY, f64::min);
            let said = format!(
                "In {} of 3 runs every edge reached 2·|p − ½| of {least:.2} at once.",
                settled.len()
            );
            (Verdict::of(least >= 0.8), said)
        }
    };
    let statement = "PG converges to one pruning of a linear policy of Swimmer, seed by seed";
    Claim { place: "D, figure", statement: statement.to_owned(), verdict, evidence }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'a>(claims: &'a [Claim], words: &str) -> &'a Claim {
        claims.iter().find(|claim| claim.statement.contains(words)).unwrap()
    }

    /// Red when a claim without data has a verdict, or one with data has none or the wrong one.
    #[test]
    fn cells_decide_as_they_come() {
        let place = tempfile::tempdir().unwrap();
        let empty = claims(place.path()).unwrap();
        assert!(empty.iter().all(|claim| claim.verdict == Verdict::Open), "{empty:?}");
        for (class, rows) in [
            (
                "edge-pruning",
                [("swimmer-policy-gradient", 9.0), ("swimmer-regularized-evolution", 8.0)],
            ),
            ("samples", [("swimmer-policy-gradient", 1.0), ("swimmer-regularized-evolution", 7.9)]),
        ] {
            std::fs::create_dir_all(place.path().join(class)).unwrap();
            let mut text = "commit,study,seed,final_mean\n".to_owned();
            for (name, reward) in rows {
                text += &format!("a,{class}/{name},0,{reward}\n");
                let rising = |at: i32| if name.contains("policy") { at * at } else { 10 * at };
                let curve = (0..10).map(|at| format!("{at},{}", rising(at)));
                let curve =
                    format!("iteration,centre_mean\n{}\n", curve.collect::<Vec<_>>().join("\n"));
                std::fs::write(place.path().join(format!("{class}/{name}-seed0.csv")), curve)
                    .unwrap();
            }
            std::fs::write(place.path().join(format!("{class}.csv")), text).unwrap();
        }
        let claims = claims(place.path()).unwrap();
        for words in ["PG eventually", "PG suffers most", "converges faster", "10 of 150"] {
            assert_eq!(of(&claims, words).verdict, Verdict::Holds, "{:?}", of(&claims, words));
        }
        assert_eq!(of(&claims, "random search").verdict, Verdict::Open);
        assert_eq!(
            of(&claims, "PG eventually").evidence,
            "True of 1 of 1 cells that are kept, of 28."
        );
        // Of another statistic than the authors' nothing is decided.
        std::fs::write(
            place.path().join("edge-pruning.csv"),
            "commit,study,seed,best_mean\na,edge-pruning/swimmer-policy-gradient,0,9\n",
        )
        .unwrap();
        let claims = self::claims(place.path()).unwrap();
        assert_eq!(of(&claims, "PG eventually").verdict, Verdict::Open);
    }
}
