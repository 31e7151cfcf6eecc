"""A quantized network: how many bits each layer gets, and the weights that suit them.

    pip install . && python examples/python_quantized.py

Rounding has no gradient, so bits and weights are searched together. A network pays for every bit it
stores: the price says how much error one is worth.
"""

import numpy as np

import esenas

X = np.linspace(-2, 2, 64)[:, None]
Y = np.sin(2 * X[:, 0])
WIDTH, PRICE = 10, 1e-4
BITS = [2, 3, 4, 6, 8]

space = esenas.Dict(
    first=esenas.Dict(bits=esenas.oneof(BITS), w=esenas.weights((2, WIDTH))),
    last=esenas.Dict(bits=esenas.oneof(BITS), w=esenas.weights(WIDTH)),
)


def rounded(layer):
    """The weights of a layer on as many levels as its bits have."""
    w, steps = layer["w"], 2 ** (layer["bits"] - 1) - 1
    scale = np.max(np.abs(w)) + 1e-12
    return np.round(w / scale * steps) / steps * scale


def error(net):
    first, last = rounded(net["first"]), rounded(net["last"])
    return float(np.mean((np.tanh(X * first[0] + first[1]) @ last - Y) ** 2))


def stored(net):
    return sum(layer["bits"] * np.size(layer["w"]) for layer in net.values())


study = esenas.Study(space, direction="minimize", seed=1)
best = study.optimize(lambda net: error(net) + PRICE * stored(net), evaluations=20_000)
net = best.design
print(f"error {error(net):.4f} with {stored(net)} bits: {net['first']['bits']} and {net['last']['bits']} a weight")
