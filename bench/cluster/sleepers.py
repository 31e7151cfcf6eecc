"""Objectives that take their time and no processor: many workers on few cores are honest with them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np


def value(model: Any, theta: np.ndarray) -> float:
    """Something that depends on all of θ."""
    return -float(np.abs(theta - model).sum())


def ten(model: Any, theta: np.ndarray) -> float:
    """10 ms."""
    time.sleep(0.010)
    return value(model, theta)


def forty(model: Any, theta: np.ndarray) -> float:
    """40 ms."""
    time.sleep(0.040)
    return value(model, theta)


def hundred(model: Any, theta: np.ndarray) -> float:
    """100 ms."""
    time.sleep(0.100)
    return value(model, theta)
