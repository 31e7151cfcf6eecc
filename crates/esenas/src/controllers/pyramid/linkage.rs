//! Which decisions belong together, read off a population: a tree of clusters, merged from the
//! closest pair upwards by the mean distance (UPGMA; by chains of nearest neighbours, Müllner 2011,
//! "Modern hierarchical, agglomerative clustering algorithms").
//!
//! The distance of two decisions is D = 2 − (H(X) + H(Y)) / H(X, Y): 0 where the value of one says
//! that of the other, 1 where it says nothing (Goldman and Punch 2014).

use crate::Stream;

/// Of no decision: the model has no such locus.
pub(super) const ABSENT: u32 = u32::MAX;

/// Most members that distances are read off.
const MOST: usize = 256;
/// Distances up to which decisions count as one.
const NOTHING: f32 = 1e-6;

/// The values of one locus, as small numbers.
struct Column {
    codes: Vec<usize>,
    /// How many there are.
    kinds: usize,
    /// Σ c ln c over how often each occurs.
    repeats: f64,
}

/// The clusters of decisions, by locus, small ones first, equally large ones in random order. Not
/// among them: all decisions together, and parts of a cluster that every member agrees in.
pub(super) fn clusters(rows: &[Vec<u32>], stream: &mut Stream) -> Vec<Vec<u32>> {
    let loci = rows.first().map_or(0, Vec::len);
    let mut tree = Tree::new(loci, distances(rows, loci));
    stream.shuffle(&mut tree.alive);
    let mut found = tree.merged();
    found.retain(|cluster| cluster.len() < loci);
    stream.shuffle(&mut found);
    found.sort_by_key(Vec::len);
    found
}

/// Of all pairs, row by row.
fn distances(rows: &[Vec<u32>], loci: usize) -> Vec<f32> {
    let rows: Vec<_> = rows.iter().step_by(rows.len().div_ceil(MOST).max(1)).collect();
    let n = rows.len();
    let weight: Vec<f64> = (0..=n).map(|c| c as f64 * (c.max(1) as f64).ln()).collect();
    let mut table = Vec::new();
    let mut counted = |code: &mut dyn FnMut(usize) -> usize, kinds: usize| -> f64 {
        table.resize(kinds.max(table.len()), 0u16);
        (0..n).for_each(|row| table[code(row)] += 1);
        (0..n).map(|row| weight[usize::from(std::mem::take(&mut table[code(row)]))]).sum()
    };
    let columns: Vec<Column> = (0..loci)
        .map(|locus| {
            let mut values: Vec<u32> = rows.iter().map(|row| row[locus]).collect();
            values.sort_unstable();
            values.dedup();
            let code = |row: &&Vec<u32>| values.partition_point(|value| *value < row[locus]);
            let codes: Vec<usize> = rows.iter().map(code).collect();
            let repeats = counted(&mut |row| codes[row], values.len());
            Column { codes, kinds: values.len(), repeats }
        })
        .collect();
    let all = weight[n];
    let mut distances = vec![0.0; loci * loci];
    for (i, one) in columns.iter().enumerate() {
        for (j, other) in columns.iter().enumerate().take(i) {
            let both = &mut |row: usize| one.codes[row] * other.kinds + other.codes[row];
            let joint = all - counted(both, one.kinds * other.kinds);
            let sum = 2.0 * all - one.repeats - other.repeats;
            let distance = if joint > 0.0 { (2.0 - sum / joint) as f32 } else { 0.0 };
            (distances[i * loci + j], distances[j * loci + i]) = (distance, distance);
        }
    }
    distances
}

/// A tree that grows from its leaves.
struct Tree {
    loci: usize,
    /// Between clusters, each named by one of its loci.
    distances: Vec<f32>,
    /// The members of the cluster of a name.
    clusters: Vec<Vec<u32>>,
    /// The names.
    alive: Vec<usize>,
}

impl Tree {
    fn new(loci: usize, distances: Vec<f32>) -> Self {
        let clusters = (0..loci as u32).map(|locus| vec![locus]).collect();
        Self { loci, distances, clusters, alive: (0..loci).collect() }
    }

    fn distance(&self, one: usize, other: usize) -> f32 {
        self.distances[one * self.loci + other]
    }

    /// The nearest cluster, `last` among equals.
    fn nearest(&self, to: usize, last: Option<usize>) -> Option<(usize, f32)> {
        let first = last.map(|last| (last, self.distance(to, last)));
        let others = self.alive.iter().filter(|name| **name != to);
        let others = others.map(|&name| (name, self.distance(to, name)));
        first
            .into_iter()
            .chain(others)
            .reduce(|one, other| if other.1 < one.1 { other } else { one })
    }

