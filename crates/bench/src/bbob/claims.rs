//! What the paper says of section 3.1, Figure 2 and Appendix B, looked up in mean curves.
//!
//! A claim about the end goes by the last checkpoint. One that says how a race goes goes by the
//! whole curve. "Asymptotically" is at more than half of the checkpoints of the last fifth,
//! "initially" at more than half of those before the other is ahead for good, or of the first fifth
//! if it never is. "Usually" is in more than half of the settings.

use super::Algorithm;
use super::curves::{Curves, Size};
use crate::paper::{Claim, Verdict, listed};

/// Where the paper has the races.
pub(crate) const RACE: &str = "B.1";

/// The claims that there is data for.
pub(crate) fn claims(curves: &Curves) -> Vec<Claim> {
    let mut claims = Vec::new();
    claims.extend(es_leads(curves));
    claims.extend(variants_lead(curves));
    claims.extend(evolution_leads(curves));
    for lambda in Lambda::ALL {
        claims.extend(race(curves, lambda));
    }
    claims
}

fn said((d_cat, d_con): Size) -> String {
    format!("{d_cat} × {d_con}")
}

/// First row of Figure 2: ES outperforms vanilla algorithms as d_con grows.
fn es_leads(curves: &Curves) -> Option<Claim> {
    let size = curves.sizes(|d_cat| d_cat == 0).into_iter().max()?;
    let es = curves.last(Algorithm::Es, size)?;
    let vanilla = curves.algorithms(size).into_iter().filter(|it| it.is_vanilla());
    let others: Vec<(&str, f64)> =
        vanilla.filter_map(|it| Some((it.name(), curves.last(it, size)?))).collect();
    let numbers: Vec<String> =
        others.iter().map(|(name, gap)| format!("{name} {gap:.4}")).collect();
    (!others.is_empty()).then(|| Claim {
        place: "3.1, figure 2",
        statement: format!("ES outperforms the vanilla algorithms, here at d_con = {}", size.1),
        verdict: Verdict::of(others.iter().all(|(_, gap)| es < *gap)),
        evidence: format!("ES {es:.4}; {}.", numbers.join(", ")),
    })
}

/// The following rows: each variant outperforms its original.
fn variants_lead(curves: &Curves) -> Option<Claim> {
    let mut ahead = 0;
    let mut behind = Vec::new();
    for size in curves.sizes(|d_cat| d_cat > 0) {
        for one in curves.algorithms(size) {
            let gaps = |it| curves.last(it, size);
            let Some((a, b)) = one.vanilla().and_then(|it| Some((gaps(one)?, gaps(it)?))) else {
                continue;
            };
            if a < b {
                ahead += 1;
            } else {
                behind.push(format!("{} at {}", one.name(), said(size)));
            }
        }
    }
    let all = ahead + behind.len();
    let but = if behind.is_empty() { String::new() } else { format!(", not {}", listed(&behind)) };
    (all > 0).then(|| Claim {
        place: "3.1, figure 2",
        statement: "each ES-ENAS variant outperforms its original algorithm".to_owned(),
        verdict: Verdict::of(behind.is_empty()),
        evidence: format!("In {ahead} of {all} pairs of algorithm and setting{but}."),
    })
}

/// Which controller is best inside ES-ENAS.
fn evolution_leads(curves: &Curves) -> Option<Claim> {
    use Algorithm::{EsEnasPpo, EsEnasRandom, EsEnasRegularizedEvolution};
    let sizes = curves.sizes(|d_cat| d_cat > 0);
    let rivals = |it: &Algorithm| it.vanilla().is_some() || matches!(it, EsEnasPpo | EsEnasRandom);
    let best = |size: &Size| {
        let variants = curves.algorithms(*size).into_iter().filter(rivals);
        let gaps = variants.filter_map(|it| Some((it, curves.last(it, *size)?)));
        gaps.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(it, _)| it)
    };
    let leaders: Vec<Algorithm> = sizes.iter().filter_map(best).collect();
    let wins = |it| leaders.iter().filter(|leader| **leader == it).count();
    let mut names = leaders.clone();
    names.sort_unstable();
    names.dedup();
    let names: Vec<String> =
        names.into_iter().map(|it| format!("{} in {}", it.name(), wins(it))).collect();
    // Without the others there is nothing to lead.
    let compared = sizes
        .first()
        .is_some_and(|size| curves.algorithms(*size).into_iter().filter(rivals).count() > 2);
    compared.then(|| Claim {
        place: "4.3.1 of figure 2",
        statement: "regularized evolution was the best controller in ES-ENAS".to_owned(),
        verdict: Verdict::of(2 * wins(EsEnasRegularizedEvolution) > leaders.len()),
        evidence: format!("Best of {} settings: {}.", leaders.len(), names.join(", ")),
    })
}

