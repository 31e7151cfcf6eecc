"""
The engine of esenas.
"""

from _typeshed import SupportsGetItem
from os import PathLike
from pathlib import Path
from typing import Any, SupportsFloat, SupportsIndex, final
from typing_extensions import Buffer

__all__ = ["Batch", "Bbob", "Environment", "Lease", "Policies", "Policy", "PolicyClass", "Pool", "Space", "Study", "Work", "Worker", "bbob_functions", "check", "environment_names", "main", "play_environments", "version"]

@final
class Batch:
    """
    Candidates of an iteration that are to be evaluated.
    """
    def __len__(self, /) -> int: ...
    def address(self, /, at: SupportsIndex) -> tuple[int, int, float] | None:
        """
        Where it stands beside its centre: key, row and scale, if that is all there is to its θ.
        """
    def centre(self, /, at: SupportsIndex) -> tuple[bytearray, bytearray | None]:
        """
        The centre that it stands beside, and how far each coordinate spreads, if not all alike.
        """
    def designs(self, /, first: SupportsIndex, thetas: Any) -> list[Any]:
        """
        The designs of the candidates from `first` on, whose θ stand one after the other in
        `thetas`, an array. Arrays of designs are views of it.
        """
    @property
    def dim(self, /) -> int:
        """
        d
        """
    def dna(self, /, at: SupportsIndex) -> list[int]:
        """
        The decisions.
        """
    @property
    def has_numbers(self, /) -> bool:
        """
        Whether designs have numbers of their own, and none beside them.
        """
    def is_centre(self, /, at: SupportsIndex) -> bool:
        """
        What it is evaluated for: whether only to know how good the centre is.
        """
    @property
    def iteration(self, /) -> int: ...
    def model(self, /, at: SupportsIndex) -> Any:
        """
        The decoded model of a candidate whose θ stands beside it.
        """
    def place(self, /, at: SupportsIndex) -> int:
        """
        Its place among all candidates of the iteration.
        """
    def seed(self, /, at: SupportsIndex) -> int:
        """
        Where an evaluation's own randomness is to come from.
        """
    def theta(self, /, at: SupportsIndex) -> bytearray:
        """
        θ, as doubles.
        """
    def write(self, /, out: Any, first: SupportsIndex, count: SupportsIndex) -> None:
        """
        Writes θ of `count` candidates from `first` on into the rows of an array of doubles or of
        floats.
        """

@final
class Bbob:
    """
    A function of the benchmark.
    """
    def __new__(cls, /, settings: str) -> Bbob:
        """
        The function of these settings, as JSON: those of a problem of kind `bbob`.
        """
    def best(self, /) -> tuple[list[int], bytearray] | None:
        """
        The best decisions and weights, where they are known.
        """
    @property
    def dimension(self, /) -> int:
        """
        How many weights there are.
        """
    def space(self, /) -> str:
        """
        𝓜, as JSON.
        """
    def value(self, /, genes: SupportsGetItem[int, SupportsIndex], theta: SupportsGetItem[int, SupportsFloat | SupportsIndex]) -> float:
        """
        f(m, θ) of decisions and weights, to be maximized.
        """
    def values(self, /, points: SupportsGetItem[int, SupportsGetItem[int, SupportsFloat | SupportsIndex]]) -> bytearray:
        """
        f of points, each its categories as numbers and then its weights.
        """

@final
class Environment:
    """
    What the engine has of an environment.
    """
    def __new__(cls, /, name: str) -> Environment:
        """
        The environment of this name.
        """
    @property
    def action(self, /) -> int: ...
    @property
    def high(self, /) -> list[float]: ...
    @property
    def horizon(self, /) -> int: ...
    @property
    def low(self, /) -> list[float]: ...
    @property
    def observation(self, /) -> int: ...
    def reset(self, /, seed: SupportsIndex, episode: SupportsIndex) -> bytearray:
        """
        Begins an episode; equal seeds and episodes, equal starts: those of `esenas policy eval`.
        """
    def step(self, /, action: SupportsGetItem[int, SupportsFloat | SupportsIndex]) -> tuple[bytearray, float, float, bool]:
        """
        One step: observation, reward without the alive bonus, alive bonus, whether it is over.
        """

@final
class Lease:
    """
    Work handed to a worker: what to send, and what to give back with the answer.
    """
    @property
    def chunk(self, /) -> bytes:
        """
        The candidates, as addresses.
        """
    @property
    def id(self, /) -> int:
        """
        Its number.
        """
    @property
    def size(self, /) -> int:
        """
        How many evaluations it holds.
        """
    @property
    def worker(self, /) -> int:
        """
        Whose it is.
        """

