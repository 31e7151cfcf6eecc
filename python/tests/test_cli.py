"""The console script, and that it computes what Python does."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import esenas
from objectives import bits

COMMAND = [sys.executable, "-c", "import sys; from esenas._cli import main; sys.exit(main())"]

STUDIES = {
    "synthetic": """
        seed = 4
        stop = { iterations = 6 }
        problem = { kind = "synthetic", dimension = 24 }
        weights = { kind = "es", directions = 8 }
    """,
    "bbob": """
        seed = 5
        stop = { iterations = 6 }
        problem = { kind = "bbob", function = "Rastrigin", d_cat = 4, d_con = 6, mode = "instance" }
        weights = { kind = "sep-cma-es" }
        controller = { kind = "asng" }
    """,
    "rl": """
        seed = 6
        stop = { iterations = 4 }
        problem = { kind = "rl", env = "Pendulum", horizon = 30, policy = { kind = "edge-pruning", hidden = [4], edges = 6 } }
        weights = { kind = "es", directions = 4 }
        centre = { evaluations = 3 }
    """,
}


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The console script, as a process of its own."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, cwd=cwd)


@pytest.mark.parametrize("name", STUDIES)
def test_the_command_and_python_compute_the_same_bits(name: str, tmp_path: Path) -> None:
    """Red when one of the two goes another way."""
    path = tmp_path / "study.toml"
    path.write_text(STUDIES[name])
    done = run("run", str(path), "--out", str(tmp_path / "cli"), "--workers", "2")
    assert done.returncode == 0, done.stderr
    there = esenas.Study.open(tmp_path / "cli")
    here = esenas.Study.load(path)
    here.optimize(threads=1)
    assert bits(here) == bits(there)
    kept = esenas.Study.load(path, directory=tmp_path / "python")
    kept.optimize(threads=2)
    assert bits(kept) == bits(there)
    for look in (["best", "--json"], ["export", "--format", "jsonl", "--rows", "evaluations"]):
        one, other = (run(*look, str(tmp_path / where)).stdout for where in ("cli", "python"))
        assert one == other and len(one) > 100


def test_what_python_began_the_command_goes_on_with(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDIES["synthetic"])
    straight = esenas.Study.load(path)
    straight.optimize()
    begun = esenas.Study.load(path, directory=tmp_path / "run")
    begun.optimize(callbacks=[lambda it: it.iterations == 2])
    del begun
    done = run("resume", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert bits(esenas.Study.open(tmp_path / "run")) == bits(straight)


def test_exit_codes_are_those_of_the_program(tmp_path: Path) -> None:
    assert run("--version").stdout.startswith("esenas ")
    refused = run("run", str(tmp_path / "nothing.toml"))
    assert refused.returncode == 2 and "nothing.toml" in refused.stderr


def test_ctrl_c_stops_the_command_which_saves(tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    path.write_text(STUDIES["synthetic"].replace("iterations = 6", "iterations = 100_000_000"))
    with subprocess.Popen(
        [*COMMAND, "run", str(path), "--out", str(tmp_path / "run")],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        # The first row of the table comes after the first iteration.
        assert any(line.split() and line.split()[0].isdigit() for line in process.stdout)
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 130
    assert esenas.Study.open(tmp_path / "run").iterations > 0