/// How CMA-ES was given its population, which the paper does not say.
#[derive(Clone, Copy)]
enum Lambda {
    Hansens,
    Directions,
    Probes,
}

impl Lambda {
    const ALL: [Self; 3] = [Self::Hansens, Self::Directions, Self::Probes];

    fn name(self) -> &'static str {
        match self {
            Self::Hansens => "Hansen's λ",
            Self::Directions => "λ = 64",
            Self::Probes => "λ = 128",
        }
    }

    /// Without categories, and with them.
    fn algorithms(self) -> [Algorithm; 2] {
        match self {
            Self::Hansens => [Algorithm::CmaEs, Algorithm::CmaEnas],
            Self::Directions => [Algorithm::CmaEs64, Algorithm::CmaEnas64],
            Self::Probes => [Algorithm::CmaEs128, Algorithm::CmaEnas128],
        }
    }
}

/// One setting of a race of CMA against ES.
struct Race {
    /// Whether ES is ahead initially.
    first: bool,
    /// Whether CMA is ahead asymptotically.
    last: bool,
    /// From when on CMA is ahead for good.
    since: Option<u32>,
}

impl Race {
    fn run(curves: &Curves, es: Algorithm, cma: Algorithm, size: Size) -> Option<Self> {
        let (es, cma) = (curves.gaps(es, size)?, curves.gaps(cma, size)?);
        // At the first checkpoint all have evaluated one point, the same.
        let ahead: Vec<bool> = es.iter().zip(cma).skip(1).map(|(es, cma)| cma < es).collect();
        let fifth = ahead.len().div_ceil(5);
        let most = |part: &[bool], who: bool| {
            2 * part.iter().filter(|ahead| **ahead == who).count() > part.len()
        };
        let behind = ahead.iter().rposition(|ahead| !ahead);
        let since = behind.map_or(0, |at| at + 1);
        let early = if since < ahead.len() { since } else { fifth };
        Some(Self {
            first: most(&ahead[..early], false),
            last: most(&ahead[ahead.len() - fifth..], true),
            // The checkpoint of the start is not among them.
            since: curves.checkpoints.get(since + 1).copied().filter(|_| since < ahead.len()),
        })
    }
}

