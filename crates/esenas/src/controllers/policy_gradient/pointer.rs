//! The pointer network: a one-layer LSTM that walks the decisions and points at candidates.
//!
//! ```text
//! x_t = A[a_{t−1}] + P[t]
//! (i, f, g, o) = x_t Wx + h_{t−1} Wh + b
//! c_t = σ(f) c_{t−1} + σ(i) tanh(g),  h_t = σ(o) tanh(c_t)
//! score_t = (h_t Wq) Cᵀ / temperature + log F
//! ```
//!
//! P has a row per locus, so the first decision is known by its own. A and C, of the choice made
//! before and of the candidates pointed at, have a row per candidate; choices of as many candidates
//! share theirs, being told apart by P through h. F counts what can follow in a sorted choice
//! ([`subsets`](super::subsets)). The sizes and the weights are here; `network.rs` makes of them
//! what `shard.rs` computes with.

use std::sync::Mutex;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::batch::Batch;
use super::cell::{Step as CellStep, width};
use super::episode::{Episode, Step, Walker};
use super::head::{Head, Verdict};
use super::kernel::padded;
use super::lines::Lines;
use super::network::{Network, NetworkGradient, Parts};
use super::policy::{Judge, Pick, Picker, Policy, Tally};
use super::shard::{DRAWN, Pointing, Room, Row, SHARD};
use crate::controllers::marginals::Layout;
use crate::{Noise, Space};

/// The sizes of the network, and its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Pointer {
    pub(super) hidden: usize,
    pub(super) embedding: usize,
    pub(super) temperature: f32,
    pub(super) loci: usize,
    /// The different numbers of candidates, ascending, and where the rows of each begin.
    pub(super) tables: Vec<(u32, usize)>,
    /// Rows of A, and of C.
    pub(super) candidates: usize,
    /// A, P, C, Wx, b, Wh, Wq, one after the other; empty before the first draw.
    pub(super) weights: Vec<f32>,
}

/// Things that are taken, used and given back: as many as are used at once, whatever they hold.
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T> Pool<T> {
    fn with<R>(&self, new: impl FnOnce() -> T, run: impl FnOnce(&mut T) -> R) -> R {
        let taken = self.0.lock().ok().and_then(|mut all| all.pop());
        let mut one = taken.unwrap_or_else(new);
        let result = run(&mut one);
        if let Ok(mut all) = self.0.lock() {
            all.push(one);
        }
        result
    }
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
        let loci = arities.len();
        let weights = Vec::new();
        Self { hidden, embedding, temperature, loci, tables, candidates, weights }
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

    pub(super) fn split<'a>(&self, mut all: &'a [f32]) -> Parts<&'a [f32]> {
        let [tokens, candidates, input, bias, recurrent, query] = self.sizes().map(|size| {
            let (part, rest) = all.split_at(size);
            all = rest;
            part
        });
        Parts { tokens, candidates, input, bias, recurrent, query }
    }

    pub(super) fn split_mut<'a>(&self, mut all: &'a mut [f32]) -> Parts<&'a mut [f32]> {
        let [tokens, candidates, input, bias, recurrent, query] = self.sizes().map(|size| {
            let (part, rest) = std::mem::take(&mut all).split_at_mut(size);
            all = rest;
            part
        });
        Parts { tokens, candidates, input, bias, recurrent, query }
    }

    /// Which of the tables a step's candidates are in.
    pub(super) fn table(&self, step: &Step) -> usize {
        self.tables.partition_point(|(arity, _)| *arity < step.form.arity)
    }

    /// The rows of P and A that step `at` reads; before the first choice, the one after all.
    pub(super) fn tokens(&self, episode: &Episode, at: usize) -> [usize; 2] {
        let token = |step: &Step| self.tables[self.table(step)].1 + step.choice as usize;
        let before = at.checked_sub(1).map(|at| token(&episode.0[at]));
        let own = self.candidates + episode.0[at].form.locus as usize;
        [own, before.unwrap_or(self.candidates + self.loci)]
    }

    /// Draws `n` episodes, shard by shard. Is shown what it says at each decision, if anybody wants
    /// to know.
    fn walk<T: Default + Send>(
        &self,
        (space, n): (&Space, usize),
        pick: Pick,
        look: impl Fn(&Step, usize, &Head, &mut T) + Sync,
    ) -> Vec<(Vec<Episode>, T)> {
        let (network, walkers) = (Network::new(self, false), Pool::default());
        let shard = |at: usize| {
            let (size, picker) = (DRAWN.min(n - at * DRAWN), pick.shard(at));
            let (mut walk, mut seen) = (Walk::new(self, size, picker), T::default());
            walkers.with(
                || Walker::new(space),
                |walker: &mut Walker| {
                    while walk.present(walker) {
                        walk.step(self, &network, &mut |step, first, head| {
                            look(step, first, head, &mut seen);
                        });
                    }
                },
            );
            (walk.episodes, seen)
        };
        (0..n.div_ceil(DRAWN)).into_par_iter().map(shard).collect()
    }

    /// Passes each shard through the network, and puts what comes of them in order.
    fn pass<T: Send>(
        &self,
        batch: &[&Episode],
        rooms: &Pool<Room>,
        run: impl Fn(usize, &Batch, &mut Room) -> T + Sync,
    ) -> Vec<T> {
        let shard = |(at, some): (usize, &[&Episode])| {
            rooms.with(Room::default, |room| run(at * SHARD, &Batch::new(some), room))
        };
        batch.par_chunks(SHARD).enumerate().map(shard).collect()
    }
}

