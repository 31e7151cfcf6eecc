r"""What optimizes θ (`weights`), and what proposes models (`controller`).

What is not given is the paper's. Written by python/generate.py from the schema and the manual of
study files; change those."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from esenas._settings import Settings

__all__ = [
    "ASNG",
    "CMAES",
    "ES",
    "FactorizedPolicyGradient",
    "Growing",
    "HillClimb",
    "LMMAES",
    "LineES",
    "LocalSearch",
    "NEAT",
    "NSGA2",
    "OnePlusOne",
    "PolicyGradient",
    "Pyramid",
    "Random",
    "RegularizedEvolution",
    "Restarts",
    "SNES",
    "SepCMAES",
    "Sweep",
]


class ES(Settings):
    r"""`kind = "es"`. Evolution strategies and ARS: §2.1.1; defaults of Appendix A.2.2 for BBOB.
    Beside a problem of kind `rl` the defaults are σ = 0.1, a step of 0.01 and 75 directions.

    `directions`: pairs in an iteration (default 64)

    `normalize`: how values are normalized: `"off"`, `"deviation"` (ARS), `"ranks"` (default
    `"deviation"`)

    `rule`: from gradient to step: `"plain"`, `{ momentum = { beta = 0.9 } }`, `{ adam = { beta1
    = 0.9, beta2 = 0.999, epsilon = 1e-8 } }`, `{ clip-up = { momentum = 0.9, max_speed = 2.0 }
    }`. Keys: `momentum`, `beta`, `adam`, `beta1`, `beta2`, `epsilon`, `clip-up`, `max_speed`
    (default `"plain"`)

    `sampling`: how directions are drawn: `"gaussian"`, `"orthogonal"`, `"hadamard"` (default
    `"gaussian"`)

    `sigma`: σ: a number, `{ linear = { from = 0.5, to = 0.1, iterations = 100 } }`, or `cosine`
    likewise. Keys of a schedule: `linear`, `cosine`, `from`, `to`, `iterations` (default 0.5)

    `step_size`: η_w: likewise (default 0.5)

    `top`: learn from this many pairs, the best by their better value (ARS's b) (default all)

    `weight_decay`: θ shrinks by η_w times this before each step (default 0.0)
    """

    section, kind = "weights", "es"

    def __init__(
        self,
        *,
        directions: int | None = None,
        normalize: Literal["off", "deviation", "ranks"] | None = None,
        rule: Literal["plain"] | Mapping[str, Any] | None = None,
        sampling: Literal["gaussian", "orthogonal", "hadamard"] | None = None,
        sigma: float | Mapping[str, Any] | None = None,
        step_size: float | Mapping[str, Any] | None = None,
        top: int | None = None,
        weight_decay: float | None = None,
    ) -> None:
        super().__init__(
            directions=directions,
            normalize=normalize,
            rule=rule,
            sampling=sampling,
            sigma=sigma,
            step_size=step_size,
            top=top,
            weight_decay=weight_decay,
        )


class CMAES(Settings):
    r"""`kind = "cma-es"`. Hansen 2016 (d up to 10,000).

    `active`: whether the worst points count against their directions (default true)

    `boundary`: what keeps points within bounds: pycma's change of variables, or `"clip"`, where
    steps are cut off and learned from as cut; faster at first, slower where the optimum is in a
    corner (default `"mirror"`)

    `mirrored`: whether points come in pairs m ± δ: half the numbers to draw, and with `pairing
    = "shared"` both halves of a pair get one model (default false)

    `population`: λ (default 4 + ⌊3 ln d⌋)

    `recombination`: which points move the mean: the `"better"` half, or `"all"`, the worse half
    mirrored; up to twice as fast where d is large beside the population (default `"better"`)

    `sigma`: σ to start with (default 0.5)

    `stop`: when it calls itself converged; the study goes on. Keys below
    """

    section, kind = "weights", "cma-es"

    def __init__(
        self,
        *,
        active: bool | None = None,
        boundary: Literal["mirror", "clip"] | None = None,
        mirrored: bool | None = None,
        population: int | None = None,
        recombination: Literal["better", "all"] | None = None,
        sigma: float | None = None,
        stop: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            active=active,
            boundary=boundary,
            mirrored=mirrored,
            population=population,
            recombination=recombination,
            sigma=sigma,
            stop=stop,
        )


class SepCMAES(Settings):
    r"""`kind = "sep-cma-es"`. Ros and Hansen 2008.

    `mirrored`: whether points come in pairs m ± δ: half the numbers to draw, and with `pairing
    = "shared"` both halves of a pair get one model (default false)

    `population`: λ (default 4 + ⌊3 ln d⌋)

    `recombination`: which points move the mean: the `"better"` half, or `"all"`, the worse half
    mirrored; up to twice as fast where d is large beside the population (default `"better"`)

    `sigma`: σ to start with (default 0.5)
    """

    section, kind = "weights", "sep-cma-es"

    def __init__(
        self,
        *,
        mirrored: bool | None = None,
        population: int | None = None,
        recombination: Literal["better", "all"] | None = None,
        sigma: float | None = None,
    ) -> None:
        super().__init__(
            mirrored=mirrored,
            population=population,
            recombination=recombination,
            sigma=sigma,
        )


class SNES(Settings):
    r"""`kind = "snes"`. Schaul et al. 2011.

    `population`: λ (default 4 + ⌊3 ln d⌋)

    `sigma`: σ to start with (default 0.5)

    `sigma_rate`: η_s (default (3 + ln d) / (5 √d))

    `step_size`: η_m (default 1.0)
    """

    section, kind = "weights", "snes"

    def __init__(
        self,
        *,
        population: int | None = None,
        sigma: float | None = None,
        sigma_rate: float | None = None,
        step_size: float | None = None,
    ) -> None:
        super().__init__(
            population=population,
            sigma=sigma,
            sigma_rate=sigma_rate,
            step_size=step_size,
        )


class LMMAES(Settings):
    r"""`kind = "lm-ma-es"`. Loshchilov et al. 2019.

    `population`: λ (default 4 + ⌊3 ln d⌋)

    `sigma`: σ to start with (default 0.5)

    `vectors`: direction vectors (default 4 + ⌊3 ln d⌋)
    """

    section, kind = "weights", "lm-ma-es"

    def __init__(
        self,
        *,
        population: int | None = None,
        sigma: float | None = None,
        vectors: int | None = None,
    ) -> None:
        super().__init__(population=population, sigma=sigma, vectors=vectors)


class Growing(Settings):
    r"""`kind = "growing"`. Made of others, which may be made of others again: `weights = { kind =
    "restarts", weights = { kind = "cma-es", sigma = 2 } }`.

    `after`: evaluations before the population grows (default 50 d)

    `exponent`: it grows as (evaluations / after)^exponent; from 0 to 1 (default 0.5)

    `weights`: what grows, or begins anew (default `kind = "cma-es"`)
    """

    section, kind = "weights", "growing"

    def __init__(
        self,
        *,
        after: int | None = None,
        exponent: float | None = None,
        weights: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(after=after, exponent=exponent, weights=weights)


class Restarts(Settings):
    r"""`kind = "restarts"`. Made of others, which may be made of others again: `weights = { kind =
    "restarts", weights = { kind = "cma-es", sigma = 2 } }`.

    `growth`: by what factor it is larger; from 1 to 10 (default 2)

    `regime`: `"ipop"`: each run has a larger population; `"bipop"`: with as many evaluations
    for small ones in between (default `"ipop"`)

    `weights`: what grows, or begins anew (default `kind = "cma-es"`)
    """

    section, kind = "weights", "restarts"

    def __init__(
        self,
        *,
        growth: float | None = None,
        regime: Literal["ipop", "bipop"] | None = None,
        weights: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(growth=growth, regime=regime, weights=weights)


class LineES(Settings):
    r"""`kind = "line-es"`. An evolution strategy that looks along its steps: two points of an
    iteration make the last step shorter and longer, and the top of the parabola through the
    three is taken (of σ alone: Hansen 2008, two-point adaptation); its direction is that of all
    points, weighed by rank (Arnold 2006). Directions go from iteration to iteration through an
    orthogonal basis, then through another. A coordinate that steps keep pushing out of the box
    is left alone in more and more iterations. After five iterations without a better point it
    goes back to the best one with steps of 0.3 of the length, and with `pairing = "held"` and
    `sweep` so does the model. For few evaluations per weight, and not for noisy values. Nothing
    is learned of scales and correlations.

    `population`: λ + 3: the probes, the two steps and the centre; at least 5 (default 7 + ⌊3 ln
    d⌋)

    `sigma`: σ to start with (default 0.5)
    """

    section, kind = "weights", "line-es"

    def __init__(
        self,
        *,
        population: int | None = None,
        sigma: float | None = None,
    ) -> None:
        super().__init__(population=population, sigma=sigma)


class Random(Settings):
    r"""`kind = "random"`. Nothing to set.
    """

    section, kind = "controller", "random"

    def __init__(self) -> None:
        super().__init__()


class RegularizedEvolution(Settings):
    r"""`kind = "regularized-evolution"`. Real et al. 2019; Appendix A.2.1.

    `population`: how many live at a time ("the number of workers") (default as many as an
    iteration asks for, 136 at least)

    `tournament`: how many compete to be a parent (default √population)
    """

    section, kind = "controller", "regularized-evolution"

    def __init__(
        self,
        *,
        population: int | None = None,
        tournament: int | None = None,
    ) -> None:
        super().__init__(population=population, tournament=tournament)


class HillClimb(Settings):
    r"""`kind = "hill-climb"`.

    `reevaluate`: whether the incumbent is evaluated again in every iteration: for noisy values
    (default false)
    """

    section, kind = "controller", "hill-climb"

    def __init__(
        self,
        *,
        reevaluate: bool | None = None,
    ) -> None:
        super().__init__(reevaluate=reevaluate)


class NEAT(Settings):
    r"""`kind = "neat"`. Stanley and Miikkulainen 2002, §4.1.

    `champion`: a species of more than this many has its champion copied (default 5)

    `compatibility`: coefficients of the distance. Keys: `excess`, `disjoint`, `weight` (default
    `{ excess = 1.0, disjoint = 1.0, weight = 0.4 }`)

    `crossover`: the probability of two parents (default 0.75)

    `interspecies`: the probability that the second is from another species (default 0.001)

    `mutation`: the probability that a child of two is mutated too (default 0.8)

    `population`: individuals per generation (default 150)

    `refocus`: generations without any improvement beyond which only two species have any
    (default 20)

    `species`: how many species a threshold that is not given aims at (default 10)

    `stagnation`: generations without improvement after which a species has no offspring
    (default 15)

    `survival`: the share of a species that may be parents (default 0.2)

    `threshold`: the distance at which species part (default adapted)
    """

    section, kind = "controller", "neat"

    def __init__(
        self,
        *,
        champion: int | None = None,
        compatibility: Mapping[str, Any] | None = None,
        crossover: float | None = None,
        interspecies: float | None = None,
        mutation: float | None = None,
        population: int | None = None,
        refocus: int | None = None,
        species: int | None = None,
        stagnation: int | None = None,
        survival: float | None = None,
        threshold: float | None = None,
    ) -> None:
        super().__init__(
            champion=champion,
            compatibility=compatibility,
            crossover=crossover,
            interspecies=interspecies,
            mutation=mutation,
            population=population,
            refocus=refocus,
            species=species,
            stagnation=stagnation,
            survival=survival,
            threshold=threshold,
        )


class ASNG(Settings):
    r"""`kind = "asng"`. A distribution over models that follows its natural gradient: Akimoto et
    al. 2019, with the margin of CatCMA (Hamano et al. 2024). Not for `[hybrid]`.

    `alpha`: steps grow when their signal exceeds noise by this factor (default 1.5)

    `margin`: the probability of the most probable model once all has converged (default 0.73)

    `step_size`: δ₀, the length of a step per decision, to begin with (default 0.35)

    `utilities`: what the points of a batch weigh: their centred `"ranks"`, or `"logarithmic"`,
    CMA-ES's weights of the better half (default `"ranks"`)
    """

    section, kind = "controller", "asng"

    def __init__(
        self,
        *,
        alpha: float | None = None,
        margin: float | None = None,
        step_size: float | None = None,
        utilities: Literal["ranks", "logarithmic"] | None = None,
    ) -> None:
        super().__init__(alpha=alpha, margin=margin, step_size=step_size, utilities=utilities)


class NSGA2(Settings):
    r"""`kind = "nsga2"`. Deb et al. 2002: values up and costs down, for fronts of the two. Not for
    `[hybrid]`.

    `cost`: what a model costs, as in `[constraint]` (default `"active"`)

    `crossover`: the probability of a child having two parents (default 0.9)

    `mutation`: the probability of a child being mutated, in one decision (default 0.63)

    `population`: how many are parents (default 100)
    """

    section, kind = "controller", "nsga2"

    def __init__(
        self,
        *,
        cost: Literal["active", "decisions", "measured"] | Mapping[str, Any] | None = None,
        crossover: float | None = None,
        mutation: float | None = None,
        population: int | None = None,
    ) -> None:
        super().__init__(cost=cost, crossover=crossover, mutation=mutation, population=population)


class PolicyGradient(Settings):
    r"""`kind = "policy-gradient"`. A pointer network trained by PPO: Vinyals et al. 2015, Schulman
    et al. 2017; Appendix A.2.1. Not for `[hybrid]`.

    `embedding`: the size of the embeddings (default 100)

    `hidden`: the size of the LSTM's state (default 100)

    `learning_rate`: Adam's step size (default 0.0005)

    `temperature`: what scores are divided by (default 1.0)

    `training`: how it learns (default see below)
    """

    section, kind = "controller", "policy-gradient"

    def __init__(
        self,
        *,
        embedding: int | None = None,
        hidden: int | None = None,
        learning_rate: float | None = None,
        temperature: float | None = None,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            embedding=embedding,
            hidden=hidden,
            learning_rate=learning_rate,
            temperature=temperature,
            training=training,
        )


class FactorizedPolicyGradient(Settings):
    r"""`kind = "factorized-policy-gradient"`. An independent softmax per decision, trained by the
    same PPO. Keys: `learning_rate` (0.03) and `training`, as above. Not for `[hybrid]`.

    `learning_rate`: see docs/study.md

    `training`: see docs/study.md
    """

    section, kind = "controller", "factorized-policy-gradient"

    def __init__(
        self,
        *,
        learning_rate: float | None = None,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(learning_rate=learning_rate, training=training)


class OnePlusOne(Settings):
    r"""`kind = "one-plus-one"`. Nothing to set. The (1+1) evolutionary algorithm of Droste et al.
    2002: a child of the best model so far, each of whose n decisions changes with probability
    1/n; if it is as good, it takes the place of its parent. Of an iteration the best child
    competes, with its parent evaluated again. Not for `[hybrid]`.
    """

    section, kind = "controller", "one-plus-one"

    def __init__(self) -> None:
        super().__init__()


class LocalSearch(Settings):
    r"""`kind = "local-search"`. Nothing to set. Iterated local search, made for orders: a neighbour
    as good as the model where it stands takes its place, and after as many tries in vain as
    there are neighbours it goes on from the best model with three changes. In an order members
    are exchanged, inserted elsewhere, or a stretch is reversed, whichever succeeded lately. For
    values that are the same each time. Not for `[hybrid]`.
    """

    section, kind = "controller", "local-search"

    def __init__(self) -> None:
        super().__init__()


class Pyramid(Settings):
    r"""`kind = "pyramid"`. Nothing to set. The parameter-less population pyramid of Goldman and
    Punch 2014, for choices that depend on each other: random models climb decision by decision,
    then take clusters of decisions from populations that grow by themselves, where that is not
    worse. Which decisions are a cluster is read off those populations. At most 4096 decisions,
    and values that are the same each time. Not for `[hybrid]`.
    """

    section, kind = "controller", "pyramid"

    def __init__(self) -> None:
        super().__init__()


class Sweep(Settings):
    r"""`kind = "sweep"`. Nothing to set. It stands at one model and tries its neighbours, with one
    decision changed, none twice before all had their turn, and three turns in four are of the
    quarter of them that was least behind; what was better is taken over, all of it together.
    The model where it stands counts as its likeliest. Every comparison is believed: not for
    noisy values. Made for `pairing = "held"`, where neighbours are judged at the θ of that
    model. Not for `[hybrid]`.
    """

    section, kind = "controller", "sweep"

    def __init__(self) -> None:
        super().__init__()
