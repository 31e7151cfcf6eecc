"""Peers for choices alone, over bits: functions `(f, evaluations, seed)` that call `f(bits, [])`.

Written after the papers they name, with the papers' settings.
"""

import math

import numpy as np


def _flipped(x, where):
    child = x.copy()
    child[where] ^= 1
    return child


def _standard(n, rate, rng):
    """Where standard bit mutation flips at this rate, given that it flips at all."""
    while True:
        count = rng.binomial(n, rate)
        if count:
            return rng.choice(n, count, replace=False)


def one_plus_one(f, evaluations, seed):
    """The (1+1) EA with rate 1/n, of which every child differs (Droste et al. 2002)."""
    rng, n = np.random.default_rng(seed), len(f.problem.arities)
    x = rng.integers(0, 2, n)
    best = f(x, [])
    while True:
        child = _flipped(x, _standard(n, 1 / n, rng))
        cost = f(child, [])
        if cost <= best:
            x, best = child, cost


def fast_ga(f, evaluations, seed):
    """The (1+1) fast GA: a rate of k/n, k from a power law with exponent 1.5 (Doerr et al. 2017)."""
    rng, n = np.random.default_rng(seed), len(f.problem.arities)
    law = np.arange(1, n // 2 + 1) ** -1.5
    cumulated = np.cumsum(law / law.sum())
    x = rng.integers(0, 2, n)
    best = f(x, [])
    while True:
        k = 1 + min(int(np.searchsorted(cumulated, rng.random())), n // 2 - 1)
        child = _flipped(x, _standard(n, k / n, rng))
        cost = f(child, [])
        if cost <= best:
            x, best = child, cost


def two_rate(f, evaluations, seed, children=10):
    """The (1+10) EA whose halves mutate with r/2n and 2r/n (Doerr, Gießen, Witt and Yang 2019)."""
    rng, n = np.random.default_rng(seed), len(f.problem.arities)
    x, rate = rng.integers(0, 2, n), 2.0
    best = f(x, [])
    while True:
        offspring = []
        for index in range(children):
            r = rate / 2 if index < children // 2 else 2 * rate
            child = _flipped(x, _standard(n, r / n, rng))
            offspring.append((f(child, []), r, child))
        cost, r, child = min(offspring, key=lambda it: it[0])
        if cost <= best:
            x, best = child, cost
        if rng.random() < 0.5:
            rate = r
        else:
            rate *= 2.0 if rng.random() < 0.5 else 0.5
        rate = min(max(rate, 2.0), n / 4)


def umda(f, evaluations, seed, population=50):
    """UMDA: marginals of the better half of 50, within [1/n, 1 − 1/n] (Mühlenbein and Paaß 1996)."""
    rng, n = np.random.default_rng(seed), len(f.problem.arities)
    marginals = np.full(n, 0.5)
    while True:
        points = (rng.random((population, n)) < marginals).astype(int)
        costs = [f(point, []) for point in points]
        better = points[np.argsort(costs, kind="stable")[: population // 2]]
        marginals = np.clip(better.mean(axis=0), 1 / n, 1 - 1 / n)


def cga(f, evaluations, seed):
    """The compact GA with steps of 1/K, K = √n ln n, within [1/n, 1 − 1/n] (Harik et al. 1999)."""
    rng, n = np.random.default_rng(seed), len(f.problem.arities)
    marginals, step = np.full(n, 0.5), 1 / (math.sqrt(n) * math.log(n))
    while True:
        one, other = (rng.random((2, n)) < marginals).astype(int)
        if f(one, []) > f(other, []):
            one, other = other, one
        marginals = np.clip(marginals + step * (one - other), 1 / n, 1 - 1 / n)


def annealing(move):
    """Simulated annealing over orders with one kind of move: the temperature falls geometrically
    from 0.3 to 0.01 times the mean change of twenty first moves."""

    def search(f, evaluations, seed):
        rng, n = np.random.default_rng(seed), len(f.problem.arities)
        order = rng.permutation(n)
        cost, change = f(order, []), 0.0
        for _ in range(20):
            child = move(order, rng)
            value = f(child, [])
            change += abs(value - cost) / 20
            if value < cost:
                order, cost = child, value
        first, left = evaluations - 21, evaluations - 21
        while True:
            temperature = change * 0.3 * (1 / 30) ** (1 - left / max(first, 1))
            child = move(order, rng)
            value = f(child, [])
            if value <= cost or rng.random() < math.exp((cost - value) / temperature):
                order, cost = child, value
            left -= 1

    return search


def climbing(*moves):
    """A hill climb over orders, each move drawn alike."""

    def search(f, evaluations, seed):
        rng, n = np.random.default_rng(seed), len(f.problem.arities)
        order = rng.permutation(n)
        cost = f(order, [])
        while True:
            child = moves[rng.integers(len(moves))](order, rng)
            value = f(child, [])
            if value <= cost:
                order, cost = child, value

    return search


def _two(order, rng):
    return np.sort(rng.choice(len(order), 2, replace=False))


def reversal(order, rng):
    """A stretch the other way round: 2-opt, of a tour."""
    first, last = _two(order, rng)
    child = order.copy()
    child[first : last + 1] = child[first : last + 1][::-1]
    return child


def exchange(order, rng):
    """Two members in each other's place."""
    child, two = order.copy(), _two(order, rng)
    child[two] = child[two[::-1]]
    return child


def insertion(order, rng):
    """A member elsewhere."""
    first, last = rng.choice(len(order), 2, replace=False)
    return np.insert(np.delete(order, first), last, order[first])
