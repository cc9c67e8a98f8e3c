"""Rows that judge nothing do not decide what a column is."""

import pandas as pd
import pytest

from inspect_reliability import Judgments, judgments_from_frame

TRIES = pd.DataFrame(
    [(f"q{q}", n, (q + n) % 5) for q in range(12) for n in (1, 2)],
    columns=["id", "attempt", "grade"],
)


@pytest.mark.slow
@pytest.mark.parametrize("last", [{"id": "Total"}, {"id": "Total", "attempt": 36}, {"id": None}])
@pytest.mark.parametrize("name", ["{}", "run-{}"])
def test_a_last_row_that_judges_nothing_leaves_tries_numbered(
    last: dict[str, object], name: str
) -> None:
    """Copies and conflicts are found as without it."""
    rows = TRIES.assign(attempt=TRIES["attempt"].map(name.format if "run" in name else int))
    end = pd.DataFrame([{**last, "grade": 999}])
    copied = pd.concat([rows, rows[:3], end], ignore_index=True)
    pd.testing.assert_frame_equal(
        judgments_from_frame(copied).table, judgments_from_frame(rows).table
    )
    other = rows[:3].assign(grade=4 - rows["grade"][:3])
    (asked,) = judgments_from_frame(pd.concat([rows, other, end], ignore_index=True)).asked
    assert "repeat a replication" in asked.what


def test_missing_numbers_of_tries_are_said() -> None:
    """The column numbers nothing then, and copies are not found."""
    gaps = TRIES.assign(attempt=TRIES["attempt"].where(TRIES.index >= 3))
    said = [str(one) for one in judgments_from_frame(gaps).notes]
    assert any("3 values of column 'attempt' are missing" in one for one in said)


@pytest.mark.parametrize("names", ["F-{}", "{}"])
def test_means_below_each_block_are_left_out(names: str) -> None:
    """A note counts their rows; a question that was asked more often than others is judged."""
    words = [f"{one}{of}" for one in ("Haus", "Auto", "Rad") for of in "abcd"]
    grades = [(1 + n % 5, 1 + n * n % 5) for n in range(12)]
    ids = [names.format(n + 1 if "-" in names else words[n]) for n in range(12)]
    rows = [(one, *two) for one, two in zip(ids, grades, strict=True)]
    columns = {"id": "question", "a": "verdict", "b": "verdict"}

    def read(*ends: tuple[object, ...]) -> Judgments:
        blocks = [*rows[:6], ends[0], *rows[6:], ends[1]]
        frame = pd.DataFrame(blocks, columns=["id", "a", "b"], dtype=object)
        return judgments_from_frame(frame, columns)

    found = read(("Mittelwert", "2,83", 3), ("Mittelwert", "2,5", 4))
    assert {*found.table["question"]} == {*ids}
    assert [one.count for one in found.notes if "sum up others" in one.what] == [2]
    # Of names that are words, whole numbers are means if they are those of their blocks.
    rows[6:] = [(one, 2, 1) for one in ids[6:]]
    assert {*read(("Mean", 3, 3), ("Mean", 2, 1)).table["question"]} == {*ids}
    name = "Mean 3" if "-" in names else "Mean"
    assert read((name, 3, 4), (name, 2, 4)).table["question"].eq(name).sum() == 4


@pytest.mark.parametrize("column", ["judge", "scorer", "temperature"])
def test_means_below_blocks_are_of_one_level(column: str) -> None:
    """Each is the mean of the rows above it with its judge, part of a score or temperature."""
    rows, levels = list[tuple[str, object, object]](), (0, 1)
    for block in ("abcde", "fghij"):
        own = [(f"{one}x", of, 5 - 4 * of - n % 2) for n, one in enumerate(block) for of in levels]
        rows += [*own, ("Mean", 0, 5), ("Mean", 1, 1)]
    frame = pd.DataFrame(rows, columns=["question", column, "verdict"])
    assert "Mean" not in {*judgments_from_frame(frame).table["question"]}
