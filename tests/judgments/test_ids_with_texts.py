"""A file with an id and a text a question: the id names it, whichever column is read."""

from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from commands import invoke
from inspect_reliability.judgments.given_labels import labelled_judgments
from inspect_reliability.judgments.sources import judgments_from

LETTERS = [(f"V-{n:02d}", f"Sehr geehrte Frau {n}, wir haben Ihr Schreiben.") for n in range(12)]
WAYS = [{"Brief": "output"}, {"Brief": "prompt"}, {}]


def letters(texts: int = 1) -> pd.DataFrame:
    """Three grades of each letter; with two texts an id has two letters."""
    rows = [
        (name, f"{text} {k}", t, (n + t) % 5 + 1)
        for n, (name, text) in enumerate(LETTERS)
        for k in range(texts)
        for t in (1, 2, 3)
    ]
    return pd.DataFrame(rows, columns=["question", "Brief", "replication", "verdict"])


@pytest.mark.parametrize("columns", WAYS)
def test_an_id_of_one_text_is_kept_alone(columns: dict[str, str]) -> None:
    """A spreadsheet finds it again; an id of several texts has the text beside it."""
    ids = {name for name, _ in LETTERS}
    assert {*judgments_from(letters(), columns).table["question"]} == ids
    if "output" in columns.values():
        two = judgments_from(letters(2), columns).table
        assert two["question"].nunique() == 24
        assert {*two["sample"]} == ids


def test_an_id_that_two_files_give_to_two_texts_has_them_beside_it(tmp_path: Path) -> None:
    """Months whose ids start again are of other letters."""
    files = []
    for month in ("March", "April"):
        frame = letters().assign(Brief=lambda rows, m=month: rows["Brief"] + m, judge="j")
        files.append(str(tmp_path / f"{month}.csv"))
        frame.to_csv(files[-1], index=False)
    assert judgments_from(files, {"Brief": "output"}).table["question"].nunique() == 24


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "read"), [*pairwise([*WAYS, WAYS[0]]), (WAYS[0], WAYS[0]), (WAYS[2], WAYS[1])]
)
def test_labels_of_one_reading_are_found_in_another(
    made: dict[str, str], read: dict[str, str], tmp_path: Path
) -> None:
    """Whether the text was read when the sheet was made, or is when the labels come back."""
    file, sheet = tmp_path / "letters.csv", tmp_path / "sheet.csv"
    letters().to_csv(file, index=False)
    how = [word for yours, ours in made.items() for word in ("--column", f"{yours}={ours}")]
    done = invoke("label", file, *how, "--most", 5, "--out", sheet)
    assert done.exit_code == 0, done.output
    drawn = pd.read_csv(sheet).assign(target=3)
    for known in (
        drawn,
        drawn.assign(id=[f"{a}, {dict(LETTERS)[a] + ' 0'!r}" for a in drawn["id"]]),
    ):
        labels = known[["id", "target"]].rename(columns={"target": "label"})
        table = labelled_judgments(letters(), labels, columns=read).table
        assert {*table.dropna(subset="label")["question"]} == {*drawn["id"]}
