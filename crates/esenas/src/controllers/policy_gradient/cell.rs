//! The LSTM cell: one decision of many episodes at once, and its gradient.
//!
//! The sums of the four gates of a unit stand side by side: a row is made of blocks of sixteen
//! units, each i, f, g and o of sixteen ([`place`]); what is left over makes a block of four or
//! eight, if that is enough. A tile of the recurrent product is then all that the units of a block
//! need, and they are finished while it is at hand.
//!
//! With A = e⁻ⁱ, F = e⁻ᶠ, B = e⁻²ᵍ and O = e⁻ᵒ, σ(i) = 1/(1 + A), tanh(g) = (1 − B)/(1 + B) and the
//! others come from a single division, by the product of the four. The weights are multiplied with
//! [`SCALES`] when they are packed, so that sums are exponents of two.

use pulp::{Simd, WithSimd};

use super::kernel::{LINE, Panels, multiply, padded};
use super::vector::exp2_within;
use crate::simd;

/// Gates of a unit.
pub(super) const GATES: usize = 4;

/// What the sums of each gate are multiplied with: −log₂e, and twice that for tanh.
pub(super) const SCALES: [f32; GATES] = {
    const ONE: f32 = -std::f32::consts::LOG2_E;
    [ONE, ONE, 2.0 * ONE, ONE]
};

/// How many units the block of a unit has room for.
fn block(hidden: usize, unit: usize) -> usize {
    match hidden - unit / LINE * LINE {
        ..=4 => 4,
        5..=8 => 8,
        _ => LINE,
    }
}

/// How wide a row of gates is: whole lines.
pub(super) fn width(hidden: usize) -> usize {
    let last = hidden.saturating_sub(1);
    GATES * (last / LINE * LINE + block(hidden, last))
}

/// Where in a row of gates that of a unit stands.
pub(super) fn place(hidden: usize, gate: usize, unit: usize) -> usize {
    unit / LINE * GATES * LINE + gate * block(hidden, unit) + unit % LINE
}

/// Which gate of which unit stands in a place; of a unit beyond the last, none.
pub(super) fn placed(hidden: usize, at: usize) -> (usize, usize) {
    let (first, within) = (at / (GATES * LINE) * LINE, at % (GATES * LINE));
    let units = block(hidden, first);
    (within / units, first + within % units)
}

/// (i, f, g, o) = (table + h₋ Wh) / scales,  c ← σ(f) c₋ + σ(i) tanh(g),  h ← σ(o) tanh(c)
pub(super) struct Step<'a> {
    pub(super) recurrent: &'a Panels,
    /// The inputs' share of the gates, and which two rows of it each episode reads.
    pub(super) table: &'a [f32],
    pub(super) tokens: &'a [[usize; 2]],
    pub(super) h_before: &'a [f32],
    pub(super) c_before: &'a [f32],
    /// Left with σ(i), σ(f), tanh(g), σ(o).
    pub(super) gates: &'a mut [f32],
    pub(super) c: &'a mut [f32],
    pub(super) h: &'a mut [f32],
    pub(super) hidden: usize,
}

