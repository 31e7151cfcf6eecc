"""The addresses of candidates, and the generator that makes θ from them."""

from __future__ import annotations

import numpy as np
import pytest

import esenas
from esenas.noise import direction


@pytest.mark.parametrize("dim", [1, 31, 1024, 2500])
def test_addresses_give_the_bits_of_theta(dim: int) -> None:
    study = esenas.Study(esenas.boolean(), dim=dim, seed=7, preset="paper", start={"gaussian": 1.0})
    for _ in range(2):
        batch = study.ask()
        for candidate in batch:
            address = candidate.address
            assert address is not None
            assert (address.theta(batch.centre, batch.spread) == candidate.theta).all()
        roles = [candidate.role for candidate in batch]
        assert {"probe", "centre"} >= set(roles) and "probe" in roles
        study.tell([-float(candidate.theta @ candidate.theta) for candidate in batch])


def test_pairs_have_one_row_and_two_signs() -> None:
    study = esenas.Study(esenas.boolean(), dim=40, seed=7, preset="paper")
    addresses = [it.address for it in study.ask() if it.role == "probe"]
    assert all(address is not None for address in addresses)
    rows = [(it.row, it.sign) for it in addresses if it is not None]
    assert sorted(rows) == [(row, sign) for row in range(len(rows) // 2) for sign in (-1, 1)]


def test_who_has_no_addresses_says_so() -> None:
    study = esenas.Study(esenas.boolean(), dim=4, seed=7, weights=esenas.CMAES())
    assert study.ask()[0].address is None
    bounded = esenas.Study(esenas.boolean(), dim=4, seed=7, bounds=(-1, 1), preset="paper")
    assert bounded.ask()[0].address is None


def test_the_golden_bits() -> None:
    bits = direction(42, 3, 2000).view(np.uint32)[[0, 1, 16, 999, 1024, 1999]]
    assert bits.tolist() == [3213704242, 3185671082, 1034702650, 1066281870, 3210063676, 1058522045]
