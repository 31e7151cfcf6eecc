"""Hybrid BBOB problems, evaluated by `esenas bbob value`: one process, a line of JSON per batch."""

import json
import subprocess


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

    def scale(self, budget, seed):
        """The largest gap a random search saw, and the least cost there is."""
        return self._ask(scale=[budget, seed])

    def costs(self, points):
        """Of points, each (categories, weights)."""
        return self._ask(points=[[*map(int, c), *map(float, x)] for c, x in points])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Spent(Exception):
    """The budget is used up."""


class Counter:
    """Counts evaluations and keeps the best after so many; the first one is the start's."""

    def __init__(self, problem, seed, marks):
        self.problem, self.budget = problem, max(marks)
        self.marks = {mark: None for mark in marks}
        self.start = problem.start(seed)
        self.done, self.best = 0, float("inf")
        self(*self.start)

    def __call__(self, categories, weights):
        return self.batch([(categories, weights)])[0]

    def batch(self, points):
        room = self.budget - self.done
        if room <= 0:
            raise Spent
        costs = self.problem.costs(points[:room])
        for cost in costs:
            self.done += 1
            self.best = min(self.best, cost)
            if self.done in self.marks:
                self.marks[self.done] = self.best
        if len(costs) < len(points):
            raise Spent
        return costs
