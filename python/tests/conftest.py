"""What all tests share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# Worker processes import objectives from here, however they are started.
os.environ["PYTHONPATH"] = os.pathsep.join(
    part for part in (str(HERE), os.environ.get("PYTHONPATH")) if part
)
sys.path.insert(0, str(HERE))


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT
