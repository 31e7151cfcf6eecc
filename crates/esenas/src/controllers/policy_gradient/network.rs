//! The weights of the pointer network, and what is computed from them once per update.
//!
//! The products of all inputs with Wx are a table over the rows of A and P, and the pointer's two
//! matrices are one, W = Wq Cᵀ / temperature: what is left of a decision is h Wh and h W. Gradients
//! are summed for the table and for W, and taken apart at the end.

use super::cell::{GATES, SCALES, place, placed, width};
use super::kernel::{LINE, Outer, Panels, Product, padded};
use super::lines::Lines;
use super::pointer::Pointer;
use super::vector::add;

/// A vector of all weights, or of their gradient, part by part.
pub(super) struct Parts<T> {
    pub(super) tokens: T,
    pub(super) candidates: T,
    pub(super) input: T,
    pub(super) bias: T,
    pub(super) recurrent: T,
    pub(super) query: T,
}

/// The network as decisions are computed with it.
pub(super) struct Network {
    /// x Wx of every row of A, and of P with b added; then a row of zeros. Like Wh, for the cell's
    /// scales.
    pub(super) table: Lines,
    /// Wh, and its transpose.
    pub(super) recurrent: Panels,
    pub(super) recurrent_back: Panels,
    /// W of each number of candidates, and its transpose.
    pub(super) pointers: Vec<(Panels, Panels)>,
}

/// The gradient by what a [`Network`] holds.
#[derive(Debug, Default)]
pub(super) struct NetworkGradient {
    pub(super) table: Lines,
    pub(super) recurrent: Lines,
    pub(super) pointers: Vec<Lines>,
}

/// The rows of a matrix with whole lines.
fn lined(of: &[f32], columns: usize) -> Vec<f32> {
    let mut rows = vec![0.0; of.len() / columns * padded(columns)];
    for (to, from) in rows.chunks_mut(padded(columns)).zip(of.chunks(columns)) {
        to[..columns].copy_from_slice(from);
    }
    rows
}

/// Adds rows with whole lines to those of a matrix.
fn add_lined(to: &mut [f32], columns: usize, of: &[f32]) {
    let rows = to.chunks_mut(columns).zip(of.chunks(padded(columns)));
    rows.for_each(|(to, from)| add(to, &from[..columns]));
}

impl Network {
    /// With transposes, if gradients are wanted.
    pub(super) fn new(it: &Pointer, gradients: bool) -> Self {
        let (parts, h, d) = (it.split(&it.weights), it.hidden, it.embedding);
        let wide = width(h);
        let gate = |of: &[f32], row: usize, at: usize| {
            let (gate, unit) = placed(h, at);
            if unit < h { of[row * GATES * h + gate * h + unit] } else { 0.0 }
        };
        let scaled = |of: &[f32], row, at| SCALES[placed(h, at).0] * gate(of, row, at);
        let mut table = Lines::zeros((it.candidates + it.loci + 1) * wide);
        for row in table.chunks_mut(wide).skip(it.candidates).take(it.loci) {
            (0..wide).for_each(|at| row[at] = scaled(parts.bias, 0, at));
        }
        Product {
            out: &mut table[..(it.candidates + it.loci) * wide],
            stride: wide,
            a: parts.tokens,
            a_stride: d,
            b: &Panels::new(d, wide, |row, at| scaled(parts.input, row, at)),
        }
        .run();
        let back = if gradients { wide } else { 0 };
        let recurrent = Panels::new(h, wide, |row, at| scaled(parts.recurrent, row, at));
        let recurrent_back = Panels::new(back, h, |at, row| gate(parts.recurrent, row, at));
        let pointers = it.tables.iter().map(|&(arity, start)| {
            let arity = arity as usize;
            let candidates = &parts.candidates[start * d..];
            let mut w = vec![0.0; h * padded(arity)];
            let b = Panels::new(d, arity, |row, at| candidates[at * d + row] / it.temperature);
            Product { out: &mut w, stride: padded(arity), a: parts.query, a_stride: d, b: &b }
                .run();
            let at = |row: usize, at: usize| w[row * padded(arity) + at];
            let back = if gradients { arity } else { 0 };
            (Panels::new(h, arity, at), Panels::new(back, h, |column, row| at(row, column)))
        });
        let pointers = pointers.collect();
        Self { table, recurrent, recurrent_back, pointers }
    }
}

