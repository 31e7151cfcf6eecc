"""Trees of JAX as declared weights: the extra `jax`.

>>> import jax.numpy as jnp
>>> import esenas, esenas.jax
>>> tree = {"hidden": {"w": jnp.full((2, 3), 0.5), "b": jnp.zeros(3)}, "out": jnp.ones(3)}
>>> parameters = esenas.jax.parameters(tree)
>>> parameters.names
['hidden.b', 'hidden.w', 'out']
>>> def loss(tree):
...     return -jnp.sum((jnp.tanh(tree["hidden"]["w"]).sum(0) + tree["hidden"]["b"]) @ tree["out"] - 1.0) ** 2
>>> study = esenas.Study(parameters.space, seed=1)
>>> best = study.optimize(parameters.evaluate(loss), vectorized="candidates", iterations=3)
>>> parameters.load(best.design)["hidden"]["w"].shape
(2, 3)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from esenas.candidates import Batch
from esenas.spaces import Dict, Space, weights

__all__ = ["Parameters", "parameters"]


class Parameters:
    """The leaves of a tree, as weights with names. Made by :func:`parameters`."""

    def __init__(self, tree: Any, scale: float | None) -> None:
        paths, self._form = jax.tree_util.tree_flatten_with_path(tree)
        leaves = {_name(path): np.asarray(leaf) for path, leaf in paths}
        if not leaves or len(leaves) != len(paths):
            raise ValueError(f"a tree needs leaves of different names, got {[_name(path) for path, _ in paths]}")
        for name, leaf in leaves.items():
            if not jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating):
                raise ValueError(
                    f"{name} is an array of {leaf.dtype}: only floats are weights; keep it out of the tree"
                )
        self.names = list(leaves)
        """What the leaves are called, in the order of the tree."""
        self._shapes = {name: leaf.shape for name, leaf in leaves.items()}
        self.space: Space = Dict(
            {name: weights(leaf.shape, scale=scale or _scale(leaf), first=leaf) for name, leaf in leaves.items()}
        )
        """The space of a study of them: they begin where the tree stands."""
        # Which coordinates of θ each leaf is.
        numbers: dict[str, Any] = self.space.decode([], np.arange(self.space.numbers, dtype=float))
        self._starts = {name: int(array.flat[0]) for name, array in numbers.items()}

    def load(self, design: Any) -> Any:
        """The tree of a design, in single precision."""
        missing = [name for name in self.names if np.shape(design.get(name)) != self._shapes[name]]
        if missing:
            raise ValueError(f"the design is not of this tree: it has no {missing[0]} of {self._shapes[missing[0]]}")
        leaves = [jax.numpy.asarray(design[name], dtype=np.float32) for name in self.names]
        return jax.tree_util.tree_unflatten(self._form, leaves)

    def evaluate(self, function: Callable[[Any], Any]) -> Callable[[Batch], np.ndarray[Any, Any]]:
        """An objective of all candidates at once, for ``optimize(…, vectorized="candidates")``, from a
        function of one tree that JAX can trace. θ goes over as one matrix in single precision."""

        def of_row(row: Any) -> Any:
            return function(self._tree(row))

        compiled = jax.jit(jax.vmap(of_row))

        def objective(batch: Batch) -> np.ndarray[Any, Any]:
            return np.asarray(compiled(batch.thetas.astype(np.float32)), dtype=np.float64)

        return objective

    def _tree(self, row: Any) -> Any:
        leaves = []
        for name in self.names:
            start, shape = self._starts[name], self._shapes[name]
            leaves.append(row[start : start + int(np.prod(shape))].reshape(shape))
        return jax.tree_util.tree_unflatten(self._form, leaves)

    def __repr__(self) -> str:
        return f"Parameters({len(self.names)} leaves, {self.space.numbers} weights)"


def parameters(tree: Any, *, scale: float | None = None) -> Parameters:
    """The leaves of a tree of arrays (a dict, what Flax or Equinox has) as declared weights, which
    begin with their values. `scale` is how large a weight is, about: by default each leaf's own root mean
    square."""
    return Parameters(tree, scale)


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")


def _scale(leaf: Any) -> float:
    """The root mean square; of zeros, that of a layer as wide as its first axis."""
    size = float(np.sqrt(np.mean(np.square(leaf, dtype=np.float64)))) if leaf.size else 0.0
    return size if size > 0 else 1.0 / np.sqrt(max(leaf.shape[:1] or (1,))).item()
