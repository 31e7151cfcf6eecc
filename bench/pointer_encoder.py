"""Does a pointer network with an encoder and attention learn better than one with candidates' rows?

    pip install jax==0.10.2
    python bench/pointer_encoder.py [SEEDS] [EVALUATIONS]    # 3 and 6000: minutes on one core

Both are the network of `crates/esenas/src/controllers/policy_gradient`, an LSTM of 100 that walks
the decisions, trained by the same PPO with the same settings, and differ in how they point:

- *rows* is the crate's: score_j = (h Wq)·C_j with a learned row C_j for each candidate;
- *encoder* is of Vinyals, Fortunato and Jaitly 2015: an LSTM of 100 reads the candidates'
  embeddings, the walk begins in its last state, and score_j = v·tanh(W1 e_j + W2 h), e_j its
  output at candidate j.

The problems are *separable* and *chained* of `crates/esenas/examples/controllers.rs`, at the
paper's step size and at ten times that, also with noise of deviation 0.3 on every value.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

DECISIONS, VALUES, SIZE, BATCH, MINI, UPDATES = 20, 11, 100, 200, 64, 10
STEP, CLIP, ENTROPY, MAX_NORM, MAX_KL, BASELINE = 5e-4, 0.2, 0.01, 1.0, 0.05, 0.5
Weights = dict[str, Any]


def start(head: str, rng: np.random.Generator) -> Weights:
    """The crate's first weights; what points is small, lest it begin with an opinion."""

    def matrix(columns: int) -> np.ndarray:
        return rng.normal(size=(SIZE, columns)) / np.sqrt(SIZE)

    def lstm() -> Weights:
        bias = np.zeros(4 * SIZE)
        bias[SIZE : 2 * SIZE] = 1
        return {"x": matrix(4 * SIZE), "h": matrix(4 * SIZE), "b": bias}

    weights: Weights = {
        "A": rng.normal(size=(VALUES, SIZE)) / 2,
        "P": rng.normal(size=(DECISIONS, SIZE)) / 2,
        "walk": lstm(),
        "query": matrix(SIZE),
    }
    if head == "rows":
        weights["C"] = rng.normal(size=(VALUES, SIZE)) * 0.1
    else:
        weights |= {"read": lstm(), "E": rng.normal(size=(VALUES, SIZE)) / 2}
        weights |= {"key": matrix(SIZE), "v": rng.normal(size=SIZE) * 0.03}
    return jax.tree.map(lambda it: jnp.asarray(it, jnp.float32), weights)


