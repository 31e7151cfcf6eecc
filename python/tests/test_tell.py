"""What may be told of candidates, and what is a value."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import esenas
from objectives import shifted, study


def test_only_what_was_asked_for_is_told() -> None:
    """Red when values of nothing, of an earlier batch, or told twice are believed."""
    one = study()
    nothing = pytest.raises(ValueError, match="there is nothing to tell")
    with nothing:
        one.tell([5.0] * 20)
    assert one.iterations == 0 and one.best is None
    values = [shifted(c.model, c.theta) for c in one.ask()]
    one.tell(values)
    with nothing:
        one.tell(values)
    one.ask()
    one.optimize(shifted, iterations=2)
    with nothing:
        one.tell(values)
    assert one.iterations == 2
    one.ask()
    with pytest.raises(ValueError, match="2 results are told of 20"):
        one.tell([1.0, 2.0])
    one.tell(values)
    assert one.iterations == 3, "what was refused was not told"


def test_results_have_an_order() -> None:
    """Red when keys of a dict are taken for values."""
    one = study()
    one.ask()
    for told in ({i: -1000.0 for i in range(20)}, set(map(float, range(20))), "1" * 20, b"1" * 20):
        with pytest.raises(TypeError, match="in the order of the candidates"):
            one.tell(told)
    one.tell(-float(i) for i in range(20))
    assert one.best is not None and one.best.value == 0.0

    def keyed(models: Any, thetas: Any) -> Any:
        return dict.fromkeys(range(len(models)), -1000.0)

    with pytest.raises(esenas.StudyError, match="in the order of the candidates"):
        one.optimize(keyed, iterations=2, vectorized=True)


@pytest.mark.parametrize(
    "value",
    ["1", b"1", bytearray(b"1"), 1j, np.complex128(1), np.str_("1"), np.array(1j), np.array("1")],
)
def test_a_value_is_a_real_number(value: Any) -> None:
    """Red when text is read as a number, or a complex one loses a part."""
    one = study()
    one.ask()
    for told in (value, {"value": value}, {"value": 1.0, "score": value}):
        with pytest.raises(TypeError, match="a value is a real number"):
            one.tell([told] * 20)
    with pytest.raises(esenas.StudyError, match="a value is a real number"):
        one.optimize(lambda m, t: value, iterations=1)
    for real in (1, True, np.float32(1.0), np.int8(1), np.array(1.0), np.True_, Fraction(1)):
        fine = study()
        fine.ask()
        fine.tell([real] * 20)
        assert fine.best is not None and fine.best.value == 1.0


def test_candidates_are_told_one_by_one_in_any_order() -> None:
    """Red when what is told by parts is another study than what is told whole."""
    whole, parts = study(), study()
    for _ in range(3):
        whole.tell([shifted(c.model, c.theta) for c in whole.ask()])
        taken = [*parts.ask(3), *parts.ask(1000)]
        assert [it.index for it in taken] == list(range(20)) and len(parts.ask(5)) == 0
        done = parts.iterations
        for at, candidate in enumerate(reversed(taken)):
            assert parts.iterations == done
            value = shifted(candidate.model, candidate.theta)
            parts.tell(value if at % 2 else {"value": value}, candidate)
        assert parts.iterations == done + 1
    assert parts.history["best"].tolist() == whole.history["best"].tolist()
    assert parts.theta is not None and whole.theta is not None
    assert parts.theta.tobytes() == whole.theta.tobytes()


def test_parts_that_were_not_asked_for_are_refused() -> None:
    one = study()
    some = one.ask(12)
    assert some.thetas.shape[0] == 12 and len(some.designs) == 12
    one.tell([1.0, None, *[0.0] * 10], some)
    with pytest.raises(ValueError, match="candidate 0 of iteration 0 .* was told already"):
        one.tell(2.0, some[0])
    with pytest.raises(ValueError, match="2 results are told of 1"):
        one.tell([1.0, 2.0], one.ask(1))
    with pytest.raises(ValueError, match="n must be at least 0"):
        one.ask(-1)
    assert one.give_up() and one.iterations == 1 and not one.give_up()
    assert one.last["failures"] == 9.0 and one.best is not None and one.best.value == 1.0
    with pytest.raises(ValueError, match="nothing was asked for"):
        one.tell(2.0, some[1])
    one.ask()
    with pytest.raises(ValueError, match="its iteration is over"):
        one.tell(2.0, some[1])


def test_a_callback_costs_the_same_in_every_iteration() -> None:
    """Red when `last` reads all that was before it."""
    one = study()
    seen: list[dict[str, float]] = []
    one.optimize(shifted, iterations=4, callbacks=[lambda it: seen.append(it.last)])
    history = one.history
    for at, last in enumerate(seen):
        assert all(history[name][at] == x for name, x in last.items() if "seconds" not in name)
        assert last["total_evaluations"] == 20.0 * (at + 1)
    assert study().last == {}
