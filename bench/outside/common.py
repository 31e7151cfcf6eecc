"""What every suite shares: a problem with a counted budget, runs, ranks and tables."""

import hashlib
import json
import math
import time
from dataclasses import dataclass, field
from pathlib import Path


class Spent(Exception):
    """The evaluations are used up."""


@dataclass
class Problem:
    """Choices `arities` and numbers within a box, of which the first `integers` are whole."""

    name: str
    cost: object
    low: list = field(default_factory=list)
    high: list = field(default_factory=list)
    integers: int = 0
    arities: list = field(default_factory=list)
    best: float = 0.0

    @property
    def dim(self):
        return len(self.low)


class Counted:
    """A problem with so many evaluations: `f(genes, x)` raises `Spent` when they are over."""

    def __init__(self, problem, evaluations):
        self.problem, self.left, self.trace = problem, evaluations, []

    def __call__(self, genes, x):
        if self.left == 0:
            raise Spent
        self.left -= 1
        box = zip(x, self.problem.low, self.problem.high, strict=True)
        x = [min(max(float(v), low), high) for v, low, high in box]
        x[: self.problem.integers] = [float(round(v)) for v in x[: self.problem.integers]]
        cost = float(self.problem.cost([int(g) for g in genes], x))
        best = self.trace[-1] if self.trace else math.inf
        self.trace.append(min(best, cost) if math.isfinite(cost) else best)
        return cost if math.isfinite(cost) else 1e300


def run(algorithm, problem, evaluations, seed):
    """The gap of the best point at each evaluation, and the CPU seconds spent."""
    counted, begun = Counted(problem, evaluations), time.process_time()
    try:
        algorithm(counted, evaluations, seed)
    except Spent:
        pass
    trace = counted.trace + counted.trace[-1:] * counted.left
    return [max(v - problem.best, 0.0) for v in trace], time.process_time() - begun


class Kept:
    """Results as lines of JSON: what is there is not run again, until the file is removed."""

    def __init__(self, path):
        self.path, self.rows = Path(path), {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                row = json.loads(line)
                self.rows[tuple(row["key"])] = row

    def get(self, key, make):
        """The row of `key`, made if it is not there."""
        key = tuple(map(str, key))
        if key not in self.rows:
            self.rows[key] = {"key": key, **make()}
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a") as out:
                out.write(json.dumps(self.rows[key]) + "\n")
        return self.rows[key]


def digest(*parts):
    """A seed that is the same everywhere, of what it is for."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:4])


def ranks(values, floor):
    """Ranks from 1, the mean one for equals; below `floor` all are equal."""
    values = [max(v, floor) for v in values]
    below = [sum(v < own for v in values) for own in values]
    same = [sum(v == own for v in values) for own in values]
    return [b + (s + 1) / 2 for b, s in zip(below, same, strict=True)]


def table(title, gaps, ours, floor=1e-8, cpu=None):
    """Mean ranks and win – loss of `ours` against each, of `gaps[name][run]`; losses are bold.

    Only runs that all have made are ranked.
    """
    names = sorted(gaps)
    runs = sorted(set.intersection(*(set(gaps[name]) for name in names)))
    if not runs:
        return f"### {title}\n\nNothing was run.\n"
    per_run = [ranks([gaps[name][at] for name in names], floor) for at in runs]
    mean = {n: sum(row[i] for row in per_run) / len(runs) for i, n in enumerate(names)}
    best = min(mean.values())
    head = f"| {len(runs)} runs | mean rank | {ours} ahead–behind–level | gap / {ours}'s |"
    lines = [f"### {title}", "", head, "|---|---:|---|---:|"]
    if cpu:
        lines[-2:] = [head + " CPU µs |", "|---|---:|---|---:|---:|"]
    for name in sorted(names, key=mean.get):
        pairs = [(max(gaps[ours][at], floor), max(gaps[name][at], floor)) for at in runs]
        ahead, behind = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
        logs = [max(-20.0, min(20.0, math.log(b / a))) for a, b in pairs]
        ratio = math.exp(sum(logs) / len(logs))
        won = "" if name == ours else f"{ahead}–{behind}–{len(runs) - ahead - behind}"
        won = f"**{won}**" if behind > ahead else won
        rank = f"**{mean[name]:.2f}**" if mean[name] == best else f"{mean[name]:.2f}"
        line = f"| {name} | {rank} | {won} | {ratio:.3g} |"
        lines.append(line + (f" {cpu[name]:.0f} |" if cpu else ""))
    return "\n".join(lines) + "\n"


def monotone(title, gaps, budgets):
    """Whether more is worse: the runs of each budget beside those of the next, which is larger."""
    lines = [f"### {title}: more is never worse", ""]
    lines += ["| from | to | better–worse–level | gap after / before |", "|---:|---:|---|---:|"]
    for less, more in zip(budgets, budgets[1:]):
        runs = sorted(set(gaps[less]) & set(gaps[more]))
        pairs = [(max(gaps[less][at], 1e-8), max(gaps[more][at], 1e-8)) for at in runs]
        better, worse = sum(b < a for a, b in pairs), sum(b > a for a, b in pairs)
        ratio = math.exp(sum(math.log(b / a) for a, b in pairs) / max(len(pairs), 1))
        won = f"{better}–{worse}–{len(pairs) - better - worse}"
        won = f"**{won}**" if ratio > 1 else won
        lines.append(f"| {less} | {more} | {won} | {ratio:.3g} |")
    return "\n".join(lines) + "\n"