impl Step<'_> {
    pub(super) fn run(self) {
        simd::run(self);
    }

    /// A block of W units, whose gates are N lines.
    #[inline(always)]
    fn block<S: Simd, const N: usize, const W: usize>(
        &mut self,
        simd: S,
        panel: &[f32],
        block: usize,
    ) {
        let (rows, mut row) = (self.tokens.len(), 0);
        if S::REGISTER_COUNT >= 32 {
            // Enough sums at a time to wait for none of them.
            while N == 1 && row + 8 <= rows {
                self.tile::<S, 8, N>(simd, panel, block, row);
                row += 8;
            }
            while row + 4 <= rows {
                self.tile::<S, 4, N>(simd, panel, block, row);
                row += 4;
            }
        }
        while row + 2 <= rows {
            self.tile::<S, 2, N>(simd, panel, block, row);
            row += 2;
        }
        while row < rows {
            self.tile::<S, 1, N>(simd, panel, block, row);
            row += 1;
        }
        self.activate::<W>(block);
    }

    #[inline(always)]
    fn tile<S: Simd, const M: usize, const N: usize>(
        &mut self,
        simd: S,
        panel: &[f32],
        block: usize,
        row: usize,
    ) {
        let (parts, stride) = (LINE / S::F32_LANES, padded(self.hidden));
        let (wide, column) = (width(self.hidden), block * GATES * LINE);
        let panel = S::as_simd_f32s(panel).0;
        let mut h = [self.h_before; M];
        for (m, h) in h.iter_mut().enumerate() {
            *h = &self.h_before[(row + m) * stride..][..self.hidden];
        }
        for part in 0..parts {
            let mut sums = [[simd.splat_f32s(0.0); N]; M];
            for (m, sums) in sums.iter_mut().enumerate() {
                let [one, two] = self.tokens[row + m];
                let one = &self.table[one * wide + column..][..N * LINE];
                let two = &self.table[two * wide + column..][..N * LINE];
                let (one, two) = (S::as_simd_f32s(one).0, S::as_simd_f32s(two).0);
                for (n, sum) in sums.iter_mut().enumerate() {
                    *sum = simd.add_f32s(one[n * parts + part], two[n * parts + part]);
                }
            }
            let sums = multiply(simd, h, panel, part, sums);
            for (m, sums) in sums.iter().enumerate() {
                let gates = &mut self.gates[(row + m) * wide + column..][..N * LINE];
                let gates = S::as_mut_simd_f32s(gates).0;
                for (n, sum) in sums.iter().enumerate() {
                    gates[n * parts + part] = *sum;
                }
            }
        }
    }

    /// Finishes a block of all rows: together, so that none waits for the divisions of another.
    #[inline(always)]
    fn activate<const W: usize>(&mut self, block: usize) {
        let (stride, wide) = (padded(self.hidden), width(self.hidden));
        let (unit, column) = (block * LINE, block * GATES * LINE);
        for row in 0..self.tokens.len() {
            let (at, gates) = (row * stride + unit, row * wide + column);
            let (c_before, c) = (&self.c_before[at..at + W], line(&mut self.c[at..]));
            open::<W>(of_units(&mut self.gates[gates..]), c_before, c);
        }
        for row in 0..self.tokens.len() {
            let (at, output) = (row * stride + unit, row * wide + column + 3 * W);
            let (output, c) = (&self.gates[output..output + W], &self.c[at..at + W]);
            show::<W>(output, c, line(&mut self.h[at..]));
        }
    }
}

/// The first N.
#[inline(always)]
fn line<const N: usize>(of: &mut [f32]) -> &mut [f32; N] {
    of.first_chunk_mut().expect("rows are whole lines")
}

/// The gates of a block of W units.
#[inline(always)]
fn of_units<const W: usize>(of: &mut [f32]) -> &mut [[f32; W]; GATES] {
    of.as_chunks_mut().0.first_chunk_mut().expect("rows are whole blocks")
}

/// 2ˣ, cut off where all is decided: the product of four does not overflow.
#[inline(always)]
fn power(x: f32) -> f32 {
    exp2_within(x.clamp(-31.0, 31.0))
}

/// The gates, and c.
#[inline(always)]
fn open<const W: usize>(gates: &mut [[f32; W]; GATES], c_before: &[f32], c: &mut [f32; W]) {
    let c_before = &c_before[..W];
    for at in 0..W {
        let i = 1.0 + power(gates[0][at]);
        let f = 1.0 + power(gates[1][at]);
        let b = power(gates[2][at]);
        let o = 1.0 + power(gates[3][at]);
        let g = 1.0 + b;
        let (first, second) = (i * f, g * o);
        let share = 1.0 / (first * second);
        let (of_first, of_second) = (share * second, share * first);
        let (input, forget) = (of_first * f, of_first * i);
        let (update, output) = ((1.0 - b) * (of_second * o), of_second * g);
        gates[0][at] = input;
        gates[1][at] = forget;
        gates[2][at] = update;
        gates[3][at] = output;
        c[at] = forget.mul_add(c_before[at], input * update);
    }
}

/// h
#[inline(always)]
fn show<const W: usize>(output: &[f32], c: &[f32], h: &mut [f32; W]) {
    let (output, c) = (&output[..W], &c[..W]);
    for at in 0..W {
        let b = power(SCALES[2] * c[at]);
        h[at] = output[at] * ((1.0 - b) / (1.0 + b));
    }
}

impl WithSimd for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        for (block, (_, lines, panel)) in self.recurrent.iter().enumerate() {
            match lines {
                1 => self.block::<S, 1, 4>(simd, panel, block),
                2 => self.block::<S, 2, 8>(simd, panel, block),
                _ => self.block::<S, GATES, LINE>(simd, panel, block),
            }
        }
    }
}

