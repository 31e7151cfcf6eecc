"""Optimize a black box f(m, θ) over models m and their weights θ together: ES-ENAS.

>>> import esenas
>>> space = esenas.Dict(op=esenas.oneof(["tanh", "relu", "sin"]))
>>> study = esenas.Study(space, dim=10, seed=0)
>>> best = study.optimize(lambda model, theta: -float(theta @ theta), iterations=5)
>>> best.theta.shape
(10,)
"""

from typing import TYPE_CHECKING

from esenas import bbob, control
from esenas._native import Lease, Pool, Work, Worker, play_environments
from esenas.algorithms import (
    ASNG,
    CMAES,
    ES,
    LMMAES,
    NEAT,
    NSGA2,
    SNES,
    FactorizedPolicyGradient,
    Growing,
    HillClimb,
    LineES,
    LocalSearch,
    OnePlusOne,
    PolicyGradient,
    Pyramid,
    Random,
    RegularizedEvolution,
    Restarts,
    SepCMAES,
    Sweep,
)
from esenas.candidates import Answer, Batch, Best, Candidate, FrontDesign
from esenas.control import Environment, Policies, Policy, PolicyClass, policy
from esenas.errors import StudyError
from esenas.executors import Executor, FuturesExecutor, Task
from esenas.policies import (
    Circulant,
    EdgePruning,
    Masked,
    Nonlinearity,
    Quantization,
    Toeplitz,
    Unstructured,
)
from esenas.problems import BBOB, RL, Command, Gymnasium, Synthetic
from esenas.processes import ProcessExecutor
from esenas.ray import RayExecutor
from esenas.spaces import (
    Dict,
    List,
    Space,
    boolean,
    constant,
    from_pyglove,
    integer,
    manyof,
    oneof,
    permutation,
    real,
    weights,
)
from esenas.study import Study

play_environments()

__version__: str

if not TYPE_CHECKING:

    def __getattr__(name):
        # Looked up when it is asked for: that takes longer than some of the modules above.
        if name != "__version__":
            raise AttributeError(f"module 'esenas' has no attribute {name!r}")
        from importlib.metadata import version

        return version("esenas")


__all__ = [
    "ASNG",
    "BBOB",
    "Batch",
    "Answer",
    "FrontDesign",
    "Best",
    "CMAES",
    "Candidate",
    "Circulant",
    "Command",
    "Dict",
    "ES",
    "EdgePruning",
    "Environment",
    "Executor",
    "FactorizedPolicyGradient",
    "FuturesExecutor",
    "Growing",
    "Gymnasium",
    "HillClimb",
    "LMMAES",
    "Lease",
    "LineES",
    "List",
    "LocalSearch",
    "Masked",
    "NEAT",
    "NSGA2",
    "Nonlinearity",
    "OnePlusOne",
    "Policies",
    "Policy",
    "PolicyClass",
    "PolicyGradient",
    "Pool",
    "ProcessExecutor",
    "Pyramid",
    "Quantization",
    "RL",
    "Random",
    "RayExecutor",
    "RegularizedEvolution",
    "Restarts",
    "SNES",
    "SepCMAES",
    "Space",
    "Study",
    "StudyError",
    "Sweep",
    "Synthetic",
    "Task",
    "Toeplitz",
    "Unstructured",
    "Work",
    "Worker",
    "bbob",
    "boolean",
    "constant",
    "control",
    "from_pyglove",
    "integer",
    "manyof",
    "oneof",
    "permutation",
    "policy",
    "real",
    "weights",
]
