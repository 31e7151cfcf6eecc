//! Functions of many single-precision numbers at once.

use pulp::{Simd, WithSimd};

use crate::simd;

/// The score of a candidate that cannot be chosen: its probability is zero, and finite.
pub(super) const MASKED: f32 = -1e30;

/// 1.5 · 2²³: adding it rounds to a whole number, which is then in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// eˣ to 2 · 10⁻⁷ of itself, within ±87: x = n ln 2 + r, and a polynomial in r (Moshier's Cephes).
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    exp_within(x.clamp(-87.0, 87.0))
}

/// eˣ of an x within ±87.
///
/// Operations are fused by their definition, not by the compiler: the bits are the same on a
/// machine that has no such instruction, and is slow.
#[inline(always)]
pub(super) fn exp_within(x: f32) -> f32 {
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(2.121_944_4e-4, n.mul_add(-0.693_359_4, x));
    let y = 1.987_569_1e-4_f32.mul_add(r, 1.398_199_9e-3);
    let y = y.mul_add(r, 8.333_452e-3);
    let y = y.mul_add(r, 4.166_579_6e-2);
    let y = y.mul_add(r, 1.666_666_5e-1);
    let y = y.mul_add(r, 0.5);
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    (y.mul_add(r * r, r) + 1.0) * power
}

/// 2ˣ to 2 · 10⁻⁷ of itself, of an x within ±126: x = n + r, and the polynomial in r with the least
/// such error.
#[inline(always)]
#[expect(clippy::approx_constant, reason = "the best coefficient is near ln 2, not ln 2")]
pub(super) fn exp2_within(x: f32) -> f32 {
    let shifted = x + ROUND;
    let r = x - (shifted - ROUND);
    let y = 1.326_472_7e-3_f32.mul_add(r, 9.671_513e-3);
    let y = y.mul_add(r, 5.550_733_6e-2);
    let y = y.mul_add(r, 0.240_222_42);
    let y = y.mul_add(r, 0.693_147);
    f32::from_bits(y.mul_add(r, 1.0).to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// y ← y + x
pub(super) fn add(y: &mut [f32], x: &[f32]) {
    simd::run(Add { y, x });
}

struct Add<'a> {
    y: &'a mut [f32],
    x: &'a [f32],
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.y.iter_mut().zip(self.x).for_each(|(y, x)| *y += x);
    }
}

const LANES: usize = 16;

/// Lanes put together, half with half.
#[inline(always)]
fn halved(lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let eight: [f32; 8] = std::array::from_fn(|at| join(lanes[at], lanes[at + 8]));
    let four: [f32; 4] = std::array::from_fn(|at| join(eight[at], eight[at + 4]));
    join(join(four[0], four[2]), join(four[1], four[3]))
}

/// scores ← scores − max, p ← exp(scores), and Σ p and Σ p · scores: in sixteen lanes whatever the
/// machine has.
pub(super) struct Exponentials<'a> {
    pub(super) scores: &'a mut [f32],
    pub(super) p: &'a mut [f32],
}

impl Exponentials<'_> {
    pub(super) fn run(self) -> (f32, f32) {
        simd::run(self)
    }
}

impl WithSimd for Exponentials<'_> {
    type Output = (f32, f32);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> (f32, f32) {
        let (scores, s_rest) = self.scores.as_chunks_mut::<LANES>();
        let (p, p_rest) = self.p.as_chunks_mut::<LANES>();
        let mut most = [MASKED; LANES];
        for s in scores.iter() {
            for lane in 0..LANES {
                most[lane] = if s[lane] > most[lane] { s[lane] } else { most[lane] };
            }
        }
        let most = halved(most, |a, b| if a > b { a } else { b });
        let shift = s_rest.iter().fold(most, |most, s| if *s > most { *s } else { most });
        // What is that unlikely counts as impossible.
        let part = |s: f32| if s < -80.0 { 0.0 } else { exp(s) };
        let (mut sum, mut product) = ([0.0; LANES], [0.0; LANES]);
        for (s, p) in scores.iter_mut().zip(p) {
            for lane in 0..LANES {
                s[lane] -= shift;
                p[lane] = part(s[lane]);
                sum[lane] += p[lane];
                product[lane] += p[lane] * s[lane];
            }
        }
        for (lane, (s, p)) in s_rest.iter_mut().zip(p_rest).enumerate() {
            *s -= shift;
            *p = part(*s);
            sum[lane] += *p;
            product[lane] += *p * *s;
        }
        (halved(sum, |a, b| a + b), halved(product, |a, b| a + b))
    }
}

/// scores ← −p (a + b (scores + c)): the gradient of a softmax.
pub(super) struct Pulled<'a> {
    pub(super) scores: &'a mut [f32],
    pub(super) p: &'a [f32],
    pub(super) a: f32,
    pub(super) b: f32,
    pub(super) c: f32,
}

impl Pulled<'_> {
    pub(super) fn run(self) {
        simd::run(self);
    }
}

impl WithSimd for Pulled<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (score, p) in self.scores.iter_mut().zip(self.p) {
            *score = -p * (self.a + self.b * (*score + self.c));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_accurate_to_single_precision() {
        for at in -8600..8600 {
            let x = at as f32 * 0.01;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 2e-7, "{x}");
        }
        for at in -12_500..12_500 {
            let x = at as f32 * 0.01;
            assert!((f64::from(exp2_within(x)) / f64::from(x).exp2() - 1.0).abs() < 2e-7, "{x}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37 && exp(f32::INFINITY).is_finite());
    }

    #[test]
    fn what_is_masked_has_no_share() {
        for n in [3, 16, 35] {
            let mut scores = vec![MASKED; n];
            (scores[1], scores[n - 1]) = (500.0, 501.0);
            let mut p = vec![0.0; n];
            let (sum, product) = Exponentials { scores: &mut scores, p: &mut p }.run();
            assert!((sum - 1.0 - (-1.0f32).exp()).abs() < 1e-6 && (product + 0.36788).abs() < 1e-5);
            assert!(p.iter().filter(|p| **p > 0.0).count() == 2 && p[n - 1] == 1.0);
            Pulled { scores: &mut scores, p: &p, a: 2.0, b: 1.0, c: 0.0 }.run();
            assert!((0..n).all(|at| (scores[at] == 0.0) != (at == 1 || at == n - 1)), "{scores:?}");
        }
    }
}
