"""Drawings, for those who have matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from esenas.study import Study


def plot(study: Study, ax: Any) -> Any:
    """Best and centre against evaluations."""
    ax = _axes() if ax is None else ax
    history = study.history
    evaluations = history["total_evaluations"]
    centre = history["centre_mean"]
    known = centre == centre
    ax.plot(evaluations[known], centre[known], label="centre", linewidth=1, alpha=0.7)
    ax.plot(evaluations, history["best"], label="best")
    ax.set_xlabel("evaluations")
    ax.set_ylabel("value")
    ax.legend()
    return ax


def _axes() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plot() needs matplotlib: pip install matplotlib") from error
    return plt.subplots()[1]
