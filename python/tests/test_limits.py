"""What ends a study, and when that may be said."""

from __future__ import annotations

from pathlib import Path

import pytest

import esenas
from objectives import bits, shifted, study


def test_limits_are_of_the_whole_study() -> None:
    one = study()
    with pytest.raises(ValueError, match="nothing ends this study"):
        one.optimize(shifted)
    one.optimize(shifted, iterations=2)
    one.optimize(shifted, iterations=2)
    assert one.iterations == 2
    one.optimize(shifted, evaluations=61)
    assert one.history["total_evaluations"].tolist() == [20, 40, 60, 80]
    one.optimize(shifted, target=-1e9)
    assert one.iterations == 4 and one.ended == "the target is reached"


def test_limits_may_be_said_when_it_runs(tmp_path: Path) -> None:
    """Red when a study that is kept from the start has no end that can be given, or a kept study
    cannot be made longer."""
    for made in (
        study(directory=tmp_path / "first"),
        study(directory=tmp_path / "limited", iterations=9),
        study(),
    ):
        kept = None if made.directory is not None else tmp_path / "later"
        made.optimize(shifted, iterations=3, directory=kept)
        assert made.iterations == 3
    again = study()
    again.optimize(shifted, iterations=6, directory=tmp_path / "later")
    opened = esenas.Study.open(tmp_path / "first")
    opened.optimize(shifted, iterations=6)
    here = study()
    here.optimize(shifted, iterations=6)
    assert bits(again) == bits(opened) == bits(here)
