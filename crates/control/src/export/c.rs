//! A policy as one header of C that includes nothing but `math.h`, and allocates nothing.
//!
//! In double precision without contraction (`-ffp-contract=off`) the bits are the engine's, as long
//! as the nonlinearities are such that the engine computes itself: tanh and what is exact.

use std::f64::consts::LOG2_E;
use std::fmt::Write;

use super::ExportError;
use super::fixed::{ENTRIES, Fixed};
use crate::policy::Activation;
use crate::policy::tanh::LN_2_PARTS;
use crate::{Document, Outputs};

/// What its numbers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `double`
    Double,
    /// `float`
    #[default]
    Single,
    /// 8 bits.
    Fixed,
}

/// The text of a header.
pub fn c_header(document: &Document, precision: Precision) -> Result<String, ExportError> {
    let fixed = match precision {
        Precision::Fixed => Some(Fixed::new(document)?),
        Precision::Double | Precision::Single => None,
    };
    let mut text = head(document, precision, fixed.as_ref());
    let real = if precision == Precision::Double { "double" } else { "float" };
    let number = |x: &f64| match precision {
        Precision::Double => format!("{x:e}"),
        Precision::Single | Precision::Fixed => format!("{:e}f", *x as f32),
    };
    list(&mut text, real, "mean", document.normalizer.mean.iter().map(number));
    list(&mut text, real, "scale", document.normalizer.scale.iter().map(number));
    if let Some((low, high)) = document.limits() {
        let pairs = || low.iter().zip(high);
        list(&mut text, real, "middle", pairs().map(|(low, high)| number(&(0.5 * (low + high)))));
        list(&mut text, real, "half", pairs().map(|(low, high)| number(&(0.5 * (high - low)))));
    }
    let rows = document.by_source();
    let ends = rows.iter().scan(0, |end, row| {
        *end += row.len();
        Some(end.to_string())
    });
    list(&mut text, "unsigned", "end", ends);
    let edges = || rows.iter().flatten();
    list(
        &mut text,
        "unsigned",
        "target",
        edges().map(|(to, _)| (to - document.observation).to_string()),
    );
    match &fixed {
        None => {
            list(&mut text, real, "weight", edges().map(|(_, weight)| number(weight)));
            list(&mut text, real, "bias", document.biases.iter().map(number));
            let kinds = document.nonlinearities.iter().map(|kind| kind.number().to_string());
            list(&mut text, "unsigned char", "kind", kinds);
            let [high, low] = LN_2_PARTS.map(|part| format!("{part:e}"));
            let double = DOUBLE.replace("LN2_HIGH", &high).replace("LN2_LOW", &low);
            let double = double.replace("LOG2_E", &format!("{LOG2_E:e}"));
            text.push_str(if precision == Precision::Double { &double } else { SINGLE });
            text.push_str(
                &REAL
                    .replace("REAL", real)
                    .replace("SUFFIX", if real == "double" { "" } else { "f" }),
            );
        }
        Some(fixed) => {
            list(
                &mut text,
                "signed char",
                "weight",
                fixed.edges.iter().map(|edge| edge.2.to_string()),
            );
            list(&mut text, "int", "bias", fixed.biases.iter().map(i32::to_string));
            list(&mut text, "unsigned char", "kind", fixed.of_unit.iter().map(usize::to_string));
            let tables = fixed.tables.iter().flat_map(|(_, table)| table.iter().map(i8::to_string));
            list(&mut text, "signed char", "table", tables);
            let shift = (fixed.shift + 1).to_string();
            let part = FIXED.replace("SHIFT", &shift).replace("ENTRIES", &ENTRIES.to_string());
            text.push_str(&part);
        }
    }
    text.push_str(match document.limits() {
        Some(_) => "    for (i = 0; i < ESENAS_ACTIONS; i++)\n        action[i] = esenas_middle[i] + esenas_half[i] * action[i];\n}\n",
        None => "}\n",
    });
    if matches!(document.actions, Outputs::Greedy | Outputs::Sampled) {
        text.push_str(&CHOICE.replace("REAL", real));
    }
    text.push_str("\n#endif\n");
    Ok(text)
}

/// What it is, for people, and the sizes.
fn head(document: &Document, precision: Precision, fixed: Option<&Fixed>) -> String {
    let mut text = String::from("/* A policy of esenas");
    if let Some(env) = &document.env {
        // A name may hold anything, but not the end of a comment.
        let _ = write!(text, " for {}", env.replace("*/", "* /"));
    }
    let real = if precision == Precision::Double { "double" } else { "float" };
    let _ = write!(
        text,
        ".\n\n   void esenas_act(const {real} *observation, {real} *action);\n\n   \
         observation: {} numbers as the environment has them; the normalizer is inside.\n   \
         action: {} numbers.",
        document.observation, document.action
    );
    if let Some(error) = fixed.map(Fixed::error) {
        let _ = write!(
            text,
            "\n\n   8-bit fixed point: before they are stretched to limits, actions are within {:.4} of those\n   \
             in floating point, with a deviation of {:.4}, over 10,000 observations drawn from a\n   \
             Gaussian with the normalizer's mean and deviation.",
            error.greatest, error.deviation
        );
    }
    let _ = write!(
        text,
        " */\n#ifndef ESENAS_POLICY_H\n#define ESENAS_POLICY_H\n\n#include <math.h>\n\n\
         #define ESENAS_OBSERVATIONS {}\n#define ESENAS_HIDDEN {}\n#define ESENAS_ACTIONS {}\n\n",
        document.observation, document.hidden, document.action
    );
    text
}