/// From the gradients by h and c to those by the gates' sums, which replace the gates, and by c₋,
/// which replaces that by c.
pub(super) struct StepGradient<'a> {
    pub(super) gates: &'a mut [f32],
    pub(super) c_before: &'a [f32],
    pub(super) h: &'a [f32],
    pub(super) dh: &'a [f32],
    pub(super) dc: &'a mut [f32],
    pub(super) hidden: usize,
}

impl StepGradient<'_> {
    pub(super) fn run(self) {
        simd::run(self);
    }
}

impl WithSimd for StepGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (stride, wide) = (padded(self.hidden), width(self.hidden));
        let c = self.c_before.chunks(stride).zip(self.dc.chunks_mut(stride));
        let h = self.h.chunks(stride).zip(self.dh.chunks(stride));
        for ((gates, (c, dc)), (h, dh)) in self.gates.chunks_mut(wide).zip(c).zip(h) {
            for (block, gates) in gates.chunks_mut(GATES * LINE).enumerate() {
                let at = block * LINE..;
                let (c, dc) = (&c[at.clone()], &mut dc[at.clone()]);
                let (h, dh) = (&h[at.clone()], &dh[at]);
                match gates.len() / GATES {
                    4 => close::<4>(of_units(gates), c, h, dh, line(dc)),
                    8 => close::<8>(of_units(gates), c, h, dh, line(dc)),
                    _ => close::<LINE>(of_units(gates), c, h, dh, line(dc)),
                }
            }
        }
    }
}

/// The gradient of [`open`] and [`show`].
#[inline(always)]
fn close<const W: usize>(
    gates: &mut [[f32; W]; GATES],
    c: &[f32],
    h: &[f32],
    dh: &[f32],
    dc: &mut [f32; W],
) {
    let (c, h, dh) = (&c[..W], &h[..W], &dh[..W]);
    for at in 0..W {
        let [i, f, g, o] = [gates[0][at], gates[1][at], gates[2][at], gates[3][at]];
        // tanh(c): o, cut off as it is, is never zero.
        let (t, dh) = (h[at] / o, dh[at]);
        let d = dc[at] + dh * o * (1.0 - t * t);
        gates[0][at] = d * g * i * (1.0 - i);
        gates[1][at] = d * c[at] * f * (1.0 - f);
        gates[2][at] = d * i * (1.0 - g * g);
        gates[3][at] = dh * t * o * (1.0 - o);
        dc[at] = d * f;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_taken_once() {
        for hidden in [1, 16, 20, 23, 26] {
            let all = (0..GATES).flat_map(|gate| (0..hidden).map(move |unit| (gate, unit)));
            let mut places: Vec<_> =
                all.clone().map(|(gate, unit)| place(hidden, gate, unit)).collect();
            assert!(all.clone().eq(places.iter().map(|at| placed(hidden, *at))));
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), GATES * hidden);
            assert!(
                places.iter().all(|at| *at < width(hidden)) && width(hidden).is_multiple_of(LINE)
            );
        }
    }

    /// Red when a gate is taken for another, a division is shared wrongly, or large sums overflow.
    #[test]
    fn a_step_is_that_of_the_equations() {
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        for scale in [1.0, 40.0] {
            let gate = |gate: usize, unit: usize| {
                scale * (((gate * 7 + unit * 5) % 13) as f32 - 6.0) / 4.0
            };
            let (hidden, before) = (3, 0.7);
            let mut table = vec![0.0; 2 * width(hidden)];
            for unit in 0..hidden {
                (0..GATES).for_each(|g| table[place(hidden, g, unit)] = SCALES[g] * gate(g, unit));
            }
            let (mut gates, mut new) = (vec![0.0; width(hidden)], [[0.0; LINE]; 2]);
            let [c, h] = &mut new;
            Step {
                recurrent: &Panels::new(hidden, width(hidden), |_, _| 0.0),
                table: &table,
                tokens: &[[0, 1]],
                h_before: &[1.0; LINE],
                c_before: &[before; LINE],
                gates: &mut gates,
                c,
                h,
                hidden,
            }
            .run();
            for unit in 0..hidden {
                let [i, f, g, o] = [0, 1, 2, 3].map(|g| f64::from(gate(g, unit)));
                let c = sigmoid(f) * f64::from(before) + sigmoid(i) * g.tanh();
                let h = sigmoid(o) * c.tanh();
                assert!((f64::from(new[0][unit]) - c).abs() < 1e-6, "{new:?}");
                assert!((f64::from(new[1][unit]) - h).abs() < 1e-6, "{new:?}");
            }
        }
    }
}
