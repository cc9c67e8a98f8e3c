"""Counted judgments say what their rows say."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from commands import invoke, results
from example_judgments import written
from inspect_reliability.answers import Analysis, analyse
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.count import Judged
from inspect_reliability.judgments.deduplication import as_counts
from inspect_reliability.judgments.sources import judgments_from, judgments_from_frame
from inspect_reliability.judgments.table import Judgments, save


def rows(seed: int = 0, questions: int = 12, tries: int = 6, first: int = 0) -> pd.DataFrame:
    """Verdicts of two judges under two wordings, with labels and a topic of each question."""
    rng = np.random.default_rng(seed)
    made = [
        {"question": f"q{q}", "judge": judge, "wording": wording, "topic": f"t{q % 3}"}
        | {"label": "AB"[q % 2], "verdict": rng.choice(["A", "B", "", "C"], p=[0.5, 0.3, 0.1, 0.1])}
        for q in range(first, first + questions)
        for judge in ("x", "y")
        for wording in ("short", "long")
        for _ in range(tries)
    ]
    return pd.DataFrame(made)


def same(found: Judgments, expected: Analysis) -> None:
    """Every number of both is equal."""
    ours = analyse(found)
    for name in {*ours.results} - {"notes", "without_verdict"}:  # which quotes single outputs
        assert equal(ours.results[name], expected.results[name]), name


def same_counts(found: Judgments, frame: pd.DataFrame) -> None:
    """What was read has the counts of these rows, as pandas counts them."""
    cell = ["question", "judge", "wording", "topic", "label", "verdict"]
    said = frame.assign(verdict=frame["verdict"].replace("", "non-response"))
    expected = said.groupby(cell).size().to_dict()
    ours = zip(*(found.table[name] for name in [*cell, "n_judgments"]), strict=True)
    assert {tuple(key): number for *key, number in ours} == expected
    assert len(found.table) == len(expected)


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[n], other[n]) for n in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == other)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of 100 rows."""
    for module in ("sources", "deduplication"):
        monkeypatch.setattr(f"inspect_reliability.judgments.{module}.BATCH", 100)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_files_in_batches_give_the_results_of_their_rows(tmp_path: Path, form: str) -> None:
    """Whatever their form, and whether they are one file or several."""
    frame = rows()
    one = judgments_from(written(frame, tmp_path / f"all.{form}"))
    parts = [frame[frame["question"].isin(own)] for own in np.split(frame["question"].unique(), 3)]
    paths = [written(part, tmp_path / f"{n}.{form}") for n, part in enumerate(parts)]
    assert len(one) < len(frame)
    for found in (one, judgments_from(paths)):
        same_counts(found, frame)
    if form == "csv":
        same(one, analyse(frame))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_tries_in_files_of_their_own_add_up(tmp_path: Path) -> None:
    """Files that share questions are further tries of these."""
    parts = [rows(seed, tries=3) for seed in range(3)]
    paths = [written(part, tmp_path / f"{n}.csv") for n, part in enumerate(parts)]
    same_counts(judgments_from(paths), pd.concat(parts, ignore_index=True))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_copy_counts_once(tmp_path: Path) -> None:
    """Rows in another order are a copy of a file, and a note says so."""
    frame = rows()
    copy = written(frame.sample(frac=1, random_state=1), tmp_path / "copy.csv")
    found = judgments_from([written(frame, tmp_path / "all.csv"), copy])
    assert [note.count for note in found.notes if "a copy" in note.what] == [len(frame)]
    same_counts(found, frame)


@pytest.mark.slow
def test_saved_counts_of_workers_are_one_study(tmp_path: Path) -> None:
    """Counts that several workers saved are those of all their rows."""
    parts = [rows(n, first=12 * n) for n in range(3)]
    for n, part in enumerate(parts):
        save(as_counts(judgments_from_frame(part)), tmp_path / f"{n}.parquet")
    found = judgments_from([str(path) for path in sorted(tmp_path.iterdir())])
    same_counts(found, pd.concat(parts, ignore_index=True))


