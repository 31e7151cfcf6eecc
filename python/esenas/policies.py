r"""Classes of policies, for the setting `policy` of a problem.

What is not given is the paper's. Written by python/generate.py from the schema and the manual of
study files; change those."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from esenas._settings import Settings

__all__ = [
    "Circulant",
    "EdgePruning",
    "Masked",
    "Nonlinearity",
    "Quantization",
    "Toeplitz",
    "Unstructured",
]


class Unstructured(Settings):
    r"""`kind = "unstructured"`. A model chooses nothing, and θ holds a weight per edge, beside
    biases.

    `biases`: which vertices have a bias: `"none"`, `"hidden"`, `"all"` (default `"hidden"`)

    `hidden`: units of each hidden layer; `[]` makes a linear policy (default `[32]`)

    `residual`: whether edges may skip layers (default false)
    """

    section, kind = "policy", "unstructured"

    def __init__(
        self,
        *,
        biases: Literal["none", "hidden", "all"] | None = None,
        hidden: Sequence[Any] | None = None,
        residual: bool | None = None,
    ) -> None:
        super().__init__(biases=biases, hidden=hidden, residual=residual)


class Toeplitz(Settings):
    r"""`kind = "toeplitz"`. A model chooses nothing, and θ holds a weight per diagonal, beside
    biases.

    `biases`: which vertices have a bias: `"none"`, `"hidden"`, `"all"` (default `"hidden"`)

    `hidden`: units of each hidden layer; `[]` makes a linear policy (default `[32]`)

    `residual`: whether edges may skip layers (default false)
    """

    section, kind = "policy", "toeplitz"

    def __init__(
        self,
        *,
        biases: Literal["none", "hidden", "all"] | None = None,
        hidden: Sequence[Any] | None = None,
        residual: bool | None = None,
    ) -> None:
        super().__init__(biases=biases, hidden=hidden, residual=residual)


class Circulant(Settings):
    r"""`kind = "circulant"`. A model chooses nothing, and θ holds a weight per diagonal that wraps
    around, beside biases.

    `biases`: which vertices have a bias: `"none"`, `"hidden"`, `"all"` (default `"hidden"`)

    `hidden`: units of each hidden layer; `[]` makes a linear policy (default `[32]`)

    `residual`: whether edges may skip layers (default false)
    """

    section, kind = "policy", "circulant"

    def __init__(
        self,
        *,
        biases: Literal["none", "hidden", "all"] | None = None,
        hidden: Sequence[Any] | None = None,
        residual: bool | None = None,
    ) -> None:
        super().__init__(biases=biases, hidden=hidden, residual=residual)


class Masked(Settings):
    r"""`kind = "masked"`. A model chooses nothing, and θ holds a weight and a mask entry per edge,
    beside biases.

    `alpha`: what sharpens the mask (default 0.01)

    `anneal`: iterations until then (default 100)

    `beta`: the weight of the return against sparsity, once annealed from 1 (default 0.5)

    `biases`: which vertices have a bias: `"none"`, `"hidden"`, `"all"` (default `"hidden"`)

    `hidden`: units of each hidden layer; `[]` makes a linear policy (default `[32]`)

    `residual`: whether edges may skip layers (default false)

    `usage`: the share of edges in use to begin with (default 0.5)
    """

    section, kind = "policy", "masked"

    def __init__(
        self,
        *,
        alpha: float | None = None,
        anneal: int | None = None,
        beta: float | None = None,
        biases: Literal["none", "hidden", "all"] | None = None,
        hidden: Sequence[Any] | None = None,
        residual: bool | None = None,
        usage: float | None = None,
    ) -> None:
        super().__init__(
            alpha=alpha,
            anneal=anneal,
            beta=beta,
            biases=biases,
            hidden=hidden,
            residual=residual,
            usage=usage,
        )


class Quantization(Settings):
    r"""`kind = "quantization"`. A model chooses a colour per edge, and θ holds a weight per colour,
    beside biases.

    `biases`: which vertices have a bias: `"none"`, `"hidden"`, `"all"` (default `"hidden"`)

    `hidden`: units of each hidden layer; `[]` makes a linear policy (default `[32]`)

    `partitions`: how many distinct weights (default max(|S|, |A|))

    `residual`: whether edges may skip layers (default false)
    """

    section, kind = "policy", "quantization"

    def __init__(
        self,
        *,
        biases: Literal["none", "hidden", "all"] | None = None,
        hidden: Sequence[Any] | None = None,
        partitions: int | None = None,
        residual: bool | None = None,
    ) -> None:
        super().__init__(biases=biases, hidden=hidden, partitions=partitions, residual=residual)


class EdgePruning(Settings):
    r"""`kind = "edge-pruning"`. A model chooses edges, and θ holds a weight per edge that can be
    chosen, beside biases.

    `biases`: which vertices have a bias: `"none"`, `"hidden"`, `"all"` (default `"hidden"`)

    `edges`: how many edges; a list such as `[32, 32]` for so many from each layer on; `"any"`
    lets the model decide about each (default 64)

    `hidden`: units of each hidden layer; `[]` makes a linear policy (default `[32]`)

    `residual`: whether edges may skip layers (default false)
    """

    section, kind = "policy", "edge-pruning"

    def __init__(
        self,
        *,
        biases: Literal["none", "hidden", "all"] | None = None,
        edges: Any = None,
        hidden: Sequence[Any] | None = None,
        residual: bool | None = None,
    ) -> None:
        super().__init__(biases=biases, edges=edges, hidden=hidden, residual=residual)


class Nonlinearity(Settings):
    r"""`kind = "nonlinearity"`. A model chooses edges, and the function of each hidden unit, and θ
    holds a weight per edge that can be chosen, beside biases.

    `biases`: which vertices have a bias: `"none"`, `"hidden"`, `"all"` (default `"hidden"`)

    `edges`: how many edges; a list such as `[32, 32]` for so many from each layer on; `"any"`
    lets the model decide about each (default 64)

    `hidden`: units of each hidden layer; `[]` makes a linear policy (default `[32]`)

    `residual`: whether edges may skip layers (default false)
    """

    section, kind = "policy", "nonlinearity"

    def __init__(
        self,
        *,
        biases: Literal["none", "hidden", "all"] | None = None,
        edges: Any = None,
        hidden: Sequence[Any] | None = None,
        residual: bool | None = None,
    ) -> None:
        super().__init__(biases=biases, edges=edges, hidden=hidden, residual=residual)
