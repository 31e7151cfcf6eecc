"""All weights of an iteration as one matrix: whose memory, and of which type."""

from __future__ import annotations

import numpy as np
import pytest

from objectives import study


def address(matrix: np.ndarray) -> int:
    return int(matrix.__array_interface__["data"][0])


def test_memory_of_thetas_is_used_again_once_nobody_looks_at_it() -> None:
    """Red when every iteration takes fresh memory, or writes into what somebody still holds."""
    one = study()
    seen = set()
    for _ in range(6):
        seen.add(address(one.ask().thetas))
        one.tell([0.0] * 20)
    assert len(seen) == 1
    held = []
    for _ in range(4):
        row = one.ask().thetas[3]
        held.append((row, row.copy()))
        one.tell([0.0] * 20)
    assert len({address(row) for row, _ in held}) == 4
    assert all((row == copy).all() for row, copy in held)


def test_thetas_are_written_where_one_says() -> None:
    batch = study().ask()
    single = np.zeros((20, 5), np.float32)
    assert batch.write_thetas(single) is single
    assert (single == batch.thetas.astype(np.float32)).all() and single.any()
    double = batch.write_thetas(np.zeros((20, 5)))
    assert (double == batch.thetas).all()
    with pytest.raises(TypeError, match="float64 or float32, got int64"):
        batch.write_thetas(np.zeros((20, 5), np.int64))
    for wrong in (np.zeros((5, 20)), np.zeros((5, 20)).T, np.zeros((40, 5))[::2]):
        with pytest.raises(ValueError, match=r"out must have shape \(20, 5\)"):
            batch.write_thetas(wrong)
    frozen = np.zeros((20, 5))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="writable: False"):
        batch.write_thetas(frozen)
