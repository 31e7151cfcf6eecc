//! What the paper says of Figure 2 and Appendix B, looked up in the results.

use super::{Algorithm, Results};

/// A claim, and whether the results bear it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// In the paper's sense.
    pub(crate) statement: String,
    /// Whether it is so here.
    pub(crate) holds: bool,
    /// The numbers.
    pub(crate) evidence: String,
}

/// The claims that the plan has data for.
pub(crate) fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = Vec::new();
    claims.extend(es_leads(results));
    claims.extend(variants_lead(results));
    claims.extend(cma_overtakes(results, Algorithm::CmaEnas));
    claims.extend(cma_overtakes(results, Algorithm::CmaEnasLarge));
    claims
}

fn mean(results: &Results, algorithm: Algorithm, size: (usize, usize)) -> Option<f64> {
    results.aggregate(algorithm, size).map(|mean| mean.mean)
}

/// First row of Figure 2: ES outperforms vanilla algorithms as d_con grows.
fn es_leads(results: &Results) -> Option<Claim> {
    let size = *results.plan().sizes.iter().filter(|size| size.0 == 0).max()?;
    let es = mean(results, Algorithm::Es, size)?;
    let vanilla = results.algorithms(size).into_iter().filter(|it| it.is_vanilla());
    let others: Vec<(&str, f64)> =
        vanilla.filter_map(|it| Some((it.name(), mean(results, it, size)?))).collect();
    let said: Vec<String> = others.iter().map(|(name, gap)| format!("{name} {gap:.4}")).collect();
    Some(Claim {
        statement: format!("ES beats every vanilla method at d_con = {}", size.1),
        holds: others.iter().all(|(_, gap)| es < *gap),
        evidence: format!("ES {es:.4}; {}.", said.join(", ")),
    })
}

/// The following rows: each variant outperforms its original.
fn variants_lead(results: &Results) -> Option<Claim> {
    let mut ahead = 0;
    let mut behind = Vec::new();
    for &size in results.plan().sizes.iter().filter(|size| size.0 > 0) {
        for one in results.algorithms(size) {
            let Some(vanilla) = one.vanilla() else { continue };
            let (Some(a), Some(b)) = (mean(results, one, size), mean(results, vanilla, size))
            else {
                continue;
            };
            if a < b {
                ahead += 1;
            } else {
                behind.push(format!(
                    "{} at {} × {}: {a:.4} against {b:.4}",
                    one.name(),
                    size.0,
                    size.1
                ));
            }
        }
    }
    let all = ahead + behind.len();
    let but =
        if behind.is_empty() { String::new() } else { format!(", but {}", behind.join("; ")) };
    (all > 0).then(|| Claim {
        statement: "every ES-ENAS variant beats its vanilla counterpart in aggregate".to_owned(),
        holds: behind.is_empty(),
        evidence: format!("Ahead in {ahead} of {all} pairs of algorithm and setting{but}."),
    })
}

/// Appendix B: ES-ENAS is ahead at first, CMA-ENAS in the end.
fn cma_overtakes(results: &Results, cma: Algorithm) -> Option<Claim> {
    let es = Algorithm::EsEnasRegularizedEvolution;
    let sizes = || results.plan().sizes.iter().filter(|size| size.0 > 0);
    let mut said = Vec::new();
    let mut holds = true;
    for &size in sizes() {
        let (one, other) = (results.curve(es, size), results.curve(cma, size));
        // At the first checkpoint all have evaluated one point, the same.
        let ahead: Vec<bool> = one.iter().zip(&other).skip(1).map(|(a, b)| b.1 < a.1).collect();
        let (first, last) = (*ahead.first()?, *ahead.last()?);
        let since = ahead.iter().rposition(|ahead| !ahead).map_or(0, |at| at + 1);
        let from = one.get(since + 1).map_or(0.0, |point| point.0);
        holds &= last && !first;
        said.push(match (first, last) {
            (_, false) => format!("{} × {}: behind in the end", size.0, size.1),
            (true, true) if since == 0 => format!("{} × {}: ahead from the start", size.0, size.1),
            (_, true) => format!("{} × {}: ahead from {from}", size.0, size.1),
        });
    }
    (!said.is_empty()).then(|| Claim {
        statement: format!("{} is behind ES-ENAS at first and overtakes it", cma.name()),
        holds,
        evidence: format!("{}.", said.join("; ")),
    })
}
