//! The reals of designs, as figures need them.

/// A number that designs have.
#[derive(Clone, Debug, PartialEq)]
pub struct Real {
    /// What it is called.
    pub name: String,
    /// From where to where.
    pub interval: (f64, f64),
    /// Whether it is searched by its logarithm.
    pub logarithmic: bool,
}

/// An evaluated design, for those who draw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Decision and option, of those that it has.
    pub chosen: Vec<(usize, usize)>,
    /// Real and number, of those that it has.
    pub numbers: Vec<(usize, f64)>,
    /// How good it was.
    pub score: f64,
    /// When, as a share of the study.
    pub when: f64,
}

/// A real is cut into so many parts to ask how much it explains.
pub(crate) const PARTS: usize = 8;

impl Real {
    /// Where in its interval a number is, from 0 to 1.
    pub fn share(&self, number: f64) -> f64 {
        let (low, high) = self.interval;
        let share = match self.logarithmic {
            true => (number / low).ln() / (high / low).ln(),
            false => (number - low) / (high - low),
        };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The part of the interval that a number is in.
    pub(crate) fn part(&self, number: f64) -> usize {
        ((self.share(number) * PARTS as f64) as usize).min(PARTS - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_the_logarithm_where_the_search_does() {
        let real = |logarithmic, low| Real { name: "x".into(), interval: (low, 1.0), logarithmic };
        assert!((real(true, 1e-4).share(1e-2) - 0.5).abs() < 1e-12);
        assert_eq!(real(false, 0.0).share(0.25), 0.25);
        assert_eq!((real(false, 0.0).part(0.0), real(false, 0.0).part(1.0)), (0, 7));
        assert_eq!(real(true, 1e-4).part(0.0), 0);
    }
}
