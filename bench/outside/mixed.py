"""Tasks of Nevergrad with choices and numbers together, each seeded by its instance."""

import numpy as np
import settings
from common import Problem

import peers


def unit_commitment(instance):
    """Which of 39 generators run, and how much they give."""
    from nevergrad.functions.unitcommitment.core import UnitCommitmentProblem

    np.random.seed(instance)
    task = UnitCommitmentProblem()
    outputs = (task.num_generators, task.num_timepoints)
    n = task.num_generators * task.num_timepoints

    def cost(genes, x):
        return task.unit_commitment_obj_with_penalization(np.array(x).reshape(outputs), genes)

    return Problem(f"i{instance}", cost, [0.0] * n, [float(task.p_max)] * n, 0, [2] * n)


def bragg(instance, layers=80):
    """A mirror of so many layers: thicknesses and refractive indices."""
    from nevergrad.functions.photonics import photonics

    # The optimum is moved by the order of the coordinates, which instances shuffle.
    order = np.random.default_rng(instance).permutation(layers)
    half = layers // 2
    low, high = [2.0] * half + [30.0] * half, [3.0] * half + [180.0] * half

    def cost(genes, x):
        return photonics.bragg(np.array(x)[np.argsort(order)])

    return Problem(f"i{instance}", cost, [low[j] for j in order], [high[j] for j in order])


def two_materials(instance, layers=40):
    """The same of two materials: which is a choice of each layer."""
    from nevergrad.functions.photonics import photonics

    rng = np.random.default_rng(instance)
    flips, order = rng.integers(0, 2, layers), rng.permutation(layers)

    def cost(genes, x):
        index = 2.0 + (np.array(genes) ^ flips)
        return photonics.bragg(np.concatenate([index, np.array(x)[order]]))

    return Problem(f"i{instance}", cost, [30.0] * layers, [180.0] * layers, 0, [2] * layers)


def coating(instance, layers=10):
    """An anti-reflective coating, its layers shuffled."""
    from nevergrad.functions.arcoating.core import ARCoating

    task = ARCoating(nbslab=layers)
    order = np.random.default_rng(instance).permutation(layers)

    def cost(genes, x):
        return task._get_minimum_average_reflexion(np.array(x)[order])

    return Problem(f"i{instance}", cost, [task.epmin] * layers, [task.epf] * layers)


TASKS = {
    "unit commitment 39 × 39": unit_commitment,
    "Bragg mirror 0 × 80": bragg,
    "Bragg mirror of two materials 40 × 40": two_materials,
    "coating 0 × 10": coating,
}


def suite(out, quick):
    """Each task beside peers; instances from 1 on."""
    algorithms = {"auto": peers.esenas(), "CatCMAwM": peers.catcmawm, "random": peers.random}
    algorithms["pycma"] = peers.pycma()
    budgets = [500, 2000] if quick else [500, 2000, 10_000]
    if not quick:
        algorithms |= {name: peers.nevergrad(name) for name in ("DiagonalCMA", "NGOpt")}
    instances = range(1, 3 if quick else 6)
    parts = ((title, map(task, instances), budgets, algorithms) for title, task in TASKS.items())
    return settings.tables("mixed", parts, out)
