//! The pointer network: a one-layer LSTM that walks the decisions and points at candidates.
//!
//! ```text
//! x_t = A[a_{t−1}] + P[t]
//! (i, f, g, o) = x_t Wx + h_{t−1} Wh + b
//! c_t = σ(f) c_{t−1} + σ(i) tanh(g),  h_t = σ(o) tanh(c_t)
//! score_t = (h_t Wq) Cᵀ / temperature + log F
//! ```
//!
//! P has a row per locus, so the first decision is known by its own. A and C, of the choice made before
//! and of the candidates pointed at, have a row per candidate; choices of as many candidates share
//! theirs, being told apart by P through h. F counts what can follow in a sorted choice
//! ([`subsets`](super::subsets)). The inputs' products, x_t Wx, are read off a table over the
//! rows of A and P.

use serde::{Deserialize, Serialize};

use super::batch::{Batch, Tape};
use super::episode::{Episode, Step, Walker};
use super::head::Head;
use super::policy::{Judge, Pick, Policy};
use super::subsets::Factorials;
use super::vector::{Cell, CellGradient, Matrix, add, add_outer, product, product_transposed};
use crate::{Noise, Space};

/// Scores that are held at a time.
const SCORES: usize = 1 << 18;

/// Is shown the scores of a decision's window: which episode, which step.
type See<'a> = dyn FnMut(usize, usize, &Step, &mut [f32]) + 'a;

/// The sizes of the network, and where its weights are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Pointer {
    hidden: usize,
    embedding: usize,
    temperature: f32,
    loci: usize,
    /// The different numbers of candidates, ascending, and where the rows of each begin.
    tables: Vec<(u32, usize)>,
    /// Rows of A, and of C.
    candidates: usize,
    /// The most a count of sorted choices can be about.
    span: usize,
    /// A, P, C, Wx, b, Wh, Wq, one after the other; empty before the first draw.
    weights: Vec<f32>,
}

/// A vector of all weights, or of their gradient, part by part.
struct Parts<T> {
    tokens: T,
    candidates: T,
    input: T,
    bias: T,
    recurrent: T,
    query: T,
}

impl Pointer {
    pub(super) fn new(space: &Space, hidden: usize, embedding: usize, temperature: f32) -> Self {
        let arities = space.arities();
        let mut widths = arities.clone();
        widths.sort_unstable();
        widths.dedup();
        let mut candidates = 0;
        let mut table = |arity: u32| {
            candidates += arity as usize;
            (arity, candidates - arity as usize)
        };
        let tables: Vec<_> = widths.into_iter().map(&mut table).collect();
        let widest = tables.last().map_or(0, |(arity, _)| *arity as usize);
        let span = widest + space.max_len() as usize;
        let loci = arities.len();
        let weights = Vec::new();
        Self { hidden, embedding, temperature, loci, tables, candidates, span, weights }
    }

    /// How many weights there are, or will be.
    pub(super) fn size(&self) -> u64 {
        self.sizes().iter().map(|size| *size as u64).sum()
    }

    pub(super) fn is_started(&self) -> bool {
        !self.weights.is_empty()
    }

    /// Gaussian weights: embeddings of deviation ½ and, lest it begin with an opinion, 0.1 of the
    /// candidates pointed at; matrices of 1/√rows; biases 0, but 1 of the forget gate (Jozefowicz
    /// et al. 2015).
    pub(super) fn start(&mut self, key: u64) {
        let (h, d) = (self.hidden, self.embedding);
        let mut weights = vec![0.0; self.size() as usize];
        Noise::Gaussian(key).fill_row(0, &mut weights);
        let parts = self.split_mut(&mut weights);
        let scale = |part: &mut [f32], by: f32| part.iter_mut().for_each(|w| *w *= by);
        let (of_d, of_h) = (1.0 / (d as f32).sqrt(), 1.0 / (h as f32).sqrt());
        scale(parts.tokens, 0.5);
        scale(parts.candidates, 0.1);
        scale(parts.input, of_d);
        scale(parts.recurrent, of_h);
        scale(parts.query, of_h);
        parts.bias.fill(0.0);
        parts.bias[h..2 * h].fill(1.0);
        self.weights = weights;
    }

    fn sizes(&self) -> [usize; 6] {
        let (h, d) = (self.hidden, self.embedding);
        let tokens = self.candidates + self.loci;
        [tokens * d, self.candidates * d, d * 4 * h, 4 * h, h * 4 * h, h * d]
    }

