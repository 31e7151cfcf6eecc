//! The settings of a policy, and why some are refused.

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Which policy, with its settings (appendix A.4). The defaults are the paper's: one hidden layer
/// of 32 units, tanh, biases of hidden units, no residual edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PolicyConfig {
    /// A weight for every edge.
    Unstructured(PlainConfig),
    /// A weight for every diagonal of a matrix.
    Toeplitz(PlainConfig),
    /// A weight for every diagonal of a square matrix that wraps around.
    Circulant(PlainConfig),
    /// A weight for every edge, and a trained mask over them.
    Masked(MaskedConfig),
    /// A weight for every colour; the model colours the edges.
    Quantization(QuantizationConfig),
    /// A weight for every edge; the model chooses the edges.
    EdgePruning(PruningConfig),
    /// Edge pruning, and the model chooses each hidden unit's nonlinearity too.
    Nonlinearity(PruningConfig),
}

/// Which vertices have a bias.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Biases {
    /// None: the formula of A.4.
    None,
    /// Hidden units: what table 1 counts, and the authors' code has.
    #[default]
    Hidden,
    /// Hidden units and actions: b₁ and b₂ of A.4.2.
    All,
}

/// A policy without a search space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlainConfig {
    /// Units of each hidden layer; none make a linear policy.
    pub hidden: Vec<u32>,
    /// Which vertices have a bias.
    pub biases: Biases,
    /// Whether edges may skip layers.
    pub residual: bool,
}

/// Softmax masking (A.4.2, after Lenc et al. 2019).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaskedConfig {
    /// Units of each hidden layer.
    pub hidden: Vec<u32>,
    /// Which vertices have a bias.
    pub biases: Biases,
    /// Whether edges may skip layers.
    pub residual: bool,
    /// α, which sharpens the mask.
    pub alpha: f64,
    /// The share of edges that are in use to begin with.
    pub usage: f64,
    /// β once it is annealed; it begins at 1, where only the return counts.
    pub beta: f64,
    /// How many iterations β takes to get there.
    pub anneal: u32,
}

/// Weight sharing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuantizationConfig {
    /// Units of each hidden layer.
    pub hidden: Vec<u32>,
    /// Which vertices have a bias.
    pub biases: Biases,
    /// Whether edges may skip layers.
    pub residual: bool,
    /// |C|; max(|S|, |A|) when not given.
    pub partitions: Option<u32>,
}

/// Edge pruning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PruningConfig {
    /// Units of each hidden layer.
    pub hidden: Vec<u32>,
    /// Which vertices have a bias.
    pub biases: Biases,
    /// Whether edges may skip layers.
    pub residual: bool,
    /// |E|
    pub edges: Edges,
}

impl Default for PlainConfig {
    fn default() -> Self {
        Self { hidden: vec![32], biases: Biases::default(), residual: false }
    }
}

impl Default for MaskedConfig {
    fn default() -> Self {
        let PlainConfig { hidden, biases, residual } = PlainConfig::default();
        Self { hidden, biases, residual, alpha: 0.01, usage: 0.5, beta: 0.5, anneal: 100 }
    }
}

impl Default for QuantizationConfig {
    fn default() -> Self {
        let PlainConfig { hidden, biases, residual } = PlainConfig::default();
        Self { hidden, biases, residual, partitions: None }
    }
}

impl Default for PruningConfig {
    fn default() -> Self {
        let PlainConfig { hidden, biases, residual } = PlainConfig::default();
        Self { hidden, biases, residual, edges: Edges::Fixed(64) }
    }
}

/// How many edges a pruned network has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edges {
    /// So many.
    Fixed(u32),
    /// So many from each layer on, "(32, 32) across the two weight matrices" (appendix C.3).
    /// Written as a list.
    Each(Vec<u32>),
    /// Any number: the model decides about each edge. Written `"any"`.
    Any,
}

impl Serialize for Edges {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fixed(count) => to.serialize_u32(*count),
            Self::Each(counts) => counts.serialize(to),
            Self::Any => to.serialize_str("any"),
        }
    }
}

impl<'de> Deserialize<'de> for Edges {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Count;
        impl<'de> Visitor<'de> for Count {
            type Value = Edges;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number of edges, a list of one for each layer, or \"any\"")
            }

            fn visit_u64<E: de::Error>(self, count: u64) -> Result<Edges, E> {
                let unexpected = || E::invalid_value(de::Unexpected::Unsigned(count), &self);
                u32::try_from(count).map(Edges::Fixed).map_err(|_| unexpected())
            }

            fn visit_i64<E: de::Error>(self, count: i64) -> Result<Edges, E> {
                let unexpected = || E::invalid_value(de::Unexpected::Signed(count), &self);
                u32::try_from(count).map(Edges::Fixed).map_err(|_| unexpected())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut counts: A) -> Result<Edges, A::Error> {
                let mut each = Vec::new();
                while let Some(count) = counts.next_element()? {
                    each.push(count);
                }
                Ok(Edges::Each(each))
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Edges, E> {
                let unexpected = || E::invalid_value(de::Unexpected::Str(word), &self);
                if word == "any" { Ok(Edges::Any) } else { Err(unexpected()) }
            }
        }
        from.deserialize_any(Count)
    }
}

impl PolicyConfig {
    /// What all policies have.
    pub fn plain(&self) -> PlainConfig {
        let (hidden, biases, residual) = match self {
            Self::Unstructured(it) | Self::Toeplitz(it) | Self::Circulant(it) => {
                (&it.hidden, it.biases, it.residual)
            }
            Self::Masked(it) => (&it.hidden, it.biases, it.residual),
            Self::Quantization(it) => (&it.hidden, it.biases, it.residual),
            Self::EdgePruning(it) | Self::Nonlinearity(it) => (&it.hidden, it.biases, it.residual),
        };
        PlainConfig { hidden: hidden.clone(), biases, residual }
    }
}
