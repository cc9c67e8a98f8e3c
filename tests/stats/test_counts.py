"""Judgments in any form become the same counts; what does not fit is refused by name."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import Table, counts, of_rows, tables, verdicts

from inspect_reliability.stats import (
    Cells,
    Counts,
    NoJudgmentsError,
    ReliabilityError,
    ShapeError,
    UnknownCategoryError,
)


@pytest.mark.slow
@given(tables(), st.randoms(use_true_random=False))
def test_a_long_table_is_counted(table: Table, random: Any) -> None:
    """The order of replications carries nothing: a shuffled long table gives the table back."""
    rows = verdicts(table)
    names = [f"q{i}" for i in range(len(rows))]
    categories = tuple("ABCDEFGHIJ"[: table.shape[1]])
    long = [(name, verdict) for name, row in zip(names, rows, strict=True) for verdict in row]
    random.shuffle(long)
    from_long = Counts.from_long(*zip(*long, strict=True), categories=categories)
    order = [names.index(question) for question in from_long.questions]
    assert (from_long.table == table[order]).all()


@pytest.mark.parametrize(
    ("given_as", "categories"),
    [
        (["B", "A", "B", "B"], ("A", "B")),
        (np.array(["B", "A", "B", "B"]), ("A", "B")),
        (np.array(["B", "A", "B", "B"], dtype=object), ("A", "B")),
        (pd.Series(["B", "A", "B", "B"]), ("A", "B")),
        ([True, False, True, True], ("False", "True")),
        (np.array([True, False, True, True]), ("False", "True")),
        ([1, 0, 1, 1], ("0", "1")),
        (np.array([1.0, 0.0, 1.0, 1.0]), ("0", "1")),
        ([0.5, 0.25, 0.5, 0.5], ("0.25", "0.5")),
        (("B", "A", "B", "B"), ("A", "B")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_kind_of_value_is_a_category(given_as: Any, categories: tuple[str, ...]) -> None:
    """Strings, booleans and numbers are names of categories; letters stay letters."""
    found = Counts.from_long("1122", given_as)
    assert found.categories == categories
    assert found.table.tolist() == [[1, 1], [0, 2]]
    assert found.questions == ("1", "2")


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT])
def test_missing_verdicts_are_counted(missing: object) -> None:
    """None, NaN and NA are missing: left out, counted, and no category."""
    found = of_rows([["A", missing, "B"], [missing, "A", missing]])
    assert found.categories == ("A", "B")
    assert found.table.tolist() == [[1, 1], [1, 0]]
    assert found.missing.tolist() == [1, 2]
    assert found.fewer_than(2) == ("2",)
    assert found.coverage == 3 / 6


def test_missing_numbers_of_an_array() -> None:
    """NaN in an array of numbers is missing."""
    found = Counts.from_long("111222", np.array([1, np.nan, 1, 0, 1, np.nan]))
    assert found.categories == ("0", "1")
    assert found.missing.tolist() == [1, 1]


def test_series_of_a_frame() -> None:
    """Columns of a pandas frame count as they are, with pandas' own strings and NA."""
    frame = pd.DataFrame({"question": ["x", "y", "x"], "verdict": ["A", None, "C"]}, dtype="string")
    found = Counts.from_long(frame["question"], frame["verdict"], "ABC")
    assert found.questions == ("x", "y")
    assert found.table.tolist() == [[1, 0, 1], [0, 0, 0]]
    assert found.fewer_than(2) == ("y",)


def test_rows_differ_in_length() -> None:
    """A question without a verdict stays in the table, named as left out."""
    found = of_rows([["A", "B"], [], ["A", "A", "B"]], ["x", "y", "z"])
    assert found.replications.tolist() == [2, 0, 3]
    assert found.fewer_than(2) == ("y",)


def test_some_of_the_questions() -> None:
    """Rows are chosen by mask or by position, with what they miss."""
    whole = of_rows([["A", None], ["B", "B"], ["A", "B"]], ["x", "y", "z"])
    for part in (whole.rows(np.array([True, False, True])), whole.rows([0, 2])):
        assert part.questions == ("x", "z")
        assert part.table.tolist() == [[1, 0], [1, 1]]
        assert part.missing.tolist() == [1, 0]


