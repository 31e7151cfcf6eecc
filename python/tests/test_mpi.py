"""MPI, for real: the example, with the MPI that comes from pip, in a network of its own."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from namespaces import has_namespaces

HERE = Path(__file__).resolve().parent
#: Its own processes listen on every interface, too.
ALONE = "import os, sys; from namespaces import leave_network; leave_network(); os.execv(sys.argv[1], sys.argv[1:])"


def on_three_ranks(*words: str) -> subprocess.CompletedProcess[str]:
    """Python with these words, in three processes of MPI's."""
    mpiexec = [str(Path(sys.executable).parent / "mpiexec"), "-iface", "lo", "-n", "3"]
    command = [sys.executable, "-c", ALONE, *mpiexec, sys.executable, *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=HERE)


def test_the_example_computes_the_same_bits(root: Path) -> None:
    """Red when an engine that ranks share changes what is computed."""
    pytest.importorskip("mpi4py")
    if not has_namespaces() or on_three_ranks("-m", "mpi4py.bench", "helloworld").returncode != 0:
        lack = "MPI IS NOT TESTED: it does not run here, by itself or in a network of its own"
        warnings.warn(lack, stacklevel=1)
        pytest.skip(lack)
    done = on_three_ranks("-m", "mpi4py.futures", str(root / "examples/python_mpi.py"))
    assert done.returncode == 0, done.stderr
    assert "'frequency': 3.0" in done.stdout and "the same bits" in done.stdout, done.stdout
