//! Models as pictures: the first best and the final one.

use esenas::Dna;
use esenas_control::Policy;
use esenas_control::policy::PolicyConfig;
use esenas_report::Portrait;
use esenas_report::model::{Matrix, Network, Picture};
use esenas_run::Spec;
use esenas_run::problem::rl::RlConfig;
use esenas_run::spec::ProblemConfig;
use esenas_store::{BestRecord, Error, Reader};

use crate::draw::short;

/// More edges than this would be a black square.
const EDGES: usize = 4000;

/// The first best model and the final one, if they differ, with their weights; older programs kept
/// those of the last alone.
pub(super) fn of(spec: &Spec, reader: &Reader) -> Result<Vec<Portrait>, Error> {
    let Some(last) = reader.best()? else { return Ok(Vec::new()) };
    let first = reader.first_best()?.filter(|(first, _)| first.iteration != last.record.iteration);
    let before = first.iter().map(|(record, theta)| ("First best", record, theta.as_deref()));
    let after = ("Best", &last.record, Some(&last.theta[..]));
    let mut portraits = Vec::new();
    for (when, record, theta) in before.chain([after]) {
        let value = short(record.score.unwrap_or(record.value));
        let title = format!("{when}: iteration {}, score {value}", record.iteration);
        let picture = spec.problem.policy().and_then(|rl| policy(&rl, record, theta));
        let tree = || serde_json::from_str(&record.model).ok().map(Picture::Tree);
        let portrait = |picture| Portrait { title, picture };
        portraits.extend(picture.or_else(tree).map(portrait));
    }
    Ok(portraits)
}

fn policy(rl: &RlConfig, record: &BestRecord, theta: Option<&[f64]>) -> Option<Picture> {
    let (class, dna) = (rl.class()?, Dna::from_bytes(&record.dna).ok()?);
    if class.layout().edges() > EDGES || class.space().check(&dna).is_err() {
        return None;
    }
    match rl.policy {
        PolicyConfig::Quantization(_) => Some(Picture::Partition(partition(rl, &class, &dna))),
        _ => network(rl, &class, &dna, theta).map(Picture::Network),
    }
}

/// Sizes of the layers, states and actions included.
fn sizes(rl: &RlConfig, class: &Policy) -> Vec<usize> {
    let hidden = rl.policy.plain().hidden.into_iter().map(|units| units as usize);
    let (first, last) = (class.layout().observation(), class.layout().action());
    [first].into_iter().chain(hidden).chain([last]).collect()
}

/// `s0`, `h0`, `a0`
fn vertex_names(sizes: &[usize]) -> Vec<String> {
    let last = sizes.len() - 1;
    let hidden: usize = sizes[1..last].iter().sum();
    let all = [("s", sizes[0]), ("h", hidden), ("a", sizes[last])];
    all.iter().flat_map(|(name, n)| (0..*n).map(move |at| format!("{name}{at}"))).collect()
}

/// What the edges of a pruned policy are called, in the order of its mask.
pub(super) fn edge_names(problem: &ProblemConfig) -> Option<Vec<String>> {
    let rl = problem.policy()?;
    let class = rl.class()?;
    let names = vertex_names(&sizes(&rl, &class));
    let name = |edge| {
        let (source, target) = class.layout().ends(edge);
        format!("{} → {}", names[source], names[target])
    };
    Some((0..class.layout().edges()).map(name).collect())
}

/// Without weights all edges weigh the same.
fn network(rl: &RlConfig, class: &Policy, dna: &Dna, theta: Option<&[f64]>) -> Option<Network> {
    let mut network = class.network();
    let blank = vec![0.0; class.dimension()];
    let theta = theta.filter(|theta| theta.len() == class.dimension());
    class.decode(dna, theta.unwrap_or(&blank), &mut network);
    let sizes = sizes(rl, class);
    let mut names = vertex_names(&sizes);
    if matches!(rl.policy, PolicyConfig::Nonlinearity(_)) {
        for (vertex, function) in class.layout().hidden().zip(network.activations()) {
            names[vertex] = function.name().to_owned();
        }
    }
    let mut rest = names.into_iter();
    let layers = sizes.iter().map(|n| rest.by_ref().take(*n).collect()).collect();
    Some(Network { layers, edges: network.edges(), possible: class.layout().edges() })
}

/// The colours of the edges, matrix by matrix.
fn partition(rl: &RlConfig, class: &Policy, dna: &Dna) -> Vec<Matrix> {
    let sizes = sizes(rl, class);
    let starts: Vec<usize> = sizes
        .iter()
        .scan(0, |at, n| {
            *at += n;
            Some(*at - n)
        })
        .collect();
    let layer = |vertex: usize| starts.partition_point(|start| *start <= vertex) - 1;
    let name = |layer: usize| match layer {
        0 => "states".to_owned(),
        last if last + 1 == sizes.len() => "actions".to_owned(),
        hidden if sizes.len() == 3 => ["", "hidden units"][hidden].to_owned(),
        hidden => format!("hidden units {hidden}"),
    };
    let mut matrices: Vec<((usize, usize), Matrix)> = Vec::new();
    for (edge, colour) in dna.genes().iter().enumerate() {
        let (source, target) = class.layout().ends(edge);
        let (from, to) = (layer(source), layer(target));
        let at = matrices.iter().position(|(key, _)| *key == (from, to)).unwrap_or_else(|| {
            let rows = vec![vec![0; sizes[to]]; sizes[from]];
            let (sides, title) = ((name(from), name(to)), format!("{} → {}", name(from), name(to)));
            matrices.push(((from, to), Matrix { name: title, sides, rows }));
            matrices.len() - 1
        });
        matrices[at].1.rows[source - starts[from]][target - starts[to]] = *colour as usize;
    }
    matrices.into_iter().map(|(_, matrix)| matrix).collect()
}
