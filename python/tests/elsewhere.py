"""A Ray cluster at an address that is not this machine's, as far as anybody can tell.

`python elsewhere.py DIRECTORY 0|1` starts one that asks for a token, or does not, in a network of
its own, and tries to use it with a token file that a run of this machine alone left behind. All of
it ends with this process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from namespaces import keep_to, leave_network

HERE = "10.9.9.1"
ADDRESS = f"{HERE}:6401"
STUDY = """
seed = 4
stop = { iterations = 3 }
problem = { kind = "synthetic", dimension = 24 }
weights = { kind = "es", directions = 8 }
"""


def run(home: Path, *words: str, **environment: str) -> tuple[subprocess.CompletedProcess[str], float]:
    """The command, and how long it took."""
    began = time.monotonic()
    code = "import sys; from esenas._cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "run", str(home / "study.toml"), "--quiet", *words]
    command += ["--executor", f"ray={ADDRESS}"]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=500
    )
    return done, time.monotonic() - began


def said(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What it printed though it was to be quiet; that this network has no way out is warned of."""
    return [line for line in done.stderr.splitlines() if "network_util.cc" not in line]


def main() -> None:
    """Starts it, tries, ends it."""
    home, guarded = Path(sys.argv[1]), sys.argv[2] == "1"
    leave_network(HERE)
    keep_to(str(home))
    token = os.environ.pop("RAY_AUTH_TOKEN")
    del os.environ["RAY_AUTH_MODE"]
    kept = home / ".ray/auth_token"
    kept.parent.mkdir()
    kept.write_text(token)
    (home / "study.toml").write_text(STUDY)
    head = subprocess.Popen(
        [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", "--port=6401"]
        + [f"--node-ip-address={HERE}", "--include-dashboard=false", "--num-cpus=2"]
        + ["--object-store-memory=80000000"],
        env={**os.environ, "RAY_AUTH_MODE": "token" if guarded else "disabled"},
        stdout=subprocess.DEVNULL,
    )
    try:
        tried(home, guarded)
    finally:
        head.terminate()
        head.wait()


def tried(home: Path, guarded: bool) -> None:
    """What becomes of a run there."""
    deadline = time.monotonic() + 300
    while True:
        # It takes seconds until somebody answers.
        done, seconds = run(home, "--out", str(home / "run"))
        if "nobody answers" not in done.stderr or time.monotonic() > deadline:
            break
        assert seconds < 30, seconds
        time.sleep(1)
    if guarded:
        assert done.returncode == 0, done.stderr
        assert not said(done), done.stderr
        return
    assert done.returncode == 2 and "lets everybody in" in done.stderr, done.stderr
    done, _ = run(home, "--out", str(home / "run"), RAY_AUTH_MODE="token")
    assert done.returncode == 2 and "lets everybody in" in done.stderr, done.stderr
    done, _ = run(home, "--out", str(home / "run"), "--insecure", RAY_AUTH_MODE="token")
    assert done.returncode == 2 and "lets everybody in" in done.stderr, done.stderr
    done, _ = run(home, "--out", str(home / "run"), "--insecure")
    assert done.returncode == 0, done.stderr
    assert not said(done), done.stderr


if __name__ == "__main__":
    main()
