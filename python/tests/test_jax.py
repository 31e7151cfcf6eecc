"""Trees of JAX as declared weights: in a process of their own, since a process with JAX's threads should not
be copied, and other tests copy this one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize("options", [["jax_trees.py"], ["--doctest-modules", "../esenas/jax.py"]])
def test_trees_of_jax(options: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", *options], capture_output=True, text=True, cwd=HERE)
    assert done.returncode == 0, done.stdout
