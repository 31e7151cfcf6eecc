//! What the paper says of policies, looked up in `results/rl`: rewards by the authors' statistic
//! (`final_mean`; of masked networks `pruned_mean`), and curves of the centre.
//!
//! A claim is open before half of its cells are kept, and then decided by those there are, whose
//! number is named.

mod kept;

use std::path::Path;

use self::kept::{Count, Kept, Mask, study};
use super::plan::Plan;
use crate::BenchError;
use crate::paper::{Claim, Verdict};

/// What the paper compares policies in.
const ENVS: [&str; 8] =
    ["Swimmer", "Reacher", "Hopper", "HalfCheetah", "Walker2d", "Pusher", "Striker", "Thrower"];
/// Its three tables of controllers, and the search for nonlinearities.
const CLASSES: [&str; 4] = ["quantization-linear", "quantization", "edge-pruning", "nonlinearity"];
const BASELINES: [&str; 4] = ["masked", "toeplitz", "circulant", "unstructured"];
/// Those of the figures of 4.3.2, 4.3.3 and C.1.
const FEW_ENVS: [&str; 4] = ["Swimmer", "Hopper", "HalfCheetah", "Walker2d"];
const TABLE_1: [&str; 4] = ["Striker", "HalfCheetah", "Hopper", "Walker2d"];
const GRADIENT: &str = "policy-gradient";
const EVOLUTION: &str = "regularized-evolution";
const RANDOM: &str = "random";

/// More than this share of cells is "most" of them.
const MOST: f64 = 0.5;
/// From this share on it is nearly all.
const NEARLY_ALL: f64 = 0.8;
/// At least one.
const SOME: f64 = 0.0;

/// All claims about policies that rewards and curves can decide, and those that nothing kept can.
pub(crate) fn claims(results: &Path) -> Result<Vec<Claim>, BenchError> {
    let kept = Kept::read(&Plan::paper(), results)?;
    let mut claims = table_1(&kept);
    claims.extend(controllers(&kept));
    claims.extend(constrained(&kept));
    claims.extend(classes(&kept));
    claims.extend(pruning(&kept));
    claims.extend(masks(&kept));
    for (place, statement) in [
        ("A.2.1", "5·10⁻⁴ is the best of four learning rates of PPO"),
        ("A.2.1", "tournaments of √n work best"),
    ] {
        let (statement, evidence) = (statement.to_owned(), "Nothing that is kept says.".to_owned());
        claims.push(Claim { place, statement, verdict: Verdict::Open, evidence });
    }
    Ok(claims)
}

/// What is competitive with `other`: within a tenth of it.
fn is_near(reward: f64, other: f64) -> bool {
    reward >= other - 0.1 * other.abs()
}

