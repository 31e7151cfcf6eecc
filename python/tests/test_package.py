"""The package itself: types, documentation, examples."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import esenas

MODULES = ["esenas", *(f"esenas.{it.name}" for it in pkgutil.iter_modules(esenas.__path__))]


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A process of this interpreter."""
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=cwd)


#: Those of JAX run in a process of their own: test_jax.py.
ELSEWHERE = ("esenas._pyglove", "esenas.jax", "esenas.ray")


@pytest.mark.parametrize("name", [it for it in MODULES if it not in ELSEWHERE])
def test_examples_in_docstrings_run(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_examples() -> None:
    """Red when doctests are no longer found."""
    finder = doctest.DocTestFinder()
    found = [it for name in ("esenas.spaces", "esenas.study") for it in finder.find(importlib.import_module(name))]
    assert sum(bool(it.examples) for it in found) > 8


def run_blocks(page: Path, least: int, folder: Path) -> str:
    """Runs every block of Python of a page, one after the other; what they print."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.M | re.S)
    assert len(blocks) >= least
    program = folder / "page.py"
    program.write_text("\n".join(blocks))
    done = run(str(program), cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_runs(root: Path, tmp_path: Path) -> None:
    said = run_blocks(root / "docs/python.md", 9, tmp_path)
    assert "24576 9" in said and "did you mean `hadamard`" in said


PAGES = ["start/ten-minutes", "start/reading", "guides/choosing", "guides/noise", "guides/constraints", "guides/from-optuna",
         "guides/from-pyglove", "guides/your-environment", "guides/your-network"]


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_for_newcomers_run(root: Path, tmp_path: Path, page: str) -> None:
    run_blocks(root / f"docs/{page}.md", 1, tmp_path)


def test_the_version_is_the_programs(tmp_path: Path) -> None:
    """Red when the package and the native half are of different releases."""
    assert esenas._native.version().startswith(f"esenas {esenas.__version__}, form ")
    assert not hasattr(esenas, "__versions__")


def test_an_installed_package_works_and_is_imported_fast(root: Path, tmp_path: Path) -> None:
    done = run(str(root / "python/tests/installed.py"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "first result after" in done.stdout


# What each prints, with a number that a search which learns nothing does not reach.
EXAMPLES = {
    "python_design": r"score=13",
    "python_supernet": r"declared: error 0\.0",
    "python_schedule": r"by date 275.*found (9\d|1\d\d), ",
    "python_quantized": r"error 0\.0\d+ with \d\d bits",
    "python_policy": r"after   1: mean return -(9\d\d|1\d\d\d).*after 400: mean return -[4-7]\d\d ",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_run(root: Path, tmp_path: Path, name: str) -> None:
    done = run(str(root / f"examples/{name}.py"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(EXAMPLES[name], done.stdout, re.DOTALL), done.stdout


def test_the_readme_runs(root: Path, tmp_path: Path) -> None:
    run_blocks(root / "README.md", 1, tmp_path)


def test_the_notebook_runs(root: Path, tmp_path: Path) -> None:
    """Its cells, one after the other. They are kept without what they showed."""
    cells = json.loads((root / "examples/python_notebook.ipynb").read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 4 and not any(cell["outputs"] or cell["execution_count"] for cell in code)
    program = tmp_path / "notebook.py"
    program.write_text("\n".join("".join(cell["source"]) for cell in code) + "\nprint(best.model)")
    done = run(str(program), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "{'frequency': 3, 'shape': 'sin'}\n"


@pytest.mark.parametrize("more", [[], ["--processes", "2"]])
def test_the_example_runs(root: Path, tmp_path: Path, more: list[str]) -> None:
    script = str(root / "examples/python_quickstart.py")
    done = run(script, "--iterations", "40", *more, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    error = re.match(r"mean squared error ([0-9.]+) with \{", done.stdout)
    assert error is not None and float(error[1]) < 0.5


def test_types_are_whole_and_agree_with_the_module(root: Path, tmp_path: Path) -> None:
    """Red when the stubs are not those of the native module, or a type is wrong or missing."""
    assert (root / "python/esenas/py.typed").exists()
    cache = ["--cache-dir", str(tmp_path / "mypy")]
    done = run("-m", "mypy", *cache, "--config-file", "pyproject.toml", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    os.environ["MYPYPATH"] = str(root / "python")
    options = ["--mypy-config-file", "pyproject.toml"]
    done = run("-m", "mypy.stubtest", "esenas._native", *options, cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_public_is_documented() -> None:
    for name in esenas.__all__:
        it = getattr(esenas, name)
        assert (it.__doc__ or "").strip(), name
