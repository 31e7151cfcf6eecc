//! The moves of orders: what they do, and that each reaches every order.

use std::collections::{BTreeMap, BTreeSet};

use esenas::space::{Dna, Move, Space};
use esenas::{Purpose, Seed, Stream};

fn stream(seed: u64) -> Stream {
    Seed(seed).stream(Purpose::Ask, 0, 0)
}

/// The neighbour of an order by a move at a slot drawn uniformly.
fn moved(space: &Space, dna: &Dna, by: Move, stream: &mut Stream) -> Dna {
    let index = stream.below(space.changeable(dna));
    let (child, made) = space.change(dna, index, |_| by, stream);
    assert_eq!(made, Some(by));
    child
}

/// How often each neighbour is drawn in 12,000.
fn counted(space: &Space, order: &Dna, by: Move) -> BTreeMap<Dna, f64> {
    let (stream, mut seen) = (&mut stream(2), BTreeMap::new());
    (0..12_000).for_each(|_| *seen.entry(moved(space, order, by, stream)).or_default() += 1.0);
    seen
}

/// Each exchange and each stretch is reached from either end, and each member goes to each other
/// slot: to the next one in two ways.
#[test]
fn moves_of_an_order_are_as_likely() {
    let space = Space::permutation(0..=3).unwrap();
    let order = Dna::from([2, 0, 3, 1]);
    for by in [Move::Exchange, Move::Reverse] {
        let seen = counted(&space, &order, by);
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|count| (count - 2000.0).abs() < 220.0), "{seen:?}");
    }
    let seen = counted(&space, &order, Move::Insert);
    assert_eq!(seen.len(), 9);
    let next =
        |child: &Dna| (0..4).filter(|at| child.genes()[*at] != order.genes()[*at]).count() == 2;
    for (child, count) in seen {
        let expected = if next(&child) { 2000.0 } else { 1000.0 };
        assert!((count - expected).abs() < 5.0 * expected.sqrt(), "{child:?}: {count}");
    }
}

/// By hand. Red when a stretch ends early, or those between move the wrong way.
#[test]
fn moves_do_what_they_say() {
    let space = Space::list([Space::bool(), Space::permutation(0..=5).unwrap()]).unwrap();
    let parent = Dna::from([1, 0, 1, 2, 3, 4, 5]);
    let all = |slot: u32, by| -> BTreeSet<Vec<u32>> {
        let change = |seed| space.change(&parent, 1 + slot, |_| by, &mut stream(seed)).0;
        (0..200).map(change).map(|dna| dna.genes()[1..].to_vec()).collect()
    };
    let expected = |rows: [[u32; 6]; 5]| BTreeSet::from(rows.map(Vec::from));
    let inserted = [
        [2, 0, 1, 3, 4, 5],
        [0, 2, 1, 3, 4, 5],
        [0, 1, 3, 2, 4, 5],
        [0, 1, 3, 4, 2, 5],
        [0, 1, 3, 4, 5, 2],
    ];
    assert_eq!(all(2, Move::Insert), expected(inserted));
    let reversed = [
        [2, 1, 0, 3, 4, 5],
        [0, 2, 1, 3, 4, 5],
        [0, 1, 3, 2, 4, 5],
        [0, 1, 4, 3, 2, 5],
        [0, 1, 5, 4, 3, 2],
    ];
    assert_eq!(all(2, Move::Reverse), expected(reversed));
    let exchanged = [
        [2, 1, 0, 3, 4, 5],
        [0, 2, 1, 3, 4, 5],
        [0, 1, 3, 2, 4, 5],
        [0, 1, 4, 3, 2, 5],
        [0, 1, 5, 3, 4, 2],
    ];
    assert_eq!(all(2, Move::Exchange), expected(exchanged));
    let (flag, by) = space.change(&parent, 0, |_| unreachable!("no order"), &mut stream(0));
    assert_eq!((flag.genes()[0], by), (0, None));
}

/// Any move alone reaches every order, and what members decide travels with them.
#[test]
fn each_move_reaches_every_order() {
    let coloured = |values: i64| Space::oneof(0..=values).unwrap();
    let space =
        Space::permutation(vec![coloured(1), coloured(2), coloured(3), coloured(4)]).unwrap();
    for by in Move::ALL {
        let stream = &mut stream(6);
        let mut dna = Dna::from([0, 1, 1, 2, 2, 3, 3, 4]);
        let mut seen = BTreeSet::new();
        for _ in 0..2000 {
            // Only the slots: what is below them has decisions of its own.
            let slot = 2 * stream.below(4);
            dna = space.change(&dna, slot, |_| by, stream).0;
            assert_eq!(space.check(&dna), Ok(()));
            assert!(dna.genes().chunks(2).all(|pair| pair[1] == pair[0] + 1), "{dna:?}");
            seen.insert(dna.clone());
        }
        assert_eq!(seen.len(), 24, "{by:?}");
    }
}
