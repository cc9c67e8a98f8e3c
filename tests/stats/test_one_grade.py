"""One grade for several tries, beside counts by hand."""

from collections import Counter
from statistics import mean, median

import numpy as np
import pandas as pd
import pytest

from inspect_reliability.answers import analyse
from inspect_reliability.stats.beside_labels import one_grade

NAMES = ["question", "replication", "verdict", "label"]


def frame(tries: int, n: int = 40) -> tuple[pd.DataFrame, list[list[int]], list[int]]:
    rng = np.random.default_rng(tries)
    labels = rng.integers(1, 6, n).tolist()
    labels[:5] = [1, 2, 3, 4, 5]
    given = [np.clip(one + rng.choice([-2, -1, 0, 0, 1], tries), 1, 5).tolist() for one in labels]
    rows = [
        (f"q{q}", k, said, labels[q]) for q, own in enumerate(given) for k, said in enumerate(own)
    ]
    return (
        pd.DataFrame(rows, columns=NAMES),
        given,
        labels,
    )


def nearest(number: float) -> dict[int, float]:
    """The nearest of the grades 1 to 5; midway, half of each."""
    apart = {grade: abs(grade - number) for grade in range(1, 6)}
    best = [grade for grade, far in apart.items() if far < min(apart.values()) + 1e-9]
    return {grade: 1 / len(best) for grade in best}


def most(own: list[int]) -> dict[int, float]:
    times = Counter(own)
    best = [grade for grade, n in times.items() if n == max(times.values())]
    return {grade: 1 / len(best) for grade in best}


@pytest.mark.parametrize("tries", [2, 3, 4, 5])
def test_mean_median_and_majority_are_counted_by_hand(tries: int) -> None:
    """All tries of a question make one grade; .5 is half of the grade below and of that above."""
    table, given, labels = frame(tries)
    known = analyse(table).rows[0].labelled
    assert known is not None
    makes = {
        "mean": lambda own: nearest(mean(own)),
        "median": lambda own: nearest(median(own)),
        "majority": most,
    }
    for found in one_grade(known):
        made = [makes[found.of](own) for own in given]
        for step, value in ((0, found.accuracy), (1, found.within_one)):
            right = [
                sum(part for grade, part in one.items() if abs(grade - label) <= step)
                for one, label in zip(made, labels, strict=True)
            ]
            assert value == pytest.approx(mean(right))


@pytest.mark.parametrize("tries", [3, 4])
def test_a_label_between_two_grades_is_half_of_each(tries: int) -> None:
    """People's 3.5 is half a 3 and half a 4, and no grade to which the mean of tries is rounded."""
    table, given, labels = frame(tries)
    halves = [one + 0.5 * (n % 3 == 0) * (one < 5) for n, one in enumerate(labels)]
    table["label"] = np.repeat(halves, tries)
    known = analyse(table).rows[0].labelled
    assert known is not None
    assert known.step is not None
    [found] = [one for one in one_grade(known) if one.of == "mean"]
    made = [nearest(mean(own)) for own in given]
    pairs = [*zip(made, halves, strict=True)]
    right = [
        sum(one.get(grade, 0) * part for grade, part in nearest(of).items()) for one, of in pairs
    ]
    step = known.step
    near = [
        sum(part for grade, part in one.items() if abs(grade - of) <= step) for one, of in pairs
    ]
    assert found.accuracy == pytest.approx(mean(right))
    assert found.within_one == pytest.approx(mean(near))
    if tries % 2:  # with all tries, as `means` has them
        all_tries = known.means()[tries]
        assert [one.value for one in all_tries] == pytest.approx([found.accuracy, found.within_one])


def test_a_mean_midway_is_half_of_each_grade() -> None:
    """Of 2 and 3, whose mean is 2.5, half is right where the label is 3."""
    rows = [(f"q{q}", k, said, 3) for q in range(4) for k, said in enumerate((2, 3))]
    rows += [(f"p{q}", k, q, q) for q in (1, 4, 5) for k in (0, 1)]
    table = pd.DataFrame(rows, columns=NAMES)
    known = analyse(table).rows[0].labelled
    assert known is not None
    found = {one.of: one for one in one_grade(known)}
    assert found["mean"].accuracy == pytest.approx((4 * 0.5 + 3) / 7)
    assert found["mean"] == found["median"]._replace(of="mean")


def test_names_have_no_mean() -> None:
    """Verdicts that are names have no one grade."""
    rows = [(f"q{q}", k, "A" if q % 2 else "B", "A") for q in range(9) for k in range(3)]
    table = pd.DataFrame(rows, columns=NAMES)
    known = analyse(table).rows[0].labelled
    assert known is not None
    assert one_grade(known) == []