@pytest.mark.slow
def test_counts_beside_rows(tmp_path: Path) -> None:
    """Rows of other questions add up with counts; of the same ones, a note asks about a copy."""
    one, other = rows(0), rows(1, first=12)
    saved = str(tmp_path / "counts.parquet")
    save(as_counts(judgments_from_frame(one)), saved)
    both = judgments_from([saved, str(written(other, tmp_path / "other.csv"))])
    same(both, analyse(pd.concat([one, other], ignore_index=True)))
    again = judgments_from([saved, str(written(one, tmp_path / "one.csv"))])
    assert any("if one is a copy" in note.what for note in again.notes)


@pytest.mark.slow
def test_the_command_keeps_counts(tmp_path: Path) -> None:
    """`--save FILE --counts` writes fewer rows, and reports of either file are equal."""
    path = written(rows().drop(columns="topic"), tmp_path / "j.csv")
    saved = tmp_path / "counts.parquet"
    first = invoke("report", path, "--save", saved, "--counts")
    assert first.exit_code == 0, first.stderr
    assert len(pd.read_parquet(saved)) < len(rows())
    answer = invoke("report", path, "--full").stdout
    assert invoke("report", saved, "--full").stdout.replace(str(saved), str(path)) == answer
    alone = invoke("report", path, "--counts")
    assert alone.exit_code == 2
    assert "--save" in alone.stderr


@pytest.mark.slow
def test_a_comparison_of_counts_is_that_of_rows(tmp_path: Path) -> None:
    """Every number, and no labelled question is said to have no label."""
    asked = str(written(rows(), tmp_path / "rows.csv"))
    counts = str(tmp_path / "counts.parquet")
    invoke("report", asked, "--save", counts, "--counts")
    compared = [results("compare", file, "--by", "judge") for file in (asked, counts)]
    assert equal(*compared)
    assert not any(one["left_out"] for one in compared[0]["rows"])


def test_what_cannot_be_counted_is_refused() -> None:
    """Exact verdicts have shares, which no count stands for."""
    frame = pd.DataFrame({"question": ["q", "q"], "verdict": ["A", "B"], "share": [0.4, 0.6]})
    with pytest.raises(UserError, match="Save them without --counts"):
        as_counts(judgments_from_frame(frame))


@pytest.mark.slow
def test_a_row_may_count_for_many() -> None:
    """A user's own column `n_judgments` has the numbers."""
    frame = pd.DataFrame({"question": ["q", "q", "p"], "verdict": ["A", "B", "A"]})
    table = judgments_from_frame(frame.assign(n_judgments=[3, 2, 5])).table
    assert Judged(table).counts().table.tolist() == [[3, 2], [5, 0]]


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("column", "levels", "form", "ending"),
    [("worker", "abc", "csv", "csv"), ("a_model", "ab", "jsonl", "ndjson")],
)
def test_what_may_tell_repeats_apart_is_asked_of_many_rows_too(
    tmp_path: Path, column: str, levels: str, form: str, ending: str
) -> None:
    """A column that tells repeated rows apart is asked about, though counts would lose it."""
    frame = rows().drop(columns="judge").assign(**{column: np.resize([*levels], 288)})
    path = written(frame, tmp_path / f"many.{form}").rename(tmp_path / f"many.{ending}")
    read = judgments_from(path)
    assert [one.column for one in read.asked] == [column]
    assert "n_judgments" in read.table


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_many_rows_of_question_and_verdict_alone_are_read(tmp_path: Path) -> None:
    """Neither a judge nor another column is needed."""
    frame = rows()[["question", "verdict"]]
    found = judgments_from(written(frame, tmp_path / "alone.csv"))
    assert len(found) < len(frame)
    same(found, analyse(frame))
