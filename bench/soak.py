"""A long time, compressed: what grows though it should not?

`python soak.py [--short]`, with a Python that has the package. A study of 10⁵ iterations and 10⁷ evaluations is
killed and run again every few seconds, while its page is open. Then a function of Python's kills, hangs and fills
its processes, thousands of times. Memory, descriptors, threads and files are counted all the while, and compared with
the bounds that stand here. The result must be the one of a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

COMMAND = [sys.executable, "-c", "import sys; from esenas._cli import main; sys.exit(main())"]
STUDY = """
seed = 1
stop = {{ iterations = {iterations} }}
problem = {{ kind = "synthetic", dimension = 24 }}
weights = {{ kind = "es", directions = 48 }}
centre = {{ evaluations = 4 }}
record = {{ every = 0 }}
"""
#: What may come on top of what there was after the first tenth.
MOST_MEMORY, MOST_DESCRIPTORS, MOST_THREADS = 30e6, 10, 2
#: Bytes of the directory for an iteration, and besides: the log, which is folded at 32 MB, may have
#: eight times that before a commit waits, and as much again while somebody reads.
EACH, BESIDES = 1000, 2 * 8 * 2**25
#: Bytes that a study in Python keeps for an iteration: its history.
KEPT = 1500


class Seen(NamedTuple):
    """What a process holds."""

    memory: float
    descriptors: int
    threads: int

    @classmethod
    def of(cls, pid: int) -> Seen:
        """Now."""
        status = Path(f"/proc/{pid}/status").read_text()
        read = {key: int(re.search(rf"{key}:\s+(\d+)", status)[1]) for key in ("VmRSS", "Threads")}
        return cls(1024 * read["VmRSS"], len(os.listdir(f"/proc/{pid}/fd")), read["Threads"])


class Watched:
    """The first tenth of what was seen, and the most since."""

    def __init__(self, name: str) -> None:
        self.name, self.first, self.most = name, Seen(0, 0, 0), Seen(0, 0, 0)

    def see(self, share: float, seen: Seen) -> None:
        """Another look, after such a share of the work."""
        if share < 0.1:
            self.first = Seen(*map(max, self.first, seen))
        self.most = Seen(*map(max, self.most, seen))

    def judge(self, kept: float = 0) -> bool:
        """Prints it, and whether it stayed within its bounds; `kept` bytes are no leak."""
        bounds = Seen(MOST_MEMORY + kept, MOST_DESCRIPTORS, MOST_THREADS)
        fine = all(
            most <= first + bound
            for first, most, bound in zip(self.first, self.most, bounds, strict=True)
        )
        print(
            f"| {self.name} | {self.first.memory / 1e6:.0f}, {self.most.memory / 1e6:.0f} MB "
            f"| {self.first.descriptors}, {self.most.descriptors} "
            f"| {self.first.threads}, {self.most.threads} | {'within' if fine else 'BEYOND'} |",
            flush=True,
        )
        return fine


def found(directory: Path) -> tuple[int, bytes]:
    """How many iterations are done, and all the bits that came of them."""
    import esenas

    study = esenas.Study.open(directory)
    history = {name: it for name, it in study.history.items() if "seconds" not in name}
    bits = b"".join(column.tobytes() for column in history.values())
    assert study.best is not None and study.theta is not None
    return study.iterations, bits + study.best.theta.tobytes() + study.theta.tobytes()


def size(directory: Path) -> int:
    """How much room it takes; its files come and go."""
    total = 0
    for file in directory.iterdir():
        with suppress(FileNotFoundError):
            total += file.stat().st_size
    return total


def page(address: str, name: str) -> None:
    """Looks at the page, as an open one does."""
    query = urllib.parse.urlencode({"name": name})
    for path in ("/", f"/study?{query}", f"/api/study?{query}", "/api/list"):
        with urllib.request.urlopen(f"{address}{path}", timeout=60) as answer:
            answer.read()


def restarts(home: Path, count: int) -> bool:
    """A study by the command, killed and run again, with its page open."""
    (home / "study.toml").write_text(STUDY.format(iterations=count))
    run = [*COMMAND, "run", str(home / "study.toml"), "--quiet", "--out"]
    kept = home / "runs/study"
    kept.parent.mkdir()
    view = subprocess.Popen(
        [*COMMAND, "view", str(home / "runs")], stdout=subprocess.PIPE, text=True
    )
    assert view.stdout is not None
    address = re.search(r"http://[\d.]+:\d+", view.stdout.readline())
    assert address is not None
    seen, kills, most = Watched("the page's server"), 0, 0
    try:
        done = 0
        while done < count:
            began = time.monotonic()
            process = subprocess.Popen([*run, str(kept)])
            try:
                while process.poll() is None and time.monotonic() < began + 1 + kills % 7 / 2:
                    time.sleep(0.2)
                    if done > 0:
                        page(address[0], "study")
                        seen.see(done / count, Seen.of(view.pid))
                        most = max(most, size(kept))
            finally:
                kills += process.poll() is None
                process.kill()
                process.wait()
            done = found(kept)[0]
    finally:
        view.terminate()
        view.wait()
    subprocess.run([*run, str(home / "undisturbed")], check=True)
    same, room = found(kept) == found(home / "undisturbed"), EACH * count + BESIDES
    fine = seen.judge() and same and most <= room
    folded = size(kept)
    print(
        f"{count:,} iterations, {100 * count:,} evaluations, {kills} kills; the directory at most "
        f"{most / 1e6:.0f} MB of {room / 1e6:.0f}, {folded / 1e6:.0f} in the end; the bits of a run without: {same}\n",
        flush=True,
    )
    return fine


def whole(home: Path, count: int) -> bool:
    """The same in one go, by the command and in Python."""
    (home / "study.toml").write_text(STUDY.format(iterations=count))
    process = subprocess.Popen(
        [*COMMAND, "run", str(home / "study.toml"), "--quiet", "--out", str(home / "whole")]
    )
    seen, began = Watched("the command"), time.monotonic()
    looks: list[Seen] = []
    while process.poll() is None:
        time.sleep(0.1)
        try:
            looks.append(Seen.of(process.pid))
        except (OSError, TypeError):
            break
    for at, look in enumerate(looks):
        seen.see(at / len(looks), look)
    fine = seen.judge() and process.wait() == 0
    print(f"{count:,} iterations in {time.monotonic() - began:.0f} s\n", flush=True)
    return fine


def troubled(model: Any, theta: Any) -> float:
    """Dies, hangs, or wants too much, now and then; the rest of the time it is quick."""
    trouble = abs(hash(theta.tobytes())) % 400
    if trouble == 0:
        os._exit(3)
    if trouble == 1:
        time.sleep(3600)
    if trouble == 2:
        bytearray(10**12)
    return -float(theta @ theta)


def processes(count: int) -> bool:
    """A function of Python's in processes that are killed and replaced."""
    import esenas

    study = esenas.Study(
        esenas.oneof(range(9)),
        dim=10,
        weights=esenas.ES(directions=48),
        centre={"evaluations": 4},
        failures={"share": 0.5},
        seed=1,
    )
    seen = Watched("processes of Python's")
    children: list[int] = []

    def look(it: esenas.Study) -> None:
        seen.see(it.iterations / count, Seen.of(os.getpid()))
        keeper = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        children.append(len(keeper))

    began = time.monotonic()
    study.optimize(
        troubled, iterations=count, processes=2, timeout=0.5, attempts=1, memory="2 GB",
        callbacks=[look],
    )
    failures = int(study.history["failures"].sum())
    fine = seen.judge(KEPT * count) and max(children) == 1
    left = subprocess.run(["pgrep", "-P", str(os.getpid())], capture_output=True, text=True).stdout
    print(
        f"{count:,} iterations, {100 * count:,} evaluations, {failures:,} failures in "
        f"{time.monotonic() - began:.0f} s; children at most {max(children)}\n",
        flush=True,
    )
    return fine and len(left.split()) <= 1


def stages(home: Path, short: bool) -> Iterator[bool]:
    """All of it."""
    yield whole(home, 20_000 if short else 100_000)
    yield restarts(home, 10_000 if short else 100_000)
    yield processes(100 if short else 10_000)


def main() -> None:
    """All of it, and whether it was fine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="minutes instead of hours")
    short = parser.parse_args().short
    print("| at first and at most | memory | descriptors | threads | bounds |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="esenas-soak-") as home:
        sys.exit(0 if all(list(stages(Path(home), short))) else 1)


if __name__ == "__main__":
    main()
