"""D_S and what follows from it: listed pairs, published values, an analysis of variance, truth."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import counts, distributions, drawn

from inspect_reliability.stats import (
    Cells,
    agreement,
    disagreement,
    icc,
    omega,
)

Judgment = tuple[str, tuple[int, ...], int]
"""Question, level of each other facet, verdict."""


def listed(
    judgments: Sequence[Judgment], delta: Callable[[int, int], Fraction]
) -> dict[frozenset[int], Fraction | None]:
    """D_S by its definition, every pair listed; facet 0 is the question.

    Questions weigh alike, cells of a question alike, and pairs of two cells alike.
    """
    facets = 1 + len(judgments[0][1])
    cells = Counter((question, where) for question, where, _ in judgments)
    number = Counter(question for question, _ in cells)
    pairs: dict[frozenset[int], list[tuple[Fraction, Fraction]]] = defaultdict(list)
    for (q, a, v), (p, b, w) in permutations(judgments, 2):
        both = zip((q, *a), (p, *b), strict=True)
        shared = frozenset(i for i, (x, y) in enumerate(both) if x == y)
        between_cells = cells[q, a] * (cells[p, b] - ((q, a) == (p, b)))
        weight = Fraction(1, number[q] * number[p] * between_cells)
        pairs[shared].append((weight, weight * delta(v, w)))
    return {
        shared: sum(d for _, d in pairs[shared]) / sum(w for w, _ in pairs[shared])
        if pairs[shared]
        else None
        for k in range(facets + 1)
        for shared in map(frozenset, combinations(range(facets), k))
    }


@st.composite
def crossings(draw: st.DrawFn) -> list[Judgment]:
    """Unbalanced, incomplete crossings of up to four questions and two other facets."""
    levels = draw(st.lists(st.integers(1, 3), min_size=0, max_size=2))
    cells = list(product([f"q{i}" for i in range(draw(st.integers(1, 4)))], *map(range, levels)))
    numbers = draw(st.lists(st.integers(0, 3), min_size=len(cells), max_size=len(cells)))
    found = [
        (str(q), tuple(where), draw(st.integers(0, 2)))
        for (q, *where), n in zip(cells, numbers, strict=True)
        for _ in range(n)
    ]
    return found or [("q0", (0,) * len(levels), 0)]


def cells_of(judgments: Sequence[Judgment]) -> Cells:
    facets = {f"f{i}": [a[i] for _, a, _ in judgments] for i in range(len(judgments[0][1]))}
    questions, verdicts = [q for q, *_ in judgments], [v for *_, v in judgments]
    return Cells.from_long(questions, verdicts, tuple("012"), facets)


def names_of(cells: Cells, shared: frozenset[int]) -> list[str]:
    return [name for i, name in enumerate(disagreement(cells).facets) if i in shared]


def approximately(expected: Fraction | None) -> Any:
    value = np.nan if expected is None else float(expected)
    return pytest.approx(value, abs=1e-12, nan_ok=True)


@given(crossings())
def test_every_pair_listed(judgments: list[Judgment]) -> None:
    """Sums over groups give what listing every pair gives, and so without any question."""
    cells = cells_of(judgments)
    found = disagreement(cells)
    asked = list(dict.fromkeys(cells.questions))
    for shared, expected in listed(judgments, lambda v, w: Fraction(v != w)).items():
        assert found.d(*names_of(cells, shared)) == approximately(expected)
    for i, gone in enumerate(asked):
        rest = [one for one in judgments if one[0] != gone]
        if rest:
            for shared, expected in listed(rest, lambda v, w: Fraction(v != w)).items():
                value = found.without.of(names_of(cells, shared))[i]
                assert value == approximately(expected)


@given(crossings())
def test_numbers_differ_by_half_their_squared_difference(judgments: list[Judgment]) -> None:
    """Categories with values, and the values themselves, give what listing every pair gives."""
    cells = cells_of(judgments).as_numbers({"0": 1.0, "1": 3.0, "2": 40.0})
    values = (1, 3, 40)
    rows: dict[Any, list[float]] = {}
    for question, where, verdict in judgments:
        rows.setdefault((question, *where), []).append(values[verdict])
    most = max(map(len, rows.values()))
    scores = Cells.of_numbers(
        [[*row, *[np.nan] * (most - len(row))] for row in rows.values()],
        cells.questions,
        facets=cells.facets,
    )
    expected = listed(judgments, lambda v, w: Fraction((values[v] - values[w]) ** 2, 2))
    for shared, value in expected.items():
        for given_ in (cells, scores):
            of = disagreement(given_).d(*names_of(cells, shared))
            wanted = np.nan if value is None else float(value)
            assert of == pytest.approx(wanted, rel=1e-9, abs=1e-9, nan_ok=True)


def test_without_facets_it_is_omega() -> None:
    """Agreement, omega and ICC are rows over D, of names, distributions and numbers."""
    table = drawn(12, 6, 0.7)
    scores = np.random.default_rng(0).normal(size=(9, 4)) + 100
    names = counts(table)
    cells = [names, distributions(table / 6, names.questions, names.categories)]
    for one in cells:
        found = disagreement(one)
        for name, old in (("agreement", agreement(one)), ("omega", omega(one))):
            new = getattr(found, name)()
            assert new.value == pytest.approx(old.value, abs=1e-12)
            # The delete-a-question jackknife instead of its linear approximation.
            assert (new.low, new.high) == pytest.approx((old.low, old.high), abs=0.02)
            assert new.method == old.method
    numbers = Cells.of_numbers(scores)
    assert disagreement(numbers).omega().value == pytest.approx(icc(numbers).value, abs=1e-12)
