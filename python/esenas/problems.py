r"""Problems that bring their own objective.

What is not given is the paper's. Written by python/generate.py from the schema and the manual of
study files; change those."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from esenas._settings import Settings

__all__ = [
    "BBOB",
    "Command",
    "Gymnasium",
    "RL",
    "Synthetic",
]


class Synthetic(Settings):
    r"""`kind = "synthetic"`. Built in, for trying things out. θ is cut into blocks, and the model
    chooses the shape that the coordinates of each block should take: flat, a ramp with a slope,
    or a wave with a height and a period. One hidden model is right. The best value is 0, for
    that model and θ in its shapes.

    `blocks`: how many blocks; 13 models each (default 4)

    `dimension`: d (default 200)

    `function`: how θ's distance from the shapes is measured: `"sphere"`, `"ellipsoid"` (axes
    from 1 to 10⁶), `"rastrigin"` (default `"sphere"`)

    `instance`: which hidden model (default 0)

    `noise`: the standard deviation of Gaussian noise on the value (default 0.0)

    `start`: the first θ, as below (default `{ gaussian = 1.0 }`)
    """

    section, kind = "problem", "synthetic"

    def __init__(
        self,
        *,
        blocks: int | None = None,
        dimension: int | None = None,
        function: Literal["sphere", "ellipsoid", "rastrigin"] | None = None,
        instance: int | None = None,
        noise: float | None = None,
        start: Literal["middle", "zeros", "uniform"] | Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            blocks=blocks,
            dimension=dimension,
            function=function,
            instance=instance,
            noise=noise,
            start=start,
        )


class BBOB(Settings):
    r"""`kind = "bbob"`. A function of the BBOB benchmark, of which the first coordinates are
    categories (§3.1): each takes one of −5, −4, …, 5, and the others are weights in [−5, 5].
    The value is the function's with a minus sign, the best one 0 except for `"raw"`. The first
    point is drawn uniformly from the study's seed, and is the same for all searches. Ready-made
    studies are in `studies/bbob`, the paper's comparison in `esenas bench bbob`.

    `d_cat`: how many coordinates are categorical (default 10)

    `d_con`: how many are continuous: d (default 50)

    `function`: which: `esenas bbob list` names the 19 (default `"Sphere"`)

    `mode`: the optimum at zero as in the paper; `"instance"` for random rotations, a random
    optimum and shuffled categories; `"raw"` for the function as it is defined (default
    `"centered"`)

    `seed`: which rotations, optimum and labels; 0 stands for no rotation unless the mode is
    `"instance"` (default 0)
    """

    section, kind = "problem", "bbob"

    def __init__(
        self,
        *,
        d_cat: int | None = None,
        d_con: int | None = None,
        function: Literal["Sphere", "Rastrigin", "BuecheRastrigin", "LinearSlope", "AttractiveSector", "StepEllipsoidal", "RosenbrockRotated", "Discus", "BentCigar", "SharpRidge", "DifferentPowers", "Weierstrass", "SchaffersF7", "SchaffersF7IllConditioned", "GriewankRosenbrock", "Schwefel", "Katsuura", "Lunacek", "Gallagher101"] | None = None,
        mode: Literal["raw", "centered", "instance"] | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(d_cat=d_cat, d_con=d_con, function=function, mode=mode, seed=seed)


class RL(Settings):
    r"""`kind = "rl"`. A policy in an environment: see rl. The space and *d* come from both.

    `env`: `"Pendulum"`, `"CartPole"`, `"MountainCar"`, or one of MuJoCo's: `"Swimmer"`,
    `"Reacher"`, `"Hopper"`, `"HalfCheetah"`, `"Walker2d"`, `"Pusher"`, `"Striker"`,
    `"Thrower"`, with a version as in `"Hopper-v5"` if wanted

    `policy`: the class of policies, below

    `actions`: what the outputs mean: `"unit"`, the action itself, or `"limits"`, −1 and 1 are
    the environment's limits (default `"unit"`)

    `alive`: whether alive bonuses count in the value; the score always has them (default false)

    `episodes`: episodes per candidate (default 1)

    `horizon`: the steps of an episode; 1000 in MuJoCo's environments (default the
    environment's)

    `initial`: what the first weights are drawn from: `"uniform"` in ±scale, or `"normal"` with
    that deviation (biases then uniform in ±1) (default `"uniform"`)

    `normalize`: whether observations are normalized by their running mean and variance, which
    all candidates share (default true)

    `scale`: how wide; 1 where `"normal"` (default the policy's)

    `starts`: who shares the starts of episodes: nobody (`"each"`), the two of a `"pair"`, all
    of an `"iteration"`, or all there are (`"fixed"`) (default `"each"`)
    """

    section, kind = "problem", "rl"

    def __init__(
        self,
        env: str,
        policy: Mapping[str, Any],
        *,
        actions: Literal["unit", "limits"] | None = None,
        alive: bool | None = None,
        episodes: int | None = None,
        horizon: int | None = None,
        initial: Literal["uniform", "normal"] | None = None,
        normalize: bool | None = None,
        scale: float | None = None,
        starts: Literal["each", "pair", "iteration", "fixed"] | None = None,
    ) -> None:
        super().__init__(
            env=env,
            policy=policy,
            actions=actions,
            alive=alive,
            episodes=episodes,
            horizon=horizon,
            initial=initial,
            normalize=normalize,
            scale=scale,
            starts=starts,
        )


class Gymnasium(Settings):
    r"""`kind = "gymnasium"`. A policy in any environment of Gymnasium, which Python makes: see your
    environment. Needs the Python package, whose command runs such studies too.

    `env`: its id, such as `"Ant-v5"`, or a function that makes one: `"module:function"`, in
    Python the function itself

    `policy`: the class of policies, as of `"rl"`

    `action`: how many outputs a policy has (default looked up)

    `actions`: what the outputs mean: `"limits"` or `"unit"` as of `"rl"`; `"greedy"`, the
    greatest names the action, or `"sampled"` (default `"limits"`; `"greedy"` if discrete)

    `bonus`: a part of the reward that the value leaves out and the score has: its key in
    `info`, such as `"reward_survive"` (default none)

    `episodes`: episodes per candidate (default 1)

    `horizon`: the most steps of an episode (default the environment's)

    `initial`: as of `"rl"` (default `"uniform"`)

    `kwargs`: keywords for whoever makes the environment (default none)

    `normalize`: whether observations are normalized by their running mean and variance, which
    all candidates share (default true)

    `observation`: how many numbers an observation is (default looked up)

    `scale`: as of `"rl"` (default the policy's)

    `score`: what is reported: the sum of this key of `info` (default the return)

    `starts`: as of `"rl"` (default `"each"`)
    """

    section, kind = "problem", "gymnasium"

    def __init__(
        self,
        env: str | Callable[..., Any],
        policy: Mapping[str, Any],
        *,
        action: int | None = None,
        actions: Literal["unit", "limits", "greedy", "sampled"] | None = None,
        bonus: str | None = None,
        episodes: int | None = None,
        horizon: int | None = None,
        initial: Literal["uniform", "normal"] | None = None,
        kwargs: Mapping[str, Any] | None = None,
        normalize: bool | None = None,
        observation: int | None = None,
        scale: float | None = None,
        score: str | None = None,
        starts: Literal["each", "pair", "iteration", "fixed"] | None = None,
    ) -> None:
        super().__init__(
            env=env,
            policy=policy,
            action=action,
            actions=actions,
            bonus=bonus,
            episodes=episodes,
            horizon=horizon,
            initial=initial,
            kwargs=kwargs,
            normalize=normalize,
            observation=observation,
            scale=scale,
            score=score,
            starts=starts,
        )


class Command(Settings):
    r"""`kind = "command"`. A program in any language, which reads a candidate as a line of JSON and
    answers with one; see `examples/command`.

    `argv`: the program and its arguments; no shell is involved

    `space`: 𝓜: the space as [spaces](spaces.md) are written, or the path of a JSON or TOML file
    with one, relative to the study file. The resolved study holds the space itself

    `attempts`: how often an evaluation is tried that a program died of, or was late with
    (default 3)

    `bounds`: the box of θ: `[low, high]`, or a list of as many pairs as there are coordinates
    (default none)

    `dimension`: how many coordinates a flat θ has beside the models. Left out, θ are the
    numbers of the space ([spaces](spaces.md#real-a-number)) (default none)

    `directory`: where the program is run (default where esenas is started)

    `inline`: the longest θ that is sent in the line; a longer one goes through a file, as do
    longer arrays of a model (default 10000)

    `restarts`: how often in a row a program is restarted without an answer in between (default
    30)

    `start`: the first θ: the `"middle"` of the bounds (zeros where there are none), `"zeros"`,
    `"uniform"` in the bounds, `{ gaussian = deviation }` or `{ values = [...] }`; drawn from
    the seed, and moved into the bounds. Where the space has the numbers, `{ design = {...} }`:
    they begin there, and the design is evaluated first. Keys: `gaussian`, `values`, `design`
    (default `"middle"`)

    `steps`: the grids that coordinates of θ are on: one step for all, or a list of as many as
    there are coordinates, 0 where one is continuous. The program gets the nearest of low, low +
    step, … up to high; needs `bounds`. See [integer-like coordinates](auto.md#integer-like-
    coordinates) (default none)

    `timeout`: the time allowed for one evaluation (default 3600)
    """

    section, kind = "problem", "command"

    def __init__(
        self,
        argv: Sequence[Any],
        space: Any,
        *,
        attempts: int | None = None,
        bounds: Sequence[Any] | None = None,
        dimension: int | None = None,
        directory: str | None = None,
        inline: int | None = None,
        restarts: int | None = None,
        start: Literal["middle", "zeros", "uniform"] | Mapping[str, Any] | None = None,
        steps: float | Sequence[Any] | None = None,
        timeout: float | str | None = None,
    ) -> None:
        super().__init__(
            argv=argv,
            space=space,
            attempts=attempts,
            bounds=bounds,
            dimension=dimension,
            directory=directory,
            inline=inline,
            restarts=restarts,
            start=start,
            steps=steps,
            timeout=timeout,
        )
