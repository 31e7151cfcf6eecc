"""The examples for trackers run, where the tracker is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

KEPT = {
    "mlflow": "mlflow.db",
    "wandb": "wandb/offline-run-*/*.wandb",
    "trackio": "**/*.db",
    "tensorboard": "events.out.tfevents.*",
}


@pytest.mark.parametrize("name", KEPT)
def test_a_study_is_tracked(name: str, root: Path, tmp_path: Path) -> None:
    pytest.importorskip(name)
    (tmp_path / "kept").mkdir()
    quiet = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, root / f"examples/trackers/{name}_example.py", tmp_path / "kept"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, **quiet, "TRACKIO_DIR": str(tmp_path / "kept")},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    kept = [it for it in (tmp_path / "kept").glob(KEPT[name]) if it.stat().st_size > 1000]
    assert kept, list((tmp_path / "kept").rglob("*"))