def test_counts_cannot_be_changed() -> None:
    """Counts are frozen, table included, and leave the caller's array alone."""
    table = np.array([[2, 1], [0, 3]])
    found = counts(table)
    table[0, 0] = 9
    assert found.table[0, 0] == 2
    with pytest.raises(ValueError, match="read-only"):
        found.table[0, 0] = 1


REFUSED: list[tuple[Any, type[ReliabilityError], str]] = [
    (lambda: Counts.from_long([], []), NoJudgmentsError, "No verdicts"),
    (lambda: Counts.from_long("xx", [None, np.nan]), NoJudgmentsError, "every verdict is missing"),
    (lambda: Counts(np.zeros((0, 2)), (), ("A", "B")), NoJudgmentsError, "No verdicts"),
    (lambda: Counts.from_long("xx", "AF", "AB"), UnknownCategoryError, "'A', 'B'"),
    (lambda: Counts.from_long("xx", [1, 2], [1, 3]), UnknownCategoryError, "'1', '3'"),
    (lambda: Counts.from_long("xx", "AA", ["A", None]), ShapeError, "category is missing"),
    (lambda: Counts.from_long("xx", [1, 1], [1, "1"]), ShapeError, "Duplicate category '1'"),
    (lambda: Counts.from_long("xxx", "AB"), ShapeError, "3 questions for 2 verdicts"),
    (lambda: Counts.from_long("xx", [["A"], ["B"]]), ShapeError, "not a list"),
    (lambda: Counts([["a"]], ("x",), ("A",)), ShapeError, "whole numbers"),  # type: ignore[arg-type]
    (lambda: Counts([[10**30]], ("x",), ("A",)), ShapeError, "whole numbers"),  # type: ignore[arg-type]
    (lambda: Counts([[1], [1]], ("x", "x"), ("A",)), ShapeError, "Duplicate question 'x'"),
    (lambda: Counts.from_long("xx", "AA", "AA"), ShapeError, "Duplicate category 'A'"),
    (lambda: Counts(np.ones((2, 2)), ("x",), ("A", "B")), ShapeError, r"\(2, 2\)"),
    (lambda: Counts([[1.5, 1]], ("x",), ("A", "B")), ShapeError, "whole numbers"),
    (lambda: Counts([[-1, 1]], ("x",), ("A", "B")), ShapeError, "whole numbers"),
    (lambda: Counts([[1, 1]], ("x",), ("A", "B"), missing=[1, 2]), ShapeError, "missing"),
]


@pytest.mark.parametrize(("attempt", "error", "message"), REFUSED)
def test_refused(attempt: Any, error: type[ReliabilityError], message: str) -> None:
    """What cannot be counted is refused with an error that says what was wrong."""
    with pytest.raises(error, match=message):
        attempt()


def test_verdicts_after_one_text_differ_as_often_as_pairs_of_its_shares() -> None:
    """Of two questions with two sampled texts each: the mean chance that two draws differ."""
    texts = {"p": [(0.5, 0.3, 0.2), (0.9, 0.1, 0.0)], "q": [(0.2, 0.2, 0.6), (0.0, 1.0, 0.0)]}
    rows = [
        (question, name, share, place == 0)
        for question, sampled in texts.items()
        for shares in sampled
        for place, (name, share) in enumerate(zip("ABC", shares, strict=True))
    ]
    questions, names, shares, starts = zip(*rows, strict=True)
    cells = Cells.of_distributions(questions, names, shares, [None] * len(rows), starts, "ABC")
    differ = [
        sum(a * b for i, a in enumerate(one) for j, b in enumerate(one) if i != j)
        for sampled in texts.values()
        for one in sampled
    ]
    assert cells.at_verdict == pytest.approx(np.mean(differ))
    assert Cells(np.array([[1, 2]]), ("p",), ("A", "B")).at_verdict is None
