"""Programs that have processes: what is left of them, and what their functions see."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import esenas
from objectives import bits, shifted, study
from troubled import ends

PROGRAM = """
import os, sys, time, subprocess, esenas

def slow(model, theta):
    child = subprocess.Popen(["sleep", "3600"])
    print("pid", os.getpid(), os.getppid(), child.pid, flush=True)
    return float(child.wait())

if __name__ == "__main__":
    study = esenas.Study(esenas.boolean(), dim=2, seed=1)
    processes = esenas.ProcessExecutor(2, start=sys.argv[1])
    study.optimize(slow, iterations=5, directory=sys.argv[2], executor=processes)
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_program_that_ends_leaves_nobody_behind(how: int, start: str, tmp_path: Path) -> None:
    """Red when a process, or what it started, outlives the program, however that ended."""
    program, temporary = tmp_path / "program.py", tmp_path / "tmp"
    program.write_text(PROGRAM)
    temporary.mkdir()
    command = [sys.executable, str(program), start, str(tmp_path / "run")]
    pids: set[int] = set()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        for _ in range(2):
            pids.update(int(pid) for pid in process.stdout.readline().split()[1:])
        assert len(pids) == 5, "two processes, what they started, and the one that started them"
        process.send_signal(how)
        process.communicate()
        assert all(ends(pid) for pid in pids)
    assert not list(temporary.iterdir())


MAIN = """
import sys, esenas

def f(model, theta):
    return -float(theta @ theta)

GUARD
    studies = []
    for executor in (None, esenas.ProcessExecutor(2, start=sys.argv[1])):
        study = esenas.Study(esenas.boolean(), dim=4, seed=1)
        study.optimize(f, iterations=3, executor=executor)
        studies.append(study.theta.tobytes())
    print(studies[0] == studies[1])
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_functions_of_the_program_itself(start: str, tmp_path: Path) -> None:
    """Red when a new process does not find what is defined in the program's own file."""
    program = tmp_path / "program.py"
    program.write_text(MAIN.replace("GUARD", 'if __name__ == "__main__":'))
    done = subprocess.run([sys.executable, str(program), start], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_a_program_without_a_guard_is_told(tmp_path: Path) -> None:
    """Red when every new process starts more of them."""
    program = tmp_path / "program.py"
    program.write_text(MAIN.replace("GUARD", "if True:"))
    done = subprocess.run([sys.executable, str(program), "spawn"], capture_output=True, text=True)
    assert done.returncode == 1 and "below `if __name__" in done.stderr, done.stderr


def test_what_a_function_prints_comes_through(tmp_path: Path) -> None:
    """Red when it is lost with the process, or what was printed before is printed by every
    copy."""
    program = tmp_path / "program.py"
    program.write_text(
        "import esenas\n"
        "print('once')\n"
        "def f(m, x):\n    print('called')\n    return 0.0\n"
        "made = {'weights': esenas.ES(directions=1), 'centre': {'evaluations': 0}}\n"
        "esenas.Study(esenas.boolean(), dim=1, **made)"
        ".optimize(f, iterations=1, processes=2)\n"
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert done.stdout.split() == ["once", "called", "called"], done.stderr


POOL = """
import sys, esenas
from concurrent.futures import ProcessPoolExecutor
from objectives import shifted, study
from troubled import slow

def say(it):
    print(it.iterations, flush=True)

if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        one = study()
        one.optimize(slow, iterations=1000, directory=sys.argv[1], executor=pool, callbacks=[say])
"""


def test_a_killed_program_with_a_pool_is_resumed_at_once(tmp_path: Path) -> None:
    """Red when processes of a pool, which outlive the program, hold the lock of the study."""
    program, directory = tmp_path / "program.py", tmp_path / "run"
    program.write_text(POOL)
    command = [sys.executable, str(program), str(directory)]
    environment = {**os.environ, "TROUBLE": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
        process.wait()
        try:
            assert list(tmp_path.glob("pid-*")), "there were some"
            there = study(iterations=1000, directory=directory)
            most = there.iterations + 3
            there.optimize(shifted, callbacks=[lambda it: it.iterations == most])
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    here = study()
    here.optimize(shifted, iterations=most)
    assert bits(here) == bits(there)


FORK = """
import os, sys
from objectives import bits, shifted, study

children = []

def fork(it):
    if it.iterations == 2:
        child = os.fork()
        if child > 0:
            print(os.waitpid(child, 0)[1])

one = study()
one.optimize(shifted, iterations=4, directory=sys.argv[1], callbacks=[fork])
if one.iterations == 4:
    other = study()
    other.optimize(shifted, iterations=4)
    print(bits(one) == bits(other))
"""


def test_a_copy_made_in_a_callback_cannot_write(tmp_path: Path) -> None:
    """Red when a copy of the program writes to the study too, or takes it from the program."""
    command = [sys.executable, "-c", FORK, str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True)
    first, same = done.stdout.split()[-2:]
    assert int(first) != 0 and same == "True", done.stderr
    assert "panicked" not in done.stderr, done.stderr
    assert esenas.Study.open(tmp_path / "run").iterations == 4
