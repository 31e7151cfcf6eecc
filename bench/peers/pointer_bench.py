"""The pointer network of crates/esenas/src/controllers/policy_gradient in PyTorch: its speed.

Prints a line of JSON per case: wall and CPU seconds, the least of several calls, of sampling 200
models and of one PPO step on 64 of them. See bench/pointer.sh.

The network is the same, weight for weight: tokens of the choice before and of the decision, a
one-layer LSTM, a dot pointer, the count of what can follow in a sorted choice. It is written as one
would for speed: batched, sampling without gradients, choices drawn without leaving the tensors, the
pointer's two matrices made one. Training hands the whole sequence to nn.LSTM, and to the pointer at
once. Sampling is measured twice: through nn.LSTM, and with the cell written out by hand.
"""

import argparse
import json
import math
import time

import torch
from torch import nn

CASES = {"Q": (736, 17, False), "E": (64, 736, True), "B": (20, 11, False)}


class Pointer(nn.Module):
    """`steps` decisions among `arity` candidates; of a subset, in ascending order."""

    def __init__(self, steps, arity, subset, hidden=100, embedding=100):
        super().__init__()
        self.steps, self.arity, self.hidden = steps, arity, hidden
        # Row 0 is the choice before the first.
        self.chosen = nn.Parameter(torch.randn(arity + 1, embedding) * 0.5)
        self.decision = nn.Parameter(torch.randn(steps, embedding) * 0.5)
        self.candidates = nn.Parameter(torch.randn(arity, embedding) * 0.1)
        self.lstm = nn.LSTM(embedding, hidden)
        self.query = nn.Linear(hidden, embedding, bias=False)
        self.subset = subset
        if subset:
            self.register_buffer("follow", follow(steps, arity))
            self.register_buffer("columns", torch.arange(arity))

    def mask(self, scores, before, t):
        """Adds log F, and −∞ where a set would descend. `before`: 0, or the choice plus 1."""
        if not self.subset:
            return scores
        return (scores + self.follow[t]).masked_fill(self.columns < before.unsqueeze(-1), -math.inf)

    @torch.no_grad()
    def sample(self, n):
        """As one writes it: one decision at a time through nn.LSTM."""
        state = torch.zeros(1, n, self.hidden), torch.zeros(1, n, self.hidden)
        before = torch.zeros(n, dtype=torch.long)
        chosen = torch.empty(self.steps, n, dtype=torch.long)
        pointer = self.query.weight.t() @ self.candidates.t()
        for t in range(self.steps):
            inputs = self.chosen[before] + self.decision[t]
            h, state = self.lstm(inputs.unsqueeze(0), state)
            chosen[t] = draw(self.mask(h[0] @ pointer, before, t))
            before = chosen[t] + 1
        return chosen

    @torch.no_grad()
    def sample_table(self, n):
        """The cell by hand, its inputs' products read off a table, as ours are."""
        lstm = self.lstm
        inputs, recurrent = lstm.weight_ih_l0.t(), lstm.weight_hh_l0.t().contiguous()
        of_chosen = self.chosen @ inputs
        of_decision = self.decision @ inputs + (lstm.bias_ih_l0 + lstm.bias_hh_l0)
        pointer = self.query.weight.t() @ self.candidates.t()
        h, c = torch.zeros(n, self.hidden), torch.zeros(n, self.hidden)
        before = torch.zeros(n, dtype=torch.long)
        chosen = torch.empty(self.steps, n, dtype=torch.long)
        size = self.hidden
        for t in range(self.steps):
            gates = torch.addmm(of_chosen[before] + of_decision[t], h, recurrent)
            open_, update = gates[:, : 2 * size].sigmoid_(), gates[:, 2 * size : 3 * size].tanh_()
            c = open_[:, size:].mul(c).addcmul_(open_[:, :size], update)
            h = gates[:, 3 * size :].sigmoid_() * c.tanh()
            scores = self.mask(h @ pointer, before, t)
            choice = draw(scores)
            chosen[t] = choice
            before = choice + 1
        return chosen

    def judge(self, chosen):
        """log p and the entropy of each decision."""
        before = torch.cat([torch.zeros_like(chosen[:1]), chosen[:-1] + 1])
        inputs = self.chosen[before] + self.decision.unsqueeze(1)
        h, _ = self.lstm(inputs)
        scores = self.query(h) @ self.candidates.t()
        if self.subset:
            times = torch.arange(self.steps).unsqueeze(1)
            scores = self.mask(scores, before, times)
        log_p = scores.log_softmax(-1)
        # 0 · −∞ is not 0 to the gradient.
        finite = log_p.clamp_min(-1e9) if self.subset else log_p
        entropy = -(finite.exp() * finite).sum(-1)
        return log_p.gather(-1, chosen.unsqueeze(-1)).squeeze(-1), entropy


def draw(scores):
    """A choice from every row, without leaving the tensors."""
    cumulated = scores.softmax(-1).cumsum(-1)
    point = torch.rand(len(scores), 1) * cumulated[:, -1:]
    # Nothing of probability zero: the first whose sum is beyond the point.
    return torch.searchsorted(cumulated, point, right=True).squeeze(1).clamp_max(scores.shape[1] - 1)


def follow(slots, n):
    """log of how many sets can follow candidate v in slot s, as a share of the most."""
    def choose(n, k):
        return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

    rows = []
    for s in range(slots):
        rest = slots - s - 1
        high = n - 1 - rest
        rows.append([choose(n - 1 - v, rest) - choose(n - 1, rest) if v <= high else -math.inf for v in range(n)])
    return torch.tensor(rows)


def step(policy, adam, chosen, old, advantages, clip=0.2, bonus=0.01, longest=1.0):
    log_p, entropy = policy.judge(chosen)
    ratio = (log_p - old).exp()
    gain = torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    loss = -(gain + bonus * entropy).mean()
    adam.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(policy.parameters(), longest)
    adam.step()


def least(call, calls):
    """Wall and CPU seconds of the fastest of some calls, after a warm-up."""
    call()
    wall, cpu = math.inf, math.inf
    for _ in range(calls):
        before = time.perf_counter(), time.process_time()
        call()
        wall = min(wall, time.perf_counter() - before[0])
        cpu = min(cpu, time.process_time() - before[1])
    return wall, cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--calls", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    for case, (steps, arity, subset) in CASES.items():
        policy = Pointer(steps, arity, subset)
        adam = torch.optim.Adam(policy.parameters(), lr=5e-4, fused=True)
        chosen = policy.sample(64)
        with torch.no_grad():
            old, _ = policy.judge(chosen)
        advantages = torch.randn(64)
        calls = {
            "sample": lambda: policy.sample(200),
            "sample-table": lambda: policy.sample_table(200),
            "step": lambda: step(policy, adam, chosen, old, advantages),
        }
        for what, call in calls.items():
            wall, cpu = least(call, arguments.calls * (1 if case == "Q" else 5))
            line = {"lib": "torch", "case": case, "what": what, "threads": arguments.threads}
            print(json.dumps(line | {"wall_s": wall, "cpu_s": cpu}), flush=True)


if __name__ == "__main__":
    main()
