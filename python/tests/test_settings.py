"""Algorithms and problems: every kind, the paper's defaults, refusals that help."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import esenas
from esenas import algorithms, problems
from objectives import SPACE, shifted

WEIGHTS = [it for it in vars(algorithms).values() if getattr(it, "section", None) == "weights"]
CONTROLLERS = [it for it in vars(algorithms).values() if getattr(it, "section", None) == "controller"]


def test_the_classes_are_those_of_the_schema(root: Path) -> None:
    script = [sys.executable, str(root / "python/generate.py"), "--check"]
    done = subprocess.run(script, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    listed = set(algorithms.__all__) | set(problems.__all__)
    assert listed <= set(esenas.__all__), "export them in esenas/__init__.py"
    assert len(WEIGHTS) >= 5 and len(CONTROLLERS) >= 8


@pytest.mark.parametrize("weights", WEIGHTS)
def test_every_weight_optimizer_runs(weights: Any) -> None:
    study = esenas.Study(SPACE, dim=4, weights=weights())
    study.optimize(shifted, iterations=2)
    assert study.settings["weights"]["kind"] == weights.kind


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_every_controller_runs(controller: Any) -> None:
    study = esenas.Study(SPACE, dim=4, controller=controller())
    study.optimize(shifted, iterations=2)
    assert study.settings["controller"]["kind"] == controller.kind


def test_defaults_are_the_papers() -> None:
    """Appendix A.2.2: σ and step size of BBOB, and those of reinforcement learning beside it."""
    plain = esenas.Study(SPACE, dim=4, preset="paper").settings
    assert plain["weights"]["sigma"] == 0.5 and plain["weights"]["directions"] == 64
    assert plain["controller"]["kind"] == "regularized-evolution"
    rl = esenas.RL("Pendulum", {"kind": "toeplitz"})
    beside = esenas.Study(problem=rl, weights=esenas.ES(directions=10)).settings
    assert beside["weights"]["sigma"] == 0.1 and beside["weights"]["directions"] == 10


def test_models_can_be_held() -> None:
    """Probes have the model where the sweep stands, others are tried at the centre."""
    study = esenas.Study(
        SPACE,
        dim=4,
        weights=esenas.LineES(sigma=1.0),
        controller=esenas.Sweep(),
        pairing="held",
        centre={"evaluations": 4},
    )
    batch = study.ask()
    *probes, _, _, _, _ = [candidate.model for candidate in batch]
    assert len(probes) == 7 + 4 and all(model == probes[0] for model in probes)
    # Neighbours are judged at the θ of the model where it stands: one θ for all of them.
    best = study.optimize(
        lambda model, theta: model["shift"] - float(((theta - 1.0) ** 2).sum()), iterations=40
    )
    assert best.model["shift"] == 2.0 and best.value > 1.9
    assert study.settings["pairing"] == "held"
    halves: dict[str, Any] = {"weights": esenas.LineES(), "controller": esenas.Sweep()}
    with pytest.raises(ValueError, match="at least 2"):
        esenas.Study(SPACE, dim=4, **halves, pairing="held", centre={"evaluations": 1})
    with pytest.raises(ValueError, match="line-es"):
        esenas.Study(SPACE, dim=4, weights=esenas.ES(), controller=esenas.Sweep(), pairing="held")


def test_settings_are_plain_mappings() -> None:
    es = esenas.ES(sigma=0.1, rule={"adam": {"beta1": 0.5}})
    assert repr(es) == "ES(sigma=0.1, rule={'adam': {'beta1': 0.5}})" or "sigma=0.1" in repr(es)
    assert dict(es) == {"kind": "es", "sigma": 0.1, "rule": {"adam": {"beta1": 0.5}}}
    assert pickle.loads(pickle.dumps(es)) == es


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: esenas.ES(sigma=-1.0), r"`weights.sigma` = -1.0: must lie between"),
        (lambda: esenas.ES(sigma="wide"), r"`weights.sigma`"),
        (lambda: esenas.ES(sampling="hadamrd"), "did you mean `hadamard`"),
        (lambda: esenas.ES(directions=0), r"`weights.directions` = 0"),
        (lambda: esenas.NEAT(survival=2.0), "survival"),
        (lambda: esenas.RegularizedEvolution(population="many"), "must be an integer"),
        (lambda: esenas.BBOB(function="Spheer"), "did you mean `Sphere`"),
        (lambda: esenas.RL("Pendlum", {"kind": "toeplitz"}), "Pendulum"),
        (lambda: esenas.RL("Pendulum", {"kind": "topelitz"}), "did you mean `toeplitz`"),
        (lambda: esenas.Command([], esenas.boolean(), dimension=3), "argv"),
    ],
)
def test_refusals_say_what_is_accepted(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()
    with pytest.raises(TypeError, match="unexpected keyword"):
        esenas.ES(simga=0.1)  # type: ignore[call-arg]


def test_costs_are_judged_by_the_space() -> None:
    cost = {"table": {"shift": [1.0, 2.0, 3.0]}}
    esenas.Study(SPACE, dim=2, controller=esenas.NSGA2(cost=cost))
    with pytest.raises(ValueError, match="cost"):
        esenas.Study(esenas.boolean(), dim=2, controller=esenas.NSGA2(cost=cost))