/// A tenth of a reward is failure.
fn table_1(kept: &Kept) -> Vec<Claim> {
    let (mut competitive, mut fail, mut masked) =
        (Count::default(), Count::default(), Count::default());
    for env in TABLE_1 {
        let ours = kept.ours(env);
        let both = ours.zip(kept.baselines(env));
        competitive.add(env, both.map(|(ours, best)| is_near(ours, best)));
        let both = ours.zip(kept.reward("masked", env, RANDOM));
        masked.add(env, both.map(|(ours, masked)| masked < ours));
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
    for env in FEW_ENVS {
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

/// 4.3.3: rewards beside those of as many edges from the start.
fn constrained(kept: &Kept) -> Vec<Claim> {
    let (mut below, mut competitive) = (Count::default(), Count::default());
    for env in FEW_ENVS {
        for controller in [GRADIENT, EVOLUTION] {
            let cell = format!("{env} {controller}");
            let edges = kept.edges(&study("constrained", env, controller));
            below.add(&cell, edges.map(|edges| edges <= 64.0));
            let reward = |class| kept.reward(class, env, controller);
            let both = reward("constrained").zip(reward("edge-pruning"));
            competitive.add(&cell, both.map(|(few, fixed)| is_near(few, fixed)));
        }
    }
    let place = "4.3.3, figure";
    vec![
        below.claim(place, "the controller brings edges below the target of 64", NEARLY_ALL, 8),
        competitive.claim(place, "while reward stays competitive", MOST, 8),
    ]
}

/// C.1: the centre's best with so much pruned, beside its best with less pruned.
fn pruning(kept: &Kept) -> Vec<Claim> {
    let (mut effective, mut lost) = (Count::default(), Count::default());
    for env in FEW_ENVS {
        let best =
            |from, to| kept.best_of_usage(&study("masked-two-layers", env, RANDOM), from, to);
        let (whole, compact, few) = (best(0.4, 1.0), best(0.2, 0.4), best(0.1, 0.2));
        let near = whole.zip(compact).map(|(whole, compact)| is_near(compact, whole));
        effective.add(env, near);
        let more = whole.into_iter().chain(compact).reduce(f64::max);
        lost.add(env, more.zip(few).map(|(more, few)| !is_near(few, more)));
    }
    let place = "C.1, figure";
    vec![
        effective.claim(place, "masks keep policies effective up to 80 % of pruning", MOST, 4),
        lost.claim(place, "and lose much at 80 to 90 %", MOST, 4),
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
fn masks(kept: &Kept) -> Vec<Claim> {
    let settled = |p: &f64| 2.0 * (p - 0.5).abs();
    let most = |mask: &Mask| {
        let least = mask.values().filter_map(|p| p.iter().map(settled).reduce(f64::min));
        least.reduce(f64::max)
    };
    let least = kept.masks.iter().filter_map(most).reduce(f64::min);
    let seeds = kept.masks.len();
    let alone = least.map(|least| {
        let said =
            format!("In {seeds} of 3 runs every edge reached 2·|p − ½| of {least:.2} at once.");
        (Verdict::of(least >= SETTLED), said)
    });
    let together = (seeds == 3).then(|| together(&kept.masks)).flatten().map(|(of, all)| {
        let said = format!("At most {of} of {all} edges reached 2·|p − ½| of {SETTLED} at once.");
        (Verdict::of(of == all), said)
    });
    let claim = |statement: &str, found: Option<(Verdict, String)>| {
        let none = || (Verdict::Open, format!("Of 3 runs {seeds} are kept."));
        let (verdict, evidence) = found.unwrap_or_else(none);
        Claim { place: "D, figure", statement: statement.to_owned(), verdict, evidence }
    };
    vec![
        claim("PG converges to one pruning of a linear policy of Swimmer, seed by seed", alone),
        claim("and samples of three seeds together to a single one", together),
    ]
}

const SETTLED: f64 = 0.8;

/// How many edges at most were settled at a time, with p over the models of all seeds, and of how
/// many.
fn together(masks: &[Mask]) -> Option<(usize, usize)> {
    let (first, others) = masks.split_first()?;
    let settled = first.iter().filter_map(|(at, first)| {
        let others: Option<Vec<&Vec<f64>>> = others.iter().map(|mask| mask.get(at)).collect();
        let others = others?;
        let mean = |edge: usize| {
            let p: f64 = others.iter().map(|p| p[edge]).sum();
            (p + first[edge]) / masks.len() as f64
        };
        let is = |edge: &usize| 2.0 * (mean(*edge) - 0.5).abs() >= SETTLED;
        Some(((0..first.len()).filter(is).count(), first.len()))
    });
    settled.max()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::row::{self, Row};
    use super::*;

    fn of<'a>(claims: &'a [Claim], words: &str) -> &'a Claim {
        claims.iter().find(|claim| claim.statement.contains(words)).unwrap()
    }

    /// Red when a claim without data has a verdict, or one with data has none or the wrong one.
    #[test]
    fn cells_decide_as_they_come() {
        let (place, plan) = (tempfile::tempdir().unwrap(), Plan::paper());
        let empty = claims(place.path()).unwrap();
        assert!(empty.iter().all(|claim| claim.verdict == Verdict::Open), "{empty:?}");
        let rows = [
            ("edge-pruning", GRADIENT, 9.0, 64.0),
            ("edge-pruning", EVOLUTION, 8.0, 64.0),
            ("samples", GRADIENT, 1.0, 64.0),
            ("samples", EVOLUTION, 7.9, 64.0),
            ("constrained", GRADIENT, 8.8, 60.0),
            ("constrained", EVOLUTION, 7.0, 63.0),
        ];
        let each = ["Swimmer", "Hopper"].into_iter().flat_map(|env| rows.map(|row| (env, row)));
        for (env, (class, controller, final_mean, edges)) in each {
            let name = study(class, env, controller);
            let cell = plan.cells().into_iter().find(|cell| cell.name == name).unwrap();
            let path = place.path().join(format!("{}.csv", cell.group));
            let (study, settings) = (name.clone(), cell.settings());
            row::keep(&path, Row { study, settings, final_mean, ..Row::default() }).unwrap();
            fs::create_dir_all(place.path().join(&cell.group)).unwrap();
            let rising = |at: i32| if name.contains("policy") { at * at } else { 10 * at };
            let lines = (0..10).map(|at| format!("{at},{},{edges},0.5\n", rising(at)));
            let curve = lines.collect::<String>();
            let path = place.path().join(format!("{name}-seed0.csv"));
            fs::write(path, format!("iteration,centre_mean,edges,usage\n{curve}")).unwrap();
        }
        let claims = claims(place.path()).unwrap();
        for words in ["PG suffers most", "10 of 150", "below the target"] {
            assert_eq!(of(&claims, words).verdict, Verdict::Holds, "{:?}", of(&claims, words));
        }
        // One controller is within a tenth, the other is not: not most.
        assert_eq!(of(&claims, "stays competitive").verdict, Verdict::Fails);
        assert_eq!(of(&claims, "random search").verdict, Verdict::Open);
        assert_eq!(of(&claims, "10 of 150").evidence, "True of 4 of 4 cells that are kept, of 8.");
        // Few cells decide nothing.
        for words in ["PG eventually", "converges faster"] {
            assert_eq!(of(&claims, words).verdict, Verdict::Open);
            assert_eq!(of(&claims, words).evidence, "So far true of 2 of 2 cells, of 28.");
        }
        // Results of other settings decide nothing.
        let path = place.path().join("edge-pruning.csv");
        let text = fs::read_to_string(&path).unwrap();
        let name = study("edge-pruning", "Swimmer", GRADIENT);
        let cell = plan.cells().into_iter().find(|it| it.name == name).unwrap();
        fs::write(&path, text.replace(&cell.settings(), "other")).unwrap();
        let claims = self::claims(place.path()).unwrap();
        assert_eq!(of(&claims, "PG eventually").evidence, "So far true of 1 of 1 cells, of 28.");
    }

    /// Red when seeds that settle on prunings of their own are taken for one.
    #[test]
    fn masks_settle_alone_or_together() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("swimmer-mask")).unwrap();
        let verdicts = |last: [f64; 2]| {
            for seed in 0..3 {
                let p = if seed == 2 { last } else { [1.0, 0.0] };
                let lines = [(0, [0.5; 2]), (1, p)].map(|(at, [a, b])| {
                    format!("{at},a,out,{}\n{at},a,in,{a}\n{at},b,in,{b}\n", 1.0 - a)
                });
                let text = format!("iteration,decision,option,frequency\n{}", lines.concat());
                fs::write(place.path().join(format!("swimmer-mask/seed{seed}.csv")), text).unwrap();
            }
            let claims = claims(place.path()).unwrap();
            ["seed by seed", "three seeds together"].map(|words| of(&claims, words).verdict)
        };
        assert_eq!(verdicts([1.0, 0.0]), [Verdict::Holds, Verdict::Holds]);
        assert_eq!(verdicts([1.0, 1.0]), [Verdict::Holds, Verdict::Fails]);
        assert_eq!(verdicts([1.0, 0.6]), [Verdict::Fails, Verdict::Fails]);
    }

    /// Red when a mask is judged at another usage than the claim says.
    #[test]
    fn masks_are_judged_where_so_much_is_pruned() {
        let (place, plan) = (tempfile::tempdir().unwrap(), Plan::paper());
        fs::create_dir_all(place.path().join("masked-two-layers")).unwrap();
        for env in ["Hopper", "Walker2d"] {
            let name = study("masked-two-layers", env, RANDOM);
            let cell = plan.cells().into_iter().find(|cell| cell.name == name).unwrap();
            let (study, settings) = (name.clone(), cell.settings());
            let path = place.path().join("masked-two-layers.csv");
            row::keep(&path, Row { study, settings, ..Row::default() }).unwrap();
            let curve = "centre_mean,usage\n90,0.6\n100,0.52\n95,0.3\n80,0.15\n99,0.05\n";
            fs::write(place.path().join(format!("{name}-seed0.csv")), curve).unwrap();
        }
        let claims = claims(place.path()).unwrap();
        assert_eq!(of(&claims, "up to 80 %").verdict, Verdict::Holds);
        assert_eq!(of(&claims, "at 80 to 90 %").verdict, Verdict::Holds);
    }
}