/// The episodes of a shard while they are drawn.
struct Walk {
    episodes: Vec<Episode>,
    /// Those that go on, each with its row of h and c.
    open: Vec<usize>,
    picker: Picker,
    head: Head,
    pointing: Pointing,
    h: [Lines; 2],
    c: [Lines; 2],
    gates: Lines,
    stride: usize,
}

impl Walk {
    fn new(it: &Pointer, n: usize, picker: Picker) -> Self {
        let stride = padded(it.hidden);
        let zeros = || Lines::zeros(n * stride);
        Self {
            episodes: vec![Episode::default(); n],
            open: (0..n).collect(),
            picker,
            head: Head::default(),
            pointing: Pointing::default(),
            h: [zeros(), zeros()],
            c: [zeros(), zeros()],
            gates: Lines::zeros(n * width(it.hidden)),
            stride,
        }
    }

    /// Presents the next decision of every episode that has one; whether any has.
    fn present(&mut self, walker: &mut Walker) -> bool {
        let (mut kept, stride) = (0, self.stride);
        for at in 0..self.open.len() {
            let number = self.open[at];
            let Some(form) = walker.after(&self.episodes[number]) else { continue };
            self.episodes[number].push(form);
            self.open[kept] = number;
            if kept < at {
                self.h[0].copy_within(at * stride..(at + 1) * stride, kept * stride);
                self.c[0].copy_within(at * stride..(at + 1) * stride, kept * stride);
            }
            kept += 1;
        }
        self.open.truncate(kept);
        kept > 0
    }

    /// Decides what was presented.
    fn step(
        &mut self,
        it: &Pointer,
        network: &Network,
        look: &mut impl FnMut(&Step, usize, &Head),
    ) {
        let (episodes, open) = (&mut self.episodes, &self.open);
        let last = |number: &usize| {
            let episode: &Episode = &episodes[*number];
            it.tokens(episode, episode.0.len() - 1)
        };
        let tokens: Vec<_> = open.iter().map(last).collect();
        let size = open.len() * self.stride;
        let ([h, h_new], [c, c_new]) = (&mut self.h, &mut self.c);
        CellStep {
            recurrent: &network.recurrent,
            table: &network.table,
            tokens: &tokens,
            h_before: &h[..size],
            c_before: &c[..size],
            gates: &mut self.gates,
            c: &mut c_new[..size],
            h: &mut h_new[..size],
            hidden: it.hidden,
        }
        .run();
        let row = |(at, number): (usize, &usize)| {
            let episode = &episodes[*number];
            Row { at, episode, time: episode.0.len() - 1 }
        };
        let mut rows: Vec<_> = open.iter().enumerate().map(row).collect();
        let mut chosen = vec![0; open.len()];
        let (head, picker) = (&mut self.head, &mut self.picker);
        let mut see = |row: usize, step: &Step, first: usize, scores: &mut [f32]| {
            head.softmax(scores);
            look(step, first, head);
            chosen[row] = (first + picker.pick(head)) as u32;
        };
        self.pointing.point((it, network), &mut rows, h_new, &mut see, None);
        open.iter().zip(chosen).for_each(|(number, choice)| episodes[*number].choose(choice));
        self.h.swap(0, 1);
        self.c.swap(0, 1);
    }
}

