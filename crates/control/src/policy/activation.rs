//! The eleven nonlinearities of appendix A.4, after Gaier and Ha 2019.

use serde::{Deserialize, Serialize};

use super::tanh::tanh;

/// 1/x is cut off where |x| is smaller than this, so that a vertex at rest is not infinite. The
/// authors' code bounds the reciprocal of zero by ten.
const LEAST: f64 = 0.1;

/// A nonlinearity σ_j.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// tanh x
    #[default]
    Tanh,
    /// max(0, x)
    Relu,
    /// eˣ
    Exp,
    /// x
    Identity,
    /// sin x
    Sin,
    /// 1 / (1 + e⁻ˣ)
    Sigmoid,
    /// |x|
    Absolute,
    /// cos x
    Cosine,
    /// x²
    Square,
    /// 1/x, at most ten
    Reciprocal,
    /// 1 for x ≥ 0, else 0
    Step,
}

impl Activation {
    /// In the paper's order.
    pub const ALL: [Self; 11] = [
        Self::Tanh,
        Self::Relu,
        Self::Exp,
        Self::Identity,
        Self::Sin,
        Self::Sigmoid,
        Self::Absolute,
        Self::Cosine,
        Self::Square,
        Self::Reciprocal,
        Self::Step,
    ];

    /// What it is called in a model.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tanh => "tanh",
            Self::Relu => "relu",
            Self::Exp => "exp",
            Self::Identity => "identity",
            Self::Sin => "sin",
            Self::Sigmoid => "sigmoid",
            Self::Absolute => "absolute",
            Self::Cosine => "cosine",
            Self::Square => "square",
            Self::Reciprocal => "reciprocal",
            Self::Step => "step",
        }
    }

    /// σ(x)
    #[inline]
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Self::Tanh => tanh(x),
            Self::Relu => x.max(0.0),
            Self::Exp => x.exp(),
            Self::Identity => x,
            Self::Sin => x.sin(),
            Self::Sigmoid => sigmoid(x),
            Self::Absolute => x.abs(),
            Self::Cosine => x.cos(),
            Self::Square => x * x,
            Self::Reciprocal => 1.0 / x.abs().max(LEAST).copysign(x),
            Self::Step => f64::from(u8::from(x >= 0.0)),
        }
    }
}

/// 1 / (1 + e⁻ˣ)
pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_the_one_it_is_named_after() {
        let at = |x: f64| Activation::ALL.map(|a| a.apply(x));
        let e = std::f64::consts::E;
        let (sin, cos, tanh) =
            (0.841_470_984_807_896_5, 0.540_302_305_868_139_8, 0.761_594_155_955_764_9);
        let sigmoid = 0.731_058_578_630_004_9;
        let expected = [tanh, 1.0, e, 1.0, sin, sigmoid, 1.0, cos, 1.0, 1.0, 1.0];
        let mirrored = [-tanh, 0.0, 1.0 / e, -1.0, -sin, 1.0 - sigmoid, 1.0, cos, 1.0, -1.0, 0.0];
        for ((got, want), activation) in at(1.0)
            .iter()
            .zip(expected)
            .chain(at(-1.0).iter().zip(mirrored))
            .zip(Activation::ALL.iter().cycle())
        {
            assert!((got - want).abs() < 1e-15, "{}: {got} instead of {want}", activation.name());
        }
    }

    #[test]
    fn the_reciprocal_stays_within_ten() {
        let all =
            [0.0, -0.0, 1e-300, -1e-300, 0.05, -0.05].map(|x| Activation::Reciprocal.apply(x));
        assert_eq!(all, [10.0, -10.0, 10.0, -10.0, 10.0, -10.0]);
        assert_eq!(Activation::Reciprocal.apply(-4.0), -0.25);
    }

    #[test]
    fn names_are_those_of_the_serialized_form() {
        let distinct: std::collections::BTreeSet<_> =
            Activation::ALL.iter().map(|a| a.name()).collect();
        assert_eq!(distinct.len(), 11);
    }
}
