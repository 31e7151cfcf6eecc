"""A sampler for Optuna: any study of Optuna's, searched by esenas.

    import optuna
    import esenas.optuna

    study = optuna.create_study(sampler=esenas.optuna.Sampler(evaluations=1000))
    study.optimize(objective, n_trials=1000)

Floats, logarithms, steps, integers and categories are searched together. Whatever is asked for in every
trial belongs to the search; what only some trials ask for is drawn at random. Candidates come in
iterations, of which each trial takes one: with several trials at a time (`n_jobs`), a trial for which none
is left draws at random too.

What each trial was is written into its system attributes, so that a study that is loaded from a storage goes
on with the same candidates it would have had. `pip install 'esenas[optuna]'` brings Optuna.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study as OptunaStudy
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from esenas.candidates import Candidate
from esenas.spaces import Dict, Space, oneof, real
from esenas.study import Study

__all__ = ["Sampler"]

#: Where a trial's candidate is written: seed, number of limits, iteration, place.
_CANDIDATE = "esenas:candidate"
#: Where Optuna and its dashboard look for constraints.
_CONSTRAINTS = "constraints"
_FINISHED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)


class Sampler(BaseSampler):
    """Searches a study of Optuna's.

    `evaluations` is about how many trials there will be: rules choose by it how to search. They may be
    told of `noise` in the values, and with `batch` of so many evaluations at once. `constraints_func` says
    of a trial by how much it exceeds limits, as Optuna's samplers take it: at most 0 keeps to them. With
    the same `seed` and one trial at a time, a study has the same trials.
    """

    def __init__(
        self,
        *,
        evaluations: int = 1000,
        seed: int | None = None,
        noise: bool | None = None,
        batch: int | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
    ) -> None:
        if evaluations < 1:
            raise ValueError(f"evaluations must be at least 1, got {evaluations}")
        self._told: dict[str, Any] = {"evaluations": evaluations, "noise": noise, "batch": batch}
        self._seed = seed
        self._constraints = constraints_func
        self._random = RandomSampler(seed)
        self._common = IntersectionSearchSpace()
        self._search: _Search | None = None
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        # A search is found again in the storage.
        return {**self.__dict__, "_search": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def reseed_rng(self) -> None:
        """Other processes draw other numbers."""
        self._random.reseed_rng()

    def infer_relative_search_space(
        self, study: OptunaStudy, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """What every finished trial asked for."""
        if len(study.directions) > 1:
            raise ValueError(
                f"this sampler has one objective, and the study {len(study.directions)}: "
                "leave it out, or take one of Optuna's for several"
            )
        with self._lock:
            common = self._common.calculate(study)
        return {name: it for name, it in sorted(common.items()) if not it.single()}

    def sample_relative(
        self, study: OptunaStudy, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The parameters of the next candidate; none if all are out."""
        if not search_space:
            return {}
        with self._lock:
            search = self._search_of(study, search_space)
            found = search.ask(trial.number)
        if found is None:
            return {}
        place = [*search.name, found.iteration, found.index]
        study._storage.set_trial_system_attr(trial._trial_id, _CANDIDATE, place)
        return {
            name: _plain(found.design[name], distribution)
            for name, distribution in search_space.items()
        }

    def sample_independent(
        self, study: OptunaStudy, trial: FrozenTrial, name: str, distribution: BaseDistribution
    ) -> Any:
        """What is not of the search is drawn at random."""
        return self._random.sample_independent(study, trial, name, distribution)

    def before_trial(self, study: OptunaStudy, trial: FrozenTrial) -> None:
        """Nothing."""

    def after_trial(
        self,
        study: OptunaStudy,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Learns from what became of a trial. One that was pruned counts as not evaluated."""
        limits = None
        if self._constraints is not None and state == TrialState.COMPLETE:
            limits = [float(x) for x in self._constraints(trial)]
            study._storage.set_trial_system_attr(trial._trial_id, _CONSTRAINTS, limits)
        with self._lock:
            if self._search is not None:
                result = _result(state, values, limits, study)
                self._search.tell(trial.number, result)

    def _search_of(self, study: OptunaStudy, space: dict[str, BaseDistribution]) -> _Search:
        """The search over this space: the one there is, one of the storage, or a new one."""
        if self._search is not None and self._search.space == space:
            return self._search
        trials = study.get_trials(deepcopy=False)
        last = next((it for it in reversed(trials) if _CANDIDATE in it.system_attrs), None)
        known = None if self._search is not None or last is None else last.system_attrs[_CANDIDATE]
        if known is not None and self._seed in (None, known[0]):
            seed, limits = known[:2]
        else:
            seed = secrets.randbits(32) if self._seed is None else self._seed
            limits = _limits(trials) if self._constraints is not None else 0
        minimize = study.direction == StudyDirection.MINIMIZE
        search = _Search(space, (seed, limits), minimize=minimize, told=self._told)
        if known is not None:
            search.replay(trials, study)
        self._search = search
        return search


class _Search:
    """A study of ours, and which trial has which of its candidates."""

    def __init__(
        self,
        space: dict[str, BaseDistribution],
        name: tuple[int, int],
        *,
        minimize: bool,
        told: dict[str, Any],
    ) -> None:
        self.space = space
        self.name = name
        seed, limits = name
        self._study = Study(
            Dict({key: _leaf(key, it) for key, it in space.items()}),
            seed=seed,
            direction="minimize" if minimize else None,
            constraints={f"c{at}": {"at_most": 0.0} for at in range(limits)} or None,
            failures={"share": 1.0},
            record={"every": 0, "centre": False},
            **told,
        )
        self._given: dict[int, Candidate] = {}
        #: Candidates whose trials nobody will finish.
        self._left: list[Candidate] = []

    def ask(self, number: int) -> Candidate | None:
        """A candidate for a trial, if one is left."""
        if self._left:
            found = self._left.pop()
        else:
            some = self._study.ask(1)
            if not some:
                return None
            found = some[0]
        self._given[number] = found
        return found

    def tell(self, number: int, result: Any) -> None:
        """What became of a trial, if it had a candidate."""
        candidate = self._given.pop(number, None)
        if candidate is not None:
            self._study.tell(result, candidate)

    def replay(self, trials: list[FrozenTrial], study: OptunaStudy) -> None:
        """Learns again from the trials of this search, in the order of their iterations."""
        places: dict[int, dict[int, FrozenTrial]] = {}
        for trial in trials:
            seed, limits, iteration, index = trial.system_attrs.get(_CANDIDATE, [None] * 4)
            if (seed, limits) == self.name:
                places.setdefault(iteration, {})[index] = trial
        for iteration in sorted(places):
            given = places[iteration]
            batch = self._study.ask(max(given) + 1)
            if batch.iteration != iteration or len(batch) <= max(given):
                raise ValueError(
                    "the trials of this storage are of another version of esenas: "
                    "give the sampler a seed of its own to begin anew"
                )
            for candidate in batch:
                told = given.get(candidate.index)
                if told is None or told.state not in _FINISHED:
                    self._left.append(candidate)
                    continue
                limits = told.system_attrs.get(_CONSTRAINTS)
                result = _result(told.state, told.values, limits, study)
                self._study.tell(result, candidate)


def _result(
    state: TrialState,
    values: Sequence[float] | None,
    limits: Sequence[float] | None,
    study: OptunaStudy,
) -> Any:
    """What became of a trial, as it is told."""
    if state != TrialState.COMPLETE or not values:
        return None
    if limits is None:
        return values[0]
    return {"value": values[0], "constraints": {f"c{at}": x for at, x in enumerate(limits)}}


def _limits(trials: list[FrozenTrial]) -> int:
    """How many limits there are, as far as trials say."""
    known = (it.system_attrs[_CONSTRAINTS] for it in trials if _CONSTRAINTS in it.system_attrs)
    return max(map(len, known), default=0)


def _leaf(name: str, distribution: BaseDistribution) -> Space:
    """A parameter as a part of our spaces."""
    if isinstance(distribution, CategoricalDistribution):
        return oneof(range(len(distribution.choices)))
    if isinstance(distribution, FloatDistribution):
        low, high, step = distribution.low, distribution.high, distribution.step
        return real(low, high, log=distribution.log, step=step)
    if isinstance(distribution, IntDistribution):
        if distribution.log:
            return real(distribution.low - 0.5, distribution.high + 0.5, log=True)
        return real(distribution.low, distribution.high, step=distribution.step)
    raise ValueError(f"{name}: {distribution!r} is not known to this sampler")


def _plain(value: Any, distribution: BaseDistribution) -> Any:
    """A number of ours as Optuna has it."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[value]
    low, high = distribution.low, distribution.high  # type: ignore[attr-defined]
    if isinstance(distribution, IntDistribution):
        return min(max(int(round(value)), low), high)
    return min(max(float(value), low), high)
