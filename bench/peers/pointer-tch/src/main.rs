//! The pointer network through tch, libtorch from Rust: the same program as `pointer_bench.py`,
//! which see, for the same lines of JSON.

use rustix::time::{ClockId, clock_gettime};
use tch::nn::{self, Init, OptimizerConfig, RNN};
use tch::{Device, Kind, Tensor};

const CASES: [(&str, i64, i64, bool); 3] =
    [("Q", 736, 17, false), ("E", 64, 736, true), ("B", 20, 11, false)];
const SIZE: i64 = 100;
const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);
const WHOLE: (Kind, Device) = (Kind::Int64, Device::Cpu);

/// `steps` decisions among `arity` candidates; of a subset, in ascending order.
struct Pointer {
    steps: i64,
    arity: i64,
    /// Row 0 is the choice before the first.
    chosen: Tensor,
    decision: Tensor,
    candidates: Tensor,
    lstm: nn::LSTM,
    query: Tensor,
    /// log F of each slot and candidate, and the candidates' numbers.
    follow: Option<(Tensor, Tensor)>,
}

impl Pointer {
    fn new(root: &nn::Path, steps: i64, arity: i64, subset: bool) -> Self {
        let normal = |name: &str, rows, stdev| {
            root.var(name, &[rows, SIZE], Init::Randn { mean: 0.0, stdev })
        };
        let config = nn::RNNConfig { batch_first: false, ..Default::default() };
        Self {
            steps,
            arity,
            chosen: normal("chosen", arity + 1, 0.5),
            decision: normal("decision", steps, 0.5),
            candidates: normal("candidates", arity, 0.1),
            lstm: nn::lstm(root / "lstm", SIZE, SIZE, config),
            query: normal("query", SIZE, 0.1),
            follow: subset.then(|| (follow(steps, arity), Tensor::arange(arity, WHOLE))),
        }
    }

    /// Adds log F, and −∞ where a set would descend. `before`: 0, or the choice plus 1.
    fn mask(&self, scores: Tensor, before: &Tensor, slots: &dyn Fn(&Tensor) -> Tensor) -> Tensor {
        let Some((follow, columns)) = &self.follow else { return scores };
        let taken = columns.lt_tensor(&before.unsqueeze(-1));
        (scores + slots(follow)).masked_fill(&taken, f64::NEG_INFINITY)
    }

    /// One decision at a time through the LSTM layer.
    fn sample(&self, n: i64) -> Tensor {
        let mut state = self.lstm.zero_state(n);
        let pointer = self.query.tr().matmul(&self.candidates.tr());
        self.walk(n, |t, before| {
            let inputs = self.chosen.index_select(0, before) + self.decision.get(t);
            state = self.lstm.seq_init(&inputs.unsqueeze(0), &state).1;
            state.h().squeeze_dim(0).matmul(&pointer)
        })
    }

    /// The cell by hand, its inputs' products read off a table, as ours are.
    fn sample_table(&self, root: &nn::VarStore, n: i64) -> Tensor {
        let of = |name: &str| root.variables()[&format!("lstm.{name}_l0")].shallow_clone();
        let (inputs, recurrent) = (of("weight_ih").tr(), of("weight_hh").tr().contiguous());
        let of_chosen = self.chosen.matmul(&inputs);
        let of_decision = self.decision.matmul(&inputs) + (of("bias_ih") + of("bias_hh"));
        let pointer = self.query.tr().matmul(&self.candidates.tr());
        let (mut h, mut c) = (Tensor::zeros([n, SIZE], CPU), Tensor::zeros([n, SIZE], CPU));
        self.walk(n, |t, before| {
            let inputs = of_chosen.index_select(0, before) + of_decision.get(t);
            let gates = inputs.addmm(&h, &recurrent);
            let open = gates.narrow(1, 0, 2 * SIZE).sigmoid_();
            let update = gates.narrow(1, 2 * SIZE, SIZE).tanh_();
            let (input, forget) = (open.narrow(1, 0, SIZE), open.narrow(1, SIZE, SIZE));
            c = (&forget * &c).addcmul_(&input, &update);
            h = gates.narrow(1, 3 * SIZE, SIZE).sigmoid_() * c.tanh();
            h.matmul(&pointer)
        })
    }

    /// Draws every decision from its scores.
    fn walk(&self, n: i64, mut scores: impl FnMut(i64, &Tensor) -> Tensor) -> Tensor {
        tch::no_grad(|| {
            let mut before = Tensor::zeros([n], WHOLE);
            let mut chosen = Vec::new();
            for t in 0..self.steps {
                let scores = self.mask(scores(t, &before), &before, &|follow| follow.get(t));
                let choice = draw(&scores, self.arity);
                before = &choice + 1;
                chosen.push(choice);
            }
            Tensor::stack(&chosen, 0)
        })
    }