@final
class Policies:
    """
    Many policies of one class.
    """
    def __len__(self, /) -> int: ...
    def act(self, /, observations: Buffer, actions: Buffer) -> None:
        """
        What each does, of as many observations as `actions` has room for, policy by policy.
        """
    @property
    def sizes(self, /) -> tuple[int, int]:
        """
        Entries of an observation and of an action.
        """

@final
class Policy:
    """
    A policy: observations in, actions out.
    """
    def act(self, /, observations: Buffer, actions: Buffer) -> None:
        """
        What it does there, for as many observations as `actions` has room for.
        """
    @staticmethod
    def decode(settings: str, genes: SupportsGetItem[int, SupportsIndex], theta: SupportsGetItem[int, SupportsFloat | SupportsIndex]) -> Policy:
        """
        The policy that a model and weights make in a problem of kind `rl` or `gymnasium`, whose
        settings are JSON.
        """
    @property
    def env(self, /) -> str | None:
        """
        The environment it is for, if it is for one.
        """
    def export(self, /, path: str | PathLike[str], precision: str | None) -> bytes:
        """
        It as the bytes of a file of this name: the end of that says in which form.
        """
    @staticmethod
    def from_json(text: str) -> Policy:
        """
        The policy in a document, as `esenas policy export` writes it.
        """
    @staticmethod
    def from_run(directory: str | PathLike[str], which: str) -> Policy:
        """
        The policy that the study in a directory found: its `"best"`, or that of its `"centre"`.
        """
    @property
    def is_discrete(self, /) -> bool:
        """
        Whether the greatest of its outputs says which discrete action to take.
        """
    @property
    def sizes(self, /) -> tuple[int, int, int, int]:
        """
        |S|, |A|, hidden units and edges.
        """
    def to_json(self, /) -> str:
        """
        The document.
        """

@final
class PolicyClass:
    """
    A class of policies: what models it has, what its weights are, and what both mean.
    """
    def __new__(cls, /, settings: str, observation: SupportsIndex, action: SupportsIndex) -> PolicyClass:
        """
        The class of these settings, which are JSON, from so many observations to so many actions.
        """
    def decode(self, /, genes: SupportsGetItem[int, SupportsIndex], theta: Buffer) -> Policy:
        """
        What these decisions and these weights make.
        """
    def decode_all(self, /, models: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]], thetas: Buffer) -> Policies:
        """
        What each of these makes; their weights stand one after the other.
        """
    @property
    def dimension(self, /) -> int:
        """
        How many weights there are.
        """
    @property
    def parts(self, /) -> tuple[int, int, int]:
        """
        How many of them are on edges, are entries of a mask, are biases: they come in this order.
        """
    def space(self, /) -> str:
        """
        Its models, as JSON.
        """
    def start(self, /, seed: SupportsIndex, is_normal: bool, scale: SupportsFloat | SupportsIndex | None) -> bytearray:
        """
        Weights to begin with.
        """

@final
class Pool:
    """
    Who there is to work, and how patient to be with them. It outlives iterations and studies.
    """
    def __new__(cls, /, *, timeout: SupportsFloat | SupportsIndex | None = None, attempts: SupportsIndex = 3, retry_failed: bool = False, speculation: bool = True, factor: SupportsFloat | SupportsIndex = 5.0, floor: SupportsFloat | SupportsIndex = 0.5, unknown: SupportsFloat | SupportsIndex = 30.0) -> Pool:
        """
        `timeout`: seconds for one evaluation, or as long as it takes. `attempts`: how many workers
        may be lost over one evaluation. `retry_failed`: whether an evaluation that the objective
        itself failed is tried again. `speculation`: whether work that takes longer than
        max(`factor` × mean, `floor`) is copied to an idle worker; `unknown` is the patience before
        there is a mean.
        """
    def join(self, /) -> int:
        """
        Admits a new worker, between iterations; within one it is the work's to do.
        """

