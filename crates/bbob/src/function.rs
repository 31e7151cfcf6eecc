//! The closed set of functions: their names, and what is known of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A function of the paper's section 3.1. All are minimized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "see `Function::description`")]
pub enum Function {
    Sphere,
    Rastrigin,
    BuecheRastrigin,
    LinearSlope,
    AttractiveSector,
    StepEllipsoidal,
    RosenbrockRotated,
    Discus,
    BentCigar,
    SharpRidge,
    DifferentPowers,
    Weierstrass,
    SchaffersF7,
    SchaffersF7IllConditioned,
    GriewankRosenbrock,
    Schwefel,
    Katsuura,
    Lunacek,
    Gallagher101,
}

/// A name no function has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no function is called `{name}`; did you mean `{nearest}`?")]
pub struct UnknownFunction {
    /// The name.
    pub name: String,
    /// The function whose name is nearest.
    pub nearest: Function,
}

impl Function {
    /// All of them, in the paper's order.
    pub const ALL: [Self; 19] = [
        Self::Sphere,
        Self::Rastrigin,
        Self::BuecheRastrigin,
        Self::LinearSlope,
        Self::AttractiveSector,
        Self::StepEllipsoidal,
        Self::RosenbrockRotated,
        Self::Discus,
        Self::BentCigar,
        Self::SharpRidge,
        Self::DifferentPowers,
        Self::Weierstrass,
        Self::SchaffersF7,
        Self::SchaffersF7IllConditioned,
        Self::GriewankRosenbrock,
        Self::Schwefel,
        Self::Katsuura,
        Self::Lunacek,
        Self::Gallagher101,
    ];

    /// Its name, which is also how it is written in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "Sphere",
            Self::Rastrigin => "Rastrigin",
            Self::BuecheRastrigin => "BuecheRastrigin",
            Self::LinearSlope => "LinearSlope",
            Self::AttractiveSector => "AttractiveSector",
            Self::StepEllipsoidal => "StepEllipsoidal",
            Self::RosenbrockRotated => "RosenbrockRotated",
            Self::Discus => "Discus",
            Self::BentCigar => "BentCigar",
            Self::SharpRidge => "SharpRidge",
            Self::DifferentPowers => "DifferentPowers",
            Self::Weierstrass => "Weierstrass",
            Self::SchaffersF7 => "SchaffersF7",
            Self::SchaffersF7IllConditioned => "SchaffersF7IllConditioned",
            Self::GriewankRosenbrock => "GriewankRosenbrock",
            Self::Schwefel => "Schwefel",
            Self::Katsuura => "Katsuura",
            Self::Lunacek => "Lunacek",
            Self::Gallagher101 => "Gallagher101",
        }
    }

    /// What it is like, in a line.
    pub fn description(self) -> &'static str {
        match self {
            Self::Sphere => "the sum of squares",
            Self::Rastrigin => "a grid of local optima, rotated and made asymmetric",
            Self::BuecheRastrigin => "Rastrigin with every other axis skewed, not rotated",
            Self::LinearSlope => "linear: the optimum is a corner of the box",
            Self::AttractiveSector => "steep outside one sector",
            Self::StepEllipsoidal => "an ellipsoid of plateaus",
            Self::RosenbrockRotated => "a bent valley, rotated",
            Self::Discus => "one axis a million times as steep",
            Self::BentCigar => "all axes but one a million times as steep, bent",
            Self::SharpRidge => "a ridge without gradient across it",
            Self::DifferentPowers => "a different power along each axis",
            Self::Weierstrass => "rugged on every scale, repetitive",
            Self::SchaffersF7 => "rugged, asymmetric",
            Self::SchaffersF7IllConditioned => "the same, conditioned 1000",
            Self::GriewankRosenbrock => "Griewank's waves along Rosenbrock's valley",
            Self::Schwefel => "the best optimum far from the second best",
            Self::Katsuura => "rugged everywhere, without gradient",
            Self::Lunacek => "two funnels, the wider one wrong",
            Self::Gallagher101 => "101 peaks on a plain",
        }
    }

    /// Where the optimum of the raw function is.
    pub fn optimum(self) -> &'static str {
        match self {
            Self::LinearSlope => "the corner 5 sign(Rᵀs), sᵢ = 10^(i/(D−1))",
            Self::AttractiveSector => "(1, −1, 1, …)",
            Self::RosenbrockRotated => "Rᵀ(½, …, ½) / max(1, √D/8)",
            Self::Schwefel => "(−2.10484373165, 2.10484373165, …)",
            Self::Lunacek => "(1.25, …, 1.25)",
            _ => "0",
        }
    }

    /// The least dimension for which it is defined.
    pub fn least_dimension(self) -> usize {
        match self {
            Self::GriewankRosenbrock | Self::Lunacek => 2,
            _ => 1,
        }
    }

    /// Whether rotations change it.
    pub fn is_rotated(self) -> bool {
        !matches!(self, Self::Sphere | Self::BuecheRastrigin | Self::Schwefel)
    }
}

/// One row of [`list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// The function.
    pub function: Function,
    /// [`Function::optimum`]
    pub optimum: &'static str,
    /// [`Function::description`]
    pub description: &'static str,
}

/// Every function with its optimum and description.
pub fn list() -> impl Iterator<Item = Listed> {
    Function::ALL.into_iter().map(|function| Listed {
        function,
        optimum: function.optimum(),
        description: function.description(),
    })
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Function {
    type Err = UnknownFunction;

    fn from_str(name: &str) -> Result<Self, UnknownFunction> {
        let found = Self::ALL.into_iter().find(|function| function.name() == name);
        found.ok_or_else(|| {
            let plain = name.to_lowercase();
            let far =
                |function: &Self| strsim::levenshtein(&plain, &function.name().to_lowercase());
            let nearest = Self::ALL.into_iter().min_by_key(far).unwrap_or(Self::Sphere);
            UnknownFunction { name: name.to_owned(), nearest }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for function in Function::ALL {
            assert_eq!(function.name().parse(), Ok(function));
            assert_eq!(format!("{function:?}"), function.name());
            let json = serde_json::to_string(&function).unwrap();
            assert_eq!(serde_json::from_str::<Function>(&json).unwrap(), function);
        }
        assert_eq!(list().count(), 19);
    }

    #[test]
    fn an_unknown_name_gets_the_nearest() {
        let error = "rastrign".parse::<Function>().unwrap_err();
        assert_eq!(error.nearest, Function::Rastrigin);
        let message = error.to_string();
        assert_eq!(message, "no function is called `rastrign`; did you mean `Rastrigin`?");
        assert_eq!(
            "Gallagher101Me".parse::<Function>().unwrap_err().nearest,
            Function::Gallagher101
        );
    }
}
