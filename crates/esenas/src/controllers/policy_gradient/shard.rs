//! Some episodes of a batch: forwards through the network, decision by decision, and back.
//!
//! A batch is cut into shards of a fixed number of episodes, which threads may take in any order;
//! what they find is put together in the order of the shards. Only the recurrent products must wait
//! for each other: pointers, and the sums of gradients over the decisions, take some times
//! together.

use std::collections::BTreeMap;
use std::ops::Range;

use super::batch::Batch;
use super::cell::{Step as CellStep, StepGradient, width};
use super::episode::{Episode, Step};
use super::kernel::{Outer, Product, padded};
use super::lines::Lines;
use super::network::{Network, NetworkGradient, lines_of};
use super::pointer::Pointer;
use super::subsets::Factorials;
use super::vector::{MASKED, add};

/// Episodes of a shard that is learned from.
pub(super) const SHARD: usize = 16;

/// Episodes of a shard that is drawn.
pub(super) const DRAWN: usize = 32;

/// Decisions whose pointers, or gradients, are computed together.
const TOGETHER: usize = 128;

/// Scores that are held at a time, though always of one decision.
const SCORES: usize = 1 << 18;

/// Is shown the scores of a decision: which row, the decision, its scores from a candidate on, some
/// of them [`MASKED`]. Leaves there the gradient of the loss by them, where one is wanted.
pub(super) type See<'a> = dyn FnMut(usize, &Step, usize, &mut [f32]) + 'a;

/// Room for the computation of a shard, kept for the next.
#[derive(Debug, Default)]
pub(super) struct Room {
    gates: Lines,
    h: Lines,
    c: Lines,
    dh: Lines,
    zeros: Lines,
    pub(super) pointing: Pointing,
    pub(super) gradient: NetworkGradient,
}

/// Room for pointing.
#[derive(Debug, Default)]
pub(super) struct Pointing {
    h: Lines,
    dh: Lines,
    scores: Lines,
    taken: Vec<usize>,
    /// log F, by what it depends on.
    follow: BTreeMap<(u32, u32, u32, bool), Vec<f64>>,
}

/// A decision to point at: where its h is, of which episode, at what time.
pub(super) struct Row<'a> {
    pub(super) at: usize,
    pub(super) episode: &'a Episode,
    pub(super) time: usize,
}

impl Row<'_> {
    pub(super) fn step(&self) -> &Step {
        &self.episode.0[self.time]
    }
}

impl Pointing {
    /// Writes the mask into the scores of all candidates of a row; the lines that are not all
    /// masked.
    fn mask(&mut self, row: &Row, scores: &mut [f32]) -> Range<usize> {
        let (step, window) = (row.step(), row.step().window());
        let form = &step.form;
        let lines = lines_of(window.clone(), form.arity as usize);
        scores[lines.start..window.start].fill(MASKED);
        scores[window.end..lines.end].fill(MASKED);
        row.episode.taken(row.time, &mut self.taken);
        self.taken.iter().for_each(|at| scores[*at] = MASKED);
        if form.sorted && form.rest() > 0 {
            let key = (form.arity, form.slots, form.rest(), form.distinct);
            let new = || Factorials::new((form.arity + form.slots) as usize).counts(form);
            let counts = &self.follow.entry(key).or_insert_with(new)[window.clone()];
            let most = counts[0];
            let scores = scores[window].iter_mut().zip(counts);
            scores.for_each(|(score, count)| *score += (count - most) as f32);
        }
        lines
    }

    /// Points at candidates from the rows' h. With a gradient, adds to it, and to `dh`.
    pub(super) fn point(
        &mut self,
        it: (&Pointer, &Network),
        rows: &mut [Row],
        h: &[f32],
        see: &mut See,
        mut gradient: Option<(&mut [Lines], &mut [f32])>,
    ) {
        let (stride, (it, network)) = (padded(it.0.hidden), it);
        // Rows with the same candidates together; the sort is stable.
        rows.sort_by_key(|row| row.step().form.arity);
        for alike in rows.chunk_by(|one, two| one.step().form.arity == two.step().form.arity) {
            let arity = alike[0].step().form.arity as usize;
            let (table, wide) = (it.table(alike[0].step()), padded(arity));
            let (pointer, back) = &network.pointers[table];
            for some in alike.chunks((SCORES / wide).max(1)) {
                let mut gathered = std::mem::take(&mut self.h);
                gathered.at_least(some.len() * stride);
                for (row, own) in some.iter().zip(gathered.chunks_mut(stride)) {
                    own.copy_from_slice(&h[row.at * stride..][..stride]);
                }
                let mut all = std::mem::take(&mut self.scores);
                all.reset(some.len() * wide);
                let (out, a) = (&mut all[..], &gathered[..]);
                Product { out, stride: wide, a, a_stride: stride, b: pointer }.run();
                for (row, scores) in some.iter().zip(all.chunks_mut(wide)) {
                    let lines = self.mask(row, scores);
                    scores[..lines.start].fill(0.0);
                    scores[lines.end..].fill(0.0);
                    see(row.at, row.step(), lines.start, &mut scores[lines]);
                }
                if let Some((pointers, dh)) = &mut gradient {
                    let (a, a_stride, b) = (&gathered[..some.len() * stride], stride, &all[..]);
                    Outer { out: &mut pointers[table], a, a_stride, b, b_stride: wide }.run();
                    self.dh.reset(some.len() * stride);
                    Product { out: &mut self.dh, stride, a: b, a_stride: wide, b: back }.run();
                    for (row, new) in some.iter().zip(self.dh.chunks(stride)) {
                        dh[row.at * stride..][..stride].copy_from_slice(new);
                    }
                }
                (self.h, self.scores) = (gathered, all);
            }
        }
    }
}