@final
class Space:
    """
    A search space, with the layout of its numbers.
    """
    def __new__(cls, /, text: str) -> Space:
        """
        The space in this JSON.
        """
    def check(self, /, genes: SupportsGetItem[int, SupportsIndex]) -> None:
        """
        Refuses what are no decisions of this space.
        """
    @property
    def decisions(self, /) -> int:
        """
        How many decisions a model can have.
        """
    def decode(self, /, genes: SupportsGetItem[int, SupportsIndex]) -> Any:
        """
        The model that these decisions make.
        """
    def design(self, /, genes: SupportsGetItem[int, SupportsIndex], theta: Any) -> Any:
        """
        The design that these decisions and this θ, an array in the user's units, make.
        """
    def encode(self, /, design: str) -> tuple[list[int], bytearray]:
        """
        The decisions and the numbers of a design, which is JSON.
        """
    @property
    def numbers(self, /) -> int:
        """
        How many coordinates of θ its numbers are.
        """
    def sample(self, /, n: SupportsIndex, seed: SupportsIndex) -> list[list[int]]:
        """
        Random models.
        """
    def size(self, /) -> tuple[int | None, float]:
        """
        How many models there are, if that fits 128 bits, and the decimal logarithm.
        """
    def to_json(self, /) -> str:
        """
        The space as JSON.
        """

@final
class Study:
    """
    A study and how far it is.
    """
    def answer(self, /) -> Any | None:
        """
        What the study would answer now: dna, design, and θ.
        """
    def ask(self, /) -> Batch:
        """
        The candidates of the next iteration: the same until they are told.
        """
    def best(self, /) -> Any | None:
        """
        The best so far: where it was found, its value, score, dna, design, and θ.
        """
    def centre(self, /) -> bytearray | None:
        """
        θ where the search stands, if it stands anywhere.
        """
    @property
    def choice(self, /) -> str | None:
        """
        Why the search is what it is, if rules chose it in this process.
        """
    def close(self, /) -> None:
        """
        Lets go of the directory; if the study is over, that is written down.
        """
    @property
    def dimension(self, /) -> int:
        """
        d
        """
    @property
    def directory(self, /) -> Path | None:
        """
        Where it is kept.
        """
    def ended(self, /) -> str | None:
        """
        Why the study is over, if it is.
        """
    def enqueue(self, /, known: str) -> None:
        """
        Has a design, as JSON, evaluated next, or learns from it if its value is known.
        """
    def evaluate_answer(self, /, n: SupportsIndex) -> tuple[float, float, int, int] | None:
        """
        Evaluates that so many times: mean and deviation of its score, how many evaluations came
        back, and how many failed.
        """
    def evaluate_by_executor(self, /, executor: Any, call: Any | None = None) -> None:
        """
        Has an executor evaluate: something with a `pool` and `evaluate(work)`. `call` is what its
        workers call, where the problem needs a function: here it learns what they share.
        """
    def evaluate_by_function(self, /, call: Any, *, given: str = "one") -> None:
        """
        Has a function evaluate what is `given`: `"one"` candidate at a time or `"all"` of the
        iteration, as `call(models, thetas, seeds)`; or its `"candidates"`, as `call(batch)`.
        """
    def evaluate_by_threads(self, /, threads: SupportsIndex | None = None) -> None:
        """
        Has the problem's own objective evaluate, on so many threads, or as many as there are cores.
        """
    def evaluations(self, /) -> list[tuple[str, list[Any]]]:
        """
        All recorded evaluations as columns of a table: name and values.
        """
    @property
    def fingerprint(self, /) -> str:
        """
        What in the settings decides the result, in 16 hexadecimal digits.
        """
    def front(self, /) -> Any | None:
        """
        The designs that nobody dominates: values, violation, evaluation, dna, design and θ of each;
        nothing of a study with one objective.
        """
    def give(self, /, n: SupportsIndex) -> tuple[Batch, int, int]:
        """
        At most `n` candidates of the iteration that were not given to anybody yet: the iteration,
        the first of them, and how many.
        """
    def give_up(self, /) -> bool:
        """
        Ends the iteration that is open: what was not told of it counts as not evaluated. Whether
        one was.
        """
    @property
    def has_numbers(self, /) -> bool:
        """
        Whether θ are the numbers of the space, instead of an array beside its models.
        """
    def history(self, /, start: SupportsIndex = 0) -> list[tuple[str, bytearray]]:
        """
        The records of all iterations from `start`, by column; what is missing is NaN.
        """
    @property
    def iterations(self, /) -> int:
        """
        How many iterations are done.
        """
    def keep_in(self, /, directory: str | PathLike[str]) -> None:
        """
        Keeps the study in a directory, where it goes on if it is there.
        """
    @staticmethod
    def load(path: str | PathLike[str], overrides: SupportsGetItem[int, str], directory: str | PathLike[str] | None = None) -> Study:
        """
        The study in a file.
        """
    @property
    def needs_objective(self, /) -> bool:
        """
        Whether the problem needs a function of Python's.
        """
    @staticmethod
    def new(settings: str, directory: str | PathLike[str] | None = None) -> Study:
        """
        The study of these settings, as JSON in the form of a study file; in `directory`, if it is
        to be kept, where it goes on if it is there.
        """
    def settings(self, /) -> Any:
        """
        All settings, resolved.
        """
    def space(self, /) -> str:
        """
        𝓜, as JSON.
        """
    def step(self, /) -> bool:
        """
        One iteration; whether there was one left to do.
        """
    def stop(self, /) -> Any:
        """
        When it ends: the section `stop` of a study file.
        """
    def stop_at(self, /, stop: str) -> None:
        """
        Moves the end. As JSON: the section `stop` of a study file.
        """
    @staticmethod
    def stored(directory: str | PathLike[str]) -> Study:
        """
        The study in a directory, to go on with.
        """
    def tell(self, /, said: SupportsGetItem[int, Any]) -> None:
        """
        What became of the candidates, in their order: a number, a tuple of value, score and
        metrics, or text that says why there is none.
        """
    def tell_some(self, /, iteration: SupportsIndex, said: SupportsGetItem[int, tuple[SupportsIndex, Any]]) -> bool:
        """
        What became of some candidates of `iteration`, by their places; whether all are told now.
        """
    @property
    def text(self, /) -> str:
        """
        All settings, resolved, as the text of a study file.
        """
    @property
    def untold(self, /) -> int | None:
        """
        How many results are to be told, if candidates were asked for and not told yet.
        """

