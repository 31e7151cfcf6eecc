"""MPI, for real: the example, with the MPI that comes from pip, in a network of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from namespaces import has_namespaces

HERE = Path(__file__).resolve().parent
#: Its own processes listen on every interface, too.
ALONE = "import os, sys; from namespaces import leave_network; leave_network(); os.execv(sys.argv[1], sys.argv[1:])"


def test_the_example_computes_the_same_bits(root: Path) -> None:
    """Red when an engine that ranks share changes what is computed."""
    pytest.importorskip("mpi4py")
    mpiexec = Path(sys.executable).parent / "mpiexec"
    if not mpiexec.exists() or not has_namespaces():
        pytest.skip("there is no mpiexec beside this Python, or no network namespace can be made here")
    example = ["-m", "mpi4py.futures", str(root / "examples/python_mpi.py")]
    words = [str(mpiexec), "-iface", "lo", "-n", "3", sys.executable, *example]
    done = subprocess.run([sys.executable, "-c", ALONE, *words], capture_output=True, text=True, cwd=HERE)
    assert done.returncode == 0, done.stderr
    assert "'frequency': 3.0" in done.stdout and "the same bits" in done.stdout, done.stdout
