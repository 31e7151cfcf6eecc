//! A set of candidates already used: bits, or a tree where bits would be mostly zeros.

use std::collections::BTreeSet;

#[derive(Clone, Debug)]
pub(super) enum Used {
    Bits(Vec<u64>),
    Tree(BTreeSet<u32>),
}

impl Used {
    /// Room for `k` of `0..n`.
    pub(super) fn new(n: u32, k: u32) -> Self {
        let words = n.div_ceil(64);
        if words <= 64 || words / 8 <= k {
            Self::Bits(vec![0; words as usize])
        } else {
            Self::Tree(BTreeSet::new())
        }
    }

    /// Adds `value`; whether it is new.
    pub(super) fn insert(&mut self, value: u32) -> bool {
        match self {
            Self::Bits(words) => {
                let bit = 1 << (value % 64);
                let Some(word) = words.get_mut(value as usize / 64) else { return false };
                let new = *word & bit == 0;
                *word |= bit;
                new
            }
            Self::Tree(tree) => tree.insert(value),
        }
    }

    /// Whether `value` was added.
    pub(super) fn contains(&self, value: u32) -> bool {
        match self {
            Self::Bits(words) => {
                words.get(value as usize / 64).is_some_and(|word| word >> (value % 64) & 1 == 1)
            }
            Self::Tree(tree) => tree.contains(&value),
        }
    }

    /// Everything added, ascending.
    pub(super) fn ascending(&self, mut each: impl FnMut(u32)) {
        match self {
            Self::Bits(words) => {
                for (base, &word) in (0u32..).step_by(64).zip(words) {
                    let mut word = word;
                    while word != 0 {
                        each(base + word.trailing_zeros());
                        word &= word - 1;
                    }
                }
            }
            Self::Tree(tree) => tree.iter().copied().for_each(each),
        }
    }
}
