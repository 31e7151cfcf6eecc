//! Golden trace: for a fixed seed every operator gives the same DNAs for good.

use esenas::space::{Crossover, Dna, Many, Space};
use esenas::{Purpose, Seed};

/// FNV-1a over the compact forms.
fn hash(dnas: &[Dna]) -> u64 {
    let bytes = dnas.iter().flat_map(Dna::to_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn trace(space: &Space) -> u64 {
    let stream = &mut Seed(7).stream(Purpose::Ask, 3, 0);
    let mut dnas = vec![space.sample(stream), space.sample(stream)];
    for _ in 0..20 {
        let [one, other] = [0, 1].map(|back| dnas[dnas.len() - 1 - back].clone());
        dnas.push(space.neighbour(&one, stream));
        dnas.push(space.mutate(&other, stream));
        dnas.push(space.crossover(&one, &other, Crossover::Uniform, stream));
        dnas.push(space.crossover(&other, &one, Crossover::Points(2), stream));
        dnas.push(space.sample(stream));
    }
    hash(&dnas)
}

#[test]
fn proposals_never_change() {
    let many = |k, distinct, sorted| Space::manyof(Many { k, distinct, sorted }, 0..=20).unwrap();
    let branch = Space::dict([("size", many(2, true, true)), ("flag", Space::bool())]).unwrap();
    let nested = Space::oneof([Space::from("none"), branch]).unwrap();
    let nested = Space::list(vec![nested; 5]).unwrap();
    let spaces = [
        many(9, true, true),
        many(9, true, false),
        many(9, false, true),
        many(9, false, false),
        Space::permutation(0..=9).unwrap(),
        nested,
    ];
    let traces: Vec<String> = spaces.iter().map(|space| format!("{:016x}", trace(space))).collect();
    let expected = [
        "8c19fe753dd70ade",
        "5081bfa864e8cef6",
        "4d740467b9e0a9ae",
        "ceb2f447787b834b",
        "e08b5bf2a527465f",
        "74ecd42a3296c091",
    ];
    assert_eq!(traces, expected);
}
