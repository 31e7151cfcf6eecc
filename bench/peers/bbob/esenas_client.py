"""Hybrid BBOB problems, evaluated by `esenas bbob value`: one process, a line of JSON per batch."""

import json
import math
import subprocess
import time


class Problem:
    """A function of d_cat categories (numbers 0..10) and d_con weights in [-5, 5], to be minimized."""

    def __init__(self, program, function, d_cat, d_con, mode, instance):
        self.named = {"function": function, "d_cat": d_cat, "d_con": d_con, "mode": mode, "seed": instance}
        self.d_cat, self.d_con = d_cat, d_con
        self.process = subprocess.Popen(
            [program, "bbob", "value"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def _ask(self, **wanted):
        self.process.stdin.write(json.dumps(self.named | wanted) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("esenas has ended; see its message above")
        return json.loads(line)

    def start(self, seed):
        """The point where every algorithm of this seed begins: (categories, weights)."""
        point = self._ask(start=seed)
        return [int(c) for c in point[: self.d_cat]], point[self.d_cat :]

    def costs(self, points):
        """Of points, each (categories, weights)."""
        return self._ask(points=[[*map(int, c), *map(float, x)] for c, x in points])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Spent(Exception):
    """The budget is used up."""


class Counter:
    """Counts evaluations and keeps the best cost after so many; the first one is the start's.

    `inside` is the CPU time this process spent in asking for costs, which is not the optimizer's; `elsewhere` that
    of an optimizer in a process of its own.
    """

    def __init__(self, problem, seed, marks, limit=math.inf):
        self.problem, self.budget, self.limit = problem, max(marks), limit
        self.marks = {mark: None for mark in marks}
        self.start = problem.start(seed)
        self.since, self.inside, self.elsewhere = time.process_time(), 0.0, 0.0
        self.done, self.best = 0, math.inf
        self(*self.start)

    def own(self):
        """The CPU time of the optimizer alone."""
        return time.process_time() - self.since - self.inside + self.elsewhere

    def __call__(self, categories, weights):
        return self.batch([(categories, weights)])[0]

    def batch(self, points):
        room = self.budget - self.done
        if room <= 0 or self.own() > self.limit:
            raise Spent
        begun = time.process_time()
        costs = self.problem.costs(points[:room])
        self.inside += time.process_time() - begun
        for cost in costs:
            self.done += 1
            self.best = min(self.best, cost)
            if self.done in self.marks:
                self.marks[self.done] = self.best
        if len(costs) < len(points):
            raise Spent
        return costs