    fn split<'a>(&self, mut all: &'a [f32]) -> Parts<&'a [f32]> {
        let [tokens, candidates, input, bias, recurrent, query] = self.sizes().map(|size| {
            let (part, rest) = all.split_at(size);
            all = rest;
            part
        });
        Parts { tokens, candidates, input, bias, recurrent, query }
    }

    fn split_mut<'a>(&self, mut all: &'a mut [f32]) -> Parts<&'a mut [f32]> {
        let [tokens, candidates, input, bias, recurrent, query] = self.sizes().map(|size| {
            let (part, rest) = std::mem::take(&mut all).split_at_mut(size);
            all = rest;
            part
        });
        Parts { tokens, candidates, input, bias, recurrent, query }
    }

    /// The first row of the candidates of a step.
    fn table(&self, step: &Step) -> usize {
        let at = self.tables.partition_point(|(arity, _)| *arity < step.form.arity);
        self.tables[at].1
    }

    /// The rows of A and P that step `at` reads.
    fn tokens(&self, episode: &Episode, at: usize) -> (Option<usize>, usize) {
        let before = at.checked_sub(1).map(|at| &episode.0[at]);
        let token = |step: &Step| self.table(step) + step.choice as usize;
        (before.map(token), self.candidates + episode.0[at].form.locus as usize)
    }

    /// The products of all rows of A and P with Wx; b is in those of P.
    fn projected(&self) -> Vec<f32> {
        let parts = self.split(&self.weights);
        let width = 4 * self.hidden;
        let mut table = vec![0.0; (self.candidates + self.loci) * width];
        let tokens = Matrix::new(parts.tokens, self.embedding);
        product(&mut table, false, tokens, Matrix::new(parts.input, width));
        let (_, of_loci) = table.split_at_mut(self.candidates * width);
        of_loci.chunks_mut(width).for_each(|row| add(row, parts.bias));
        table
    }

    fn add_tokens(&self, table: &[f32], episode: &Episode, at: usize, gates: &mut [f32]) {
        let row = |token: usize| &table[token * gates.len()..][..gates.len()];
        let (before, own) = self.tokens(episode, at);
        let (own, before) = (row(own), before.map(row));
        add(gates, own);
        if let Some(before) = before {
            add(gates, before);
        }
    }

    /// Every h_t of a batch, and what its gradient needs.
    fn forward(&self, batch: &Batch) -> Tape {
        let (size, width) = (self.hidden, 4 * self.hidden);
        let (parts, table) = (self.split(&self.weights), self.projected());
        let mut tape = Tape::new(batch, size);
        for (t, rows) in batch.times() {
            let before = batch.before(t);
            let (old, new) = tape.h.split_at_mut(rows.start * size);
            let gates = &mut tape.gates[rows.start * width..rows.end * width];
            if t > 0 {
                let h = &old[before.start * size..before.end * size];
                tape.h_before[rows.start * size..rows.end * size].copy_from_slice(h);
                product(gates, false, Matrix::new(h, size), Matrix::new(parts.recurrent, width));
            }
            let (c_old, c_new) = tape.c.split_at_mut(rows.start * size);
            for (at, gates) in gates.chunks_mut(width).enumerate() {
                self.add_tokens(&table, batch.episode(at), t, gates);
                let own = at * size..(at + 1) * size;
                let first = (before.start + at) * size;
                Cell {
                    gates,
                    before: (t > 0).then(|| &c_old[first..first + size]),
                    c: &mut c_new[own.clone()],
                    tanh_c: &mut tape.tanh_c[(rows.start + at) * size..][..size],
                    h: &mut new[own],
                }
                .run();
            }
        }
        tape
    }

    /// Points at candidates: `see` is given the scores of each row's window, ready for a softmax,
    /// and leaves there the gradient of the loss, if `gradient` is wanted: of C, and of the queries,
    /// which replaces them.
    fn point(
        &self,
        queries: &mut [f32],
        rows: &mut [(usize, Step)],
        see: &mut dyn FnMut(usize, &Step, &mut [f32]),
        mut gradient: Option<&mut [f32]>,
    ) {
        let d = self.embedding;
        let (parts, factorials) = (self.split(&self.weights), Factorials::new(self.span));
        let (mut scores, mut gathered) = (Vec::new(), Vec::new());
        // Rows with the same candidates together; the sort is stable.
        rows.sort_by_key(|(_, step)| step.form.arity);
        for alike in rows.chunk_by(|one, other| one.1.form.arity == other.1.form.arity) {
            let arity = alike[0].1.form.arity as usize;
            let table = self.table(&alike[0].1) * d..(self.table(&alike[0].1) + arity) * d;
            let candidates = Matrix::new(&parts.candidates[table.clone()], d);
            for some in alike.chunks((SCORES / arity).max(1)) {
                gathered.clear();
                some.iter().for_each(|(row, _)| gathered.extend(&queries[row * d..(row + 1) * d]));
                scores.resize(some.len() * arity, 0.0);
                let pointed = Matrix::new(&gathered, d);
                product_transposed(&mut scores, pointed, candidates);
                for ((row, step), scores) in some.iter().zip(scores.chunks_mut(arity)) {
                    let window = step.window();
                    scores[..window.start].fill(0.0);
                    scores[window.end..].fill(0.0);
                    let scores = &mut scores[window];
                    scores.iter_mut().for_each(|s| *s /= self.temperature);
                    factorials.offset(step, scores);
                    see(*row, step, scores);
                    scores.iter_mut().for_each(|s| *s /= self.temperature);
                }
                if let Some(gradient) = &mut gradient {
                    let scores = Matrix::new(&scores, arity);
                    add_outer(&mut gradient[table.clone()], scores, pointed);
                    product(&mut gathered, false, scores, candidates);
                    for ((row, _), new) in some.iter().zip(gathered.chunks(d)) {
                        queries[row * d..(row + 1) * d].copy_from_slice(new);
                    }
                }
            }
        }
    }

    /// From the gradient of the queries to that of everything before them, through time.
    fn backward(&self, batch: &Batch, mut tape: Tape, d_query: &[f32], gradient: &mut [f32]) {
        let (size, width, d) = (self.hidden, 4 * self.hidden, self.embedding);
        let parts = self.split(&self.weights);
        let of = self.split_mut(gradient);
        add_outer(of.query, Matrix::new(&tape.h, size), Matrix::new(d_query, d));
        let mut dh = vec![0.0; tape.h.len()];
        product_transposed(&mut dh, Matrix::new(d_query, d), Matrix::new(parts.query, d));
        let mut dc = vec![0.0; batch.len() * size];
        let mut carried = vec![0.0; batch.len() * size];
        let mut d_table = vec![0.0; (self.candidates + self.loci) * width];
        for (t, rows) in batch.times().rev() {
            let before = batch.before(t);
            for at in 0..rows.len() {
                let (row, own) = (rows.start + at, at * size..(at + 1) * size);
                let dh = &mut dh[row * size..(row + 1) * size];
                add(dh, &carried[own.clone()]);
                let gates = &mut tape.gates[row * width..(row + 1) * width];
                CellGradient {
                    gates,
                    before: (t > 0).then(|| &tape.c[(before.start + at) * size..][..size]),
                    tanh_c: &tape.tanh_c[row * size..(row + 1) * size],
                    dh,
                    dc: &mut dc[own],
                }
                .run();
                let (chosen, locus) = self.tokens(batch.episode(at), t);
                for token in chosen.into_iter().chain([locus]) {
                    add(&mut d_table[token * width..(token + 1) * width], gates);
                }
            }
            let gates = Matrix::new(&tape.gates[rows.start * width..rows.end * width], width);
            let carried = &mut carried[..rows.len() * size];
            product_transposed(carried, gates, Matrix::new(parts.recurrent, width));
        }
        let gates = Matrix::new(&tape.gates, width);
        add_outer(of.recurrent, Matrix::new(&tape.h_before, size), gates);
        let of_loci = &d_table[self.candidates * width..];
        of_loci.chunks(width).for_each(|row| add(of.bias, row));
        let d_table = Matrix::new(&d_table, width);
        add_outer(of.input, Matrix::new(parts.tokens, d), d_table);
        let mut d_tokens = vec![0.0; parts.tokens.len()];
        product_transposed(&mut d_tokens, d_table, Matrix::new(parts.input, width));
        add(of.tokens, &d_tokens);
    }

    /// Shows every row's scores to `see`.
    fn pass(&self, batch: &[&Episode], see: &mut See, gradient: Option<&mut [f32]>) {
        let batch = Batch::new(batch);
        if batch.steps() == 0 || !self.is_started() {
            return;
        }
        let tape = self.forward(&batch);
        let d = self.embedding;
        let mut queries = vec![0.0; batch.steps() * d];
        let query = Matrix::new(self.split(&self.weights).query, d);
        product(&mut queries, false, Matrix::new(&tape.h, self.hidden), query);
        let mut rows: Vec<_> = batch.rows().map(|(row, _, _, step)| (row, *step)).collect();
        let places: Vec<_> = batch.rows().map(|(_, episode, t, _)| (episode, t)).collect();
        let mut see = |row: usize, step: &Step, scores: &mut [f32]| {
            let (episode, t) = places[row];
            see(episode, t, step, scores);
        };
        match gradient {
            None => self.point(&mut queries, &mut rows, &mut see, None),
            Some(gradient) => {
                let candidates = self.split_mut(gradient).candidates;
                self.point(&mut queries, &mut rows, &mut see, Some(candidates));
                self.backward(&batch, tape, &queries, gradient);
            }
        }
    }
}