/// A constant array; C has none without entries.
fn list(text: &mut String, of: &str, name: &str, entries: impl Iterator<Item = String>) {
    let mut entries: Vec<String> = entries.collect();
    if entries.is_empty() {
        entries.push("0".to_owned());
    }
    let _ = write!(text, "static const {of} esenas_{name}[{}] = {{", entries.len());
    for (at, entry) in entries.iter().enumerate() {
        text.push_str(if at % 8 == 0 { "\n    " } else { " " });
        text.push_str(entry);
        text.push(',');
    }
    text.push_str("\n};\n");
}

impl Activation {
    /// Its place in the paper's list.
    pub(super) fn number(self) -> usize {
        Self::ALL.iter().position(|kind| *kind == self).unwrap_or(0)
    }
}

/// The engine's tanh, operation by operation.
const DOUBLE: &str = "
static double esenas_tanh(double x)
{
    static const double c[12] = {
        1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0, 1.0 / 40320.0,
        1.0 / 362880.0, 1.0 / 3628800.0, 1.0 / 39916800.0, 1.0 / 479001600.0, 1.0 / 6227020800.0,
    };
    const double round = 6755399441055744.0;
    const double high = LN2_HIGH, low = LN2_LOW;
    double size = fabs(x), n, r, e, p, sum = c[11];
    int k;
    if (x != x)
        return x;
    if (size > 20.0)
        size = 20.0;
    n = (2.0 * size * LOG2_E + round) - round;
    r = (2.0 * size - n * high) - n * low;
    for (k = 10; k >= 0; k--)
        sum = sum * r + c[k];
    p = ldexp(1.0, (int)n);
    e = p * (r + r * r * sum) + (p - 1.0);
    return copysign(e / (e + 2.0), x);
}
";

const SINGLE: &str = "
static float esenas_tanh(float x)
{
    return tanhf(x);
}
";

const REAL: &str = "
static REAL esenas_apply(unsigned kind, REAL x)
{
    switch (kind) {
    case 0: return esenas_tanh(x);
    case 1: return x > 0 ? x : 0;
    case 2: return expSUFFIX(x);
    case 3: return x;
    case 4: return sinSUFFIX(x);
    case 5: return 1 / (1 + expSUFFIX(-x));
    case 6: return fabsSUFFIX(x);
    case 7: return cosSUFFIX(x);
    case 8: return x * x;
    case 9: return 1 / copysignSUFFIX(fabsSUFFIX(x) > (REAL)0.1 ? fabsSUFFIX(x) : (REAL)0.1, x);
    default: return x >= 0;
    }
}

static void esenas_act(const REAL *observation, REAL *action)
{
    REAL sum[ESENAS_HIDDEN + ESENAS_ACTIONS], value;
    unsigned i, edge = 0;
    for (i = 0; i < ESENAS_HIDDEN + ESENAS_ACTIONS; i++)
        sum[i] = esenas_bias[i];
    for (i = 0; i < ESENAS_OBSERVATIONS + ESENAS_HIDDEN; i++) {
        if (i < ESENAS_OBSERVATIONS)
            value = (observation[i] - esenas_mean[i]) * esenas_scale[i];
        else
            value = esenas_apply(esenas_kind[i - ESENAS_OBSERVATIONS], sum[i - ESENAS_OBSERVATIONS]);
        for (; edge < esenas_end[i]; edge++)
            sum[esenas_target[edge]] += value * esenas_weight[edge];
    }
    for (i = 0; i < ESENAS_ACTIONS; i++)
        action[i] = esenas_tanh(sum[ESENAS_HIDDEN + i]);
";

const FIXED: &str = "
static int esenas_apply(unsigned kind, int sum)
{
    int at = (sum >> SHIFT) + ENTRIES / 2;
    return esenas_table[ENTRIES * kind + (at < 0 ? 0 : at >= ENTRIES ? ENTRIES - 1 : at)];
}

static void esenas_act(const float *observation, float *action)
{
    int sum[ESENAS_HIDDEN + ESENAS_ACTIONS], value;
    unsigned i, edge = 0;
    for (i = 0; i < ESENAS_HIDDEN + ESENAS_ACTIONS; i++)
        sum[i] = esenas_bias[i];
    for (i = 0; i < ESENAS_OBSERVATIONS + ESENAS_HIDDEN; i++) {
        if (i < ESENAS_OBSERVATIONS) {
            float x = (observation[i] - esenas_mean[i]) * esenas_scale[i] * 16;
            value = 8 * (x > 127 ? 127 : x < -128 ? -128 : (int)roundf(x));
        } else {
            value = esenas_apply(esenas_kind[i - ESENAS_OBSERVATIONS], sum[i - ESENAS_OBSERVATIONS]);
        }
        for (; edge < esenas_end[i]; edge++)
            sum[esenas_target[edge]] += value * esenas_weight[edge];
    }
    for (i = 0; i < ESENAS_ACTIONS; i++)
        action[i] = esenas_apply(esenas_kind[ESENAS_HIDDEN], sum[ESENAS_HIDDEN + i]) / 128.0f;
";

const CHOICE: &str = "
/* The discrete action: the number of the greatest output. */
static unsigned esenas_choose(const REAL *action)
{
    unsigned i, best = 0;
    for (i = 1; i < ESENAS_ACTIONS; i++)
        if (action[i] > action[best])
            best = i;
    return best;
}
";
