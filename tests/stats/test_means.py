"""Means of several verdicts on a scale, beside every subset and every sequence counted out."""

from itertools import combinations, product
from math import prod

import numpy as np
import pytest

from inspect_reliability.stats.grade_steps import OF_THIRDS, GradeGrid
from inspect_reliability.stats.majority import means, never_given, places_of

EVERY = [True] * 4
"""Each place is a grade."""


def nearest(verdicts: tuple[int, ...], grid: list[bool]) -> np.ndarray:
    """The grades nearest to a mean, a half each where it is midway; none without a verdict."""
    known = [one for one in verdicts if one >= 0]
    found = np.zeros(len(grid))
    if known:
        apart = {n: abs(sum(known) - n * len(known)) for n, is_grade in enumerate(grid) if is_grade}
        at = [place for place in apart if apart[place] == min(apart.values())]
        found[at] = 1 / len(at)
    return found


@pytest.mark.parametrize("grid", [EVERY, [True, False, True, False]])
@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_all_subsets_count_the_same(m: int, grid: list[bool]) -> None:
    """Counts of grades 0, 1, 3 and of verdicts without one (-1); a grade may be each other one."""
    counts, silent = np.array([[2, 3, 1], [0, 1, 4]]), np.array([1, 0])
    [found] = means(counts, np.array([0, 1, 3]), [m], False, silent, np.array(grid))
    for row, (own, mute) in enumerate(zip(counts, silent, strict=True)):
        verdicts = np.repeat([0, 1, 3, -1], [*own, mute]).tolist()
        each = [nearest(one, grid) for one in combinations(verdicts, m)]
        assert found[row] == pytest.approx(np.mean(each, axis=0))


@pytest.mark.parametrize("m", [1, 3, 4])
def test_exact_verdicts_are_drawn_from_their_probabilities(m: int) -> None:
    """Every sequence of m verdicts with its probability."""
    shares = {0: 0.5, 1: 0.2, 2: 0.2, -1: 0.1}
    expected = sum(
        prod(shares[one] for one in each) * nearest(each, EVERY[:3])
        for each in product(shares, repeat=m)
    )
    table, silent = np.array([[0.5, 0.2, 0.2]]), np.array([0.1])
    [found] = means(table, np.array([0, 1, 2]), [m], True, silent, np.array(EVERY[:3]))
    assert found[0] == pytest.approx(expected)


def test_places_of_grades() -> None:
    """Equally spaced grades have places, others have none."""
    found = places_of(np.array([1.0, 2.5, 2.0]))
    assert found is not None
    assert found.tolist() == [0, 3, 2]
    assert places_of(np.array([1.0, 2.0, 2.3])) is None
    assert places_of(np.array([0.0, 0.001, 1.0])) is None
    assert places_of(np.array([3.0])) is None


@pytest.mark.parametrize(
    ("given", "grid", "missing"),
    [
        ([1, 2, 5], None, [3, 4]),
        ([1, 2, 5], GradeGrid(1.0), [3, 4]),
        ([1, 2.7, 3.3], OF_THIRDS, [1.3, 1.7, 2, 2.3, 3]),
        ([1, 2.5, 3.3], None, []),
    ],
)
def test_grades_that_nobody_gave(
    given: list[float], grid: GradeGrid | None, missing: list[float]
) -> None:
    """A mean may be one of them."""
    assert never_given(np.array(given), grid) == pytest.approx(missing)


def test_a_question_with_fewer_verdicts_has_no_mean() -> None:
    """Of two verdicts none of three is known, also where the third decides nothing."""
    [found] = means(
        np.array([[3, 0], [2, 0]]), np.array([0, 1]), [3], False, np.zeros(2), np.array(EVERY[:2])
    )
    assert found[0].tolist() == [1, 0]
    assert np.isnan(found[1]).all()
