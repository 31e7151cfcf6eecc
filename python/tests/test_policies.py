"""Classes of policies, and policies that act."""

from __future__ import annotations

import numpy as np
import pytest

import esenas

KINDS = [
    esenas.Unstructured(hidden=[4, 3]),
    esenas.Toeplitz(),
    esenas.Circulant(hidden=[5]),
    esenas.Masked(hidden=[4], usage=0.25),
    esenas.Quantization(partitions=3),
    esenas.EdgePruning(hidden=[4], edges=9, residual=True),
    esenas.Nonlinearity(hidden=[4], edges="any", biases="all"),
]


def forward(policy: esenas.Policy, observation: np.ndarray) -> np.ndarray:
    """The formula of an exported policy, in plain Python."""
    import json

    it = json.loads(policy.to_json())
    functions = {
        "tanh": np.tanh, "relu": lambda x: max(x, 0.0), "exp": np.exp, "identity": lambda x: x, "sin": np.sin,
        "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "absolute": abs, "cosine": np.cos, "square": lambda x: x * x,
        "reciprocal": lambda x: 1 / np.copysign(max(abs(x), 0.1), x), "step": lambda x: float(x >= 0),
    }
    n, hidden = it["observation"], it["hidden"]
    v = [*observation, *it["biases"]]
    for source in range(n + hidden):
        if source >= n:
            v[source] = functions[it["nonlinearities"][source - n]](v[source])
        for start, target, weight in it["edges"]:
            if start == source:
                v[target] += v[source] * weight
    return np.tanh(v[n + hidden :])


@pytest.mark.parametrize("settings", KINDS, ids=lambda it: it.kind)
def test_a_class_has_its_space_and_its_weights_and_what_it_decodes_acts(settings: esenas.Settings) -> None:
    kind = esenas.policy(settings, observation=5, action=2)
    assert sum(part.stop - part.start for part in kind.layout.values()) == kind.dim
    theta = kind.start(seed=3)
    (dna,) = kind.space.sample(1, seed=1)
    policy = kind.decode(theta, dna=dna)
    seen = np.random.default_rng(0).normal(size=(7, 5))
    acted = policy.act(seen)
    np.testing.assert_allclose(acted, [forward(policy, row) for row in seen], rtol=1e-12, atol=1e-14)
    # One by one, read again, or from a decoded model: the same bits.
    again = esenas.Policy.from_json(policy.to_json())
    for row, action in zip(seen, acted, strict=True):
        assert (policy.act(row) == action).all() and (again.act(row) == action).all()
    model = kind.space.decode(dna)
    assert (kind.decode(theta, model=model).act(seen) == acted).all()


def test_many_policies_act_in_one_call_as_each_of_them_does() -> None:
    kind = esenas.policy("edge-pruning", observation=8, action=2, hidden=[32], edges=64)
    dnas = kind.space.sample(6, seed=2)
    thetas = np.random.default_rng(1).normal(size=(6, kind.dim))
    policies = kind.decode_all(thetas, dnas=dnas)
    seen = np.random.default_rng(2).normal(size=(6, 3, 8))
    each = [kind.decode(theta, dna=dna).act(rows) for theta, dna, rows in zip(thetas, dnas, seen, strict=True)]
    assert (policies.act(seen) == np.array(each)).all()
    assert (policies.act(seen[:, 1]) == np.array(each)[:, 1]).all()


def test_the_first_weights_and_actions_are_those_of_a_study() -> None:
    """Red when a class of policies is not the one that studies train."""
    settings = esenas.EdgePruning(hidden=[8], edges=16)
    problem = esenas.RL("Pendulum", settings)
    study = esenas.Study(problem=problem, seed=11, preset="paper")
    kind = esenas.policy(settings, observation=3, action=1)
    assert study.theta is not None and (kind.start(seed=11) == study.theta).all()
    candidate = study.ask()[0]
    ours = kind.decode(candidate.theta, dna=candidate.dna)
    theirs = esenas.Policy.decode(problem, candidate.dna, candidate.theta)
    seen = np.random.default_rng(0).normal(size=(9, 3))
    assert (ours.act(seen) == theirs.act(seen)).all()


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (lambda: esenas.policy("edge-pruned", observation=2, action=1), "edge-pruned"),
        (lambda: esenas.policy("edge-pruning", observation=2, action=1, edges=999), "edges must be from 1 to 96"),
        (lambda: esenas.policy("unstructured", observation=0, action=1), "at least 1"),
        (lambda: esenas.EdgePruning(hiden=[3]), "hiden"),
        (lambda: esenas.EdgePruning(hidden=-3), "policy.hidden"),
        (lambda: _kind().decode(np.zeros(3)), "must have 8 weights, got 3"),
        (lambda: _kind().decode(np.zeros(8)).act([1.0, 2.0]), "an observation has 3 entries"),
        (lambda: _kind().start(initial="gaussian"), "initial"),
        (lambda: _kind().decode_all(np.zeros((2, 8))).act(np.zeros((3, 3))), r"\(2, 3\)"),
        (lambda: esenas.policy("edge-pruning", observation=2, action=1, edges=2).decode(np.zeros(128)), "model"),
    ],
)
def test_mistakes_are_refused(mistake, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((ValueError, TypeError), match=said):
        mistake()


def _kind() -> esenas.PolicyClass:
    return esenas.policy("unstructured", observation=3, action=1, hidden=[2], biases="none")
