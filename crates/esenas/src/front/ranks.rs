//! Who dominates whom, and who adds least.

use super::Goals;

/// What has goals.
pub(super) trait Ranked {
    fn goals(&self) -> &Goals;
}

/// Whether `one` is better than `other`: feasible before infeasible, less violation before more,
/// and of feasible ones no worse in every goal and better in one.
pub(super) fn dominates(one: &Goals, other: &Goals) -> bool {
    if one.violation > 0.0 || other.violation > 0.0 {
        return one.violation < other.violation;
    }
    let pairs = || one.values.iter().zip(&other.values);
    pairs().all(|(a, b)| a >= b) && pairs().any(|(a, b)| a > b)
}

/// How many fronts stand before each: O(n²) comparisons, of which there are few beside an
/// evaluation.
pub(super) fn ranks(members: &[impl Ranked]) -> Vec<u32> {
    let n = members.len();
    let mut beats: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut beaten = vec![0_usize; n];
    for one in 0..n {
        for other in 0..n {
            if dominates(members[one].goals(), members[other].goals()) {
                beats[one].push(other);
                beaten[other] += 1;
            }
        }
    }
    let mut ranks = vec![0; n];
    let mut front: Vec<usize> = (0..n).filter(|at| beaten[*at] == 0).collect();
    let mut rank = 0;
    while !front.is_empty() {
        let mut next = Vec::new();
        for &at in &front {
            ranks[at] = rank;
            for &worse in &beats[at] {
                beaten[worse] -= 1;
                if beaten[worse] == 0 {
                    next.push(worse);
                }
            }
        }
        (front, rank) = (next, rank + 1);
    }
    ranks
}

/// Which of a rank adds least; of equals the last. There are at least two.
pub(super) fn least(rank: &[impl Ranked]) -> usize {
    let goals = rank[0].goals().values.len();
    let adds = if goals == 2 { areas(rank) } else { crowding(rank, goals) };
    let mut least = 0;
    for (at, add) in adds.iter().enumerate() {
        if *add <= adds[least] {
            least = at;
        }
    }
    least
}

/// The goals of all, each as a share of its range.
fn normal(rank: &[impl Ranked], goal: usize) -> Vec<f64> {
    let of = |member: &dyn Fn(usize) -> f64| (0..rank.len()).map(member).collect::<Vec<f64>>();
    let values = of(&|at| rank[at].goals().values[goal]);
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Halves, for the difference of two numbers may be none.
    let width = (0.5 * high - 0.5 * low).max(f64::MIN_POSITIVE);
    values.iter().map(|x| (0.5 * x - 0.5 * low) / width).collect()
}

/// What each alone dominates of a rank with two goals; infinite of the outermost.
fn areas(rank: &[impl Ranked]) -> Vec<f64> {
    let (first, second) = (normal(rank, 0), normal(rank, 1));
    let mut order: Vec<usize> = (0..rank.len()).collect();
    order.sort_by(|&a, &b| first[a].total_cmp(&first[b]).then(second[b].total_cmp(&second[a])));
    let mut areas = vec![f64::INFINITY; rank.len()];
    for three in order.windows(3) {
        // Rising in the first goal, so falling in the second.
        let width = first[three[1]] - first[three[0]];
        areas[three[1]] = width * (second[three[1]] - second[three[2]]);
    }
    areas
}

/// How far apart the two neighbours of each are, added up over the goals; infinite of the
/// outermost.
fn crowding(rank: &[impl Ranked], goals: usize) -> Vec<f64> {
    let mut crowding = vec![0.0; rank.len()];
    for goal in 0..goals {
        let values = normal(rank, goal);
        let mut order: Vec<usize> = (0..rank.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        for three in order.windows(3) {
            crowding[three[1]] += values[three[2]] - values[three[0]];
        }
        for end in [order[0], order[order.len() - 1]] {
            crowding[end] = f64::INFINITY;
        }
    }
    crowding
}

/// What `points` dominate, up from `reference`; of two or three goals.
pub fn hypervolume(points: &[&[f64]], reference: &[f64]) -> Option<f64> {
    let above: Vec<&[f64]> = points
        .iter()
        .copied()
        .filter(|point| point.iter().zip(reference).all(|(x, r)| x > r))
        .collect();
    match reference.len() {
        2 => Some(area(&above.iter().map(|p| (p[0], p[1])).collect::<Vec<_>>(), reference)),
        3 => Some(volume(above, reference)),
        _ => None,
    }
}

/// Strips of an area, from the right to the left.
fn area(points: &[(f64, f64)], reference: &[f64]) -> f64 {
    let mut points = points.to_vec();
    points.sort_by(|one, other| other.0.total_cmp(&one.0));
    let (mut area, mut top) = (0.0, reference[1]);
    for (x, y) in points {
        if y > top {
            area += (x - reference[0]) * (y - top);
            top = y;
        }
    }
    area
}

/// Slices of a volume, from the top down.
fn volume(mut points: Vec<&[f64]>, reference: &[f64]) -> f64 {
    points.sort_by(|one, other| other[2].total_cmp(&one[2]));
    let slice = |at: usize| {
        let below = points.get(at + 1).map_or(reference[2], |next| next[2]);
        let seen: Vec<(f64, f64)> = points[..=at].iter().map(|p| (p[0], p[1])).collect();
        (points[at][2] - below) * area(&seen, reference)
    };
    (0..points.len()).map(slice).sum()
}