    /// log p and the entropy of each decision.
    fn judge(&self, chosen: &Tensor) -> (Tensor, Tensor) {
        let later = chosen.narrow(0, 0, self.steps - 1) + 1;
        let before = Tensor::cat(&[chosen.narrow(0, 0, 1).zeros_like(), later], 0);
        let inputs = self.chosen.index_select(0, &before.flatten(0, 1));
        let inputs = inputs.view([self.steps, -1, SIZE]) + self.decision.unsqueeze(1);
        let zero = self.lstm.zero_state(chosen.size()[1]);
        let (h, _) = self.lstm.seq_init(&inputs, &zero);
        let scores = h.matmul(&self.query.tr()).matmul(&self.candidates.tr());
        let scores = self.mask(scores, &before, &|follow| follow.unsqueeze(1));
        let log_p = scores.log_softmax(-1, None);
        // 0 · −∞ is not 0 to the gradient.
        let finite =
            if self.follow.is_some() { log_p.clamp_min(-1e9) } else { log_p.shallow_clone() };
        let entropy = -(finite.exp() * finite).sum_dim_intlist(-1, false, None);
        (log_p.gather(-1, &chosen.unsqueeze(-1), false).squeeze_dim(-1), entropy)
    }
}

/// A choice from every row, without leaving the tensors.
fn draw(scores: &Tensor, arity: i64) -> Tensor {
    let cumulated = scores.softmax(-1, None).cumsum(-1, None);
    let point = Tensor::rand([scores.size()[0], 1], CPU) * cumulated.narrow(1, arity - 1, 1);
    // Nothing of probability zero: the first whose sum is beyond the point.
    let choice = point.searchsorted(&cumulated, false, true, "right", None::<Tensor>);
    choice.squeeze_dim(1).clamp_max(arity - 1)
}

/// log of how many sets can follow candidate v in slot s, as a share of the most.
fn follow(slots: i64, n: i64) -> Tensor {
    let logs: Vec<f64> = (1..=n).map(|x| (x as f64).ln()).collect();
    let factorial = |n: i64| logs[..n as usize].iter().sum::<f64>();
    let choose = |n: i64, k: i64| factorial(n) - factorial(k) - factorial(n - k);
    let rows = (0..slots).flat_map(|s| {
        let rest = slots - s - 1;
        let (most, high) = (choose(n - 1, rest), n - 1 - rest);
        (0..n).map(move |v| (v, rest, most, high))
    });
    let count = |(v, rest, most, high)| {
        if v <= high { choose(n - 1 - v, rest) - most } else { f64::NEG_INFINITY }
    };
    Tensor::from_slice(&rows.map(count).collect::<Vec<f64>>()).to_kind(Kind::Float).view([slots, n])
}

fn step(policy: &Pointer, adam: &mut nn::Optimizer, chosen: &Tensor, old: &Tensor, a: &Tensor) {
    let (log_p, entropy) = policy.judge(chosen);
    let ratio = (log_p - old).exp();
    let gain = (&ratio * a).minimum(&(ratio.clamp(0.8, 1.2) * a));
    let loss = -(gain + entropy * 0.01).mean(None);
    adam.backward_step_clip_norm(&loss, 1.0);
}

/// Wall and CPU seconds.
fn now() -> [f64; 2] {
    [ClockId::Monotonic, ClockId::ProcessCPUTime].map(|clock| {
        let time = clock_gettime(clock);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    })
}

fn main() {
    let threads = std::env::args().skip_while(|argument| argument != "--threads").nth(1);
    let threads: i32 = threads.map_or(1, |n| n.parse().expect("--threads takes a number"));
    tch::set_num_threads(threads);
    tch::manual_seed(1);
    for (case, steps, arity, subset) in CASES {
        let store = nn::VarStore::new(Device::Cpu);
        let policy = Pointer::new(&store.root(), steps, arity, subset);
        let mut adam = nn::Adam::default().build(&store, 5e-4).expect("valid");
        let chosen = policy.sample(64);
        let (old, _) = tch::no_grad(|| policy.judge(&chosen));
        let advantages = Tensor::randn([64], CPU);
        let show = |what: &str, call: &mut dyn FnMut()| {
            call();
            let mut least = [f64::INFINITY; 2];
            for _ in 0..if case == "Q" { 3 } else { 15 } {
                let before = now();
                call();
                let after = now();
                for ((least, after), before) in least.iter_mut().zip(after).zip(before) {
                    *least = least.min(after - before);
                }
            }
            let [wall, cpu] = least;
            println!(
                r#"{{"lib": "tch", "case": "{case}", "what": "{what}", "threads": {threads}, "wall_s": {wall}, "cpu_s": {cpu}}}"#
            );
        };
        show("sample", &mut || drop(policy.sample(200)));
        show("sample-table", &mut || drop(tch::no_grad(|| policy.sample_table(&store, 200))));
        show("step", &mut || step(&policy, &mut adam, &chosen, &old, &advantages));
    }
}