def cell(w: Weights, state: Any, x: Any) -> Any:
    h, c = state
    i, f, g, o = jnp.split(x @ w["x"] + h @ w["h"] + w["b"], 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def begin(w: Weights, models: int) -> Any:
    """The state that the walk begins in, and what it points at."""
    zeros = jnp.zeros((models, SIZE))
    if "C" in w:
        return (zeros, zeros), w["C"]

    def read(state: Any, x: Any) -> Any:
        state = cell(w["read"], state, x)
        return state, state[0]

    last, keys = jax.lax.scan(read, (jnp.zeros(SIZE), jnp.zeros(SIZE)), w["E"])
    return tuple(jnp.broadcast_to(part, (models, SIZE)) for part in last), keys


def scores(w: Weights, h: Any, keys: Any) -> Any:
    query = h @ w["query"]
    if "C" in w:
        return query @ keys.T
    return jnp.tanh((keys @ w["key"])[None] + query[:, None]) @ w["v"]


@jax.jit
def draw(w: Weights, key: Any) -> Any:
    """Models of an iteration, and the log-probability of each decision."""
    state, keys = begin(w, BATCH)

    def step(carry: Any, at: Any) -> Any:
        state, token = carry
        state = cell(w["walk"], state, token + w["P"][at])
        log_p = jax.nn.log_softmax(scores(w, state[0], keys))
        gene = jax.random.categorical(jax.random.fold_in(key, at), log_p)
        return (state, w["A"][gene]), (gene, jnp.take_along_axis(log_p, gene[:, None], 1)[:, 0])

    first = (state, jnp.zeros((BATCH, SIZE)))
    _, (genes, log_p) = jax.lax.scan(step, first, jnp.arange(DECISIONS))
    return genes.T, log_p.T


def loss(w: Weights, genes: Any, old: Any, advantages: Any) -> Any:
    """Minus the surrogate of PPO with its bonus, and the divergence."""
    state, keys = begin(w, len(genes))
    before = jnp.concatenate([jnp.zeros((len(genes), 1, SIZE)), w["A"][genes[:, :-1]]], 1)

    def step(state: Any, x: Any) -> Any:
        token, gene = x
        state = cell(w["walk"], state, token)
        log_p = jax.nn.log_softmax(scores(w, state[0], keys))
        entropy = -(jnp.exp(log_p) * log_p).sum(1)
        return state, (jnp.take_along_axis(log_p, gene[:, None], 1)[:, 0], entropy)

    inputs = ((before + w["P"]).swapaxes(0, 1), genes.T)
    _, (log_p, entropy) = jax.lax.scan(step, state, inputs)
    ratio, a = jnp.exp(log_p.T - old), advantages[:, None]
    surrogate = jnp.minimum(ratio * a, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * a)
    kl = (ratio - 1 - (log_p.T - old)).mean()
    return -(surrogate.mean() + ENTROPY * entropy.mean()), kl


@partial(jax.jit, static_argnames="rate")
def update(w: Weights, adam: Any, genes: Any, old: Any, advantages: Any, rate: float) -> Any:
    (_, kl), gradient = jax.value_and_grad(loss, has_aux=True)(w, genes, old, advantages)
    norm = jnp.sqrt(sum((g**2).sum() for g in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda g: g * jnp.minimum(1, MAX_NORM / norm), gradient)
    m, v, t = adam
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, v, gradient)
    scale = rate * jnp.sqrt(1 - 0.999 ** (t + 1)) / (1 - 0.9 ** (t + 1))
    new = jax.tree.map(lambda w, m, v: w - scale * m / (jnp.sqrt(v) + 1e-8), w, m, v)
    # An update is not made where the policy has left the one that the models came from.
    def keep(new: Any, old: Any) -> Any:
        return jax.tree.map(lambda a, b: jnp.where(kl > MAX_KL, b, a), new, old)

    return keep(new, w), keep((m, v, t + 1), adam), kl > MAX_KL


def value(problem: str, genes: np.ndarray) -> np.ndarray:
    if problem == "chained":
        return (genes[:, 1:] == (genes[:, :-1] + 3) % VALUES).mean(1)
    best = (np.arange(DECISIONS) * 7 + 3) % VALUES
    return (1 - np.abs(genes - best) / 4).mean(1)


def learn(head: str, problem: str, noise: float, multiple: float, seed: int, budget: int) -> float:
    """The mean of the last batch."""
    rng = np.random.default_rng(seed)
    w = start(head, rng)
    adam = (jax.tree.map(jnp.zeros_like, w), jax.tree.map(jnp.zeros_like, w), 0)
    baseline, values = None, np.zeros(BATCH)
    for _ in range(budget // BATCH):
        genes, old = draw(w, jax.random.key(rng.integers(2**31)))
        values = value(problem, np.asarray(genes))
        told = values + noise * rng.normal(size=BATCH)
        mean = told.mean()
        baseline = mean if baseline is None else baseline + BASELINE * (mean - baseline)
        advantages = np.clip((told - baseline) / max(told.std(), 1e-8), -10, 10)
        advantages = jnp.asarray(advantages, jnp.float32)
        for at in range(UPDATES):
            rows = (at * MINI + np.arange(MINI)) % BATCH
            some = (genes[rows], old[rows], advantages[rows])
            w, adam, over = update(w, adam, *some, rate=STEP * multiple)
            if over:
                break
    return float(values.mean())


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    evaluations = int(sys.argv[2]) if len(sys.argv) > 2 else 6000
    print(f"{evaluations} evaluations, {seeds} seeds: the mean of the last batch, least to most\n")
    print("| problem | noise | step | rows | encoder |\n|---|--:|--:|--:|--:|", flush=True)
    before = time.process_time()
    for problem in ["chained", "separable"]:
        for multiple in [1, 10]:
            for noise in [0.0, 0.3]:
                cells = []
                for head in ["rows", "encoder"]:
                    of = partial(learn, head, problem, noise, multiple, budget=evaluations)
                    ends = [of(seed=seed) for seed in range(seeds)]
                    cells.append(f"{np.mean(ends):.3f} ({min(ends):.3f} – {max(ends):.3f})")
                print(f"| {problem} | {noise} | × {multiple} | {' | '.join(cells)} |", flush=True)
    print(f"\n{time.process_time() - before:.0f} s of CPU time")


if __name__ == "__main__":
    main()
