#!/usr/bin/env python3
"""An objective for esenas in Python, without dependencies: a template for your own.

The engine starts this program once per worker and keeps it. For each candidate it writes one
line of JSON to our standard input and waits for one line of JSON on our standard output:

    {"id": 17, "model": {"shape": "sphere", "centre": 0.5}, "theta": [0.1, 0.2], "seed": 4011}
    {"id": 17, "value": -0.25}

Try it by hand:

    echo '{"id":1,"model":{"shape":"sphere","centre":0.5},"theta":[0,1],"seed":0}' \\
        | python3 examples/command/objective.py
"""

import array
import json
import sys


def objective(model, theta, seed):
    """Replace this with your own f(m, theta). The engine maximizes what it returns.

    `model` is the combinatorial part, as the study's space describes it; here it has two choices:
    the shape of the bowl and where its centre lies. `theta` is the continuous part. Randomness,
    if you need any, must come from `seed` (random.Random(seed)), or runs cannot be repeated.
    """
    cost = {"sphere": lambda x: x * x, "cone": abs}[model["shape"]]
    value = -sum(cost(t - model["centre"]) for t in theta)
    return {
        "value": value,  # what is optimized
        "score": -value,  # optional: what is reported, if it differs
        "metrics": {"dimension": len(theta)},  # optional: other numbers to be kept
    }


def read_theta(request):
    """A short theta is in the line; a long one is in a file of little-endian doubles."""
    if "theta" in request:
        return request["theta"]
    theta = array.array("d")
    with open(request["theta_file"], "rb") as file:
        theta.frombytes(file.read())
    if sys.byteorder == "big":
        theta.byteswap()
    return theta


def main():
    # Expensive set-up (data, a simulator, a GPU) belongs here: it is done once per worker.
    for line in sys.stdin:  # ends when the engine has no more to ask
        request = json.loads(line)
        try:
            answer = objective(request["model"], read_theta(request), request["seed"])
        except Exception as error:
            # This candidate cannot be evaluated: the engine records why, and goes on.
            answer = {"error": f"{type(error).__name__}: {error}"}
        # Flush, or the engine waits for an answer that sits in a buffer. Print whatever else you
        # like to standard error.
        print(json.dumps({"id": request["id"], **answer}), flush=True)


if __name__ == "__main__":
    main()
