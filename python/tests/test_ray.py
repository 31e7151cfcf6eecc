"""Ray: the same bits on a cluster, whatever happens to it. What is tried is in `cluster.py`."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import esenas
from cluster import TRIALS
from namespaces import has_namespaces

HERE = Path(__file__).resolve().parent


class Cluster:
    """The cluster that runs beside the tests, in a network of its own, and what it says."""

    def __init__(self, directory: str) -> None:
        self.log = Path(directory) / "log"
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "cluster.py"), directory],
            stdout=subprocess.PIPE,
            stderr=self.log.open("w"),
            text=True,
        )
        self.said: dict[str, str] = {}

    def wrong_with(self, trial: str) -> str:
        """Waits for the trial's turn."""
        assert self.process.stdout is not None
        while trial not in self.said:
            line = self.process.stdout.readline()
            if not line:
                return f"the cluster ended with {self.process.wait()}:\n{self.log.read_text()[-5000:]}"
            if line.startswith('{"trial"'):  # Ray talks, too
                said = json.loads(line)
                self.said[said["trial"]] = said["wrong"]
        return self.said[trial]


NOT_TESTED = (
    "RAY IS NOT TESTED: no network namespace can be made here, and Ray listens on every "
    "interface; the tests of FuturesExecutor stand in for it"
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Started once; it takes seconds."""
    if not has_namespaces():
        warnings.warn(NOT_TESTED, stacklevel=1)
        pytest.skip(NOT_TESTED)
    # A short path: there are sockets below it.
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as directory:
        cluster = Cluster(directory)
        yield cluster
        cluster.process.terminate()
        cluster.process.wait()


@pytest.mark.parametrize("trial", TRIALS)
def test_on_a_cluster(cluster: Cluster, trial: str) -> None:
    wrong = cluster.wrong_with(trial)
    assert not wrong, wrong


@pytest.mark.skipif(not has_namespaces(), reason=NOT_TESTED)
@pytest.mark.parametrize("guarded", [True, False])
def test_a_cluster_elsewhere_must_ask_for_the_token(guarded: bool) -> None:
    """Red when a driver joins a cluster that lets everybody in, or waits for it for ever; when a
    token of an earlier run is taken for the cluster's; and when `-q` lets Ray talk."""
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as directory:
        command = [sys.executable, str(HERE / "elsewhere.py"), directory, str(int(guarded))]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_clusters_that_anybody_can_use_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Red when a cluster elsewhere is trusted although nobody has to show a token."""
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for address in ("10.0.0.1:6379", "auto", "head:6379"):
        with pytest.raises(ValueError, match="no token(.|\n)*insecure"):
            esenas.RayExecutor(address)
        esenas.RayExecutor(address, insecure=True)
    for address in ("127.0.0.1:6379", "localhost:6379", "[::1]:6379", "local"):
        esenas.RayExecutor(address)
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "x")
    with pytest.raises(ValueError, match="no token"):
        esenas.RayExecutor("10.0.0.1:6379")
    monkeypatch.delenv("RAY_AUTH_MODE")
    esenas.RayExecutor("10.0.0.1:6379")
    assert os.environ["RAY_AUTH_MODE"] == "token", "else Ray would not use it there"


def test_nobody_at_an_address_is_said_at_once() -> None:
    """Red when Ray is left to try for minutes."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # Nobody listens.
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(esenas.StudyError, match=f"nobody answers at {address}"):
            esenas.Study(esenas.boolean(), dim=2).optimize(
                lambda m, t: 0.0, iterations=1, executor=esenas.RayExecutor(address)
            )
        assert time.monotonic() - began < 30


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="ray job submit"):
        esenas.RayExecutor("ray://head:10001")
    with pytest.raises(ValueError, match="workers"):
        esenas.RayExecutor(workers=0)
    with pytest.raises(ValueError, match="attempts"):
        esenas.RayExecutor(attempts=0)
    with pytest.raises(ValueError, match="module:factory"):
        esenas.Study(esenas.boolean(), dim=2).optimize("nothing", iterations=1)


def test_ray_is_needed_for_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Red when the package imports Ray by itself, or its absence is not explained."""
    loads = "import sys, esenas; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loads]).returncode == 0
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match="pip install"):
        esenas.Study(esenas.boolean(), dim=2).optimize(
            lambda m, t: 0.0, iterations=1, executor=esenas.RayExecutor()
        )
