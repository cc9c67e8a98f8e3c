"""Numbers as a reader sees them."""

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from inspect_reliability.answers.moving import effect_size
from inspect_reliability.showing.formats import (
    amount,
    describe,
    estimate_text,
    points,
    share,
    text,
    told_apart,
    whole_number,
)


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.304, 0.2, 0.41, "0.30 [0.20, 0.41]"),
        (-0.004, -0.0049, 0.004, "0.00 [0.00, 0.00]"),
        (-0.006, -0.0101, 0.0, "-0.01 [-0.01, 0.00]"),
        (-0.0, None, None, "0.00 (no interval)"),
        (0.304, None, None, "0.30 (no interval)"),
        (None, None, None, "not estimable: one question"),
    ],
)
def test_value_with_its_interval(
    value: float | None, low: float | None, high: float | None, shown: str
) -> None:
    """What rounds to 0 has no sign, and a missing interval is said in words."""
    interval = None if low is None or high is None else [low, high]
    record = {"x": value, "x_interval": interval, "reason": "one question"}
    assert estimate_text(record, "x") == shown
    assert estimate_text(record, "y") == ""


@pytest.mark.parametrize(
    ("number", "said"),
    [("1", "1 point"), ("+1", "+1 point"), ("-1", "-1 point"), ("11", "11 points")],
)
def test_one_of_a_thing_has_no_plural(number: str, said: str) -> None:
    """Whatever its sign, also before an interval."""
    assert amount(number, "point") == said
    moved = {"n_questions": 90, "distance_across": None, "disagreement_across": 0.3}
    known = {"above_noise": int(number) / 100, "above_noise_interval": [-0.04, 0.06]}
    assert effect_size(moved | known) == f"{said.lstrip('+')} [-4, 6] above noise"


def test_a_group_in_words() -> None:
    """Whole numbers have no point, what is not known is left out, and no group is all of them."""
    group = {"judge": "j", "temperature": np.float64(1), "scorer": None, "responder": "r"}
    assert describe(group) == "j, temperature 1, of r"
    assert describe({}) == "all judgments"
    named = told_apart([{"judge": "j"}, {"judge": None}])
    assert [named({"judge": one}) for one in ("j", None)] == ["j", "without judge"]
    assert told_apart([{"judge": None}], "judge")({"judge": None}) == "all judgments"
    assert text(["a", "b"]) == "a, b"
    assert [type(whole_number(v)) for v in (np.int64(3), 1.0, 0.5, "a")] == [int, int, float, str]


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, "<0.001"), (0.00099, "<0.001"), (0.001, "0.001"), (1.0, "1.000")]
)
def test_no_p_value_is_zero(value: float, shown: str) -> None:
    """One that three places do not show is below what they show."""
    assert text(value, "p") == shown


@pytest.mark.parametrize("value", [0.815, 0.845, 0.005, 0.125, 0.995, 0.5])
def test_a_value_has_one_rounding(value: float) -> None:
    """A number midway is rounded alike as a share, in points and with two places."""
    record = {"it": value, "it_interval": [value, value]}
    up = Decimal(str(value)).quantize(Decimal("0.01"), ROUND_HALF_UP)
    assert text(value, ".2f") == str(up)
    assert estimate_text(record, "it", "z.2f") == f"{up} [{up}, {up}]"
    assert points(value, 100) == f"{100 * up:.0f}"
    assert points(-value, 100) == f"{-100 * up:.0f}"
    whole = f"{100 * up:.0f}%"
    assert share(value, 100) == (whole if value < 0.995 else ">99%")
