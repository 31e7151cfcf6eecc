//! Named numbers, as JSON in one column: small, and legible to whoever opens the database.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Numbers by name, in the order of the names.
pub type Named = BTreeMap<String, f64>;

/// JSON has no NaN and no infinities; they are written as strings.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Finite(f64),
    Other(String),
}

/// `{"entropy":1.25,"spread":"inf"}`
pub(crate) fn to_json(named: &Named) -> String {
    let number = |x: f64| match x {
        x if x.is_finite() => Number::Finite(x),
        x => Number::Other(x.to_string()),
    };
    let numbers: BTreeMap<&str, Number> = named.iter().map(|(k, &x)| (&**k, number(x))).collect();
    serde_json::to_string(&numbers).expect("strings and numbers are always JSON")
}

/// The inverse, or why it is none.
pub(crate) fn from_json(text: &str) -> Result<Named, String> {
    let numbers: BTreeMap<String, Number> =
        serde_json::from_str(text).map_err(|e| e.to_string())?;
    let number = |number| match number {
        Number::Finite(x) => Ok(x),
        Number::Other(text) => text.parse().map_err(|_| format!("{text:?} is not a number")),
    };
    numbers.into_iter().map(|(name, x)| Ok((name, number(x)?))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_bit_comes_back(bits in proptest::collection::btree_map(".*", any::<u64>(), 0..8)) {
            let named: Named = bits.into_iter().map(|(k, b)| (k, f64::from_bits(b))).collect();
            let back = from_json(&to_json(&named)).unwrap();
            prop_assert_eq!(named.len(), back.len());
            for ((a, x), (b, y)) in named.iter().zip(&back) {
                prop_assert_eq!(a, b);
                prop_assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan());
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = from_json(&text);
        }
    }

    #[test]
    fn awkward_numbers() {
        let named = [-0.0, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY];
        let named: Named = named.into_iter().enumerate().map(|(i, x)| (i.to_string(), x)).collect();
        let bits = |named: &Named| named.values().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&from_json(&to_json(&named)).unwrap()), bits(&named));
    }
}
