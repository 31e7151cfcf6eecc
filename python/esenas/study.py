"""A study: a space, weights, what optimizes them, and what came of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from esenas import _native
from esenas._sections import callable_problem, known, limits_of, run_of
from esenas._settings import to_json
from esenas._types import FloatArray
from esenas.candidates import Answer, Batch, Best, Candidate, FrontDesign, Kept, as_array
from esenas.errors import StudyError
from esenas.executors import Executor, Task, as_executor
from esenas.objectives import Adapter, told
from esenas.processes import in_processes
from esenas.progress import Progress, shown
from esenas.spaces import Space

__all__ = ["Study"]

Settings = Mapping[str, Any]
Path = str | os.PathLike[str]


class Study:
    """Optimizes f(design) over the designs of `space`, choices and numbers alike. Values are maximized,
    or with ``direction="minimize"`` minimized, and shown as they are given.

    With `dim`, θ is an array of so many coordinates beside the models of `space`, and the function is
    f(model, θ).

    `weights` optimizes θ and `controller` m: any of :mod:`esenas.algorithms`. Where one of them, or
    both, are not given, rules choose when the first candidates are asked for (`choice` says what).
    They may be told of `noise` in the values and of the `batch` of evaluations that can be made at
    once; with ``preset="paper"`` it is the paper's instead.

    `start` is a design to begin at. With a `dim` it is the first θ: ``"zeros"``, ``"uniform"`` within
    `bounds`, ``{"gaussian": 0.1}`` or an array, or `(model, theta)`. A study in a directory, or the
    path of one, goes on from that run: from its θ, its controller, and the filter of its policies. `bounds` is `(low, high)`, or one such pair per coordinate; `steps`, one for all or one per
    coordinate, puts coordinates on a grid that begins at the low end of their bounds, 0 leaving them
    continuous. With a `dim` of 0 there are choices alone.

    `constraints` are limits on numbers that evaluations measure, by name, each ``{"at_most": x}``,
    ``{"at_least": x}`` or both: then the function returns a dict, ``{"value": v, "constraints": {name:
    number}}``, and the best is the best that keeps to all. With ``failures={"infeasible": True}`` a
    candidate that cannot be evaluated is worse than all others, instead of unknown.

    With `objectives`, two to four names, there are several goals; a minus before a name minimizes it. The
    function returns a list of values in that order, and :attr:`front` has the designs that nobody dominates.

    Instead of `space` and `dim`, `problem` names one that brings its own objective: any of
    :mod:`esenas.problems`.

    The rest is for those who choose how to search; each is a section or key of a study file, with the
    same names in it: `centre`, evaluations at θ itself (`evaluations`, `every`, `models`, `teaches`);
    `pairing`, which models the probes have; `baseline`, what is subtracted from values before θ learns;
    `subsample`, how many values the controller is shown; `constraint`, a cost that counts against the
    value (`cost`, `target`, `exponent`, `offset`); `hybrid`, evolution over models and weights together
    (`evolution`, `population`, `mutation_scale`); `front`, how several objectives are searched
    (`population`, `children`, `crossover`, `mutation`); `failures` (`share`, `retries`, `infeasible`); and
    `record`, which evaluations are written down one by one (`every`, `centre`).

    The study ends after `iterations`, `evaluations`, `wall_time` (seconds, or text such as ``"90m"``), at
    a value of `target`, or after `stagnation` iterations without a better one; which may also be said
    when it runs. In a `directory` it survives whatever ends the program, and goes on when the same study
    is made there again.

    >>> import esenas
    >>> study = esenas.Study(esenas.oneof(["a", "b"]), dim=5, seed=7)
    >>> for _ in range(3):
    ...     batch = study.ask()
    ...     study.tell([-float(c.theta @ c.theta) for c in batch])
    >>> study.iterations
    3
    """

    def __init__(
        self,
        space: Any = None,
        dim: int | None = None,
        *,
        weights: Settings | None = None,
        controller: Settings | None = None,
        problem: Settings | None = None,
        seed: int = 0,
        direction: str | None = None,
        bounds: Any = None,
        steps: Any = None,
        start: Any = None,
        objectives: Sequence[str] | None = None,
        constraints: Mapping[str, Mapping[str, float]] | None = None,
        noise: bool | None = None,
        batch: int | None = None,
        preset: Literal["auto", "paper"] | None = None,
        centre: Settings | None = None,
        pairing: Literal["independent", "shared", "held"] | None = None,
        baseline: Literal["off", "additive"] | None = None,
        subsample: int | None = None,
        constraint: Settings | None = None,
        hybrid: Settings | None = None,
        front: Settings | None = None,
        failures: Settings | None = None,
        record: Settings | None = None,
        name: str = "",
        iterations: int | None = None,
        evaluations: int | None = None,
        wall_time: float | str | None = None,
        target: float | None = None,
        stagnation: int | None = None,
        directory: Path | None = None,
    ) -> None:
        chosen: dict[str, Any] = {"seed": seed}
        run, start = run_of(start)
        if run is not None:
            chosen["warm_start"] = run
        if problem is None:
            if space is None:
                raise ValueError("a study needs a space, or a problem that has one")
            chosen["problem"], designs = callable_problem(space, dim, bounds, steps, start, name)
            if designs:
                chosen["designs"] = designs
        elif any(given is not None for given in (space, dim, bounds, steps, start)):
            raise ValueError("a problem brings space, dim, bounds, steps and start: leave them out")
        else:
            chosen["problem"] = problem
        facts = {"noise": noise, "batch": batch}
        auto = {key: value for key, value in facts.items() if value is not None}
        sections = {
            "direction": direction,
            "objectives": None if objectives is None else _names(objectives),
            "constraints": constraints,
            "weights": weights,
            "controller": controller,
            "auto": auto or None,
            "preset": preset,
            "centre": centre,
            "pairing": pairing,
            "baseline": baseline,
            "subsample": subsample,
            "constraint": constraint,
            "hybrid": hybrid,
            "front": front,
            "failures": failures,
            "record": record,
        }
        chosen |= {key: value for key, value in sections.items() if value is not None}
        chosen["stop"] = limits_of(iterations, evaluations, wall_time, target, stagnation)
        text = to_json(chosen)
        self._native = _native.Study.new(text, None if directory is None else os.fspath(directory))
        self._kept = Kept()

    @classmethod
    def _of(cls, native: _native.Study) -> Self:
        study = cls.__new__(cls)
        study._native = native
        study._kept = Kept()
        return study

    @classmethod
    def load(
        cls, path: Path, overrides: Iterable[str] = (), *, directory: Path | None = None
    ) -> Self:
        """The study in a file, as `esenas run` takes it; `overrides` are those of `--set`."""
        kept = None if directory is None else os.fspath(directory)
        return cls._of(_native.Study.load(os.fspath(path), list(overrides), kept))

    @classmethod
    def open(cls, directory: Path) -> Self:
        """The study that is kept in a directory, by whichever program, to look at or to go on with."""
        return cls._of(_native.Study.stored(os.fspath(directory)))

    # -- ask and tell

    def ask(self, n: int | None = None) -> Batch:
        """The candidates of the next iteration. They are the same until they are told.

        With `n`, at most so many of them, which nobody was given yet: none, if all are out. So several
        workers, or a laboratory, can take what they have room for, and tell it when they have it.

        >>> import esenas
        >>> study = esenas.Study(esenas.oneof(["a", "b"]), dim=5, seed=7)
        >>> some = study.ask(2)
        >>> study.tell([1.5, None], some)
        >>> len(some), study.iterations
        (2, 0)
        """
        if n is None:
            return Batch(self._native.ask(), kept=self._kept)
        if n < 0:
            raise ValueError(f"n must be at least 0, got {n}")
        native, first, count = self._native.give(n)
        return Batch(native, range(first, first + count), self._kept)

    def tell(
        self, results: Any, candidates: Candidate | Sequence[Candidate] | None = None
    ) -> None:
        """What became of the candidates, in their order: values, `None` or exceptions for those that
        failed, or dicts with `value`, `score`, `metrics`, `constraints` and `cost`.

        Without `candidates` these are all of the last :meth:`ask`. With some, or with one and its result,
        the study learns once all of the iteration are told, or :meth:`give_up` says that no more will
        come. What was not asked for, or told before, is refused. What is told of an iteration that is not
        whole yet is not kept: after an interruption the same candidates are asked for again."""
        if candidates is not None:
            self._tell_some(results, candidates)
            return
        untold = self._native.untold
        if untold is None:
            raise ValueError(
                "there is nothing to tell: ask() for candidates first, and tell each batch once"
            )
        self._native.tell(told(results, untold))

    def _tell_some(self, results: Any, candidates: Candidate | Sequence[Candidate]) -> None:
        if isinstance(candidates, Candidate):
            results, candidates = [results], [candidates]
        said = told(results, len(candidates))
        iterations = {candidate.iteration for candidate in candidates}
        if len(iterations) > 1:
            raise ValueError(f"candidates of several iterations are told at once: {sorted(iterations)}")
        pairs = [(it.index, result) for it, result in zip(candidates, said, strict=True)]
        for iteration in iterations:
            self._native.tell_some(iteration, pairs)

    def give_up(self) -> bool:
        """Ends the iteration that was asked for: candidates that were not told count as not evaluated.
        Whether there was one."""
        return self._native.give_up()

    # -- optimize

    def optimize(
        self,
        function: Callable[..., Any] | str | None = None,
        *,
        iterations: int | None = None,
        evaluations: int | None = None,
        wall_time: float | str | None = None,
        target: float | None = None,
        stagnation: int | None = None,
        vectorized: bool | Literal["candidates"] = False,
        executor: Any = None,
        threads: int | None = None,
        processes: int | None = None,
        timeout: float | None = None,
        attempts: int | None = None,
        memory: int | str | None = None,
        directory: Path | None = None,
        progress: bool | None = None,
        callbacks: Iterable[Callable[[Study], Any]] = (),
        batch: None = None,
    ) -> Best:
        """Evaluates until the study ends, and returns the best.

        `function(design)`, or `function(model, theta)` of a study with a `dim`, is called for every candidate,
        or if it is `vectorized` for all of an iteration at once, as `function(designs)` or `function(models,
        thetas)`, the latter one row per candidate; with ``vectorized="candidates"`` as `function(batch)`, which has
        written nothing out yet. If it has a parameter named `seed` (`seeds`), it gets a
        number there that randomness of its own should come from, so that the study can be repeated. It
        returns a number (a list of them, of a study with several objectives), or a dict with `value` and maybe `score` (what is reported instead), `metrics`
        (other numbers to keep), `constraints` (what the study has limits for) and `cost`; `None` or an
        exception says that it has no value. Or the function is named, ``"module:factory"``, and made in every
        process that evaluates. A problem that has its own objective needs none: it is evaluated
        natively, on all cores or so many `threads`. With `processes` a function is called in so many processes
        of its own, which may take `timeout` seconds for each evaluation and `memory` bytes, and are killed and
        replaced otherwise, `attempts` times for each: see :class:`esenas.ProcessExecutor`. With `executor`
        evaluations happen elsewhere: any executor of `concurrent.futures`, or one of :mod:`esenas.executors`.

        `iterations` and the other limits are of the whole study, not of this call. `callbacks` are called
        with the study after every iteration; one that returns True, or raises `StopIteration`, ends it.
        An exception in the function is a failed evaluation, recorded with its traceback. After a
        `KeyboardInterrupt` the study is as it was after its last whole iteration, and can go on.
        """
        if batch is not None:
            raise ValueError(
                "batch says how many evaluations an iteration has, to Study(); "
                "a function of all candidates at once is vectorized=True"
            )
        self._limit(limits_of(iterations, evaluations, wall_time, target, stagnation), directory)
        bounds = {"timeout": timeout, "attempts": attempts, "memory": memory}
        executor = in_processes(executor, processes, threads, bounds)
        remote = self._evaluated_by(function, vectorized, executor, threads)
        watchers = list(callbacks)
        with shown(self, progress) as bar:
            try:
                self._run(watchers, bar)
            finally:
                if remote is not None:
                    remote.stop()
        best = self.best
        if best is None:
            raise StudyError("nothing was evaluated")
        return best

    def _limit(self, limits: dict[str, Any], directory: Path | None) -> None:
        """Takes in when the study ends and where it is kept."""
        kept = self._native.directory
        if directory is not None and kept is None:
            self._native.keep_in(os.fspath(directory))
        elif directory is not None and not _same(directory, kept):
            raise ValueError(f"the study is kept in {kept}, not in {directory}")
        if limits:
            self._native.stop_at(to_json(limits, "stop"))
        if not self.limits:
            raise ValueError(
                "nothing ends this study; give iterations, evaluations, wall_time, target or stagnation"
            )

    def _evaluated_by(
        self,
        function: Callable[..., Any] | str | None,
        vectorized: bool | str,
        executor: Any,
        threads: int | None,
    ) -> Executor | None:
        if self._native.needs_objective != (function is not None):
            raise ValueError(
                "optimize() needs a function to evaluate"
                if function is None
                else "the problem has its own objective: optimize() takes no function"
            )
        adapter = None
        if function is not None:
            beside = not self._native.has_numbers
            adapter = Adapter(function, vectorized=vectorized, beside=beside)
        if executor is not None:
            remote = as_executor(executor)
            remote.start(Task(self._native.text, adapter))
            self._native.evaluate_by_executor(remote, adapter)
            return remote
        if adapter is not None:
            self._native.evaluate_by_function(adapter, given=adapter.given)
        else:
            self._native.evaluate_by_threads(threads)
        return None

    def _run(self, callbacks: list[Callable[[Study], Any]], bar: Progress) -> None:
        while self._native.step():
            bar.update(self)
            try:
                # All are called, whatever the first of them says.
                if any([callback(self) is True for callback in callbacks]):
                    return
            except StopIteration:
                return
        self._native.close()

    # -- what came of it

    @property
    def best(self) -> Best | None:
        """The best so far."""
        found = self._native.best()
        if found is None:
            return None
        return Best(**{**found, "theta": as_array(found["theta"])})

    @property
    def front(self) -> list[FrontDesign]:
        """The designs that nobody dominates, of a study with several `objectives`, the best of the first
        objective first.

        >>> import esenas
        >>> space = esenas.Dict(x=esenas.real(0, 1), y=esenas.real(0, 1))
        >>> study = esenas.Study(space, objectives=["speed", "-mass"], seed=1)
        >>> _ = study.optimize(lambda d: [d["x"], d["x"] ** 2 + d["y"]], evaluations=500)
        >>> best = study.front[0]
        >>> best.values[0] > 0.95 and best.design["y"] < 0.1
        True
        """
        found = self._native.front()
        if found is None:
            raise ValueError("the study has one objective, and so no front: name several in objectives")
        return [FrontDesign(**{**it, "theta": as_array(it["theta"])}) for it in found]

    @property
    def answer(self) -> Answer | None:
        """Where the search stands: the likeliest model with the weights at the centre. Of values that
        are noisy this is what to take, rather than `best`, the luckiest."""
        found = self._native.answer()
        if found is None:
            return None
        return Answer(**{**found, "theta": as_array(found["theta"])})

    def evaluate_answer(
        self,
        function: Callable[..., Any] | str | None = None,
        *,
        evaluations: int = 20,
        vectorized: bool | Literal["candidates"] = False,
        executor: Any = None,
        threads: int | None = None,
    ) -> Answer:
        """The answer with its score, from so many evaluations of it. The study stays as it is.

        >>> import esenas
        >>> study = esenas.Study(esenas.boolean(), dim=2, seed=0)
        >>> _ = study.optimize(lambda model, theta: float(model), iterations=4)
        >>> study.evaluate_answer(lambda model, theta: float(model), evaluations=5)
        Answer(design=True, score=1 ± 0 of 5)
        """
        if evaluations < 1:
            raise ValueError(f"evaluations must be at least 1, got {evaluations}")
        remote = self._evaluated_by(function, vectorized, executor, threads)
        try:
            scores = self._native.evaluate_answer(evaluations)
        finally:
            if remote is not None:
                remote.stop()
        answer = self.answer
        if answer is None or scores is None:
            raise StudyError(f"nothing came back of {evaluations} evaluations of the answer")
        mean, deviation, done, failures = scores
        return replace(answer, score=mean, deviation=deviation, evaluations=done, failures=failures)

    @property
    def theta(self) -> FloatArray | None:
        """θ where the search stands: that of `answer`, without its model."""
        centre = self._native.centre()
        return None if centre is None else as_array(centre)

    @property
    def iterations(self) -> int:
        """How many iterations are done."""
        return self._native.iterations

    @property
    def ended(self) -> str | None:
        """Why the study is over, if it is."""
        return self._native.ended()

    @property
    def history(self) -> dict[str, np.ndarray[Any, Any]]:
        """One array per column, one entry per iteration, as `pandas.DataFrame` takes them. What was
        not measured is NaN.

        >>> import esenas
        >>> study = esenas.Study(esenas.boolean(), dim=2, iterations=4)
        >>> _ = study.optimize(lambda model, theta: float(model))
        >>> study.history["best"]
        array([1., 1., 1., 1.])
        """
        columns = {name: as_array(column) for name, column in self._native.history()}
        counts = ("iteration", "evaluations", "total_evaluations", "failures", "total_failures")
        return {
            name: column.astype(np.int64) if name in counts else column
            for name, column in columns.items()
        }

    def evaluations(self) -> dict[str, np.ndarray[Any, Any]]:
        """One array per column, one entry per recorded evaluation, as `pandas.DataFrame` takes them:
        `iteration`, `index`, `role`, `value`, `score`, `failure`, `dna`, whatever designs have, by its
        place in them (``material.layers``, ``flow``), and metrics. What a design does not have is
        NaN, or None where there is text.

        >>> import esenas
        >>> study = esenas.Study(esenas.Dict(x=esenas.real(0, 1), op=esenas.oneof(["a", "b"])))
        >>> _ = study.optimize(lambda design: design["x"], evaluations=20)
        >>> sorted(study.evaluations())
        ['dna', 'failure', 'index', 'iteration', 'op', 'role', 'score', 'value', 'x']
        """
        return {name: _column(cells) for name, cells in self._native.evaluations()}

    def enqueue(self, design: Any, value: float | None = None) -> None:
        """Has `design` evaluated in the next iteration; with its `value`, if that is known, learns from
        it at once. A design that is better than all so far is where the search goes on from. The
        same one is taken once, so that a program which is run again may give it again.

        With a `dim`, a design is `(model, theta)`, or a model alone, which is evaluated where the
        search stands.

        >>> import esenas
        >>> study = esenas.Study(esenas.Dict(x=esenas.real(0, 10), op=esenas.oneof(["a", "b"])))
        >>> study.enqueue({"x": 7.25, "op": "b"}, value=3.5)
        >>> _ = study.optimize(lambda design: -abs(design["x"] - 7.25), evaluations=20)
        >>> study.best
        Best(value=3.5, design={'op': 'b', 'x': 7.25}, iteration=0)
        """
        self._native.enqueue(known(design, value, flat=not self._native.has_numbers))

    @property
    def last(self) -> dict[str, float]:
        """The last iteration by the names of :attr:`history`, without what was not measured: for
        callbacks, since its cost does not grow with the study.

        >>> import esenas
        >>> study = esenas.Study(esenas.boolean(), dim=2)
        >>> log = lambda study: print(study.last["iteration"], study.last["best"])
        >>> _ = study.optimize(lambda model, theta: float(model), iterations=1, callbacks=[log])
        0.0 1.0
        """
        last = self._native.history(max(self.iterations - 1, 0))
        numbers = {name: float(as_array(column)[0]) for name, column in last if column}
        return {name: x for name, x in numbers.items() if not np.isnan(x)}

    @property
    def limits(self) -> dict[str, Any]:
        """What ends the study."""
        return {name: limit for name, limit in self._native.stop().items() if limit is not None}

    @property
    def choice(self) -> str | None:
        """Why the search is what it is, if the rules of `auto` chose it just now."""
        return self._native.choice

    @property
    def directory(self) -> str | None:
        """Where it is kept."""
        kept = self._native.directory
        return None if kept is None else os.fspath(kept)

    @property
    def space(self) -> Space:
        """𝓜"""
        return Space.from_json(self._native.space())

    @property
    def dim(self) -> int:
        """d"""
        return self._native.dimension

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, with every default."""
        settings: dict[str, Any] = self._native.settings()
        return settings

    def to_toml(self) -> str:
        """All settings, as a study file that `esenas run` takes (if it needs no function of yours)."""
        return self._native.text

    def plot(self, ax: Any = None) -> Any:
        """Draws best and centre against evaluations with matplotlib, and returns the axes."""
        from esenas._plot import plot

        return plot(self, ax)

    def __repr__(self) -> str:
        best = self.best
        value = "" if best is None else f", best={best.value:.6g}"
        return f"Study(dim={self.dim}, iterations={self.iterations}{value})"

    def _repr_html_(self) -> str:
        from esenas._html import page

        return page(self)


def _names(objectives: Sequence[str]) -> list[str]:
    """A text has letters, and is no list of names."""
    if isinstance(objectives, str):
        raise ValueError(f"objectives are a list of names, got {objectives!r}")
    return list(objectives)


def _column(cells: list[Any]) -> np.ndarray[Any, Any]:
    """Numbers as such, with NaN for what is missing; anything else as objects."""
    if all(type(cell) is int for cell in cells):
        return np.array(cells, dtype=np.int64)
    if all(cell is None or type(cell) in (int, float) for cell in cells):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _same(one: Path, other: Path | None) -> bool:
    return other is not None and os.path.abspath(one) == os.path.abspath(other)