/// Appendix B: ES-ENAS is ahead at first, CMA-ENAS in the end, as ES and CMA-ES are.
fn race(curves: &Curves, lambda: Lambda) -> Vec<Claim> {
    let [cma_es, cma_enas] = lambda.algorithms();
    let races = |es, cma, sizes: Vec<Size>| -> Vec<Race> {
        sizes.into_iter().filter_map(|size| Race::run(curves, es, cma, size)).collect()
    };
    let hybrid =
        races(Algorithm::EsEnasRegularizedEvolution, cma_enas, curves.sizes(|d_cat| d_cat > 0));
    let vanilla = races(Algorithm::Es, cma_es, curves.sizes(|d_cat| d_cat == 0));
    let usually = |races: &[Race], of: fn(&Race) -> bool| {
        2 * races.iter().filter(|race| of(race)).count() > races.len()
    };
    let count = |races: &[Race], of: fn(&Race) -> bool| {
        format!("{} of {}", races.iter().filter(|race| of(race)).count(), races.len())
    };
    let since = |races: &[Race]| {
        let mut known: Vec<u32> = races.iter().filter_map(|race| race.since).collect();
        known.sort_unstable();
        match (known.first(), known.last()) {
            (Some(first), Some(last)) if known.len() == races.len() => {
                format!("for good from {first} to {last} evaluations on")
            }
            (Some(first), Some(last)) => {
                format!("in {} for good, from {first} to {last} evaluations on", known.len())
            }
            _ => "in none for good".to_owned(),
        }
    };
    let budget = curves.checkpoints.last().copied().unwrap_or_default();
    let within = format!("{}, {budget} evaluations", lambda.name());
    let mut claims = Vec::new();
    if !hybrid.is_empty() {
        claims.push(Claim {
            place: RACE,
            statement: format!("ES-ENAS usually converges faster initially ({within})"),
            verdict: Verdict::of(usually(&hybrid, |race| race.first)),
            evidence: format!("Ahead in {} settings.", count(&hybrid, |race| race.first)),
        });
        claims.push(Claim {
            place: RACE,
            statement: format!("CMA-ENAS achieves a better asymptotic performance ({within})"),
            verdict: Verdict::of(usually(&hybrid, |race| race.last)),
            evidence: format!(
                "Ahead in {} settings, {}.",
                count(&hybrid, |race| race.last),
                since(&hybrid)
            ),
        });
    }
    if !hybrid.is_empty() && !vanilla.is_empty() {
        let same = |of: fn(&Race) -> bool| usually(&hybrid, of) == usually(&vanilla, of);
        claims.push(Claim {
            place: RACE,
            statement: format!("this is aligned with vanilla ES and CMA-ES ({within})"),
            verdict: Verdict::of(same(|race| race.first) && same(|race| race.last)),
            evidence: format!(
                "ES ahead at first in {}, CMA-ES in the end in {}.",
                count(&vanilla, |race| race.first),
                count(&vanilla, |race| race.last)
            ),
        });
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Curves of two settings at 0, 10, … 100 evaluations, by what `of` says of an algorithm.
    fn curves(of: impl Fn(Algorithm, f64) -> Option<f64>) -> Curves {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("curves.csv");
        let checkpoints: Vec<u32> = (0..=10).map(|at| 10 * at).collect();
        let cells = |cells: Vec<String>| cells.join(",");
        let mut text = format!(
            "d_cat,d_con,algorithm,{}\n",
            cells(checkpoints.iter().map(u32::to_string).collect())
        );
        for d_cat in [0, 10] {
            for algorithm in Algorithm::PAPER.into_iter().filter(|it| it.applies(d_cat)) {
                let gaps = checkpoints.iter().filter_map(|at| of(algorithm, f64::from(*at)));
                let gaps: Vec<String> = gaps.map(|gap| gap.to_string()).collect();
                if !gaps.is_empty() {
                    text += &format!("{d_cat},20,{},{}\n", algorithm.id(), cells(gaps));
                }
            }
        }
        std::fs::write(&path, text).unwrap();
        Curves::read(&path).unwrap()
    }

    fn verdict<'a>(claims: &'a [Claim], words: &[&str]) -> &'a Claim {
        let has = |claim: &&Claim| words.iter().all(|word| claim.statement.contains(word));
        claims.iter().find(has).unwrap_or_else(|| panic!("{words:?} in {claims:?}"))
    }

    /// Red when one checkpoint decides a race: the first, or that of the budget.
    #[test]
    fn races_are_decided_by_the_whole_curve() {
        use Algorithm::{CmaEnas, CmaEnas64, Es, EsEnasRegularizedEvolution};
        let curves = curves(|algorithm, at| match algorithm {
            Es | EsEnasRegularizedEvolution => Some(0.5),
            // Behind until 60, but ahead at the very first checkpoint.
            Algorithm::CmaEs64 | CmaEnas64 => Some(if at == 10.0 || at > 55.0 { 0.1 } else { 1.0 }),
            // Ahead all the time but in the end.
            Algorithm::CmaEs | CmaEnas => Some(if at == 100.0 { 1.0 } else { 0.1 }),
            _ => None,
        });
        let claims = claims(&curves);
        let last = verdict(&claims, &["asymptotic", "λ = 64"]);
        assert_eq!(last.verdict, Verdict::Holds);
        assert!(last.evidence.contains("from 60 to 60"), "{last:?}");
        assert_eq!(verdict(&claims, &["initially", "λ = 64"]).verdict, Verdict::Holds);
        assert_eq!(verdict(&claims, &["initially", "Hansen"]).verdict, Verdict::Fails);
        let last = verdict(&claims, &["asymptotic", "Hansen"]);
        assert_eq!(last.verdict, Verdict::Fails, "half of the last fifth is not most of it");
        assert!(last.evidence.contains("in none for good"), "{last:?}");
        assert_eq!(verdict(&claims, &["aligned", "λ = 64"]).verdict, Verdict::Holds);
        assert!(!claims.iter().any(|claim| claim.statement.contains("λ = 128")));
    }

    /// Red when a refuted claim is left out, or the best controller is read off in the wrong
    /// direction.
    #[test]
    fn the_best_controller_is_named() {
        use Algorithm::{EsEnasHillClimb, EsEnasNeat, EsEnasPpo, EsEnasRegularizedEvolution};
        let curves = curves(|algorithm, _| match algorithm {
            EsEnasPpo => Some(0.1),
            EsEnasRegularizedEvolution => Some(0.2),
            EsEnasNeat | EsEnasHillClimb => Some(0.3),
            _ => None,
        });
        let claims = claims(&curves);
        let claim = verdict(&claims, &["best controller"]);
        assert_eq!(claim.verdict, Verdict::Fails);
        assert_eq!(claim.evidence, "Best of 1 settings: ES-ENAS (PPO) in 1.");
    }

    #[test]
    fn what_is_written_is_read() {
        let curves = curves(|_, at| Some(1.0 / (at + 2.0)));
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("curves.csv");
        std::fs::write(&path, curves.csv()).unwrap();
        let again = Curves::read(&path).unwrap();
        assert_eq!(again.csv(), curves.csv());
        std::fs::write(&path, curves.csv().replace("neat", "tidy")).unwrap();
        assert!(Curves::read(&path).unwrap_err().to_string().contains("line"));
    }
}
