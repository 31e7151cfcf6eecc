"""Trees of JAX as declared weights: run by test_jax.py."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import esenas
import esenas.jax

TREE = {"out": jnp.arange(3.0), "hidden": [{"w": jnp.full((2, 3), 0.5)}, {"w": jnp.zeros((3, 2))}]}


def test_a_tree_goes_in_and_comes_back() -> None:
    parameters = esenas.jax.parameters(TREE)
    assert parameters.names == ["hidden.0.w", "hidden.1.w", "out"]
    study = esenas.Study(parameters.space, seed=1, preset="paper")
    assert study.theta is not None
    first: dict[str, Any] = parameters.load(parameters.space.decode([], study.theta))
    assert first["hidden"][0]["w"].tolist() == TREE["hidden"][0]["w"].tolist()  # type: ignore[index,union-attr]
    assert first["out"].tolist() == [0.0, 1.0, 2.0] and first["out"].dtype == np.float32


def test_candidates_evaluated_together_are_those_evaluated_alone() -> None:
    """Red when a leaf takes the coordinates of another."""
    parameters = esenas.jax.parameters(TREE)

    def value(tree: Any) -> Any:
        return jnp.sum(jnp.tanh(tree["hidden"][0]["w"]) @ tree["hidden"][1]["w"]) - jnp.sum((tree["out"] - 2.0) ** 2)

    batch = esenas.Study(parameters.space, seed=1).ask()
    together = parameters.evaluate(value)(batch)
    alone = [float(value(parameters.load(it.design))) for it in batch]
    np.testing.assert_allclose(together, alone, rtol=1e-5, atol=1e-5)
    study = esenas.Study(parameters.space, seed=1)
    best = study.optimize(parameters.evaluate(value), vectorized="candidates", iterations=30)
    assert best.value > float(value(TREE))


@pytest.mark.parametrize(
    ("tree", "said"),
    [({"n": jnp.arange(3)}, "int"), ({}, "needs leaves"), ({"a": {"b": jnp.ones(1)}, "a.b": jnp.ones(1)}, "different names")],
)
def test_what_is_no_tree_of_weights_is_refused(tree: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        esenas.jax.parameters(tree)


def test_a_design_of_another_tree_is_refused() -> None:
    with pytest.raises(ValueError, match="hidden.0.w"):
        esenas.jax.parameters(TREE).load({"out": np.zeros(3)})