impl Policy for Pointer {
    type Room = Pool<Room>;

    fn weights(&self) -> &[f32] {
        &self.weights
    }

    fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    fn meet(&mut self, _: &Step) {}

    fn draw(&self, space: &Space, n: usize, pick: Pick) -> Vec<Episode> {
        let shards = self.walk((space, n), pick, |_, _, _, (): &mut ()| {});
        shards.into_iter().flat_map(|(episodes, ())| episodes).collect()
    }

    fn lean(&self, space: &Space, n: usize, pick: Pick, layout: &Layout) -> Vec<f64> {
        let look = |step: &Step, first: usize, head: &Head, sums: &mut Vec<f64>| {
            sums.resize(layout.size, 0.0);
            let of = sums[layout.range(step.form.key())].iter_mut().skip(first);
            of.zip(head.probabilities()).for_each(|(sum, p)| *sum += p);
        };
        let mut total = vec![0.0; layout.size];
        // In the order of the shards, whoever was first.
        for (_, sums) in self.walk((space, n), pick, look) {
            total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        total
    }

    fn judge(&self, batch: &[&Episode], room: &mut Pool<Room>) -> Vec<Vec<Verdict>> {
        let network = Network::new(self, false);
        let run = |_: usize, shard: &Batch, room: &mut Room| {
            let (mut head, places) = (Head::default(), shard.places());
            let mut verdicts = shard.per_step(Verdict::default());
            let mut see = |row: usize, step: &Step, first: usize, scores: &mut [f32]| {
                head.softmax(scores);
                let (number, t) = places[row];
                verdicts[number][t] = head.verdict(scores, step.choice as usize - first);
            };
            room.forward((self, &network), shard, &mut see, false);
            verdicts
        };
        self.pass(batch, room, run).into_iter().flatten().collect()
    }

    fn learn(
        &self,
        batch: &[&Episode],
        judge: &Judge,
        gradient: &mut [f32],
        room: &mut Pool<Room>,
    ) -> Tally {
        let network = Network::new(self, true);
        let run = |start: usize, shard: &Batch, room: &mut Room| {
            let (mut head, places) = (Head::default(), shard.places());
            let mut tally = Tally::default();
            room.gradient.reset(self);
            let mut see = |row: usize, step: &Step, first: usize, scores: &mut [f32]| {
                head.softmax(scores);
                let (choice, (number, t)) = (step.choice as usize - first, places[row]);
                let verdict = head.verdict(scores, choice);
                let pull = judge(start + number, t, verdict, &mut tally);
                head.gradient(scores, choice, pull);
            };
            room.forward((self, &network), shard, &mut see, true);
            room.backward((self, &network), shard);
            (tally, std::mem::take(&mut room.gradient))
        };
        let (mut tally, mut sum) = (Tally::default(), NetworkGradient::default());
        sum.reset(self);
        for (of_shard, gradient) in self.pass(batch, room, run) {
            tally += of_shard;
            sum.add(&gradient);
        }
        sum.finish(self, gradient);
        tally
    }

    fn log_prob(&self, episode: &Episode) -> f64 {
        let (mut head, mut sum) = (Head::default(), 0.0);
        let mut see = |_: usize, step: &Step, first: usize, scores: &mut [f32]| {
            head.softmax(scores);
            sum += head.log_p(scores, step.choice as usize - first);
        };
        let network = Network::new(self, false);
        Room::default().forward((self, &network), &Batch::new(&[episode]), &mut see, false);
        sum
    }
}