impl Room {
    /// Every h of a batch, what is pointed at, and the gradient of that.
    pub(super) fn forward(
        &mut self,
        it: (&Pointer, &Network),
        batch: &Batch,
        see: &mut See,
        gradient: bool,
    ) {
        let (hidden, steps, stride) = (it.0.hidden, batch.steps(), padded(it.0.hidden));
        let wide = width(hidden);
        self.zeros.at_least(batch.len() * stride);
        self.gates.at_least(steps * wide);
        for of in [&mut self.h, &mut self.c, &mut self.dh] {
            of.at_least(steps * stride);
        }
        let (mut tokens, mut rows) = (Vec::new(), Vec::new());
        for (t, range) in batch.times() {
            let (old, new) = (batch.before(t), range.start * stride..range.end * stride);
            let old = old.start * stride..old.end * stride;
            tokens.clear();
            let token = |at: usize| it.0.tokens(batch.episode(at), t);
            tokens.extend((0..range.len()).map(token));
            let (h, h_new) = self.h.split_at_mut(new.start);
            let (c, c_new) = self.c.split_at_mut(new.start);
            CellStep {
                recurrent: &it.1.recurrent,
                table: &it.1.table,
                tokens: &tokens,
                h_before: if t > 0 { &h[old.clone()] } else { &self.zeros[..new.len()] },
                c_before: if t > 0 { &c[old] } else { &self.zeros[..new.len()] },
                gates: &mut self.gates[range.start * wide..range.end * wide],
                c: &mut c_new[..new.len()],
                h: &mut h_new[..new.len()],
                hidden,
            }
            .run();
            let row = |(at, row)| Row { at: row, episode: batch.episode(at), time: t };
            rows.extend(range.clone().enumerate().map(row));
            if rows.len() >= TOGETHER || range.end == steps {
                let of = gradient.then_some((&mut self.gradient.pointers[..], &mut self.dh[..]));
                self.pointing.point(it, &mut rows, &self.h, see, of);
                rows.clear();
            }
        }
    }

    /// Back through time, after [`forward`](Self::forward).
    pub(super) fn backward(&mut self, it: (&Pointer, &Network), batch: &Batch) {
        let (hidden, stride) = (it.0.hidden, padded(it.0.hidden));
        let wide = width(hidden);
        let mut dc = Lines::zeros(batch.len() * stride);
        // Decisions whose share of Wh's gradient is still to be summed, and those before them.
        let mut open: Option<(Range<usize>, Range<usize>)> = None;
        for (t, range) in batch.times().rev() {
            let old = batch.before(t);
            let gates = &mut self.gates[range.start * wide..range.end * wide];
            let own = range.start * stride..range.end * stride;
            let c_before = &self.c[old.start * stride..old.end * stride];
            StepGradient {
                gates,
                c_before: if t > 0 { c_before } else { &self.zeros },
                h: &self.h[own.clone()],
                dh: &self.dh[own.clone()],
                dc: &mut dc[..own.len()],
                hidden,
            }
            .run();
            for (at, gates) in gates.chunks(wide).enumerate() {
                for token in it.0.tokens(batch.episode(at), t) {
                    add(&mut self.gradient.table[token * wide..][..wide], gates);
                }
            }
            if t > 0 {
                let out = &mut self.dh[old.start * stride..old.end * stride];
                let b = &it.1.recurrent_back;
                Product { out, stride, a: gates, a_stride: wide, b }.run();
                open = Some(match open {
                    Some((rows, before)) if before.start == old.end => {
                        (range.start..rows.end, old.start..before.end)
                    }
                    Some((rows, before)) => {
                        self.sum(&rows, &before, (stride, wide));
                        (range, old)
                    }
                    None => (range, old),
                });
            }
            if let Some((rows, before)) = open.take_if(|open| open.0.len() >= TOGETHER || t <= 1) {
                self.sum(&rows, &before, (stride, wide));
            }
        }
    }

    fn sum(&mut self, rows: &Range<usize>, before: &Range<usize>, (stride, wide): (usize, usize)) {
        let a = &self.h[before.start * stride..before.end * stride];
        let b = &self.gates[rows.start * wide..rows.end * wide];
        let out = &mut self.gradient.recurrent;
        Outer { out, a, a_stride: stride, b, b_stride: wide }.run();
    }
}