    /// Merges all, and gives every cluster that is told apart from its parts.
    fn merged(mut self) -> Vec<Vec<u32>> {
        let (mut found, mut chain) = (Vec::new(), Vec::new());
        while self.alive.len() > 1 {
            let one = *chain.last().unwrap_or(&self.alive[0]);
            if chain.is_empty() {
                chain.push(one);
            }
            let last = chain.len().checked_sub(2).map(|at| chain[at]);
            let Some((other, distance)) = self.nearest(one, last) else { break };
            if Some(other) == last {
                chain.truncate(chain.len() - 2);
                let parts = self.merge(one, other);
                if distance > NOTHING {
                    found.extend(parts);
                }
            } else {
                chain.push(other);
            }
        }
        found
    }

    /// Puts two clusters together, under the name of the first, and gives them as they were.
    fn merge(&mut self, one: usize, other: usize) -> [Vec<u32>; 2] {
        let parts = [one, other].map(|name| std::mem::take(&mut self.clusters[name]));
        let [a, b] = parts.each_ref().map(|part| part.len() as f32);
        self.alive.retain(|&name| name != other);
        for &name in self.alive.iter().filter(|name| **name != one) {
            let mean = (a * self.distance(one, name) + b * self.distance(other, name)) / (a + b);
            self.distances[one * self.loci + name] = mean;
            self.distances[name * self.loci + one] = mean;
        }
        self.clusters[one] = parts.concat();
        parts
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::controllers::testing::stream;

    fn found(rows: &[[u32; 4]]) -> Vec<Vec<u32>> {
        let rows: Vec<Vec<u32>> = rows.iter().map(|row| row.to_vec()).collect();
        let mut found = clusters(&rows, &mut stream(0));
        found.iter_mut().for_each(|cluster| cluster.sort_unstable());
        found
    }

    /// Red when the distance is another, or parts that always agree are listed.
    #[test]
    fn decisions_that_go_together_are_one_cluster() {
        // 0 and 2 are the same, 1 and 3 nearly.
        let rows =
            [[0, 0, 5, 0], [1, 0, 7, 0], [0, 1, 5, 1], [1, 1, 7, 1], [0, 1, 5, 0], [1, 0, 7, 0]];
        let found: BTreeSet<_> = found(&rows).into_iter().collect();
        assert_eq!(found, BTreeSet::from([vec![0, 2], vec![1], vec![1, 3], vec![3]]));
    }

    #[test]
    fn a_single_member_says_nothing() {
        assert_eq!(found(&[[0, 1, 2, 3]]), Vec::<Vec<u32>>::new());
        assert_eq!(clusters(&[], &mut stream(0)), Vec::<Vec<u32>>::new());
    }

    /// Against the definition of UPGMA: of all pairs the closest, again and again, with distances
    /// between clusters as means over all pairs of their members.
    #[test]
    fn the_tree_is_that_of_the_definition() {
        let (loci, mut stream) = (12, stream(3));
        for _ in 0..20 {
            let row = |stream: &mut crate::Stream| (0..loci).map(|_| stream.below(3)).collect();
            let rows: Vec<Vec<u32>> = (0..30).map(|_| row(&mut stream)).collect();
            let pairs = distances(&rows, loci);
            let mean = |one: &[u32], other: &[u32]| {
                let pair = |(a, b): (&u32, &u32)| pairs[*a as usize * loci + *b as usize];
                let all = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
                all.map(pair).sum::<f32>() / (one.len() * other.len()) as f32
            };
            let mut parts: Vec<Vec<u32>> = (0..loci as u32).map(|locus| vec![locus]).collect();
            let mut expected = BTreeSet::new();
            while parts.len() > 1 {
                let all = (0..parts.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
                let by = |a: &(usize, usize), b: &(usize, usize)| {
                    mean(&parts[a.0], &parts[a.1]).total_cmp(&mean(&parts[b.0], &parts[b.1]))
                };
                let (i, j) = all.min_by(by).unwrap();
                let (other, mut one) = (parts.remove(j), parts.remove(i));
                expected.extend([one.clone(), other.clone()]);
                one.extend(other);
                one.sort_unstable();
                parts.push(one);
            }
            let sorted = |mut cluster: Vec<u32>| {
                cluster.sort_unstable();
                cluster
            };
            let found: BTreeSet<_> = clusters(&rows, &mut stream).into_iter().map(sorted).collect();
            assert_eq!(found, expected);
        }
    }
}
