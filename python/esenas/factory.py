"""Objectives by name: made where they are used."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["Factory"]


class Factory:
    """The objective that `factory()` in `module` returns, called once in every process that evaluates.

    Only the name travels, so an objective can hold what cannot be sent: a simulator, a file, a device.

    >>> from esenas.factory import Factory
    >>> Factory("operator:neg")
    Factory('operator:neg')
    """

    def __init__(self, name: str) -> None:
        module, colon, factory = name.partition(":")
        if not (module and colon and factory):
            raise ValueError(f"an objective's name is module:factory, as in problems:make; got {name!r}")
        self.name = name
        self._made: Callable[..., Any] | None = None

    def __call__(self, *given: Any, seed: Any = None, seeds: Any = None) -> Any:
        """As the function that was made."""
        made = self.make()
        seeded = {"seed": seed, "seeds": seeds}
        more = {name: it for name, it in seeded.items() if it is not None and name in self._takes}
        return made(*given, **more)

    def make(self) -> Callable[..., Any]:
        """The function, made when it is first asked for."""
        if self._made is None:
            module, _, factory = self.name.partition(":")
            self._made = getattr(importlib.import_module(module), factory)()
            self._takes = inspect.signature(self._made).parameters
        return self._made

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "_made": None}

    def __repr__(self) -> str:
        return f"Factory({self.name!r})"


def ready(function: Callable[..., Any]) -> None:
    """Makes what is to be made, before it is needed."""
    if isinstance(function, Factory):
        function.make()