impl Policy for Pointer {
    fn weights(&self) -> &[f32] {
        &self.weights
    }

    fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    fn meet(&mut self, _: &Step) {}

    fn draw(&self, space: &Space, n: usize, pick: &mut Pick) -> Vec<Episode> {
        let (size, width, d) = (self.hidden, 4 * self.hidden, self.embedding);
        let (parts, table) = (self.split(&self.weights), self.projected());
        let (mut walker, mut head) = (Walker::new(space), Head::default());
        let mut episodes = vec![Episode::default(); n];
        // The episodes that go on, each with its row of h and c.
        let mut open: Vec<usize> = (0..n).collect();
        let (mut h, mut c) = (vec![0.0; n * size], vec![0.0; n * size]);
        let (mut gates, mut queries) = (Vec::new(), Vec::new());
        let (mut c_new, mut tanh_c) = (vec![0.0; size], vec![0.0; size]);
        loop {
            let mut kept = 0;
            for at in 0..open.len() {
                let Some(form) = walker.after(&episodes[open[at]]) else { continue };
                episodes[open[at]].push(form);
                open[kept] = open[at];
                h.copy_within(at * size..(at + 1) * size, kept * size);
                c.copy_within(at * size..(at + 1) * size, kept * size);
                kept += 1;
            }
            open.truncate(kept);
            if kept == 0 {
                return episodes;
            }
            h.truncate(kept * size);
            gates.resize(kept * width, 0.0);
            queries.resize(kept * d, 0.0);
            let recurrent = Matrix::new(parts.recurrent, width);
            product(&mut gates, false, Matrix::new(&h, size), recurrent);
            for (at, gates) in gates.chunks_mut(width).enumerate() {
                let episode = &episodes[open[at]];
                self.add_tokens(&table, episode, episode.0.len() - 1, gates);
                let own = at * size..(at + 1) * size;
                Cell {
                    gates,
                    before: Some(&c[own.clone()]),
                    c: &mut c_new,
                    tanh_c: &mut tanh_c,
                    h: &mut h[own.clone()],
                }
                .run();
                c[own].copy_from_slice(&c_new);
            }
            product(&mut queries, false, Matrix::new(&h, size), Matrix::new(parts.query, d));
            let last = |(row, episode): (usize, &usize)| {
                episodes[*episode].0.last().map(|step| (row, *step))
            };
            let mut rows: Vec<_> = open.iter().enumerate().filter_map(last).collect();
            let mut see = |row: usize, step: &Step, scores: &mut [f32]| {
                let episode = &mut episodes[open[row]];
                episode.taken(episode.0.len() - 1, &mut head.taken);
                head.softmax(scores);
                episode.choose(step.low + pick(&head.p) as u32);
            };
            self.point(&mut queries, &mut rows, &mut see, None);
        }
    }

    fn learn(&self, batch: &[&Episode], judge: &mut Judge, gradient: Option<&mut [f32]>) {
        let mut head = Head::default();
        let mut see = |episode: usize, t: usize, step: &Step, scores: &mut [f32]| {
            batch[episode].taken(t, &mut head.taken);
            head.softmax(scores);
            let choice = (step.choice - step.low) as usize;
            let pull = judge(episode, t, head.verdict(scores, choice));
            head.gradient(scores, choice, pull);
        };
        self.pass(batch, &mut see, gradient);
    }

    fn log_prob(&self, episode: &Episode) -> f64 {
        let (mut head, mut sum) = (Head::default(), 0.0);
        let mut see = |_: usize, t: usize, step: &Step, scores: &mut [f32]| {
            episode.taken(t, &mut head.taken);
            head.softmax(scores);
            sum += head.log_p(scores, (step.choice - step.low) as usize);
        };
        self.pass(&[episode], &mut see, None);
        sum
    }
}
