"""A study below the cell of a notebook."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from esenas._types import FloatArray
    from esenas.study import Study

_WIDTH, _HEIGHT, _POINTS = 360, 80, 200
_LONGEST = 400  # characters of a model


def page(study: Study) -> str:
    """What it is, how far, and how good."""
    settings, best = study.settings, study.best
    sections = ("weights", "controller", "hybrid")
    rows = {
        "models": f"{study.space.size:.4g}",
        "d": str(study.dim),
        **{name: settings[name].get("kind", "") for name in sections if settings.get(name)},
        "iterations": str(study.iterations),
    }
    if best is not None:
        rows["best"] = f"{best.reported:.6g}"
        rows["model"] = _short(json.dumps(best.model))
    cells = "".join(
        f"<tr><th style='text-align:left'>{name}</th><td><code>{html.escape(text)}</code></td></tr>"
        for name, text in rows.items()
    )
    return f"<table>{cells}</table>{curve(study.history['best'])}"


def curve(values: FloatArray) -> str:
    """The best so far, against iterations."""
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return ""
    at = np.unique(np.linspace(0, len(values) - 1, _POINTS).astype(int))
    low, high = float(values.min()), float(values.max())
    span = (high - low) or 1.0
    points = " ".join(
        f"{_WIDTH * i / (len(values) - 1):.1f},{_HEIGHT * (high - values[i]) / span:.1f}" for i in at
    )
    said = f"best score, from {low:.6g} to {high:.6g} in {len(values)} iterations"
    return (
        f"<small>{said}</small><br>"
        f"<svg width='{_WIDTH}' height='{_HEIGHT + 4}' viewBox='0 -2 {_WIDTH} {_HEIGHT + 4}'>"
        f"<polyline points='{points}' fill='none' stroke='#1f77b4' stroke-width='1.5'/></svg>"
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