impl NetworkGradient {
    /// Makes it zero.
    pub(super) fn reset(&mut self, it: &Pointer) {
        self.table.reset((it.candidates + it.loci + 1) * width(it.hidden));
        self.recurrent.reset(it.hidden * width(it.hidden));
        self.pointers.resize_with(it.tables.len(), Lines::default);
        for (pointer, (arity, _)) in self.pointers.iter_mut().zip(&it.tables) {
            pointer.reset(it.hidden * padded(*arity as usize));
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        add(&mut self.table, &other.table);
        add(&mut self.recurrent, &other.recurrent);
        let pointers = self.pointers.iter_mut().zip(&other.pointers);
        pointers.for_each(|(one, other)| add(one, other));
    }

    /// Adds the gradient by the weights to `gradient`.
    pub(super) fn finish(&self, it: &Pointer, gradient: &mut [f32]) {
        let (parts, h, d) = (it.split(&it.weights), it.hidden, it.embedding);
        let (of, wide) = (it.split_mut(gradient), width(h));
        let add_gates = |to: &mut [f32], from: &[f32]| {
            for (to, from) in to.chunks_mut(GATES * h).zip(from.chunks(wide)) {
                (0..GATES * h).for_each(|at| to[at] += from[place(h, at / h, at % h)]);
            }
        };
        add_gates(of.recurrent, &self.recurrent);
        let mut bias = vec![0.0; wide];
        let of_loci = self.table.chunks(wide).skip(it.candidates).take(it.loci);
        of_loci.for_each(|row| add(&mut bias, row));
        add_gates(of.bias, &bias);
        let table = &self.table[..(it.candidates + it.loci) * wide];
        let mut input = vec![0.0; d * wide];
        Outer { out: &mut input, a: parts.tokens, a_stride: d, b: table, b_stride: wide }.run();
        add_gates(of.input, &input);
        let mut tokens = vec![0.0; (it.candidates + it.loci) * padded(d)];
        let b = Panels::new(wide, d, |at, row| {
            let (gate, unit) = placed(h, at);
            if unit < h { parts.input[row * GATES * h + gate * h + unit] } else { 0.0 }
        });
        let stride = padded(d);
        Product { out: &mut tokens, stride, a: table, a_stride: wide, b: &b }.run();
        add_lined(of.tokens, d, &tokens);
        let query = lined(parts.query, d);
        for (pointer, &(arity, start)) in self.pointers.iter().zip(&it.tables) {
            let arity = arity as usize;
            let own = start * d..(start + arity) * d;
            let candidates = &parts.candidates[own.clone()];
            let scaled: Vec<f32> = pointer.iter().map(|g| g / it.temperature).collect();
            let b = Panels::new(arity, d, |row, at| candidates[row * d + at]);
            let (a, a_stride) = (&scaled[..], padded(arity));
            let mut out = vec![0.0; h * stride];
            Product { out: &mut out, stride, a, a_stride, b: &b }.run();
            add_lined(of.query, d, &out);
            let mut out = vec![0.0; arity * stride];
            Outer { out: &mut out, a, a_stride, b: &query, b_stride: stride }.run();
            add_lined(&mut of.candidates[own], d, &out);
        }
    }
}

/// The lines that hold a range of columns, of rows of `columns` filled up.
pub(super) fn lines_of(range: std::ops::Range<usize>, columns: usize) -> std::ops::Range<usize> {
    range.start / LINE * LINE..padded(range.end).min(padded(columns))
}
