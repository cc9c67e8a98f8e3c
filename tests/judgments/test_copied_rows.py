"""Rows that are there twice: copies go and are said, and tries with equal verdicts stay."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from inspect_reliability.judgments.sources import judgments_from_frame

# Of 12 questions the tries of two differ, so that few verdicts say which try it is.
ROWS = [
    {"question": f"q{q}", "verdict": "A" if q or k else "B", "Versuch": k}
    | {"created": f"2026-10-0{1 + k} 09:{q:02d}", "Datum": f"2026-10-{q + 1:02d}"}
    for q in range(12)
    for k in range(3)
]
COPIES = [ROWS[n] for n in (4, 20, 35)]


def read(rows: list[dict[str, Any]], *names: str, **columns: str) -> tuple[int, list[str]]:
    frame = pd.DataFrame(rows)[["question", "verdict", *names]]
    found = judgments_from_frame(frame, columns=columns)
    return len(found), [f"{note.count} {note.what}" for note in found.notes]


@pytest.mark.parametrize("name", ["Versuch", "created"])
def test_a_row_with_the_try_or_the_call_of_another_is_its_copy(name: str) -> None:
    """It is left out, and the note says how to count it."""
    columns = {"Versuch": "replication"} if name == "Versuch" else {}
    assert read(ROWS, name, **columns)[0] == 36
    n, notes = read([*ROWS, *COPIES], name, **columns)
    assert n == 36
    assert any(one.startswith("3 rows left out as copies") for one in notes)
    assert f"columns={{'{name}': 'unused'}}" in " ".join(notes)
    assert read([*ROWS, *COPIES], name, **{name: "unused"})[0] == 39


@pytest.mark.slow
def test_rows_of_one_question_and_date_are_tries() -> None:
    """The date of a letter is none of a call; a few more rows than usual may be copies."""
    assert read(ROWS, "Datum") == (36, [])
    steady = [one for one in ROWS if one["question"] != "q0"]
    assert read(steady, "Datum") == (33, [])  # each date is of one verdict
    n, notes = read([*ROWS, *COPIES])
    assert n == 39
    assert notes[0].startswith("3 rows are the same in every column as another")
    assert "each counts as a try" in notes[0]
    assert read([*ROWS, ROWS[4]])[1][0].startswith("1 row is the same in every column")


@pytest.mark.slow
def test_another_verdict_of_a_try_is_no_copy() -> None:
    """It is asked what such rows are, also beside copies, and of two whole runs."""
    for more in ([{**ROWS[4], "verdict": "C"}, *COPIES], ROWS):
        n, notes = read([*ROWS, *more], "Versuch", Versuch="replication")
        assert n == 36 + len(more)
        assert any("repeat a replication of the same judge" in one for one in notes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "other", "left"),
    [
        (lambda n: n % 3, {}, 120),
        (lambda n: n % 3, {7: "C"}, 240),
        (lambda n: n, {}, 240),
        (lambda _: 7, {}, 240),
    ],
    ids=["copies", "a new draw", "other seeds", "one seed"],
)
def test_a_seed_and_its_verdict_again_are_no_new_draw(
    seed: Callable[[int], int], other: dict[int, str], left: int
) -> None:
    """Where tries under other seeds differ, and rows that repeat one never do."""
    drawn = np.random.default_rng(1).choice([*"AB"], 120)
    rows = [
        {"question": n % 40, "seed": seed(n // 40), "verdict": drawn[n % 120]}
        | ({"verdict": other[n]} if n in other else {})
        for n in range(240)
    ]
    n, notes = read(rows, "seed")
    assert n == left
    assert ("columns={'seed': 'unused'}" in " ".join(notes)) == (left < 240)
    assert read(rows, "seed", seed="unused")[0] == 240
    with_ids = [{**row, "uuid": f"u{n}", "batch_id": f"b{n // 120}"} for n, row in enumerate(rows)]
    assert read(with_ids, "seed", "uuid")[0] == left
    assert read(with_ids, "seed", "uuid", "batch_id")[0] == 240


def test_a_row_of_a_sheet_is_there_once() -> None:
    """With a column a try, a row that is equal in all has the same tries."""
    sheet = pd.DataFrame([{"question": f"q{q}", "1": "A", "2": "AB"[q % 2]} for q in range(8)])
    twice = pd.concat([sheet, sheet[2:4]])
    columns = {"1": "verdict", "2": "verdict"}
    found = judgments_from_frame(twice, columns=columns)
    assert len(found) == 16
    assert "2 rows left out as copies" in " ".join(map(str, found.notes))
