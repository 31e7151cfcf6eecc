"""A supernet: each layer chooses an operation that owns its weights, and all share one head.

    pip install . && python examples/python_supernet.py

Beside it stands the same with a flat θ, sliced by hand.
"""

import numpy as np

import esenas

X = np.linspace(-2, 2, 64)[:, None]
Y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 0]
WIDTH = 12
FUNCTIONS = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0), "sin": np.sin}

first = [esenas.Dict(f=name, w=esenas.weights((2, WIDTH))) for name in FUNCTIONS]
space = esenas.Dict(first=esenas.oneof(first), head=esenas.weights(WIDTH, scale=0.3, name="head"))


def fit(net):
    """The negative error of a network; its weights come with it."""
    hidden = FUNCTIONS[net["first"]["f"]](X * net["first"]["w"][0] + net["first"]["w"][1])
    return -float(np.mean((hidden @ net["head"] - Y) ** 2))


best = esenas.Study(space, seed=1).optimize(fit, evaluations=20_000)
print(f"declared: error {-best.value:.4f} with {best.design['first']['f']}")

names = list(FUNCTIONS)


def fit_by_hand(model, theta):
    """The same: whose weights are where is for the reader to find out."""
    at = 2 * WIDTH * names.index(model["f"])
    w, head = theta[at : at + 2 * WIDTH].reshape(2, WIDTH), 0.3 * theta[6 * WIDTH :]
    hidden = FUNCTIONS[model["f"]](X * w[0] + w[1])
    return -float(np.mean((hidden @ head - Y) ** 2))


flat = esenas.Study(esenas.Dict(f=esenas.oneof(names)), dim=7 * WIDTH, seed=1, start={"gaussian": 1.0})
best = flat.optimize(fit_by_hand, evaluations=20_000)
print(f"by hand:  error {-best.value:.4f} with {best.model['f']}")