@final
class Work:
    """
    One iteration that is being evaluated elsewhere.
    """
    def __len__(self, /) -> int:
        """
        How many evaluations there are.
        """
    def answered(self, /, worker: SupportsIndex) -> None:
        """
        The worker gave a sign of life other than an answer.
        """
    @property
    def complete(self, /) -> bool:
        """
        Whether every evaluation has its outcome.
        """
    def done(self, /, worker: SupportsIndex, lease: SupportsIndex, answer: bytes | bytearray) -> int:
        """
        The worker answered its lease. Returns how many outcomes that settled: none where another
        was quicker. An answer that is none counts as a lost lease.
        """
    def join(self, /) -> int:
        """
        Admits a new worker.
        """
    def lease(self, /, worker: SupportsIndex, most: SupportsIndex) -> Lease | None:
        """
        Hands the worker up to `most` evaluations; `None` if it should stay idle for now.
        """
    def lost(self, /, lease: SupportsIndex, reason: str) -> None:
        """
        Nothing more will come of the lease.
        """
    @property
    def open(self, /) -> int:
        """
        How many evaluations have no outcome yet.
        """
    def shared(self, /) -> bytes:
        """
        What the evaluations have in common, θ and the objective's state: to be sent once per
        iteration and place.
        """
    @property
    def suspected(self, /) -> list[int]:
        """
        The workers that owe a sign of life.
        """
    def tick(self, /) -> list[tuple[str, int, int]]:
        """
        Looks at the clock: what happened, to whom, with which lease. `"expired"`: it ran out of
        time; say `timed_out` or `worker_lost`, or it is said again. `"suspected"`: it straggles,
        and may be copied.
        """
    def timed_out(self, /, lease: SupportsIndex, reason: str) -> None:
        """
        The lease ran out of time.
        """
    def wake(self, /) -> float | None:
        """
        In how many seconds `tick` will have something to say, if nothing else happens before.
        """
    def worker_lost(self, /, worker: SupportsIndex, reason: str) -> None:
        """
        The worker is gone, and all its leases with it.
        """
    @property
    def workers(self, /) -> int:
        """
        How many workers there are, suspected or not.
        """

@final
class Worker:
    """
    Evaluates chunks of a study, in any process that has its text.
    """
    def __new__(cls, /, text: str, objective: Any | None = None, *, given: str = "one", threads: SupportsIndex | None = None) -> Worker:
        """
        A worker for the study in `text`: its problem's own objective on so many native threads, or
        `objective`, an adapter of Python's.
        """
    def evaluate(self, /, shared: bytes | bytearray, chunk: bytes | bytearray) -> bytes:
        """
        Evaluates a chunk: bytes in, bytes out. One at a time; the others wait.
        """

def bbob_functions() -> list[tuple[str, str]]:
    """
    The functions there are: name and description.
    """

def check(section: str, settings: str) -> None:
    """
    Refuses settings of a section that no study could have.
    """

def environment_names() -> list[str]:
    """
    The names of all environments.
    """

def main(arguments: SupportsGetItem[int, str]) -> int:
    """
    Runs the command line on the streams of this process; `arguments` begin with the program's name.
    """

def play_environments() -> None:
    """
    Lets studies have environments of Gymnasium. The package calls it when it is imported.
    """

def version() -> str:
    """
    What driver and workers must agree on.
    """
