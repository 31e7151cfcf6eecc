//! The sizes the paper states (A.4), against integers computed with Python.

use esenas::space::{Many, Space};

fn assert_log10(space: &Space, expected: f64) {
    let log10 = space.size().log10;
    assert!((log10 - expected).abs() < 1e-9 * expected, "{log10}, expected {expected}");
}

fn colours(edges: u32, colours: i64) -> Space {
    let many = Many { k: edges, distinct: false, sorted: false };
    Space::manyof(many, 1..=colours).unwrap()
}

#[test]
fn the_papers_spaces() {
    // Swimmer with a hidden layer of 32: 64 of 8·32 + 32·2 = 320 edges.
    let swimmer = Space::subset(64, 0..=319).unwrap();
    assert_log10(&swimmer, 68.288_724_935_550_42);
    assert!(swimmer.size().log10 > 68.0);
    // HalfCheetah: 17·32 + 32·6 = 736.
    assert_log10(&Space::subset(64, 0..=735).unwrap(), 93.151_405_708_599_41);
    assert_log10(&colours(736, 17), 905.610_406_134_409_6);
    assert_log10(&colours(736, 2), 221.558_076_808_690_17);
    assert_log10(&colours(320, 8), 288.988_795_837_421_95);
    // Swimmer's linear mask, 2^(8 × 2).
    assert_eq!(colours(16, 2).size().exact, Some(65_536));
    // One decision per edge is the same space.
    let edges = vec![Space::oneof(1..=8).unwrap(); 320];
    assert_log10(&Space::list(edges).unwrap(), 288.988_795_837_421_95);
}

#[test]
fn exact_as_long_as_it_fits() {
    let choose = |n: i64, k| Space::subset(k, 1..=n).unwrap().size();
    assert_eq!(choose(131, 65).exact, Some(188_694_833_082_770_476_622_296_176_145_946_360_850));
    assert_eq!(choose(132, 66).exact, None);
    assert_eq!(choose(1_000_000, 999_999).exact, Some(1_000_000));
    assert_eq!(choose(64, 64).exact, Some(1));
    assert_eq!(colours(127, 2).size().exact, Some(1 << 127));
    assert_eq!(colours(128, 2).size().exact, None);
    assert_log10(&Space::permutation(1..=1000).unwrap(), 2_567.604_644_222_133);
    assert_log10(&Space::subset(500_000, 1..=1_000_000).unwrap(), 301_026.897_603_934_17);
}

/// e_k and h_k with sizes 1, 1, 1, 2, 3, 5 (three constants): the sums written out with Python.
#[test]
fn candidates_that_decide_count_for_all_they_can_be() {
    let int = |n: i64| Space::oneof(1..=n).unwrap();
    let candidates =
        || vec![Space::from(0), int(2), Space::from(1), int(3), Space::from(2), int(5)];
    let size = |distinct, sorted| {
        Space::manyof(Many { k: 3, distinct, sorted }, candidates()).unwrap().size().exact
    };
    assert_eq!(size(true, true), Some(154));
    assert_eq!(size(true, false), Some(154 * 6));
    assert_eq!(size(false, true), Some(687));
    assert_eq!(size(false, false), Some(13 * 13 * 13));
}
