"""Runs of a suite whose parts are settings: title, problems, budgets and algorithms.

All that a table shows at a budget is what a run of the largest had found by then, except for `auto`
itself: it is run for each budget, as users run it.
"""

import os
import tempfile

import common
import numpy as np


def measure(kept, title, problem, budgets, name, algorithm):
    """The gaps at the budgets, and CPU seconds per evaluation, of one algorithm on one problem."""
    seed = common.digest(title, problem.name)

    def whole(budget):
        gaps, seconds = common.run(algorithm, problem, budget, seed)
        at = [budget] if name == "auto" else budgets
        return {"gaps": {str(n): gaps[n - 1] for n in at}, "cpu": seconds / budget}

    key = (title, problem.name, name)
    if name == "auto":
        rows = [kept.get((*key, n), lambda n=n: whole(n)) for n in budgets]
        gaps = {n: row["gaps"][str(n)] for n, row in zip(budgets, rows, strict=True)}
        return gaps, rows[-1]["cpu"]
    row = kept.get(key, lambda: whole(budgets[-1]))
    return {n: row["gaps"][str(n)] for n in budgets}, row["cpu"]


def tables(name, settings, out):
    """Runs all settings of a suite; returns their tables, which OUT/NAME.md has as well."""
    kept, made = common.Kept(out / f"{name}.jsonl"), []
    for title, problems, budgets, algorithms in settings:
        gaps = {n: {a: {} for a in algorithms} for n in budgets}
        cpu = {a: [] for a in algorithms}
        for problem in problems:
            for who, algorithm in algorithms.items():
                try:
                    found, seconds = measure(kept, title, problem, budgets, who, algorithm)
                except ImportError as error:
                    print(f"skipped: {who}: {error}")
                    continue
                cpu[who].append(1e6 * seconds)
                for n in budgets:
                    gaps[n][who][problem.name] = found[n]
        mean = {a: sum(times) / len(times) for a, times in cpu.items() if times}
        for n in budgets:
            seen = {a: of for a, of in gaps[n].items() if of}
            made.append(common.table(f"{title}, {n:,} evaluations", seen, "auto", cpu=mean))
        own = {n: gaps[n]["auto"] for n in budgets}
        made.append(common.monotone(f"{title}, auto", own, budgets))
        (out / f"{name}.md").write_text("\n".join(made))
    return "\n".join(made)


def coco(suite, dim, instances, functions=range(1, 25)):
    """Problems of COCO, with what their best points are worth."""
    import cocoex

    here = os.getcwd()
    for function in functions:
        for instance in instances:
            which = f"dimensions: {dim} instance_indices: {instance} function_indices: {function}"
            problem = cocoex.Suite(suite, "", which)[0]
            with tempfile.TemporaryDirectory() as folder:
                # COCO writes the best point to a file where it stands.
                os.chdir(folder)
                try:
                    problem._best_parameter("print")
                    best = problem(np.loadtxt("._bbob_problem_best_parameter.txt"))
                finally:
                    os.chdir(here)
            yield common.Problem(
                f"f{function} i{instance}",
                lambda genes, x, problem=problem: problem(np.array(x)),
                list(map(float, problem.lower_bounds)),
                list(map(float, problem.upper_bounds)),
                problem.number_of_integer_variables,
                best=float(best),
            )
