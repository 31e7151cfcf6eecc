//! |𝓜|: how many DNAs a space has.
//!
//! With s_i the sizes of the n candidates of a choice of k slots, its size is
//!
//! | | unsorted | sorted |
//! |---|---|---|
//! | repeating | (Σ s_i)ᵏ | h_k(s), complete homogeneous |
//! | distinct | k!·e_k(s) | e_k(s), elementary symmetric |
//!
//! For constants, s = 1, these are the paper's |C|^|E| and (|E_max| choose |E|) (A.4). In general,
//! with m constants and the others' polynomials p_j by recurrence, e_k = Σ_j p_j·C(m, k − j), and
//! h_k likewise with multisets: the cost is O(k) beside k operations per candidate that decides
//! something, so no more than there are loci.

use std::fmt;

use super::{Choice, Kind, Space};

/// The number of points of a space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Exactly, if it fits.
    pub exact: Option<u128>,
    /// Its decimal logarithm.
    pub log10: f64,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.exact {
            Some(exact) if self.log10 < 9.0 => write!(f, "{exact}"),
            _ => write!(f, "10^{:.1}", self.log10),
        }
    }
}

impl Space {
    /// |𝓜|.
    pub fn size(&self) -> Size {
        match self.magnitude() {
            Magnitude::Exact(exact) => {
                Size { exact: Some(exact), log10: Magnitude::Exact(exact).log10() }
            }
            Magnitude::Log(log10) => Size { exact: None, log10 },
        }
    }

    fn magnitude(&self) -> Magnitude {
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => ONE,
            Kind::Product(product) => {
                product.parts.iter().fold(ONE, |size, part| size.times(part.magnitude()))
            }
            Kind::Choice(choice) => choice.magnitude(),
        }
    }
}

impl Choice {
    fn magnitude(&self) -> Magnitude {
        let deciding = self.candidates.listed().iter().filter(|candidate| candidate.loci() > 0);
        let sizes: Vec<Magnitude> = deciding.map(Space::magnitude).collect();
        let constants = self.arity - sizes.len() as u32;
        let k = self.slots;
        match (self.distinct, self.sorted) {
            (false, false) => {
                let sum = Magnitude::Exact(constants.into());
                sizes.iter().fold(sum, |sum, size| sum.plus(*size)).power(k)
            }
            (false, true) => multisets(&sizes, constants, k),
            (true, true) => subsets(&sizes, constants, k),
            (true, false) => {
                let orders = (2..=k).fold(ONE, |f, i| f.times(Magnitude::Exact(i.into())));
                orders.times(subsets(&sizes, constants, k))
            }
        }
    }
}

/// e_k of `sizes` and `m` ones.
fn subsets(sizes: &[Magnitude], m: u32, k: u32) -> Magnitude {
    let most = k.min(sizes.len() as u32);
    let mut p = vec![Magnitude::Exact(0); most as usize + 1];
    p[0] = ONE;
    for (index, size) in sizes.iter().enumerate() {
        // Only what can still grow to k: nothing computed exceeds the result, so an exact result
        // never meets an overflow on its way.
        let left = (sizes.len() - index - 1) as u32;
        let least = k.saturating_sub(m).saturating_sub(left).max(1);
        for j in (least..=most).rev() {
            p[j as usize] = p[j as usize].plus(p[j as usize - 1].times(*size));
        }
    }
    let least = k.saturating_sub(m);
    let mut ways = binomial(m.into(), (k - most).into());
    let mut total = Magnitude::Exact(0);
    for j in (least..=most).rev() {
        total = total.plus(p[j as usize].times(ways));
        let chosen = u64::from(k - j);
        ways = ways.scaled(u64::from(m) - chosen.min(m.into()), chosen + 1);
    }
    total
}

/// h_k of `sizes` and `m` ones.
fn multisets(sizes: &[Magnitude], m: u32, k: u32) -> Magnitude {
    if sizes.is_empty() {
        return binomial(u64::from(m) + u64::from(k) - 1, k.into());
    }
    let mut p = vec![Magnitude::Exact(0); k as usize + 1];
    p[0] = ONE;
    for size in sizes {
        for j in 1..=k as usize {
            p[j] = p[j].plus(p[j - 1].times(*size));
        }
    }
    let mut ways = ONE;
    let mut total = Magnitude::Exact(0);
    for (chosen, &p) in p.iter().rev().enumerate() {
        total = total.plus(p.times(ways));
        ways = ways.scaled(u64::from(m) + chosen as u64, chosen as u64 + 1);
    }
    total
}

fn binomial(n: u64, k: u64) -> Magnitude {
    let k = k.min(n - k);
    (0..k).fold(ONE, |ways, i| ways.scaled(n - i, i + 1))
}

/// A number, exact as long as it can be.
#[derive(Clone, Copy, Debug)]
enum Magnitude {
    Exact(u128),
    Log(f64),
}

const ONE: Magnitude = Magnitude::Exact(1);

impl Magnitude {
    fn log10(self) -> f64 {
        match self {
            Self::Exact(exact) => (exact as f64).log10(),
            Self::Log(log10) => log10,
        }
    }

    fn plus(self, other: Self) -> Self {
        if let (Self::Exact(one), Self::Exact(other)) = (self, other)
            && let Some(sum) = one.checked_add(other)
        {
            return Self::Exact(sum);
        }
        let (one, other) = (self.log10(), other.log10());
        let (high, low) = (one.max(other), one.min(other));
        Self::Log(high + 10f64.powf(low - high).ln_1p() / std::f64::consts::LN_10)
    }

    fn times(self, other: Self) -> Self {
        match (self, other) {
            // Zero times a large number is exact too.
            (Self::Exact(0), _) | (_, Self::Exact(0)) => Self::Exact(0),
            (Self::Exact(one), Self::Exact(other)) if one.checked_mul(other).is_some() => {
                Self::Exact(one * other)
            }
            _ => Self::Log(self.log10() + other.log10()),
        }
    }

    /// times `by`, divided by `over`, where that is whole.
    fn scaled(self, by: u64, over: u64) -> Self {
        if let Self::Exact(exact) = self {
            let common = gcd(exact, over.into());
            let (rest, over) = (exact / common, u128::from(over) / common);
            if let Some(product) = rest.checked_mul(u128::from(by) / over) {
                return Self::Exact(product);
            }
        }
        self.times(Self::Log((by as f64 / over as f64).log10()))
    }

    fn power(self, k: u32) -> Self {
        match self {
            Self::Exact(exact) if exact.checked_pow(k).is_some() => Self::Exact(exact.pow(k)),
            _ => Self::Log(self.log10() * f64::from(k)),
        }
    }
}

fn gcd(one: u128, other: u128) -> u128 {
    if other == 0 { one.max(1) } else { gcd(other, one % other) }
}
