"""The tutorials: every block of Python is run, and prints what the page shows."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from namespaces import has_namespaces

TUTORIALS = Path(__file__).resolve().parents[2] / "docs/tutorials"
PAGES = sorted(it.stem for it in TUTORIALS.glob("*.md"))

#: Ray listens on every interface, so its page has a network of its own.
ALONE = """
import sys
sys.path.append({tests!r})
from namespaces import keep_to, leave_network
leave_network()
keep_to({home!r})
sys.path.insert(0, "")
"""


def blocks(page: str, language: str) -> list[str]:
    text = (TUTORIALS / f"{page}.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.M | re.S)


def test_there_are_tutorials_with_pictures() -> None:
    """Red when one is written without a picture at its end or an advice what to try next."""
    assert len(PAGES) >= 3
    for page in PAGES:
        text = (TUTORIALS / f"{page}.md").read_text()
        assert re.search(r"!\[.+\]\((\w+\.(svg|png))\)", text, flags=re.S), page
        assert "\n## What to try next\n" in text, page


@pytest.mark.parametrize("page", PAGES)
def test_a_tutorial_runs_and_prints_what_it_shows(page: str, tmp_path: Path) -> None:
    # Ray's sockets lie below its home, and the path of a socket is short.
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as home:
        play(page, home, tmp_path)


def play(page: str, home: str, folder: Path) -> None:
    program = "\n".join(blocks(page, "python"))
    if "ray.cluster_utils" in program:
        if not has_namespaces():
            pytest.skip("no network namespace can be made here, and Ray listens on every interface")
        program = ALONE.format(tests=str(Path(__file__).parent), home=home) + program
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-4000:]
    printed = iter(done.stdout.splitlines())
    for line in "".join(blocks(page, "text")).splitlines():
        assert line in printed, f"the page shows {line!r}, which is not printed:\n{done.stdout}"
