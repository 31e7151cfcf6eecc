//! What a policy amounts to, as table 1 counts it.
//!
//! Weights are the distinct values on edges; biases are counted beside them. Compression compares
//! both with the unstructured network. A number takes 32 bits; where edges share weights by no
//! rule, each edge also takes the index of its own: ⌈log₂ weights⌉ bits. (So the paper's 943
//! weights of an unstructured HalfCheetah network with 41 hidden units are 31,488 bits, and 17
//! colours 943 · 5 + (17 + 41) · 32 = 6571.) Which edges a pruned network has is not counted there.

/// The size of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// Distinct weights of edges.
    pub weights: usize,
    /// Biases.
    pub biases: usize,
    /// Edges that store the index of their weight.
    pub indexed: usize,
}

impl Account {
    /// Bits to store it.
    pub fn bits(&self) -> u64 {
        let index = self.weights.max(1).next_power_of_two().ilog2();
        32 * (self.weights + self.biases) as u64 + u64::from(index) * self.indexed as u64
    }

    /// The share of the numbers of `full` that this does without.
    pub fn compression(&self, full: &Self) -> f64 {
        let numbers = |account: &Self| (account.weights + account.biases) as f64;
        1.0 - numbers(self) / numbers(full)
    }
}
